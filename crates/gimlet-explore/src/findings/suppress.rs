//! Findings that the user does not want to be told of.
//!
//! A rule is `KIND[:FUNCTION[:FILE]]`, as in `heap-out-of-bounds:parse_*:lexer.c`. Each part may have stars, which stand for
//! any text. FUNCTION and FILE are those of the place that the finding is told at: its innermost function that is the
//! program's own. FILE is the whole path, or what comes behind a slash.

use std::fmt;
use std::str::FromStr;

use gimlet_exec::locate::Frame;
use gimlet_report::Kind;

/// One rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    kind: String,
    function: Option<String>,
    file: Option<String>,
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Rule, String> {
        let mut parts = text.splitn(3, ':').map(str::trim);
        let kind = parts.next().unwrap_or_default().to_owned();
        if !Kind::ALL.iter().any(|known| matches(&kind, known.name())) {
            return Err(format!("'{kind}' is no kind of finding; kinds are {}", Kind::names()));
        }
        let mut part = || parts.next().filter(|part| !part.is_empty()).map(str::to_owned);
        Ok(Rule { kind, function: part(), file: part() })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.kind)?;
        match (&self.function, &self.file) {
            (None, None) => Ok(()),
            (function, None) => write!(f, ":{}", function.as_deref().unwrap_or_default()),
            (function, Some(file)) => write!(f, ":{}:{file}", function.as_deref().unwrap_or_default()),
        }
    }
}

impl Rule {
    /// Reads a file with a rule in each line; what comes behind a `#` is a comment.
    pub fn read_all(text: &str) -> Result<Vec<Rule>, String> {
        let lines = text.lines().enumerate();
        let lines = lines.map(|(number, line)| (number + 1, line.split('#').next().unwrap_or_default().trim()));
        let rule = |(number, line): (usize, &str)| line.parse().map_err(|error| format!("line {number}: {error}"));
        lines.filter(|(_, line)| !line.is_empty()).map(rule).collect()
    }

    fn is_about(&self, kind: Kind, place: Option<&Frame>) -> bool {
        let function = place.map(|frame| frame.function.as_str()).unwrap_or_default();
        let file = place.and_then(|frame| frame.file.as_deref()).unwrap_or_default();
        let is_file = |pattern: &str| {
            let ends = file.match_indices('/').map(|(at, _)| &file[at + 1..]);
            std::iter::once(file).chain(ends).any(|end| matches(pattern, end))
        };
        matches(&self.kind, kind.name())
            && self.function.as_deref().is_none_or(|pattern| matches(pattern, function))
            && self.file.as_deref().is_none_or(is_file)
    }
}

/// Whether a text is as a pattern with stars says.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(start) else { return false };
    (0..=text.len()).filter(|&at| text.is_char_boundary(at)).any(|at| matches(rest, &text[at..]))
}

/// The rules of a search, with the runs that each has hidden.
#[derive(Clone, Debug, Default)]
pub struct Suppressions {
    rules: Vec<(Rule, u64)>,
}

impl Suppressions {
    pub fn new(rules: Vec<Rule>) -> Suppressions {
        Suppressions { rules: rules.into_iter().map(|rule| (rule, 0)).collect() }
    }

    /// Whether nobody is told of a finding; it is counted then.
    pub fn hide(&mut self, kind: Kind, place: Option<&Frame>) -> bool {
        let rule = self.rules.iter_mut().find(|(rule, _)| rule.is_about(kind, place));
        rule.map(|(_, n_runs)| *n_runs += 1).is_some()
    }

    /// Each rule, with the number of runs that it was about.
    pub fn all(&self) -> impl Iterator<Item = (&Rule, u64)> {
        self.rules.iter().map(|(rule, n_runs)| (rule, *n_runs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_hidden(rule: &str, kind: Kind, function: &str, file: &str) -> bool {
        let frame = Frame { function: function.into(), file: Some(file.into()), line: 3, is_program: true };
        Suppressions::new(vec![rule.parse().unwrap()]).hide(kind, Some(&frame))
    }

    #[test]
    fn rules_name_kinds_functions_and_files() {
        let kind = Kind::HeapOutOfBounds;
        for rule in ["heap-out-of-bounds", "heap-*", "*", "*:parse", "heap*:pa*e", "*:*:src/lex.c", "*::lex.c", "*::l*"]
        {
            assert!(is_hidden(rule, kind, "parse", "/x/src/lex.c"), "{rule}");
        }
        for rule in ["abort", "stack*", "*:pars", "*:parse:le.c", "*::ex.c", "heap-out-of-bounds:main"] {
            assert!(!is_hidden(rule, kind, "parse", "/x/src/lex.c"), "{rule}");
        }
    }

    #[test]
    fn unknown_kinds_are_errors() {
        assert!("heap".parse::<Rule>().is_err() && "".parse::<Rule>().is_err() && ":f".parse::<Rule>().is_err());
        let error = Rule::read_all("# known\nleak  # all of them\n\nfrob:x\n").unwrap_err();
        assert!(error.starts_with("line 4: 'frob'"), "{error}");
    }

    #[test]
    fn a_rule_is_written_as_it_was_read() {
        for rule in ["leak", "abort:main", "abort:f*:a.c", "abort::a.c"] {
            assert_eq!(rule.parse::<Rule>().unwrap().to_string(), rule);
        }
    }

    #[test]
    fn what_is_hidden_is_counted() {
        let mut suppressions = Suppressions::new(Rule::read_all("abort\nleak:f\n").unwrap());
        assert!(suppressions.hide(Kind::Abort, None) && suppressions.hide(Kind::Abort, None));
        assert!(!suppressions.hide(Kind::Leak, None));
        assert_eq!(suppressions.all().map(|(_, n_runs)| n_runs).collect::<Vec<_>>(), [2, 0]);
    }
}
