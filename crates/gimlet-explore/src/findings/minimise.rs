//! Makes an input smaller, and then simpler, as long as it does the same.
//!
//! Delta debugging after Zeller and Hildebrandt: leave out blocks, from all to one unit, from the end to the beginning,
//! where the units are lines first, then tokens, then bytes; many programs read lines and tokens, so that large steps
//! succeed there that no cut at other places would. Then pairs of brackets go, and bytes become `0`, `a` or a space: all of
//! one value at once, blocks that are halved, single ones. All of it again until nothing changes: the result has no byte that could be left out by
//! itself. The cost is O(n log n) runs a round if nothing succeeds at all, and few for inputs of which little matters.
//!
//! Nothing here is left to chance or, without a deadline, to the clock.

use std::time::Instant;

use gimlet_exec::ExecError;
use gimlet_trace::{Input, SourceKind};
use rustc_hash::FxHashSet;

use crate::corpus::content;
use crate::findings::witness::Witness;

/// Why it ended.
#[derive(Debug)]
pub enum End {
    /// No single change is left that would succeed.
    Complete,
    Budget,
    Interrupted,
    /// What was reached until then is good.
    Failed(ExecError),
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The best so far.
    pub input: &'a Input,
    pub n_runs: u64,
}

/// What came of it.
#[derive(Debug)]
pub struct Minimised {
    pub input: Input,
    pub n_runs: u64,
    pub end: End,
}

/// Makes sources of an input smaller, given by their numbers; those that are not there stay as they are.
pub fn minimise(
    input: Input,
    sources: &[usize],
    deadline: Option<Instant>,
    witness: &mut Witness,
    watch: &mut dyn FnMut(Progress),
) -> Minimised {
    minimise_with(input, sources, deadline, &mut |input| witness.agrees(input), watch)
}

/// Asks whether an input does the same.
type Question<'a> = &'a mut dyn FnMut(&Input) -> Result<bool, ExecError>;

fn minimise_with(
    input: Input,
    sources: &[usize],
    deadline: Option<Instant>,
    agrees: Question,
    watch: &mut dyn FnMut(Progress),
) -> Minimised {
    let mut search = Search { input, deadline, agrees, watch, failed: FxHashSet::default(), n_runs: 0 };
    let end = search.work(sources).err().unwrap_or(End::Complete);
    Minimised { input: search.input, n_runs: search.n_runs, end }
}

struct Search<'a> {
    /// The best so far.
    input: Input,
    deadline: Option<Instant>,
    agrees: Question<'a>,
    watch: &'a mut dyn FnMut(Progress),
    /// Inputs that did something else.
    failed: FxHashSet<u128>,
    n_runs: u64,
}

impl Search<'_> {
    fn work(&mut self, sources: &[usize]) -> Result<(), End> {
        loop {
            let before = content(&self.input);
            for units in [lines, tokens, bytes] {
                for source in self.resizable(sources) {
                    self.leave_out(source, units)?;
                }
            }
            for source in self.resizable(sources) {
                self.unwrap(source)?;
            }
            for &source in sources {
                self.simplify_values(source)?;
                self.simplify(source, 0, self.bytes(source).len())?;
            }
            if content(&self.input) == before {
                return Ok(());
            }
        }
    }

    /// Those that may have fewer bytes: of memory that the program makes symbolic, the program says how many there are.
    fn resizable(&self, sources: &[usize]) -> Vec<usize> {
        sources.iter().copied().filter(|&source| self.input.sources[source].kind != SourceKind::Named).collect()
    }

    fn bytes(&self, source: usize) -> &[u8] {
        &self.input.sources[source].bytes
    }

    /// Gives a source other bytes, if that makes no difference.
    fn attempt(&mut self, source: usize, bytes: Vec<u8>) -> Result<bool, End> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(End::Budget);
        }
        let old = std::mem::replace(&mut self.input.sources[source].bytes, bytes);
        let id = content(&self.input);
        let agrees = if self.failed.contains(&id) {
            Ok(false)
        } else {
            self.n_runs += 1;
            (self.agrees)(&self.input)
        };
        if !matches!(agrees, Ok(true)) {
            self.input.sources[source].bytes = old;
        }
        (self.watch)(Progress { input: &self.input, n_runs: self.n_runs });
        match agrees {
            Ok(agrees) => {
                if !agrees {
                    self.failed.insert(id);
                }
                Ok(agrees)
            }
            Err(ExecError::Interrupted) => Err(End::Interrupted),
            Err(error) => Err(End::Failed(error)),
        }
    }

    /// Leaves out blocks of units, large ones first.
    fn leave_out(&mut self, source: usize, units: fn(&[u8]) -> Vec<usize>) -> Result<(), End> {
        let mut lens = units(self.bytes(source));
        let mut n_left_out = lens.len();
        while n_left_out > 0 {
            let mut end = lens.len();
            let mut end_byte = self.bytes(source).len();
            while end > 0 {
                let start = end.saturating_sub(n_left_out);
                let start_byte = end_byte - lens[start..end].iter().sum::<usize>();
                let bytes = self.bytes(source);
                let rest = [&bytes[..start_byte], &bytes[end_byte..]].concat();
                if self.attempt(source, rest)? {
                    lens.drain(start..end);
                }
                (end, end_byte) = (start, start_byte);
            }
            n_left_out = if n_left_out == 1 { 0 } else { n_left_out.div_ceil(2) };
        }
        Ok(())
    }

    /// Leaves out pairs of brackets and keeps what is between them; no block has both and nothing else.
    fn unwrap(&mut self, source: usize) -> Result<(), End> {
        let mut at = 0;
        while at < self.bytes(source).len() {
            let bytes = self.bytes(source);
            let is_gone = match partner(bytes, at) {
                Some(end) => {
                    let rest = [&bytes[..at], &bytes[at + 1..end], &bytes[end + 1..]].concat();
                    self.attempt(source, rest)?
                }
                None => false,
            };
            at += usize::from(!is_gone);
        }
        Ok(())
    }

    /// Replaces all bytes of one value, for each value.
    fn simplify_values(&mut self, source: usize) -> Result<(), End> {
        for value in 0..=u8::MAX {
            for &simpler in simpler(value) {
                if !self.bytes(source).contains(&value) {
                    break;
                }
                let replace = |&byte: &u8| if byte == value { simpler } else { byte };
                self.attempt(source, self.bytes(source).iter().map(replace).collect())?;
            }
        }
        Ok(())
    }

    /// Replaces the bytes of a block, or of its halves.
    fn simplify(&mut self, source: usize, start: usize, end: usize) -> Result<(), End> {
        let block = &self.bytes(source)[start..end];
        let replaced: Vec<u8> = block.iter().map(|&byte| simpler(byte).first().copied().unwrap_or(byte)).collect();
        if replaced == block {
            return Ok(());
        }
        if let [byte] = *block {
            for &simpler in simpler(byte) {
                if self.attempt(source, with(self.bytes(source), start, &[simpler]))? {
                    break;
                }
            }
            return Ok(());
        }
        if self.attempt(source, with(self.bytes(source), start, &replaced))? {
            return Ok(());
        }
        let middle = start + (end - start) / 2;
        self.simplify(source, start, middle)?;
        self.simplify(source, middle, end)
    }
}

/// Bytes with others at some place.
fn with(bytes: &[u8], at: usize, others: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + others.len()].copy_from_slice(others);
    bytes
}

/// The bracket that closes the one here, if this is one that opens.
fn partner(bytes: &[u8], at: usize) -> Option<usize> {
    let open = bytes[at];
    let close = match open {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        _ => return None,
    };
    let mut depth = 0;
    bytes[at..]
        .iter()
        .position(|&byte| {
            depth += i32::from(byte == open) - i32::from(byte == close);
            depth == 0
        })
        .map(|offset| at + offset)
}

/// What a byte may become, the likeliest first; what it becomes stays what it is.
fn simpler(byte: u8) -> &'static [u8] {
    match byte {
        b'0' | b'a' | b' ' => b"",
        b'1'..=b'9' => b"0",
        b'b'..=b'z' | b'A'..=b'Z' => b"a0",
        _ => b" 0a",
    }
}

/// Lengths of the lines.
fn lines(bytes: &[u8]) -> Vec<usize> {
    bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::len).collect()
}

/// Lengths of words, numbers, runs of white space, and other bytes each.
fn tokens(bytes: &[u8]) -> Vec<usize> {
    let class = |byte: u8| match byte {
        b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => 1,
        b' ' | b'\t'..=b'\r' => 2,
        _ => 0,
    };
    bytes.chunk_by(|&one, &next| class(one) != 0 && class(one) == class(next)).map(<[u8]>::len).collect()
}

fn bytes(bytes: &[u8]) -> Vec<usize> {
    vec![1; bytes.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, agrees: impl Fn(&str) -> bool, expected: &str) {
        let mut agrees = |input: &Input| Ok(std::str::from_utf8(&input.sources[0].bytes).is_ok_and(&agrees));
        let minimised = minimise_with(Input::stdin(input), &[0], None, &mut agrees, &mut |_| {});
        assert!(matches!(minimised.end, End::Complete));
        assert_eq!(String::from_utf8_lossy(&minimised.input.sources[0].bytes), expected);
    }

    #[test]
    fn what_matters_stays() {
        check("one\ntwo\nthree\nfour\n", |text| text.contains("three"), "three");
        check("x = f(12, \"abc\");\n", |text| text.contains('(') && text.contains(')'), "()");
        check("anything", |_| true, "");
        check("", |_| true, "");
        check("as it is", |text| text == "as it is", "as it is");
    }

    #[test]
    fn bytes_become_simple() {
        let has_parts = |text: &str| text.len() == 8 && text.contains('+');
        check("Zq\t7+=#k", has_parts, "aa 0+  a");
        check("91827", |text| text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit()), "00000");
    }

    #[test]
    fn brackets_go_in_pairs() {
        let is_balanced = |text: &str| {
            let mut depth = 0;
            text.bytes().all(|byte| {
                depth += i32::from(byte == b'(') - i32::from(byte == b')');
                depth >= 0
            }) && depth == 0
                && text.contains('x')
        };
        check("((a)(b(x)))\n", is_balanced, "x");
    }

    #[test]
    fn the_best_so_far_is_kept() {
        let mut n_left = 10;
        let mut agrees = |input: &Input| {
            n_left -= 1;
            if n_left == 0 {
                return Err(ExecError::Interrupted);
            }
            Ok(input.sources[0].bytes.contains(&b'x'))
        };
        let input = Input::stdin("................x...............................");
        let minimised = minimise_with(input, &[0], None, &mut agrees, &mut |_| {});
        assert!(matches!(minimised.end, End::Interrupted));
        let bytes = &minimised.input.sources[0].bytes;
        assert!(bytes.contains(&b'x') && bytes.len() < 20, "{bytes:?}");
    }

    #[test]
    fn only_the_given_sources_change() {
        let mut input = Input::stdin("abc");
        input.push(gimlet_trace::SourceKind::Arg, "arg1", "def");
        let minimised = minimise_with(input, &[1], None, &mut |_| Ok(true), &mut |_| {});
        assert_eq!(minimised.input.sources[0].bytes, b"abc");
        assert!(minimised.input.sources[1].bytes.is_empty());
    }
}
