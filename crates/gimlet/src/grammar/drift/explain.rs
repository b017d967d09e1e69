//! Disagreements, made small and explained.
//!
//! What the grammar accepts and the program rejects is made small along its tree; then tokens are taken out, put in and
//! exchanged until the program accepts it. What that leads to, with its place in a rule, is applied to every other such
//! input first: most have a cause that is known. What the program accepts and the grammar rejects is explained by the
//! nearest sentence, before anything is run, and made small with that explanation held fast. So a small input never takes
//! the place of another that is wrong for another reason.

use std::collections::HashSet;
use std::ops::Range;

use gimlet_grammar::edit::repair::{
    best, reduce, Chosen, Edit, Judgement, Language, Phrase, TreePosition, TreePositions,
};
use gimlet_grammar::{NonterminalId, TerminalId};

use super::oracle::{Answer, Halt, Oracle};

/// Edits that make a sentence of what the program accepts, and tokens of a text that is explained before it is small.
const N_EDITS_MAX: usize = 3;
const N_TOKENS_MAX: usize = 300;
/// Smallest edits that are compared with those that are known.
const N_LOOKED_UP: usize = 100;
/// Tokens of a text for which every edit is tried, and for which two at once are.
const N_TOKENS_SINGLE: usize = 40;
const N_TOKENS_DOUBLE: usize = 14;
/// What [`doubles`] take out at once.
const N_DOUBLE: usize = 2;
/// Pairs of edits that are tried.
const N_PAIRS_MAX: usize = 2_500;
/// Phrases that are put in.
const N_INSERTIONS_MAX: usize = 500;
/// Places of a known edit that are tried one by one.
const N_SINGLE_MAX: usize = 6;
/// Pairs of known causes that are tried.
const N_CAUSE_PAIRS_MAX: usize = 60;
/// Causes that one input may have.
const N_CAUSES_MAX: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// The program rejects what the grammar accepts.
    Rejected,
    /// The program accepts what the grammar rejects.
    Accepted,
}

/// Where an edit is, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    TreePosition(TreePosition),
    /// In what a nonterminal derives, behind it or before it.
    Within(NonterminalId),
    Behind(NonterminalId),
    Before(NonterminalId),
    Anywhere,
}

/// An edit, whatever the text.
#[derive(Clone, Debug)]
struct Step {
    /// What goes: a terminal, or a text that nobody knows.
    goes: Option<Result<TerminalId, Vec<u8>>>,
    comes: Option<TerminalId>,
    /// Any of them will do.
    places: Vec<Place>,
}

impl Step {
    fn is_at(&self, places: &[Place]) -> bool {
        self.places.is_empty() && places.is_empty() || self.places.iter().any(|place| places.contains(place))
    }

    fn is_same(&self, other: &Step) -> bool {
        self.goes == other.goes && self.comes == other.comes && self.is_at(&other.places)
    }
}

/// Steps, each once.
fn distinct(steps: Vec<Step>) -> Vec<Step> {
    let mut distinct: Vec<Step> = Vec::new();
    for step in steps {
        if !distinct.iter().any(|known| known.is_same(&step)) {
            distinct.push(step);
        }
    }
    distinct
}

/// What is the same for all inputs of a class.
#[derive(Clone, Debug)]
enum Key {
    Steps(Vec<Step>),
    /// A phrase less.
    Less(NonterminalId),
    /// The program does not like what stands between the tokens.
    Gaps,
    /// Nobody knows an explanation.
    Tokens(Vec<Option<TerminalId>>),
}

impl Key {
    fn is_same(&self, other: &Key) -> bool {
        match (self, other) {
            (Key::Steps(one), Key::Steps(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_same(other))
            }
            (Key::Less(one), Key::Less(other)) => one == other,
            (Key::Gaps, Key::Gaps) => true,
            (Key::Tokens(one), Key::Tokens(other)) => one == other,
            _ => false,
        }
    }
}

/// Disagreements with one explanation.
pub struct Class {
    pub direction: Direction,
    pub n_inputs: u64,
    pub example: Phrase,
    pub text: Vec<u8>,
    pub chosen: Option<Chosen>,
    /// What both agree on, or at least the other side.
    pub edited: Option<Vec<u8>>,
    pub position: Option<TreePosition>,
    keys: Vec<Key>,
}

impl Class {
    /// Whether it is about what stands between tokens.
    pub fn is_of_gaps(&self) -> bool {
        matches!(self.keys.first(), Some(Key::Gaps))
    }

    fn has(&self, direction: Direction, key: &Key) -> bool {
        self.direction == direction && self.keys.iter().any(|known| known.is_same(key))
    }
}

/// A grammar, a program, and what is known of their differences.
pub struct Differences {
    pub language: Language,
    pub oracle: Oracle,
    pub classes: Vec<Class>,
    /// Small inputs that did something else when they were run again.
    pub n_unsteady: u64,
}

impl Differences {
    /// Explains an input.
    pub fn explain(&mut self, direction: Direction, text: &[u8]) -> Result<(), Halt> {
        let phrase = self.language.phrase(text);
        match direction {
            Direction::Rejected => self.explain_rejected(phrase, text),
            Direction::Accepted => self.explain_accepted(phrase),
        }
    }

    fn explain_rejected(&mut self, phrase: Phrase, text: &[u8]) -> Result<(), Halt> {
        for _ in 0..N_CAUSES_MAX {
            let Differences { language, oracle, classes, .. } = self;
            if let Some(known) = known_cause(language, oracle, classes, &phrase)? {
                classes[known].n_inputs += 1;
                return Ok(());
            }
            // What is written otherwise may be another input.
            let is_faithful = language.write(&phrase).as_deref() == Some(text);
            let mut is_wanted = |phrase: &Phrase| -> Result<bool, Halt> {
                let Some(text) = language.write(phrase) else { return Ok(false) };
                Ok(language.judge(&text) == Judgement::Sentence
                    && oracle.ask(&text)? == Answer::Rejects
                    && known_cause(language, oracle, classes, phrase)?.is_none())
            };
            let mut small = phrase.clone();
            if is_faithful {
                small = language.simplify(small, &mut is_wanted)?;
                small = language.prune(small, &mut is_wanted)?;
                let dropped = reduce::drop_tokens(small, Vec::new(), &mut |phrase, _| is_wanted(phrase))?;
                small = language.simplify(dropped.0, &mut is_wanted)?;
            }
            if is_accepted_spaced(language, oracle, &small)? {
                if !self.add(Direction::Rejected, vec![Key::Gaps], small, None, None)? {
                    return Ok(());
                }
                continue;
            }
            let chosen = accepting(language, oracle, &small)?;
            let positions = positions(language, &small);
            let steps = |chosen: &Chosen| Key::Steps(steps_in(&small, positions.as_ref(), &chosen.edits));
            let of_edits =
                |chosen: &Chosen| phrase_less(language, &small, &chosen.edits).unwrap_or_else(|| steps(chosen));
            let position = chosen.as_ref().and_then(|chosen| positions.as_ref()?.of(chosen.edits[0]).first().copied());
            let key = chosen.as_ref().map_or_else(|| Key::Tokens(small.terminals()), of_edits);
            if !self.add(Direction::Rejected, vec![key], small, chosen, position)? {
                return Ok(());
            }
        }
        Ok(())
    }

    fn explain_accepted(&mut self, mut phrase: Phrase) -> Result<(), Halt> {
        let mut found = match phrase.tokens.len() <= N_TOKENS_MAX {
            true => self.language.nearest(&phrase.terminals(), N_EDITS_MAX),
            false => Vec::new(),
        };
        let Differences { language, oracle, classes, .. } = self;
        let mut is_drifting = |phrase: &Phrase| -> Result<bool, Halt> {
            let Some(text) = language.write(phrase) else { return Ok(false) };
            Ok(language.judge(&text) == Judgement::NoSentence && oracle.ask(&text)? == Answer::Accepts)
        };
        if found.is_empty() {
            phrase = reduce::drop_tokens(phrase, Vec::new(), &mut |phrase, _| is_drifting(phrase))?.0;
            phrase = language.simplify(phrase, &mut is_drifting)?;
            found = language.nearest(&phrase.terminals(), N_EDITS_MAX);
        }
        let Some(Chosen { edits, .. }) = best(&found) else {
            let key = Key::Tokens(phrase.terminals());
            self.add(Direction::Accepted, vec![key], phrase, None, None)?;
            return Ok(());
        };
        let known = classes.iter().position(|class| explains(language, class, &phrase, edits.len()));
        if let Some(known) = known {
            classes[known].n_inputs += 1;
            return Ok(());
        }
        // Any of the smallest edits may be one that explains others.
        for edits in std::iter::once(&edits).chain(&found).take(N_LOOKED_UP) {
            let (key, _) = key_of_accepted(language, &phrase, edits);
            if let Some(known) = classes.iter_mut().find(|class| class.has(Direction::Accepted, &key)) {
                known.n_inputs += 1;
                return Ok(());
            }
        }
        let (key, _) = key_of_accepted(language, &phrase, &edits);
        let mut is_wanted = |phrase: &Phrase, edits: &[Edit]| -> Result<bool, Halt> {
            let sentence = language.edited(phrase, edits).and_then(|edited| language.write(&edited.phrase));
            let is_sentence = sentence.is_some_and(|text| language.judge(&text) == Judgement::Sentence);
            Ok(is_sentence && is_drifting(phrase)?)
        };
        let (small, edits) = language.prune_edited(phrase, edits, &mut is_wanted)?;
        let (small, edits) = reduce::drop_tokens(small, edits, &mut is_wanted)?;
        let (small, edits) = language.prune_edited(small, edits, &mut is_wanted)?;
        let small = language.simplify(small, &mut |phrase| is_wanted(phrase, &edits))?;
        let all = language.within(&small.terminals(), edits.len());
        let chosen = Chosen { n_others: others(&all, &edits), edits };
        let (small_key, position) = key_of_accepted(language, &small, &chosen.edits);
        self.add(Direction::Accepted, vec![small_key, key], small, Some(chosen), position)?;
        Ok(())
    }

    /// Adds a small input to its class. Whether it is a new one.
    fn add(
        &mut self,
        direction: Direction,
        keys: Vec<Key>,
        example: Phrase,
        chosen: Option<Chosen>,
        position: Option<TreePosition>,
    ) -> Result<bool, Halt> {
        if let Some(known) = self.classes.iter_mut().find(|class| class.has(direction, &keys[0])) {
            known.n_inputs += 1;
            known.keys.extend(keys.into_iter().skip(1));
            return Ok(false);
        }
        let text = self.language.write(&example).unwrap_or_else(|| example.text());
        // No claim without a check.
        let (judgement, answer) = match direction {
            Direction::Rejected => (Judgement::Sentence, Answer::Rejects),
            Direction::Accepted => (Judgement::NoSentence, Answer::Accepts),
        };
        if self.language.judge(&text) != judgement || self.oracle.ask_again(&text)? != answer {
            self.n_unsteady += 1;
            return Ok(false);
        }
        let edited = chosen.as_ref().and_then(|chosen| self.language.edited(&example, &chosen.edits));
        let edited = edited.and_then(|edited| self.language.write(&edited.phrase));
        self.classes.push(Class { direction, n_inputs: 1, example, text, chosen, edited, position, keys });
        Ok(true)
    }
}

impl Differences {
    /// Puts classes together where what explains one explains the example of the other.
    pub fn consolidate(&mut self) {
        let Differences { language, oracle, classes, .. } = self;
        // An explanation may have been found too late for some.
        let (explained, unexplained): (Vec<Class>, Vec<Class>) = std::mem::take(classes)
            .into_iter()
            .partition(|class| class.direction == Direction::Accepted || !matches!(class.keys[0], Key::Tokens(_)));
        *classes = explained;
        for class in unexplained {
            // Nothing is lost if there is no time for it.
            match known_cause(language, oracle, classes, &class.example).unwrap_or(None) {
                Some(known) => classes[known].n_inputs += class.n_inputs,
                None => classes.push(class),
            }
        }
        let mut number = 0;
        while number < classes.len() {
            let class = &classes[number];
            let n_edits = class.chosen.as_ref().map_or(0, |chosen| chosen.edits.len());
            let is_accepted = class.direction == Direction::Accepted;
            let others = (0..classes.len()).filter(|&other| other != number && is_accepted);
            let other = others.into_iter().find(|&other| explains(language, &classes[other], &class.example, n_edits));
            match other {
                Some(other) => {
                    classes[other].n_inputs += class.n_inputs;
                    classes.remove(number);
                }
                None => number += 1,
            }
        }
    }
}

/// Whether the edits of a class, of several tokens and not many more than it takes, make a sentence of a phrase as well.
fn explains(language: &Language, class: &Class, phrase: &Phrase, n_edits: usize) -> bool {
    let Some(Chosen { edits, .. }) = class.chosen.as_ref().filter(|_| class.direction == Direction::Accepted) else {
        return false;
    };
    let is_sentence = |edits: &[Edit]| {
        let text = language.edited(phrase, edits).and_then(|edited| language.write(&edited.phrase));
        text.is_some_and(|text| language.judge(&text) == Judgement::Sentence)
    };
    let is_there = |(own, moved): (&Edit, &Edit)| match (own.goes(), moved.goes()) {
        (Some(own), Some(moved)) => {
            phrase.tokens.get(moved).is_some_and(|it| it.terminal == class.example.tokens[own].terminal)
        }
        _ => moved.at() <= phrase.tokens.len(),
    };
    let is_fitting = n_edits > 1 && edits.len() > 1 && edits.len() <= n_edits + 1;
    let moved = |to: usize| edits.iter().map(move |edit| edit.moved(to + edit.at() - edits[0].at()));
    let mut all = (0..=phrase.tokens.len()).map(|to| moved(to).collect::<Vec<Edit>>());
    is_fitting && all.any(|moved| edits.iter().zip(&moved).all(is_there) && is_sentence(&moved))
}

/// The class of a rejected phrase: what explains the others of it makes the program accept this one.
fn known_cause(
    language: &Language,
    oracle: &mut Oracle,
    classes: &[Class],
    phrase: &Phrase,
) -> Result<Option<usize>, Halt> {
    if !classes.iter().any(|class| class.direction == Direction::Rejected) {
        return Ok(None);
    }
    if let Some(gaps) = classes.iter().position(Class::is_of_gaps)
        && is_accepted_spaced(language, oracle, phrase)?
    {
        return Ok(Some(gaps));
    }
    let Some(positions) = positions(language, phrase) else { return Ok(None) };
    let mut causes: Vec<(usize, Vec<Edit>)> = Vec::new();
    for (number, class) in classes.iter().enumerate().filter(|(_, class)| class.direction == Direction::Rejected) {
        let attempts = match class.keys.first() {
            Some(Key::Steps(steps)) => attempts(language, steps, phrase, &positions),
            Some(&Key::Less(left)) => attempts_less(language, left, phrase),
            _ => continue,
        };
        causes.extend(attempts.into_iter().map(|edits| (number, edits)));
    }
    for (number, edits) in &causes {
        if is_accepted(language, oracle, phrase, edits)? {
            return Ok(Some(*number));
        }
    }
    // Two at once, or one beside texts that do no harm alone.
    for (number, edits) in pairs(&causes) {
        if is_accepted(language, oracle, phrase, &edits)? {
            return Ok(Some(number));
        }
    }
    let plain = language.plain(phrase);
    let is_rejected = match language.write(&plain).filter(|_| plain != *phrase) {
        Some(text) => oracle.ask(&text)? == Answer::Rejects,
        None => false,
    };
    for (number, edits) in causes.iter().filter(|_| is_rejected) {
        if is_accepted(language, oracle, &plain, edits)? {
            return Ok(Some(*number));
        }
    }
    Ok(None)
}

/// The edits of two causes at once, as the first.
fn pairs(causes: &[(usize, Vec<Edit>)]) -> Vec<(usize, Vec<Edit>)> {
    let mut pairs = Vec::new();
    for (first, (number, edits)) in causes.iter().enumerate() {
        let gone: HashSet<usize> = edits.iter().filter_map(|edit| edit.goes()).collect();
        let is_apart = |other: &Edit| other.goes().is_none_or(|at| !gone.contains(&at));
        for (other, others) in &causes[first + 1..] {
            if other != number && others.iter().all(is_apart) && pairs.len() < N_CAUSE_PAIRS_MAX {
                pairs.push((*number, [&edits[..], others].concat()));
            }
        }
    }
    pairs
}

/// Edits that steps may be: one that fits several places, at all of those that have one of its own in common, or at a single
/// one; several that stand side by side; and all that fit somewhere.
fn attempts(language: &Language, steps: &[Step], phrase: &Phrase, positions: &TreePositions) -> Vec<Vec<Edit>> {
    let all = edits_of(language, steps, phrase, positions);
    let mut attempts = Vec::new();
    if let [step] = steps {
        for &place in &step.places {
            attempts.push(edits_of(language, &[Step { places: vec![place], ..step.clone() }], phrase, positions));
        }
        attempts.push(all.clone());
        attempts.extend(all.iter().take(N_SINGLE_MAX).map(|&edit| vec![edit]));
    } else {
        let stretches = all.chunk_by(|one, next| next.at() <= one.at() + 1);
        attempts.extend(stretches.take(N_SINGLE_MAX).map(<[Edit]>::to_vec));
        attempts.push(all);
    }
    let mut known = HashSet::new();
    attempts.retain(|edits| !edits.is_empty() && known.insert(edits.clone()));
    attempts
}

/// The nonterminal of a whole phrase that goes.
fn phrase_less(language: &Language, phrase: &Phrase, edits: &[Edit]) -> Option<Key> {
    let (first, last) = (edits.first()?.at(), edits.last()?.at());
    let is_stretch = edits.len() > 1 && (first..=last).map(|at| Edit::Remove { at }).eq(edits.iter().copied());
    let terminals = phrase.known_terminals().filter(|_| is_stretch)?;
    let phrases = language.phrases(&terminals);
    // The innermost: it is the last of those that begin there.
    let (left, _) = phrases.iter().rfind(|(_, span)| *span == (first..last + 1))?;
    Some(Key::Less(*left))
}

/// Edits that a phrase less may be: each of them, all but one of them, and all.
fn attempts_less(language: &Language, left: NonterminalId, phrase: &Phrase) -> Vec<Vec<Edit>> {
    let Some(terminals) = phrase.known_terminals() else { return Vec::new() };
    let phrases = language.phrases(&terminals).into_iter();
    let spans: Vec<Range<usize>> =
        phrases.filter(|(it, span)| *it == left && !span.is_empty()).map(|(_, span)| span).collect();
    let without = |is_gone: &dyn Fn(usize) -> bool| {
        let gone = spans.iter().enumerate().filter(|(number, _)| is_gone(*number)).flat_map(|(_, span)| span.clone());
        gone.map(|at| Edit::Remove { at }).collect::<Vec<Edit>>()
    };
    let n_single = spans.len().min(N_SINGLE_MAX);
    let singles = (0..n_single).map(|only| without(&|number| number == only));
    let others = (0..n_single).map(|only| without(&|number| number != only));
    let mut known = HashSet::new();
    let all = singles.chain(others).chain([without(&|_| true)]);
    all.filter(|edits| !edits.is_empty() && known.insert(edits.clone())).collect()
}

/// The edits that steps are, wherever they fit.
fn edits_of(language: &Language, steps: &[Step], phrase: &Phrase, positions: &TreePositions) -> Vec<Edit> {
    let mut edits = Vec::new();
    for at in 0..=phrase.tokens.len() {
        for step in steps {
            let edit = match (&step.goes, step.comes) {
                (None, Some(terminal)) => Edit::Insert { at, terminal },
                (_, None) => Edit::Remove { at },
                (Some(_), Some(terminal)) => Edit::Replace { at, terminal },
            };
            let is_there = match (edit.goes().map(|at| phrase.tokens.get(at)), &step.goes) {
                (None, _) => true,
                (Some(Some(token)), Some(Ok(terminal))) => {
                    let is_plain = step.comes == Some(*terminal) && language.text(*terminal) == Some(&token.text[..]);
                    token.terminal == Some(*terminal) && !is_plain
                }
                _ => false,
            };
            if is_there && step.is_at(&places(positions.of(edit))) {
                edits.push(edit);
            }
        }
    }
    edits
}

fn places(positions: &[TreePosition]) -> Vec<Place> {
    positions.iter().map(|&position| Place::TreePosition(position)).collect()
}

fn positions(language: &Language, phrase: &Phrase) -> Option<TreePositions> {
    Some(TreePositions::new(&language.grammar, &language.tree(&phrase.known_terminals()?)?))
}

fn is_accepted(language: &Language, oracle: &mut Oracle, phrase: &Phrase, edits: &[Edit]) -> Result<bool, Halt> {
    let edited = language.edited(phrase, edits).and_then(|edited| language.write(&edited.phrase));
    Ok(match edited {
        Some(text) => oracle.ask(&text)? == Answer::Accepts,
        None => false,
    })
}

/// Whether the program accepts a phrase with blanks between its tokens, which it does not have.
fn is_accepted_spaced(language: &Language, oracle: &mut Oracle, phrase: &Phrase) -> Result<bool, Halt> {
    let spaced = Some(language.spaced(phrase)).filter(|spaced| spaced != phrase);
    match spaced.and_then(|spaced| language.write(&spaced)) {
        Some(text) => Ok(oracle.ask(&text)? == Answer::Accepts),
        None => Ok(false),
    }
}

/// Edits as steps, with their places in the text itself.
fn steps_in(phrase: &Phrase, positions: Option<&TreePositions>, edits: &[Edit]) -> Vec<Step> {
    let step = |&edit: &Edit| {
        let places = positions.map_or_else(Vec::new, |positions| places(positions.of(edit)));
        Step { goes: goes(phrase, edit), comes: edit.terminal(), places }
    };
    distinct(edits.iter().map(step).collect())
}

fn goes(phrase: &Phrase, edit: Edit) -> Option<Result<TerminalId, Vec<u8>>> {
    let token = &phrase.tokens[edit.goes()?];
    Some(token.terminal.ok_or_else(|| token.text.clone()))
}

/// The same with the symbol of the sentence that they make, and the first of these places.
fn key_of_accepted(language: &Language, phrase: &Phrase, edits: &[Edit]) -> (Key, Option<TreePosition>) {
    let edited = language.edited(phrase, edits);
    let positions = edited.as_ref().and_then(|edited| positions(language, &edited.phrase));
    let places = edited.map(|edited| edited.places).unwrap_or_default();
    let positions_of = |number: usize| -> Vec<TreePosition> {
        let (Some(positions), Some(&at)) = (positions.as_ref(), places.get(number)) else { return Vec::new() };
        match edits[number] {
            Edit::Remove { .. } => {
                let gap = positions.gaps.get(at).into_iter();
                gap.flat_map(|gap| gap.between.iter().chain(&gap.beside)).copied().collect()
            }
            _ => positions.tokens.get(at).copied().into_iter().collect(),
        }
    };
    let left = |position: TreePosition| language.grammar.rule(position.rule()).left;
    let place = |position: TreePosition| match position {
        TreePosition::Token { .. } | TreePosition::Between { .. } => Place::Within(left(position)),
        TreePosition::Behind { .. } => Place::Behind(left(position)),
        TreePosition::Before { .. } => Place::Before(left(position)),
    };
    let step = |(number, &edit): (usize, &Edit)| {
        let goes = goes(phrase, edit);
        // A text that the grammar does not know is that wherever it stands.
        let is_unknown = matches!(goes, Some(Err(_)));
        let places = match is_unknown {
            true => vec![Place::Anywhere],
            false => positions_of(number).into_iter().map(place).collect(),
        };
        Step { goes, comes: edit.terminal().filter(|_| !is_unknown), places }
    };
    let steps = distinct(edits.iter().enumerate().map(step).collect());
    (Key::Steps(steps), positions_of(0).first().copied())
}

/// How many others have other terminals in the same places.
fn others(all: &[Vec<Edit>], edits: &[Edit]) -> usize {
    let shape = |edits: &[Edit]| edits.iter().map(|edit| (edit.at(), edit.goes().is_some())).collect::<Vec<_>>();
    let has_terminal = |edits: &[Edit]| edits.iter().map(|edit| edit.terminal().is_some()).collect::<Vec<_>>();
    let is_other = |other: &&Vec<Edit>| {
        **other != edits && shape(other) == shape(edits) && has_terminal(other) == has_terminal(edits)
    };
    all.iter().filter(is_other).count()
}

/// The smallest edit that makes the program accept a phrase.
fn accepting(language: &Language, oracle: &mut Oracle, phrase: &Phrase) -> Result<Option<Chosen>, Halt> {
    let terminals = phrase.terminals();
    let n_tokens = terminals.len();
    let agreeing: Vec<Edit> = language.within(&terminals, 1).into_iter().flatten().collect();
    let known: HashSet<Edit> = agreeing.iter().copied().collect();
    let is_new = |edit: &Edit| !known.contains(edit);
    let unused: HashSet<TerminalId> = language.unused().into_iter().collect();
    let is_unused = |edit: &Edit| edit.terminal().is_some_and(|terminal| unused.contains(&terminal));
    let removals = (0..n_tokens).map(|at| Edit::Remove { at });
    let mut groups: Vec<Vec<Edit>> = vec![removals.collect(), rewordings(language, phrase)];
    if n_tokens <= N_TOKENS_SINGLE {
        // What no rule has is the most likely to be missing.
        groups.extend(singles(language, &terminals).map(|group| group.into_iter().filter(is_unused).collect()));
    }
    groups.push(agreeing.iter().copied().filter(|edit| edit.goes().is_none()).collect());
    groups.push(agreeing.iter().copied().filter(|edit| edit.goes().is_some() && edit.terminal().is_some()).collect());
    if n_tokens <= N_TOKENS_SINGLE {
        let is_other = |edit: &Edit| is_new(edit) && !is_unused(edit);
        groups.extend(singles(language, &terminals).map(|group| group.into_iter().filter(is_other).collect()));
    }
    for group in groups {
        let mut found = Vec::new();
        for edit in group {
            if is_accepted(language, oracle, phrase, &[edit])? {
                found.push(vec![edit]);
            }
        }
        // What both accept comes first.
        let both: Vec<Vec<Edit>> = found.iter().filter(|edits| known.contains(&edits[0])).cloned().collect();
        if let Some(chosen) = best(&both).or_else(|| best(&found)) {
            return Ok(Some(chosen));
        }
    }
    let (mut doubles, mut nearest) = (Vec::new(), Vec::new());
    if n_tokens <= N_TOKENS_DOUBLE {
        doubles = self::doubles(language, &terminals);
        nearest = language.within(&terminals, 2);
        nearest.truncate(N_PAIRS_MAX);
    }
    // What is left of a text when most of it goes says nothing.
    let (small, large): (Vec<_>, Vec<_>) =
        phrases(language, phrase).into_iter().partition(|edits| edits.len() <= n_tokens / 2);
    for edits in [doubles, small, nearest, large].into_iter().flatten() {
        if is_accepted(language, oracle, phrase, &edits)? {
            return Ok(Some(Chosen { edits, n_others: 0 }));
        }
    }
    Ok(None)
}

/// A phrase less, and a phrase more: both accept the result.
fn phrases(language: &Language, phrase: &Phrase) -> Vec<Vec<Edit>> {
    let Some(terminals) = phrase.known_terminals() else { return Vec::new() };
    let removals = match terminals.len() <= N_TOKENS_SINGLE {
        true => language.removals(&terminals, N_DOUBLE + 1),
        false => Vec::new(),
    };
    let less = removals.into_iter().map(|gone| gone.map(|at| Edit::Remove { at }).collect());
    let insertions = language.insertions(&terminals).into_iter().take(N_INSERTIONS_MAX);
    let insert = |at: usize| move |terminal: TerminalId| Edit::Insert { at, terminal };
    let more = insertions.map(|(at, comes)| comes.into_iter().map(insert(at)).collect());
    less.chain(more).collect()
}

/// Every token that can come in, and that can come in place of another.
fn singles(language: &Language, terminals: &[Option<TerminalId>]) -> [Vec<Edit>; 2] {
    let insert = |at: usize| language.writable().map(move |terminal| Edit::Insert { at, terminal });
    let replace = |at: usize| language.writable().map(move |terminal| Edit::Replace { at, terminal });
    let is_change = |edit: &Edit| edit.terminal() != terminals[edit.at()];
    let replaced = (0..terminals.len()).flat_map(replace).filter(is_change);
    [(0..=terminals.len()).flat_map(insert).collect(), replaced.collect()]
}

/// Tokens with another text of theirs.
fn rewordings(language: &Language, phrase: &Phrase) -> Vec<Edit> {
    let reworded = |(at, token): (usize, &gimlet_grammar::edit::repair::Token)| {
        let terminal = token.terminal?;
        (language.text(terminal)? != token.text).then_some(Edit::Replace { at, terminal })
    };
    phrase.tokens.iter().enumerate().filter_map(reworded).collect()
}

/// Two edits at once: two tokens go, or change places; or a pair comes in, such as brackets.
fn doubles(language: &Language, terminals: &[Option<TerminalId>]) -> Vec<Vec<Edit>> {
    let n_tokens = terminals.len();
    let mut all: Vec<Vec<Edit>> = Vec::new();
    for (at, terminal) in terminals.iter().enumerate() {
        all.extend((at + 1..n_tokens).map(|other| vec![Edit::Remove { at }, Edit::Remove { at: other }]));
        if let Some(terminal) = terminal.filter(|_| at + 1 < n_tokens) {
            all.push(vec![Edit::Remove { at }, Edit::Insert { at: at + 2, terminal }]);
        }
    }
    let mut n_pairs = 0;
    for [first, second] in language.pairs() {
        for at in 0..=n_tokens {
            for other in at..=n_tokens {
                n_pairs += 1;
                if n_pairs > N_PAIRS_MAX {
                    return all;
                }
                all.push(vec![Edit::Insert { at, terminal: first }, Edit::Insert { at: other, terminal: second }]);
            }
        }
    }
    all
}
