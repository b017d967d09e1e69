//! Texts of token strings: what makes the scanner hand on exactly these tokens.
//!
//! A scanner prefers the longest match, has start conditions, knows the beginnings of lines and reads on in its actions; so
//! a token's text depends on what came before, and whether it is taken as that token on what comes after. [`Writer`] walks
//! from place to place: a place is the state of the scanner and which longer matches are still possible. From each place
//! it looks once for the cheapest way to a token of a given length, through other pieces of text if need be (blanks,
//! comments, quotes), so that writing a long string is a few lookups for each token. A token with several texts becomes a
//! hole, and the way is right for all of them. Tokens that the scanner makes of the end of its input have the empty text,
//! and no other is last there. What is written is scanned again before it is handed out.

mod place;
mod ways;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use regex_syntax::hir::Hir;
use rustc_hash::{FxHashMap, FxHashSet};

use self::place::{Guard, Place, PlaceId, Places, Watcher};
use self::ways::{Language, Languages, Way};
use crate::grammar::{Grammar, TerminalId};
use crate::regular::dfa::Dfa;
use crate::regular::readability::rank;
use crate::scanner::effect::Taken;
use crate::scanner::ConditionId;
use crate::scanner::{Scanned, Scanner};
use crate::text::template::{Hole, Template};

/// Pieces of text that are put between two tokens at most, and places that are looked at for that.
const N_BETWEEN_MAX: u32 = 4;
const N_PLACES_MAX: usize = 400;
/// States of a language that is cut down to what fits.
const N_FITTING_MAX: usize = 2_000;
/// The price of a token that the program may take as another.
const DOUBT: u32 = 10_000;

/// The price of two words that are not kept apart, where the scanner does not mind.
const GLUED: u32 = 15;

/// A token to be written: its class with the length of its text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Wanted {
    pub class: u32,
    pub len: u32,
    /// One text will do: no other can take its place.
    pub is_fixed: bool,
}

/// What is written from a place on, up to the end of a token.
#[derive(Clone, Debug)]
struct Written {
    bytes: Vec<u8>,
    /// The token's text, if there are several: its place, length and language.
    hole: Option<(usize, usize, Rc<Dfa>)>,
    next: PlaceId,
}

/// Why a token string has no text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoText {
    /// This token can't come here.
    At(usize),
    /// The scanner, asked again, said something else.
    Refused,
}

/// Writes token strings.
#[derive(Debug)]
pub struct Writer {
    scanner: Rc<Scanner>,
    /// By terminal: those that are not told apart have the same number.
    classes: Vec<u32>,
    places: Places,
    ways: FxHashMap<(ConditionId, bool), Rc<Vec<Way>>>,
    languages: Languages,
    written: FxHashMap<(PlaceId, Wanted), Option<Rc<Written>>>,
    /// Whether the beginning of a line matters to any rule.
    minds_lines: bool,
    start: PlaceId,
    /// By condition: the classes that each token may be which the end of the input brings.
    ends: Vec<Vec<Vec<u32>>>,
}

impl Writer {
    /// Every terminal is told apart.
    pub fn new(grammar: &Grammar, scanner: Rc<Scanner>) -> Writer {
        Writer::with_classes(scanner, (0..grammar.terminals.len() as u32).collect())
    }

    /// By terminal: those with the same number are as good as each other.
    pub fn with_classes(scanner: Rc<Scanner>, classes: Vec<u32>) -> Writer {
        let minds_lines = scanner.lex.rules.iter().any(|rule| rule.at_line_start);
        let mut places = Places::default();
        let mut first = Place { at_line_start: minds_lines, ..Place::start() };
        if let [outcome] = &scanner.effects.at_start.outcomes[..] {
            first.conditions.apply(&outcome.moves);
        }
        let start = places.number(first);
        let classes_of = |it: Scanned| it.terminals.iter().map(|terminal| classes[terminal.index()]).collect();
        let end = |condition| scanner.at_end(condition).into_iter().map(classes_of).collect();
        let ends = scanner.lex.condition_ids().map(end).collect();
        let (ways, written) = (FxHashMap::default(), FxHashMap::default());
        Writer { scanner, classes, places, ways, languages: Languages::default(), written, minds_lines, start, ends }
    }

    /// One for other classes, which knows the languages that this one has found.
    pub fn reclassified(self, classes: Vec<u32>) -> Writer {
        Writer { languages: self.languages, ..Writer::with_classes(self.scanner, classes) }
    }

    pub fn class(&self, terminal: TerminalId) -> u32 {
        self.classes[terminal.index()]
    }

    /// Whether the texts of a class may always be something else.
    pub fn is_doubtful(&mut self, class: u32) -> bool {
        let [sure, doubtful] = self.languages_by_doubt(class);
        sure.is_empty() && !doubtful.is_empty()
    }

    /// The languages of a class, wherever the scanner may be; those in doubt only if there are no others.
    pub fn languages(&mut self, class: u32) -> Vec<Rc<Dfa>> {
        let [sure, doubtful] = self.languages_by_doubt(class);
        if sure.is_empty() {
            doubtful
        } else {
            sure
        }
    }

    fn languages_by_doubt(&mut self, class: u32) -> [Vec<Rc<Dfa>>; 2] {
        let mut found: [Vec<Rc<Dfa>>; 2] = Default::default();
        for condition in self.scanner.lex.condition_ids().collect::<Vec<_>>() {
            for at_line_start in if self.minds_lines { vec![false, true] } else { vec![false] } {
                let ways = self.ways(condition, at_line_start);
                for way in ways.iter().filter(|way| way.class == Some(class)) {
                    let languages = &mut found[usize::from(way.is_doubtful)];
                    if !languages.iter().any(|known| Rc::ptr_eq(known, &way.language.dfa)) {
                        languages.push(way.language.dfa.clone());
                    }
                }
            }
        }
        let is_end = self.ends.iter().flatten().any(|classes| classes.contains(&class));
        if is_end && found.iter().all(Vec::is_empty) {
            found[0].extend(Dfa::new(&Hir::empty()).map(Rc::new));
        }
        found
    }

    /// Whether the end of the input brings just these tokens.
    fn is_end(&self, place: PlaceId, rest: &[Wanted]) -> bool {
        let ends = &self.ends[self.places.get(place).conditions.current.index()];
        !ends.is_empty() && ends.len() == rest.len() && ends.iter().zip(rest).all(|(it, end)| it.contains(&end.class))
    }

    /// The text of a token string, with a hole for each token that has several texts.
    pub fn write(&mut self, tokens: impl IntoIterator<Item = Wanted>) -> Result<Template, NoText> {
        let mut template = Template::default();
        let tokens: Vec<Wanted> = tokens.into_iter().collect();
        let mut place = self.start;
        for (n, &wanted) in tokens.iter().enumerate() {
            if self.is_end(place, &tokens[n..]) {
                break;
            }
            let written = self.step(place, wanted).ok_or(NoText::At(n))?;
            if let Some((at, len, language)) = &written.hole {
                let at = template.bytes.len() + at;
                template.holes.push(Hole { at, len: *len, language: Some(language.clone()) });
            }
            template.bytes.extend_from_slice(&written.bytes);
            place = written.next;
        }
        if self.places.get(place).guard.is_some() {
            return Err(NoText::At(tokens.len()));
        }
        let classes: Vec<u32> = tokens.iter().map(|wanted| wanted.class).collect();
        match self.is_scanned_as(&template.bytes, &classes) {
            true => Ok(template),
            false => Err(NoText::Refused),
        }
    }

    /// Whether the scanner takes a text as these tokens.
    pub fn is_scanned_as(&self, text: &[u8], classes: &[u32]) -> bool {
        let Ok(scanned) = self.scanner.scan(text) else { return false };
        scanned.len() == classes.len()
            && scanned.iter().zip(classes).all(|(it, &class)| it.terminals.iter().any(|&id| self.class(id) == class))
    }

    fn ways(&mut self, condition: ConditionId, at_line_start: bool) -> Rc<Vec<Way>> {
        let (scanner, classes) = (&self.scanner, &self.classes);
        let made = self.ways.entry((condition, at_line_start));
        let languages = &mut self.languages;
        made.or_insert_with(|| Rc::new(ways::ways(scanner, classes, languages, condition, at_line_start))).clone()
    }

    fn step(&mut self, place: PlaceId, wanted: Wanted) -> Option<Rc<Written>> {
        if let Some(known) = self.written.get(&(place, wanted)) {
            return known.clone();
        }
        let found = self.search(place, wanted).map(Rc::new);
        self.written.insert((place, wanted), found.clone());
        found
    }

    /// The cheapest way to a token: that with the least between.
    fn search(&mut self, start: PlaceId, wanted: Wanted) -> Option<Written> {
        let mut pending = BinaryHeap::from([Reverse((0u32, 0u32, start, Vec::new()))]);
        let mut seen = FxHashSet::default();
        let mut best: Option<(u32, Written)> = None;
        while let Some(Reverse((cost, n_between, id, before))) = pending.pop() {
            if best.as_ref().is_some_and(|(least, _)| *least <= cost) || seen.len() >= N_PLACES_MAX {
                break;
            }
            if !seen.insert(id) {
                continue;
            }
            let place = self.places.get(id).clone();
            let ways = self.ways(place.conditions.current, place.at_line_start);
            for way in ways.iter().filter(|way| way.class == Some(wanted.class)) {
                let price = cost + if way.is_doubtful { DOUBT } else { 0 };
                let Some(written) = self.token(&place, way, wanted, &before) else { continue };
                let is_glued = place.is_in_word && is_word(written.bytes[before.len()]);
                let price = price + if is_glued { GLUED } else { 0 };
                if best.as_ref().is_none_or(|(least, _)| price < *least) {
                    best = Some((price, written));
                }
            }
            if n_between == N_BETWEEN_MAX {
                continue;
            }
            for way in ways.iter().filter(|way| way.class.is_none()) {
                for (price, text) in &way.separators {
                    let Some(next) = self.after(&place, way, &way.language, &Piece::Text(text)) else { continue };
                    let mut bytes = before.clone();
                    bytes.extend_from_slice(text);
                    bytes.extend_from_slice(ending(way));
                    let next = self.places.number(next);
                    pending.push(Reverse((cost + price, n_between + 1, next, bytes)));
                }
            }
        }
        best.map(|(_, written)| written)
    }

    /// A token of a length at a place.
    fn token(&mut self, place: &Place, way: &Way, wanted: Wanted, before: &[u8]) -> Option<Written> {
        let written = self.token_of(place, way, &way.language, wanted, before);
        written.or_else(|| {
            // Some of its texts may do.
            let language = self.fitting(place, &way.language)?;
            self.token_of(place, way, &language, wanted, before)
        })
    }

    fn token_of(
        &mut self,
        place: &Place,
        way: &Way,
        language: &Language,
        wanted: Wanted,
        before: &[u8],
    ) -> Option<Written> {
        let calm = wanted.is_fixed.then(|| self.calm(place, language, wanted.len)).flatten();
        let words = calm.or_else(|| Words::of(language, wanted.len))?;
        let is_single = words.is_single || wanted.is_fixed;
        let example = words.example();
        let next = match is_single {
            true => self.after(place, way, language, &Piece::Text(&example))?,
            false => self.after(place, way, language, &Piece::Words(&words, &example))?,
        };
        let mut bytes = before.to_vec();
        bytes.extend_from_slice(&example);
        bytes.extend_from_slice(ending(way));
        let hole = (!is_single).then(|| (before.len(), example.len(), language.dfa.clone()));
        Some(Written { bytes, hole, next: self.places.number(next) })
    }

    /// Words that no blank or new line can be a part of a longer match with.
    fn calm<'a>(&self, place: &Place, language: &'a Language, len: u32) -> Option<Words<'a>> {
        let table = self.scanner.automaton.dfa(place.conditions.current, place.at_line_start);
        let is_calm = |label: u32| b" \n".iter().all(|&byte| !table.is_live(table.step(label, byte)));
        let ends =
            (0..).zip(&language.labels).map(|(state, &label)| language.dfa.is_accepting(state) && is_calm(label));
        Words::to(language, len, language.dfa.leads_to(len, ends.collect()))
    }

    /// Texts that make no longer match of what stands before them, and the match that a rule waits for.
    fn fitting(&self, place: &Place, language: &Language) -> Option<Language> {
        if place.watchers.is_empty() && place.guard.is_none() {
            return None;
        }
        let automaton = &self.scanner.automaton;
        let tables: Vec<_> = place.watchers.iter().map(|it| automaton.dfa(it.condition, it.at_line_start)).collect();
        let guard = place.guard.as_ref();
        let guarded = guard.map(|it| automaton.dfa(it.condition, it.at_line_start));
        let wins = |state: u32| {
            let guard = guard?;
            automaton.accepts(guard.condition, guard.at_line_start, state).map(|rule| rule == Some(guard.rule))
        };
        // Behind the text of the guard: the state, and whether its rule is the last that matched.
        let first_guard = guard.zip(guarded).map(|(guard, dfa)| {
            guard.text.iter().fold((dfa.start, false), |(state, is_won), &byte| {
                let next = dfa.step(state, byte);
                (next, wins(next).unwrap_or(is_won))
            })
        });
        let watched: Vec<Vec<u32>> = place.watchers.iter().map(|it| it.states.clone()).collect();
        type At = (u32, Vec<Vec<u32>>, Option<(u32, bool)>);
        let step = |(at, watched, guarding): &At, byte: u8| {
            let next = language.dfa.step(*at, byte)?;
            let mut passed = watched.clone();
            for (states, table) in passed.iter_mut().zip(&tables) {
                states.retain(|&state| table.is_live(state));
                states.iter_mut().for_each(|state| *state = table.step(*state, byte));
                states.sort_unstable();
                states.dedup();
                if states.iter().any(|&state| table.accepts(state).is_some()) {
                    return None;
                }
            }
            let guarding = guarding.zip(guarded).map(|((state, is_won), dfa)| {
                let next = dfa.step(state, byte);
                (next, wins(next).unwrap_or(is_won))
            });
            Some((next, passed, guarding))
        };
        let accepts = |(at, _, guarding): &At| language.dfa.is_accepting(*at) && guarding.is_none_or(|(_, won)| won);
        let bytes: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
        let start: At = (Dfa::START, watched, first_guard);
        let (dfa, labels) = Dfa::explored(start, &bytes, step, accepts, N_FITTING_MAX)?;
        let labels = labels.iter().map(|(at, ..)| language.labels[*at as usize]).collect();
        (!dfa.is_empty()).then(|| Language { dfa: Rc::new(dfa), labels })
    }

    /// The place behind a piece of text; `None` if the scanner would not take it so.
    fn after(&self, place: &Place, way: &Way, language: &Language, piece: &Piece) -> Option<Place> {
        let mut next = place.clone();
        let ending = ending(way);
        let mut watchers = Vec::new();
        for watcher in &place.watchers {
            let states = self.watched(watcher, watcher.states.clone(), piece)?;
            watchers.push(Watcher { states: self.passed(watcher, states, ending)?, ..watcher.clone() });
        }
        let example = piece.example();
        if let Some(guard) = &mut next.guard {
            guard.text.extend_from_slice(example);
            guard.text.extend_from_slice(ending);
        }
        if way.class.is_some() {
            // What a rule waits for is the next token.
            if let Some(guard) = next.guard.take() {
                let found = self.scanner.automaton.longest_match(guard.condition, guard.at_line_start, &guard.text)?;
                if found.rule != Some(guard.rule) || found.n_bytes != guard.n_bytes {
                    return None;
                }
            }
        }
        match way.guarded {
            Some(_) if next.guard.is_some() || !ending.is_empty() => return None,
            Some(rule) => {
                let (condition, at_line_start) = (place.conditions.current, place.at_line_start);
                let n_bytes = example.len();
                next.guard = Some(Guard { rule, condition, at_line_start, text: example.to_vec(), n_bytes });
            }
            None => {
                let own = Watcher {
                    condition: place.conditions.current,
                    at_line_start: place.at_line_start,
                    states: piece.last_states(language)?,
                };
                let states = self.passed(&own, own.states.clone(), ending)?;
                watchers.push(Watcher { states, ..own });
            }
        }
        for watcher in &mut watchers {
            let dfa = self.scanner.automaton.dfa(watcher.condition, watcher.at_line_start);
            watcher.states.retain(|&state| dfa.is_live(state));
        }
        watchers.retain(|watcher| !watcher.states.is_empty());
        watchers.sort();
        watchers.dedup();
        next.watchers = watchers;
        if !next.conditions.apply(&way.change.moves) {
            return None;
        }
        let is_line = ending.last().map_or(way.ends_line, |&byte| byte == b'\n');
        next.at_line_start = self.minds_lines && way.change.at_line_start.unwrap_or(is_line);
        next.is_in_word = example.iter().chain(ending).last().is_some_and(|&byte| is_word(byte));
        Some(next)
    }

    /// Where a watcher is behind a piece of text; `None` if what it watches would take a longer match.
    fn watched(&self, watcher: &Watcher, states: Vec<u32>, piece: &Piece) -> Option<Vec<u32>> {
        match piece {
            Piece::Text(text) => self.passed(watcher, states, text),
            Piece::Words(words, _) => {
                let dfa = self.scanner.automaton.dfa(watcher.condition, watcher.at_line_start);
                let mut reached: FxHashSet<(u32, u32)> =
                    states.iter().filter(|&&state| dfa.is_live(state)).map(|&state| (Dfa::START, state)).collect();
                for left in (0..words.len).rev() {
                    let mut next = FxHashSet::default();
                    for &(at, state) in &reached {
                        for (bytes, to) in words.language.dfa.steps(at).filter(|&(_, to)| words.is_on(left, to)) {
                            for &byte in bytes {
                                let state = dfa.step(state, byte);
                                if dfa.accepts(state).is_some() {
                                    return None;
                                }
                                if dfa.is_live(state) {
                                    next.insert((to, state));
                                }
                            }
                        }
                    }
                    reached = next;
                }
                let mut states: Vec<u32> = reached.into_iter().map(|(_, state)| state).collect();
                states.sort_unstable();
                states.dedup();
                Some(states)
            }
        }
    }

    fn passed(&self, watcher: &Watcher, mut states: Vec<u32>, text: &[u8]) -> Option<Vec<u32>> {
        let dfa = self.scanner.automaton.dfa(watcher.condition, watcher.at_line_start);
        for &byte in text {
            states.retain(|&state| dfa.is_live(state));
            states.iter_mut().for_each(|state| *state = dfa.step(*state, byte));
            if states.iter().any(|&state| dfa.accepts(state).is_some()) {
                return None;
            }
        }
        states.sort_unstable();
        states.dedup();
        Some(states)
    }
}

/// What an action reads behind its text.
fn ending(way: &Way) -> &[u8] {
    match &way.change.taken {
        Taken::To { ending, .. } => ending,
        _ => b"",
    }
}

/// The words of one length of a language.
struct Words<'a> {
    language: &'a Language,
    len: usize,
    /// By what is left: whether a state leads to an end.
    ends: Vec<Vec<bool>>,
    is_single: bool,
}

/// A piece of text, or any of several.
enum Piece<'a> {
    Text(&'a [u8]),
    /// With one of them.
    Words(&'a Words<'a>, &'a [u8]),
}

impl Piece<'_> {
    fn example(&self) -> &[u8] {
        match self {
            Piece::Text(text) => text,
            Piece::Words(_, example) => example,
        }
    }

    /// Where the scanner's automaton may be behind it.
    fn last_states(&self, language: &Language) -> Option<Vec<u32>> {
        let mut states = match self {
            Piece::Text(text) => {
                let last = text.iter().try_fold(Dfa::START, |state, &byte| language.dfa.step(state, byte))?;
                vec![language.labels[last as usize]]
            }
            Piece::Words(words, _) => words.last().into_iter().map(|state| language.labels[state as usize]).collect(),
        };
        states.sort_unstable();
        states.dedup();
        Some(states)
    }
}

impl<'a> Words<'a> {
    /// `None` if there are none.
    fn of(language: &'a Language, len: u32) -> Option<Words<'a>> {
        Words::to(language, len, language.dfa.leads_to_end(len))
    }

    fn to(language: &'a Language, len: u32, ends: Vec<Vec<bool>>) -> Option<Words<'a>> {
        if !ends[len as usize][Dfa::START as usize] {
            return None;
        }
        let words = Words { language, len: len as usize, ends, is_single: false };
        let mut state = Dfa::START;
        let mut is_single = true;
        for left in (0..words.len).rev() {
            let mut ways = words.language.dfa.steps(state).filter(|&(_, to)| words.is_on(left, to));
            let Some((bytes, to)) = ways.next() else { break };
            is_single &= bytes.len() == 1 && ways.next().is_none();
            state = to;
        }
        Some(Words { is_single, ..words })
    }

    /// Whether a state is on a way to an end.
    fn is_on(&self, left: usize, state: u32) -> bool {
        self.ends[left][state as usize]
    }

    /// A word that is easy to read.
    fn example(&self) -> Vec<u8> {
        let mut state = Dfa::START;
        let mut word = Vec::with_capacity(self.len);
        for left in (0..self.len).rev() {
            let ways = self.language.dfa.steps(state).filter(|&(_, to)| self.is_on(left, to));
            let best = ways.flat_map(|(bytes, to)| bytes.iter().map(move |&byte| (rank(byte), byte, to))).min();
            let Some((_, byte, to)) = best else { break };
            word.push(byte);
            state = to;
        }
        word
    }

    /// The states that words end in.
    fn last(&self) -> FxHashSet<u32> {
        let mut reached = FxHashSet::from_iter([Dfa::START]);
        for left in (0..self.len).rev() {
            let steps = |&state: &u32| self.language.dfa.steps(state).map(|(_, to)| to);
            reached = reached.iter().flat_map(steps).filter(|&to| self.is_on(left, to)).collect();
        }
        reached
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
