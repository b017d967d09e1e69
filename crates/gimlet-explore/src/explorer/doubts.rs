//! What a search can say about having seen everything.

use super::{Counts, End, Explorer};
use crate::lengths::Lengths;

impl Explorer {
    /// True if everything has been asked, and nothing on any path is uncertain.
    pub fn is_exhausted(&self, end: End) -> bool {
        end == End::Complete && self.doubts().is_empty()
    }

    /// Why a search that has nothing left to ask may still have missed something.
    pub fn doubts(&self) -> Vec<String> {
        let mut doubts = uncertainties(&self.totals().counts);
        if let Lengths::Some { .. } = self.settings.lengths {
            doubts.push("not all lengths were tried".to_owned());
        }
        doubts
    }
}

/// Why something may have been missed at the lengths that were tried.
pub(super) fn uncertainties(counts: &Counts) -> Vec<String> {
    let Counts { divergences, optimistic, losses, dropped, stopped, unknown, forgotten, unstable, .. } = *counts;
    let counted = [
        (unstable, "counters differ between runs of one input"),
        (losses, "dependencies were lost"),
        (divergences, "runs went elsewhere"),
        (dropped, "traces were cut short or have forked processes"),
        (stopped, "runs were stopped"),
        (unknown, "questions were too hard"),
        (forgotten, "questions were forgotten for want of memory"),
        (optimistic, "inputs were made without all conditions"),
    ];
    counted.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect()
}
