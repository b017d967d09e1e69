//! Response files: `@FILE` stands for the arguments in FILE.
//!
//! Quoting is GNU's, which is clang's default on Linux: white space separates,
//! single and double quotes group, a backslash takes the next character as it
//! is. A file may name others. An `@NAME` that can't be read stands for itself.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use anyhow::{bail, Result};

/// Files that name themselves in a circle are noticed at this depth.
const DEPTH_MAX: usize = 32;

/// The arguments with every response file replaced by its content.
pub fn expand(args: &[OsString]) -> Result<Vec<OsString>> {
    let mut out = Vec::new();
    expand_into(args, 0, &mut out)?;
    Ok(out)
}

fn expand_into(args: &[OsString], depth: usize, out: &mut Vec<OsString>) -> Result<()> {
    for arg in args {
        match arg.as_bytes().strip_prefix(b"@").and_then(|name| std::fs::read(Path::new(OsStr::from_bytes(name))).ok())
        {
            Some(_) if depth == DEPTH_MAX => bail!("response file {} names itself", arg.to_string_lossy()),
            Some(text) => expand_into(&tokens(&text), depth + 1, out)?,
            None => out.push(arg.clone()),
        }
    }
    Ok(())
}

/// The arguments in the text of a response file.
fn tokens(text: &[u8]) -> Vec<OsString> {
    let mut tokens = Vec::new();
    let mut token: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => token.get_or_insert_with(Vec::new).extend(bytes.next()),
            (b'\'' | b'"', None) => {
                quote = Some(byte);
                token.get_or_insert_with(Vec::new);
            }
            (_, Some(open)) if byte == open => quote = None,
            (_, None) if byte.is_ascii_whitespace() => tokens.extend(token.take().map(OsString::from_vec)),
            _ => token.get_or_insert_with(Vec::new).push(byte),
        }
    }
    tokens.extend(token.map(OsString::from_vec));
    tokens
}

/// The text of a response file that stands for `args`.
pub fn quote(args: &[OsString]) -> Vec<u8> {
    let mut text = Vec::new();
    for arg in args {
        text.push(b'"');
        for &byte in arg.as_bytes() {
            if matches!(byte, b'"' | b'\\') {
                text.push(b'\\');
            }
            text.push(byte);
        }
        text.extend_from_slice(b"\"\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn os(args: &[&str]) -> Vec<OsString> {
        args.iter().map(OsString::from).collect()
    }

    #[test]
    fn quoting() {
        assert_eq!(
            tokens(b"-c a.c\n-DX=\"a b\"  'it''s' \\\"q\\\" \"\"\n"),
            os(&["-c", "a.c", "-DX=a b", "its", "\"q\"", ""])
        );
    }

    #[test]
    fn quote_is_read_back() {
        let args = os(&["-DX=\"a b\"", "", "back\\slash", "it's", "new\nline"]);
        assert_eq!(tokens(&quote(&args)), args);
    }

    #[test]
    fn files_nest_and_circles_end() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| format!("@{}", dir.path().join(name).display());
        std::fs::write(dir.path().join("inner"), "-O2 b.c").unwrap();
        std::fs::write(dir.path().join("outer"), format!("a.c {}", at("inner"))).unwrap();
        std::fs::write(dir.path().join("circle"), at("circle")).unwrap();
        assert_eq!(expand(&os(&["-c", &at("outer"), "@none"])).unwrap(), os(&["-c", "a.c", "-O2", "b.c", "@none"]));
        assert!(expand(&os(&[&at("circle")])).is_err());
    }
}
