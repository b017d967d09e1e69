//! Classes of bytes as flex has them, and what the texts of a pattern begin with.

use gimlet_grammar::regular::byte_set::ByteSet;
use regex_syntax::hir::{Class, Hir, HirKind};

/// What the texts of an expression begin with; all bytes if one of them is empty.
pub(super) fn first_bytes(hir: &Hir) -> ByteSet {
    let mut set = ByteSet::default();
    match add_first_bytes(hir, &mut set) {
        true => ByteSet::of(|_| true, u8::MAX),
        false => set,
    }
}

/// Returns whether the expression has an empty text.
fn add_first_bytes(hir: &Hir, set: &mut ByteSet) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => true,
        HirKind::Literal(literal) => {
            set.insert(literal.0[0]);
            false
        }
        HirKind::Class(Class::Bytes(class)) => {
            class.ranges().iter().flat_map(|range| range.start()..=range.end()).for_each(|byte| set.insert(byte));
            false
        }
        // An alternation of characters comes as one of these.
        HirKind::Class(Class::Unicode(class)) => match class.to_byte_class() {
            Some(class) => add_first_bytes(&Hir::class(Class::Bytes(class)), set),
            None => true,
        },
        HirKind::Repetition(repetition) => add_first_bytes(&repetition.sub, set) || repetition.min == 0,
        HirKind::Capture(capture) => add_first_bytes(&capture.sub, set),
        HirKind::Concat(parts) => parts.iter().all(|part| add_first_bytes(part, set)),
        HirKind::Alternation(parts) => parts.iter().filter(|part| add_first_bytes(part, set)).count() > 0,
    }
}

/// The other case of an ASCII letter.
pub(super) fn other_case(byte: u8) -> Option<u8> {
    byte.is_ascii_alphabetic().then_some(byte ^ 0x20)
}

/// The bytes of a class such as `[:alpha:]`, by the name without colons.
pub(super) fn posix(name: &str, is_caseless: bool, max: u8) -> Option<ByteSet> {
    let (is_negated, name) = match name.strip_prefix('^') {
        Some(name) => (true, name),
        None => (false, name),
    };
    let name = name.to_ascii_lowercase();
    let is_about_case = matches!(name.as_str(), "lower" | "upper");
    let has: fn(u8) -> bool = match name.as_str() {
        "lower" | "upper" if is_caseless => |byte| byte.is_ascii_alphabetic(),
        "alnum" => |byte| byte.is_ascii_alphanumeric(),
        "alpha" => |byte| byte.is_ascii_alphabetic(),
        "blank" => |byte| matches!(byte, b' ' | b'\t'),
        "cntrl" => |byte| byte.is_ascii_control(),
        "digit" => |byte| byte.is_ascii_digit(),
        "graph" => |byte| byte.is_ascii_graphic(),
        "lower" => |byte| byte.is_ascii_lowercase(),
        "print" => |byte| byte == b' ' || byte.is_ascii_graphic(),
        "punct" => |byte| byte.is_ascii_punctuation(),
        "space" => |byte| matches!(byte, b' ' | b'\t'..=b'\r'),
        "upper" => |byte| byte.is_ascii_uppercase(),
        "xdigit" => |byte| byte.is_ascii_hexdigit(),
        _ => return None,
    };
    Some(match is_negated {
        // flex takes these to be ambiguous and adds nothing.
        true if is_caseless && is_about_case => ByteSet::default(),
        true => ByteSet::of(|byte| !has(byte), max),
        false => ByteSet::of(has, max),
    })
}
