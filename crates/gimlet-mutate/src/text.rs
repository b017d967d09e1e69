//! Mutants of text: words, numbers, what brackets hold and whole lines are moved as one.
//!
//! A program that reads a language rejects most of what changes of single bytes make. What tests are made of in such a
//! language nobody says, but it can be seen: runs of letters, of digits and of signs are tokens, brackets come in pairs,
//! and what stands between blanks or brackets is a term that can stand elsewhere. LibAFL's token mutators work on a list
//! of numbers instead, and know neither brackets nor lines.

use std::ops::Range;

use libafl_bolts::rands::Rand;
use rustc_hash::FxHashSet;

/// Pieces of one kind that are remembered; later ones take the place of the first.
const N_PIECES: usize = 2048;
const TERM_LEN_MAX: usize = 64;
const LINE_LEN_MAX: usize = 160;
/// Tokens that are deleted or copied at once.
const N_TOKENS_MAX: usize = 6;
/// Signs that are one token if they stand together.
const SIGN_LEN_MAX: usize = 3;
/// At most so many changes of one mutant, as a power of two.
const STACK_POWER: usize = 3;
/// Of a hundred bytes so many have to be text.
const TEXT_PERCENT: usize = 90;

const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "-1",
    "10",
    "16",
    "100",
    "255",
    "0.5",
    ".1",
    "1e3",
    "0x1F",
    "65536",
    "2147483648",
    "-9223372036854775808",
    "99999999999999999999",
];

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Word,
    Number,
    /// Between quotation marks, in one line.
    Quoted,
    Sign,
    /// A comma or the like.
    Separator,
    Open,
    Close,
    Blank,
    Line,
}

impl Class {
    /// Kinds of which pieces are remembered by themselves.
    pub const KEPT: [Class; 5] = [Class::Word, Class::Number, Class::Quoted, Class::Sign, Class::Separator];

    const fn of(byte: u8) -> Class {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => Class::Word,
            b'0'..=b'9' => Class::Number,
            b'(' | b'[' | b'{' => Class::Open,
            b')' | b']' | b'}' => Class::Close,
            b',' | b';' => Class::Separator,
            b'\n' | b'\r' => Class::Line,
            b' ' | b'\t' | 0..=31 | 127 => Class::Blank,
            b'"' | b'\'' | b'`' => Class::Quoted,
            _ => Class::Sign,
        }
    }

    pub fn is_space(self) -> bool {
        matches!(self, Class::Blank | Class::Line)
    }
}

/// Of each byte: all of a text is divided anew for each change of it.
const CLASSES: [Class; 256] = {
    let mut classes = [Class::Sign; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = Class::of(byte as u8);
        byte += 1;
    }
    classes
};

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub start: usize,
    pub end: usize,
    pub class: Class,
}

/// Divides text into tokens.
pub fn tokens(bytes: &[u8]) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let mut class = CLASSES[bytes[start] as usize];
        let rest = &bytes[start..];
        let len = match class {
            Class::Word => run(rest, |byte| matches!(CLASSES[byte as usize], Class::Word | Class::Number)),
            Class::Number => {
                run(rest, |byte| matches!(CLASSES[byte as usize], Class::Word | Class::Number) || byte == b'.')
            }
            Class::Blank => run(rest, |byte| CLASSES[byte as usize] == Class::Blank),
            Class::Sign => run(&rest[..rest.len().min(SIGN_LEN_MAX)], |byte| CLASSES[byte as usize] == Class::Sign),
            Class::Quoted => match quoted_len(rest) {
                Some(len) => len,
                None => {
                    class = Class::Sign;
                    1
                }
            },
            _ => 1,
        };
        tokens.push(Token { start, end: start + len, class });
        start += len;
    }
    tokens
}

/// How many bytes at the beginning are of one kind.
fn run(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|&&byte| is_part(byte)).count()
}

/// How long a quoted text is that ends in its line.
fn quoted_len(bytes: &[u8]) -> Option<usize> {
    let mut is_escaped = false;
    for (at, &byte) in bytes.iter().enumerate().skip(1) {
        match byte {
            b'\n' => return None,
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            _ if byte == bytes[0] => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Text with its tokens.
struct Text<'a> {
    bytes: &'a [u8],
    tokens: Vec<Token>,
    /// For an opening bracket the token that closes it.
    partners: Vec<Option<usize>>,
}

impl<'a> Text<'a> {
    fn new(bytes: &'a [u8]) -> Text<'a> {
        let tokens = tokens(bytes);
        let mut partners = vec![None; tokens.len()];
        let mut open = Vec::new();
        for (number, token) in tokens.iter().enumerate() {
            match token.class {
                Class::Open => open.push(number),
                Class::Close => {
                    if let Some(opening) = open.pop() {
                        partners[opening] = Some(number);
                    }
                }
                _ => {}
            }
        }
        Text { bytes, tokens, partners }
    }

    /// Numbers of the tokens that some condition holds for.
    fn all(&self, is_meant: impl Fn(&Token) -> bool) -> Vec<usize> {
        (0..self.tokens.len()).filter(|&number| is_meant(&self.tokens[number])).collect()
    }

    /// Where a token may be put: before one, or at the end.
    fn place(&self, number: usize) -> usize {
        self.tokens.get(number).map_or(self.bytes.len(), |token| token.start)
    }

    fn span(&self, tokens: Range<usize>) -> Range<usize> {
        self.place(tokens.start)..self.place(tokens.end)
    }

    /// The term that begins with a token: a word, a number, something in brackets, a word with brackets behind it.
    fn term(&self, first: usize) -> Option<Range<usize>> {
        let mut next = match self.tokens[first].class {
            Class::Word | Class::Number | Class::Quoted => first + 1,
            Class::Open => self.partners[first]? + 1,
            _ => return None,
        };
        while let Some(partner) = self.partners.get(next).copied().flatten() {
            next = partner + 1;
        }
        Some(first..next)
    }

    fn terms(&self) -> Vec<Range<usize>> {
        (0..self.tokens.len()).filter_map(|first| self.term(first)).collect()
    }

    /// Lines as ranges of bytes, each with its end.
    fn lines(&self) -> Vec<Range<usize>> {
        let mut start = 0;
        let ends = self.tokens.iter().filter(|token| token.class == Class::Line).map(|token| token.end);
        let ends = ends.chain((self.bytes.last() != Some(&b'\n')).then_some(self.bytes.len()));
        ends.map(|end| std::mem::replace(&mut start, end)..end).filter(|line| !line.is_empty()).collect()
    }
}

/// Some pieces of a kind, each once.
#[derive(Default)]
struct Pieces {
    known: FxHashSet<Vec<u8>>,
    all: Vec<Vec<u8>>,
    next: usize,
}

impl Pieces {
    fn add(&mut self, piece: &[u8]) {
        if piece.is_empty() || !self.known.insert(piece.to_vec()) {
            return;
        }
        if self.all.len() < N_PIECES {
            self.all.push(piece.to_vec());
            return;
        }
        let old = std::mem::replace(&mut self.all[self.next], piece.to_vec());
        self.known.remove(&old);
        self.next = (self.next + 1) % N_PIECES;
    }

    fn choose(&self, rand: &mut impl Rand) -> Option<&[u8]> {
        self.all.get(rand.below_or_zero(self.all.len())).map(Vec::as_slice)
    }
}

/// What tests were made of.
#[derive(Default)]
pub struct Parts {
    tokens: [Pieces; Class::KEPT.len()],
    terms: Pieces,
    lines: Pieces,
    /// Words that the user or the program has.
    words: Pieces,
}

/// What is done to a text.
#[derive(Clone, Copy, Debug)]
enum Change {
    ReplaceTerm,
    ReplaceToken,
    ReplaceByWord,
    InsertWord,
    InsertTerm,
    DeleteTokens,
    DeleteTerm,
    CopyTokens,
    SwapTerms,
    InsertLine,
    DeleteLine,
    CopyLine,
    Number,
    Wrap,
    Extend,
}

/// Each as often as it stands here.
const CHANGES: [Change; 22] = [
    Change::ReplaceTerm,
    Change::ReplaceTerm,
    Change::ReplaceTerm,
    Change::ReplaceToken,
    Change::ReplaceToken,
    Change::ReplaceByWord,
    Change::ReplaceByWord,
    Change::InsertWord,
    Change::InsertWord,
    Change::InsertTerm,
    Change::DeleteTokens,
    Change::DeleteTokens,
    Change::DeleteTerm,
    Change::CopyTokens,
    Change::SwapTerms,
    Change::InsertLine,
    Change::InsertLine,
    Change::DeleteLine,
    Change::CopyLine,
    Change::Number,
    Change::Wrap,
    Change::Extend,
];

/// Whether bytes are text.
pub fn is_text(bytes: &[u8]) -> bool {
    let n_text = bytes.iter().filter(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()).count();
    !bytes.is_empty() && n_text * 100 >= bytes.len() * TEXT_PERCENT
}

impl Parts {
    /// Takes in a word, whoever knows it.
    pub fn add_word(&mut self, word: &[u8]) {
        if is_text(word) {
            self.words.add(word);
        }
    }

    /// Takes in what a test is made of.
    pub fn learn(&mut self, bytes: &[u8]) {
        if !is_text(bytes) {
            return;
        }
        let text = Text::new(bytes);
        for token in text.tokens.iter().filter(|token| token.end - token.start <= TERM_LEN_MAX) {
            if let Some(kind) = Class::KEPT.iter().position(|&class| class == token.class) {
                self.tokens[kind].add(&bytes[token.start..token.end]);
            }
        }
        for term in text.terms().into_iter().map(|term| text.span(term)).filter(|term| term.len() <= TERM_LEN_MAX) {
            self.terms.add(&bytes[term]);
        }
        for line in text.lines().into_iter().filter(|line| line.len() <= LINE_LEN_MAX) {
            self.lines.add(bytes[line].trim_ascii_end());
        }
    }

    /// A word that the user or the program has.
    pub fn word(&self, rand: &mut impl Rand) -> Option<&[u8]> {
        self.words.choose(rand)
    }

    /// A token of a class, as tests had them.
    pub fn token(&self, class: Class, rand: &mut impl Rand) -> Option<&[u8]> {
        let kind = Class::KEPT.iter().position(|&kept| kept == class)?;
        self.tokens[kind].choose(rand)
    }

    /// A mutant, not longer than `len_max`; `None` if no change was possible.
    pub fn mutate(&self, bytes: &[u8], len_max: usize, rand: &mut impl Rand) -> Option<Vec<u8>> {
        let mut mutant = bytes.to_vec();
        let n_changes = 1 << rand.below_or_zero(STACK_POWER + 1);
        for _ in 0..n_changes {
            let change = CHANGES[rand.below_or_zero(CHANGES.len())];
            let changed = self.change(&Text::new(&mutant), change, rand);
            if let Some(changed) = changed.filter(|changed| changed.len() <= len_max) {
                mutant = changed;
            }
        }
        (mutant != bytes).then_some(mutant)
    }

    fn change(&self, text: &Text, change: Change, rand: &mut impl Rand) -> Option<Vec<u8>> {
        match change {
            Change::ReplaceTerm => Some(replace(text, one_of(&text.terms(), rand)?, self.terms.choose(rand)?)),
            Change::ReplaceToken => {
                let token = *one_of(&text.all(|token| Class::KEPT.contains(&token.class)), rand)?;
                let class = text.tokens[token].class;
                Some(replace(text, &(token..token + 1), self.token(class, rand)?))
            }
            Change::ReplaceByWord => {
                let token = *one_of(&text.all(|token| !token.class.is_space()), rand)?;
                Some(replace(text, &(token..token + 1), self.words.choose(rand)?))
            }
            Change::InsertWord => {
                Some(insert(text, rand.below_or_zero(text.tokens.len() + 1), self.words.choose(rand)?))
            }
            Change::InsertTerm => {
                Some(insert(text, rand.below_or_zero(text.tokens.len() + 1), self.terms.choose(rand)?))
            }
            Change::DeleteTokens => Some(replace(text, &some_tokens(text, rand)?, b"")),
            Change::DeleteTerm => Some(replace(text, one_of(&text.terms(), rand)?, b"")),
            Change::CopyTokens => {
                let copied = &text.bytes[text.span(some_tokens(text, rand)?)];
                Some(insert(text, rand.below_or_zero(text.tokens.len() + 1), copied))
            }
            Change::SwapTerms => swap_terms(text, rand),
            Change::InsertLine => Some(insert_line(text, self.lines.choose(rand)?, rand)),
            Change::DeleteLine => {
                let lines = text.lines();
                let line = one_of(&lines, rand).filter(|_| lines.len() > 1)?;
                Some([&text.bytes[..line.start], &text.bytes[line.end..]].concat())
            }
            Change::CopyLine => {
                let line = one_of(&text.lines(), rand)?.clone();
                Some(insert_line(text, text.bytes[line].trim_ascii_end(), rand))
            }
            Change::Number => {
                let number = *one_of(&text.all(|token| token.class == Class::Number), rand)?;
                Some(replace(text, &(number..number + 1), one_of(&NUMBERS, rand)?.as_bytes()))
            }
            Change::Wrap => {
                let term = one_of(&text.terms(), rand)?.clone();
                let brackets: [u8; 2] = *one_of(&[*b"()", *b"[]", *b"{}"], rand)?;
                let inner = &text.bytes[text.span(term.clone())];
                Some(replace(text, &term, &[&brackets[..1], inner, &brackets[1..]].concat()))
            }
            Change::Extend => {
                let term = one_of(&text.terms(), rand)?.clone();
                let sign = Class::KEPT.iter().position(|&class| class == Class::Sign)?;
                let added = [self.tokens[sign].choose(rand)?, self.terms.choose(rand)?].concat();
                Some(insert(text, term.end, &added))
            }
        }
    }
}

pub fn one_of<'a, T>(all: &'a [T], rand: &mut impl Rand) -> Option<&'a T> {
    all.get(rand.below_or_zero(all.len()))
}

/// A few tokens that stand together.
fn some_tokens(text: &Text, rand: &mut impl Rand) -> Option<Range<usize>> {
    let n_tokens = text.tokens.len();
    let first = *one_of(&text.all(|token| !token.class.is_space()), rand)?;
    Some(first..(first + 1 + rand.below_or_zero(N_TOKENS_MAX)).min(n_tokens))
}

fn insert(text: &Text, before: usize, piece: &[u8]) -> Vec<u8> {
    replace(text, &(before..before), piece)
}

/// Puts a piece in the place of some tokens. Words that would grow together are kept apart.
fn replace(text: &Text, tokens: &Range<usize>, piece: &[u8]) -> Vec<u8> {
    let span = text.span(tokens.clone());
    let (before, after) = (&text.bytes[..span.start], &text.bytes[span.end..]);
    let mut replaced = before.to_vec();
    for part in [piece, after] {
        let is_word =
            |byte: Option<&u8>| byte.is_some_and(|&byte| matches!(Class::of(byte), Class::Word | Class::Number));
        if is_word(replaced.last()) && is_word(part.first()) {
            replaced.push(b' ');
        }
        replaced.extend_from_slice(part);
    }
    replaced
}

fn swap_terms(text: &Text, rand: &mut impl Rand) -> Option<Vec<u8>> {
    let terms = text.terms();
    let (one, other) = (one_of(&terms, rand)?, one_of(&terms, rand)?);
    let (first, second) = if one.start < other.start { (one, other) } else { (other, one) };
    if first.end > second.start {
        return None;
    }
    let (first, second) = (text.span(first.clone()), text.span(second.clone()));
    let bytes = text.bytes;
    let parts = [
        &bytes[..first.start],
        &bytes[second.clone()],
        &bytes[first.end..second.start],
        &bytes[first],
        &bytes[second.end..],
    ];
    Some(parts.concat())
}

fn insert_line(text: &Text, line: &[u8], rand: &mut impl Rand) -> Vec<u8> {
    let lines = text.lines();
    let next = lines.get(rand.below_or_zero(lines.len() + 1));
    let (before, after) = text.bytes.split_at(next.map_or(text.bytes.len(), |next| next.start));
    let mut changed = before.to_vec();
    if changed.last().is_some_and(|&byte| byte != b'\n') {
        changed.push(b'\n');
    }
    changed.extend_from_slice(line);
    changed.push(b'\n');
    changed.extend_from_slice(after);
    changed
}

#[cfg(test)]
mod unit_tests {
    use super::*;
    use libafl_bolts::rands::StdRand;

    fn pieces(text: &str) -> Vec<&str> {
        tokens(text.as_bytes()).iter().map(|token| &text[token.start..token.end]).collect()
    }

    #[test]
    fn text_is_divided_into_tokens() {
        assert_eq!(
            pieces("if (a1>=.5)\n\tprint \"x y\";"),
            ["if", " ", "(", "a1", ">=.", "5", ")", "\n", "\t", "print", " ", "\"x y\"", ";"]
        );
        assert_eq!(pieces("it's"), ["it", "'", "s"]);
        assert_eq!(pieces(r#""a\"b""#), [r#""a\"b""#]);
        assert_eq!(pieces("0x1f+2.5e3"), ["0x1f", "+", "2.5e3"]);
    }

    #[test]
    fn terms_have_their_brackets() {
        let bytes = b"f(x)[1] + (2*(3))";
        let text = Text::new(bytes);
        let terms: Vec<&[u8]> = text.terms().into_iter().map(|term| &bytes[text.span(term)]).collect();
        let expected: Vec<&[u8]> = vec![b"f(x)[1]", b"(x)[1]", b"x", b"[1]", b"1", b"(2*(3))", b"2", b"(3)", b"3"];
        assert_eq!(terms, expected);
    }

    #[test]
    fn brackets_that_are_never_closed_are_no_terms() {
        let bytes = b")(a";
        let text = Text::new(bytes);
        assert_eq!(text.terms(), vec![2..3]);
    }

    #[test]
    fn words_do_not_grow_together() {
        let text = Text::new(b"a=b");
        assert_eq!(insert(&text, 0, b"print"), b"print a=b");
        assert_eq!(replace(&text, &(1..2), b"in"), b"a in b");
        assert_eq!(replace(&text, &(1..2), b""), b"a b");
    }

    #[test]
    fn lines_are_inserted_as_lines() {
        let mut rand = StdRand::with_seed(1);
        for _ in 0..20 {
            let changed = insert_line(&Text::new(b"a\nb"), b"c", &mut rand);
            assert!([&b"c\na\nb"[..], b"a\nc\nb", b"a\nb\nc\n"].contains(&&changed[..]), "{changed:?}");
        }
    }

    #[test]
    fn mutants_are_of_what_was_learnt_and_keep_to_the_length() {
        let mut parts = Parts::default();
        parts.learn(b"while (i<10) { i=f(i)+1 }\nprint \"done\"");
        parts.add_word(b"define");
        let mut rand = StdRand::with_seed(3);
        let start = b"x = (1+2)*y";
        let mutants: Vec<Vec<u8>> = (0..2000).filter_map(|_| parts.mutate(start, 40, &mut rand)).collect();
        let has = |word: &[u8]| mutants.iter().any(|mutant| mutant.windows(word.len()).any(|part| part == word));
        assert!(has(b"define") && has(b"f(i)") && has(b"\"done\"") && has(b"while (i<10) {"));
        assert!(mutants.len() > 1500 && mutants.iter().all(|mutant| mutant.len() <= 40 && mutant != start));
    }

    #[test]
    fn the_oldest_pieces_make_room() {
        let mut pieces = Pieces::default();
        (0..N_PIECES + 10).for_each(|number| pieces.add(number.to_string().as_bytes()));
        assert_eq!((pieces.all.len(), pieces.known.len()), (N_PIECES, N_PIECES));
        assert!(!pieces.known.contains(&b"9"[..]) && pieces.known.contains(&b"10"[..]));
    }
}
