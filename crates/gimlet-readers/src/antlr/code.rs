//! Code in other languages inside a grammar: where it ends.
//!
//! Strings and comments may hide brackets. What a quote begins ends at the latest with its line, so that an apostrophe in
//! some language does no more harm than that.

/// Behind the bracket that closes the one at `at`: braces or square brackets. `None` if nothing does.
pub fn end(text: &[u8], at: usize) -> Option<usize> {
    let (open, close) = match text.get(at)? {
        b'{' => (b'{', b'}'),
        b'[' => (b'[', b']'),
        _ => return None,
    };
    let mut depth = 0usize;
    let mut at = at;
    while at < text.len() {
        match &text[at..] {
            [b'/', b'*', rest @ ..] => {
                let length = rest.windows(2).position(|pair| pair == b"*/");
                at += 2 + length.map_or(rest.len(), |length| length + 2);
            }
            [b'/', b'/', ..] => at += line_length(&text[at..]),
            [b'\\', ..] => at += 2,
            [quote @ (b'"' | b'\''), ..] => at += literal_length(&text[at..], *quote),
            [byte, ..] => {
                at += 1;
                if *byte == open {
                    depth += 1;
                } else if *byte == close {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at);
                    }
                }
            }
            [] => return None,
        }
    }
    None
}

fn line_length(text: &[u8]) -> usize {
    text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len())
}

/// A string, or only its quote if the line has no other.
fn literal_length(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != b'\n' {
        match text[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_hide_in_strings_and_comments() {
        for (text, expected) in [
            ("{}x", Some(2)),
            ("{ a { b } c } d", Some(13)),
            ("{ '}' \"}\\\"}\" /* } */ // }\n }", Some(28)),
            ("{ don't }\n'", Some(9)),
            ("{ \\} }", Some(6)),
            ("[a[0] = ']']", Some(12)),
            ("{ {", None),
            ("{ /* }", None),
            ("{\\", None),
            ("]", None),
        ] {
            assert_eq!(end(text.as_bytes(), 0), expected, "{text}");
        }
    }
}
