//! What the examples say about grammars, as a table.

use std::fmt::Write;

use anyhow::{Context, Result};

/// The most that symbolic strings may take, as many as these or more.
const N_STRINGS_TIMED: u64 = 1_000_000;
const FIRST_MS_MAX: f64 = 10.0;
const ALL_S_MAX: f64 = 10.0;
const MEMORY_MB_MAX: f64 = 200.0;

/// What became of sentences of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Sentences {
    n_all: u64,
    n_back: u64,
    n_wrong: u64,
}

impl Sentences {
    fn shown(sentences: Option<Sentences>) -> String {
        sentences.map_or("-".to_owned(), |it| format!("{} of {}", it.n_back, it.n_all))
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Strings {
    n_all: u64,
    first_ms: f64,
    all_s: f64,
    memory_mb: f64,
}

impl Strings {
    /// Lines `NAME: NUMBER UNIT`.
    pub fn parse(said: &str) -> Result<Strings> {
        let value = |name: &str| -> Result<f64> {
            let line = said.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            let number = line.and_then(|line| line.split([' ', ',']).next()?.parse().ok());
            number.with_context(|| format!("the strings have no {name}"))
        };
        Ok(Strings {
            n_all: value("strings")? as u64,
            first_ms: value("first")?,
            all_s: value("all")? / 1e3,
            memory_mb: value("memory")? / 1e3,
        })
    }

    fn complaints(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        let mut limit = |what: &str, value: f64, most: f64| {
            if value > most {
                complaints.push(format!("{what}: {value:.1}, at most {most:.0}"));
            }
        };
        limit("ms to the first string", self.first_ms, FIRST_MS_MAX);
        if self.n_all <= N_STRINGS_TIMED {
            limit("s to the last string", self.all_s, ALL_S_MAX);
            limit("MB for all strings", self.memory_mb, MEMORY_MB_MAX);
        }
        complaints
    }
}

/// A grammar.
#[derive(Default)]
pub struct Row {
    name: String,
    /// Rules and tokens.
    bison: Option<(u64, u64)>,
    /// Rules of the scanner.
    flex: Option<u64>,
    sampled: Option<Sentences>,
    enumerated: Option<Sentences>,
    strings: Option<Strings>,
    complaints: Vec<String>,
}

impl Row {
    pub fn new(name: &str) -> Row {
        Row { name: name.to_owned(), ..Row::default() }
    }

    pub fn fail(&mut self, complaint: String) {
        println!("  FAILED  {complaint}");
        self.complaints.push(complaint);
    }

    /// What is said about a file: `FILE: same, 52 rules, ..`, or what is not.
    fn verdict<'a>(&mut self, tool: &str, said: &'a str) -> Option<&'a str> {
        let verdict = said.lines().next().and_then(|line| line.split_once(": ")).map_or(said, |(_, verdict)| verdict);
        if verdict.starts_with("same") {
            println!("  {tool}: {verdict}");
            return Some(verdict);
        }
        self.fail(format!("{tool}: {}", said.trim()));
        None
    }

    pub fn flex(&mut self, said: &str) {
        self.flex = self.verdict("flex", said).and_then(|verdict| number(verdict, "rules"));
    }

    pub fn bison(&mut self, said: &str) {
        let verdict = self.verdict("bison", said);
        self.bison = verdict.and_then(|verdict| Some((number(verdict, "rules")?, number(verdict, "tokens")?)));
    }

    pub fn texts(&mut self, said: &str) {
        for line in said.lines() {
            println!("  {line}");
            let kind = match line.split_once(": ") {
                Some(("sampled", rest)) => Some((&mut self.sampled, rest)),
                Some(("enumerated", rest)) => Some((&mut self.enumerated, rest)),
                _ => None,
            };
            if let Some((kind, rest)) = kind {
                let count = |what| number(rest, what).unwrap_or(0);
                *kind =
                    Some(Sentences { n_all: count("sentences"), n_back: count("come back"), n_wrong: count("wrong") });
            }
        }
        match (self.sampled, self.enumerated) {
            (Some(sampled), Some(enumerated)) => {
                let n_wrong = sampled.n_wrong + enumerated.n_wrong;
                if n_wrong > 0 {
                    self.fail(format!("{n_wrong} sentences are wrong"));
                }
            }
            _ => self.fail("there are no sentences".to_owned()),
        }
    }

    pub fn strings(&mut self, strings: Strings) {
        let Strings { n_all, first_ms, all_s, memory_mb } = strings;
        println!("  {n_all} strings: the first in {first_ms:.1} ms, all in {all_s:.1} s, {memory_mb:.0} MB");
        strings.complaints().into_iter().for_each(|complaint| self.fail(complaint));
        self.strings = Some(strings);
    }

    fn line(&self) -> String {
        let or_none = |number: Option<u64>| number.map_or("-".to_owned(), |number| number.to_string());
        let strings = self.strings.map_or(String::new(), |strings| {
            format!("  {:6.1} ms {:7.1} s {:5.0} MB", strings.first_ms, strings.all_s, strings.memory_mb)
        });
        let by = match (self.sampled, self.flex) {
            (None, _) => "-",
            (_, Some(_)) => "flex, bison",
            (_, None) => "bison",
        };
        format!(
            "{:12} {:>6} {:>6} {:>6}  {:>16} {:>16}  {by:11}  {:8}{strings}",
            self.name,
            or_none(self.bison.map(|bison| bison.0)),
            or_none(self.bison.map(|bison| bison.1)),
            or_none(self.flex),
            Sentences::shown(self.sampled),
            Sentences::shown(self.enumerated),
            if self.complaints.is_empty() { "yes" } else { "NO" }
        )
        .trim_end()
        .to_owned()
    }
}

/// The number before a word: `3` of `same, 3 rules`.
fn number(text: &str, what: &str) -> Option<u64> {
    let mut parts = text.split(", ").map(str::trim);
    parts.find_map(|part| part.strip_suffix(what)?.trim().parse().ok())
}

#[derive(Default)]
pub struct Report {
    pub rows: Vec<Row>,
}

impl Report {
    pub fn is_good(&self) -> bool {
        self.rows.iter().all(|row| row.complaints.is_empty())
    }

    pub fn text(&self, n_strings: u64) -> String {
        let mut text = String::from("equal to bison's and flex's files; sentences as texts that come back\n");
        let _ = writeln!(
            text,
            "grammar       rules tokens  lexer           sampled       enumerated  checked by   equal     {n_strings} strings: first, all, memory"
        );
        for row in &self.rows {
            let _ = writeln!(text, "{}", row.line());
        }
        for row in &self.rows {
            for complaint in &row.complaints {
                let _ = writeln!(text, "FAILED  {}: {complaint}", row.name);
            }
        }
        text.trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_examples_are_read() {
        let mut row = Row::new("x");
        row.flex("x.l: same, 32 rules, 2 conditions, 90 states, 0 unknown\n0 files differ\n");
        row.bison("x.y: same, 52 rules, 40 tokens, 99 states\n0 files differ\n");
        row.texts(
            "1 tokens have no text: A\nsampled: 9 sentences, 8 come back, 1 without text, 0 doubtful, 0 wrong, \
             3 more refused by both parsers\n  without text 1 x a, such as b\n\
             enumerated: 5 sentences, 5 come back, 0 without text, 0 doubtful, 0 wrong, 0 more refused by both parsers\n",
        );
        assert_eq!((row.flex, row.bison), (Some(32), Some((52, 40))));
        assert_eq!(row.sampled, Some(Sentences { n_all: 9, n_back: 8, n_wrong: 0 }));
        assert_eq!(row.enumerated, Some(Sentences { n_all: 5, n_back: 5, n_wrong: 0 }));
        assert!(row.complaints.is_empty());
        row.bison("x.y: DIFFERENT, 52 rules, 40 tokens, 99 states\n    rule 1: a, bison: b\n");
        row.texts("sampled: 1 sentences, 0 come back, 0 without text, 0 doubtful, 1 wrong\n");
        assert_eq!(row.complaints.len(), 2);
    }

    #[test]
    fn strings_are_held_against_limits() {
        let said = "first: 12.5 ms\n1 0 \"a\"\nstrings: 100, 0 without text\nall: 11000.0 ms\nmemory: 90000 kB\n";
        let strings = Strings::parse(said).unwrap();
        assert_eq!(strings, Strings { n_all: 100, first_ms: 12.5, all_s: 11.0, memory_mb: 90.0 });
        assert_eq!(strings.complaints().len(), 2);
        assert!(Strings::parse("first: 1 ms\n").is_err());
    }
}
