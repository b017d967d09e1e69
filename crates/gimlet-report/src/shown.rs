//! Which builds of the program have shown a finding.

use std::fmt;

use gimlet_trace::builds::Twin;
use serde::{Deserialize, Serialize};

/// A build of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Build {
    /// PROG.plain.
    Plain = 1,
    /// PROG itself, which has labels.
    Instrumented = 2,
    /// PROG.memory.
    Memory = 4,
    /// PROG.asan.
    Asan = 8,
}

impl Build {
    const ALL: [Build; 4] = [Build::Plain, Build::Memory, Build::Asan, Build::Instrumented];

    pub fn name(self) -> &'static str {
        match self {
            Build::Plain => Twin::Plain.name(),
            Build::Instrumented => "instrumented",
            Build::Memory => Twin::Memory.name(),
            Build::Asan => Twin::Asan.name(),
        }
    }
}

/// The builds that have shown a finding. A store keeps the sum of their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<String>", into = "Vec<String>")]
pub struct ShownBy(u8);

impl ShownBy {
    pub fn with(self, build: Build) -> ShownBy {
        ShownBy(self.0 | build as u8)
    }

    pub fn has(self, build: Build) -> bool {
        self.0 & build as u8 != 0
    }

    /// Whether a build without labels has shown it.
    pub fn is_confirmed(self) -> bool {
        self.0 & !(Build::Instrumented as u8) != 0
    }

    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Build::ALL.into_iter().filter(move |&build| self.has(build)).map(Build::name)
    }

    pub fn to_bits(self) -> u8 {
        self.0
    }

    pub fn from_bits(bits: u8) -> ShownBy {
        ShownBy(Build::ALL.into_iter().fold(0, |all, build| all | build as u8) & bits)
    }
}

impl From<Build> for ShownBy {
    fn from(build: Build) -> ShownBy {
        ShownBy::default().with(build)
    }
}

impl From<Vec<String>> for ShownBy {
    fn from(names: Vec<String>) -> ShownBy {
        let builds = Build::ALL.into_iter().filter(|build| names.iter().any(|name| name == build.name()));
        builds.fold(ShownBy::default(), ShownBy::with)
    }
}

impl From<ShownBy> for Vec<String> {
    fn from(shown_by: ShownBy) -> Vec<String> {
        shown_by.names().map(str::to_owned).collect()
    }
}

/// As a part of a sentence: `by the plain and the asan build`.
impl fmt::Display for ShownBy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let names: Vec<&str> = self.names().collect();
        match names.split_last() {
            None => f.write_str("by no build a second time"),
            Some((only, [])) => write!(f, "by the {only} build"),
            Some((last, others)) => write!(f, "by the {} and the {last} build", others.join(", the ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_confirm_nothing() {
        let shown = ShownBy::from(Build::Instrumented);
        assert!(!shown.is_confirmed() && !ShownBy::default().is_confirmed());
        assert!(shown.with(Build::Memory).is_confirmed());
        assert_eq!(
            shown.with(Build::Plain).with(Build::Memory).names().collect::<Vec<_>>(),
            ["plain", "memory", "instrumented"]
        );
    }

    #[test]
    fn builds_are_told_in_words() {
        let text = |builds: &[Build]| builds.iter().fold(ShownBy::default(), |all, &build| all.with(build)).to_string();
        assert_eq!(text(&[Build::Memory]), "by the memory build");
        assert_eq!(text(&[Build::Asan, Build::Plain]), "by the plain and the asan build");
        assert_eq!(text(&[Build::Asan, Build::Plain, Build::Memory]), "by the plain, the memory and the asan build");
    }

    #[test]
    fn builds_are_written_by_name() {
        let shown = ShownBy::from(Build::Asan).with(Build::Plain);
        let text = serde_json::to_string(&shown).unwrap();
        assert_eq!(text, r#"["plain","asan"]"#);
        assert_eq!(serde_json::from_str::<ShownBy>(&text).unwrap(), shown);
    }

    #[test]
    fn stores_of_earlier_versions_say_plain_or_nothing() {
        assert_eq!(ShownBy::from_bits(1), Build::Plain.into());
        assert_eq!(ShownBy::from_bits(0), ShownBy::default());
        assert_eq!(ShownBy::from_bits(0xff).to_bits(), 15);
    }
}
