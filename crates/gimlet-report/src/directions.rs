//! What a search knows of each direction of each branch of the program: whether a run took it, and if none did, why not.
//!
//! A search keeps a [`KnownBranch`] for each branch in its store. What several workers know of one is added up, and a
//! [`Reason`] follows from the sum when somebody asks. It claims no more than what was seen: that a condition did
//! not depend on the input is said only of branches that a run came to which was followed to its end, and a loss is blamed
//! only for a branch on its own line.

use std::collections::BTreeMap;
use std::fmt;

use gimlet_store::Verdict;
use serde::{Deserialize, Serialize};

/// A branch or switch of the source, and what is known of it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct KnownBranch {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
    /// How many others at this place come before it: a macro can have several.
    #[serde(skip_serializing_if = "is_default")]
    pub ordinal: u32,
    /// A run came to it that was followed to its end.
    #[serde(skip_serializing_if = "is_default")]
    pub is_followed: bool,
    /// Its condition depended on the input, at least once.
    #[serde(skip_serializing_if = "is_default")]
    pub is_symbolic: bool,
    /// What happened to the input on its line.
    #[serde(skip_serializing_if = "is_default")]
    pub hidden: Option<Hidden>,
    pub directions: Vec<KnownDirection>,
}

/// One of the ways out of a branch, and what is known of it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct KnownDirection {
    /// `true`, `false`, `case 40`, `default`.
    pub name: String,
    #[serde(skip_serializing_if = "is_default")]
    pub is_reached: bool,
    /// The first test or finding that took it, below the folder of results: the beginning of its file's name. Nothing if
    /// the input was not kept.
    #[serde(skip_serializing_if = "is_default")]
    pub test: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub asked: Asked,
}

/// What came of questions for a direction. Each was about the path of another run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Asked {
    /// What came of the last one.
    #[serde(with = "verdict")]
    pub last: Option<Verdict>,
    #[serde(rename = "sat")]
    pub n_sat: u64,
    #[serde(rename = "unsat")]
    pub n_unsat: u64,
    /// Too hard, and given up.
    #[serde(rename = "unknown")]
    pub n_unknown: u64,
    /// Too hard so far: they are asked again.
    #[serde(rename = "deferred")]
    pub n_deferred: u64,
    /// Inputs that were made for it, and went elsewhere.
    #[serde(rename = "elsewhere")]
    pub n_elsewhere: u64,
}

/// Why a condition may depend on the input and not show it, by what happened on its line; what explains more comes last.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hidden {
    /// A library function decided something by the input.
    Library(String),
    /// A value was fixed to what it was.
    Pinned(String),
    /// A dependency was dropped.
    Lost(String),
}

/// Why no run took a direction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    NeverVisited,
    NeverFollowed,
    Hidden(Hidden),
    NotDependent,
    Waiting,
    Diverged { n_inputs: u64 },
    Solved { n_questions: u64 },
    TooHard { n_questions: u64 },
    Impossible { n_paths: u64 },
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Verdicts by their names.
mod verdict {
    use super::*;
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(verdict: &Option<Verdict>, serializer: S) -> Result<S::Ok, S::Error> {
        verdict.map(Verdict::name).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Verdict>, D::Error> {
        Ok(Option::<String>::deserialize(deserializer)?.and_then(|name| Verdict::from_name(&name)))
    }
}

impl KnownBranch {
    /// What is there of it.
    pub fn from_text(text: &str) -> Option<KnownBranch> {
        serde_json::from_str(text).ok()
    }

    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// What tells it from all others, and their order.
    pub fn place(&self) -> (&str, u32, u32, &str, u32) {
        (&self.file, self.line, self.column, &self.function, self.ordinal)
    }

    pub fn is_visited(&self) -> bool {
        self.directions.iter().any(|direction| direction.is_reached)
    }

    pub fn n_reached(&self) -> usize {
        self.directions.iter().filter(|direction| direction.is_reached).count()
    }

    /// Notes what happened to the input on its line, if that explains more than what is known.
    pub fn hide(&mut self, hidden: Hidden) -> bool {
        let rank = |hidden: &Hidden| match hidden {
            Hidden::Library(_) => 0,
            Hidden::Pinned(_) => 1,
            Hidden::Lost(_) => 2,
        };
        let is_better = self.hidden.as_ref().is_none_or(|known| rank(known) < rank(&hidden));
        if is_better {
            self.hidden = Some(hidden);
        }
        is_better
    }

    /// Adds what another search knows of the same branch. Tests are this one's.
    pub fn add(&mut self, other: &KnownBranch) {
        self.is_followed |= other.is_followed;
        self.is_symbolic |= other.is_symbolic;
        self.hidden = self.hidden.take().max(other.hidden.clone());
        for theirs in &other.directions {
            match self.directions.iter_mut().find(|mine| mine.name == theirs.name) {
                Some(mine) => {
                    mine.is_reached |= theirs.is_reached;
                    mine.asked.add(&theirs.asked);
                }
                None => self.directions.push(KnownDirection { test: None, ..theirs.clone() }),
            }
        }
    }

    /// Why no run took a direction; nothing if one did.
    pub fn reason(&self, direction: &KnownDirection) -> Option<Reason> {
        let asked = &direction.asked;
        let n_too_hard = asked.n_unknown + asked.n_deferred;
        Some(if direction.is_reached {
            return None;
        } else if asked.n_elsewhere > 0 {
            Reason::Diverged { n_inputs: asked.n_elsewhere }
        } else if asked.n_sat > 0 {
            Reason::Solved { n_questions: asked.n_sat }
        } else if n_too_hard > 0 {
            Reason::TooHard { n_questions: n_too_hard }
        } else if asked.n_unsat > 0 {
            Reason::Impossible { n_paths: asked.n_unsat }
        } else if self.is_symbolic {
            Reason::Waiting
        } else if !self.is_visited() {
            Reason::NeverVisited
        } else if let Some(hidden) = &self.hidden {
            Reason::Hidden(hidden.clone())
        } else if self.is_followed {
            Reason::NotDependent
        } else {
            Reason::NeverFollowed
        })
    }
}

impl Asked {
    /// Notes what came of a question; of one that was put off before, if it is asked again.
    pub fn note(&mut self, verdict: Verdict, is_again: bool) {
        self.n_deferred -= u64::from(is_again && self.n_deferred > 0);
        match verdict {
            Verdict::Sat => self.n_sat += 1,
            Verdict::Unsat => self.n_unsat += 1,
            Verdict::Unknown => self.n_unknown += 1,
            Verdict::Deferred => self.n_deferred += 1,
            Verdict::Resized => return,
        }
        self.last = Some(verdict);
    }

    pub fn n_questions(&self) -> u64 {
        self.n_sat + self.n_unsat + self.n_unknown + self.n_deferred
    }

    fn add(&mut self, other: &Asked) {
        self.last = self.last.or(other.last);
        self.n_sat += other.n_sat;
        self.n_unsat += other.n_unsat;
        self.n_unknown += other.n_unknown;
        self.n_deferred += other.n_deferred;
        self.n_elsewhere += other.n_elsewhere;
    }
}

impl Reason {
    pub const NAMES: [&'static str; 11] = [
        "never-visited",
        "never-followed",
        "not-dependent",
        "library",
        "pinned",
        "lost",
        "waiting",
        "impossible",
        "too-hard",
        "solved",
        "diverged",
    ];

    /// A word for programs.
    pub fn name(&self) -> &'static str {
        Reason::NAMES[match self {
            Reason::NeverVisited => 0,
            Reason::NeverFollowed => 1,
            Reason::NotDependent => 2,
            Reason::Hidden(Hidden::Library(_)) => 3,
            Reason::Hidden(Hidden::Pinned(_)) => 4,
            Reason::Hidden(Hidden::Lost(_)) => 5,
            Reason::Waiting => 6,
            Reason::Impossible { .. } => 7,
            Reason::TooHard { .. } => 8,
            Reason::Solved { .. } => 9,
            Reason::Diverged { .. } => 10,
        }]
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Reason::NeverVisited => write!(f, "no run came to this branch"),
            Reason::NeverFollowed => write!(f, "no run that came to this branch was followed to its end"),
            Reason::Hidden(Hidden::Library(place)) => {
                write!(f, "decided by a library function that is called there: {place}")
            }
            Reason::Hidden(Hidden::Pinned(what)) => write!(f, "a value was fixed there: {what}"),
            Reason::Hidden(Hidden::Lost(what)) => write!(f, "a dependency on the input was lost there: {what}"),
            Reason::NotDependent => {
                write!(f, "the condition did not depend on the input in any run that was followed to it")
            }
            Reason::Waiting => write!(f, "waits to be asked"),
            Reason::Diverged { n_inputs: 1 } => write!(f, "solved, but the input went elsewhere (divergence)"),
            Reason::Diverged { n_inputs } => write!(f, "solved, but {n_inputs} inputs went elsewhere (divergence)"),
            Reason::Solved { n_questions: 1 } => write!(f, "solved, but no input has taken it yet"),
            Reason::Solved { n_questions } => write!(f, "solved {n_questions} times, but no input has taken it yet"),
            Reason::TooHard { n_questions: 1 } => write!(f, "too hard: 1 question without an answer"),
            Reason::TooHard { n_questions } => write!(f, "too hard: {n_questions} questions without an answer"),
            Reason::Impossible { n_paths: 1 } => write!(f, "impossible on the path that asked (unsat)"),
            Reason::Impossible { n_paths } => write!(f, "impossible on each of {n_paths} paths that asked (unsat)"),
        }
    }
}

/// What all workers know, by place.
pub fn sum(own: Vec<KnownBranch>, others: &[Vec<KnownBranch>]) -> Vec<KnownBranch> {
    let mut all = own;
    all.sort_by(|a, b| a.place().cmp(&b.place()));
    if others.is_empty() {
        return all;
    }
    let mut only_theirs: BTreeMap<(&str, u32, u32, &str, u32), KnownBranch> = BTreeMap::new();
    for theirs in others.iter().flatten() {
        match all.binary_search_by(|mine| mine.place().cmp(&theirs.place())) {
            Ok(at) => all[at].add(theirs),
            Err(_) => match only_theirs.get_mut(&theirs.place()) {
                Some(known) => known.add(theirs),
                None => {
                    let mut known = theirs.clone();
                    known.directions.iter_mut().for_each(|direction| direction.test = None);
                    only_theirs.insert(theirs.place(), known);
                }
            },
        }
    }
    all.extend(only_theirs.into_values());
    all.sort_by(|a, b| a.place().cmp(&b.place()));
    all
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn branch(line: u32, function: &str, directions: &[&str]) -> KnownBranch {
        let direction = |name: &&str| KnownDirection { name: name.to_string(), ..KnownDirection::default() };
        KnownBranch {
            file: "a.c".into(),
            line,
            column: 5,
            function: function.into(),
            directions: directions.iter().map(direction).collect(),
            ..KnownBranch::default()
        }
    }

    fn reasons(branch: &KnownBranch) -> Vec<&'static str> {
        let reason = |direction| branch.reason(direction).map_or("reached", |reason| reason.name());
        branch.directions.iter().map(reason).collect()
    }

    fn ask(branch: &mut KnownBranch, verdict: Verdict, is_again: bool) -> String {
        branch.directions[1].asked.note(verdict, is_again);
        branch.reason(&branch.directions[1]).unwrap().to_string()
    }

    #[test]
    fn nothing_is_said_of_a_condition_that_nobody_saw() {
        let mut known = branch(1, "f", &["true", "false"]);
        assert_eq!(reasons(&known), ["never-visited", "never-visited"]);
        known.directions[0].is_reached = true;
        assert_eq!(reasons(&known), ["reached", "never-followed"]);
        known.is_followed = true;
        assert_eq!(reasons(&known), ["reached", "not-dependent"]);
        assert!(known.hide(Hidden::Library("a.c:1".into())) && known.hide(Hidden::Lost("a pipe".into())));
        assert!(!known.hide(Hidden::Pinned("a size".into())) && !known.hide(Hidden::Lost("a float".into())));
        assert_eq!(
            known.reason(&known.directions[1]).unwrap().to_string(),
            "a dependency on the input was lost there: a pipe"
        );
        known.is_symbolic = true;
        assert_eq!(reasons(&known), ["reached", "waiting"]);
    }

    #[test]
    fn what_was_asked_comes_first() {
        let mut known = branch(1, "f", &["true", "false"]);
        (known.is_symbolic, known.directions[0].is_reached) = (true, true);
        assert_eq!(ask(&mut known, Verdict::Unsat, false), "impossible on the path that asked (unsat)");
        assert_eq!(ask(&mut known, Verdict::Unsat, false), "impossible on each of 2 paths that asked (unsat)");
        assert_eq!(ask(&mut known, Verdict::Deferred, false), "too hard: 1 question without an answer");
        assert_eq!(ask(&mut known, Verdict::Unknown, true), "too hard: 1 question without an answer");
        assert_eq!(ask(&mut known, Verdict::Deferred, false), "too hard: 2 questions without an answer");
        assert_eq!(ask(&mut known, Verdict::Sat, true), "solved, but no input has taken it yet");
        assert_eq!(known.directions[1].asked.n_questions(), 4);
        known.directions[1].asked.n_elsewhere = 3;
        assert_eq!(reasons(&known), ["reached", "diverged"]);
    }

    #[test]
    fn what_is_written_is_read() {
        let mut known = branch(7, "f", &["case 40", "default"]);
        assert!(!known.to_text().contains("is_reached"));
        known.hide(Hidden::Pinned("a size".into()));
        known.directions[0].test = Some("queue/id:000001".into());
        ask(&mut known, Verdict::Deferred, false);
        assert_eq!(KnownBranch::from_text(&known.to_text()), Some(known));
        assert_eq!(KnownBranch::from_text("x"), None);
    }

    #[test]
    fn workers_are_added_by_place() {
        let mut own = vec![branch(9, "f", &["true", "false"]), branch(2, "f", &["true", "false"])];
        own[0].directions[0].test = Some("queue/id:000001".into());
        let mut theirs = vec![branch(9, "f", &["true", "false"]), branch(5, "g", &["true", "false"])];
        ask(&mut theirs[0], Verdict::Unsat, false);
        theirs[1].directions[0] =
            KnownDirection { is_reached: true, test: Some("theirs".into()), ..theirs[1].directions[0].clone() };
        ask(&mut own[0], Verdict::Unknown, false);
        let all = sum(own, &[theirs.clone(), theirs]);
        assert_eq!(all.iter().map(|branch| branch.line).collect::<Vec<_>>(), [2, 5, 9]);
        assert_eq!((all[1].directions[0].is_reached, &all[1].directions[0].test), (true, &None));
        let Asked { last, n_unsat, n_unknown, .. } = all[2].directions[1].asked;
        assert_eq!((last, n_unsat, n_unknown), (Some(Verdict::Unknown), 2, 1));
        assert_eq!(all[2].directions[0].test.as_deref(), Some("queue/id:000001"));
    }
}
