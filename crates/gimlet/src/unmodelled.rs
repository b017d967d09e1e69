//! Which library functions were called without a model, and what that cost.
//!
//! ```text
//!     calls  arguments      bytes  stale  function
//!         1          0          0      0  scanf           a.c:9:5
//!                                                         a model: labels for the input that it reads
//!        12          0        384      0  strcoll         a.c:20:9, a.c:31:13
//!                                                         a model: its result as an expression
//! ```

use std::collections::BTreeMap;
use std::io::{self, Write};

use gimlet_path::Place;
use gimlet_trace::event::{StaleReason, Tally, TallyKind, UnmodelledReason};
use gimlet_trace::Trace;

/// Sites of a function that the text names.
const N_SITES_SHOWN: usize = 3;

/// A function that was called natively with symbolic data, or that reads input by itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Function {
    /// `None` for all that was called through pointers.
    pub name: Option<String>,
    pub n_calls: u64,
    /// Symbolic arguments.
    pub n_values: u64,
    /// Symbolic bytes behind pointer arguments.
    pub n_bytes: u64,
    /// Symbolic bytes that it overwrote.
    pub n_stale: u64,
    pub reads_input: bool,
    /// A call uses its result.
    pub has_result: bool,
    /// Sites of the calls, the most costly first.
    pub sites: Vec<u32>,
}

impl Function {
    /// What the order of the list goes by, see `--help`.
    fn cost(&self) -> (bool, u64, u64) {
        (self.reads_input, self.n_values.saturating_add(self.n_bytes), self.n_calls)
    }

    /// What a model would give.
    pub fn hint(&self) -> &'static str {
        match (self.reads_input, self.has_result, self.n_stale > 0) {
            (true, ..) => "labels for the input that it reads",
            (_, true, true) => "its result and what it writes as expressions",
            (_, true, false) => "its result as an expression",
            (_, false, true) => "what it writes as expressions",
            (_, false, false) => "the labels of what it may write or keep: its result is not used",
        }
    }

    fn add(&mut self, trace: &Trace, tally: &Tally) {
        self.n_calls = self.n_calls.saturating_add(tally.count);
        self.n_values = self.n_values.saturating_add(tally.values);
        self.n_bytes = self.n_bytes.saturating_add(tally.bytes);
        self.n_stale = self.n_stale.saturating_add(n_stale_at(trace, tally.site));
        self.reads_input |= tally.reason == UnmodelledReason::Consumed as u16;
        self.has_result |= trace.site(tally.site).is_some_and(|site| site.width > 0);
        if !self.sites.contains(&tally.site) {
            self.sites.push(tally.site);
        }
    }
}

/// Symbolic bytes that calls at a site overwrote.
fn n_stale_at(trace: &Trace, site: u32) -> u64 {
    let is_it = |tally: &&Tally| {
        (tally.kind, tally.reason, tally.site) == (TallyKind::Stale as u16, StaleReason::Called as u16, site)
    };
    trace.tallies.iter().filter(is_it).fold(0, |sum, tally| sum.saturating_add(tally.count))
}

/// All of them, the most costly first.
pub fn functions(trace: &Trace) -> Vec<Function> {
    let mut tallies: Vec<&Tally> =
        trace.tallies.iter().filter(|tally| tally.kind == TallyKind::Unmodelled as u16).collect();
    tallies.sort_by_key(|tally| (u64::MAX - tally.values.saturating_add(tally.bytes), tally.site));
    let mut found: BTreeMap<Option<String>, Function> = BTreeMap::new();
    for tally in tallies {
        let name = trace.site(tally.site).and_then(|site| site.callee.clone()).filter(|name| !name.is_empty());
        let function = found.entry(name.clone()).or_insert_with(|| Function { name, ..Function::default() });
        function.add(trace, tally);
    }
    let mut functions: Vec<Function> = found.into_values().collect();
    // Stable: those of equal cost stay in the order of their names.
    functions.sort_by_key(|function| std::cmp::Reverse(function.cost()));
    functions
}

/// The list for people.
pub fn write(out: &mut impl Write, trace: &Trace) -> io::Result<()> {
    let functions = functions(trace);
    if functions.is_empty() {
        return writeln!(out, "no function was called natively with symbolic data");
    }
    writeln!(out, "{:>9}  {:>9}  {:>9}  {:>9}  function", "calls", "arguments", "bytes", "stale")?;
    for function in &functions {
        let Function { n_calls, n_values, n_bytes, n_stale, .. } = function;
        let name = function.name.as_deref().unwrap_or("(through a pointer)");
        let places: Vec<String> =
            function.sites.iter().take(N_SITES_SHOWN).map(|&site| position(trace, site)).collect();
        let more = match function.sites.len() {
            n if n > N_SITES_SHOWN => format!(" +{}", n - N_SITES_SHOWN),
            _ => String::new(),
        };
        writeln!(
            out,
            "{n_calls:>9}  {n_values:>9}  {n_bytes:>9}  {n_stale:>9}  {name:<20} {}{more}",
            places.join(", ")
        )?;
        writeln!(out, "{:66}a model: {}", "", function.hint())?;
    }
    Ok(())
}

fn position(trace: &Trace, site: u32) -> String {
    Place::of(trace, site).unwrap_or_default().position()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimlet_trace::site::{Site, SiteKind, SiteTable};
    use gimlet_trace::trace::{Module, Outcome};
    use gimlet_trace::Input;

    fn site(callee: &str, line: u32, width: u16) -> Site {
        Site {
            kind: SiteKind::Call,
            width,
            file: "a.c".into(),
            function: "main".into(),
            line,
            column: 3,
            block: 0,
            copy: 0,
            words: Vec::new(),
            callee: (!callee.is_empty()).then(|| callee.into()),
        }
    }

    fn called(reason: UnmodelledReason, site: u32, count: u64, values: u64, bytes: u64) -> Tally {
        let kind = TallyKind::Unmodelled as u16;
        Tally { kind, reason: reason as u16, site, count, values, bytes, ..Tally::default() }
    }

    fn trace(sites: Vec<Site>, tallies: Vec<Tally>) -> Trace {
        Trace {
            input: Input::default(),
            segments: Vec::new(),
            nodes: Vec::new(),
            snapshots: Vec::new(),
            events: Vec::new(),
            names: Vec::new(),
            tallies,
            modules: vec![Module { base: 0, count: sites.len() as u32, build_id: 7, image: "a".into() }],
            tables: vec![SiteTable { build_id: 7, sites }.into()],
            outcome: Outcome::Exited(0),
            stops: 0,
            forks: 0,
            symbolic_operations: 0,
        }
    }

    #[test]
    fn by_cost() {
        let given = UnmodelledReason::Given;
        let sites = vec![site("strcoll", 1, 32), site("", 2, 0), site("strcoll", 4, 32), site("scanf", 9, 0)];
        let stale = Tally { kind: TallyKind::Stale as u16, reason: 1, site: 1, count: 5, ..Tally::default() };
        let elsewhere = Tally { reason: 0, ..stale };
        let consumed = called(UnmodelledReason::Consumed, 3, 1, 0, 0);
        let tallies = vec![
            called(given, 0, 2, 0, 10),
            called(given, 1, 3, 1, 20),
            stale,
            elsewhere,
            called(given, 2, 4, 0, 30),
            consumed,
        ];
        let trace = trace(sites, tallies);
        let mut text = Vec::new();
        write(&mut text, &trace).unwrap();
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<String> =
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(
            lines,
            [
                "calls arguments bytes stale function",
                "1 0 0 0 scanf a.c:9:3",
                "a model: labels for the input that it reads",
                "6 0 40 0 strcoll a.c:4:3, a.c:1:3",
                "a model: its result as an expression",
                "3 1 20 5 (through a pointer) a.c:2:3",
                "a model: what it writes as expressions",
            ]
        );
    }

    #[test]
    fn nothing() {
        let mut text = Vec::new();
        write(&mut text, &trace(Vec::new(), Vec::new())).unwrap();
        assert_eq!(text, b"no function was called natively with symbolic data\n");
    }
}
