//! C code inside a grammar file: where it ends, and which semantic values it uses.
//!
//! Only what can hide a brace or a `$` is told apart: comments, strings and characters. Everything else is bytes.

/// A piece of C code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Piece {
    Comment,
    /// A string or a character.
    Literal,
    Byte(u8),
}

/// The piece at `at` and where the next one begins. What is not closed ends with its line, a comment with the text.
fn piece(bytes: &[u8], at: usize) -> (Piece, usize) {
    let rest = &bytes[at..];
    match rest {
        [b'/', b'*', ..] => (Piece::Comment, comment_end(bytes, at).unwrap_or(bytes.len())),
        [b'/', b'/', ..] => (Piece::Comment, line_end(bytes, at)),
        [quote @ (b'"' | b'\''), ..] => (Piece::Literal, literal_end(bytes, at, *quote).unwrap_or_else(|end| end)),
        _ => (Piece::Byte(bytes[at]), at + 1),
    }
}

/// Behind `*/`, unless the comment at `at` is never closed.
pub fn comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    let inside = bytes.get(at + 2..)?;
    inside.windows(2).position(|pair| pair == b"*/").map(|length| at + 2 + length + 2)
}

/// The end of the line, but a backslash before it goes on with the next.
pub fn line_end(bytes: &[u8], at: usize) -> usize {
    let mut at = at;
    while at < bytes.len() && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { escape_length(bytes, at) } else { 1 };
    }
    at.min(bytes.len())
}

/// Behind the closing quote of the literal at `at`, or where the line ends without one.
pub fn literal_end(bytes: &[u8], at: usize, quote: u8) -> Result<usize, usize> {
    let mut at = at + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => return Err(at),
            b'\\' => at += escape_length(bytes, at),
            byte if byte == quote => return Ok(at + 1),
            _ => at += 1,
        }
    }
    Err(bytes.len())
}

/// A backslash and what it makes special; the end of a line may be two bytes.
fn escape_length(bytes: &[u8], at: usize) -> usize {
    if bytes[at..].starts_with(b"\\\r\n") {
        3
    } else {
        2
    }
}

/// Behind the brace that closes the one at `at`. The other spelling of braces, `<%` and `%>`, counts as well.
pub fn braces_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = at;
    while at < bytes.len() {
        let (piece, next) = piece(bytes, at);
        at = next;
        match piece {
            Piece::Byte(b'{') => depth += 1,
            Piece::Byte(b'<') if bytes.get(at) == Some(&b'%') => {
                depth += 1;
                at += 1;
            }
            Piece::Byte(b'}') => depth = depth.saturating_sub(1),
            Piece::Byte(b'%') if bytes.get(at) == Some(&b'>') => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            _ => continue,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Behind the `%}` that closes the `%{` at `at`.
pub fn prologue_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 2;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"%}") {
            return Some(at + 2);
        }
        at = piece(bytes, at).1;
    }
    None
}

/// A semantic value that an action uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value<'a> {
    /// `$$`
    Own,
    /// `$2`
    Position(usize),
    /// `$name` or `$[name]`
    Named(&'a str),
}

/// The semantic values that an action uses, in order.
pub fn values(code: &str) -> Vec<Value<'_>> {
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (piece, next) = piece(bytes, at);
        at = next;
        if piece == Piece::Byte(b'$') {
            let begin = at + tag_length(&bytes[at..]);
            let Some((value, length)) = value(&code[begin..]) else { continue };
            found.push(value);
            at = begin + length;
        }
    }
    found
}

/// The length of `<tag>`, or 0.
fn tag_length(bytes: &[u8]) -> usize {
    let Some((b'<', inside)) = bytes.split_first() else { return 0 };
    let length = inside.iter().position(|byte| b"<>;$\n".contains(byte)).unwrap_or(inside.len());
    if inside.get(length) == Some(&b'>') {
        length + 2
    } else {
        0
    }
}

fn value(rest: &str) -> Option<(Value<'_>, usize)> {
    if rest.starts_with('$') {
        return Some((Value::Own, 1));
    }
    let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if n_digits > 0 {
        return Some((Value::Position(rest[..n_digits].parse().unwrap_or(usize::MAX)), n_digits));
    }
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    if let Some(inside) = rest.strip_prefix('[') {
        let length = inside.bytes().take_while(|&byte| is_part(byte) || byte == b' ').count();
        let is_closed = inside[length..].starts_with(']');
        return is_closed.then(|| (Value::Named(inside[..length].trim()), length + 2));
    }
    let length = rest.bytes().take_while(|&byte| is_part(byte)).count();
    let is_name = rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '.');
    is_name.then(|| (Value::Named(&rest[..length]), length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &str, length: Option<usize>) {
        assert_eq!(braces_end(code.as_bytes(), 0), length, "{code}");
    }

    #[test]
    fn braces_in_literals_and_comments_are_none() {
        check("{ } }", Some(3));
        check("{ {} } rest", Some(6));
        check(r#"{ "}\"}" '}' '\'' } "#, Some(19));
        check("{ /* } */ // }\n }", Some(17));
        check("{ // } \\\n }\n}", Some(13));
        check("{ <% } %> }", Some(9));
        check("{ {", None);
        check("{ don't }\n}", Some(11));
    }

    #[test]
    fn a_prologue_ends_outside_literals() {
        assert_eq!(prologue_end(b"%{ \"%}\" /*%}*/ %} x", 0), Some(17));
        assert_eq!(prologue_end(b"%{ ", 0), None);
        assert_eq!(prologue_end(b"%{", 0), None);
    }

    #[test]
    fn values_are_found() {
        use Value::{Named, Own, Position};
        assert_eq!(
            values("{ $$ = $1 + $<n>2; /* $3 */ \"$4\"; $left.x = $[a b]; @5; $- }"),
            [Own, Position(1), Position(2), Named("left.x"), Named("a b")]
        );
    }
}
