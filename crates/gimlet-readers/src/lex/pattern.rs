//! Patterns.
//!
//! The reader follows flex's grammar for patterns, down to its way of counting: a part is of fixed length only if it has
//! no operator, however long its texts are, and from that follows what trailing context cuts off. Definitions are put in
//! as text, in parentheses most of the time, by a stack of texts that are still to be read.

mod cursor;
mod set;

use gimlet_grammar::regular::byte_set::ByteSet;
use gimlet_grammar::scanner::{Cut, Lex, Trailing};
use gimlet_grammar::source::{Diagnostic, Source, Span};
use regex_syntax::hir::{Hir, Repetition};

use self::cursor::Cursor;
use self::set::Set;
use super::class::other_case;
use super::code::{is_blank, line_end};

/// Parentheses in parentheses, those around definitions included.
const DEPTH_MAX: usize = 200;
/// Operators in a row after one part.
const N_OPERATORS_MAX: usize = 50;
/// Characters and classes of a pattern, with those of the definitions in it.
const N_ATOMS_MAX: usize = 100_000;
/// Definitions that are put in for one pattern.
const N_EXPANSIONS_MAX: usize = 20_000;
/// Messages about one pattern.
const N_MESSAGES_MAX: usize = 3;

pub(super) struct Pattern {
    pub head: Hir,
    pub trailing: Option<Trailing>,
    /// Where the reader stopped: at a blank or at the end of a line.
    pub end: usize,
    /// A definition that it begins with said `^`.
    pub at_line_start: bool,
}

/// Reads a pattern that begins here. `is_after_continued`: the action of the rule before is `|`.
pub(super) fn read(source: &Source, start: usize, is_after_continued: bool, lex: &mut Lex) -> Pattern {
    let flags = Flags { is_caseless: lex.options.is_caseless, ..Flags::default() };
    let mut reader = Reader {
        cursor: Cursor::new(source, start),
        lex,
        flags: vec![flags],
        n_chars: 0,
        is_variable: false,
        has_context: false,
        n_atoms: 0,
        n_expansions: 0,
        at_line_start: false,
        problems: Vec::new(),
    };
    let (head, trailing) = reader.rule(is_after_continued);
    let mut end = reader.cursor.base();
    if !reader.problems.is_empty() {
        // A parenthesis that is not closed shall not take the rules after it along.
        end = end.min(line_end(source.text.as_bytes(), start));
    }
    let at_line_start = reader.at_line_start;
    let mut problems = std::mem::take(&mut reader.problems);
    problems.truncate(N_MESSAGES_MAX);
    lex.diagnostics.extend(problems);
    Pattern { head, trailing, end, at_line_start }
}

#[derive(Clone, Copy, Default)]
struct Flags {
    is_caseless: bool,
    dot_is_all: bool,
    skips_blanks: bool,
}

struct Reader<'a, 'l> {
    cursor: Cursor<'a>,
    lex: &'l Lex,
    /// One more for each open parenthesis.
    flags: Vec<Flags>,
    /// Since the beginning or the `/`: characters, and whether there was an operator.
    n_chars: usize,
    is_variable: bool,
    has_context: bool,
    n_atoms: usize,
    n_expansions: usize,
    at_line_start: bool,
    problems: Vec<Diagnostic>,
}

impl Reader<'_, '_> {
    fn rule(&mut self, is_after_continued: bool) -> (Hir, Option<Trailing>) {
        let lex_compat = self.lex.options.lex_compat;
        let head = self.alternation();
        let mut trailing = None;
        if self.peek() == Some(b'/') {
            self.cursor.bump(1);
            self.has_context = true;
            let n_head = if self.is_variable || is_after_continued { 0 } else { self.n_chars };
            self.n_chars = 0;
            self.is_variable = false;
            let pattern = self.alternation();
            let is_variable = self.is_variable || is_after_continued;
            let cut = match n_head {
                _ if lex_compat => Cut::Longest,
                0 if is_variable => Cut::Longest,
                0 => Cut::Trail(self.n_chars),
                n => Cut::Head(n),
            };
            trailing = Some(Trailing { pattern, cut });
        }
        if self.cursor.is_at_dollar() {
            if self.has_context {
                self.problem(1, "a rule has only one trailing context");
            }
            self.cursor.bump(1);
            let cut = if lex_compat || is_after_continued { Cut::Longest } else { Cut::Trail(1) };
            trailing = Some(Trailing { pattern: Hir::literal(*b"\n"), cut });
        }
        self.skip_rest();
        (head, trailing)
    }

    /// Goes to the end of a pattern that has more than it may have.
    fn skip_rest(&mut self) {
        while !self.is_at_end() {
            let message = match self.peek() {
                Some(b'/') => "a rule has only one trailing context",
                _ => "this can't stand here",
            };
            self.problem(1, message);
            self.cursor.bump(1);
            self.alternation();
        }
    }

    fn alternation(&mut self) -> Hir {
        let mut alternatives = vec![self.series()];
        while self.peek() == Some(b'|') {
            self.cursor.bump(1);
            alternatives.push(self.series());
            self.is_variable = true;
        }
        Hir::alternation(alternatives)
    }

    fn series(&mut self) -> Hir {
        let mut parts: Vec<Hir> = Vec::new();
        while !self.is_at_end() {
            match self.peek() {
                None | Some(b'|' | b'/') => break,
                Some(b')') if self.is_open() => break,
                Some(b')') => self.skip_bad("there is no ( for this"),
                Some(b'$') if self.cursor.is_at_dollar() => break,
                Some(b'*' | b'+' | b'?') => self.skip_bad("there is nothing to repeat"),
                Some(b'}') => self.skip_bad("there is no { for this"),
                Some(b'{') if self.is_at_repetition() => {
                    // Only where it binds less tightly than concatenation is it found here after a part.
                    let part = Hir::concat(std::mem::take(&mut parts));
                    parts.push(self.repetition(part));
                }
                Some(_) => {
                    if let Some(part) = self.singleton() {
                        parts.push(part);
                    }
                }
            }
        }
        if parts.is_empty() && self.problems.is_empty() {
            self.problem(1, "a part of the pattern is empty");
        }
        Hir::concat(parts)
    }

    /// An atom and what repeats it.
    fn singleton(&mut self) -> Option<Hir> {
        let mut part = self.atom()?;
        for n in 0.. {
            if n == N_OPERATORS_MAX {
                self.give_up("there are too many operators in a row");
                break;
            }
            let (min, max) = match self.peek() {
                Some(b'*') => (0, None),
                Some(b'+') => (1, None),
                Some(b'?') => (0, Some(1)),
                Some(b'{') if self.is_at_repetition() && !self.is_posix() => {
                    part = self.repetition(part);
                    continue;
                }
                _ => break,
            };
            self.cursor.bump(1);
            self.is_variable = true;
            part = Hir::repetition(Repetition { min, max, greedy: true, sub: Box::new(part) });
        }
        Some(part)
    }

    /// `{2}`, `{2,}` or `{2,3}`.
    fn repetition(&mut self, part: Hir) -> Hir {
        let rest = self.cursor.rest();
        let length = rest.iter().take_while(|&&byte| !matches!(byte, b'}' | b'\n')).count();
        let inside = String::from_utf8_lossy(&rest[1..length]).into_owned();
        if rest.get(length) != Some(&b'}') {
            self.problem(length, "there is no } for this");
            self.cursor.bump(length);
            return part;
        }
        self.is_variable = true;
        let bounds = match inside.split_once(',') {
            None => inside.parse().ok().map(|n| (n, Some(n))),
            Some((min, "")) => min.parse().ok().map(|min| (min, None)),
            Some((min, max)) => min.parse().ok().zip(max.parse().ok().map(Some)),
        };
        match bounds {
            Some((0, None | Some(0))) => self.problem(length + 1, "a repetition is at least one"),
            Some((min, Some(max))) if min > max => {
                self.problem(length + 1, "the first number is greater than the second")
            }
            Some((min, max)) => {
                self.cursor.bump(length + 1);
                return Hir::repetition(Repetition { min, max, greedy: true, sub: Box::new(part) });
            }
            None => self.problem(length + 1, "this is no repetition"),
        }
        self.cursor.bump(length + 1);
        part
    }

    fn atom(&mut self) -> Option<Hir> {
        self.n_atoms += 1;
        if self.n_atoms > N_ATOMS_MAX {
            self.give_up("the pattern is too large with its definitions put in");
            return None;
        }
        let rest = self.cursor.rest();
        match *rest.first()? {
            b'"' => Some(self.string()),
            b'[' if set::begins(rest) => Some(self.class()),
            b'(' => self.group(),
            b'{' => {
                self.braces();
                None
            }
            b'.' => {
                self.cursor.bump(1);
                self.n_chars += 1;
                let is_all = self.top().dot_is_all;
                Some(ByteSet::of(|byte| is_all || byte != b'\n', self.lex.options.byte_max()).hir())
            }
            b'<' if rest.len() >= 7 && rest[..7].eq_ignore_ascii_case(b"<<EOF>>") => {
                self.problem(7, "<<EOF>> is a whole pattern");
                self.cursor.bump(7);
                None
            }
            _ => {
                let (byte, length) = escape(rest).unwrap_or((rest[0], 1));
                self.cursor.bump(length);
                self.n_chars += 1;
                Some(self.byte(byte))
            }
        }
    }

    fn byte(&self, byte: u8) -> Hir {
        match other_case(byte) {
            Some(other) if self.top().is_caseless => {
                ByteSet::of(|candidate| candidate == byte || candidate == other, u8::MAX).hir()
            }
            _ => Hir::literal([byte]),
        }
    }

    fn string(&mut self) -> Hir {
        let open = self.cursor.place();
        self.cursor.bump(1);
        let mut parts = Vec::new();
        loop {
            let rest = self.cursor.rest();
            match rest.first() {
                None | Some(b'\n') => {
                    self.problem_at(Span::new(open, open + 1), "there is no second quote for this");
                    break;
                }
                Some(b'"') => {
                    self.cursor.bump(1);
                    break;
                }
                Some(&first) => {
                    let (byte, length) = escape(rest).unwrap_or((first, 1));
                    self.cursor.bump(length);
                    self.n_chars += 1;
                    parts.push(self.byte(byte));
                }
            }
        }
        Hir::concat(parts)
    }

    /// A class, with those that are added to it or taken away from it.
    fn class(&mut self) -> Hir {
        let max = self.lex.options.byte_max();
        let mut set = self.set();
        loop {
            self.skip_ignored();
            let rest = self.cursor.rest();
            let is_union = rest.starts_with(b"{+}");
            if !is_union && !rest.starts_with(b"{-}") {
                break;
            }
            let operator = self.span(3);
            self.cursor.bump(3);
            self.skip_ignored();
            if self.cursor.rest().first() == Some(&b'{') {
                // Where definitions stand without parentheses, one can be a class.
                self.braces();
                self.skip_ignored();
            }
            if !set::begins(self.cursor.rest()) {
                self.problem(1, "another class is expected here");
                break;
            }
            let other = self.set();
            set.listed = match is_union {
                true => {
                    if set.is_negated || other.is_negated {
                        let message = "flex's {+} takes no notice of ^ in its classes";
                        self.problems.push(Diagnostic::warning(operator, message));
                    }
                    set.listed.union(&other.listed)
                }
                false => ByteSet::of(|byte| set.has(byte) && !other.has(byte), max),
            };
            set.is_negated = false;
        }
        self.n_chars += 1;
        ByteSet::of(|byte| set.has(byte), if set.is_negated { max } else { u8::MAX }).hir()
    }

    fn set(&mut self) -> Set {
        let place = self.cursor.place();
        let mut set = set::read(self.cursor.rest(), self.top().is_caseless, self.lex.options.byte_max());
        for (span, message) in std::mem::take(&mut set.problems) {
            self.problem_at(Span::new(place + span.start, place + span.end), message);
        }
        self.cursor.bump(set.length);
        set
    }

    fn group(&mut self) -> Option<Hir> {
        let open = self.cursor.place();
        self.cursor.bump(1);
        if self.flags.len() > DEPTH_MAX {
            self.give_up("parentheses are too deep");
            return None;
        }
        self.flags.push(self.top());
        if !self.is_posix() && self.cursor.rest().first() == Some(&b'?') {
            self.cursor.bump(1);
            self.group_flags();
        }
        let inside = self.alternation();
        match self.peek() {
            Some(b')') => {
                self.cursor.bump(1);
            }
            found => {
                let message = match found {
                    Some(b'/') => "trailing context can't stand in parentheses",
                    Some(b'$') => "$ can't stand in parentheses",
                    _ => "there is no ) for this",
                };
                let span = if found == Some(b'/') { self.span(1) } else { Span::new(open, open + 1) };
                self.problem_at(span, message);
                if matches!(found, Some(b'/' | b'$')) {
                    self.cursor.bump(1);
                    self.alternation();
                    if self.peek() == Some(b')') {
                        self.cursor.bump(1);
                    }
                }
            }
        }
        self.flags.pop();
        Some(inside)
    }

    /// `i-sx:` after `(?`.
    fn group_flags(&mut self) {
        let mut value = true;
        let mut flags = self.top();
        loop {
            match self.cursor.rest().first().map(u8::to_ascii_lowercase) {
                Some(b':') => break,
                Some(b'-') if value => value = false,
                Some(b'i') => flags.is_caseless = value,
                Some(b's') => flags.dot_is_all = value,
                Some(b'x') => flags.skips_blanks = value,
                _ => {
                    self.problem(1, "i, s, x, - or : is expected here");
                    return;
                }
            }
            self.cursor.bump(1);
        }
        self.cursor.bump(1);
        if let Some(top) = self.flags.last_mut() {
            *top = flags;
        }
    }

    /// A brace that is no repetition: a definition, if all is well.
    fn braces(&mut self) {
        let rest = self.cursor.rest();
        let name_length = super::code::name_length(&rest[1..]);
        if name_length == 0 || rest.get(name_length + 1) != Some(&b'}') {
            return match rest {
                [b'{', b'+' | b'-', b'}', ..] => self.skip_bad("{+} and {-} stand between classes"),
                _ => self.skip_bad("this { has neither a name nor a number"),
            };
        }
        let length = name_length + 2;
        let name = String::from_utf8_lossy(&rest[1..length - 1]).into_owned();
        let Some(definition) = self.lex.definitions.iter().position(|definition| definition.name == name) else {
            self.problem(length, format!("{name} is not defined"));
            self.cursor.bump(length);
            return;
        };
        self.n_expansions += 1;
        if self.cursor.is_inside(definition) {
            self.give_up(format!("the definition of {name} uses itself"));
        } else if self.n_expansions > N_EXPANSIONS_MAX {
            self.give_up("the pattern is too large with its definitions put in");
        } else {
            self.expand(definition, length);
        }
    }

    fn expand(&mut self, definition: usize, length: usize) {
        let is_first = self.cursor.is_at_start();
        let span = self.lex.definitions[definition].span;
        let text = self.cursor.bytes(span);
        let is_at_end = self.cursor.rest().get(length).is_some_and(u8::is_ascii_whitespace);
        let is_open = self.lex.options.lex_compat
            || text.starts_with(b"^")
            || text.ends_with(b"$")
            || (is_at_end && self.has_context && !self.top().skips_blanks);
        self.cursor.bump(length);
        self.cursor.enter(definition, span, !is_open);
        if text.starts_with(b"^") {
            if is_first {
                self.at_line_start = true;
            } else {
                self.problem(1, "^ stands at the beginning of a pattern");
            }
            self.cursor.bump(1);
        }
    }

    fn top(&self) -> Flags {
        self.flags.last().copied().unwrap_or_default()
    }

    fn is_open(&self) -> bool {
        self.flags.len() > 1
    }

    fn is_posix(&self) -> bool {
        self.lex.options.lex_compat || self.lex.options.posix_compat
    }

    fn is_at_repetition(&self) -> bool {
        matches!(self.cursor.rest(), [b'{', b'0'..=b'9', ..])
    }

    /// The next byte that means something.
    fn peek(&mut self) -> Option<u8> {
        self.skip_ignored();
        self.cursor.peek()
    }

    /// The end of the pattern: a blank or the end of a line, where they are not skipped.
    fn is_at_end(&mut self) -> bool {
        loop {
            match self.peek() {
                None => return true,
                Some(_) if self.cursor.is_at_newline() => return true,
                Some(byte) if !is_blank(byte) => return false,
                Some(_) if self.cursor.is_in_base() => return true,
                Some(_) => {
                    self.problem(1, "a blank ends the pattern, also in a definition");
                    self.cursor.bump(1);
                }
            }
        }
    }

    /// Skips comments, and what `(?x:` makes invisible.
    fn skip_ignored(&mut self) {
        loop {
            self.cursor.leave();
            let rest = self.cursor.rest();
            let length = match rest {
                [b'(', b'?', b'#', ..] if !self.is_posix() => rest.iter().position(|&byte| byte == b')').map(|n| n + 1),
                [b' ' | b'\t' | b'\n', ..] | [b'\r', b'\n', ..] if self.top().skips_blanks => Some(1),
                [b'/', b'*', ..] if self.top().skips_blanks => super::code::comment_end(rest, 0),
                _ => return,
            };
            let Some(length) = length else {
                self.give_up("the comment does not end");
                return;
            };
            self.cursor.bump(length);
        }
    }

    fn skip_bad(&mut self, message: &str) {
        self.problem(1, message);
        self.cursor.bump(1);
    }

    /// The rest of the pattern is not looked at.
    fn give_up(&mut self, message: impl Into<String>) {
        self.problem(1, message);
        self.cursor.finish();
    }

    fn span(&self, length: usize) -> Span {
        self.cursor.span(length)
    }

    fn problem(&mut self, length: usize, message: impl Into<String>) {
        self.problem_at(self.span(length), message);
    }

    fn problem_at(&mut self, span: Span, message: impl Into<String>) {
        if self.problems.len() <= N_MESSAGES_MAX {
            self.problems.push(Diagnostic::error(span, message));
        }
    }
}

/// The byte that an escape sequence stands for, and its length.
pub(super) fn escape(text: &[u8]) -> Option<(u8, usize)> {
    let [b'\\', first, ..] = *text else { return None };
    let count = |digits: &[u8], max: usize, is_digit: fn(&u8) -> bool| {
        digits.iter().take(max).take_while(|digit| is_digit(digit)).count()
    };
    let value = |digits: &[u8], radix: u32| {
        digits.iter().filter_map(|&digit| char::from(digit).to_digit(radix)).fold(0, |n, digit| n * radix + digit) as u8
    };
    Some(match first {
        b'\n' => return None,
        b'a' => (0x07, 2),
        b'b' => (0x08, 2),
        b'f' => (0x0c, 2),
        b'n' => (b'\n', 2),
        b'r' => (b'\r', 2),
        b't' => (b'\t', 2),
        b'v' => (0x0b, 2),
        b'0'..=b'7' => {
            let n = count(&text[1..], 3, |digit| matches!(digit, b'0'..=b'7'));
            (value(&text[1..1 + n], 8), 1 + n)
        }
        b'x' | b'X' => match count(&text[2..], 2, u8::is_ascii_hexdigit) {
            0 => (first, 2),
            // flex takes the digits after a great X, too, and forgets them.
            n if first == b'X' => (b'X', 2 + n),
            n => (value(&text[2..2 + n], 16), 2 + n),
        },
        _ => (first, 2),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex;

    const DEFINITIONS: &str = "D [0-9]\nW a|b\nBOL ^x\nEOL x$\nLOOP a{LOOP}\nTAIL a|{TAIL}\nGAP a b\n";

    fn read_rule(option: &str, pattern: &str) -> Lex {
        let text = format!("%option noyywrap {option}\n{DEFINITIONS}%%\n{pattern} ;\n");
        lex::read(&Source::new("a.l", text))
    }

    /// The same in the language of the regex crates.
    fn check_with(option: &str, pattern: &str, expected: &str) {
        let lex = read_rule(option, pattern);
        assert!(lex.diagnostics.is_empty(), "{pattern}: {:?}", lex.diagnostics);
        let mut parser = regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build();
        assert_eq!(lex.rules[0].pattern, parser.parse(expected).unwrap(), "{pattern}");
    }

    fn check(pattern: &str, expected: &str) {
        check_with("", pattern, expected);
    }

    fn check_context(pattern: &str, expected: Cut) {
        let lex = read_rule("", pattern);
        let found = lex.rules.first().and_then(|rule| rule.trailing.as_ref());
        assert_eq!(found.map(|trailing| trailing.cut), Some(expected), "{pattern}: {:?}", lex.diagnostics);
    }

    fn check_message(pattern: &str, expected: &str) {
        let lex = read_rule("", pattern);
        let messages: Vec<_> = lex.diagnostics.iter().map(|diagnostic| &*diagnostic.message).collect();
        assert!(messages.contains(&expected), "{pattern}: {messages:?}");
    }

    #[test]
    fn operators_bind_as_in_flex() {
        check("ab*|c+d?", "ab*|c+d?");
        check("ab{2}c{1,}d{0,3}", "ab{2}c+d{0,3}");
        check("(ab){2}", "(?:ab){2}");
        check("\"a*\"+", "(?:a\\*)+");
        check("{W}{D}", "(?:a|b)[0-9]");
        check("\"\"", "");
        check_with("lex-compat", "c{W}", "ca|b");
        check_with("posix-compat", "ab{2}", "(?:ab){2}");
    }

    #[test]
    fn what_stands_for_itself() {
        check("a<^b$c-,", "a<\\^b\\$c-,");
        check("\\x41\\101\\n\\*\\\"[ab]", "AA\\n\\*\"[ab]");
        check("\"\\\"\\n \"", "\"\\n ");
        check("a(?#no)b", "ab");
        check("(?x: a\n b /* c */ [ ])", "ab ");
        check("é", "\\xc3\\xa9");
    }

    #[test]
    fn flags_of_groups() {
        check("(?i:a-)a", "[Aa]-a");
        check("(?s:.).", "(?s:.).");
        check("(?i:a(?-i:b)[c])", "[Aa]b[Cc]");
        check_with("caseless", "a[b-d]\"e\"[^f]", "[Aa][B-Db-d][Ee][^Ff]");
        check_with("7bit", ".", "[\\x00-\\x09\\x0b-\\x7f]");
        check_message("(?y:a)", "i, s, x, - or : is expected here");
    }

    #[test]
    fn classes() {
        check("[]a]", "[\\]a]");
        check("[^]a-]", "[^\\]a\\-]");
        check("[-a]", "[\\-a]");
        check("[\\]\\n]", "[\\]\\n]");
        check("[[:digit:][:^print:]]", "[0-9\\x00-\\x1f\\x7f-\\xff]");
        check("[a-z]{-}[aeiou]{+}[0]", "[0b-df-hj-np-tv-z]");
        check_message("[a-c-e]", "this - has no beginning; write \\- for the character");
        check_message("[c-a]", "the range ends before it begins");
        check_message("[[:nil:]]", "there is no class [:nil:]");
        check_message("[ab", "there is no ] for this");
        check_message("[^a]{+}[b]", "flex's {+} takes no notice of ^ in its classes");
    }

    #[test]
    fn trailing_context_is_cut_as_flex_counts() {
        check_context("ab/c*", Cut::Head(2));
        check_context("a*/bc", Cut::Trail(2));
        check_context("a*/(b|c)", Cut::Longest);
        check_context("ab$", Cut::Trail(1));
        check_context("{EOL}", Cut::Trail(1));
        check_context("a/[b0]{-}{D}", Cut::Head(1));
        check_message("a/b/c", "a rule has only one trailing context");
        check_message("(a/b)", "trailing context can't stand in parentheses");
        check_message("a{BOL}", "^ stands at the beginning of a pattern");
    }

    #[test]
    fn mistakes() {
        check_message("(a", "there is no ) for this");
        check_message("a)", "there is no ( for this");
        check_message("*a", "there is nothing to repeat");
        check_message("a||b", "a part of the pattern is empty");
        check_message("()", "a part of the pattern is empty");
        check_message("a{3,2}", "the first number is greater than the second");
        check_message("a{0}", "a repetition is at least one");
        check_message("a{2", "there is no } for this");
        check_message("\"a", "there is no second quote for this");
        check_message("{NONE}", "NONE is not defined");
        check_message("{LOOP}", "the definition of LOOP uses itself");
        check_message("{TAIL}", "the definition of TAIL uses itself");
        check_message("{GAP}", "a blank ends the pattern, also in a definition");
        check_message("a{+}[b]", "{+} and {-} stand between classes");
        check_message("[a]{-}{D}", "another class is expected here");
        check_message(&"(".repeat(1000), "parentheses are too deep");
        check_message(&format!("a{}", "*".repeat(1000)), "there are too many operators in a row");
    }
}
