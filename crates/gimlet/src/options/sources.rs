//! What the user can say about the sources of an input.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use gimlet_explore::spec::{FileSeed, SocketSeed, Variable};
use gimlet_trace::input::FILE_SOURCE;

/// What stands before and after the first `=`.
fn split(text: &OsStr) -> Option<(String, OsString)> {
    let at = text.as_bytes().iter().position(|&byte| byte == b'=')?;
    let (left, right) = (&text.as_bytes()[..at], &text.as_bytes()[at + 1..]);
    Some((String::from_utf8(left.to_vec()).ok()?, OsString::from_vec(right.to_vec())))
}

/// A name is made of letters, digits and a few signs, so that `./a=b` is a path.
pub fn file(text: OsString) -> FileSeed {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|sign| sign.is_ascii_alphanumeric() || "_-.".contains(sign));
    match split(&text) {
        Some((name, path)) if is_name(&name) => FileSeed { name, path: path.into() },
        _ => FileSeed { name: FILE_SOURCE.to_string(), path: text.into() },
    }
}

pub fn opened(text: OsString) -> Result<FileSeed, String> {
    match split(&text) {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok(FileSeed { name, path: path.into() }),
        _ => Err("not of the form PATH=FILE: the path that the program opens, the file with its content".to_string()),
    }
}

pub fn variable(text: OsString) -> Result<Variable, String> {
    let (name, value) = match split(&text) {
        Some(pair) => pair,
        None => {
            let value = std::env::var_os(&text).ok_or("it is not in the environment: give it a value, NAME=VALUE")?;
            (text.into_string().map_err(|_| "the name is not UTF-8")?, value)
        }
    };
    if name.is_empty() {
        return Err("a variable needs a name: NAME=VALUE".to_string());
    }
    Ok(Variable { name, value })
}

/// Digits before the first `=` are a port, so that `./80=x` is a path.
pub fn socket(text: OsString) -> SocketSeed {
    let port = split(&text).and_then(|(port, path)| Some((port.parse::<u16>().ok().filter(|&port| port > 0)?, path)));
    match port {
        Some((port, path)) => SocketSeed { port: Some(port), path: path.into() },
        None => SocketSeed { port: None, path: text.into() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_have_names() {
        let file = |text: &str| file(text.into());
        let seed = |name: &str, path: &str| FileSeed { name: name.into(), path: path.into() };
        assert_eq!(file("a.png"), seed("file", "a.png"));
        assert_eq!(file("dict=words=2"), seed("dict", "words=2"));
        assert_eq!(file("./a=b"), seed("file", "./a=b"));
        assert_eq!(opened("/etc/x.conf=seed".into()), Ok(seed("/etc/x.conf", "seed")));
        assert!(opened("x".into()).is_err() && opened("=x".into()).is_err() && opened("x=".into()).is_err());
        assert_eq!(variable("A=b=c".into()), Ok(Variable { name: "A".into(), value: "b=c".into() }));
        assert!(variable("=x".into()).is_err() && variable("NO_SUCH_VARIABLE".into()).is_err());
        assert_eq!(socket("80=x".into()), SocketSeed { port: Some(80), path: "x".into() });
        assert_eq!(socket("0=x".into()), SocketSeed { port: None, path: "0=x".into() });
        assert_eq!(socket("x".into()), SocketSeed { port: None, path: "x".into() });
    }
}
