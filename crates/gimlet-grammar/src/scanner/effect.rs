//! What an action does to the scanner and to whoever called it.

use super::{ConditionId, Lex, RuleId};
use crate::regular::byte_set::ByteSet;
use crate::source::Diagnostic;

const HINT: &str = "a line `LINE -> TOKEN` or `skip LINE` of a token map says it";

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
    /// The program ends.
    Stop,
    /// A token, but nobody knows which.
    Unknown,
}

/// A change of the start condition.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Move {
    Begin(ConditionId),
    Push(ConditionId),
    Pop,
    /// A variable remembers a condition: `caller = YY_START`.
    Save(String, ConditionId),
    /// `BEGIN(caller)`.
    Restore(String),
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
    /// Where it is possible; in all conditions of the rule if there are none.
    pub conditions: Vec<ConditionId>,
    /// What the text begins with then, if that matters.
    pub first_bytes: Option<ByteSet>,
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
    /// Why there is [`Token::Unknown`] among the outcomes.
    pub unknown_token: Option<String>,
}

impl Effect {
    pub fn of(outcome: Outcome) -> Effect {
        Effect { outcomes: vec![outcome], unknown: None, unknown_token: None }
    }

    pub fn unknown(reason: impl Into<String>) -> Effect {
        Effect { outcomes: Vec::new(), unknown: Some(reason.into()), unknown_token: None }
    }

    pub fn does_nothing(&self) -> bool {
        self.unknown.is_none() && self.outcomes.iter().all(|outcome| *outcome == Outcome::default())
    }

    /// The outcomes that are possible for a text.
    pub fn possible<'a>(&'a self, condition: ConditionId, text: &'a [u8]) -> impl Iterator<Item = &'a Outcome> {
        self.outcomes.iter().filter(move |outcome| {
            (outcome.conditions.is_empty() || outcome.conditions.contains(&condition))
                && match (&outcome.first_bytes, text.first()) {
                    (Some(set), Some(&byte)) => set.contains(byte),
                    _ => true,
                }
        })
    }
}

impl Outcome {
    /// Without what is returned and when, to see whether two leave the scanner in the same state.
    pub fn state_change(&self) -> Outcome {
        Outcome { token: None, conditions: Vec::new(), first_bytes: None, ..self.clone() }
    }
}

/// The effects of a scanner's code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effects {
    /// By their places in [`Lex::rules`].
    pub rules: Vec<Effect>,
    /// Of `YY_USER_INIT`, which runs before all.
    pub at_start: Effect,
    /// Of the code before the rules, which runs whenever the scanner is called.
    pub at_call: Effect,
}

impl Effects {
    /// No action does anything.
    pub fn none(lex: &Lex) -> Effects {
        let nothing = Effect::of(Outcome::default());
        Effects { rules: vec![nothing.clone(); lex.rules.len()], at_start: nothing.clone(), at_call: nothing }
    }

    pub fn of(&self, rule: RuleId) -> &Effect {
        &self.rules[rule.index()]
    }

    /// Of each action the first outcome only, without regard to when it is possible; where none is known, it does
    /// nothing. Variables are left out.
    pub fn first_outcomes(&self) -> Effects {
        let first = |effect: &Effect| {
            let mut outcome = effect.outcomes.first().cloned().unwrap_or_default();
            outcome.token = None;
            outcome.conditions.clear();
            outcome.first_bytes = None;
            outcome.moves.retain(|step| !matches!(step, Move::Save(..) | Move::Restore(_)));
            Effect::of(outcome)
        };
        let nothing = Effect::of(Outcome::default());
        Effects { rules: self.rules.iter().map(first).collect(), at_start: nothing.clone(), at_call: nothing }
    }

    /// What is to be said about actions that are not understood.
    pub fn warnings(&self, lex: &Lex) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        if let Some(span) = lex.prologue.first().filter(|_| !self.at_call.does_nothing()) {
            let message = "the code before the rules does more than the rules say";
            warnings.push(Diagnostic::warning(*span, message).with_hint("tokens that it returns are not known"));
        }
        for (rule, effect) in lex.rules.iter().zip(&self.rules) {
            let message = match (&effect.unknown, &effect.unknown_token) {
                _ if rule.action.is_continued => continue,
                (Some(reason), _) => format!("what this action does is not known: {reason}"),
                (None, Some(reason)) => format!("what this action returns is not known: {reason}"),
                (None, None) => continue,
            };
            warnings.push(Diagnostic::warning(rule.action.span, message).with_hint(HINT));
        }
        warnings
    }
}
