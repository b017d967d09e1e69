//! One set of an Earley chart (Earley 1970) after the other.
//!
//! An item is not looked at by itself: all positions at which the same rest of a rule began are one set of bits, and a
//! nonterminal that comes to its end takes over the whole set of each of its users. In an ambiguous grammar, or where many
//! terminals may stand at a position, such sets have as many members as there are positions, and of what a nonterminal
//! brings nearly all is known: with a bit for each position the cubic part of the work is done for 64 of them at a time.
//! Most items begin where they are looked at, and need no bits.

use rustc_hash::FxHashMap;

use crate::grammar::analysis;
use crate::grammar::suffixes::{RuleSuffixes, SuffixId};
use crate::grammar::{Grammar, NonterminalId, Symbol, TerminalId};

/// What a set of positions takes beside its members.
const ORIGINS_BYTES: usize = 64;
/// Nonterminals that come to their ends between two looks at the clock.
const N_UNWATCHED: u32 = 1 << 10;

/// Whoever asked does not want to know any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stopped;

/// Positions in ascending order, or a bit for each.
#[derive(Debug)]
pub(crate) enum Origins {
    Few(Box<[u32]>),
    Many(Box<[u64]>),
}

impl Origins {
    pub fn contains(&self, origin: u32) -> bool {
        match self {
            Origins::Few(few) => few.binary_search(&origin).is_ok(),
            Origins::Many(words) => words.get(origin as usize / 64).is_some_and(|word| word >> (origin % 64) & 1 == 1),
        }
    }

    pub fn iter(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            Origins::Few(few) => Box::new(few.iter().copied()),
            Origins::Many(words) => Box::new(members(words)),
        }
    }

    /// In memory.
    pub fn n_bytes(&self) -> usize {
        ORIGINS_BYTES
            + match self {
                Origins::Few(few) => size_of_val(&few[..]),
                Origins::Many(many) => size_of_val(&many[..]),
            }
    }
}

fn members(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    (0..).step_by(64).zip(words).flat_map(|(first, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            Some(first + bit)
        })
    })
}

/// RuleSuffixes with the positions at which what they belong to began.
pub(crate) type Items = Vec<(SuffixId, Origins)>;

/// A set that is complete.
#[derive(Default, Debug)]
pub(crate) struct Set {
    /// What comes behind each nonterminal that may begin here.
    pub waiting: FxHashMap<NonterminalId, Items>,
    /// What comes behind each terminal that may stand here, in ascending order.
    pub scans: Vec<(TerminalId, Items)>,
    /// The start symbol is complete from the first position on.
    pub is_accepting: bool,
}

impl Set {
    /// In memory.
    pub fn n_bytes(&self) -> usize {
        let all = self.waiting.values().chain(self.scans.iter().map(|(_, items)| items));
        all.flatten().map(|(_, origins)| origins.n_bytes()).sum()
    }

    /// What comes behind a terminal.
    pub fn behind(&self, terminal: TerminalId) -> &[(SuffixId, Origins)] {
        match self.scans.binary_search_by_key(&terminal, |&(it, _)| it) {
            Ok(at) => &self.scans[at].1,
            Err(_) => &[],
        }
    }
}

/// What all charts of a grammar share.
#[derive(Debug)]
pub(crate) struct Earley {
    pub start: NonterminalId,
    pub nullable: Vec<bool>,
    pub rests: RuleSuffixes,
}

impl Earley {
    pub fn new(grammar: &Grammar) -> Earley {
        let shortest = analysis::shortest(grammar, &|_| 1);
        let rests = RuleSuffixes::new(grammar, &shortest, &|_| 1);
        Earley { start: grammar.start, nullable: analysis::nullable(grammar), rests }
    }
}

/// The positions of a rest in a set that grows.
#[derive(Clone, Default, Debug)]
struct Growing {
    /// Those before the set's own, with a bit for each; and of them, those that were not looked at.
    known: Vec<u64>,
    new: Vec<u64>,
    /// The same for the set's own position.
    has_own: bool,
    is_own_new: bool,
    is_touched: bool,
    is_pending: bool,
}

/// When each item came: those that led to it came before. For whoever looks for a derivation.
pub(crate) type Ranks = FxHashMap<(SuffixId, u32), u32>;

/// Completes sets. It belongs to one grammar, whose items it has room for.
#[derive(Debug)]
pub(crate) struct Closer {
    /// By rest.
    growing: Vec<Growing>,
    touched: Vec<SuffixId>,
    pending: Vec<SuffixId>,
    is_predicted: Vec<bool>,
    predicted: Vec<NonterminalId>,
    ranks: Option<Ranks>,
    at: u32,
    n_unwatched: u32,
}

impl Closer {
    pub fn new(earley: &Earley) -> Closer {
        Closer {
            growing: vec![Growing::default(); earley.rests.all.len()],
            touched: Vec::new(),
            pending: Vec::new(),
            is_predicted: vec![false; earley.nullable.len()],
            predicted: Vec::new(),
            ranks: None,
            at: 0,
            n_unwatched: 0,
        }
    }

    /// The set at a position, from what was scanned into it; the first one has nothing before it. `is_stopped` is asked now
    /// and then.
    pub fn close<'k, 's>(
        &mut self,
        earley: &Earley,
        at: u32,
        kernel: impl IntoIterator<Item = &'k (SuffixId, Origins)>,
        before: &dyn Fn(u32) -> &'s Set,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Set, Stopped> {
        self.begin(earley, at, kernel);
        let completed = self.complete(earley, before, is_stopped);
        let set = completed.map(|is_accepting| self.harvest(earley, is_accepting));
        self.clear();
        set
    }

    /// The same, but when each item came.
    pub fn ranks<'k, 's>(
        &mut self,
        earley: &Earley,
        at: u32,
        kernel: impl IntoIterator<Item = &'k (SuffixId, Origins)>,
        before: &dyn Fn(u32) -> &'s Set,
    ) -> Ranks {
        self.ranks = Some(Ranks::default());
        self.begin(earley, at, kernel);
        let completed = self.complete(earley, before, &|| false);
        debug_assert!(completed.is_ok(), "nobody stops it");
        self.clear();
        self.ranks.take().unwrap_or_default()
    }

    fn begin<'k>(&mut self, earley: &Earley, at: u32, kernel: impl IntoIterator<Item = &'k (SuffixId, Origins)>) {
        self.at = at;
        kernel.into_iter().for_each(|(rest, origins)| self.add_all(*rest, origins));
        if at == 0 {
            self.predict(earley, earley.start);
        }
    }

    fn clear(&mut self) {
        for rest in self.touched.drain(..) {
            let growing = &mut self.growing[rest.index()];
            growing.known.clear();
            growing.new.clear();
            *growing = Growing {
                known: std::mem::take(&mut growing.known),
                new: std::mem::take(&mut growing.new),
                ..Growing::default()
            };
        }
        self.pending.clear();
        self.predicted.drain(..).for_each(|it| self.is_predicted[it.index()] = false);
    }

    fn predict(&mut self, earley: &Earley, nonterminal: NonterminalId) {
        if !std::mem::replace(&mut self.is_predicted[nonterminal.index()], true) {
            self.predicted.push(nonterminal);
            earley.rests.rules_of[nonterminal.index()].iter().for_each(|&rest| self.add_own(rest));
        }
    }

    fn touch(&mut self, rest: SuffixId) -> &mut Growing {
        let growing = &mut self.growing[rest.index()];
        if !std::mem::replace(&mut growing.is_touched, true) {
            self.touched.push(rest);
        }
        growing
    }

    fn queue(&mut self, rest: SuffixId) {
        if !std::mem::replace(&mut self.growing[rest.index()].is_pending, true) {
            self.pending.push(rest);
        }
    }

    fn rank(&mut self, rest: SuffixId, origin: u32) {
        if let Some(ranks) = &mut self.ranks {
            let rank = ranks.len() as u32;
            ranks.insert((rest, origin), rank);
        }
    }

    /// A rest of what begins here.
    fn add_own(&mut self, rest: SuffixId) {
        let growing = self.touch(rest);
        if !std::mem::replace(&mut growing.has_own, true) {
            growing.is_own_new = true;
            self.queue(rest);
            self.rank(rest, self.at);
        }
    }

    fn add_all(&mut self, rest: SuffixId, origins: &Origins) {
        match origins {
            Origins::Few(few) => {
                few.iter().for_each(|&origin| self.add_bits(rest, origin as usize / 64, 1 << (origin % 64)))
            }
            Origins::Many(words) => self.add_words(rest, words),
        }
    }

    fn add_words(&mut self, rest: SuffixId, words: &[u64]) {
        for (at, &bits) in words.iter().enumerate() {
            if bits != 0 {
                self.add_bits(rest, at, bits);
            }
        }
    }

    /// Positions before this one; all of them of one word.
    fn add_bits(&mut self, rest: SuffixId, at: usize, bits: u64) {
        let growing = self.touch(rest);
        if growing.known.len() <= at {
            growing.known.resize(at + 1, 0);
            growing.new.resize(at + 1, 0);
        }
        let new = bits & !growing.known[at];
        if new == 0 {
            return;
        }
        growing.known[at] |= new;
        growing.new[at] |= new;
        self.queue(rest);
        if self.ranks.is_some() {
            members(&[new]).for_each(|bit| self.rank(rest, at as u32 * 64 + bit));
        }
    }

    /// Whether the start symbol is complete.
    fn complete<'s>(
        &mut self,
        earley: &Earley,
        before: &dyn Fn(u32) -> &'s Set,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<bool, Stopped> {
        let mut is_accepting = self.at == 0 && earley.nullable[earley.start.index()];
        let mut new: Vec<u64> = Vec::new();
        while let Some(id) = self.pending.pop() {
            let growing = &mut self.growing[id.index()];
            growing.is_pending = false;
            let is_own_new = std::mem::take(&mut growing.is_own_new);
            new.clear();
            new.extend_from_slice(&growing.new);
            growing.new.fill(0);
            let rest = earley.rests.get(id);
            match (rest.symbols.first(), rest.next) {
                (Some(Symbol::Terminal(_)), _) => {}
                (Some(&Symbol::Nonterminal(nonterminal)), Some(next)) => {
                    self.predict(earley, nonterminal);
                    if earley.nullable[nonterminal.index()] {
                        self.add_words(next, &new);
                        if is_own_new {
                            self.add_own(next);
                        }
                    }
                }
                // What begins and ends here is empty, and was passed over where it was predicted.
                _ => {
                    for origin in members(&new) {
                        self.watch(is_stopped)?;
                        is_accepting |= origin == 0 && rest.left == earley.start;
                        let users = before(origin).waiting.get(&rest.left);
                        users.into_iter().flatten().for_each(|(user, origins)| self.add_all(*user, origins));
                    }
                }
            }
        }
        Ok(is_accepting)
    }

    fn watch(&mut self, is_stopped: &dyn Fn() -> bool) -> Result<(), Stopped> {
        self.n_unwatched += 1;
        if self.n_unwatched >= N_UNWATCHED {
            self.n_unwatched = 0;
            if is_stopped() {
                return Err(Stopped);
            }
        }
        Ok(())
    }

    fn harvest(&mut self, earley: &Earley, is_accepting: bool) -> Set {
        let mut set = Set { is_accepting, ..Set::default() };
        let mut scans: FxHashMap<TerminalId, Items> = FxHashMap::default();
        // The order of items must not depend on how they were found.
        self.touched.sort_unstable();
        for &id in &self.touched {
            let rest = earley.rests.get(id);
            let (Some(&first), Some(next)) = (rest.symbols.first(), rest.next) else { continue };
            let item = (next, self.origins(id));
            match first {
                Symbol::Terminal(terminal) => scans.entry(terminal).or_default().push(item),
                Symbol::Nonterminal(nonterminal) => set.waiting.entry(nonterminal).or_default().push(item),
            }
        }
        set.scans = scans.into_iter().collect();
        set.scans.sort_unstable_by_key(|&(terminal, _)| terminal);
        set
    }

    fn origins(&self, id: SuffixId) -> Origins {
        let growing = &self.growing[id.index()];
        let n_members = growing.known.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        if n_members + usize::from(growing.has_own) <= (2 * growing.known.len()).max(1) {
            return Origins::Few(members(&growing.known).chain(growing.has_own.then_some(self.at)).collect());
        }
        let mut words = growing.known.clone();
        if growing.has_own {
            let (at, bit) = (self.at as usize / 64, 1 << (self.at % 64));
            words.resize(words.len().max(at + 1), 0);
            words[at] |= bit;
        }
        Origins::Many(words.into())
    }
}
