//! What is wrong with a search before it begins.

use std::path::Path;

use super::seeds::makes_seeds;
use super::Search;
use crate::corpus::folder::check_folder;
use crate::error::ExploreError;
use crate::manifest::DEFAULT_STRATEGY;
use crate::program::language::{Language, HOLE_LEN_DEFAULT};
use crate::strategy::Kind;

/// Bytes to begin with, at most.
const LEN_MAX: usize = 1 << 24;

type Checked = Result<(), ExploreError>;

impl Search {
    /// What would otherwise fail only when there are results to lose.
    pub(super) fn check(&self) -> Checked {
        check_folder(&self.out)?;
        if self.spec.strategy.len.is_some_and(|len| len > LEN_MAX) {
            return refuse(format!("--len is more than {LEN_MAX}"), "a few dozen bytes are enough to begin with");
        }
        if self.spec.strategy.name == Some(Kind::Cese) {
            self.without_max_len()?;
        }
        self.check_grammar()?;
        self.check_token_function()?;
        if let Some(folder) = self.spec.team.sync.as_deref().filter(|folder| !folder.is_dir()) {
            check_folder(folder)?;
            return refuse(format!("--sync: {}: no such folder", folder.display()), "make it first");
        }
        let summary = self.spec.output.summary.as_deref();
        match summary.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty()) {
            Some(folder) if !folder.is_dir() => {
                refuse(format!("--summary: {}: no such folder", folder.display()), "make it first")
            }
            _ => Ok(()),
        }
    }

    /// A search that goes on has the strategy that it had.
    fn is_strategy_known(&self) -> bool {
        self.spec.strategy.name.is_some() || !self.resumes
    }

    /// Whether the strategy has a use for the grammar and the seeds.
    fn check_grammar(&self) -> Checked {
        let strategy = self.spec.strategy.name.unwrap_or(DEFAULT_STRATEGY);
        let has_seeds = !self.spec.seeds.paths.is_empty();
        if matches!(strategy, Kind::Cese | Kind::GrammarBlackbox) && has_seeds {
            return refuse(
                format!("{} takes the strings of a grammar, and no seeds", strategy.name()),
                "leave out -i, or choose another strategy",
            );
        }
        let Some(language) = Language::of(&self.spec) else {
            let is_missing = strategy.plan().needs_grammar && !self.resumes;
            return if is_missing { Err(no_grammar(strategy)) } else { Ok(()) };
        };
        if !self.is_strategy_known() {
            return Ok(());
        }
        if strategy != Kind::Cese {
            without_bounds(&language)?;
        }
        if strategy.plan().needs_grammar || strategy.plan().mutates {
            return Ok(());
        }
        if !makes_seeds(strategy) {
            return refuse(
                format!("a grammar is of no use to the strategy {}", strategy.name()),
                "leave out --strategy, or choose grammar, tokens, cese or mutation",
            );
        }
        if has_seeds {
            return refuse(
                format!("a grammar only makes seeds for the strategy {}, and there are some", strategy.name()),
                "leave out -i, or choose grammar, tokens, cese or mutation",
            );
        }
        Ok(())
    }

    fn check_token_function(&self) -> Checked {
        let strategy = self.spec.strategy.name.unwrap_or(DEFAULT_STRATEGY);
        if self.spec.grammar.token_fn.is_none() {
            return Ok(());
        }
        if self.spec.grammar.file.is_none() && self.resumes {
            return refuse(
                "a search that goes on has the token function that it began with",
                "leave out --token-fn; with --grammar and what else there was it is compared with that",
            );
        }
        if self.is_strategy_known() && !strategy.plan().has_tokens() && strategy != Kind::Hybrid {
            return refuse("--token-fn is for symbolic tokens", "leave out --strategy, or say grammar or tokens");
        }
        Ok(())
    }

    /// How long strings are follows from their tokens.
    pub(super) fn without_max_len(&self) -> Checked {
        match self.spec.strategy.max_len {
            None => Ok(()),
            Some(_) => refuse(
                "--max-len bounds inputs in bytes, and cese explores strings of tokens",
                "--len N: up to N tokens; --hole-len N: up to N bytes for a token that has texts of any length",
            ),
        }
    }
}

fn refuse(message: impl Into<String>, hint: &str) -> Checked {
    Err(ExploreError::refused(message, hint))
}

/// Only strings that are explored one by one have bounds.
fn without_bounds(language: &Language) -> Checked {
    let bounds = [
        ("--height", language.height.is_some()),
        ("--hole-len", language.hole_len != HOLE_LEN_DEFAULT),
        ("--free-holes", language.has_free_holes),
    ];
    match bounds.into_iter().find(|&(_, is_given)| is_given) {
        Some((option, _)) => refuse(
            format!("{option} is for the strings that --strategy cese explores"),
            "leave it out, or say --strategy cese",
        ),
        None => Ok(()),
    }
}

pub fn no_grammar(strategy: Kind) -> ExploreError {
    let message = match strategy {
        Kind::Cese => "cese explores the strings of a grammar, and there is none".to_owned(),
        Kind::GrammarBlackbox => "grammar-blackbox draws sentences of a grammar, and there is none".to_owned(),
        strategy => format!("the strategy {} has tokens of a grammar, and there is none", strategy.name()),
    };
    ExploreError::refused(message, "name it with --grammar FILE.y")
}
