//! `gimlet grammar`: what a grammar says, counted, listed and drawn.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::Result;
use gimlet_grammar::chance::Chance;
use gimlet_grammar::derivations::Derivations;
use gimlet_grammar::lalr::Tables;
use gimlet_grammar::parse::Parser;
use gimlet_grammar::sentences::{Piece, Sentences};
use gimlet_grammar::shortest::Shortest;
use gimlet_grammar::weighted::Weighted;
use gimlet_grammar::yacc::{self, Yacc};
use gimlet_grammar::{
    analysis, heights, kpaths, railroad, weights, Grammar, NonterminalId, Severity, Source, Symbol, TerminalId,
};
use serde_json::{json, Value};

use crate::exit::{hinted, note, Verdict};
use crate::figures::grouped;
use crate::interrupt;
use crate::options::grammar::{GrammarPlan, What};

/// Chains of symbols that are looked at.
const N_PATHS_MAX: usize = 1_000_000;
/// A sentence of more tokens takes more memory to count than machines have.
const LEN_MAX: u32 = 2_000;

pub fn grammar(plan: &GrammarPlan) -> Result<Verdict> {
    let source = read(&plan.grammar)?;
    let read = yacc::read(&source);
    if matches!(plan.what, What::Check) {
        return Ok(check(&source, &read, plan));
    }
    read.diagnostics.iter().filter(|it| it.severity == Severity::Error).for_each(|it| tell!("{}", it.render(&source)));
    let Some(grammar) = read.grammar else {
        return Err(hinted(
            format!("{} has errors", plan.grammar.display()),
            "`gimlet grammar check` says all about it",
        ));
    };
    let grammar = with_start(grammar, plan.start.as_deref())?;
    match &plan.what {
        What::Show { is_svg: true } => say!("{}", railroad::svg(&grammar).trim_end()),
        What::Show { .. } | What::Check => show(&grammar, plan.is_json)?,
        What::Count { max_len, max_height } => count(&grammar, len_within(*max_len)?, *max_height, plan.is_json)?,
        What::Enumerate { max_len, max_height, n_wanted, is_accepted } => {
            let bounded = bounded(&grammar, *max_height)?;
            enumerate(&grammar, &bounded, len_within(*max_len)?, *n_wanted, *is_accepted, plan.is_json)?;
        }
        What::Sample { len, n_wanted, weights: Some(path), seed, .. } => {
            let mut chance = Chance::new(*seed);
            sample_weighted(grammar, path, len_within(*len)?, *n_wanted, &mut chance, plan.is_json)?;
        }
        What::Sample { len, n_wanted, is_by_derivation, weights: None, seed } => {
            let mut chance = Chance::new(*seed);
            sample(&grammar, len_within(*len)?, *n_wanted, *is_by_derivation, &mut chance, plan.is_json)?;
        }
        What::Validate { tokens } => return validate(&grammar, tokens.as_deref(), plan.is_json),
        What::Kpaths { k } => cover(&grammar, *k, plan.is_json)?,
    }
    Ok(Verdict::Good)
}

fn read(path: &Path) -> Result<Source> {
    let bytes = fs::read(path).map_err(|error| {
        hinted(format!("cannot read {}: {error}", path.display()), "name a grammar of yacc or bison: FILE.y")
    })?;
    // Comments in old files are often in another encoding; what is no UTF-8 matters in literals only.
    Ok(Source::new(path.display().to_string(), String::from_utf8_lossy(&bytes)))
}

fn len_within(len: u32) -> Result<u32> {
    match len <= LEN_MAX {
        true => Ok(len),
        false => Err(hinted(format!("sentences of {len} tokens are too long"), "name a length up to 2000")),
    }
}

pub fn with_start(grammar: Grammar, start: Option<&str>) -> Result<Grammar> {
    let Some(name) = start else { return Ok(grammar) };
    match grammar.symbol(name) {
        Some(Symbol::Nonterminal(start)) => Ok(grammar.with_start(start)),
        Some(Symbol::Terminal(_)) => Err(hinted(format!("{name} is a token"), "--start wants a symbol that has rules")),
        None => Err(hinted(format!("there is no symbol {name}"), "`gimlet grammar show` lists them")),
    }
}

/// Whether a scanner can return it.
fn is_token(grammar: &Grammar, terminal: TerminalId) -> bool {
    grammar.error != Some(terminal) && grammar.end != Some(terminal) && terminal != yacc::UNDEFINED
}

/// The tokens that occur in sentences.
fn texts(grammar: &Grammar) -> Vec<gimlet_grammar::sentences::Texts> {
    let of = |terminal| if is_token(grammar, terminal) { vec![(1, 1u8.into())] } else { Vec::new() };
    grammar.terminal_ids().map(of).collect()
}

fn sentences(grammar: &Grammar) -> Result<Sentences> {
    let none = || hinted("the grammar has no sentences", "every rule of some symbol uses that symbol: give it an end");
    Sentences::new(grammar, texts(grammar)).ok_or_else(none)
}

fn bounded(grammar: &Grammar, height: Option<u32>) -> Result<Grammar> {
    let Some(height) = height else { return Ok(grammar.clone()) };
    let lowest = analysis::lowest(grammar)[grammar.start.index()];
    let bounded = heights::bounded(grammar, height).map(|bounded| bounded.grammar);
    bounded.ok_or_else(|| match lowest {
        Some(lowest) => {
            hinted(format!("no sentence has a tree of height {height}"), format!("the lowest has {lowest}"))
        }
        None => hinted("the grammar has no sentences", "every rule of some symbol uses that symbol: give it an end"),
    })
}

fn names(grammar: &Grammar, terminals: impl Iterator<Item = TerminalId>) -> Vec<String> {
    terminals.map(|terminal| grammar.terminal(terminal).name.clone()).collect()
}

/// Prints one sentence; false once nobody reads any more.
fn say_sentence(out: &mut impl Write, grammar: &Grammar, pieces: impl Iterator<Item = Piece>, is_json: bool) -> bool {
    let names = names(grammar, pieces.map(|piece| piece.terminal));
    let line = if is_json { json!(names).to_string() } else { names.join(" ") };
    writeln!(out, "{line}").is_ok() && interrupt::received().is_none()
}

fn show(grammar: &Grammar, is_json: bool) -> Result<()> {
    if is_json {
        let terminal = |id| {
            let terminal = grammar.terminal(id);
            json!({ "name": terminal.name, "alias": terminal.alias, "number": terminal.number })
        };
        let rule = |id| {
            let rule = grammar.rule(id);
            let right: Vec<&str> = rule.right.iter().map(|&symbol| grammar.name(symbol)).collect();
            json!({ "left": grammar.nonterminal(rule.left).name, "right": right })
        };
        let value = json!({
            "start": grammar.nonterminal(grammar.start).name,
            "tokens": grammar.terminal_ids().map(terminal).collect::<Vec<Value>>(),
            "rules": grammar.rule_ids().map(rule).collect::<Vec<Value>>(),
        });
        say!("{}", serde_json::to_string_pretty(&value)?);
        return Ok(());
    }
    say!("{}", grammar.to_string().trim_end());
    say!("tokens:");
    for terminal in grammar.terminal_ids().map(|id| grammar.terminal(id)) {
        let alias = terminal.alias.as_ref().map(|alias| format!("  {alias}")).unwrap_or_default();
        say!("{:4}  {}{alias}", terminal.number, terminal.name);
    }
    Ok(())
}

fn check(source: &Source, read: &Yacc, plan: &GrammarPlan) -> Verdict {
    if !plan.is_json {
        read.diagnostics.iter().for_each(|it| say!("{}\n", it.render(source)));
    }
    let diagnostic = |it: &gimlet_grammar::Diagnostic| {
        let (line, column) = source.position(it.span.start);
        json!({ "severity": it.severity.to_string(), "message": it.message, "line": line, "column": column, "hint": it.hint })
    };
    let mut value = json!({ "diagnostics": read.diagnostics.iter().map(diagnostic).collect::<Vec<_>>() });
    if let Some(grammar) = &read.grammar {
        let tables = Tables::new(grammar);
        let conflicts = tables.conflicts();
        let cycle = analysis::order_of_units(grammar).err();
        let cycle = cycle.map(|cycle| cycle.iter().map(|&it| grammar.nonterminal(it).name.clone()).collect::<Vec<_>>());
        let (n_tokens, n_rules) = (grammar.terminals.len(), grammar.rules.len());
        value["rules"] = json!(n_rules);
        value["tokens"] = json!(n_tokens);
        value["nonterminals"] = json!(grammar.nonterminals.len());
        value["states"] = json!(tables.n_states());
        value["conflicts"] =
            json!({ "shift_reduce": conflicts.n_shift_reduce, "reduce_reduce": conflicts.n_reduce_reduce });
        value["cycle"] = json!(cycle);
        if !plan.is_json {
            say!("{n_rules} rules, {n_tokens} tokens, {} other symbols", grammar.nonterminals.len());
            let n_states = tables.n_states();
            let (n_shift, n_reduce) = (conflicts.n_shift_reduce, conflicts.n_reduce_reduce);
            say!("{n_states} states; conflicts: {n_shift} shift/reduce, {n_reduce} reduce/reduce");
            if let Some(cycle) = cycle {
                say!("{} derive each other: their sentences have infinitely many derivations", cycle.join(", "));
            }
        }
    }
    if plan.is_json {
        say!("{value:#}");
    }
    match read.grammar {
        Some(_) => Verdict::Good,
        None => Verdict::Bad,
    }
}

fn count(grammar: &Grammar, max_len: u32, max_height: Option<u32>, is_json: bool) -> Result<()> {
    let mut sentences = sentences(grammar)?;
    let mut derivations = Derivations::new(grammar, texts(grammar));
    if let Err(cycle) = &derivations {
        note(&infinitely_many(grammar, cycle));
    }
    let mut rows = Vec::new();
    if !is_json {
        say!("length             derivations                up to it               sentences");
    }
    let mut up_to = num_bigint::BigUint::ZERO;
    for len in 0..=max_len {
        if interrupt::received().is_some() {
            break;
        }
        let n_sentences = sentences.count(len);
        let n_derivations = derivations.as_mut().ok().map(|derivations| derivations.count(len));
        up_to += n_derivations.clone().unwrap_or_default();
        if is_json {
            let derivations = n_derivations.map(|n| n.to_string());
            rows.push(json!({ "length": len, "derivations": derivations, "sentences": n_sentences.to_string() }));
        } else {
            let [derivations, up_to] = match n_derivations {
                Some(n_derivations) => [n_derivations.to_string(), up_to.to_string()],
                None => ["infinite", "infinite"].map(str::to_owned),
            };
            say!("{len:6}  {derivations:>22}  {up_to:>22}  {:>22}", n_sentences.to_string());
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

fn infinitely_many(grammar: &Grammar, cycle: &[NonterminalId]) -> String {
    let names: Vec<&str> = cycle.iter().map(|&it| grammar.nonterminal(it).name.as_str()).collect();
    format!("{} derive each other: there are infinitely many derivations", names.join(", "))
}

fn enumerate(
    grammar: &Grammar,
    bounded: &Grammar,
    max_len: u32,
    n_wanted: u64,
    is_accepted: bool,
    is_json: bool,
) -> Result<()> {
    let mut sentences = sentences(bounded)?;
    let tables = is_accepted.then(|| Tables::new(grammar));
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut n_left = n_wanted;
    for len in sentences.shortest()..=max_len {
        let mut enumeration = sentences.enumerate(len);
        while let Some(pieces) = enumeration.advance() {
            if n_left == 0 {
                return Ok(());
            }
            let is_wanted = tables
                .as_ref()
                .is_none_or(|tables| tables.accepts(&pieces.iter().map(|piece| piece.terminal).collect::<Vec<_>>()));
            if !is_wanted {
                continue;
            }
            n_left -= 1;
            if !say_sentence(&mut out, grammar, pieces.iter().copied(), is_json) {
                return Ok(());
            }
        }
    }
    out.flush()?;
    if n_left == n_wanted {
        note(&format!(
            "no sentence has {max_len} tokens or fewer; the shortest has {}",
            grouped(sentences.shortest().into())
        ));
    }
    Ok(())
}

fn sample(
    grammar: &Grammar,
    len: u32,
    n_wanted: u64,
    is_by_derivation: bool,
    chance: &mut Chance,
    is_json: bool,
) -> Result<()> {
    let mut sentences = sentences(grammar)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut derivations = match is_by_derivation {
        true => Some(Derivations::new(grammar, texts(grammar)).map_err(|cycle| {
            hinted(infinitely_many(grammar, &cycle), "leave out --derivations: sentences can be drawn")
        })?),
        false => None,
    };
    for _ in 0..n_wanted {
        let pieces = match &mut derivations {
            Some(derivations) => derivations.sample(len, chance).map(|tree| tree.pieces().collect()),
            None => sentences.sample(len, chance),
        };
        let Some(pieces) = pieces else {
            let shortest = format!("the shortest has {}", sentences.shortest());
            return Err(hinted(format!("no sentence has {len} tokens"), &shortest));
        };
        if !say_sentence(&mut out, grammar, pieces.into_iter(), is_json) {
            return Ok(());
        }
    }
    Ok(out.flush()?)
}

fn sample_weighted(
    mut grammar: Grammar,
    path: &Path,
    max_len: u32,
    n_wanted: u64,
    chance: &mut Chance,
    is_json: bool,
) -> Result<()> {
    let hint = "name a file with lines like: expr: expr '+' expr = 3";
    let text = fs::read_to_string(path)
        .map_err(|error| hinted(format!("cannot read the weights in {}: {error}", path.display()), hint))?;
    let source = Source::new(path.display().to_string(), text);
    let diagnostics = weights::read(&source, &mut grammar);
    diagnostics.iter().for_each(|it| tell!("{}", it.render(&source)));
    if diagnostics.iter().any(|it| it.severity == Severity::Error) {
        return Err(hinted(format!("{} has errors", path.display()), "`gimlet grammar show` lists the rules"));
    }
    let weighted = Weighted::new(&grammar, &|terminal| is_token(&grammar, terminal).then_some(1));
    let mut out = io::BufWriter::new(io::stdout().lock());
    for _ in 0..n_wanted {
        let Some(tree) = weighted.sample(max_len, chance) else {
            return Err(match weighted.shortest() {
                Some(shortest) => hinted(
                    format!("no sentence of these weights has {max_len} tokens or fewer"),
                    format!("the shortest has {shortest}: choose a greater --len"),
                ),
                None => hinted("the grammar has no sentences", "`gimlet grammar check` says more"),
            });
        };
        if !say_sentence(&mut out, &grammar, tree.pieces(), is_json) {
            return Ok(());
        }
    }
    Ok(out.flush()?)
}

fn validate(grammar: &Grammar, path: Option<&Path>, is_json: bool) -> Result<Verdict> {
    let mut text = String::new();
    let is_read = match path {
        Some(path) => fs::read_to_string(path).map(|read| text = read),
        None => io::stdin().read_to_string(&mut text).map(|_| ()),
    };
    is_read.map_err(|error| hinted(format!("cannot read the tokens: {error}"), "name a file of lines of tokens"))?;
    let (parser, tables) = (Parser::new(grammar), Tables::new(grammar));
    let mut n_wrong = 0;
    for (number, line) in text.lines().enumerate() {
        let found = classify(grammar, &parser, &tables, line);
        n_wrong += u32::from(found.is_err());
        let what = found.as_ref().map_or_else(|why| why.as_str(), |what| *what);
        if is_json {
            say!("{}", json!({ "line": number + 1, "is_sentence": found.is_ok(), "what": what }));
        } else {
            say!("{}: {what}", number + 1);
        }
    }
    Ok(if n_wrong == 0 { Verdict::Good } else { Verdict::Bad })
}

/// Whether a line is a sentence, and if not why.
fn classify(grammar: &Grammar, parser: &Parser, tables: &Tables, line: &str) -> Result<&'static str, String> {
    let mut pieces = Vec::new();
    for name in line.split_whitespace() {
        match grammar.symbol(name) {
            Some(Symbol::Terminal(terminal)) => pieces.push(Piece { terminal, len: 1 }),
            _ => return Err(format!("there is no token {name}")),
        }
    }
    if let Err(wrong) = parser.parse(&pieces) {
        let at = match pieces.get(wrong.at) {
            Some(piece) => {
                format!("token {}, {}, can't come here", wrong.at + 1, grammar.terminal(piece.terminal).name)
            }
            None => "it can't end here".to_owned(),
        };
        let expected = names(grammar, wrong.expected.into_iter().filter(|&it| is_token(grammar, it)));
        return Err(match expected.is_empty() {
            true => format!("no sentence: {at}"),
            false => format!("no sentence: {at}; what can: {}", expected.join(" ")),
        });
    }
    let terminals: Vec<TerminalId> = pieces.iter().map(|piece| piece.terminal).collect();
    Ok(match tables.accepts(&terminals) {
        true => "a sentence",
        false => "a sentence that yacc's parser refuses",
    })
}

fn cover(grammar: &Grammar, k: usize, is_json: bool) -> Result<()> {
    let grammar = gimlet_grammar::useful::reduced(grammar, &|terminal| is_token(grammar, terminal));
    let grammar = grammar.ok_or_else(|| hinted("the grammar has no sentences", "`gimlet grammar check` says more"))?;
    let shortest = Shortest::new(&grammar, &|_| 1);
    let (paths, is_all) = kpaths::paths(&grammar, &shortest, k, N_PATHS_MAX);
    if !is_all {
        return Err(hinted(format!("there are more than {N_PATHS_MAX} chains of {k} symbols"), "choose a smaller K"));
    }
    let trees = kpaths::cover(&grammar, &shortest, &paths, k);
    let mut out = io::BufWriter::new(io::stdout().lock());
    for tree in &trees {
        if !say_sentence(&mut out, &grammar, tree.pieces(), is_json) {
            return Ok(());
        }
    }
    out.flush()?;
    note(&format!(
        "{} sentences use {} chains of up to {k} symbols",
        grouped(trees.len() as u64),
        grouped(paths.len() as u64)
    ));
    Ok(())
}
