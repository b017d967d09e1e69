//! Random constraints on tokens, against trying all sentences: `constraint_oracle COUNT FILE..`, or how long they take:
//! `constraint_oracle --times FILE..`.
//!
//! For each grammar all short sentences are listed once. A constraint has a length of at most theirs, so whether it has a
//! sentence is a matter of looking through the list. Each answer must agree, its certificate must be accepted, and a
//! corrupted one refused.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use gimlet_grammar::chance::Chance;
use gimlet_grammar::constraint::{check, Answer, Certificate, Charts, Constraint, NodeId, Rest, Solver, TokenSet};
use gimlet_grammar::count::derivations::Derivations;
use gimlet_grammar::count::sentences::Sentences;
use gimlet_grammar::{Grammar, Source, TerminalId};
use gimlet_readers::format::{self, Format};

/// Sentences of a grammar that are listed, about, and their longest.
const N_SENTENCES_MAX: usize = 4_000;
const LEN_MAX: u32 = 8;
/// Tokens of the paths that are measured.
const N_CONCRETE: usize = 200;
const N_OPEN: usize = 100;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let first = arguments.next().unwrap_or_default();
    let files: Vec<String> = arguments.collect();
    let count: Option<usize> = first.parse().ok();
    if files.is_empty() || (count.is_none() && first != "--times") {
        eprintln!("constraint_oracle COUNT FILE.. | --times FILE..");
        return ExitCode::from(2);
    }
    let mut is_good = true;
    for file in &files {
        let Some(grammar) = read(file) else {
            eprintln!("{file}: no grammar");
            return ExitCode::from(2);
        };
        is_good &= match count {
            Some(count) => compare(file, &grammar, count / files.len()),
            None => measure(file, &grammar),
        };
    }
    if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn read(path: &str) -> Option<Grammar> {
    let bytes = std::fs::read(path).ok()?;
    format::read(&Source::new(path, String::from_utf8_lossy(&bytes)), Format::of_name(path)?).grammar
}

/// All sentences up to a length.
fn short_sentences(grammar: &Grammar) -> (Vec<Vec<TerminalId>>, u32) {
    let mut all = Vec::new();
    let Some(mut sentences) = Sentences::of_tokens(grammar) else { return (all, 0) };
    for len in 0..=LEN_MAX {
        let before = all.len();
        let mut enumeration = sentences.enumerate(len);
        while let Some(pieces) = enumeration.advance() {
            let tokens: Vec<TerminalId> = pieces.iter().map(|piece| piece.terminal).collect();
            // What stands for an error is no token.
            if tokens.iter().all(|&it| grammar.is_token(it)) {
                all.push(tokens);
            }
            if all.len() > N_SENTENCES_MAX {
                all.truncate(before);
                return (all, len.saturating_sub(1));
            }
        }
    }
    (all, LEN_MAX)
}

/// A constraint near a sentence, or anywhere.
fn any_constraint(grammar: &Grammar, sentences: &[Vec<TerminalId>], len_max: u32, chance: &mut Chance) -> Constraint {
    let tokens: Vec<TerminalId> = grammar.terminal_ids().filter(|&it| grammar.is_token(it)).collect();
    let model = sentences[chance.pick(sentences.len())].clone();
    let n_sets = chance.pick(len_max as usize + 1);
    let mut sets = Vec::new();
    for at in 0..n_sets {
        let any = tokens[chance.pick(tokens.len())];
        let own = model.get(at).copied();
        let mut set = match (chance.pick(8), own) {
            (0, _) => TokenSet::all(grammar),
            (1, _) => TokenSet::all_but(grammar, any),
            (2, Some(own)) => TokenSet::all_but(grammar, own),
            (3, _) => TokenSet::of(grammar, [any, tokens[chance.pick(tokens.len())]]),
            (_, Some(own)) => TokenSet::of(grammar, [own]),
            (_, None) => TokenSet::of(grammar, [any]),
        };
        if own.is_none() || chance.pick(8) == 0 {
            set.insert_end();
        }
        sets.push(set);
    }
    let place = |chance: &mut Chance| chance.pick(len_max as usize + 1);
    let n_equal = if chance.pick(4) == 0 { 1 + chance.pick(2) } else { 0 };
    let equal = (0..n_equal).map(|_| (place(chance), place(chance))).collect();
    let from = if chance.pick(2) == 0 { place(chance) } else { 0 };
    let to = from + chance.pick(len_max as usize - from + 1);
    Constraint { tokens: sets, equal, length: from..=if from == 0 { len_max as usize } else { to } }
}

fn compare(file: &str, grammar: &Grammar, count: usize) -> bool {
    let (sentences, len_max) = short_sentences(grammar);
    if sentences.is_empty() {
        println!("{file}: no short sentences");
        return false;
    }
    let mut solver = Solver::new(grammar);
    let mut chance = Chance::new(1);
    let (mut n_sat, mut n_wrong, mut n_unproved, mut n_fooled) = (0, 0, 0, 0);
    let mut took = Duration::ZERO;
    for _ in 0..count {
        let constraint = any_constraint(grammar, &sentences, len_max, &mut chance);
        let expected = sentences.iter().any(|it| constraint.holds(it));
        let begin = Instant::now();
        let (answer, certificate) = solver.certified(&constraint);
        took += begin.elapsed();
        n_sat += usize::from(expected);
        let is_right = match &answer {
            Answer::Sat(tokens) => expected && constraint.holds(tokens) && sentences.contains(tokens),
            Answer::Unsat(_) => !expected,
            Answer::Unknown(_) => false,
        };
        if !is_right {
            n_wrong += 1;
            println!("{file}: {constraint:?} has {expected}, answered {answer:?}");
        }
        match certificate {
            Some(certificate) if check(grammar, &constraint, &certificate) == Ok(expected) => {
                if let Some(corrupted) = corrupted(&certificate, &mut chance) {
                    n_fooled += usize::from(check(grammar, &constraint, &corrupted).is_ok());
                }
            }
            _ => n_unproved += 1,
        }
        if solver.charts().is_some_and(|charts| charts.n_bytes() > 256 << 20) {
            solver.charts().into_iter().for_each(Charts::clear);
        }
    }
    println!(
        "{file}: {count} constraints, {n_sat} with a sentence; {} sentences of up to {len_max} tokens; {n_wrong} wrong, \
         {n_unproved} without proof, {n_fooled} corrupted proofs accepted; {:.1} us each with proof",
        sentences.len(),
        took.as_secs_f64() * 1e6 / count.max(1) as f64,
    );
    n_wrong + n_unproved + n_fooled == 0
}

/// A certificate that lacks something.
fn corrupted(certificate: &Certificate, chance: &mut Chance) -> Option<Certificate> {
    match certificate {
        Certificate::Derivation(tree) => {
            let mut tree = tree.clone();
            if tree.nodes.is_empty() {
                return None;
            }
            tree.nodes.remove(chance.pick(tree.nodes.len()));
            Some(Certificate::Derivation(tree))
        }
        Certificate::Chart(sets) => {
            let mut sets = sets.clone();
            let full: Vec<usize> = (0..sets.len()).filter(|&at| !sets[at].is_empty()).collect();
            let at = *full.get(chance.pick(full.len().max(1)))?;
            let row = chance.pick(sets[at].len());
            sets[at].remove(row);
            Some(Certificate::Chart(sets))
        }
        Certificate::Cases { positions, cases } => {
            let mut cases = cases.clone();
            if cases.is_empty() {
                return None;
            }
            cases.remove(chance.pick(cases.len()));
            Some(Certificate::Cases { positions: positions.clone(), cases })
        }
    }
}

/// A sentence of about so many tokens.
fn long_sentence(grammar: &Grammar, len: u32) -> Option<Vec<TerminalId>> {
    let mut derivations = Derivations::new(grammar, vec![vec![(1, 1u8.into())]; grammar.terminals.len()]).ok()?;
    let mut chance = Chance::new(3);
    let tree = (len..len + 20).find_map(|len| derivations.sample(len, &mut chance))?;
    Some(tree.pieces().map(|piece| piece.terminal).collect())
}

fn measure(file: &str, grammar: &Grammar) -> bool {
    let Some(sentence) = long_sentence(grammar, N_CONCRETE as u32) else {
        println!("{file}: no sentence of {N_CONCRETE} tokens");
        return false;
    };
    let path: Vec<TokenSet> = sentence[..N_CONCRETE].iter().map(|&it| TokenSet::of(grammar, [it])).collect();
    let Some(mut charts) = Charts::new(grammar) else { return false };
    let (nodes, chart_time) = best(|| {
        charts.clear();
        charts.along(&path)
    });
    let nodes: Vec<NodeId> = nodes.unwrap_or_default();
    // Each flip of a token to each other one.
    let all: Vec<TokenSet> = grammar.terminal_ids().map(|it| TokenSet::of(grammar, [it])).collect();
    let (n_possible, flips_time) = best(|| {
        let of_node = |node: &NodeId| all.iter().filter(|set| charts.next(*node).meets(set)).count();
        nodes.iter().map(of_node).sum::<usize>()
    });
    let n_flips = nodes.len() * all.len();
    // Each that is possible, with the shortest sentence.
    let mut solver = Solver::new(grammar);
    let begin = Instant::now();
    let instead = solver.instead(&path).unwrap_or_default();
    let mut n_sentences = 0;
    for (at, set) in instead.iter().enumerate().filter(|(_, set)| !set.is_empty()) {
        let mut tokens = path[..at].to_vec();
        tokens.push(set.clone());
        let answer = solver.solve(&Constraint::new(tokens), &mut Rest::Shortest);
        n_sentences += usize::from(matches!(answer, Answer::Sat(_)));
    }
    let sentences_time = begin.elapsed();
    let open: Vec<TokenSet> = sentence[..N_OPEN].iter().map(|&it| TokenSet::all_but(grammar, it)).collect();
    let (_, open_time) = best(|| {
        charts.clear();
        charts.along(&open).map(|nodes| nodes.len())
    });
    let begin = Instant::now();
    let answer = Solver::new(grammar).solve(&Constraint::new(open), &mut Rest::Shortest);
    let answer_time = begin.elapsed();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{file}: {N_CONCRETE} tokens: chart {:.2} ms; {n_flips} flips, {n_possible} possible, {:.3} us each; {n_sentences} \
         sentences for them, {:.1} us each; {N_OPEN} times all but one: chart {:.1} ms, with {} {:.1} ms",
        ms(chart_time),
        ms(flips_time) * 1e3 / n_flips as f64,
        ms(sentences_time) * 1e3 / n_sentences.max(1) as f64,
        ms(open_time),
        if matches!(answer, Answer::Sat(_)) { "a sentence" } else { "the answer that there is none" },
        ms(answer_time),
    );
    true
}

/// What it returns, and the shortest of three times.
fn best<T>(mut call: impl FnMut() -> T) -> (T, Duration) {
    let mut least: Option<(T, Duration)> = None;
    for _ in 0..3 {
        let begin = Instant::now();
        let result = call();
        let took = begin.elapsed();
        if least.as_ref().is_none_or(|(_, known)| took < *known) {
            least = Some((result, took));
        }
    }
    least.expect("three times")
}
