//! Where C code in a scanner ends, as flex sees it.
//!
//! flex knows strings, character constants and `/* */`, but not `//`: a brace in such a comment counts, and a quote in it
//! reaches to the end of the line.

/// The end of a piece of code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct End {
    /// Of the newline after it, or of the text.
    pub at: usize,
    /// The text ended before the code did.
    pub is_premature: bool,
}

/// The newline at or after a place, or the end of the text.
pub(super) fn line_end(text: &[u8], at: usize) -> usize {
    text[at..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |n| at + n)
}

/// The beginning of the next line, or the end of the text.
pub(super) fn next_line(text: &[u8], at: usize) -> usize {
    (line_end(text, at) + 1).min(text.len())
}

pub(super) fn skip_blanks(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|&&byte| is_blank(byte)).count()
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Whether a line ends here.
pub(super) fn is_at_line_end(text: &[u8], at: usize) -> bool {
    matches!(text[at..], [] | [b'\n', ..] | [b'\r', b'\n', ..])
}

/// The length of a name at a place.
pub(super) fn name_length(text: &[u8]) -> usize {
    match text.first() {
        Some(first) if first.is_ascii_alphabetic() || *first == b'_' => {
            text.iter().take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-').count()
        }
        _ => 0,
    }
}

/// The end of an action that begins here: the first end of a line outside of braces.
pub(super) fn action_end(text: &[u8], start: usize) -> End {
    let mut at = start;
    let mut depth = 0i64;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\n' if depth <= 0 => return End { at, is_premature: false },
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b'/' if text.get(at + 1) == Some(&b'*') => match comment_end(text, at) {
                Some(end) => {
                    at = end;
                    continue;
                }
                None => break,
            },
            b'"' | b'\'' => {
                at = quoted_end(text, at);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    End { at: text.len(), is_premature: true }
}

/// The end of a block that begins after `%{` among the rules: the end of the line with `%}`.
pub(super) fn block_end(text: &[u8], start: usize) -> End {
    let mut at = start;
    while at < text.len() {
        if text[at..].starts_with(b"%}") {
            let at = line_end(text, at);
            return End { at, is_premature: at == text.len() };
        }
        at = match text[at..].starts_with(b"/*") {
            true => match comment_end(text, at) {
                Some(end) => end,
                None => break,
            },
            false => at + 1,
        };
    }
    End { at: text.len(), is_premature: true }
}

/// The end of a comment that begins here.
pub(super) fn comment_end(text: &[u8], start: usize) -> Option<usize> {
    let inside = start + 2;
    text.get(inside..)?.windows(2).position(|pair| pair == b"*/").map(|n| inside + n + 2)
}

/// The end of a string or character constant: after its quote, or at the end of its line.
fn quoted_end(text: &[u8], start: usize) -> usize {
    let quote = text[start];
    let mut at = start + 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            _ if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A `^` stands where the action is expected to end.
    fn check(marked: &str) {
        let at = marked.find('^').unwrap();
        let text = marked.replacen('^', "", 1);
        assert_eq!(action_end(text.as_bytes(), 0), End { at, is_premature: false }, "{marked}");
    }

    #[test]
    fn an_action_ends_with_its_line_or_its_braces() {
        check("return A;^\nb");
        check("{ a;\n  b; }  c^\nd");
        check("/* { */ a^\n}");
        check("/* a\n b */^\n");
        check("{ \"}\\\"}\" '}' '\\'' '\"'\n }^\n");
        check("{ \"open\n }^\n");
        check("} a^\n");
        check("{ // }^\n\n");
    }

    #[test]
    fn what_does_not_end_is_told() {
        assert!(action_end(b"{ a\n", 0).is_premature);
        assert!(action_end(b"/* a\n", 0).is_premature);
        assert!(action_end(b"\"a\\", 0).is_premature);
        assert!(block_end(b"a /* %} */ b\n", 0).is_premature);
        assert_eq!(block_end(b"a\n  %} rest\nb", 0), End { at: 11, is_premature: false });
    }
}
