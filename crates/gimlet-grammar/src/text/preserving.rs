//! Texts of sentences that keep what another input has.
//!
//! Where a solver changes a token in the middle of an input, the rest of it should stay as it was written: names, numbers,
//! blanks and comments of the beginning and of the end, as far as their tokens are the same. What is new gets the text that
//! the same token had elsewhere, or the shortest there is. Where two texts would become one token a blank goes between, and
//! in the end the scanner is asked; if it takes the whole for something else, nothing is kept.

use crate::grammar::TerminalId;
use crate::scanner::{Scanned, Scanner};
use crate::text::unparser::Unparser;
use crate::text::writer::NoText;

/// What may be put between two tokens, the best first; and between two words, of which not every scanner that is written by
/// hand takes `12from` for two.
const BETWEEN: [&[u8]; 4] = [b"", b" ", b"\n", b"\t"];
const BETWEEN_WORDS: [&[u8]; 4] = [b" ", b"\n", b"\t", b""];

fn between(before: &[u8], behind: &[u8]) -> &'static [&'static [u8]; 4] {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match is_word(before.last()) && is_word(behind.first()) {
        true => &BETWEEN_WORDS,
        false => &BETWEEN,
    }
}

/// A text, and how many of its tokens are those of the other input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preserved {
    pub text: Vec<u8>,
    pub n_first: usize,
    pub n_last: usize,
}

/// The text of a sentence, with as much of another input as goes with it.
pub fn unparse_preserving(
    unparser: &mut Unparser,
    scanner: &Scanner,
    sentence: &[TerminalId],
    previous: &[u8],
) -> Result<Preserved, NoText> {
    let scanned = scanner.scan(previous).unwrap_or_default();
    let is_same = |(piece, terminal): &(&Scanned, &TerminalId)| piece.terminals.contains(terminal);
    let n_first = scanned.iter().zip(sentence).take_while(is_same).count();
    let n_last = scanned.iter().rev().zip(sentence.iter().rev()).take_while(is_same).count();
    let n_last = n_last.min(sentence.len() - n_first).min(scanned.len() - n_first);
    if scanned.is_empty() {
        return unparser.shortest(sentence).map(|template| Preserved { text: template.bytes, n_first, n_last });
    }
    let kept = Preserver { scanner, sentence, previous, scanned: &scanned }.text(unparser, n_first, n_last);
    match kept {
        Some(text) => Ok(Preserved { text, n_first, n_last }),
        None => unparser.shortest(sentence).map(|template| Preserved { text: template.bytes, n_first: 0, n_last: 0 }),
    }
}

struct Preserver<'k> {
    scanner: &'k Scanner,
    sentence: &'k [TerminalId],
    previous: &'k [u8],
    scanned: &'k [Scanned],
}

impl Preserver<'_> {
    fn text(&self, unparser: &mut Unparser, n_first: usize, n_last: usize) -> Option<Vec<u8>> {
        if n_first == self.sentence.len() && n_first == self.scanned.len() {
            return Some(self.previous.to_vec());
        }
        let end_of_first = n_first.checked_sub(1).map_or(0, |at| self.scanned[at].span.end);
        let mut text = self.previous[..end_of_first].to_vec();
        let end = self.sentence.len() - n_last;
        let mut others = self.scanned[n_first..self.scanned.len() - n_last].iter();
        for at in n_first..end {
            let terminal = self.sentence[at];
            let own = others.clone().position(|piece| piece.terminals.contains(&terminal));
            let token = match own {
                Some(place) => {
                    let piece = others.nth(place)?;
                    self.previous[piece.span.start..piece.span.end].to_vec()
                }
                None => unparser.example(terminal)?,
            };
            self.join(&mut text, &token, at + 1)?;
        }
        if n_last == 0 {
            // What stands behind the last token, a newline most often.
            let behind = self.scanned.last().map_or(0, |piece| piece.span.end);
            return self.finish(text, &self.previous[behind..]);
        }
        let begin = self.scanned[self.scanned.len() - n_last].span.start;
        // With what stood before it, if that does.
        let gap_from = self.scanned.len().checked_sub(n_last + 1).map_or(0, |at| self.scanned[at].span.end);
        let with_gap = Some(&self.previous[gap_from..]).filter(|_| gap_from < begin);
        let with_gap = with_gap.and_then(|behind| self.finish(text.clone(), behind));
        with_gap.or_else(|| self.joined(&text, &self.previous[begin..], self.sentence.len()))
    }

    /// Adds the text of a token, with something before it if need be.
    fn join(&self, text: &mut Vec<u8>, token: &[u8], n_tokens: usize) -> Option<()> {
        *text = self.joined(text, token, n_tokens)?;
        Some(())
    }

    fn joined(&self, text: &[u8], behind: &[u8], n_tokens: usize) -> Option<Vec<u8>> {
        let mut joined = between(text, behind).iter().map(|between| [text, between, behind].concat());
        joined.find(|text| self.is_right(text, n_tokens))
    }

    /// With what stands at the end, if the whole is right so.
    fn finish(&self, text: Vec<u8>, behind: &[u8]) -> Option<Vec<u8>> {
        let whole = [&text[..], behind].concat();
        [whole, text].into_iter().find(|text| self.is_right(text, self.sentence.len()))
    }

    /// Whether the scanner takes a text as the first tokens of the sentence.
    fn is_right(&self, text: &[u8], n_tokens: usize) -> bool {
        let Ok(scanned) = self.scanner.scan(text) else { return false };
        scanned.len() == n_tokens
            && scanned.iter().zip(self.sentence).all(|(piece, terminal)| piece.terminals.contains(terminal))
    }
}
