//! Inputs by mutation, guided by coverage.
//!
//! LibAFL brings the mutators, the scheduler, the map of counters in classes of AFL's, and what is new in it. The loop is
//! the caller's: it takes a mutant ([`Breeder::breed`]), runs it, and tells what the counters are ([`Breeder::ran`]). So one
//! loop can serve mutation and symbolic execution, and both share tests. Nothing here looks at the clock: the same seed and
//! the same counters give the same mutants.

mod aim;
mod dictionary;
mod language;
mod test;
mod text;
mod ways;
mod weight;

use std::hash::{Hash, Hasher};

use gimlet_grammar::edit::subtree_mutation::SubtreeMutator;
use gimlet_trace::Input;
use libafl::corpus::{Corpus, CorpusId, InMemoryCorpus, Testcase};
use libafl::events::NopEventManager;
use libafl::executors::ExitKind;
use libafl::feedbacks::{AflMapFeedback, Feedback};
use libafl::inputs::HasMutatorBytes;
use libafl::mutators::{
    havoc_mutations, tokens_mutations, HavocMutationsType, HavocScheduledMutator, MutationResult, Mutator, TokenInsert,
    TokenReplace, Tokens,
};
use libafl::observers::{HitcountsMapObserver, Observer, StdMapObserver};
use libafl::schedulers::{Scheduler, WeightedScheduler};
use libafl::state::{HasCorpus, HasMaxSize, HasRand, StdState};
use libafl::HasMetadata;
use libafl_bolts::rands::{Rand, StdRand};
use libafl_bolts::tuples::{tuple_list, tuple_list_type, Merge};
use libafl_bolts::ToSliceMut;
use rustc_hash::FxHasher;

use aim::Aimed;
pub use aim::{add_to_length, lines, Leeway, CHANGE, INSERT, REMOVE};
pub use dictionary::{parse as parse_dictionary, strings, texts};
use language::Language;
use test::Test;
use text::Parts;
use ways::{Way, Ways};
use weight::{Totals, Weight, Worth};

type Counters = HitcountsMapObserver<StdMapObserver<'static, u8, false>>;
type Observers = tuple_list_type!(Counters);
type News = AflMapFeedback<Counters, Counters>;
type State = StdState<InMemoryCorpus<Test>, Test, StdRand, InMemoryCorpus<Test>>;
type Mutations = HavocScheduledMutator<(TokenInsert, (TokenReplace, HavocMutationsType))>;

/// At most so many mutations of one mutant, as a power of two.
const STACK_POWER: usize = 5;
/// Counters that are looked at at once: most are zero.
const GROUP: usize = 16;
/// Names of the maps, which LibAFL keeps them by.
const TESTS: &str = "tests";
const ENDS: &str = "ends";

/// An input that was made of a test, or of a grammar alone.
#[derive(Debug)]
pub struct Mutant {
    pub input: Input,
    /// Number of the test.
    pub parent: Option<usize>,
    test: Test,
    way: Way,
}

impl Mutant {
    /// Whether it was made along a derivation tree.
    pub fn is_grafted(&self) -> bool {
        self.way == Way::Grammar
    }
}

/// How a run ended, as far as mutation wants to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Normal,
    /// A crash or a limit.
    Bad,
}

/// Makes mutants of tests.
pub struct Breeder {
    state: State,
    observers: Observers,
    /// What is new among runs that ended well, and among the others.
    news: News,
    bad_news: News,
    scheduler: WeightedScheduler<Counters, Weight, Counters>,
    mutations: Mutations,
    /// Mutants of text are made as those of other bytes are.
    is_bytes_only: bool,
    /// What text is made of.
    parts: Parts,
    /// What one source of the input is written in, if somebody has said it.
    language: Option<Language>,
    ways: Ways,
    /// For each counter the best test, and how good it is.
    best: Vec<Option<(CorpusId, u64)>>,
    /// Counters that have one.
    moved: Vec<usize>,
    /// The test whose turn it is, and mutants that are left.
    turn: Option<(CorpusId, usize)>,
}

impl Breeder {
    /// `n_counters` is the number of counters that runs may have; those beyond are not looked at.
    pub fn new(seed: u64, len_max: usize, n_counters: usize) -> Breeder {
        let observer: Counters = HitcountsMapObserver::new(StdMapObserver::owned("counters", vec![0; n_counters]));
        let mut news = News::with_name(TESTS, &observer);
        let mut bad_news = News::with_name(ENDS, &observer);
        let corpora = (InMemoryCorpus::new(), InMemoryCorpus::new());
        let state = State::new(StdRand::with_seed(seed), corpora.0, corpora.1, &mut news, &mut bad_news);
        let mut state = state.expect("maps of two names");
        state.set_max_size(len_max);
        state.add_metadata(Totals::default());
        state.add_metadata(Tokens::new());
        let scheduler = WeightedScheduler::new(&mut state, &observer);
        let mutations = tokens_mutations().merge(havoc_mutations());
        Breeder {
            scheduler,
            mutations: HavocScheduledMutator::with_max_stack_pow(mutations, STACK_POWER),
            is_bytes_only: false,
            parts: Parts::default(),
            language: None,
            ways: Ways::default(),
            state,
            observers: tuple_list!(observer),
            news,
            bad_news,
            best: vec![None; n_counters],
            moved: Vec::new(),
            turn: None,
        }
    }

    /// One that makes random changes of the bytes of these inputs, and learns nothing.
    pub fn of_bytes(seed: u64, len_max: usize, inputs: &[Input]) -> Breeder {
        let mut breeder = Breeder::new(seed, len_max, inputs.len());
        breeder.is_bytes_only = true;
        for (number, input) in inputs.iter().enumerate() {
            // Each has a counter of its own, so that all are kept and have as many turns.
            let mut counters = vec![0; inputs.len()];
            counters[number] = 1;
            breeder.take(input, &counters, 1);
        }
        breeder
    }

    /// Says what the source of this name is written in.
    pub fn set_language(&mut self, mut subtree_mutator: SubtreeMutator, source: &str) {
        let words = subtree_mutator.words();
        self.add_words(words.iter().map(Vec::as_slice));
        self.language = Some(Language::new(subtree_mutator, source));
    }

    /// Gives a test other bytes that count the same.
    pub fn replace(&mut self, number: usize, input: &Input) {
        if let Some(language) = &mut self.language {
            language.forget(number);
        }
        if let Ok(testcase) = self.state.corpus().get(CorpusId::from(number)) {
            testcase.borrow_mut().set_input(Test::new(input));
        }
    }

    /// The input of a test.
    pub fn input(&self, number: usize) -> Option<Input> {
        let testcase = self.state.corpus().get(CorpusId::from(number)).ok()?.borrow();
        testcase.input().as_ref().map(Test::input)
    }

    /// Counters that some test moves.
    pub fn n_moved(&self) -> usize {
        self.moved.len()
    }

    pub fn n_tests(&self) -> usize {
        self.state.corpus().count()
    }

    /// Adds words that mutants get.
    pub fn add_words<'a>(&mut self, words: impl IntoIterator<Item = &'a [u8]>) {
        if let Ok(tokens) = self.state.metadata_mut::<Tokens>() {
            words.into_iter().filter(|word| !word.is_empty()).for_each(|word| {
                tokens.add_token(&word.to_vec());
                self.parts.add_word(word);
            });
        }
    }

    /// Takes in a text that may be in the language of the program.
    pub fn add_sample(&mut self, text: &[u8]) {
        self.parts.learn(text);
    }

    pub fn n_words(&self) -> usize {
        self.state.metadata::<Tokens>().map_or(0, Tokens::len)
    }

    /// A mutant of some test; `None` if there is no test.
    pub fn breed(&mut self) -> Option<Mutant> {
        if let Some(mutant) = self.grow() {
            return Some(mutant);
        }
        let id = self.next_turn()?;
        let mut test = self.state.corpus().get(id).ok()?.borrow().input().clone()?;
        let filled: Vec<usize> = test.filled().collect();
        let n_choices = if filled.is_empty() { test.n_sources() } else { filled.len() };
        let choice = self.state.rand_mut().below_or_zero(n_choices);
        test.choose(filled.get(choice).copied().unwrap_or(choice));
        let fixed = test.fixed();
        let way = self.mutate(id.into(), &mut test);
        if let Some(old) = fixed {
            test.keep_len(&old);
        }
        Some(Mutant { input: test.input(), parent: Some(id.into()), test, way })
    }

    /// A mutant of an input that changes where it may, in one of its sources; and what may be done to that.
    pub fn aim(&mut self, input: &Input, leeway: &[Leeway]) -> Option<(Mutant, Vec<Leeway>)> {
        let mut test = Test::new(input);
        let sizes: Vec<usize> = leeway.iter().map(Leeway::n_open).collect();
        let mut left = self.state.rand_mut().below_or_zero(sizes.iter().sum());
        let chosen = sizes.iter().position(|&size| {
            let is_it = left < size;
            left = left.saturating_sub(size);
            is_it
        })?;
        test.choose(chosen);
        let fixed = test.fixed();
        // The best test of some counter: what is seldom done is as likely as all else, and there is little beside it.
        let n_tests = self.n_tests();
        let rand = self.state.rand_mut();
        let other = match rand.below_or_zero(2) {
            0 => CorpusId::from(rand.below_or_zero(n_tests)),
            _ => self.best[*self.moved.get(rand.below_or_zero(self.moved.len()))?]?.0,
        };
        let other = self.state.corpus().get(other).ok()?.borrow().input().clone()?;
        let (bytes, len_max) = (test.mutator_bytes().to_vec(), self.state.max_size());
        let mut aimed = Aimed::new(bytes, leeway[chosen].clone(), len_max, self.state.rand_mut());
        let of_other = other.all_bytes().nth(chosen).unwrap_or_default();
        aimed.mutate(&self.parts, of_other, self.state.rand_mut());
        let (mut leeway, is_fixed) = (leeway.to_vec(), fixed.is_some());
        test.set_bytes(aimed.bytes);
        match fixed {
            Some(old) => test.keep_len(&old),
            None => leeway[chosen] = aimed.leeway,
        }
        debug_assert!(is_fixed || leeway[chosen].is_of(test.mutator_bytes()));
        Some((Mutant { input: test.input(), parent: None, test, way: Way::Aimed }, leeway))
    }

    /// A source of an input behind the beginnings of that of a test, or before its ends.
    pub fn join(&mut self, input: &Input, source: usize, number: usize) -> Option<Vec<Mutant>> {
        let mut test = Test::new(input);
        test.choose(source);
        if test.fixed().is_some() {
            return None;
        }
        let other = self.state.corpus().get(CorpusId::from(number)).ok()?.borrow().input().clone()?;
        let (own, other) = (test.mutator_bytes().to_vec(), other.all_bytes().nth(source)?);
        let all = aim::joins(&own, other, self.state.rand_mut());
        let len_max = self.state.max_size();
        let mutant = |bytes: Vec<u8>| {
            let mut test = test.clone();
            test.set_bytes(bytes);
            Mutant { input: test.input(), parent: Some(number), test, way: Way::Aimed }
        };
        Some(all.into_iter().filter(|bytes| bytes.len() <= len_max && *bytes != own).map(mutant).collect())
    }

    /// A mutant that somebody else has made.
    pub fn mutant(&self, input: &Input) -> Mutant {
        Mutant { input: input.clone(), parent: None, test: Test::new(input), way: Way::Aimed }
    }

    /// Another byte of the same class.
    pub fn other_byte(&mut self, byte: u8) -> u8 {
        let rand = self.state.rand_mut();
        (0..8).map(|_| aim::of_same_class(byte, rand)).find(|&other| other != byte).unwrap_or(byte ^ 1)
    }

    /// An input that is made of the grammar alone, if it is time for one.
    fn grow(&mut self) -> Option<Mutant> {
        let text = self.language.as_mut()?.grow(self.state.max_size(), self.state.rand_mut())?;
        let id = self.state.corpus().first()?;
        let mut test = self.state.corpus().get(id).ok()?.borrow().input().clone()?;
        test.choose_named(self.language.as_ref()?.source())?;
        test.set_bytes(text);
        Some(Mutant { input: test.input(), parent: None, test, way: Way::Grammar })
    }

    /// Changes a test in one of the ways.
    fn mutate(&mut self, number: usize, test: &mut Test) -> Way {
        let mut possible = vec![Way::Bytes];
        if !self.is_bytes_only && text::is_text(test.mutator_bytes()) {
            possible.push(Way::Text);
        }
        if self.language.as_mut().is_some_and(|language| language.parses(number, test)) {
            possible.push(Way::Grammar);
        }
        let len_max = self.state.max_size();
        let rand = self.state.rand_mut();
        let way = self.ways.choose(&possible, rand);
        let bytes = match way {
            Way::Bytes | Way::Aimed => None,
            Way::Text => self.parts.mutate(test.mutator_bytes(), len_max, rand),
            Way::Grammar => self.language.as_mut().and_then(|language| language.mutate(number, test, len_max, rand)),
        };
        if let Some(bytes) = bytes {
            test.set_bytes(bytes);
            return way;
        }
        match self.mutations.mutate(&mut self.state, test) {
            Ok(MutationResult::Mutated) => {}
            // There was nothing to work on.
            _ => {
                let byte = self.state.rand_mut().below_or_zero(256) as u8;
                libafl::inputs::ResizableMutator::extend(test, &[byte]);
            }
        }
        Way::Bytes
    }

    fn next_turn(&mut self) -> Option<CorpusId> {
        if let Some((id, n_left @ 1..)) = self.turn {
            self.turn = Some((id, n_left - 1));
            return Some(id);
        }
        let id = self.scheduler.next(&mut self.state).ok()?;
        let totals = self.state.metadata::<Totals>().ok()?.clone();
        let mut testcase = self.state.corpus().get(id).ok()?.borrow_mut();
        let worth = testcase.metadata_mut::<Worth>().ok()?;
        worth.n_turns += 1;
        self.turn = Some((id, weight::n_mutants(worth, &totals)));
        Some(id)
    }

    /// Takes in what a mutant's run counted and cost; its number if it is a test from now on. Bad ends make no tests: `Some` says
    /// only that it is a new one.
    pub fn ran(&mut self, mutant: Mutant, counters: &[u8], end: End, cost: u64) -> Option<usize> {
        let parent = mutant.parent.map(CorpusId::from);
        let is_new = self.is_new(&mutant.test, counters, end);
        self.ways.made(mutant.way, is_new);
        match end {
            End::Normal => is_new.then(|| self.keep(mutant.test, parent, cost)),
            End::Bad => is_new.then(|| {
                let mut testcase = Testcase::new(mutant.test);
                self.note(&mut testcase, end);
                0
            }),
        }
    }

    /// Whether no run has ended badly with such counters; this one has. It may still end well on another build.
    pub fn is_new_end(&mut self, mutant: &Mutant, counters: &[u8]) -> bool {
        let is_new = self.is_new(&mutant.test, counters, End::Bad);
        if is_new {
            let mut testcase = Testcase::new(mutant.test.clone());
            self.note(&mut testcase, End::Bad);
        }
        is_new
    }

    /// Takes in an input that somebody else made and ran; true if it is a test from now on.
    pub fn take(&mut self, input: &Input, counters: &[u8], cost: u64) -> bool {
        let test = Test::new(input);
        let is_new = self.is_new(&test, counters, End::Normal);
        if is_new {
            self.keep(test, None, cost);
        }
        is_new
    }

    fn is_new(&mut self, test: &Test, counters: &[u8], end: End) -> bool {
        {
            let map = self.observers.0.to_slice_mut();
            let n_counters = counters.len().min(map.len());
            map[..n_counters].copy_from_slice(&counters[..n_counters]);
            map[n_counters..].fill(0);
        }
        let kind = ExitKind::Ok;
        let classified = Observer::<Test, State>::post_exec(&mut self.observers.0, &mut self.state, test, &kind);
        let news = match end {
            End::Normal => &mut self.news,
            End::Bad => &mut self.bad_news,
        };
        let mut events = NopEventManager::new();
        let is_new = news.is_interesting(&mut self.state, &mut events, test, &self.observers, &kind);
        classified.is_ok() && is_new.unwrap_or(false)
    }

    /// What the counters say is not new any more.
    fn note(&mut self, testcase: &mut Testcase<Test>, end: End) {
        let news = match end {
            End::Normal => &mut self.news,
            End::Bad => &mut self.bad_news,
        };
        let noted = news.append_metadata(&mut self.state, &mut NopEventManager::new(), &self.observers, testcase);
        debug_assert!(noted.is_ok());
    }

    fn keep(&mut self, test: Test, parent: Option<CorpusId>, cost: u64) -> usize {
        let n_bytes = test.n_bytes() as u64;
        test.all_bytes().for_each(|bytes| self.parts.learn(bytes));
        let depth = parent.and_then(|parent| {
            let parent = self.state.corpus().get(parent).ok()?.borrow();
            Some(parent.metadata::<Worth>().ok()?.depth + 1)
        });
        let moved: Vec<usize> = {
            let map = self.observers.0.to_slice_mut();
            map.iter().enumerate().filter(|&(_, &count)| count != 0).map(|(number, _)| number).collect()
        };
        let n_counters = moved.len();
        let mut testcase = Testcase::new(test);
        self.note(&mut testcase, End::Normal);
        testcase.add_metadata(Worth { n_counters, n_best: 0, cost, depth: depth.unwrap_or(0), n_turns: 0 });
        testcase.set_parent_id_optional(parent);
        let id = self.state.corpus_mut().add(testcase).expect("tests are in memory");
        self.find_best(id, &moved, n_bytes.max(1) * cost.max(1));
        if let Ok(totals) = self.state.metadata_mut::<Totals>() {
            totals.n_tests += 1;
            totals.cost += cost;
            totals.n_counters += n_counters as u64;
        }
        // It has what it needs, so this can only succeed.
        let added = self.scheduler.on_add(&mut self.state, id);
        debug_assert!(added.is_ok());
        id.into()
    }

    /// The smallest and fastest test of a counter is the best for it.
    fn find_best(&mut self, id: CorpusId, moved: &[usize], penalty: u64) {
        let mut n_won = 0;
        for &number in moved {
            let best = &mut self.best[number];
            if best.is_some_and(|(_, least)| least <= penalty) {
                continue;
            }
            match best.replace((id, penalty)) {
                Some((loser, _)) => change(&self.state, loser, |worth| worth.n_best -= 1),
                None => self.moved.push(number),
            }
            n_won += 1;
        }
        change(&self.state, id, |worth| worth.n_best = n_won);
    }
}

/// A hash of what a run counted, as far as it is told apart.
pub fn look<'a>(counters: impl Iterator<Item = &'a [u8]>) -> u64 {
    let mut hasher = FxHasher::default();
    for bytes in counters {
        for (number, group) in
            bytes.chunks(GROUP).enumerate().filter(|(_, group)| group.iter().any(|&count| count != 0))
        {
            number.hash(&mut hasher);
            let mut classes = [0; GROUP];
            classes[..group.len()].copy_from_slice(group);
            classify(&mut classes);
            classes.hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Replaces counts by AFL's classes.
pub fn classify(counters: &mut [u8]) {
    for count in counters {
        *count = match *count {
            count @ 0..=2 => count,
            3 => 4,
            4..=7 => 8,
            8..=15 => 16,
            16..=31 => 32,
            32..=127 => 64,
            128.. => 128,
        };
    }
}

fn change(state: &State, id: CorpusId, change: impl FnOnce(&mut Worth)) {
    if let Ok(testcase) = state.corpus().get(id)
        && let Ok(worth) = testcase.borrow_mut().metadata_mut::<Worth>()
    {
        change(worth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimlet_trace::SourceKind;

    /// Counters of a program that compares its input with a word, byte by byte.
    fn counters(input: &Input, word: &[u8]) -> Vec<u8> {
        let bytes = &input.sources[0].bytes;
        let n_equal = bytes.iter().zip(word).take_while(|(have, want)| have == want).count();
        let mut counters = vec![0; word.len() + 1];
        counters[..=n_equal].fill(1);
        counters
    }

    fn breed(seed: u64, word: &[u8], n_runs: usize) -> (Vec<Input>, Option<usize>) {
        let mut breeder = Breeder::new(seed, 64, word.len() + 1);
        let first = Input::stdin("....");
        assert!(breeder.take(&first, &counters(&first, word), 1));
        let (mut tests, mut found) = (Vec::new(), None);
        for number in 0..n_runs {
            let mutant = breeder.breed().unwrap();
            let (input, seen) = (mutant.input.clone(), counters(&mutant.input, word));
            let is_whole = seen[word.len()] == 1;
            if breeder.ran(mutant, &seen, End::Normal, 1).is_some() {
                tests.push(input);
            }
            if is_whole {
                found = Some(number);
                break;
            }
        }
        (tests, found)
    }

    #[test]
    fn a_word_is_found_byte_by_byte() {
        let (tests, found) = breed(1, b"key", 500_000);
        assert!(found.is_some(), "{tests:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_tests() {
        assert_eq!(breed(7, b"word", 20_000).0, breed(7, b"word", 20_000).0);
        assert_ne!(breed(7, b"wo", 100_000).0, breed(8, b"wo", 100_000).0);
    }

    #[test]
    fn memory_of_the_program_keeps_its_size() {
        let mut input = Input::stdin("abc");
        input.push(SourceKind::Named, "header", "12345678");
        let mut breeder = Breeder::new(1, 64, 2);
        assert!(breeder.take(&input, &[1, 0], 1));
        let mutants: Vec<Input> = (0..2000).map(|_| breeder.breed().unwrap().input).collect();
        assert!(mutants.iter().all(|mutant| mutant.source("header").unwrap().bytes.len() == 8));
        assert!(mutants.iter().any(|mutant| mutant.source("header").unwrap().bytes != b"12345678"));
        assert!(mutants.iter().any(|mutant| mutant.source("stdin").unwrap().bytes.len() != 3));
    }

    #[test]
    fn words_of_the_dictionary_are_used() {
        let word = b"while";
        let mut breeder = Breeder::new(1, 64, 2);
        breeder.add_words([&word[..]]);
        assert!(breeder.take(&Input::stdin("x"), &[1, 0], 1));
        let has_word = |input: &Input| input.sources[0].bytes.windows(word.len()).any(|window| window == word);
        assert!((0..1000).any(|_| has_word(&breeder.breed().unwrap().input)));
    }

    #[test]
    fn every_input_has_random_changes() {
        let inputs = ["if (a) b();", "while", "x"].map(Input::stdin);
        let mut breeder = Breeder::of_bytes(1, 64, &inputs);
        assert_eq!(breeder.n_tests(), 3);
        let mutants: Vec<Mutant> = (0..3000).map(|_| breeder.breed().unwrap()).collect();
        for number in 0..3 {
            let n_made = mutants.iter().filter(|mutant| mutant.parent == Some(number)).count();
            assert!(n_made > 300, "{n_made} of {number}");
        }
        assert!(mutants.iter().all(|mutant| mutant.way == Way::Bytes));
    }

    #[test]
    fn bad_ends_are_told_apart_and_make_no_tests() {
        let mut breeder = Breeder::new(1, 64, 2);
        assert!(breeder.take(&Input::stdin("x"), &[1, 1], 1));
        let mut end = |counters: &[u8]| {
            let mutant = breeder.breed().unwrap();
            breeder.ran(mutant, counters, End::Bad, 1).is_some()
        };
        assert!(end(&[1, 0]));
        assert!(!end(&[1, 0]));
        assert!(end(&[1, 1]));
        assert_eq!(breeder.n_tests(), 1);
    }

    #[test]
    fn classes_are_those_of_the_map() {
        let counters: Vec<u8> = (0..=255).collect();
        let mut observer: Counters = HitcountsMapObserver::new(StdMapObserver::owned("counters", counters.clone()));
        let mut breeder = Breeder::new(1, 64, 1);
        let test = Test::new(&Input::stdin(""));
        Observer::<Test, State>::post_exec(&mut observer, &mut breeder.state, &test, &ExitKind::Ok).unwrap();
        let mut own = counters;
        classify(&mut own);
        assert_eq!(observer.to_slice_mut(), &own[..]);
    }

    #[test]
    fn every_source_is_mutated() {
        let mut input = Input::stdin("aaaaaaaa");
        input.push(gimlet_trace::SourceKind::Arg, "arg1", "bbbbbbbb");
        let mut breeder = Breeder::new(1, 64, 1);
        assert!(breeder.take(&input, &[1], 1));
        let mutants: Vec<Input> = (0..100).map(|_| breeder.breed().unwrap().input).collect();
        for number in 0..2 {
            assert!(mutants.iter().any(|mutant| mutant.sources[number].bytes != input.sources[number].bytes));
        }
        assert!(mutants.iter().all(|mutant| mutant.sources.len() == 2));
    }
}
