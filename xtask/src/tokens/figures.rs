//! The tables of Figures 5, 6 and 7.

use std::collections::HashSet;

use serde_json::Value;

use super::SEEDS;

/// The strategy that is to be best among those of the paper.
const BEST: &str = "grammar";
/// The default, and how far behind the best it may be, in points.
const DEFAULT: &str = "hybrid";
const BEHIND_MAX: f64 = 2.0;
/// Strategies that follow runs symbolically.
const SYMBOLIC: [&str; 4] = ["whitebox", "tokens", "grammar", "hybrid"];

/// Of one module.
struct Module {
    name: String,
    n_covered: f64,
    n_branches: f64,
    n_inputs: f64,
    n_constraints: f64,
}

/// What one strategy came to.
pub struct Row {
    strategy: &'static str,
    n_covered: f64,
    n_branches: f64,
    n_inputs: f64,
    n_rejected: f64,
    /// Inputs that are sentences, where somebody asked.
    n_sentences: f64,
    n_followed: f64,
    n_variables: f64,
    n_constraints: f64,
    n_asked: f64,
    n_pruned: f64,
    modules: Vec<Module>,
    taken: HashSet<String>,
}

impl Row {
    pub fn read(strategy: &'static str, summary: &Value, taken: &[String]) -> Option<Row> {
        let parts = &summary["parts"];
        let module = |value: &Value| {
            Some(Module {
                name: value["name"].as_str()?.to_owned(),
                n_covered: value["branches_covered"].as_f64()?,
                n_branches: value["branches_total"].as_f64()?,
                n_inputs: value["inputs"].as_f64()?,
                n_constraints: value["constraints"].as_f64()?,
            })
        };
        Some(Row {
            strategy,
            n_covered: summary["coverage"]["branches_covered"].as_f64()?,
            n_branches: summary["coverage"]["branches_total"].as_f64()?,
            n_inputs: parts["inputs"].as_f64()?,
            n_rejected: parts["rejected"].as_f64()?,
            n_sentences: parts["sentences"].as_f64()?,
            n_followed: parts["followed"].as_f64()?,
            n_variables: parts["variables"].as_f64()?,
            n_constraints: parts["constraints"].as_f64()?,
            n_asked: summary["tokens"]["asked"].as_f64()?,
            n_pruned: summary["tokens"]["pruned"].as_f64()?,
            modules: parts["modules"].as_array()?.iter().map(module).collect::<Option<_>>()?,
            taken: taken.iter().cloned().collect(),
        })
    }

    fn coverage(&self) -> f64 {
        percent(self.n_covered, self.n_branches)
    }
}

fn percent(part: f64, whole: f64) -> f64 {
    100.0 * part / whole.max(1.0)
}

/// All tables, and whether they are as they should be.
pub fn tables(rows: &[Row]) -> (String, bool) {
    let (verdict, is_good) = verdict(rows);
    (format!("{}\n{}\n{}\n{verdict}", coverage(rows), relative(rows), executions(rows)), is_good)
}

/// Figure 5.
fn coverage(rows: &[Row]) -> String {
    let mut table = format!("{:<17}{:>9}{:>8}", "branches, %", "inputs", "total");
    for module in rows.first().map(|row| row.modules.as_slice()).unwrap_or_default() {
        table += &format!(" |{:>9} {:>9}", module.name, "reach");
    }
    table += " | accepted\n";
    for row in rows {
        table += &format!("{:<17}{:>9}{:8.1}", row.strategy, row.n_inputs, row.coverage());
        for module in &row.modules {
            let (covered, reach) =
                (percent(module.n_covered, module.n_branches), percent(module.n_inputs, row.n_inputs));
            table += &format!(" |{covered:9.1} {reach:9.1}");
        }
        table += &format!(" |{:9.1}\n", percent(row.n_inputs - row.n_rejected, row.n_inputs));
    }
    table
}

/// Figure 6: branches of tests, in per cent of what any two cover together.
fn relative(rows: &[Row]) -> String {
    let Some(best) = rows.iter().find(|row| row.strategy == BEST) else { return String::new() };
    let mut table = format!("{:<17}{:>9}{:>9}{:>14}\n", "strategy S, %", "only S", "both", "only grammar");
    for row in rows.iter().filter(|row| row.strategy != BEST && row.strategy != SEEDS) {
        let n_both = row.taken.intersection(&best.taken).count() as f64;
        let (n_row, n_best) = (row.taken.len() as f64, best.taken.len() as f64);
        let whole = n_row + n_best - n_both;
        let [only, both, only_best] = [n_row - n_both, n_both, n_best - n_both].map(|part| percent(part, whole));
        table += &format!("{:<17}{only:9.1}{both:9.1}{only_best:14.1}\n", row.strategy);
    }
    table
}

/// Figure 7, and what was pruned.
fn executions(rows: &[Row]) -> String {
    let mut table = format!("{:<17}", "constraints, %");
    for module in rows.first().map(|row| row.modules.as_slice()).unwrap_or_default() {
        table += &format!("{:>9}", module.name);
    }
    table += &format!("{:>12}{:>11}{:>13}{:>9}\n", "executions", "variables", "constraints", "pruned");
    for row in rows.iter().filter(|row| SYMBOLIC.contains(&row.strategy)) {
        table += &format!("{:<17}", row.strategy);
        for module in &row.modules {
            table += &format!("{:9.1}", percent(module.n_constraints, row.n_constraints));
        }
        let mean = |sum: f64| sum / row.n_followed.max(1.0);
        table += &format!("{:>12}{:11.1}{:13.1}", row.n_followed, mean(row.n_variables), mean(row.n_constraints));
        table += &match row.n_asked > 0.0 {
            true => format!("{:7.1} %\n", percent(row.n_pruned, row.n_asked)),
            false => format!("{:>9}\n", "-"),
        };
    }
    table
}

/// What is claimed, and whether it holds.
fn verdict(rows: &[Row]) -> (String, bool) {
    let find = |name: &str| rows.iter().find(|row| row.strategy == name);
    let (Some(grammar), Some(default)) = (find(BEST), find(DEFAULT)) else { return (String::new(), false) };
    let best = rows.iter().map(Row::coverage).fold(0.0, f64::max);
    let behind = best - default.coverage();
    let sentences = percent(grammar.n_sentences, grammar.n_inputs);
    let is_good = behind <= BEHIND_MAX && grammar.n_sentences == grammar.n_inputs;
    let text = format!(
        "{DEFAULT} is {behind:.1} points behind the best; {sentences:.2} % of the inputs of {BEST} are sentences: {}\n",
        if is_good { "as it should be" } else { "NOT as it should be" }
    );
    (text, is_good)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(strategy: &'static str, n_covered: u64, n_sentences: u64, taken: &[&str]) -> Row {
        let module =
            json!({ "name": "parser", "branches_covered": 5, "branches_total": 20, "inputs": 3, "constraints": 4 });
        let parts = json!({
            "inputs": 4, "rejected": 1, "sentences": n_sentences, "followed": 2, "variables": 5, "constraints": 8, "modules": [module],
        });
        let coverage = json!({ "branches_covered": n_covered, "branches_total": 100 });
        let summary = json!({ "parts": parts, "coverage": coverage, "tokens": { "asked": 10, "pruned": 3 } });
        let taken: Vec<String> = taken.iter().map(|&branch| branch.to_owned()).collect();
        Row::read(strategy, &summary, &taken).unwrap()
    }

    #[test]
    fn tables_have_what_was_counted() {
        let rows =
            [row("tokens", 30, 0, &["a", "b"]), row("grammar", 50, 4, &["b", "c", "d"]), row("hybrid", 49, 0, &[])];
        let (text, is_good) = tables(&rows);
        assert!(is_good, "{text}");
        let line = |start: &str, n: usize| text.lines().filter(|line| line.starts_with(start)).nth(n).unwrap();
        assert_eq!(
            line("tokens", 0).split_whitespace().collect::<Vec<_>>()[1..],
            ["4", "30.0", "|", "25.0", "75.0", "|", "75.0"]
        );
        assert_eq!(line("tokens", 1).split_whitespace().collect::<Vec<_>>()[1..], ["25.0", "25.0", "50.0"]);
        assert_eq!(
            line("grammar", 1).split_whitespace().collect::<Vec<_>>()[1..],
            ["50.0", "2", "2.5", "4.0", "30.0", "%"]
        );
    }

    #[test]
    fn what_is_wrong_is_told() {
        let far_behind = [row("grammar", 50, 4, &[]), row("hybrid", 40, 0, &[])];
        assert!(!tables(&far_behind).1);
        let no_sentences = [row("grammar", 50, 3, &[]), row("hybrid", 50, 0, &[])];
        assert!(!tables(&no_sentences).1);
    }
}
