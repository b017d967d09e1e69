//! Names in rules, of which only the rules themselves tell where they end.
//!
//! `a b` is one name if there are rules for it, and otherwise two; `a-b` is one, or `a` without `b`.

use gimlet_grammar::source::cursor::Cursor;
use gimlet_grammar::source::Span;
use rustc_hash::FxHashSet;

use crate::expression::Expression;

pub fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Takes a word, in which there may be dashes.
pub fn take_word<'a>(cursor: &mut Cursor<'a>) -> Option<(&'a str, Span)> {
    let start = cursor.at;
    cursor.peek().filter(|&c| is_name_start(c))?;
    loop {
        cursor.take_while(is_name_part);
        let mut ahead = *cursor;
        if !(ahead.take("-") && ahead.peek().is_some_and(is_name_part)) {
            break;
        }
        *cursor = ahead;
    }
    Some((&cursor.text[start..cursor.at], cursor.span_from(start)))
}

/// What words next to each other stand for.
pub fn resolve(words: &[(&str, Span)], known: &FxHashSet<String>) -> Expression {
    const N_WORDS_MAX: usize = 12;
    let mut parts = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let most = words.len().min(at + N_WORDS_MAX);
        let joined = |end: usize| words[at..end].iter().map(|(word, _)| *word).collect::<Vec<_>>().join(" ");
        let found = (at + 1..=most).rev().map(|end| (end, joined(end))).find(|(_, name)| known.contains(name));
        let (end, part) = match found {
            Some((end, name)) => (end, Expression::Name(name, words[at].1.to(words[end - 1].1))),
            None => (at + 1, without(words[at].0, words[at].1, known)),
        };
        parts.push(part);
        at = end;
    }
    Expression::sequence(parts)
}

/// `a-b`, of which only the parts have rules.
fn without(word: &str, span: Span, known: &FxHashSet<String>) -> Expression {
    let whole = || Expression::Name(word.to_owned(), span);
    let Some((at, _)) = word.match_indices('-').find(|(at, _)| known.contains(&word[..*at])) else { return whole() };
    let (one, other) = (&word[..at], &word[at + 1..]);
    if !other.starts_with(is_name_start) {
        return whole();
    }
    let name = |word: &str, span: Span| Box::new(Expression::Name(word.to_owned(), span));
    let one = name(one, Span::new(span.start, span.start + at));
    Expression::Except(one, name(other, Span::new(span.start + at + 1, span.end)), span)
}
