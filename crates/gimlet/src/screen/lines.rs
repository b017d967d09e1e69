//! How it goes as plain lines, for pipes, log files and simple terminals.

use std::time::{Duration, Instant};

use gimlet_explore::explorer::Watcher;
use gimlet_explore::findings::Finding;
use gimlet_explore::work::Work;
use gimlet_report::text::line;
use gimlet_report::Results;

use super::Teller;
use crate::exit::note;
use crate::{interrupt, text};

/// Between two lines.
const PAUSE: Duration = Duration::from_secs(10);

pub struct Lines {
    next: Instant,
}

impl Default for Lines {
    fn default() -> Lines {
        Lines { next: Instant::now() + PAUSE }
    }
}

impl Watcher for Lines {
    fn begins(&mut self, _work: Work) {}

    fn is_due(&self) -> bool {
        Instant::now() >= self.next && interrupt::received().is_none()
    }

    fn progress(&mut self, results: Results) {
        say!("{}", line(&results));
        self.next = Instant::now() + PAUSE;
    }

    fn found(&mut self, finding: &Finding) {
        let place = finding.frame.as_ref().map_or_else(String::new, |frame| format!(" in {}", frame.function));
        let input: Vec<String> = finding.input.sources.iter().map(|source| preview(&source.bytes)).collect();
        say!("new: {}{place}, on {}", finding.kind, input.join(" and "));
    }

    fn note(&mut self, text: &str) {
        note(text);
    }
}

impl Teller for Lines {
    fn end(&mut self) {}
}

/// The beginning of some bytes, readable.
fn preview(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    let text = text::escaped(&bytes[..bytes.len().min(MOST)]);
    match bytes.len() > MOST {
        true => format!("{text}... ({} bytes)", bytes.len()),
        false => text,
    }
}
