//! The `//~` lines at the top of a test program. tests/programs/README.md is their manual.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{anyhow, bail, ensure, Context, Result};

use crate::process::End;

/// What a test program says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Directives {
    pub stdin: Vec<u8>,
    /// Content of files by name; that for `@@` is named "file".
    pub files: Vec<(String, Vec<u8>)>,
    /// Content of files that the program opens by this path.
    pub opened: Vec<(String, Vec<u8>)>,
    pub variables: Vec<(String, String)>,
    /// What peers send, at which port.
    pub sockets: Vec<(Option<u16>, Vec<u8>)>,
    /// Standard output, for programs that have sockets.
    pub prints: Option<Vec<u8>>,
    pub args: Vec<String>,
    pub has_symbolic_args: bool,
    /// Models of string functions decide by branches.
    pub has_string_branches: bool,
    pub end: End,
    pub flags: Vec<String>,
    /// Reasons for which dependencies are lost, and rightly so.
    pub loses: Vec<String>,
    /// `name = expression` of what it observes.
    pub observes: Vec<String>,
    /// It calls library functions that have no model yet.
    pub needs_models: bool,
    /// Threads: two runs on one input may differ.
    pub has_threads: bool,
    /// Too slow for all that the short test does with others.
    pub is_slow: bool,
}

/// A source whose content is in a file outside the program.
#[derive(Clone, Copy, Debug)]
pub enum Kept<'a> {
    File(&'a str),
    Opened(&'a str),
    Socket(usize),
}

/// The name of the file whose path stands for `@@`.
pub const FILE: &str = "file";

/// What stands in an argument for the path of a file.
pub fn place(name: &str) -> String {
    if name == FILE {
        "@@".to_owned()
    } else {
        format!("@{name}@")
    }
}

/// Names of signals that programs are expected to end with.
const SIGNALS: &[(&str, i32)] = &[
    ("SIGILL", 4),
    ("SIGTRAP", 5),
    ("SIGABRT", 6),
    ("SIGBUS", 7),
    ("SIGFPE", 8),
    ("SIGKILL", 9),
    ("SIGUSR1", 10),
    ("SIGSEGV", 11),
    ("SIGUSR2", 12),
    ("SIGPIPE", 13),
    ("SIGALRM", 14),
    ("SIGTERM", 15),
];

impl Directives {
    /// Reads the directives of a program.
    pub fn parse(source: &str) -> Result<Directives> {
        let mut directives = Directives::none();
        for (index, line) in source.lines().enumerate() {
            if let Some(directive) = line.trim_start().strip_prefix("//~") {
                directives.read(directive.trim()).with_context(|| format!("line {}", index + 1))?;
            }
        }
        directives.check()?;
        Ok(directives)
    }

    /// Those of a program that says nothing.
    pub fn none() -> Directives {
        Directives {
            stdin: Vec::new(),
            files: Vec::new(),
            opened: Vec::new(),
            variables: Vec::new(),
            sockets: Vec::new(),
            prints: None,
            args: Vec::new(),
            has_symbolic_args: false,
            has_string_branches: false,
            end: End::Exit(0),
            flags: Vec::new(),
            loses: Vec::new(),
            observes: Vec::new(),
            needs_models: false,
            has_threads: false,
            is_slow: false,
        }
    }

    /// Directives that go together are together.
    pub fn check(&self) -> Result<()> {
        let has_place = |place: &str| self.args.iter().any(|arg| arg.contains(place));
        ensure!(!has_place("@@") || self.files.iter().any(|(name, _)| name == FILE), "@@ without FILE");
        for (name, _) in &self.files {
            ensure!(has_place(&place(name)), "FILE without an argument with {}", place(name));
        }
        ensure!(self.sockets.is_empty() != self.prints.is_some(), "SOCKET and PRINTS go together");
        Ok(())
    }

    /// Options of gimlet for every source but standard input; `path` says where their contents are.
    pub fn options(&self, path: impl Fn(Kept) -> PathBuf) -> Vec<OsString> {
        let mut options: Vec<OsString> = Vec::new();
        let mut give = |option: &str, name: &str, value: OsString| {
            let mut text = OsString::from(name);
            text.push(if name.is_empty() { "" } else { "=" });
            text.push(value);
            options.extend([option.into(), text]);
        };
        for (name, _) in &self.files {
            give("--file", if name == FILE { "" } else { name }, path(Kept::File(name)).into());
        }
        for (opened, _) in &self.opened {
            give("--open", opened, path(Kept::Opened(opened)).into());
        }
        for (name, value) in &self.variables {
            give("--env", name, value.into());
        }
        for (index, (port, _)) in self.sockets.iter().enumerate() {
            let port = port.map_or(String::new(), |port| port.to_string());
            give("--socket", &port, path(Kept::Socket(index)).into());
        }
        if self.has_symbolic_args {
            options.push("--symbolic-args".into());
        }
        if self.has_string_branches {
            options.extend(["--strings".into(), "branches".into()]);
        }
        options
    }

    /// Takes one directive, without its `//~`.
    pub fn read(&mut self, directive: &str) -> Result<()> {
        let (head, value) = directive.split_once(':').unwrap_or((directive, ""));
        let (name, of) = head.split_once(' ').unwrap_or((head, ""));
        let value = value.trim();
        match name {
            "FILE" if of.is_empty() => self.files.push((FILE.to_owned(), quoted(value)?)),
            "FILE" => self.files.push((of.to_owned(), quoted(value)?)),
            "OPEN" if !of.is_empty() => self.opened.push((of.to_owned(), quoted(value)?)),
            "ENV" if !of.is_empty() => {
                self.variables.push((of.to_owned(), String::from_utf8(quoted(value)?).context("not UTF-8")?));
            }
            "SOCKET" if of.is_empty() => self.sockets.push((None, quoted(value)?)),
            "SOCKET" => self.sockets.push((Some(of.parse().context("not a port")?), quoted(value)?)),
            _ if !of.is_empty() => bail!("unknown directive '{directive}'"),
            "PRINTS" => self.prints = Some(quoted(value)?),
            "STDIN" => self.stdin = quoted(value)?,
            "ARGS" => self.args = words(value)?,
            "SYMBOLIC-ARGS" => self.has_symbolic_args = true,
            "STRINGS" if value == "branches" => self.has_string_branches = true,
            "EXIT" => self.end = End::Exit(value.parse().with_context(|| format!("status '{value}'"))?),
            "SIGNAL" => self.end = End::Signal(signal(value)?),
            "FLAGS" => self.flags = words(value)?,
            "LOSES" => self.loses.push(value.to_owned()),
            "OBSERVES" => self.observes.push(value.to_owned()),
            "NEEDS" if value == "models" => self.needs_models = true,
            "THREADS" => self.has_threads = true,
            "SLOW" => self.is_slow = true,
            _ => bail!("unknown directive '{directive}'"),
        }
        Ok(())
    }
}

fn signal(name: &str) -> Result<i32> {
    let known = SIGNALS.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
    known.ok_or_else(|| anyhow!("unknown signal '{name}'"))
}

/// The bytes of a string literal.
pub fn quoted(text: &str) -> Result<Vec<u8>> {
    let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).context("not in quotes")?;
    unescape(inner)
}

/// The escapes of C, with exactly two digits after `\x`.
fn unescape(text: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next().context("a backslash at the end")? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'0' => 0,
            b'x' => {
                let digits = [rest.next().unwrap_or(b'?'), rest.next().unwrap_or(b'?')];
                u8::from_str_radix(&String::from_utf8_lossy(&digits), 16).context("\\x needs two digits")?
            }
            same @ (b'\\' | b'"' | b'\'') => same,
            other => bail!("unknown escape \\{}", char::from(other)),
        });
    }
    Ok(bytes)
}

/// Words between blanks; a word may be a string literal.
pub fn words(text: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = match rest.strip_prefix('"') {
            Some(inner) => 2 + closing_quote(inner).context("a quote is not closed")?,
            None => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        };
        let (word, next) = rest.split_at(end);
        words.push(match word.starts_with('"') {
            true => String::from_utf8(quoted(word)?).context("an argument that is not UTF-8")?,
            false => word.to_owned(),
        });
        rest = next.trim_start();
    }
    Ok(words)
}

/// Where the next quote is that no backslash precedes.
fn closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read() {
        let source = "// A program.\n//~ STDIN: \"a\\x00\\n\\\"\"\n//~ ARGS: -n \"two words\" @@\n//~ FILE: \"f\"\n//~ SIGNAL: SIGABRT\n\
                      //~ LOSES: float\n//~ NEEDS: models\n//~ FLAGS: -lm\nint main(void) {}\n";
        let directives = Directives::parse(source).unwrap();
        assert_eq!(directives.stdin, b"a\0\n\"");
        assert_eq!(directives.args, ["-n", "two words", "@@"]);
        assert_eq!(directives.files, [("file".to_owned(), b"f".to_vec())]);
        assert_eq!(directives.end, End::Signal(6));
        assert_eq!(directives.flags, ["-lm"]);
        assert!(directives.loses == ["float"] && directives.needs_models && !directives.has_symbolic_args);
    }

    #[test]
    fn sources_have_names() {
        let source =
            "//~ ARGS: @a@ @b@\n//~ FILE a: \"1\"\n//~ FILE b: \"2\"\n//~ OPEN x/y.ini: \"3\"\n//~ ENV A: \"b c\"\n\
                      //~ SOCKET: \"4\"\n//~ SOCKET 80: \"5\"\n//~ PRINTS: \"6\"\n";
        let directives = Directives::parse(source).unwrap();
        assert_eq!(directives.files, [("a".to_owned(), b"1".to_vec()), ("b".to_owned(), b"2".to_vec())]);
        assert_eq!(directives.opened, [("x/y.ini".to_owned(), b"3".to_vec())]);
        assert_eq!(directives.variables, [("A".to_owned(), "b c".to_owned())]);
        assert_eq!(directives.sockets, [(None, b"4".to_vec()), (Some(80), b"5".to_vec())]);
        assert_eq!(directives.prints.as_deref(), Some(&b"6"[..]));
    }

    #[test]
    fn mistakes_are_errors() {
        for bad in [
            "//~ STDINN: \"\"",
            "//~ STDIN: a",
            "//~ EXIT: x",
            "//~ STRINGS: tree",
            "//~ SIGNAL: SIGFOO",
            "//~ ARGS: @@",
            "//~ FILE a: \"\"",
            "//~ ENV: \"x\"",
            "//~ SOCKET: \"x\"",
            "//~ STDIN x: \"\"",
            "//~ STDIN: \"\\x4\"",
        ] {
            assert!(Directives::parse(bad).is_err(), "{bad}");
        }
    }
}
