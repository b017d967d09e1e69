//! Inputs that are made without a look at the program: the measure that other strategies have to beat.

use gimlet_grammar::chance::Chance;
use gimlet_grammar::sample::uniform::Uniform;
use gimlet_mutate::Breeder;
use gimlet_trace::Input;

use crate::run::job::Origin;

/// Where inputs come from.
pub enum Blackbox {
    /// Seeds, with random changes of their bytes.
    Seeds(Box<Breeder>),
    /// Random sentences of a grammar, in one source of an input.
    Sentences { uniform: Box<Uniform>, chance: Chance, layout: Input, source: String },
}

impl Blackbox {
    /// The next one, and what it is; `None` if there are none.
    pub fn draw(&mut self) -> Option<(Input, Origin)> {
        match self {
            Blackbox::Seeds(breeder) => {
                let origin = Origin::Mutant { source: None, n_covered: 0, is_grafted: false };
                Some((breeder.breed()?.input, origin))
            }
            Blackbox::Sentences { uniform, chance, layout, source } => {
                let text = uniform.draw(chance)?;
                let mut input = layout.clone();
                let sources = input.sources.iter_mut().filter(|it| it.name == *source);
                sources.for_each(|it| it.bytes.clone_from(&text));
                Some((input, Origin::Grammar))
            }
        }
    }
}
