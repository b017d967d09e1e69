//! `gimlet grammar`: what a grammar says, counted, listed and drawn.

mod complete;
mod drift;
mod put;
pub mod validate;

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use anyhow::Result;
use gimlet_explore::program::language::load::{load, Loaded};
use gimlet_explore::program::language::{self, judge::Judge, names, some_names, too_large};
use gimlet_grammar::chance::Chance;
use gimlet_grammar::count::derivations::Derivations;
use gimlet_grammar::count::sentences::{Piece, Sentences, Texts};
use gimlet_grammar::grammar::analysis;
use gimlet_grammar::grammar::bounded_height;
use gimlet_grammar::parse::lalr::Tables;
use gimlet_grammar::sample::kpaths;
use gimlet_grammar::sample::shortest::Shortest;
use gimlet_grammar::sample::weighted::Weighted;
use gimlet_grammar::sample::weights;
use gimlet_grammar::scanner::Scanner;
use gimlet_grammar::text::symbolic::{Bounds, Strings, Symbolic};
use gimlet_grammar::text::unparser::Unparser;
use gimlet_grammar::{railroad, Grammar, NonterminalId, Severity, Source, TerminalId};
use gimlet_readers::format::Format;
use gimlet_readers::lex::token_map::TokenMap;
use serde_json::{json, Value};

use self::put::Putter;
use self::validate::validate;
use crate::exit::{hinted, note, Verdict};
use crate::interrupt;
use crate::options::grammar::{Drawing, GrammarPlan, Put, Symbolically, What};
use gimlet_report::figures::grouped;

/// Chains of symbols that are looked at.
const N_PATHS_MAX: usize = 1_000_000;
/// A sentence of more tokens takes more memory to count than machines have.
const LEN_MAX: u32 = 2_000;
/// Tokens of a sentence that is drawn, where the user says nothing and there are such.
const SAMPLE_LEN: u32 = 10;
/// Lengths on either side of one that no sentence has which are looked at.
const N_LENGTHS_TRIED: usize = 20;
/// What counting may take: about a gigabyte.
const N_ITEMS_MAX: usize = 8_000_000;
/// Higher trees and longer chains are not asked for by accident only.
const HEIGHT_MAX: u32 = 1_000;
const K_MAX: usize = 12;
/// Sentences in a row that the parser refuses before nobody believes in others.
const N_REFUSED_MAX: u64 = 10_000;

pub fn grammar(plan: &GrammarPlan) -> Result<Verdict> {
    let loaded = load(&plan.files)?;
    if matches!(plan.what, What::Check) {
        return Ok(check(&loaded, plan.is_json));
    }
    let format = loaded.format;
    let (grammar, scanner, map) = loaded.checked()?;
    let subject = Subject { grammar, scanner, map, is_json: plan.is_json };
    within_bounds(&plan.what)?;
    match &plan.what {
        What::Check => {}
        What::Show { is_svg, symbolically } => subject.show(*is_svg, *symbolically)?,
        What::Count { max_len, max_height, symbolically } => {
            subject.count(len_within(*max_len)?, *max_height, *symbolically)?
        }
        What::Enumerate { bounds, n_wanted, symbolically, put } => {
            len_within(bounds.len.unwrap_or(0))?;
            match symbolically {
                Symbolically(Some(_)) => subject.enumerate_symbolic(*bounds, *n_wanted, *symbolically, put)?,
                Symbolically(None) => subject.enumerate(*bounds, *n_wanted, put)?,
            }
        }
        What::Sample { len, n_wanted, how, is_accepted, seed, put } => {
            let (is_len_given, len) = (len.is_some(), len_within(len.unwrap_or(SAMPLE_LEN))?);
            let wanted = Wanted { len, is_len_given, n_sentences: *n_wanted, is_accepted: *is_accepted, put };
            let chance = &mut Chance::new(*seed);
            match how {
                Drawing::Sentences => subject.sample(&wanted, chance)?,
                Drawing::Derivations => subject.sample_derivations(&wanted, chance)?,
                Drawing::Weights(path) => subject.sample_weighted(path, &wanted, chance)?,
            }
        }
        What::Validate { inputs } => {
            let judge = Judge::new(&subject.grammar, format, Some(&interrupt::INTERRUPTED));
            return validate(&judge, subject.scanner.as_deref(), inputs, plan.is_json);
        }
        What::Kpaths { k, is_accepted, put } => subject.cover(*k, *is_accepted, put)?,
        What::Complete(plan) => return subject.complete(plan),
        What::Drift(plan) => return drift::drift(subject, format, plan),
    }
    match interrupt::received() {
        None => Ok(Verdict::Good),
        Some(_) => Err(hinted("interrupted", "what was printed is not all")),
    }
}

/// Numbers that can't be meant.
fn within_bounds(what: &What) -> Result<()> {
    let height = match what {
        What::Count { max_height, .. } => *max_height,
        What::Enumerate { bounds, .. } => bounds.height,
        What::Kpaths { k, .. } if *k == 0 || *k > K_MAX => {
            return Err(hinted(
                format!("chains of {k} symbols can't be listed"),
                format!("choose a K from 1 to {K_MAX}"),
            ))
        }
        _ => None,
    };
    match height.filter(|&height| height > HEIGHT_MAX) {
        Some(height) => {
            let hint = format!("choose a height up to {HEIGHT_MAX}");
            Err(hinted(format!("trees of height {height} are too many"), hint))
        }
        None => Ok(()),
    }
}

/// An error if there is more than memory has room for.
fn not_too_large(sentences: &Sentences, hint: &str) -> Result<()> {
    match sentences.is_too_large() {
        true => Err(hinted("there are too many ways to go on to tell sentences apart", hint)),
        false => Ok(()),
    }
}

fn len_within(len: u32) -> Result<u32> {
    match len <= LEN_MAX {
        true => Ok(len),
        false => Err(hinted(format!("sentences of {len} tokens are too long"), "name a length up to 2000")),
    }
}

fn no_sentences() -> anyhow::Error {
    hinted("the grammar has no sentences", "every rule of some symbol uses that symbol: give it an end")
}

/// The tokens that occur in sentences, each of length 1.
fn tokens(grammar: &Grammar) -> Vec<Texts> {
    let of = |terminal| if grammar.is_token(terminal) { vec![(1, 1u8.into())] } else { Vec::new() };
    grammar.terminal_ids().map(of).collect()
}

fn sentences(grammar: &Grammar, texts: Vec<Texts>) -> Result<Sentences> {
    let made = Sentences::new(grammar, texts.clone()).map(|it| it.within(N_ITEMS_MAX));
    made.ok_or_else(|| no_sentences_with(grammar, &texts))
}

/// Why there are none: there may be some without a text.
fn no_sentences_with(grammar: &Grammar, texts: &[Texts]) -> anyhow::Error {
    if analysis::lowest(grammar)[grammar.start.index()].is_none() {
        return no_sentences();
    }
    let without = grammar.terminal_ids().filter(|id| grammar.is_token(*id) && texts[id.index()].is_empty());
    hinted(
        format!("every sentence has a token that nobody knows a text for: {}", some_names(grammar, without)),
        "a --token-map can tell, and --tokens puts names instead",
    )
}

fn bounded(grammar: &Grammar, height: Option<u32>) -> Result<Grammar> {
    let Some(height) = height else { return Ok(grammar.clone()) };
    let lowest = analysis::lowest(grammar)[grammar.start.index()];
    let bounded = bounded_height::bounded(grammar, height).map(|bounded| bounded.grammar);
    bounded.ok_or_else(|| match lowest {
        Some(lowest) => {
            hinted(format!("no sentence has a tree of height {height}"), format!("the lowest has {lowest}"))
        }
        None => no_sentences(),
    })
}

/// What is to be drawn.
struct Wanted<'a> {
    /// The user says which length.
    is_len_given: bool,
    /// In tokens.
    len: u32,
    n_sentences: u64,
    /// Only what the parser accepts which yacc makes.
    is_accepted: bool,
    put: &'a Put,
}

/// A grammar with all that is known of it.
struct Subject {
    grammar: Grammar,
    scanner: Option<Rc<Scanner>>,
    map: TokenMap,
    is_json: bool,
}

impl Subject {
    fn wording(&self) -> Option<Unparser> {
        self.scanner.clone().map(|scanner| Unparser::new(&self.grammar, scanner))
    }

    /// Tokens that can be put, each of length 1: all of them by their names, and those that have a text by that.
    fn writable(&self, put: &Put) -> Vec<Texts> {
        let mut tokens = tokens(&self.grammar);
        if let Some(wording) = self.wording().filter(|_| !put.is_tokens) {
            for (id, texts) in self.grammar.terminal_ids().zip(&mut tokens) {
                texts.retain(|_| wording.has_text(id));
            }
        }
        tokens
    }

    fn putter(&self, put: &Put) -> Result<Putter<'_>> {
        let wording = self.wording().filter(|_| !put.is_tokens);
        match &wording {
            Some(wording) => tell_without_text(&self.grammar, wording.without_text(&self.grammar)),
            None if put.out.is_some() => {
                let hint = "name the scanner behind the grammar, or a --token-map";
                return Err(hinted("--out wants texts, and the texts of tokens are not known", hint));
            }
            None => {}
        }
        Putter::new(&self.grammar, wording, put, self.is_json)
    }

    fn symbolic(&self, hole_len: u32) -> Result<Symbolic> {
        let Some(scanner) = self.scanner.clone() else {
            let hint = "name the scanner behind the grammar, or a --token-map";
            return Err(hinted("which tokens have several texts is not known", hint));
        };
        let holes = language::load::holes(&self.grammar, &self.map, hole_len, false);
        let symbolic = Symbolic::new(&self.grammar, scanner, &holes);
        let without = symbolic.without_text().into_iter().map(|it| symbolic.origin(it)).collect();
        tell_without_text(&self.grammar, without);
        Ok(symbolic)
    }

    fn show(&self, is_svg: bool, Symbolically(hole_len): Symbolically) -> Result<()> {
        let symbolic = hole_len.map(|hole_len| self.symbolic(hole_len)).transpose()?;
        let grammar = symbolic.as_ref().map_or(&self.grammar, |symbolic| &symbolic.grammar);
        if is_svg {
            say!("{}", railroad::svg(grammar).trim_end());
            return Ok(());
        }
        let mut wording = self.wording().filter(|_| symbolic.is_none());
        let mut text = |id: TerminalId| {
            let example = wording.as_mut().filter(|it| it.has_text(id))?.example(id)?;
            Some(if example.is_empty() {
                "the end of the input".to_owned()
            } else {
                example.escape_ascii().to_string()
            })
        };
        if self.is_json {
            let terminal = |id| {
                let terminal = grammar.terminal(id);
                json!({ "name": terminal.name, "alias": terminal.alias, "number": terminal.number, "text": text(id) })
            };
            let tokens: Vec<Value> = grammar.terminal_ids().map(terminal).collect();
            let rule = |id| {
                let rule = grammar.rule(id);
                let right: Vec<&str> = rule.right.iter().map(|&symbol| grammar.name(symbol)).collect();
                json!({ "left": grammar.nonterminal(rule.left).name, "right": right })
            };
            let rules: Vec<Value> = grammar.rule_ids().map(rule).collect();
            let start = &grammar.nonterminal(grammar.start).name;
            say!("{}", serde_json::to_string_pretty(&json!({ "start": start, "tokens": tokens, "rules": rules }))?);
            return Ok(());
        }
        say!("{}", grammar.to_string().trim_end());
        say!("tokens:");
        for id in grammar.terminal_ids() {
            let terminal = grammar.terminal(id);
            let alias = terminal.alias.as_ref().map(|alias| format!("  {alias}")).unwrap_or_default();
            let text = text(id).map(|text| format!("  such as {text}")).unwrap_or_default();
            say!("{:4}  {}{alias}{text}", terminal.number, terminal.name);
        }
        Ok(())
    }

    fn count(&self, max_len: u32, max_height: Option<u32>, Symbolically(hole_len): Symbolically) -> Result<()> {
        if let Some(hole_len) = hole_len {
            let symbolic = self.symbolic(hole_len)?;
            return count(&symbolic.grammar, &symbolic.tokens(), max_len, max_height, self.is_json);
        }
        let texts = match self.wording() {
            Some(mut wording) => {
                let texts = |it| if self.grammar.is_token(it) { wording.texts(it, max_len) } else { Texts::new() };
                self.grammar.terminal_ids().map(texts).collect()
            }
            None => tokens(&self.grammar),
        };
        count(&self.grammar, &texts, max_len, max_height, self.is_json)
    }

    fn enumerate_symbolic(
        &self,
        bounds: Bounds,
        n_wanted: u64,
        Symbolically(hole_len): Symbolically,
        put: &Put,
    ) -> Result<()> {
        let symbolic = self.symbolic(hole_len.unwrap_or(1))?;
        let grammar = symbolic.grammar.clone();
        let mut putter = Putter::new(&grammar, None, put, self.is_json)?;
        let mut strings = Strings::new(symbolic, &self.grammar, bounds).ok_or_else(no_sentences)?;
        while putter.n_put() < n_wanted {
            let goes_on = if put.is_tokens {
                let Some(sentence) = strings.advance_tokens() else { break };
                putter.put(sentence, None)?
            } else {
                let Some((sentence, template)) = strings.advance() else { break };
                putter.put_text(sentence, &template)?
            };
            if !goes_on {
                break;
            }
        }
        if let Some((sentence, why)) = &strings.first_without_text {
            let n_strings = grouped(strings.n_without_text);
            let why = put::why_no_text(&grammar, sentence, *why);
            note(&format!("{n_strings} strings of tokens have no text; of the first, {why}"));
        }
        putter.finish()
    }

    fn enumerate(&self, bounds: Bounds, n_wanted: u64, put: &Put) -> Result<()> {
        let bounded = bounded(&self.grammar, bounds.height)?;
        let max_len = bounds.len.unwrap_or(LEN_MAX);
        let mut sentences = sentences(&bounded, self.writable(put))?;
        let tables = bounds.is_accepted.then(|| Tables::new(&self.grammar));
        let mut putter = self.putter(put)?;
        'all: for len in sentences.shortest()..=max_len {
            let mut enumeration = sentences.enumerate(len);
            while let Some(pieces) = enumeration.advance() {
                if putter.n_put() == n_wanted {
                    break 'all;
                }
                let sentence = terminals_of(pieces.iter().copied());
                if tables.as_ref().is_some_and(|tables| !tables.accepts(&sentence)) {
                    continue;
                }
                if !putter.put(&sentence, None)? {
                    break 'all;
                }
            }
        }
        not_too_large(&sentences, "choose a smaller --max-len")?;
        if putter.n_put() == 0 && n_wanted > 0 {
            note(&format!(
                "no sentence has {max_len} tokens or fewer; the shortest has {}",
                grouped(sentences.shortest().into())
            ));
        }
        putter.finish()
    }

    /// Puts what is drawn.
    fn put_drawn(
        &self,
        wanted: &Wanted,
        chance: &mut Chance,
        mut draw: impl FnMut(&mut Chance) -> Result<Vec<TerminalId>>,
    ) -> Result<()> {
        let tables = wanted.is_accepted.then(|| Tables::new(&self.grammar));
        let mut putter = self.putter(wanted.put)?;
        let (mut n_drawn, mut n_refused) = (0, 0);
        while n_drawn < wanted.n_sentences && interrupt::received().is_none() {
            let sentence = draw(chance)?;
            if tables.as_ref().is_some_and(|tables| !tables.accepts(&sentence)) {
                n_refused += 1;
                if n_refused == N_REFUSED_MAX {
                    putter.finish()?;
                    let n_refused = grouped(n_refused);
                    let message = format!("yacc's parser refuses each of the last {n_refused} sentences");
                    return Err(hinted(message, "try another --len, or leave out --accepted"));
                }
                continue;
            }
            (n_drawn, n_refused) = (n_drawn + 1, 0);
            if !putter.put(&sentence, Some(chance))? {
                break;
            }
        }
        putter.finish()
    }

    fn sample(&self, wanted: &Wanted, chance: &mut Chance) -> Result<()> {
        let mut sentences = sentences(&self.grammar, self.writable(wanted.put))?;
        let len = wanted.len;
        let has_some = sentences.count(len) > 0u8.into();
        if sentences.is_too_large() && Derivations::new(&self.grammar, self.writable(wanted.put)).is_ok() {
            note("there are too many ways to go on to tell sentences apart: derivations are drawn, and sentences with several come more often");
            return self.sample_derivations(wanted, chance);
        }
        let len = if has_some { len } else { nearest_len(&mut sentences, wanted)? };
        self.put_drawn(wanted, chance, |chance| match sentences.sample(len, chance) {
            Some(pieces) => Ok(terminals_of(pieces.into_iter())),
            None => {
                not_too_large(&sentences, "choose a smaller --len")?;
                Err(none_of_len(len, &[], sentences.shortest()))
            }
        })
    }

    fn sample_derivations(&self, wanted: &Wanted, chance: &mut Chance) -> Result<()> {
        let grammar = &self.grammar;
        let mut sentences = sentences(grammar, self.writable(wanted.put))?;
        let mut derivations = Derivations::new(grammar, self.writable(wanted.put)).map_err(|cycle| {
            hinted(infinitely_many(grammar, &cycle), "leave out --derivations: sentences can be drawn")
        })?;
        let mut len = wanted.len;
        if derivations.count(len) == 0u8.into() && !derivations.is_too_large() {
            len = nearest_len(&mut sentences, wanted)?;
        }
        self.put_drawn(wanted, chance, |chance| {
            let tree = derivations.sample(len, chance);
            if derivations.is_too_large() {
                return Err(hinted(
                    "there are more derivations than can be counted",
                    "choose a smaller --len, or --weights",
                ));
            }
            tree.map(|tree| terminals_of(tree.pieces())).ok_or_else(|| none_of_len(len, &[], sentences.shortest()))
        })
    }

    fn sample_weighted(&self, path: &Path, wanted: &Wanted, chance: &mut Chance) -> Result<()> {
        let hint = "name a file with lines like: expr: expr '+' expr = 3";
        let text = fs::read_to_string(path)
            .map_err(|error| hinted(format!("cannot read the weights in {}: {error}", path.display()), hint))?;
        let source = Source::new(path.display().to_string(), text);
        let mut grammar = self.grammar.clone();
        let diagnostics = weights::read(&source, &mut grammar);
        diagnostics.iter().for_each(|it| tell!("{}", it.render(&source)));
        if diagnostics.iter().any(|it| it.severity == Severity::Error) {
            return Err(hinted(format!("{} has errors", path.display()), "`gimlet grammar show` lists the rules"));
        }
        let texts = self.writable(wanted.put);
        let weighted = Weighted::new(&grammar, &|terminal: TerminalId| texts[terminal.index()].first().map(|_| 1));
        let len = match weighted.shortest().and_then(|shortest| u32::try_from(shortest).ok()) {
            Some(shortest) if (wanted.len + 1..=LEN_MAX).contains(&shortest) && !wanted.is_len_given => {
                note(&format!(
                    "no sentence of these weights has {} tokens or fewer: these have {shortest}",
                    wanted.len
                ));
                shortest
            }
            _ => wanted.len,
        };
        self.put_drawn(wanted, chance, |chance| {
            let tree = weighted.sample(len, chance);
            tree.map(|tree| terminals_of(tree.pieces())).ok_or_else(|| match weighted.shortest() {
                Some(shortest) => hinted(
                    format!("no sentence of these weights has {} tokens or fewer", wanted.len),
                    format!("the shortest has {shortest}: choose a greater --len"),
                ),
                None => no_sentences_with(&grammar, &texts),
            })
        })
    }

    fn cover(&self, k: usize, is_accepted: bool, put: &Put) -> Result<()> {
        let texts = self.writable(put);
        let is_writable = |terminal: TerminalId| !texts[terminal.index()].is_empty();
        let grammar = gimlet_grammar::grammar::useful::reduced(&self.grammar, &is_writable);
        let grammar = grammar.ok_or_else(|| no_sentences_with(&self.grammar, &texts))?;
        let shortest = Shortest::new(&grammar, &|_| 1);
        if shortest.is_too_large() {
            return Err(too_large().into());
        }
        let (paths, is_all) = kpaths::paths(&grammar, &shortest, k, N_PATHS_MAX);
        if !is_all {
            let message = format!("there are more than {N_PATHS_MAX} chains of {k} symbols");
            return Err(hinted(message, "choose a smaller K"));
        }
        let tables = is_accepted.then(|| Tables::new(&self.grammar));
        let mut putter = self.putter(put)?;
        let mut trees = kpaths::cover(&grammar, &shortest, &paths, k);
        let mut known: HashSet<Vec<TerminalId>> = HashSet::new();
        let mut n_refused = 0;
        for tree in trees.by_ref() {
            let sentence = terminals_of(tree.pieces());
            if !known.insert(sentence.clone()) {
                continue;
            }
            if tables.as_ref().is_some_and(|tables| !tables.accepts(&sentence)) {
                n_refused += 1;
            } else if !putter.put(&sentence, None)? {
                break;
            }
        }
        putter.finish()?;
        let n_paths = grouped(paths.len() as u64 - trees.n_left_out);
        let sentences = match known.len() {
            1 => "1 sentence uses".to_owned(),
            n_sentences => format!("{} sentences use", grouped(n_sentences as u64)),
        };
        let refused = match n_refused {
            0 => String::new(),
            _ => format!("; yacc's parser refuses {} of them, which are left out", grouped(n_refused)),
        };
        note(&format!("{sentences} {n_paths} chains of up to {k} symbols{refused}"));
        if trees.n_left_out > 0 {
            note(&format!(
                "{} chains are only in sentences that are too long to be written",
                grouped(trees.n_left_out)
            ));
        }
        Ok(())
    }
}

/// Names the tokens without a text.
pub fn tell_without_text(grammar: &Grammar, without: Vec<TerminalId>) {
    language::without_text(grammar, without).iter().for_each(|text| note(text));
}

/// Says all that is to be said about the files.
fn check(loaded: &Loaded, is_json: bool) -> Verdict {
    let mut said = Vec::new();
    for remarks in &loaded.remarks {
        for it in &remarks.diagnostics {
            let (line, column) = remarks.source.position(it.span.start);
            said.push(json!({
                "file": remarks.source.name, "severity": it.severity.to_string(), "message": it.message,
                "line": line, "column": column, "hint": it.hint,
            }));
            if !is_json {
                say!("{}\n", it.render(&remarks.source));
            }
        }
    }
    let mut value = json!({ "diagnostics": said });
    let mut lines = Vec::new();
    if let Some(grammar) = &loaded.grammar {
        let (n_tokens, n_rules) = (grammar.terminals.len(), grammar.rules.len());
        value["rules"] = json!(n_rules);
        value["tokens"] = json!(n_tokens);
        value["nonterminals"] = json!(grammar.nonterminals.len());
        lines.push(format!("{n_rules} rules, {n_tokens} tokens, {} other symbols", grammar.nonterminals.len()));
        if loaded.format == Format::Yacc {
            let tables = Tables::new(grammar);
            let conflicts = tables.conflicts();
            let (n_shift, n_reduce) = (conflicts.n_shift_reduce, conflicts.n_reduce_reduce);
            value["states"] = json!(tables.n_states());
            value["conflicts"] = json!({ "shift_reduce": n_shift, "reduce_reduce": n_reduce });
            lines.push(format!(
                "{} states; conflicts: {n_shift} shift/reduce, {n_reduce} reduce/reduce",
                tables.n_states()
            ));
        }
        let cycle = analysis::order_of_units(grammar).err();
        let cycle = cycle.map(|cycle| cycle.iter().map(|&it| grammar.nonterminal(it).name.clone()).collect::<Vec<_>>());
        value["cycle"] = json!(cycle);
        if let Some(cycle) = cycle {
            let names = cycle.join(", ");
            lines.push(format!("{names} derive each other: their sentences have infinitely many derivations"));
        }
    }
    if let (Some(grammar), Some(scanner)) = (&loaded.grammar, &loaded.scanner) {
        let mut wording = Unparser::new(grammar, scanner.clone());
        let silent = names(grammar, wording.without_text(grammar).into_iter());
        let (n_rules, n_states) = (scanner.lex.rules.len(), scanner.automaton.n_states());
        value["scanner"] = json!({ "rules": n_rules, "states": n_states, "without_text": silent });
        lines.push(format!("a scanner of {n_rules} rules, {n_states} states"));
        let doubtful = names(grammar, wording.doubtful(grammar).into_iter());
        value["scanner"]["in_doubt"] = json!(doubtful);
        if !doubtful.is_empty() {
            let names = doubtful.join(" ");
            lines
                .push(format!("texts of {names} may be other tokens, too: `define` and `undef` in a token map decide"));
        }
        if !silent.is_empty() {
            lines.push(format!("no text is known for {}", silent.join(" ")));
        }
    }
    if is_json {
        say!("{value:#}");
    } else {
        lines.iter().for_each(|line| say!("{line}"));
    }
    match loaded.grammar.is_some() && !loaded.remarks.iter().any(language::load::Remarks::has_errors) {
        true => Verdict::Good,
        false => Verdict::Bad,
    }
}

fn count(grammar: &Grammar, texts: &[Texts], max_len: u32, max_height: Option<u32>, is_json: bool) -> Result<()> {
    let mut sentences = sentences(grammar, texts.to_vec())?;
    let mut derivations = Derivations::new(grammar, texts.to_vec());
    if let Err(cycle) = &derivations {
        note(&infinitely_many(grammar, cycle));
    }
    let mut rows = Vec::new();
    if !is_json {
        say!("length             derivations                up to it               sentences");
    }
    let mut up_to = num_bigint::BigUint::ZERO;
    let mut is_too_large = false;
    for len in 0..=max_len {
        if interrupt::received().is_some() {
            break;
        }
        let n_sentences = match is_too_large {
            true => None,
            false => Some(sentences.count(len)).filter(|_| !sentences.is_too_large()).map(|n| n.to_string()),
        };
        if n_sentences.is_none() && !is_too_large {
            is_too_large = true;
            if derivations.is_err() {
                not_too_large(&sentences, "choose a smaller --max-len")?;
            }
            note(&format!("from length {len} on there are too many ways to go on to tell sentences apart"));
        }
        let n_derivations = derivations.as_mut().ok().map(|derivations| derivations.count(len));
        if derivations.as_ref().is_ok_and(Derivations::is_too_large) {
            return Err(hinted(
                format!("there are more derivations of length {len} than can be counted"),
                "empty rules that use each other in several ways are often a mistake",
            ));
        }
        up_to += n_derivations.clone().unwrap_or_default();
        if is_json {
            let derivations = n_derivations.map(|n| n.to_string());
            rows.push(json!({ "length": len, "derivations": derivations, "sentences": n_sentences }));
        } else {
            let [derivations, up_to] = match n_derivations {
                Some(n_derivations) => [n_derivations.to_string(), up_to.to_string()],
                None => ["infinite", "infinite"].map(str::to_owned),
            };
            say!("{len:6}  {derivations:>22}  {up_to:>22}  {:>22}", n_sentences.unwrap_or("?".to_owned()));
        }
    }
    let by_height: Vec<(u32, String)> = match &derivations {
        Ok(derivations) => {
            (1..=max_height.unwrap_or(0)).map(|it| (it, derivations.count_of_height(it).to_string())).collect()
        }
        Err(_) => Vec::new(),
    };
    if is_json {
        let by_height: Vec<Value> =
            by_height.iter().map(|(height, n)| json!({ "height": height, "derivations": n })).collect();
        say!("{:#}", json!({ "by_length": rows, "by_height": by_height }));
    } else if max_height.is_some() {
        say!("height   derivations up to it");
        by_height.iter().for_each(|(height, n)| say!("{height:6}  {n:>22}"));
    }
    Ok(())
}

fn terminals_of(pieces: impl Iterator<Item = Piece>) -> Vec<TerminalId> {
    pieces.map(|piece| piece.terminal).collect()
}

/// The length nearest to one that no sentence has; an error with the nearest ones where the user insists on that.
fn nearest_len(sentences: &mut Sentences, wanted: &Wanted) -> Result<u32> {
    let (len, shortest) = (wanted.len, sentences.shortest());
    let mut has_some = |it: &u32| sentences.count(*it) > 0u8.into();
    let below = (shortest..len).rev().take(N_LENGTHS_TRIED).find(&mut has_some);
    let above = (len + 1..=LEN_MAX).skip_while(|&it| it < shortest).take(N_LENGTHS_TRIED).find(&mut has_some);
    not_too_large(sentences, "choose a smaller --len")?;
    let nearest = [below, above].into_iter().flatten().min_by_key(|it| it.abs_diff(len));
    match nearest.filter(|_| !wanted.is_len_given) {
        Some(nearest) => {
            note(&format!("no sentence has {len} tokens: these have {nearest}"));
            Ok(nearest)
        }
        None => Err(none_of_len(len, &[below, above].into_iter().flatten().collect::<Vec<_>>(), shortest)),
    }
}

/// The error, with lengths near that one which sentences have.
fn none_of_len(len: u32, nearest: &[u32], shortest: u32) -> anyhow::Error {
    if shortest == u32::MAX {
        return too_large().into();
    }
    let hint = match nearest {
        [] => format!("the shortest has {shortest}"),
        [only] => format!("some have {only}; the shortest has {shortest}"),
        [below, above, ..] => format!("some have {below}, some {above}; the shortest has {shortest}"),
    };
    hinted(format!("no sentence has {len} tokens"), hint)
}

fn infinitely_many(grammar: &Grammar, cycle: &[NonterminalId]) -> String {
    let names: Vec<&str> = cycle.iter().map(|&it| grammar.nonterminal(it).name.as_str()).collect();
    format!("{} derive each other: there are infinitely many derivations", names.join(", "))
}
