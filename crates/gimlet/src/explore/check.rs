//! What is wrong with a search before it begins.

use std::path::Path;

use anyhow::Result;
use gimlet_explore::strategy;

use super::{makes_seeds, LEN_MAX};
use crate::exit::hinted;
use crate::manifest::DEFAULT_STRATEGY;
use crate::options::{ExplorePlan, Language, HOLE_LEN_DEFAULT};
use crate::outputs;

/// What would otherwise fail only when there are results to lose.
pub fn check(plan: &ExplorePlan) -> Result<()> {
    outputs::check_folder(&plan.output)?;
    if plan.len.is_some_and(|len| len > LEN_MAX) {
        return Err(hinted(format!("--len is more than {LEN_MAX}"), "a few dozen bytes are enough to begin with"));
    }
    let is_cese = plan.strategy == Some(strategy::Kind::Cese);
    if is_cese {
        without_max_len(plan)?;
    }
    let strategy = plan.strategy.unwrap_or(DEFAULT_STRATEGY);
    if matches!(strategy, strategy::Kind::Cese | strategy::Kind::GrammarBlackbox) && !plan.seeds.is_empty() {
        return Err(hinted(
            format!("{} takes the strings of a grammar, and no seeds", strategy.name()),
            "leave out -i, or choose another strategy",
        ));
    }
    let needs_grammar = strategy.needs_grammar();
    if needs_grammar && plan.language.is_none() && !plan.resumes {
        return Err(no_grammar(strategy));
    }
    // A search that goes on has the strategy that it had.
    let is_known = plan.strategy.is_some() || !plan.resumes;
    if let Some(language) = plan.language.as_ref().filter(|_| is_known && !is_cese) {
        without_bounds(language)?;
    }
    if plan.language.is_some() && is_known && !needs_grammar && !strategy.mutates() {
        if !makes_seeds(strategy) {
            return Err(hinted(
                format!("a grammar is of no use to the strategy {}", strategy.name()),
                "leave out --strategy, or choose grammar, tokens, cese or mutation",
            ));
        }
        if !plan.seeds.is_empty() {
            return Err(hinted(
                format!("a grammar only makes seeds for the strategy {}, and there are some", strategy.name()),
                "leave out -i, or choose grammar, tokens, cese or mutation",
            ));
        }
    }
    if plan.has_token_function && plan.language.is_none() && plan.resumes {
        return Err(hinted(
            "a search that goes on has the token function that it began with",
            "leave out --token-fn; with --grammar and what else there was it is compared with that",
        ));
    }
    if plan.has_token_function && is_known && !strategy.has_tokens() && strategy != strategy::Kind::Hybrid {
        return Err(hinted("--token-fn is for symbolic tokens", "leave out --strategy, or say grammar or tokens"));
    }
    if let Some(folder) = plan.sync.as_deref().filter(|folder| !folder.is_dir()) {
        outputs::check_folder(folder)?;
        return Err(hinted(format!("--sync: {}: no such folder", folder.display()), "make it first"));
    }
    let folder = plan.summary.as_deref().and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => {
            Err(hinted(format!("--summary: {}: no such folder", folder.display()), "make it first"))
        }
        _ => Ok(()),
    }
}

/// Only strings that are explored one by one have bounds.
fn without_bounds(language: &Language) -> Result<()> {
    let bounds = [
        ("--height", language.height.is_some()),
        ("--hole-len", language.hole_len != HOLE_LEN_DEFAULT),
        ("--free-holes", language.has_free_holes),
    ];
    match bounds.into_iter().find(|&(_, is_given)| is_given) {
        Some((option, _)) => Err(hinted(
            format!("{option} is for the strings that --strategy cese explores"),
            "leave it out, or say --strategy cese",
        )),
        None => Ok(()),
    }
}

pub fn no_grammar(strategy: strategy::Kind) -> anyhow::Error {
    let message = match strategy {
        strategy::Kind::Cese => "cese explores the strings of a grammar, and there is none".to_owned(),
        strategy::Kind::GrammarBlackbox => {
            "grammar-blackbox draws sentences of a grammar, and there is none".to_owned()
        }
        strategy => format!("the strategy {} has tokens of a grammar, and there is none", strategy.name()),
    };
    hinted(message, "name it with --grammar FILE.y")
}

/// How long strings are follows from their tokens.
pub fn without_max_len(plan: &ExplorePlan) -> Result<()> {
    match plan.max_len {
        None => Ok(()),
        Some(_) => Err(hinted(
            "--max-len bounds inputs in bytes, and cese explores strings of tokens",
            "--len N: up to N tokens; --hole-len N: up to N bytes for a token that has texts of any length",
        )),
    }
}
