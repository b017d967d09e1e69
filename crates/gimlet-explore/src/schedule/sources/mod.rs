//! The sources of work, one file each.

mod backlog;
mod flips;
mod frontiers;
mod goals;
mod handoff;
mod hard;
mod imports;
mod native;
mod postponed;
mod seeds;
mod sentences;
mod stretches;
mod words;

pub use self::backlog::Backlog;
pub use self::flips::Flips;
pub use self::frontiers::{Example, Frontier, Frontiers, Wanted};
pub use self::goals::{Goal, Goals};
pub use self::handoff::Handoff;
pub use self::hard::{name as name_of_question, Hard, HardQuestion};
pub use self::imports::Imports;
pub use self::native::Native;
pub use self::postponed::Postponed;
pub use self::seeds::Seeds;
pub use self::sentences::Sentences;
pub use self::stretches::{StretchTurn, Stretches, Trial};
pub use self::words::Words;
use super::source::Source;
use super::Needs;

/// All sources as a struct, so that each can be given what is its own, and as a list for the scheduler. The order decides
/// where everything else is the same.
macro_rules! sources {
    ($($field:ident: $kind:ident = $number:ident,)*) => {
        pub struct Sources {
            $(pub $field: $kind,)*
        }

        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Numbers { $($number,)* N }

        /// The place of each in the list.
        pub mod number {
            $(pub const $number: usize = super::Numbers::$number as usize;)*
        }

        impl Sources {
            pub const N: usize = Numbers::N as usize;

            pub fn new(needs: &Needs) -> Sources {
                Sources { $($field: $kind::new(needs),)* }
            }

            pub fn get(&self, number: usize) -> &dyn Source {
                match number {
                    $(number::$number => &self.$field,)*
                    _ => unreachable!("there are {} sources", Sources::N),
                }
            }

            pub fn get_mut(&mut self, number: usize) -> &mut dyn Source {
                match number {
                    $(number::$number => &mut self.$field,)*
                    _ => unreachable!("there are {} sources", Sources::N),
                }
            }
        }
    };
}

sources! {
    seeds: Seeds = SEEDS,
    handoff: Handoff = HANDOFF,
    words: Words = WORDS,
    flips: Flips = FLIPS,
    imports: Imports = IMPORTS,
    postponed: Postponed = POSTPONED,
    stretches: Stretches = STRETCHES,
    goals: Goals = GOALS,
    sentences: Sentences = SENTENCES,
    hard: Hard = HARD,
    native: Native = NATIVE,
    frontiers: Frontiers = FRONTIERS,
    backlog: Backlog = BACKLOG,
}
