//! Characters as ANTLR writes them: in quotes and in brackets.

use gimlet_grammar::source::cursor::Cursor;
use gimlet_grammar::source::{Diagnostic, Span};
use regex_syntax::hir::{Class, ClassUnicode, HirKind};

use crate::characters;

/// A character, or a set that has an escape of its own.
enum Item {
    Character(char),
    Set(ClassUnicode),
}

/// Takes a text in single quotes.
pub fn take_literal(cursor: &mut Cursor<'_>) -> Result<(String, Span), Diagnostic> {
    let start = cursor.at;
    cursor.take("'");
    let mut text = String::new();
    loop {
        match cursor.peek() {
            Some('\'') => {
                cursor.take_char();
                return Ok((text, cursor.span_from(start)));
            }
            Some('\\') => match take_escape(cursor)? {
                Item::Character(c) => text.push(c),
                Item::Set(_) => {
                    let error = Diagnostic::error(cursor.span_from(start), "a set of characters is no text");
                    return Err(error.with_hint("it may stand in brackets: `[\\p{L}]`"));
                }
            },
            None | Some('\n') => {
                let error = Diagnostic::error(Span::new(start, start + 1), "this string is never closed");
                return Err(error.with_hint("it ends with `'` in the same line"));
            }
            Some(c) => {
                cursor.take_char();
                text.push(c);
            }
        }
    }
}

/// Takes a set in brackets.
pub fn take_set(cursor: &mut Cursor<'_>) -> Result<(ClassUnicode, Span), Diagnostic> {
    let start = cursor.at;
    cursor.take("[");
    let unclosed = || {
        let error = Diagnostic::error(Span::new(start, start + 1), "this set is never closed");
        error.with_hint("it ends with `]`; a bracket inside of it is `\\]`")
    };
    let mut class = ClassUnicode::empty();
    loop {
        if cursor.take("]") {
            return Ok((class, cursor.span_from(start)));
        }
        let item_start = cursor.at;
        let first = match take_item(cursor)?.ok_or_else(unclosed)? {
            Item::Set(set) => {
                class.union(&set);
                continue;
            }
            Item::Character(first) => first,
        };
        let mut ahead = *cursor;
        let mut last = first;
        if ahead.take("-") && !ahead.is_at("]") {
            *cursor = ahead;
            last = match take_item(cursor)?.ok_or_else(unclosed)? {
                Item::Character(last) if last >= first => last,
                _ => {
                    let span = cursor.span_from(item_start);
                    return Err(Diagnostic::error(span, "a range needs two characters in their order"));
                }
            };
        }
        class.union(&characters::range(first, last));
    }
}

fn take_item(cursor: &mut Cursor<'_>) -> Result<Option<Item>, Diagnostic> {
    match cursor.peek() {
        Some('\\') => take_escape(cursor).map(Some),
        None | Some('\n') => Ok(None),
        Some(c) => {
            cursor.take_char();
            Ok(Some(Item::Character(c)))
        }
    }
}

fn take_escape(cursor: &mut Cursor<'_>) -> Result<Item, Diagnostic> {
    let start = cursor.at;
    cursor.take("\\");
    let escaped = cursor.take_char().filter(|&c| c != '\n');
    let c = match escaped {
        Some('n') => '\n',
        Some('r') => '\r',
        Some('t') => '\t',
        Some('b') => '\x08',
        Some('f') => '\x0c',
        Some('u') => return take_code(cursor, start).map(Item::Character),
        Some(kind @ ('p' | 'P')) => return take_property(cursor, start, kind == 'P').map(Item::Set),
        Some(c) if !c.is_ascii_alphanumeric() => c,
        _ => {
            let error = Diagnostic::error(cursor.span_from(start), "there is no such escape");
            return Err(
                error.with_hint("those that there are: \\n \\r \\t \\b \\f \\\\ \\' \\] \\- \\u00e9 \\u{1f600} \\p{L}")
            );
        }
    };
    Ok(Item::Character(c))
}

/// `\u00e9` or `\u{1f600}`
fn take_code(cursor: &mut Cursor<'_>, start: usize) -> Result<char, Diagnostic> {
    let digits = if cursor.take("{") {
        let digits = cursor.take_while(|c| c.is_ascii_hexdigit());
        if cursor.take("}") {
            digits
        } else {
            ""
        }
    } else {
        let n_digits = cursor.rest().bytes().take(4).take_while(u8::is_ascii_hexdigit).count();
        let digits = &cursor.rest()[..n_digits];
        cursor.at += n_digits;
        if n_digits == 4 {
            digits
        } else {
            ""
        }
    };
    let code = u32::from_str_radix(digits, 16).ok();
    // Halves of characters beyond the first 65,536 occur as the ends of ranges: they are no characters themselves.
    let code = code.map(|code| match code {
        0xd800..=0xdbff => 0xd7ff,
        0xdc00..=0xdfff => 0xe000,
        code => code,
    });
    code.and_then(char::from_u32).ok_or_else(|| {
        let error = Diagnostic::error(cursor.span_from(start), "this is the number of no character");
        error.with_hint("write `\\u` with four hexadecimal digits, or up to six in braces")
    })
}

/// `\p{L}`, or what is not in it.
fn take_property(cursor: &mut Cursor<'_>, start: usize, is_negated: bool) -> Result<ClassUnicode, Diagnostic> {
    let name =
        if cursor.take("{") { cursor.take_while(|c| c.is_ascii_alphanumeric() || "_-= ".contains(c)) } else { "" };
    let is_closed = cursor.take("}");
    let class = if is_closed { property(name) } else { None };
    let mut class = class.ok_or_else(|| {
        let error = Diagnostic::error(cursor.span_from(start), "this property of characters is not known");
        error.with_hint("write `\\p{L}`, `\\p{Letter}`, `\\p{Script=Greek}` or ranges such as `\\u0370-\\u03FF`")
    })?;
    if is_negated {
        class.negate();
    }
    Ok(class)
}

/// The characters with a property that Unicode knows.
pub fn property(name: &str) -> Option<ClassUnicode> {
    let hir = regex_syntax::parse(&format!("\\p{{{name}}}")).ok()?;
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class.clone()),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            text.chars().next().map(|c| characters::range(c, c))
        }
        _ => None,
    }
}
