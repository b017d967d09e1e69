//! Mutants of a test that are to come to the same place as the test does: changes where they may be.
//!
//! Somebody who runs mutants of a test has found out which of its bytes decide whether a run comes there ([`Leeway`]). The
//! others are changed here: one by one, as words and numbers, as lines, as parts of other tests. Where a byte of the test
//! says how long the rest is, it stays true.

use std::ops::Range;

use libafl_bolts::rands::Rand;

use crate::text::{self, one_of, tokens, Class, Parts, Token};

/// What may be done at a byte: it may be another one of its class,
pub const CHANGE: u8 = 1;
/// something may be put in before it,
pub const INSERT: u8 = 2;
/// it may be left out.
pub const REMOVE: u8 = 4;
const ALL: u8 = CHANGE | INSERT | REMOVE;

/// At most so many changes of one mutant, as a power of two.
const STACK_POWER: usize = 2;
/// How often a mutant pays no heed to what may be done.
const BOLD: f64 = 0.2;
/// Attempts to make a change.
const N_ATTEMPTS: usize = 8;
/// Bytes that are put in or left out at once, where nobody knows words or lines.
const N_BYTES_MAX: usize = 4;
/// Bytes of a test that are put in once more, or into another one.
const CHUNK_MAX: usize = 32;
const N_LINES_MAX: usize = 6;
/// How often a byte before a change is taken for the length of what is changed, and how often one more.
const GUESS_LENGTH: f64 = 0.25;
const GUESS_OTHER_LENGTH: f64 = 0.4;
/// Where it is, at most so far before the change.
const NEAR: usize = 12;
/// Places at which a test is cut, to be joined with another one.
const N_CUTS: usize = 6;
/// Digits of a number that gets more of them.
const N_DIGITS_MAX: usize = 5;

/// What may be done to the bytes of a source without a run going elsewhere; as far as anybody knows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Leeway {
    /// Of each byte, and of the end.
    may: Vec<u8>,
    /// Where it is said how long the rest is.
    pub length_at: Option<usize>,
}

impl Leeway {
    /// Nothing may be done to so many bytes.
    pub fn none(len: usize) -> Leeway {
        Leeway { may: vec![0; len + 1], length_at: None }
    }

    /// Anything may be.
    pub fn all(len: usize) -> Leeway {
        Leeway { may: vec![ALL; len + 1], length_at: None }
    }

    pub fn allow(&mut self, at: usize, what: u8) {
        if let Some(may) = self.may.get_mut(at) {
            *may |= what;
        }
    }

    pub fn may(&self, at: usize, what: u8) -> bool {
        self.may.get(at).is_some_and(|may| may & what == what)
    }

    /// Whether something of so many bytes may stand in the place of some.
    fn may_replace(&self, range: &Range<usize>, n_bytes: usize) -> bool {
        let may = |what| range.clone().all(|at| self.may(at, what));
        match range.is_empty() {
            true => self.may(range.start, INSERT),
            false if n_bytes == 0 => may(REMOVE),
            false if n_bytes == range.len() => may(CHANGE),
            false => may(CHANGE) && (range.start..=range.end).any(|at| self.may(at, INSERT) || self.may(at, REMOVE)),
        }
    }

    /// Whether it speaks of so many bytes.
    pub fn is_of(&self, bytes: &[u8]) -> bool {
        self.may.len() == bytes.len() + 1
    }

    pub fn n_open(&self) -> usize {
        self.may.iter().filter(|&&may| may != 0).count()
    }
}

/// A test while it is changed.
pub struct Aimed {
    pub bytes: Vec<u8>,
    pub leeway: Leeway,
    len_max: usize,
    /// Anything may be done, so that two changes make up for each other.
    is_bold: bool,
}

impl Aimed {
    pub fn new(bytes: Vec<u8>, leeway: Leeway, len_max: usize, rand: &mut impl Rand) -> Aimed {
        Aimed { bytes, leeway, len_max, is_bold: rand.next_float() < BOLD }
    }

    /// Makes some changes; `other` is another test.
    pub fn mutate(&mut self, parts: &Parts, other: &[u8], rand: &mut impl Rand) {
        let n_changes = 1 << rand.below_or_zero(STACK_POWER + 1);
        let is_text = is_mostly_text(&self.bytes) || self.bytes.is_empty() && is_mostly_text(other);
        for _ in 0..n_changes {
            for _ in 0..N_ATTEMPTS {
                let changed = match is_text && rand.below_or_zero(8) > 0 {
                    true => self.change_text(parts, other, rand),
                    false => self.change_bytes(parts, other, rand),
                };
                if changed.is_some() {
                    break;
                }
            }
        }
    }

    fn change_bytes(&mut self, parts: &Parts, other: &[u8], rand: &mut impl Rand) -> Option<()> {
        let at = rand.below_or_zero(self.bytes.len() + 1);
        match rand.below_or_zero(12) {
            0..=4 => self.change_byte(at, rand),
            5 => {
                let n_bytes = 1 + rand.below_or_zero(N_BYTES_MAX);
                self.splice(at..(at + n_bytes).min(self.bytes.len()), b"", rand)
            }
            6 => {
                let piece: Vec<u8> =
                    (0..=rand.below_or_zero(N_BYTES_MAX)).map(|_| rand.below_or_zero(256) as u8).collect();
                self.splice(at..at, &piece, rand)
            }
            7 => {
                let piece = chunk(&self.bytes, rand).to_vec();
                self.splice(at..at, &piece, rand)
            }
            8 => self.splice(at..at, chunk(other, rand), rand),
            9 | 10 => self.join(other, rand),
            _ => {
                let word = parts.word(rand)?;
                let is_inserted = rand.below_or_zero(2) == 0;
                let end = if is_inserted { at } else { at + word.len() };
                self.splice(at..end, word, rand)
            }
        }
    }

    /// Puts another test before this one, or behind it.
    fn join(&mut self, other: &[u8], rand: &mut impl Rand) -> Option<()> {
        let at = if rand.below_or_zero(2) == 0 { 0 } else { self.bytes.len() };
        self.splice_anyway(at..at, other, rand)
    }

    fn change_byte(&mut self, at: usize, rand: &mut impl Rand) -> Option<()> {
        let old = *self.bytes.get(at).filter(|_| self.is_bold || self.leeway.may(at, CHANGE))?;
        let new = match rand.below_or_zero(6) {
            0 | 1 => of_same_class(old, rand),
            2 => rand.below_or_zero(256) as u8,
            3 => old.wrapping_add(1 + rand.below_or_zero(4) as u8),
            4 => old.wrapping_sub(1 + rand.below_or_zero(4) as u8),
            _ => self.bytes[rand.below_or_zero(self.bytes.len())],
        };
        self.bytes[at] = new;
        (new != old).then_some(())
    }

    fn change_text(&mut self, parts: &Parts, other: &[u8], rand: &mut impl Rand) -> Option<()> {
        match rand.below_or_zero(20) {
            0..=2 => self.replace_token(parts, other, rand),
            3 => self.swap_tokens(rand),
            4 => self.insert_word(parts, other, rand),
            5 | 6 => self.remove_token(rand),
            7 => self.copy_tokens(rand),
            8 | 9 => self.pad_number(rand),
            10 | 11 => {
                let lines = lines(other);
                self.put_line(&other[one_of(&lines, rand)?.clone()], rand)
            }
            12 => {
                let lines = lines(&self.bytes);
                let line = self.bytes[one_of(&lines, rand)?.clone()].to_vec();
                self.put_line(&line, rand)
            }
            13 => {
                let lines = some_lines(other, rand)?;
                let place = self.line_start(rand);
                self.put_lines(place, &other[lines], rand)
            }
            14 | 15 => {
                let place = if rand.below_or_zero(2) == 0 { 0 } else { self.line_start(rand) };
                self.put_lines(place, other, rand)
            }
            16 => self.replace_line(other, rand),
            17 => {
                let lines = some_lines(&self.bytes, rand)?;
                self.splice(lines, b"", rand)
            }
            _ => self.exchange_lines(rand),
        }
    }

    fn one_token(&self, rand: &mut impl Rand) -> Option<Token> {
        let tokens: Vec<Token> = tokens(&self.bytes).into_iter().filter(|token| !token.class.is_space()).collect();
        one_of(&tokens, rand).copied()
    }

    fn replace_token(&mut self, parts: &Parts, other: &[u8], rand: &mut impl Rand) -> Option<()> {
        let token = self.one_token(rand)?;
        let piece = match rand.below_or_zero(4) {
            0 => parts.word(rand)?,
            1 => parts.token(token.class, rand)?,
            _ => {
                let others = tokens(other);
                let alike: Vec<&Token> = others.iter().filter(|it| it.class == token.class).collect();
                let chosen = one_of(&alike, rand)?;
                &other[chosen.start..chosen.end]
            }
        };
        self.splice(token.start..token.end, piece, rand)
    }

    /// Two tokens change places: there are as many of them as before.
    fn swap_tokens(&mut self, rand: &mut impl Rand) -> Option<()> {
        let (one, other) = (self.one_token(rand)?, self.one_token(rand)?);
        let (first, second) = if one.start < other.start { (one, other) } else { (other, one) };
        if first.end > second.start || self.leeway.length_at.is_some_and(|at| (first.start..second.end).contains(&at)) {
            return None;
        }
        let bytes = &self.bytes;
        let between = &bytes[first.end..second.start];
        let swapped = [&bytes[second.start..second.end], between, &bytes[first.start..first.end]].concat();
        let may = &self.leeway.may;
        let leeway =
            [&may[second.start..second.end], &may[first.end..second.start], &may[first.start..first.end]].concat();
        self.bytes.splice(first.start..second.end, swapped);
        self.leeway.may.splice(first.start..second.end, leeway);
        Some(())
    }

    fn insert_word(&mut self, parts: &Parts, other: &[u8], rand: &mut impl Rand) -> Option<()> {
        let tokens = tokens(&self.bytes);
        let at =
            one_of(&tokens, rand).map_or(0, |token| if rand.below_or_zero(2) == 0 { token.start } else { token.end });
        let word = match rand.below_or_zero(2) {
            0 => parts.word(rand)?,
            _ => {
                let others: Vec<Token> = text::tokens(other);
                let chosen = one_of(&others, rand)?;
                &other[chosen.start..chosen.end]
            }
        };
        let mut piece = Vec::new();
        let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
        if at > 0 && is_word(self.bytes.get(at - 1)) && is_word(word.first()) {
            piece.push(b' ');
        }
        piece.extend_from_slice(word);
        if is_word(self.bytes.get(at)) && is_word(word.last()) {
            piece.push(b' ');
        }
        self.splice(at..at, &piece, rand)
    }

    fn remove_token(&mut self, rand: &mut impl Rand) -> Option<()> {
        let token = self.one_token(rand)?;
        let is_blank = |at: usize| self.bytes.get(at).is_some_and(|&byte| byte == b' ');
        let end = if is_blank(token.end) { token.end + 1 } else { token.end };
        self.splice(token.start..end, b"", rand)
    }

    /// Puts a few tokens in once more, where they stand or elsewhere.
    fn copy_tokens(&mut self, rand: &mut impl Rand) -> Option<()> {
        let tokens = tokens(&self.bytes);
        let first = rand.below_or_zero(tokens.len());
        let last = (first + rand.below_or_zero(6)).min(tokens.len().checked_sub(1)?);
        let piece = self.bytes[tokens[first].start..tokens[last].end].to_vec();
        let at = if rand.below_or_zero(2) == 0 { tokens[last].end } else { one_of(&tokens, rand)?.start };
        self.splice(at..at, &piece, rand)
    }

    /// Gives a number more digits, which a solver may then choose.
    fn pad_number(&mut self, rand: &mut impl Rand) -> Option<()> {
        let tokens = tokens(&self.bytes);
        let is_short = |token: &&Token| token.class == Class::Number && token.end - token.start < N_DIGITS_MAX;
        let numbers: Vec<Token> = tokens.iter().filter(is_short).copied().collect();
        let number = one_of(&numbers, rand)?;
        let n_more = 1 + rand.below_or_zero(N_DIGITS_MAX - (number.end - number.start));
        let digits: Vec<u8> = (0..n_more).map(|_| b"0123456789"[rand.below_or_zero(10)]).collect();
        let digits = if rand.below_or_zero(2) == 0 { vec![b'0'; n_more] } else { digits };
        self.splice(number.start..number.start, &digits, rand)
    }

    /// Where a line begins, or where the text ends.
    fn line_start(&self, rand: &mut impl Rand) -> usize {
        let lines = lines(&self.bytes);
        lines.get(rand.below_or_zero(lines.len() + 1)).map_or(self.bytes.len(), |line| line.start)
    }

    fn put_line(&mut self, line: &[u8], rand: &mut impl Rand) -> Option<()> {
        let at = self.line_start(rand);
        self.put_lines(at, line, rand)
    }

    fn put_lines(&mut self, at: usize, lines: &[u8], rand: &mut impl Rand) -> Option<()> {
        let mut piece = Vec::new();
        if at > 0 && self.bytes[at - 1] != b'\n' {
            piece.push(b'\n');
        }
        piece.extend_from_slice(lines);
        if piece.last() != Some(&b'\n') {
            piece.push(b'\n');
        }
        // What may be put into a line says nothing of whole ones.
        self.splice_anyway(at..at, &piece, rand)
    }

    fn replace_line(&mut self, other: &[u8], rand: &mut impl Rand) -> Option<()> {
        let lines = lines(&self.bytes);
        let line = one_of(&lines, rand)?.clone();
        let other = if rand.below_or_zero(2) == 0 { other.to_vec() } else { self.bytes.clone() };
        let piece = other[one_of(&self::lines(&other), rand)?.clone()].trim_ascii_end();
        let end = if self.bytes[line.clone()].ends_with(b"\n") { line.end - 1 } else { line.end };
        // A line that can go, and another one put in.
        let can_go = line.clone().all(|at| self.leeway.may(at, REMOVE)) && self.leeway.may(line.start, INSERT);
        match can_go {
            true => self.splice_anyway(line.start..end, piece, rand),
            false => self.splice(line.start..end, piece, rand),
        }
    }

    /// Moves some lines elsewhere.
    fn exchange_lines(&mut self, rand: &mut impl Rand) -> Option<()> {
        let range = some_lines(&self.bytes, rand)?;
        let moves_length = self.leeway.length_at.is_some();
        if moves_length || range.len() == self.bytes.len() || !range.clone().all(|at| self.leeway.may(at, REMOVE)) {
            return None;
        }
        let mut moved = self.bytes[range.clone()].to_vec();
        let mut may: Vec<u8> = self.leeway.may[range.clone()].to_vec();
        if moved.last() != Some(&b'\n') {
            moved.push(b'\n');
            may.push(ALL);
        }
        let starts: Vec<usize> = lines(&self.bytes).iter().map(|line| line.start).chain([self.bytes.len()]).collect();
        let starts: Vec<usize> = starts.into_iter().filter(|at| !range.contains(at) && *at != range.end).collect();
        let at = *one_of(&starts, rand)?;
        let is_split = at == self.bytes.len() && self.bytes.last() != Some(&b'\n');
        if is_split || !self.leeway.may(at, INSERT) {
            return None;
        }
        // The later of the two first.
        let mut put = |aimed: &mut Aimed| {
            aimed.bytes.splice(at..at, moved.iter().copied());
            aimed.leeway.may.splice(at..at, may.drain(..));
        };
        if at >= range.end {
            put(self);
        }
        self.bytes.drain(range.clone());
        self.leeway.may.drain(range.clone());
        if at < range.end {
            put(self);
        }
        Some(())
    }

    /// Puts something in the place of some bytes, if that may be; lengths stay true.
    fn splice(&mut self, range: Range<usize>, piece: &[u8], rand: &mut impl Rand) -> Option<()> {
        let is_nothing = range.is_empty() && piece.is_empty();
        let may = self.is_bold || self.leeway.may_replace(&range, piece.len());
        if range.end > self.bytes.len() || is_nothing || !may {
            return None;
        }
        self.splice_anyway(range, piece, rand)
    }

    fn splice_anyway(&mut self, range: Range<usize>, piece: &[u8], rand: &mut impl Rand) -> Option<()> {
        let delta = piece.len() as i64 - range.len() as i64;
        let is_length = self.leeway.length_at.is_some_and(|at| range.start <= at);
        if is_length
            || self.bytes.len() - range.len() + piece.len() > self.len_max
            || self.bytes[range.clone()] == *piece
        {
            return None;
        }
        self.bytes.splice(range.clone(), piece.iter().copied());
        self.leeway.may.splice(range.clone(), std::iter::repeat_n(ALL, piece.len()));
        if delta != 0 {
            self.mend_lengths(range.start, delta, rand);
        }
        Some(())
    }

    /// Something grew by so many bytes: so does what says how long it is.
    fn mend_lengths(&mut self, place: usize, delta: i64, rand: &mut impl Rand) {
        if let Some(at) = self.leeway.length_at {
            let (start, n_more) = add_to_length(&mut self.bytes, at, delta);
            self.leeway.length_at = Some(start);
            let n_old = (-n_more).max(0) as usize;
            self.leeway.may.splice(start..start + n_old, std::iter::repeat_n(0, n_more.max(0) as usize));
        }
        if is_mostly_text(&self.bytes) {
            return;
        }
        let mut share = GUESS_LENGTH;
        while rand.next_float() < share {
            let near = place.saturating_sub(NEAR)..place.min(self.bytes.len());
            let is_length = |at: &usize| {
                let value = self.bytes[*at] as usize;
                value > 0 && value <= self.bytes.len() && Some(*at) != self.leeway.length_at
            };
            let lengths: Vec<usize> = near.filter(is_length).collect();
            let Some(&at) = one_of(&lengths, rand) else { return };
            let sum = i64::from(self.bytes[at]) + delta;
            self.bytes[at] = u8::try_from(sum).unwrap_or(self.bytes[at]);
            share = GUESS_OTHER_LENGTH;
        }
    }
}

/// One text behind beginnings of another one, and before its ends: where lines do, if it has any.
pub fn joins(own: &[u8], other: &[u8], rand: &mut impl Rand) -> Vec<Vec<u8>> {
    let lines = lines(other);
    let places: Vec<usize> = match lines.len() {
        0 => Vec::new(),
        1 => (0..N_CUTS).map(|_| rand.below_or_zero(other.len())).collect(),
        _ => lines[1..].iter().map(|line| line.start).collect(),
    };
    let mut cuts: Vec<usize> = match places.len() > N_CUTS {
        true => (0..N_CUTS).map(|_| places[rand.below_or_zero(places.len())]).collect(),
        false => places,
    };
    cuts.sort_unstable();
    cuts.dedup();
    let has_lines = lines.len() > 1 || own.contains(&b'\n');
    let joined = |first: &[u8], second: &[u8]| {
        let is_cut = has_lines && first.last().is_some_and(|&last| last != b'\n');
        [first, if is_cut { b"\n" } else { b"" }, second].concat()
    };
    let begun = cuts.iter().copied().chain([other.len()]).map(|cut| joined(&other[..cut], own));
    begun.chain([0].into_iter().chain(cuts.iter().copied()).map(|cut| joined(own, &other[cut..]))).collect()
}

/// Adds to a length that is one byte, or a decimal number in text; where that begins, and by how many digits it grew.
pub fn add_to_length(bytes: &mut Vec<u8>, at: usize, delta: i64) -> (usize, i64) {
    let is_digit = |at: usize, bytes: &[u8]| bytes.get(at).is_some_and(u8::is_ascii_digit);
    if !is_digit(at, bytes) {
        let sum = i64::from(bytes[at]) + delta;
        bytes[at] = u8::try_from(sum).unwrap_or(bytes[at]);
        return (at, 0);
    }
    let start = (0..=at).rev().take_while(|&at| is_digit(at, bytes)).last().unwrap_or(at);
    let end = (at..bytes.len()).take_while(|&at| is_digit(at, bytes)).last().map_or(at, |last| last + 1);
    let text = String::from_utf8_lossy(&bytes[start..end]).into_owned();
    let Some(sum) = text.parse::<i64>().ok().and_then(|number| number.checked_add(delta)).filter(|&sum| sum >= 0)
    else {
        return (start, 0);
    };
    let new = match text.starts_with('0') && text.len() > 1 {
        true => format!("{sum:0width$}", width = text.len()),
        false => sum.to_string(),
    };
    let n_more = new.len() as i64 - text.len() as i64;
    bytes.splice(start..end, new.into_bytes());
    (start, n_more)
}

/// Another byte of the same kind: a digit for a digit, a letter for a letter.
pub fn of_same_class(byte: u8, rand: &mut impl Rand) -> u8 {
    let below = |n: usize, rand: &mut dyn FnMut(usize) -> usize| rand(n) as u8;
    let mut pick = |n: usize| rand.below_or_zero(n);
    match byte {
        b'0'..=b'9' => b'0' + below(10, &mut pick),
        b'a'..=b'z' => b'a' + below(26, &mut pick),
        b'A'..=b'Z' => b'A' + below(26, &mut pick),
        b' ' | b'\t' => b" \t"[pick(2)],
        33..=126 => 33 + below(94, &mut pick),
        _ => below(256, &mut pick),
    }
}

/// Whether at least two of three bytes are text: there may be a header before it.
pub fn is_mostly_text(bytes: &[u8]) -> bool {
    let n_text = bytes.iter().filter(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()).count();
    !bytes.is_empty() && n_text * 3 >= bytes.len() * 2
}

/// A few bytes that stand together.
fn chunk<'a>(bytes: &'a [u8], rand: &mut impl Rand) -> &'a [u8] {
    let start = rand.below_or_zero(bytes.len());
    let n_bytes = 1 + rand.below_or_zero(CHUNK_MAX);
    &bytes[start..(start + n_bytes).min(bytes.len())]
}

/// Lines as ranges of bytes, each with its end.
pub fn lines(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let ends = (0..bytes.len()).filter(|&at| bytes[at] == b'\n').map(|at| at + 1);
    let ends = ends.chain((bytes.last() != Some(&b'\n')).then_some(bytes.len()));
    ends.map(|end| std::mem::replace(&mut start, end)..end).filter(|line| !line.is_empty()).collect()
}

/// A few lines that stand together.
fn some_lines(bytes: &[u8], rand: &mut impl Rand) -> Option<Range<usize>> {
    let lines = lines(bytes);
    let first = rand.below_or_zero(lines.len());
    let last = (first + rand.below_or_zero(N_LINES_MAX)).min(lines.len().checked_sub(1)?);
    Some(lines[first].start..lines[last].end)
}

#[cfg(test)]
mod unit_tests {
    use super::*;
    use libafl_bolts::rands::StdRand;

    fn aimed(text: &[u8], leeway: Leeway) -> Aimed {
        Aimed { bytes: text.to_vec(), leeway, len_max: 200, is_bold: false }
    }

    /// What must not change is there, if only elsewhere; everything is known of each byte.
    #[test]
    fn what_must_not_change_stays() {
        let (mut rand, parts) = (StdRand::with_seed(1), Parts::default());
        let text = b"[a]\nx=1\n[b]\ny=2\n";
        let (mut n_other, mut mutants) = (0, std::collections::BTreeSet::new());
        for _ in 0..2000 {
            let mut leeway = Leeway::none(text.len());
            (4..8).chain(12..16).for_each(|at| leeway.allow(at, ALL));
            leeway.allow(16, INSERT);
            let mut aimed = aimed(text, leeway);
            aimed.mutate(&parts, b"z=3\n", &mut rand);
            assert_eq!(aimed.leeway.may.len(), aimed.bytes.len() + 1);
            let kept = (0..aimed.bytes.len()).filter(|&at| aimed.leeway.may[at] == 0).map(|at| aimed.bytes[at]);
            let mut kept: Vec<u8> = kept.collect();
            kept.sort_unstable();
            assert_eq!(kept, b"\n\n[[]]ab", "{}", String::from_utf8_lossy(&aimed.bytes));
            n_other += usize::from(aimed.bytes != text);
            mutants.insert(aimed.bytes);
        }
        assert!(n_other > 1500 && mutants.len() > 500, "{n_other} changed, {} of them differ", mutants.len());
    }

    #[test]
    fn a_bold_mutant_pays_no_heed() {
        let (mut rand, parts) = (StdRand::with_seed(5), Parts::default());
        let mut mutate = |is_bold: bool| {
            let mut aimed = Aimed { is_bold, ..aimed(b"abcdef", Leeway::none(6)) };
            aimed.mutate(&parts, b"", &mut rand);
            // Whole lines may stand before it and behind it in any case.
            aimed.bytes.windows(6).any(|part| part == b"abcdef")
        };
        assert!((0..500).all(|_| mutate(false)));
        assert!((0..500).any(|_| !mutate(true)));
    }

    #[test]
    fn tests_are_joined_where_lines_end() {
        let mut rand = StdRand::with_seed(6);
        let joined: Vec<String> =
            joins(b"q", b"a\nb\n", &mut rand).into_iter().map(|bytes| String::from_utf8(bytes).unwrap()).collect();
        assert_eq!(joined, ["a\nq", "a\nb\nq", "q\na\nb\n", "q\nb\n"]);
        let binary = joins(b"\x01", b"\x02\x03", &mut rand);
        assert!(binary.contains(&vec![2, 3, 1]) && binary.contains(&vec![1, 2, 3]), "{binary:?}");
    }

    #[test]
    fn lengths_stay_true() {
        let (mut rand, parts) = (StdRand::with_seed(3), Parts::default());
        let text = b"\x05hello";
        let mut n_other = 0;
        for _ in 0..2000 {
            let mut leeway = Leeway::all(text.len());
            leeway.may[0] = 0;
            leeway.length_at = Some(0);
            let mut aimed = aimed(text, leeway);
            aimed.mutate(&parts, b"", &mut rand);
            assert_eq!(aimed.bytes[0] as usize, aimed.bytes.len() - 1, "{:?}", aimed.bytes);
            n_other += usize::from(aimed.bytes.len() != text.len());
        }
        assert!(n_other > 300, "{n_other}");
    }

    #[test]
    fn lengths_in_digits_grow() {
        let check = |text: &[u8], at, delta, expected: (&[u8], i64)| {
            let mut bytes = text.to_vec();
            let (_, n_more) = add_to_length(&mut bytes, at, delta);
            assert_eq!((&bytes[..], n_more), expected);
        };
        check(b"9:x", 0, 1, (b"10:x", 1));
        check(b"a 010;", 3, -2, (b"a 008;", 0));
        check(b"a 10;", 2, -2, (b"a 8;", -1));
        check(b"0", 0, -1, (b"0", 0));
        check(b"\xff", 0, 1, (b"\xff", 0));
    }

    #[test]
    fn numbers_get_digits() {
        let mut rand = StdRand::with_seed(4);
        let mut made = std::collections::BTreeSet::new();
        for _ in 0..500 {
            let mut aimed = aimed(b"a 7 b", Leeway::all(5));
            if aimed.pad_number(&mut rand).is_some() {
                made.insert(String::from_utf8(aimed.bytes).unwrap());
            }
        }
        assert!(made.contains("a 0007 b") && made.iter().all(|text| text.ends_with("7 b")), "{made:?}");
    }
}
