//! Texts that are made of other texts along their derivation trees.
//!
//! What one rule derives can stand wherever its nonterminal does. So parts of texts are exchanged, made anew, repeated, put
//! into larger ones or left out, and most of what comes of it is a text of the language again. Parts stay as they were
//! written, with their blanks and comments; where two of them would be scanned as one token, a blank is put between.
//! Nothing is promised: what is no text of the language after all is another test of how a program takes errors.

mod parsed;

use std::ops::Range;
use std::rc::Rc;

use crate::chance::Chance;
use crate::grammar::useful;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol, TerminalId};
use crate::parse::lalr::Tables;
use crate::parse::parser;
use crate::sample::kpaths;
use crate::sample::shortest::Shortest;
use crate::sample::weighted::Weighted;
use crate::scanner::lexer::{Given, Lexer};
use crate::scanner::{Scanned, Scanner};
use crate::text::unparser::Unparser;

pub use parsed::{Parsed, Place};

/// Longer texts are not parsed.
const LEN_PARSED_MAX: usize = 8 << 10;

/// Parts of each symbol that are remembered, and their longest.
const N_PARTS: usize = 256;
const LEN_PART_MAX: usize = 200;

/// Chains of symbols that the first texts use.
const K: usize = 3;
const N_CHAINS_MAX: usize = 20_000;

/// Tokens of a text that is made anew: a few, and with luck more.
const N_TOKENS: u32 = 4;
const N_DOUBLED_MAX: u32 = 4;

/// Changes of one text.
const N_CHANGES_MAX: usize = 4;
/// A part is repeated up to so often; sometimes as often as there is room.
const N_REPEATED: u64 = 4;
const N_REPEATED_SELDOM: u64 = 64;

/// Blanks that may be put between tokens.
const BLANKS: [&[u8]; 3] = [b" ", b"\n", b"\t"];

/// Parts of texts that one symbol derives. Later ones take the place of the first.
#[derive(Clone, Default, Debug)]
struct Parts {
    texts: Vec<Box<[u8]>>,
    next: usize,
}

impl Parts {
    fn add(&mut self, text: &[u8]) {
        if text.is_empty() || text.len() > LEN_PART_MAX || self.texts.iter().any(|known| **known == *text) {
            return;
        }
        match self.texts.get_mut(self.next) {
            Some(oldest) => *oldest = text.into(),
            None => self.texts.push(text.into()),
        }
        self.next = (self.next + 1) % N_PARTS;
    }

    fn pick(&self, chance: &mut Chance) -> Option<&[u8]> {
        (!self.texts.is_empty()).then(|| &*self.texts[chance.pick(self.texts.len())])
    }
}

/// Something that is put into a text, with the places where its parts meet.
#[derive(Default)]
struct Graft {
    text: Vec<u8>,
    joints: Vec<usize>,
}

impl Graft {
    fn of(text: &[u8]) -> Graft {
        Graft { text: text.to_vec(), joints: Vec::new() }
    }

    fn push(&mut self, part: &[u8]) {
        self.joints.push(self.text.len());
        self.text.extend_from_slice(part);
    }
}

/// What can be done with a part.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// One that was seen elsewhere.
    Exchange,
    /// One that is made anew.
    Renew,
    /// Another rule, with what is below as far as it has a place there.
    OtherRule,
    /// It becomes a part of a larger one.
    Wrap,
    /// What is around a part of the same symbol comes again and again.
    Repeat,
    /// Only a part of the same symbol stays.
    Shrink,
}

/// Each as often as it stands here.
const CHANGES: [Change; 10] = [
    Change::Exchange,
    Change::Exchange,
    Change::Exchange,
    Change::Renew,
    Change::Renew,
    Change::OtherRule,
    Change::OtherRule,
    Change::Wrap,
    Change::Repeat,
    Change::Shrink,
];

/// Makes texts of one grammar.
pub struct SubtreeMutator {
    grammar: Rc<Grammar>,
    scanner: Rc<Scanner>,
    /// What yacc makes of the grammar, if it is yacc's.
    tables: Option<Tables>,
    unparser: Unparser,
    weighted: Weighted<Rc<Grammar>>,
    /// By nonterminal and by terminal.
    parts: Vec<Parts>,
    texts: Vec<Parts>,
    /// By terminal: whether it has more than one text.
    has_several: Vec<bool>,
    /// Sentences that together use all of the grammar, from the last.
    first: Vec<Vec<TerminalId>>,
    blank: Option<&'static [u8]>,
}

impl SubtreeMutator {
    /// `is_yacc` says that the grammar's conflicts are resolved as yacc does. `None` if the grammar has no sentence with a text.
    pub fn new(grammar: Grammar, scanner: Rc<Scanner>, is_yacc: bool) -> Option<SubtreeMutator> {
        let mut unparser = Unparser::new(&grammar, Rc::clone(&scanner));
        let has_several = grammar.terminal_ids().map(|terminal| unparser.only(terminal).is_none()).collect();
        let first = first_sentences(&grammar, &unparser)?;
        let tables = is_yacc.then(|| Tables::new(&grammar));
        let grammar = Rc::new(grammar);
        let length_of = |terminal: TerminalId| unparser.has_text(terminal).then_some(1);
        let weighted = Weighted::new(Rc::clone(&grammar), &length_of);
        Some(SubtreeMutator {
            parts: vec![Parts::default(); grammar.nonterminals.len()],
            texts: vec![Parts::default(); grammar.terminals.len()],
            blank: BLANKS.into_iter().find(|blank| is_blank(&scanner, blank)),
            grammar,
            scanner,
            tables,
            unparser,
            weighted,
            has_several,
            first,
        })
    }

    /// Texts of tokens that have only one.
    pub fn words(&mut self) -> Vec<Vec<u8>> {
        let tokens: Vec<TerminalId> = self.grammar.terminal_ids().collect();
        tokens.into_iter().filter_map(|terminal| self.unparser.only(terminal)).collect()
    }

    /// The places of a text; `None` if it is not in the language, or nobody can tell.
    pub fn parse(&self, text: &[u8]) -> Option<Parsed> {
        if text.len() > LEN_PARSED_MAX {
            return None;
        }
        let scanned = self.scanner.scan(text).ok()?;
        let terminals = scanned.iter().map(Scanned::only).collect::<Option<Vec<TerminalId>>>()?;
        let tree = parser::tree(&self.grammar, self.tables.as_ref(), &terminals)?;
        Some(Parsed::new(&self.grammar, &tree, &scanned))
    }

    /// Remembers the parts of a text.
    pub fn learn(&mut self, text: &[u8], parsed: &Parsed) {
        for place in &parsed.places {
            let parts = match place.symbol {
                Symbol::Nonterminal(nonterminal) => &mut self.parts[nonterminal.index()],
                Symbol::Terminal(terminal) => &mut self.texts[terminal.index()],
            };
            parts.add(&text[place.span.clone()]);
        }
    }

    /// Whether there are still texts to come that use something of the grammar for the first time.
    pub fn has_first(&self) -> bool {
        !self.first.is_empty()
    }

    /// A whole text: first those that use all of the grammar, then by chance.
    pub fn grow(&mut self, chance: &mut Chance) -> Option<Vec<u8>> {
        let Some(sentence) = self.first.pop() else { return self.renew(self.grammar.start, chance) };
        self.write(&sentence, chance)
    }

    /// A text with other parts here and there; `None` if it would be too long, or there is nothing to change.
    pub fn graft(&mut self, text: &[u8], parsed: &Parsed, len_max: usize, chance: &mut Chance) -> Option<Vec<u8>> {
        let n_changes = (1..N_CHANGES_MAX).take_while(|_| chance.below(3) == 0).count() + 1;
        let mut changes: Vec<(Range<usize>, Graft)> = Vec::new();
        for _ in 0..n_changes {
            let at = self.pick_place(parsed, chance)?;
            let span = &parsed.places[at].span;
            let is_near = |(other, _): &(Range<usize>, Graft)| span.start <= other.end && other.start <= span.end;
            if changes.iter().any(is_near) {
                continue;
            }
            if let Some(graft) = self.change(text, parsed, at, len_max, chance) {
                changes.push((span.clone(), graft));
            }
        }
        changes.sort_by_key(|(span, _)| span.start);
        let (mut grafted, mut joints, mut end) = (Vec::new(), Vec::new(), 0);
        for (span, graft) in &changes {
            grafted.extend_from_slice(&text[end..span.start]);
            joints.push(grafted.len());
            joints.extend(graft.joints.iter().map(|joint| grafted.len() + joint));
            grafted.extend_from_slice(&graft.text);
            joints.push(grafted.len());
            end = span.end;
        }
        grafted.extend_from_slice(&text[end..]);
        let grafted = self.separated(grafted, &joints);
        (!changes.is_empty() && grafted.len() <= len_max && grafted != text).then_some(grafted)
    }

    /// Somewhere to change something: nonterminals three times as often as tokens, if there are both.
    fn pick_place(&self, parsed: &Parsed, chance: &mut Chance) -> Option<usize> {
        let places = |wants_token: bool| {
            let is_fitting = move |&at: &usize| match parsed.places[at].symbol {
                Symbol::Nonterminal(_) => !wants_token,
                Symbol::Terminal(terminal) => wants_token && self.has_several[terminal.index()],
            };
            (0..parsed.places.len()).filter(is_fitting).collect::<Vec<usize>>()
        };
        let wants_token = chance.below(4) == 0;
        let fitting = Some(places(wants_token)).filter(|fitting| !fitting.is_empty());
        let fitting = fitting.unwrap_or_else(|| places(!wants_token));
        (!fitting.is_empty()).then(|| fitting[chance.pick(fitting.len())])
    }

    /// What stands at a place instead.
    fn change(
        &mut self,
        text: &[u8],
        parsed: &Parsed,
        at: usize,
        len_max: usize,
        chance: &mut Chance,
    ) -> Option<Graft> {
        let place = &parsed.places[at];
        let nonterminal = match place.symbol {
            Symbol::Terminal(terminal) => return self.token(terminal, chance).map(|text| Graft::of(&text)),
            Symbol::Nonterminal(nonterminal) => nonterminal,
        };
        let own = &text[place.span.clone()];
        // What derives nothing may stand behind the blanks that follow the place.
        let is_inside = |inner: &Range<usize>| {
            *inner != place.span && inner.start >= place.span.start && inner.end <= place.span.end
        };
        let below: Vec<usize> = parsed.same_below(at).filter(|&below| is_inside(&parsed.places[below].span)).collect();
        match CHANGES[chance.pick(CHANGES.len())] {
            Change::Exchange => self.parts[nonterminal.index()].pick(chance).map(Graft::of),
            Change::Renew => self.renew(nonterminal, chance).map(|text| Graft::of(&text)),
            Change::OtherRule => self.other_rule(text, parsed, at, nonterminal, chance),
            Change::Wrap => self.wrapped(own, nonterminal, chance),
            Change::Repeat if !below.is_empty() => {
                let inner = &parsed.places[below[chance.pick(below.len())]].span;
                let around = [&text[place.span.start..inner.start], &text[inner.end..place.span.end]];
                let len = around[0].len() + around[1].len();
                let n_max = if chance.below(8) == 0 { N_REPEATED_SELDOM } else { N_REPEATED };
                let n_possible = len_max.saturating_sub(text.len()) / len.max(1);
                let n_times = 2 + chance.below(n_max).min(n_possible as u64) as usize;
                let mut graft = Graft::default();
                (0..n_times).for_each(|_| graft.push(around[0]));
                graft.push(&text[inner.clone()]);
                (0..n_times).for_each(|_| graft.push(around[1]));
                Some(graft)
            }
            Change::Shrink if !below.is_empty() => {
                let inner = &parsed.places[below[chance.pick(below.len())]].span;
                Some(Graft::of(&text[inner.clone()]))
            }
            Change::Repeat | Change::Shrink => self.part(nonterminal, chance).map(|part| Graft::of(&part)),
        }
    }

    /// What another rule derives, with what is below a place as far as it can be used.
    fn other_rule(
        &mut self,
        text: &[u8],
        parsed: &Parsed,
        at: usize,
        nonterminal: NonterminalId,
        chance: &mut Chance,
    ) -> Option<Graft> {
        let rule = self.pick_rule(nonterminal, chance, |_| true)?;
        let mut left: Vec<usize> = parsed.children(at).collect();
        let mut graft = Graft::default();
        for symbol in self.grammar.rule(rule).right.clone() {
            match left.iter().position(|&child| parsed.places[child].symbol == symbol) {
                Some(known) => graft.push(&text[parsed.places[left.remove(known)].span.clone()]),
                None => graft.push(&self.symbol(symbol, chance)?),
            }
        }
        Some(graft)
    }

    /// A part within another of the same symbol.
    fn wrapped(&mut self, own: &[u8], nonterminal: NonterminalId, chance: &mut Chance) -> Option<Graft> {
        let grammar = Rc::clone(&self.grammar);
        let uses = |rule: RuleId| {
            let right = grammar.rule(rule).right.iter().enumerate();
            let same = right.filter(|(_, symbol)| symbol.nonterminal() == Some(nonterminal));
            same.map(|(at, _)| at).collect::<Vec<usize>>()
        };
        let rule = self.pick_rule(nonterminal, chance, |rule| !uses(rule).is_empty())?;
        let uses = uses(rule);
        let chosen = uses[chance.pick(uses.len())];
        let mut graft = Graft::default();
        for (at, &symbol) in grammar.rule(rule).right.iter().enumerate() {
            match at == chosen {
                true => graft.push(own),
                false => graft.push(&self.symbol(symbol, chance)?),
            }
        }
        Some(graft)
    }

    fn pick_rule(
        &self,
        nonterminal: NonterminalId,
        chance: &mut Chance,
        is_wanted: impl Fn(RuleId) -> bool,
    ) -> Option<RuleId> {
        let rules = self.grammar.rules_of(nonterminal).iter().copied();
        let rules: Vec<RuleId> = rules.filter(|&rule| self.weighted.is_used(rule) && is_wanted(rule)).collect();
        (!rules.is_empty()).then(|| rules[chance.pick(rules.len())])
    }

    fn symbol(&mut self, symbol: Symbol, chance: &mut Chance) -> Option<Vec<u8>> {
        match symbol {
            Symbol::Terminal(terminal) => self.token(terminal, chance),
            Symbol::Nonterminal(nonterminal) => self.part(nonterminal, chance),
        }
    }

    /// Something that a nonterminal derives, old or new.
    fn part(&mut self, nonterminal: NonterminalId, chance: &mut Chance) -> Option<Vec<u8>> {
        let known = self.parts[nonterminal.index()].pick(chance).filter(|_| chance.below(2) == 0);
        match known {
            Some(known) => Some(known.to_vec()),
            None => self.renew(nonterminal, chance),
        }
    }

    /// A text of a token, old or new.
    fn token(&mut self, terminal: TerminalId, chance: &mut Chance) -> Option<Vec<u8>> {
        let known = self.texts[terminal.index()].pick(chance).filter(|_| chance.below(3) != 0);
        if let Some(known) = known {
            return Some(known.to_vec());
        }
        let drawn = self.unparser.drawn(&[terminal], chance).ok().map(|template| template.bytes);
        drawn.or_else(|| self.unparser.example(terminal))
    }

    /// Something new that a nonterminal derives.
    fn renew(&mut self, nonterminal: NonterminalId, chance: &mut Chance) -> Option<Vec<u8>> {
        let n_doubled = (0..N_DOUBLED_MAX).take_while(|_| chance.below(2) == 0).count();
        let n_tokens = self.weighted.shortest_of(nonterminal)?.saturating_add(u64::from(N_TOKENS) << n_doubled);
        let tree = self.weighted.sample_of(nonterminal, u32::try_from(n_tokens).ok()?, chance)?;
        let sentence: Vec<TerminalId> = tree.pieces().map(|piece| piece.terminal).collect();
        self.write(&sentence, chance)
    }

    /// A text of a sentence, some of its tokens with texts that were seen.
    fn write(&mut self, sentence: &[TerminalId], chance: &mut Chance) -> Option<Vec<u8>> {
        let written = self.unparser.drawn(sentence, chance).ok()?.bytes;
        let Some(scanned) = self.scanner.scan(&written).ok().filter(|scanned| scanned.len() == sentence.len()) else {
            return Some(written);
        };
        let (mut text, mut joints, mut end) = (Vec::new(), Vec::new(), 0);
        for (token, terminal) in scanned.iter().zip(sentence) {
            let known = self.texts[terminal.index()].pick(chance).filter(|_| chance.below(2) == 0);
            let Some(known) = known else { continue };
            text.extend_from_slice(&written[end..token.span.start]);
            joints.push(text.len());
            text.extend_from_slice(known);
            joints.push(text.len());
            end = token.span.end;
        }
        text.extend_from_slice(&written[end..]);
        Some(self.separated(text, &joints))
    }

    /// A text with blanks where a token would go beyond one of the joints, which ascend.
    fn separated(&self, mut text: Vec<u8>, joints: &[usize]) -> Vec<u8> {
        let Some(blank) = self.blank else { return text };
        let lexemes = match self.lexer().lex(&text) {
            Ok(lexemes) => lexemes,
            Err(stopped) => stopped.lexemes,
        };
        let mut lexemes = lexemes.iter().peekable();
        let mut crossed: Vec<usize> = Vec::new();
        for &joint in joints {
            while lexemes.next_if(|lexeme| lexeme.end <= joint).is_some() {}
            let is_crossed = lexemes.peek().is_some_and(|lexeme| lexeme.span.start < joint && joint < lexeme.end);
            if is_crossed && crossed.last() != Some(&joint) {
                crossed.push(joint);
            }
        }
        for &joint in crossed.iter().rev() {
            text.splice(joint..joint, blank.iter().copied());
        }
        text
    }

    fn lexer(&self) -> Lexer<'_> {
        Lexer { lex: &self.scanner.lex, automaton: &self.scanner.automaton, effects: &self.scanner.effects }
    }
}

/// Sentences that use every chain of symbols, the longest first; shorter chains if there are too many.
fn first_sentences(grammar: &Grammar, unparser: &Unparser) -> Option<Vec<Vec<TerminalId>>> {
    let grammar = useful::reduced(grammar, &|terminal| unparser.has_text(terminal))?;
    let shortest = Shortest::new(&grammar, &|_| 1);
    let mut chains = Vec::new();
    let mut k = K;
    while k > 0 {
        let (found, is_all) = kpaths::paths(&grammar, &shortest, k, N_CHAINS_MAX);
        chains = found;
        if is_all {
            break;
        }
        k -= 1;
    }
    let trees = kpaths::cover(&grammar, &shortest, &chains, k.max(1));
    let mut sentences: Vec<Vec<TerminalId>> =
        trees.map(|tree| tree.pieces().map(|piece| piece.terminal).collect()).collect();
    sentences.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
    sentences.dedup();
    Some(sentences)
}

/// Whether a text is nothing to the parser.
pub(crate) fn is_blank(scanner: &Scanner, text: &[u8]) -> bool {
    let lexer = Lexer { lex: &scanner.lex, automaton: &scanner.automaton, effects: &scanner.effects };
    lexer.lex(text).is_ok_and(|lexemes| lexemes.iter().all(|lexeme| lexeme.given == Given::Nothing))
}
