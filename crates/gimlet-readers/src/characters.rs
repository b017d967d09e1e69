//! Characters as the bytes of their UTF-8, and sets of either.

use std::fmt::Write;

use gimlet_grammar::regular::byte_set::ByteSet;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition,
};
use regex_syntax::utf8::{Utf8Range, Utf8Sequences};

/// All characters from one to another.
pub fn range(first: char, last: char) -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new(first.min(last), first.max(last))])
}

pub fn any() -> ClassUnicode {
    range('\0', char::MAX)
}

/// ASCII letters of the set in both cases.
pub fn caseless(class: &ClassUnicode) -> ClassUnicode {
    let mut ascii = class.clone();
    ascii.intersect(&range('\0', '\x7f'));
    let mut all = class.clone();
    for c in ascii.iter().flat_map(|range| range.start()..=range.end()) {
        let (lower, upper) = (c.to_ascii_lowercase(), c.to_ascii_uppercase());
        [lower, upper].iter().for_each(|&c| all.push(ClassUnicodeRange::new(c, c)));
    }
    all
}

/// A text, with ASCII letters in both cases if those are the same.
pub fn text(text: &str, is_caseless: bool) -> Hir {
    if !is_caseless {
        return Hir::literal(text.as_bytes());
    }
    Hir::concat(text.chars().map(|c| class(&caseless(&range(c, c)))).collect())
}

/// The UTF-8 of the characters of a set: ranges of bytes behind each other.
pub fn sequences(class: &ClassUnicode) -> Vec<Vec<Utf8Range>> {
    let mut sequences: Vec<Vec<Utf8Range>> = Vec::new();
    for range in class.ranges() {
        sequences.extend(Utf8Sequences::new(range.start(), range.end()).map(|it| it.as_slice().to_vec()));
    }
    sequences
}

/// The same as an expression, which may be over characters.
pub fn class(class: &ClassUnicode) -> Hir {
    let sequences = sequences(class);
    if sequences.iter().all(|sequence| sequence.len() == 1) {
        return bytes(sequences.iter().map(|sequence| sequence[0]));
    }
    let views: Vec<&[Utf8Range]> = sequences.iter().map(Vec::as_slice).collect();
    prefix_tree(&views)
}

fn bytes(ranges: impl Iterator<Item = Utf8Range>) -> Hir {
    Hir::class(Class::Bytes(ClassBytes::new(ranges.map(|range| ClassBytesRange::new(range.start, range.end)))))
}

/// Sequences that begin with the same bytes share them; what is in order stays in order.
fn prefix_tree(sequences: &[&[Utf8Range]]) -> Hir {
    let mut branches = Vec::new();
    let is_last = |sequence: &&&[Utf8Range]| sequence.len() == 1;
    if sequences.iter().any(|sequence| is_last(&sequence)) {
        branches.push(bytes(sequences.iter().filter(is_last).map(|sequence| sequence[0])));
    }
    let longer: Vec<&[Utf8Range]> = sequences.iter().filter(|sequence| sequence.len() > 1).copied().collect();
    for group in longer.chunk_by(|one, other| one[0] == other[0]) {
        let rests: Vec<&[Utf8Range]> = group.iter().map(|sequence| &sequence[1..]).collect();
        branches.push(Hir::concat(vec![bytes(std::iter::once(group[0][0])), prefix_tree(&rests)]));
    }
    Hir::alternation(branches)
}

/// The same expression over bytes. What looks at neighbouring text becomes empty; whether there was such a thing.
pub fn to_bytes(hir: &Hir) -> (Hir, bool) {
    let mut has_looks = false;
    let made = over_bytes(hir, &mut has_looks);
    (made, has_looks)
}

fn over_bytes(hir: &Hir, has_looks: &mut bool) -> Hir {
    match hir.kind() {
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(Class::Bytes(_)) => hir.clone(),
        HirKind::Class(Class::Unicode(set)) => class(set),
        HirKind::Look(_) => {
            *has_looks = true;
            Hir::empty()
        }
        HirKind::Repetition(repetition) => {
            let sub = Box::new(over_bytes(&repetition.sub, has_looks));
            Hir::repetition(Repetition { sub, ..*repetition })
        }
        HirKind::Capture(capture) => over_bytes(&capture.sub, has_looks),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(|part| over_bytes(part, has_looks)).collect()),
        HirKind::Alternation(parts) => {
            let made = Hir::alternation(parts.iter().map(|part| over_bytes(part, has_looks)).collect());
            // An alternation of characters comes back as a set of them.
            match made.kind() {
                HirKind::Class(Class::Unicode(set)) => class(set),
                _ => made,
            }
        }
    }
}

/// `'a'` or `[a-z_]`.
pub fn show_set(set: &ByteSet) -> String {
    if let Some(byte) = set.single() {
        return format!("'{}'", show_byte(byte, b"'\\"));
    }
    let mut shown = String::from("[");
    let mut at = 0u16;
    while at < 256 {
        let last = (at..256).take_while(|&byte| set.contains(byte as u8)).last();
        let Some(last) = last else {
            at += 1;
            continue;
        };
        shown.push_str(&show_byte(at as u8, b"]\\^-"));
        if last > at {
            let dash = if last > at + 1 { "-" } else { "" };
            let _ = write!(shown, "{dash}{}", show_byte(last as u8, b"]\\^-"));
        }
        at = last + 1;
    }
    shown.push(']');
    shown
}

fn show_byte(byte: u8, special: &[u8]) -> String {
    match byte {
        b'\n' => "\\n".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\t' => "\\t".to_owned(),
        byte if special.contains(&byte) => format!("\\{}", byte as char),
        b' '..=b'~' => (byte as char).to_string(),
        byte => format!("\\x{byte:02x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimlet_grammar::regular::dfa::Dfa;

    #[test]
    fn characters_are_their_bytes() {
        let dfa = Dfa::new(&class(&any())).unwrap();
        let counts: Vec<u32> = dfa.counts(4).iter().map(|count| u32::try_from(count).unwrap()).collect();
        assert_eq!(counts, [0, 0x80, 0x780, 0xf000, 0x10_0000]);
        let mut some = range('a', 'é');
        some.union(&range('😀', '😀'));
        let dfa = Dfa::new(&class(&some)).unwrap();
        for (text, is_there) in [("a", true), ("A", false), ("é", true), ("ê", false), ("😀", true), ("😁", false)]
        {
            assert_eq!(dfa.accepts(text.as_bytes()), is_there, "{text}");
        }
    }

    #[test]
    fn sets_have_short_names() {
        let check = |bytes: &[u8], expected: &str| {
            assert_eq!(show_set(&ByteSet::of(|byte| bytes.contains(&byte), u8::MAX)), expected);
        };
        check(b"a", "'a'");
        check(b"'", "'\\''");
        check(b"abcdxy_", "[_a-dxy]");
        check(b"\n\xff]-", "[\\n\\-\\]\\xff]");
    }
}
