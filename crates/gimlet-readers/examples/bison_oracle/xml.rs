//! What `bison --xml` says about a grammar. The elements that matter stand on lines of their own.

use std::path::Path;
use std::process::Command;

/// A grammar as bison sees it.
#[derive(Default, Debug)]
pub struct Report {
    /// Left side, right side, token of `%prec`.
    pub rules: Vec<(String, Vec<String>, Option<String>)>,
    pub terminals: Vec<Terminal>,
    pub nonterminals: Vec<String>,
    pub n_states: usize,
    pub n_shift_reduce: usize,
    pub n_reduce_reduce: usize,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Terminal {
    pub symbol: usize,
    pub number: u32,
    pub name: String,
    /// Level and associativity.
    pub precedence: Option<(u32, String)>,
}

/// Runs bison; what it says against the file if it refuses it.
pub fn report(file: &Path, scratch: &Path, options: &[&str]) -> Result<Report, String> {
    let xml = scratch.join("report.xml");
    let listing = scratch.join("report.output");
    let _ = std::fs::remove_file(&xml);
    let output = Command::new("bison")
        .args(options)
        .arg(format!("--xml={}", xml.display()))
        .arg("--report=states")
        .arg(format!("--report-file={}", listing.display()))
        .arg("-o")
        .arg(scratch.join("parser.c"))
        .arg(file)
        .env("LC_ALL", "C")
        .output()
        .map_err(|error| error.to_string())?;
    // More conflicts than a file expects are an error as well, but the report is there.
    let text = std::fs::read(&xml).map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())?;
    let mut report = parse(&String::from_utf8_lossy(&text));
    let listing = std::fs::read(&listing).map_err(|error| error.to_string())?;
    count_conflicts(&String::from_utf8_lossy(&listing), &mut report);
    Ok(report)
}

fn parse(text: &str) -> Report {
    let mut report = Report::default();
    let mut is_grammar = false;
    for line in text.lines().map(str::trim) {
        match line {
            "<grammar>" => is_grammar = true,
            "</grammar>" => is_grammar = false,
            _ => {}
        }
        if is_grammar {
            grammar_line(line, &mut report);
        } else if line.starts_with("<state ") {
            report.n_states += 1;
        }
    }
    report
}

/// Lines `State 7 conflicts: 1 shift/reduce, 2 reduce/reduce`, which the XML does not have.
fn count_conflicts(listing: &str, report: &mut Report) {
    let lines = listing.lines().filter_map(|line| line.strip_prefix("State ")?.split_once(" conflicts: "));
    for part in lines.flat_map(|(_, counts)| counts.split(", ")) {
        match part.split_once(' ').map(|(count, kind)| (count.parse().unwrap_or(0), kind)) {
            Some((count, "shift/reduce")) => report.n_shift_reduce += count,
            Some((count, "reduce/reduce")) => report.n_reduce_reduce += count,
            _ => {}
        }
    }
}

fn grammar_line(line: &str, report: &mut Report) {
    if line.starts_with("<rule ") {
        report.rules.push((String::new(), Vec::new(), attribute(line, "percent_prec")));
    } else if let (Some(text), Some(rule)) = (element(line, "lhs"), report.rules.last_mut()) {
        rule.0 = text;
    } else if let (Some(text), Some(rule)) = (element(line, "symbol"), report.rules.last_mut()) {
        rule.1.push(text);
    } else if line.starts_with("<terminal ") {
        report.terminals.push(Terminal {
            symbol: number(line, "symbol-number") as usize,
            number: number(line, "token-number"),
            name: attribute(line, "name").unwrap_or_default(),
            precedence: attribute(line, "assoc").map(|associativity| (number(line, "prec"), associativity)),
        });
    } else if line.starts_with("<nonterminal ") {
        report.nonterminals.push(attribute(line, "name").unwrap_or_default());
    }
}

fn element(line: &str, name: &str) -> Option<String> {
    let text = line.strip_prefix(&format!("<{name}>"))?.strip_suffix(&format!("</{name}>"))?;
    Some(unescape(text))
}

fn attribute(line: &str, name: &str) -> Option<String> {
    let (_, rest) = line.split_once(&format!(" {name}=\""))?;
    Some(unescape(rest.split_once('"')?.0))
}

fn number(line: &str, name: &str) -> u32 {
    attribute(line, name).and_then(|value| value.parse().ok()).unwrap_or(0)
}

fn unescape(text: &str) -> String {
    text.replace("&quot;", "\"").replace("&apos;", "'").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}
