//! Where in the source something happened.

use std::fmt;

use gimlet_trace::event::NO_SITE;
use gimlet_trace::Trace;

/// A position in the source, as far as it is known.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
}

impl Place {
    /// The place of a site; `None` if the trace does not know it.
    pub fn of(trace: &Trace, site: u32) -> Option<Place> {
        let site = trace.site(site)?;
        Some(Place { file: site.file.clone(), line: site.line, column: site.column, function: site.function.clone() })
    }

    /// The place as text, also if it is not known.
    pub fn text(trace: &Trace, site: u32) -> String {
        match Place::of(trace, site) {
            Some(place) => place.to_string(),
            None if site == NO_SITE => "(outside instrumented code)".to_string(),
            None => format!("(unknown site {site})"),
        }
    }

    /// `file:line:column`, without what is not known.
    pub fn position(&self) -> String {
        match (self.file.is_empty(), self.line, self.column) {
            (true, ..) => "?".to_string(),
            (false, 0, _) => self.file.clone(),
            (false, line, 0) => format!("{}:{line}", self.file),
            (false, line, column) => format!("{}:{line}:{column}", self.file),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} in {}", self.position(), self.function)
    }
}
