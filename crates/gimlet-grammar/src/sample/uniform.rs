//! Texts of random sentences, each of a length as likely as any other of that length.
//!
//! This is blackbox testing with a grammar: nothing is known of the program.

use std::rc::Rc;

use num_bigint::BigUint;

use crate::chance::Chance;
use crate::count::derivations::Derivations;
use crate::count::sentences::{Sentences, Texts};
use crate::grammar::{Grammar, TerminalId};
use crate::scanner::Scanner;
use crate::text::unparser::Unparser;

/// Where sentences are told apart by more items than this, derivations are drawn instead.
const N_ITEMS_MAX: usize = 1_000_000;

/// Sentences without a text that are drawn again.
const N_ATTEMPTS: usize = 100;

/// What sentences are drawn from.
enum Drawn {
    Sentences(Box<Sentences>),
    /// The same where no sentence has two.
    Derivations(Box<Derivations<Grammar>>),
}

/// Draws texts.
pub struct Uniform {
    drawn: Drawn,
    unparser: Unparser,
    /// Lengths that sentences have, in tokens.
    lens: Vec<u32>,
}

impl Uniform {
    /// Draws sentences of up to so many tokens; `None` if there are none, or too many ways to derive them.
    pub fn new(grammar: &Grammar, scanner: Rc<Scanner>, len_max: u32) -> Option<Uniform> {
        let unparser = Unparser::new(grammar, scanner);
        let texts = |id: TerminalId| -> Texts {
            let is_writable = grammar.is_token(id) && unparser.has_text(id);
            is_writable.then(|| (1, BigUint::from(1u8))).into_iter().collect()
        };
        let texts: Vec<Texts> = grammar.terminal_ids().map(texts).collect();
        let mut sentences = Sentences::new(grammar, texts.clone())?.within(N_ITEMS_MAX);
        let lens = (0..=len_max).filter(|&len| sentences.count(len) > BigUint::ZERO).collect();
        if !sentences.is_too_large() {
            return Some(Uniform { drawn: Drawn::Sentences(Box::new(sentences)), unparser, lens })
                .filter(|it| !it.lens.is_empty());
        }
        let mut derivations = Derivations::new(grammar.clone(), texts).ok()?;
        let lens: Vec<u32> = (0..=len_max).filter(|&len| derivations.count(len) > BigUint::ZERO).collect();
        let is_of_use = !derivations.is_too_large() && !lens.is_empty();
        is_of_use.then(|| Uniform { drawn: Drawn::Derivations(Box::new(derivations)), unparser, lens })
    }

    /// A text: of any length that sentences have, each as likely; `None` if sentences have no text, it seems.
    pub fn draw(&mut self, chance: &mut Chance) -> Option<Vec<u8>> {
        for _ in 0..N_ATTEMPTS {
            let len = self.lens[chance.pick(self.lens.len())];
            let pieces = match &mut self.drawn {
                Drawn::Sentences(sentences) => sentences.sample(len, chance)?,
                Drawn::Derivations(derivations) => derivations.sample(len, chance)?.pieces().collect(),
            };
            let sentence: Vec<TerminalId> = pieces.into_iter().map(|piece| piece.terminal).collect();
            if let Ok(mut template) = self.unparser.drawn(&sentence, chance) {
                template.fill(chance);
                return Some(template.bytes);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::recognise::Recogniser;
    use crate::test_grammars::grammar;
    use rustc_hash::FxHashMap;

    #[test]
    fn sentences_of_a_length_are_equally_likely() {
        // One sentence of one token, two of two, four of three.
        let grammar = grammar("s: 'x' | 'a' s | 'b' s ;");
        let scanner: Rc<Scanner> = Scanner::of_texts(&grammar, &[], &[]).unwrap().into();
        let mut uniform = Uniform::new(&grammar, Rc::clone(&scanner), 3).unwrap();
        let mut chance = Chance::new(1);
        let mut counts: FxHashMap<Vec<u8>, u32> = FxHashMap::default();
        let recogniser = Recogniser::new(&grammar);
        for _ in 0..12_000 {
            let text = uniform.draw(&mut chance).unwrap();
            let tokens: Vec<TerminalId> = scanner.scan(&text).unwrap().iter().filter_map(|it| it.only()).collect();
            recogniser.check(&tokens, &|| false).unwrap();
            *counts.entry(text).or_default() += 1;
        }
        assert_eq!(counts.len(), 7);
        let near = |text: &str, expected: u32| {
            let seen = counts[text.as_bytes()];
            assert!(seen.abs_diff(expected) < expected / 5, "{text}: {seen}");
        };
        near("x", 4000);
        near("bx", 2000);
        near("bax", 1000);
    }

    #[test]
    fn no_sentence_is_short_enough() {
        let grammar = grammar("s: 'x' 'x' 'x' ;");
        let scanner: Rc<Scanner> = Scanner::of_texts(&grammar, &[], &[]).unwrap().into();
        assert!(Uniform::new(&grammar, scanner, 2).is_none());
    }
}
