//! What an action does to the scanner and to whoever called it.

use super::{ConditionId, Lex, RuleId};

/// What a scanner returns.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Token {
    /// A token by the name that the grammar has for it.
    Named(String),
    Char(u8),
    /// The first byte of the text.
    FirstByte,
    /// A number that is no character.
    Number(i64),
    /// The end of the input.
    End,
}

/// A change of the start condition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Move {
    Begin(ConditionId),
    Push(ConditionId),
    Pop,
}

/// How far the scanner has gone when the action is done.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum Taken {
    /// To the end of what matched.
    #[default]
    All,
    /// That many bytes of what matched: `yyless(2)`.
    First(usize),
    /// What matched without as many bytes at its end: `yyless(yyleng - 1)`.
    AllBut(usize),
    /// Beyond what matched, to the first of these texts that comes: comments that an action reads.
    To {
        ending: Vec<u8>,
        /// The ending is taken, too.
        with_ending: bool,
    },
}

impl Taken {
    /// Whether it reads on after the text.
    pub fn is_beyond(&self) -> bool {
        matches!(self, Taken::To { .. })
    }
}

/// One way through an action.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Outcome {
    /// What is returned, if the scanner does not go on by itself.
    pub token: Option<Token>,
    pub moves: Vec<Move>,
    pub taken: Taken,
    /// `yymore()`: the next text is put behind this one.
    pub is_more: bool,
    /// The next text is treated as if it stood at the beginning of a line, or not.
    pub at_line_start: Option<bool>,
}

/// All ways through an action, or why they are not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effect {
    /// In order, without duplicates; there is one at least unless it is unknown.
    pub outcomes: Vec<Outcome>,
    /// Why there may be other outcomes.
    pub unknown: Option<String>,
}

impl Effect {
    pub fn of(outcome: Outcome) -> Effect {
        Effect { outcomes: vec![outcome], unknown: None }
    }

    pub fn unknown(reason: impl Into<String>) -> Effect {
        Effect { outcomes: Vec::new(), unknown: Some(reason.into()) }
    }

    /// What it may return; `None` is for going on.
    pub fn tokens(&self) -> Vec<Option<&Token>> {
        let mut tokens: Vec<_> = self.outcomes.iter().map(|outcome| outcome.token.as_ref()).collect();
        tokens.sort();
        tokens.dedup();
        tokens
    }

    /// The only outcome as far as the scanner's state is concerned.
    pub fn state_change(&self) -> Option<&Outcome> {
        let (first, others) = self.outcomes.split_first()?;
        let key = |outcome: &Outcome| Outcome { token: None, ..outcome.clone() };
        (self.unknown.is_none() && others.iter().all(|other| key(other) == key(first))).then_some(first)
    }
}

/// The effects of a scanner's rules, by their places in [`Lex::rules`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effects(pub Vec<Effect>);

impl Effects {
    /// No action does anything.
    pub fn none(lex: &Lex) -> Effects {
        Effects(vec![Effect::of(Outcome::default()); lex.rules.len()])
    }

    pub fn of(&self, rule: RuleId) -> &Effect {
        &self.0[rule.index()]
    }

    /// Of each action the first outcome only; where none is known, it does nothing.
    pub fn first_outcomes(&self) -> Effects {
        let first = |effect: &Effect| Effect::of(effect.outcomes.first().cloned().unwrap_or_default());
        Effects(self.0.iter().map(first).collect())
    }
}
