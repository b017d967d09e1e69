//! What a strategy implies, decided once: a new strategy is one [`Plan`], and nobody asks for its name.

use super::Kind;

/// Which question comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Nothing is asked.
    None,
    DepthFirst,
    /// Symbolic strings in turn.
    Strings,
    /// The new first.
    Generational,
    Random,
}

/// In which runs the tokens that a scanner returns are variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenMode {
    /// In some, if there is a grammar with a scanner.
    Some,
    All,
}

/// Which runs become tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keeps {
    /// Each path, whatever its end.
    Paths,
    /// What is new at its place, or to the counters.
    News,
}

/// What a search does, and what it does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    pub order: Order,
    /// Every question is asked once, with all that it takes, and nothing is left out.
    pub is_exhaustive: bool,
    /// Questions that take long wait for others.
    pub hurries: bool,
    /// Where a question is impossible it is asked without what comes before it.
    pub is_optimistic: bool,
    /// There are mutants.
    pub mutates: bool,
    /// Inputs are made without a look at the program, and nothing is learnt from runs.
    pub draws: bool,
    pub tokens: TokenMode,
    /// It can't do without a grammar.
    pub needs_grammar: bool,
    /// Only bytes of a symbolic string may change.
    pub only_strings: bool,
    /// Nothing but sentences of the grammar is made. Some are made of the grammar alone; and where a direction is
    /// impossible in one, others are tried.
    pub only_sentences: bool,
    /// Tests get stretches.
    pub stretches: bool,
    /// Inputs with words that were compared have a share of their own.
    pub has_words: bool,
    pub keeps: Keeps,
}

/// The new first, and no mutants: what others differ from.
const GENERATIONAL: Plan = Plan {
    order: Order::Generational,
    is_exhaustive: false,
    hurries: false,
    is_optimistic: false,
    mutates: false,
    draws: false,
    tokens: TokenMode::Some,
    needs_grammar: false,
    only_strings: false,
    only_sentences: false,
    stretches: true,
    has_words: true,
    keeps: Keeps::News,
};

/// Symbolic tokens in every run.
const TOKENS: Plan =
    Plan { hurries: true, tokens: TokenMode::All, needs_grammar: true, stretches: false, ..GENERATIONAL };

const DEPTH_FIRST: Plan = Plan {
    order: Order::DepthFirst,
    is_exhaustive: true,
    stretches: false,
    has_words: false,
    keeps: Keeps::Paths,
    ..GENERATIONAL
};

const BLACKBOX: Plan = Plan { order: Order::None, draws: true, stretches: false, has_words: false, ..GENERATIONAL };

impl Plan {
    pub const fn of(kind: Kind) -> Plan {
        match kind {
            Kind::Hybrid => Plan { hurries: true, is_optimistic: true, mutates: true, ..GENERATIONAL },
            Kind::Dfs => DEPTH_FIRST,
            Kind::Generational => GENERATIONAL,
            Kind::Random => Plan { order: Order::Random, has_words: false, ..GENERATIONAL },
            Kind::Mutation => Plan {
                order: Order::None,
                hurries: true,
                mutates: true,
                stretches: false,
                has_words: false,
                ..GENERATIONAL
            },
            Kind::Cese => Plan {
                order: Order::Strings,
                needs_grammar: true,
                only_strings: true,
                keeps: Keeps::News,
                ..DEPTH_FIRST
            },
            Kind::Tokens => TOKENS,
            Kind::Grammar => Plan { only_sentences: true, stretches: true, ..TOKENS },
            Kind::Blackbox => BLACKBOX,
            Kind::GrammarBlackbox => Plan { needs_grammar: true, ..BLACKBOX },
        }
    }

    /// Whether anything is asked.
    pub fn solves(&self) -> bool {
        self.order != Order::None
    }

    /// Whether tokens are variables in every run.
    pub fn has_tokens(&self) -> bool {
        self.tokens == TokenMode::All
    }

    pub fn is_depth_first(&self) -> bool {
        self.order == Order::DepthFirst
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_asks_everything_leaves_nothing_out() {
        for plan in Kind::ALL.map(Plan::of).into_iter().filter(|plan| plan.is_exhaustive) {
            assert!(!plan.hurries && !plan.mutates && !plan.stretches && !plan.is_optimistic, "{plan:?}");
        }
    }

    #[test]
    fn what_needs_a_grammar_makes_something_of_it() {
        let makes_something = |plan: &Plan| plan.has_tokens() || plan.only_strings || plan.only_sentences || plan.draws;
        assert!(Kind::ALL.map(Plan::of).iter().filter(|plan| plan.needs_grammar).all(makes_something));
        let n_without_questions = Kind::ALL.map(Plan::of).iter().filter(|plan| !plan.solves()).count();
        assert_eq!(n_without_questions, 3);
    }
}
