//! Questions about runs, in the order of a strategy, and the inputs that come of them.

use std::ops::{Deref, DerefMut};

use super::super::source::{Source, Spent, Turns, View};
use super::super::Needs;
use crate::strategy::{self, Strategy, Task};

pub struct Flips {
    strategy: Box<dyn Strategy>,
}

impl Flips {
    pub fn new(needs: &Needs) -> Flips {
        Flips { strategy: strategy::start(needs.plan.order, needs.seed) }
    }
}

impl Deref for Flips {
    type Target = dyn Strategy;

    fn deref(&self) -> &Self::Target {
        &*self.strategy
    }
}

impl DerefMut for Flips {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.strategy
    }
}

impl Source for Flips {
    fn name(&self) -> &'static str {
        "flips"
    }

    /// Whatever others find, the solver never falls silent while questions wait; least of all while some would be new.
    fn turns(&self, _: &View) -> Turns {
        Turns::Shared { least: if self.strategy.has_news() { 0.35 } else { 0.2 }, most: 0.9 }
    }

    /// Its tasks end after two seconds. It has many of those at once while nobody else has anything to do, and must not fall
    /// silent for it later.
    fn most_ahead(&self) -> f64 {
        3.0
    }

    fn is_ready(&self) -> bool {
        self.strategy.has_work()
    }

    fn n_waiting(&self) -> usize {
        self.strategy.n_waiting()
    }

    fn next(&mut self, view: &View) -> Option<Task> {
        self.strategy.next(view.seen)
    }

    fn spent(&mut self, spent: &Spent) {
        self.strategy.spent(spent);
    }
}
