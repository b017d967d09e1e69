//! Who makes tests.

use std::collections::BTreeMap;

use gimlet_store::TEAM;
use serde::{Deserialize, Serialize};

/// Who makes tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Maker {
    Seed,
    Grammar,
    Flip,
    Optimistic,
    Length,
    Word,
    Mutation,
    Graft,
    Earlier,
    Sync,
}

impl Maker {
    pub const ALL: [Maker; 10] = [
        Maker::Seed,
        Maker::Grammar,
        Maker::Flip,
        Maker::Optimistic,
        Maker::Length,
        Maker::Word,
        Maker::Mutation,
        Maker::Graft,
        Maker::Earlier,
        Maker::Sync,
    ];

    /// As names of files have it.
    pub const fn name(self) -> &'static str {
        match self {
            Maker::Seed => "seed",
            Maker::Grammar => "grammar",
            Maker::Flip => "flip",
            Maker::Optimistic => "optimistic",
            Maker::Length => "length",
            Maker::Word => "word",
            Maker::Mutation => "havoc",
            Maker::Graft => "graft",
            Maker::Earlier => "earlier",
            Maker::Sync => "sync",
        }
    }

    /// Whoever a store or a name of a file means; behind a colon or a comma may be more, and of a teammate's test who made it there.
    pub fn from_text(text: &str) -> Maker {
        let made = text.strip_prefix(TEAM).and_then(|text| text.split(',').find_map(|part| part.strip_prefix("op:")));
        let word = made.unwrap_or(text).split([':', ',']).next().unwrap_or_default();
        Maker::ALL.into_iter().find(|maker| maker.name() == word).unwrap_or(Maker::Earlier)
    }
}

/// How many tests each of them made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, u64>", into = "BTreeMap<String, u64>")]
pub struct TestCounts([u64; Maker::ALL.len()]);

impl TestCounts {
    pub fn of(&self, maker: Maker) -> u64 {
        self.0[maker as usize]
    }

    pub fn add(&mut self, maker: Maker, n_tests: u64) {
        self.0[maker as usize] += n_tests;
    }

    /// Each maker with its tests.
    pub fn all(&self) -> impl Iterator<Item = (Maker, u64)> + '_ {
        Maker::ALL.into_iter().zip(self.0)
    }

    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

impl From<BTreeMap<String, u64>> for TestCounts {
    fn from(counts: BTreeMap<String, u64>) -> TestCounts {
        let mut tests = TestCounts::default();
        counts.iter().for_each(|(maker, &n_tests)| tests.add(Maker::from_text(maker), n_tests));
        tests
    }
}

impl From<TestCounts> for BTreeMap<String, u64> {
    fn from(tests: TestCounts) -> BTreeMap<String, u64> {
        tests.all().map(|(maker, n_tests)| (maker.name().to_owned(), n_tests)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makers_have_names() {
        for maker in Maker::ALL {
            assert_eq!(Maker::from_text(maker.name()), maker);
        }
        assert_eq!(Maker::from_text("sync:other,src:000012"), Maker::Sync);
        assert_eq!(Maker::from_text("flip,string:12"), Maker::Flip);
        assert_eq!(Maker::from_text("team:worker1,src:000012,op:flip"), Maker::Flip);
        assert_eq!(Maker::from_text("of old"), Maker::Earlier);
    }

    #[test]
    fn tests_are_written_by_maker() {
        let mut tests = TestCounts::default();
        tests.add(Maker::Flip, 3);
        tests.add(Maker::Seed, 1);
        let text = serde_json::to_string(&tests).unwrap();
        assert!(text.contains(r#""flip":3"#) && text.contains(r#""havoc":0"#), "{text}");
        assert_eq!(serde_json::from_str::<TestCounts>(&text).unwrap(), tests);
        assert_eq!(tests.total(), 4);
    }
}
