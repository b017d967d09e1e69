//! What became of sentences.

use std::collections::BTreeMap;
use std::fmt;

/// Lines of a report that tell reasons.
const N_REASONS_MAX: usize = 6;

/// A count and the first example.
type Reasons = BTreeMap<String, (usize, String)>;

#[derive(Default)]
pub struct Report {
    n_good: usize,
    /// Derived by the grammar, but refused by the parser: a conflict was resolved against them.
    refused: Reasons,
    without_text: Reasons,
    /// The scanner may return something else, for reasons that are not in its files.
    doubtful: Reasons,
    wrong: Reasons,
}

impl Report {
    pub fn good(&mut self) {
        self.n_good += 1;
    }

    pub fn refused(&mut self, reason: impl Into<String>, example: String) {
        note(&mut self.refused, reason, example);
    }

    pub fn without_text(&mut self, reason: impl Into<String>, example: String) {
        note(&mut self.without_text, reason, example);
    }

    pub fn doubtful(&mut self, reason: impl Into<String>, example: String) {
        note(&mut self.doubtful, reason, example);
    }

    pub fn wrong(&mut self, reason: impl Into<String>, example: String) {
        note(&mut self.wrong, reason, example);
    }

    pub fn is_wrong(&self) -> bool {
        !self.wrong.is_empty()
    }
}

fn note(reasons: &mut Reasons, reason: impl Into<String>, example: String) {
    reasons.entry(reason.into()).or_insert((0, example)).0 += 1;
}

fn sum(reasons: &Reasons) -> usize {
    reasons.values().map(|(count, _)| count).sum()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [n_without, n_doubtful, n_wrong] = [&self.without_text, &self.doubtful, &self.wrong].map(sum);
        let n_accepted = self.n_good + n_without + n_doubtful + n_wrong;
        write!(f, "{n_accepted} sentences, {} come back, {n_without} without text, ", self.n_good)?;
        write!(f, "{n_doubtful} doubtful, {n_wrong} wrong, {} more refused by both parsers", sum(&self.refused))?;
        let kinds = [
            ("WRONG", &self.wrong),
            ("doubtful", &self.doubtful),
            ("without text", &self.without_text),
            ("refused", &self.refused),
        ];
        for (kind, reasons) in kinds {
            let mut reasons: Vec<_> = reasons.iter().collect();
            reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
            for (reason, (count, example)) in reasons.iter().take(N_REASONS_MAX) {
                write!(f, "\n  {kind} {count} x {reason}, such as {example}")?;
            }
            if let Some(rest) = reasons.get(N_REASONS_MAX..).filter(|rest| !rest.is_empty()) {
                let count: usize = rest.iter().map(|(_, (count, _))| count).sum();
                write!(f, "\n  {kind} {count} x for {} other reasons", rest.len())?;
            }
        }
        Ok(())
    }
}
