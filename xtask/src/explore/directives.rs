//! The `//~` lines of programs to explore. tests/explore/README.md is their manual.

use anyhow::{bail, ensure, Context, Result};
use gimlet_trace::finding::Kind;

use super::sources::{Sources, STDIN};
use crate::process::End;
use crate::programs::directives::{self as inputs, quoted, words, FILE};

/// What a program says of itself and of what is to be found in it.
#[derive(Clone, Debug)]
pub struct Directives {
    /// Sources and arguments, as other test programs have them.
    pub inputs: inputs::Directives,
    /// Bytes that nothing is known of, in place of a seed.
    pub len: Option<usize>,
    pub len_max: Option<usize>,
    pub strategy: Option<String>,
    pub budget: Option<String>,
    pub steps: Option<u64>,
    /// Further options of `gimlet run`.
    pub options: Vec<String>,
    pub finds: Vec<Expected>,
    /// Lines, from 1, that a finding may be in.
    pub here: Vec<u64>,
    /// An input that shows the first of the findings; nothing that Gimlet is told.
    pub solution: Option<Sources>,
    pub paths: Option<u64>,
    pub tests: Option<u64>,
    /// Sources of an input that must be among the tests.
    pub test: Option<Sources>,
    pub is_exhausted: Option<bool>,
    /// Texts that `gimlet run` prints.
    pub says: Vec<String>,
    pub exit: Option<Exit>,
    /// Two runs on one input may differ.
    pub may_diverge: bool,
    /// It is part of the short test.
    pub is_quick: bool,
    /// Its bug is in what is done with text, and `SCALE` makes its buffers larger.
    pub is_text: bool,
}

/// A finding that there must be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    pub kind: Kind,
    pub function: String,
}

/// The exit status of `gimlet run`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    Status(i32),
    /// Whatever it is, it is no crash and no error.
    Any,
}

/// Directives that mean here what they mean in tests/programs.
const INPUTS: &[&str] = &["STDIN", "FILE", "OPEN", "ENV", "ARGS", "SYMBOLIC-ARGS", "STRINGS", "FLAGS"];

/// What marks a line that a finding may be in.
const HERE: &str = "//~ HERE";

/// How the build ends on which findings of a kind are replayed: PROG.memory for errors of memory, else PROG.plain.
pub fn end(kind: Kind) -> End {
    match kind {
        Kind::Segv | Kind::NullDereference | Kind::WildDereference => End::Signal(11),
        Kind::DivisionByZero | Kind::DivisionOverflow => End::Signal(8),
        Kind::Trap => End::Signal(4),
        Kind::Timeout => End::TimedOut,
        Kind::OutOfMemory => End::OutOfMemory,
        _ if goes_on(kind) => End::Exit(0),
        _ => End::Signal(6),
    }
}

/// Whether a run goes on as if nothing were wrong: such an error takes two runs, labels, or an option to see.
pub fn goes_on(kind: Kind) -> bool {
    matches!(kind, Kind::Uninitialised | Kind::AllocationOverflow | Kind::Leak)
}

impl Directives {
    /// Reads the directives of a program.
    pub fn parse(source: &str) -> Result<Directives> {
        let mut directives = Directives {
            inputs: inputs::Directives::none(),
            len: None,
            len_max: None,
            strategy: None,
            budget: None,
            steps: None,
            options: Vec::new(),
            finds: Vec::new(),
            here: Vec::new(),
            solution: None,
            paths: None,
            tests: None,
            test: None,
            is_exhausted: None,
            says: Vec::new(),
            exit: None,
            may_diverge: false,
            is_quick: false,
            is_text: false,
        };
        for (number, line) in (1..).zip(source.lines()) {
            if line.trim_end().ends_with(HERE) {
                directives.here.push(number);
            } else if let Some(directive) = line.trim_start().strip_prefix("//~") {
                directives.read(directive.trim()).with_context(|| format!("line {number}"))?;
            }
        }
        directives.inputs.check()?;
        let primary = directives.primary();
        for sources in directives.solution.iter_mut().chain(&mut directives.test) {
            sources.rename("", primary);
        }
        ensure!(directives.solution.is_none() || directives.finds.len() == 1, "SOLUTION belongs to one FINDS");
        ensure!(directives.here.is_empty() || !directives.finds.is_empty(), "HERE without FINDS");
        Ok(directives)
    }

    fn read(&mut self, directive: &str) -> Result<()> {
        let (head, value) = directive.split_once(':').unwrap_or((directive, ""));
        let (name, of) = head.split_once(' ').unwrap_or((head, ""));
        let value = value.trim();
        let number = || value.parse::<u64>().with_context(|| format!("'{value}' is no number"));
        match name {
            _ if INPUTS.contains(&name) => self.inputs.read(directive)?,
            "SOLUTION" => self.solution.get_or_insert_with(Sources::default).set(of, quoted(value)?),
            "TEST" => self.test.get_or_insert_with(Sources::default).set(of, quoted(value)?),
            _ if !of.is_empty() => bail!("unknown directive '{directive}'"),
            "LEN" => self.len = Some(number()? as usize),
            "MAX-LEN" => self.len_max = Some(number()? as usize),
            "STRATEGY" => self.strategy = Some(value.to_owned()),
            "BUDGET" => self.budget = Some(value.to_owned()),
            "STEPS" => self.steps = Some(number()?),
            "OPTIONS" => self.options = words(value)?,
            "FINDS" => self.finds.push(expected(value)?),
            "PATHS" => self.paths = Some(number()?),
            "TESTS" => self.tests = Some(number()?),
            "EXHAUSTED" => self.is_exhausted = Some(yes_or_no(value)?),
            "SAYS" => self.says.push(String::from_utf8(quoted(value)?).context("not UTF-8")?),
            "EXIT" if value == "any" => self.exit = Some(Exit::Any),
            "EXIT" => self.exit = Some(Exit::Status(number()? as i32)),
            "DIVERGES" => self.may_diverge = true,
            "QUICK" => self.is_quick = true,
            "TEXT" => self.is_text = true,
            _ => bail!("unknown directive '{directive}'"),
        }
        Ok(())
    }

    /// The source that a test of a single file is for.
    pub fn primary(&self) -> &'static str {
        if self.inputs.files.iter().any(|(name, _)| name == FILE) {
            FILE
        } else {
            STDIN
        }
    }

    /// The sources of the input that the search starts from.
    pub fn seed(&self) -> Sources {
        let mut sources = Sources::default();
        let unknown = self.len.map(|len| vec![0; len]);
        sources.set(STDIN, unknown.unwrap_or_else(|| self.inputs.stdin.clone()));
        let files = self.inputs.files.iter().chain(&self.inputs.opened);
        files.for_each(|(name, bytes)| sources.set(name, bytes.clone()));
        self.inputs
            .variables
            .iter()
            .for_each(|(name, value)| sources.set(&format!("${name}"), value.as_bytes().into()));
        sources
    }
}

fn expected(value: &str) -> Result<Expected> {
    let (kind, function) = value.split_once(' ').context("FINDS: kind function")?;
    let kind = Kind::from_name(kind).with_context(|| format!("unknown kind '{kind}'; kinds are {}", Kind::names()))?;
    Ok(Expected { kind, function: function.trim().to_owned() })
}

fn yes_or_no(value: &str) -> Result<bool> {
    match value {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => bail!("'{value}' is neither yes nor no"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read() {
        let source = "// A program.\n//~ ARGS: @@ @key@\n//~ FILE: \"f\"\n//~ FILE key: \"k\"\n//~ LEN: 4\n\
                      //~ FINDS: division-by-zero half\n//~ SOLUTION: \"\\x00\"\n//~ SOLUTION key: \"2\"\n\
                      //~ BUDGET: 5s\n//~ EXIT: 10\n//~ EXHAUSTED: no\n\
                      int half(int x) { return 1 / x; } //~ HERE\n";
        let directives = Directives::parse(source).unwrap();
        assert_eq!(directives.finds, [Expected { kind: Kind::DivisionByZero, function: "half".to_owned() }]);
        assert_eq!(directives.here, [12]);
        assert_eq!(directives.primary(), "file");
        let solution = directives.solution.clone().unwrap();
        assert_eq!((solution.get("file"), solution.get("key")), (Some(&b"\0"[..]), Some(&b"2"[..])));
        assert_eq!(directives.seed().get(STDIN), Some(&[0; 4][..]));
        assert_eq!((directives.exit, directives.is_exhausted), (Some(Exit::Status(10)), Some(false)));
    }

    #[test]
    fn mistakes_are_errors() {
        for bad in [
            "//~ FINDS: abort",
            "//~ FINDS: bug main",
            "//~ SOLUTION: \"x\"",
            "abort(); //~ HERE",
            "//~ LEN: many",
            "//~ EXHAUSTED: perhaps",
            "//~ SOCKET: \"x\"",
            "//~ PATHS n: 3",
            "//~ EXIT: soon",
        ] {
            assert!(Directives::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn runs_end_by_kind() {
        assert_eq!(end(Kind::HeapOutOfBounds), End::Signal(6));
        assert_eq!(end(Kind::WildDereference), End::Signal(11));
        assert_eq!(end(Kind::Leak), End::Exit(0));
        assert_eq!(end(Kind::Timeout), End::TimedOut);
    }
}
