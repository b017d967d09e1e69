//! Who decides what is next: one scheduler over all sources of work.
//!
//! ```text
//! offer, ran --> sources: seeds, handoff, words, flips, imports, postponed, stretches, ... <-- spent (charge and credit)
//!                   |
//!                   v
//! next: who is to be first? --> what is left? (focus) --> which side? (sides) --> which source of it? (fair) --> Turn { source, task }
//! ```
//!
//! Each source proposes tasks. It is charged for the time that they take, and credited with what they bring; shares of the
//! time follow from both, within bounds that each source states ([`Turns`]). Since the least shares of a side leave
//! something over, nobody waits for ever, whatever others find or take.
//!
//! | module | holds |
//! |---|---|
//! | [`source`] | what a source is: how to add one |
//! | [`sources`] | the sources |
//! | [`focus`] | the share of directions that nobody took |
//! | [`sides`] | mutation's and symbolic execution's shares |
//! | [`fair`] | shares of the sources of one side |

mod fair;
mod focus;
mod sides;
pub mod source;
pub mod sources;
#[cfg(test)]
mod tests;

use self::fair::{Account, Ready};
use self::focus::Focus;
use self::sides::Sides;
pub use self::source::{Side, Source, Spent, Turns, View};
use self::sources::number;
pub use self::sources::{name_of_question, Example, Frontier, Goal, HardQuestion, Sources, StretchTurn, Trial, Wanted};
use crate::run::job::{Job, Origin};
use crate::run::seen::Seen;
use crate::strategy::plan::Plan;
use crate::strategy::{Priority, Ran, Task};

/// What sources may want to know when a search begins.
pub struct Needs {
    pub plan: Plan,
    pub seed: u64,
    /// Whether tests get stretches.
    pub stretches: bool,
}

/// A task, and who wants it.
#[derive(Debug)]
pub struct Turn {
    pub source: usize,
    pub task: Task,
}

/// What a source took and brought so far, and what waits there.
#[derive(Clone, Copy, Debug)]
pub struct Had {
    pub name: &'static str,
    pub side: Side,
    pub spent: Spent,
    pub n_waiting: usize,
}

impl Had {
    /// Whether it took part, or will.
    pub fn is_worth_a_line(&self) -> bool {
        self.spent != Spent::default() || self.n_waiting > 0
    }
}

pub struct Scheduler {
    pub plan: Plan,
    pub sources: Sources,
    focus: Focus,
    sides: Sides,
    accounts: Vec<Account>,
}

impl Scheduler {
    pub fn new(needs: &Needs) -> Scheduler {
        Scheduler {
            plan: needs.plan,
            sources: Sources::new(needs),
            focus: Focus::default(),
            sides: Sides::default(),
            accounts: vec![Account::default(); Sources::N],
        }
    }

    /// Takes an input that can be run to the source that it is for.
    pub fn offer(&mut self, job: Job, priority: Priority) {
        self.sources.sentences.wake();
        let n_covered = job.origin.n_covered();
        if self.plan.is_exhaustive {
            self.sources.flips.offer(job, priority);
        } else if job.origin == Origin::Seed {
            self.sources.seeds.add(job);
        } else if let Some(n_covered) = n_covered {
            // It was kept already. Where nothing is asked, nobody goes on from it.
            if self.plan.solves() {
                self.sources.imports.add(job, n_covered);
            }
        } else if self.plan.has_words && matches!(job.origin, Origin::Word { .. }) && priority == Priority::High {
            self.sources.words.add(job);
        } else {
            self.sources.flips.offer(job, priority);
        }
    }

    /// What a run did.
    pub fn ran(&mut self, ran: &Ran, seen: &Seen) {
        self.sources.flips.ran(ran, seen);
    }

    /// What to do now; `None` if nobody wants anything.
    pub fn next(&mut self, view: &View) -> Option<Turn> {
        // Who says that there is work, and then finds none, is not asked again now.
        let mut is_out = [false; Sources::N];
        loop {
            let source = self.choose(view, &is_out)?;
            if let Some(task) = self.sources.get_mut(source).next(view) {
                return Some(Turn { source, task });
            }
            is_out[source] = true;
        }
    }

    fn choose(&mut self, view: &View, is_out: &[bool; Sources::N]) -> Option<usize> {
        let (mut shared, mut spare, mut of_whole) = ([Vec::new(), Vec::new()], [None, None], None);
        for number in (0..Sources::N).filter(|&number| !is_out[number]) {
            let source = self.sources.get(number);
            if !source.is_ready() {
                continue;
            }
            let side = source.side() as usize;
            match source.turns(view) {
                Turns::First => return Some(number),
                Turns::Shared { least, most } => {
                    shared[side].push(Ready { number, least, most, most_ahead: source.most_ahead() });
                }
                Turns::OfWhole => of_whole = Some(number),
                Turns::Spare => spare[side] = spare[side].or(Some(number)),
            }
        }
        match of_whole {
            Some(number) if self.focus.is_next(self.sources.frontiers.n_left()) => return Some(number),
            Some(_) => {}
            None => self.focus.is_idle(),
        }
        let first = self.sides.next(self.sources.imports.has_landmarks());
        let other = Side::ALL[1 - first as usize];
        [first, other].into_iter().map(|side| side as usize).find_map(|side| {
            let chosen = fair::choose(&mut self.accounts, &shared[side], |number| {
                self.sources.get(number).side() as usize == side
            });
            chosen.or(spare[side])
        })
    }

    /// Charges a source for a task, and credits it with what came of it.
    pub fn spent(&mut self, number: usize, spent: &Spent) {
        let source = self.sources.get_mut(number);
        source.spent(spent);
        let side = source.side();
        self.accounts[number].charge(spent);
        // The user's inputs are nobody's merit.
        if number == number::SEEDS {
            return;
        }
        let is_of_whole = number == number::FRONTIERS;
        self.focus.spent(is_of_whole, spent);
        if is_of_whole {
            self.sides.others_spent(spent);
        } else {
            self.sides.spent(side, spent);
        }
    }

    /// If nothing is left but mutation: mutants since the last new test.
    pub fn n_idle_mutants(&self) -> Option<u64> {
        let is_quiet = || {
            let all = (0..Sources::N).map(|number| self.sources.get(number));
            !all.filter(|source| source.side() == Side::Symbolic).any(Source::is_ready)
        };
        (self.plan.mutates && self.plan.solves() && is_quiet()).then(|| self.sides.n_idle_mutants())
    }

    /// What each source took and brought, and what waits there.
    pub fn had(&self) -> impl Iterator<Item = Had> + '_ {
        self.accounts.iter().enumerate().map(|(number, account)| {
            let source = self.sources.get(number);
            Had { name: source.name(), side: source.side(), spent: account.total, n_waiting: source.n_waiting() }
        })
    }

    /// Goes on from what an earlier search spent.
    pub fn restore(&mut self, earlier: impl Fn(&str) -> Option<Spent>) {
        for (number, account) in self.accounts.iter_mut().enumerate() {
            account.total = earlier(self.sources.get(number).name()).unwrap_or_default();
        }
    }

    /// Inputs, runs and questions that wait.
    pub fn n_waiting(&self) -> usize {
        (0..Sources::N).map(|number| self.sources.get(number).n_waiting()).sum()
    }
}
