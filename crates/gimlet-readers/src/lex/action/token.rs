//! C code, divided into tokens.

/// A token of C.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum C {
    Name(String),
    /// A number or character constant; `None` if it has a value that is not looked at.
    Number(Option<i64>),
    Text(Vec<u8>),
    Sign(&'static str),
    /// A preprocessor line without its `#`, continued lines joined.
    Directive(String),
}

impl C {
    pub fn is(&self, sign: &str) -> bool {
        matches!(self, C::Sign(own) if *own == sign)
    }

    pub fn name(&self) -> Option<&str> {
        match self {
            C::Name(name) => Some(name),
            _ => None,
        }
    }
}

/// Longer ones first.
const SIGNS: [&str; 47] = [
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "::", "##", "{", "}", "(", ")", "[", "]", ";", ",", ":", "?", ".", "=", "<", ">", "+", "-",
    "*", "/", "%", "&", "|", "^", "!",
];
const OTHER_SIGNS: [&str; 3] = ["~", "#", "\\"];

/// Comments are left out, and what is no token of C, too.
pub(super) fn tokens(code: &str) -> Vec<C> {
    let text = code.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut is_line_start = true;
    while at < text.len() {
        let rest = &text[at..];
        match rest {
            [b'\n', ..] => {
                is_line_start = true;
                at += 1;
                continue;
            }
            [byte, ..] if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            [b'\\', b'\n', ..] | [b'\\', b'\r', b'\n', ..] => {
                at += 2;
                continue;
            }
            [b'/', b'*', ..] => {
                at = crate::lex::code::comment_end(text, at).unwrap_or(text.len());
                continue;
            }
            [b'/', b'/', ..] => {
                at = logical_line_end(text, at);
                continue;
            }
            [b'#', ..] if is_line_start => {
                let end = logical_line_end(text, at);
                let line = code[at + 1..end].replace("\\\r\n", " ").replace("\\\n", " ");
                tokens.push(C::Directive(line.trim().to_owned()));
                at = end;
                continue;
            }
            _ => {}
        }
        is_line_start = false;
        at += token(code, at, &mut tokens);
    }
    tokens
}

/// Reads one token, and returns its length.
fn token(code: &str, at: usize, tokens: &mut Vec<C>) -> usize {
    let rest = &code.as_bytes()[at..];
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    match rest[0] {
        b'0'..=b'9' => {
            let length = rest.iter().take_while(|byte| is_name(byte) || **byte == b'.').count();
            tokens.push(C::Number(number(&code[at..at + length])));
            length
        }
        first if first.is_ascii_alphabetic() || first == b'_' => {
            let length = rest.iter().take_while(is_name).count();
            tokens.push(C::Name(code[at..at + length].to_owned()));
            length
        }
        quote @ (b'"' | b'\'') => {
            let (bytes, length) = quoted(rest);
            tokens.push(match (quote, &bytes[..]) {
                (b'"', _) => C::Text(bytes),
                (_, [byte]) => C::Number(Some(i64::from(*byte as i8))),
                _ => C::Number(None),
            });
            length
        }
        _ => match SIGNS.iter().chain(&OTHER_SIGNS).find(|sign| rest.starts_with(sign.as_bytes())) {
            Some(sign) => {
                tokens.push(C::Sign(sign));
                sign.len()
            }
            None => 1,
        },
    }
}

fn logical_line_end(text: &[u8], start: usize) -> usize {
    let mut at = start;
    loop {
        at = crate::lex::code::line_end(text, at);
        let line = text[..at].strip_suffix(b"\r").unwrap_or(&text[..at]);
        if at >= text.len() || !line.ends_with(b"\\") {
            return at;
        }
        at += 1;
    }
}

fn number(text: &str) -> Option<i64> {
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_end_matches(['u', 'l']);
    if let Some(digits) = digits.strip_prefix("0x") {
        return i64::from_str_radix(digits, 16).ok();
    }
    match digits.strip_prefix('0') {
        Some(digits) if !digits.is_empty() => i64::from_str_radix(digits, 8).ok(),
        _ => digits.parse().ok(),
    }
}

/// The bytes of a string or character constant, and its length with the quotes.
fn quoted(text: &[u8]) -> (Vec<u8>, usize) {
    let mut bytes = Vec::new();
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        if byte == text[0] {
            return (bytes, at + 1);
        }
        if byte == b'\n' {
            break;
        }
        let (byte, length) = crate::lex::pattern::escape(&text[at..]).unwrap_or((byte, 1));
        bytes.push(byte);
        at += length;
    }
    (bytes, at.min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &str, expected: &str) {
        let shown: Vec<String> = tokens(code)
            .iter()
            .map(|token| match token {
                C::Name(name) => name.clone(),
                C::Number(number) => number.map_or("?".to_owned(), |number| number.to_string()),
                C::Text(bytes) => format!("\"{}\"", bytes.escape_ascii()),
                C::Sign(sign) => (*sign).to_owned(),
                C::Directive(line) => format!("#{line}"),
            })
            .collect();
        assert_eq!(shown.join(" "), expected, "{code}");
    }

    #[test]
    fn tokens_of_c() {
        check(
            "return yytext[0]; // x\n/* y */ a->b <<= 0x1F + 010uL 'a' '\\n' 'ab' 1.5",
            "return yytext [ 0 ] ; a -> b <<= 31 + 8 97 10 ? ?",
        );
        check("# define A \\\n  b\n  #if 1\nx # y", "#define A    b #if 1 x # y");
        check("\"a\\\"\\x41\" \"open\n b", "\"a\\\"A\" \"open\" b");
        check("\"a\\", "\"a\\\\\"");
        check("é", "");
    }
}
