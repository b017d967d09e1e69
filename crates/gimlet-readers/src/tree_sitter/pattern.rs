//! Regular expressions as JavaScript writes them.
//!
//! They are rewritten for `regex-syntax` where the two differ. `\d`, `\s` and `\w` are what ASCII has of them.

use std::fmt::Write;

use regex_syntax::hir::Hir;
use regex_syntax::ParserBuilder;

use crate::characters;

/// The texts of a pattern over bytes, and whether it looks at what is around them, which is left out.
pub fn read(pattern: &str, flags: &str) -> Result<(Hir, bool), String> {
    let mut parser = ParserBuilder::new()
        .utf8(false)
        .case_insensitive(flags.contains('i'))
        .dot_matches_new_line(flags.contains('s'))
        .nest_limit(100)
        .build();
    match parser.parse(&rewritten(pattern)) {
        Ok(hir) => Ok(characters::to_bytes(&hir)),
        Err(regex_syntax::Error::Parse(error)) => Err(error.kind().to_string()),
        Err(regex_syntax::Error::Translate(error)) => Err(error.kind().to_string()),
        Err(error) => Err(error.to_string()),
    }
}

fn rewritten(pattern: &str) -> String {
    let mut made = String::new();
    let mut rest = pattern;
    let mut is_in_class = false;
    while let Some(c) = rest.chars().next() {
        let behind = &rest[c.len_utf8()..];
        rest = behind;
        match c {
            '\\' => rest = escape(behind, is_in_class, &mut made),
            '[' if is_in_class => made.push_str("\\["),
            '[' => {
                if let Some(end) = behind.strip_prefix("^]") {
                    made.push_str("(?s:.)");
                    rest = end;
                } else if let Some(end) = behind.strip_prefix(']') {
                    made.push_str("[a&&b]");
                    rest = end;
                } else {
                    is_in_class = true;
                    made.push('[');
                    if let Some(end) = behind.strip_prefix('^') {
                        made.push('^');
                        rest = end;
                    }
                }
            }
            ']' if is_in_class => {
                is_in_class = false;
                made.push(']');
            }
            '&' | '~' if is_in_class => drop(write!(made, "\\{c}")),
            '-' if is_in_class && behind.starts_with('-') => made.push_str("\\-"),
            '{' if !is_in_class => {
                let n_bytes = counts_length(behind);
                match n_bytes {
                    0 => made.push_str("\\{"),
                    n_bytes => {
                        made.push('{');
                        made.push_str(&behind[..n_bytes]);
                        rest = &behind[n_bytes..];
                    }
                }
            }
            '}' if !is_in_class => made.push_str("\\}"),
            c => made.push(c),
        }
    }
    made
}

/// The length of `2,3}` behind a brace, or 0 if that is something else.
fn counts_length(behind: &str) -> usize {
    let Some((inside, _)) = behind.split_once('}') else { return 0 };
    let (min, max) = inside.split_once(',').unwrap_or((inside, "0"));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !min.is_empty() && is_number(min) && is_number(max) {
        inside.len() + 1
    } else {
        0
    }
}

/// Rewrites what follows a backslash; returns what is behind it.
fn escape<'a>(text: &'a str, is_in_class: bool, made: &mut String) -> &'a str {
    let Some(c) = text.chars().next() else {
        made.push_str("\\\\");
        return text;
    };
    let behind = &text[c.len_utf8()..];
    match c {
        'd' => made.push_str("[0-9]"),
        'D' => made.push_str("[^0-9]"),
        's' => made.push_str("[ \\t\\n\\r\\x0b\\x0c]"),
        'S' => made.push_str("[^ \\t\\n\\r\\x0b\\x0c]"),
        'w' => made.push_str("[A-Za-z0-9_]"),
        'W' => made.push_str("[^A-Za-z0-9_]"),
        'b' if is_in_class => made.push_str("\\x08"),
        '0' => made.push_str("\\x00"),
        c if c.is_ascii_alphanumeric() => {
            made.push('\\');
            made.push(c);
            // The braces of `\u{1f600}` and `\p{L}` are no others.
            if matches!(c, 'u' | 'x' | 'p' | 'P') && behind.starts_with('{') {
                let end = behind.find('}').map_or(behind.len(), |end| end + 1);
                made.push_str(&behind[..end]);
                return &behind[end..];
            }
        }
        '/' | '<' | '>' | '"' | '\'' | '`' | '@' | '!' | '%' | ',' | ':' | ';' | '=' | '_' | ' ' => made.push(c),
        c if c.is_ascii_punctuation() => drop(write!(made, "\\{c}")),
        c => made.push(c),
    }
    behind
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimlet_grammar::regular::dfa::Dfa;

    fn check(pattern: &str, flags: &str, accepted: &[&str], refused: &[&str]) {
        let (hir, _) = read(pattern, flags).unwrap();
        let dfa = Dfa::new(&hir).unwrap();
        accepted.iter().for_each(|text| assert!(dfa.accepts(text.as_bytes()), "{pattern} {text:?}"));
        refused.iter().for_each(|text| assert!(!dfa.accepts(text.as_bytes()), "{pattern} {text:?}"));
    }

    #[test]
    fn javascript_is_rewritten() {
        check(r"\/\/[^\n]*", "", &["//", "// é"], &["/", "//\n"]);
        check(r"[a-z]+", "i", &["a", "Zz"], &["", "1"]);
        check(r"\d+(\.\d{1,2})?", "", &["1", "1.25"], &["1.", "1.255", "٣"]);
        check(r"[^[\]&&~~--]", "", &["a", "é"], &["[", "]", "&", "~", "-"]);
        check(r"{}|${a}|x{2}|{,3}", "", &["{}", "xx", "{,3}"], &["x"]);
        check(r"[^]|[]", "", &["\n", "x"], &[""]);
        check(r"\u00e9|\u{1F600}|\x41|\p{Lu}{2}", "", &["é", "😀", "A", "ÉA"], &["e"]);
        check(r"[\w-]+|\<\>\_\-", "", &["a-b", "<>_-"], &["a b"]);
        check(r"[\b]", "", &["\x08"], &["b"]);
        check("a.b", "s", &["a\nb"], &["ab"]);
        check("a.b", "", &["aéb"], &["a\nb"]);
    }

    #[test]
    fn mistakes_have_messages() {
        for (pattern, expected) in
            [("(a", "unclosed group"), ("(?=a)", "look-around, including look-ahead and look-behind, is not supported")]
        {
            assert_eq!(read(pattern, ""), Err(expected.to_owned()));
        }
        assert_eq!(read("^a$", "").map(|(_, has_looks)| has_looks), Ok(true));
    }
}
