//! Weights of rules: how often each is taken, relative to the others of its nonterminal.
//!
//! A file of weights has a rule as the grammar has it, or its number, and a weight:
//!
//! ```text
//! # Sums are three times as frequent as names.
//! expr: expr '+' expr = 3
//!     | NAME = 1          # of expr, too
//! 7 = 0.5
//! ```
//!
//! Other rules keep theirs, which is 1 unless something else was said. Weights are also learnt: each rule counts as often as
//! the trees of some sentences have it, and once more, so that none becomes impossible.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::count::sentences::Piece;
use crate::grammar::analysis;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};
use crate::parse::parser::{NoSentence, Parser};
use crate::parse::tree::Node;
use crate::source::{Diagnostic, Severity, Source, Span};

/// Rules that a hint lists.
const N_SHOWN: usize = 5;
const FORM: &str = "write a rule and its weight: expr: expr '+' expr = 3, or the number of a rule: 7 = 3";

/// Gives rules the weights of a file. If it has errors no weight is changed.
pub fn read(source: &Source, grammar: &mut Grammar) -> Vec<Diagnostic> {
    let mut reader = Reader::new(grammar);
    let mut start = 0;
    for line in source.text.split_inclusive('\n') {
        if let Err(diagnostic) = reader.read_line(line, start) {
            reader.diagnostics.push(diagnostic);
        }
        start += line.len();
    }
    let Reader { weights, mut diagnostics, .. } = reader;
    diagnostics.extend(without_end(grammar, &weights));
    if diagnostics.iter().any(|it| it.severity == Severity::Error) {
        return diagnostics;
    }
    for (&rule, &(weight, _)) in &weights {
        grammar.rules[rule.index()].weight = weight;
    }
    diagnostics
}

/// Says of each nonterminal that has no sentence without rules of weight 0, and could come, where these are.
fn without_end(grammar: &Grammar, weights: &FxHashMap<RuleId, (f64, Span)>) -> Vec<Diagnostic> {
    let zero = |rule: &RuleId| weights.get(rule).filter(|(weight, _)| *weight == 0.0).map(|&(_, span)| span);
    let kept = grammar.rule_ids().filter(|rule| zero(rule).is_none()).map(|rule| grammar.rule(rule).clone());
    let (terminals, nonterminals) = (grammar.terminals.clone(), grammar.nonterminals.clone());
    let kept = grammar.with_symbols(terminals, nonterminals, kept.collect(), grammar.start);
    let (before, after) = (analysis::lowest(grammar), analysis::lowest(&kept));
    let mut wrong = Vec::new();
    let mut is_reached = vec![false; grammar.nonterminals.len()];
    let mut pending = vec![grammar.start];
    while let Some(left) = pending.pop() {
        if std::mem::replace(&mut is_reached[left.index()], true) {
            continue;
        }
        let right = kept.rules_of(left).iter().flat_map(|&rule| &kept.rule(rule).right);
        pending.extend(right.filter_map(|symbol| symbol.nonterminal()));
        let last = grammar.rules_of(left).iter().filter_map(zero).max_by_key(|span| span.start);
        let has_lost_all = before[left.index()].is_some() && after[left.index()].is_none();
        if let Some(span) = last.filter(|_| has_lost_all) {
            let name = &grammar.nonterminal(left).name;
            let error = Diagnostic::error(span, format!("{name} has no sentence without its rules of weight 0"));
            wrong.push(error.with_hint("give one of them a weight, however small"));
        }
    }
    wrong.sort_by_key(|it| it.span.start);
    wrong
}

/// All weights, as a file that can be read again.
pub fn show(grammar: &Grammar) -> String {
    let mut n_same: FxHashMap<String, usize> = FxHashMap::default();
    let shown: Vec<String> = grammar.rule_ids().map(|rule| grammar.show_rule(rule)).collect();
    shown.iter().for_each(|rule| *n_same.entry(rule.clone()).or_default() += 1);
    let mut file = String::new();
    for (rule, shown) in grammar.rule_ids().zip(shown) {
        let weight = grammar.rule(rule).weight;
        let weight = if (1e-3..1e9).contains(&weight) { weight.to_string() } else { format!("{weight:e}") };
        let _ = match n_same[&shown] {
            1 => writeln!(file, "{shown} = {weight}"),
            _ => writeln!(file, "{} = {weight}  # {shown}", rule.0 + 1),
        };
    }
    file
}

/// Gives each rule the number of its uses in the trees of these sentences, and one more. Says which are none.
pub fn learn(grammar: &mut Grammar, sentences: &[Vec<Piece>]) -> Vec<(usize, NoSentence)> {
    let mut counts = vec![1u64; grammar.rules.len()];
    let mut wrong = Vec::new();
    let parser = Parser::new(grammar);
    for (number, pieces) in sentences.iter().enumerate() {
        match parser.parse(pieces) {
            Err(error) => wrong.push((number, error)),
            Ok(tree) => tree.nodes.iter().for_each(|node| {
                if let Node::Rule(rule) = node {
                    counts[rule.index()] += 1;
                }
            }),
        }
    }
    grammar.rules.iter_mut().zip(counts).for_each(|(rule, count)| rule.weight = count as f64);
    wrong
}

/// A word of a line, or one of `:`, `=` and `|`.
#[derive(Clone, Copy, Debug)]
struct Word<'a> {
    text: &'a str,
    span: Span,
}

struct Reader<'a> {
    grammar: &'a Grammar,
    /// A grammar may have a rule twice.
    rules: FxHashMap<(NonterminalId, &'a [Symbol]), Vec<RuleId>>,
    /// What a line that begins with `|` goes on with.
    left: Option<NonterminalId>,
    /// With the place of each.
    weights: FxHashMap<RuleId, (f64, Span)>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    fn new(grammar: &'a Grammar) -> Reader<'a> {
        let mut rules: FxHashMap<_, Vec<RuleId>> = FxHashMap::default();
        for id in grammar.rule_ids() {
            let rule = grammar.rule(id);
            rules.entry((rule.left, &rule.right[..])).or_default().push(id);
        }
        Reader { grammar, rules, left: None, weights: FxHashMap::default(), diagnostics: Vec::new() }
    }

    /// A line that begins at a place of the source.
    fn read_line(&mut self, line: &str, start: usize) -> Result<(), Diagnostic> {
        let words = words(line, start)?;
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return Ok(()) };
        let all = first.span.to(last.span);
        let equals = words.iter().rposition(|word| word.text == "=");
        let Some(equals) = equals else {
            // What begins a rule is what lines below go on with, even so.
            self.left = left(&words).and_then(|left| self.left_side(left).ok());
            return Err(Diagnostic::error(all, "there is no weight").with_hint(FORM));
        };
        let rules = self.rules(&words[..equals], all)?;
        let weight = weight(&words[equals..])?;
        let is_again = rules.iter().fold(false, |is_again, &rule| {
            let known = self.weights.insert(rule, (weight, all));
            is_again || known.is_some()
        });
        if is_again {
            let warning = Diagnostic::warning(all, "the rule has a weight already");
            self.diagnostics.push(warning.with_hint("the last one counts: leave one out"));
        }
        Ok(())
    }

    /// The rules that the words before `=` mean.
    fn rules(&mut self, words: &[Word], all: Span) -> Result<Vec<RuleId>, Diagnostic> {
        match words {
            [number] if number.text.bytes().all(|it| it.is_ascii_digit()) => Ok(vec![self.numbered(*number)?]),
            [left, colon, right @ ..] if colon.text == ":" => {
                self.left = None;
                let left = self.left_side(*left)?;
                self.left = Some(left);
                self.rules_of(left, right, all)
            }
            [bar, right @ ..] if bar.text == "|" => match self.left {
                Some(left) => self.rules_of(left, right, all),
                None => Err(Diagnostic::error(bar.span, "there is no rule before this one")
                    .with_hint("`|` goes on with the symbol of the line above: begin with its name and a colon")),
            },
            _ => Err(Diagnostic::error(all, "this is no rule").with_hint(FORM)),
        }
    }

    fn numbered(&self, number: Word) -> Result<RuleId, Diagnostic> {
        let n_rules = self.grammar.rules.len() as u32;
        let found = number.text.parse().ok().filter(|it| (1..=n_rules).contains(it));
        found.map(|it: u32| RuleId(it - 1)).ok_or_else(|| {
            let message = format!("there is no rule {}", number.text);
            Diagnostic::error(number.span, message).with_hint(format!("rules have the numbers from 1 to {n_rules}"))
        })
    }

    fn left_side(&self, left: Word) -> Result<NonterminalId, Diagnostic> {
        match self.symbol(left)? {
            Symbol::Nonterminal(nonterminal) => Ok(nonterminal),
            Symbol::Terminal(_) => Err(Diagnostic::error(left.span, format!("{} is a token", left.text))
                .with_hint("only symbols that have rules have weights")),
        }
    }

    fn symbol(&self, word: Word) -> Result<Symbol, Diagnostic> {
        let none = || Diagnostic::error(word.span, format!("there is no symbol {}", word.text));
        self.grammar.symbol(word.text).ok_or_else(|| none().with_hint("symbols are written as the grammar has them"))
    }

    fn rules_of(&self, left: NonterminalId, right: &[Word], all: Span) -> Result<Vec<RuleId>, Diagnostic> {
        let words = match right {
            [word] if word.text == "%empty" => &[],
            words => words,
        };
        let symbols = words.iter().map(|&word| self.symbol(word)).collect::<Result<Vec<Symbol>, Diagnostic>>()?;
        self.rules.get(&(left, &symbols[..])).cloned().ok_or_else(|| {
            let rules = self.grammar.rules_of(left);
            let mut shown: Vec<String> =
                rules.iter().take(N_SHOWN).map(|&rule| format!("`{}`", self.grammar.show_rule(rule))).collect();
            if rules.len() > N_SHOWN {
                shown.push(format!("and {} more", rules.len() - N_SHOWN));
            }
            Diagnostic::error(all, "the grammar has no such rule").with_hint(format!("it has {}", shown.join(", ")))
        })
    }
}

/// What stands before the colon.
fn left<'a>(words: &[Word<'a>]) -> Option<Word<'a>> {
    words.get(1).filter(|colon| colon.text == ":").map(|_| words[0])
}

/// The number behind `=`.
fn weight(words: &[Word]) -> Result<f64, Diagnostic> {
    let hint = "a weight is a number, 0 or greater: 3, 0.25, 1e6";
    let word = match words {
        [_, word] => word,
        [equals] => return Err(Diagnostic::error(equals.span, "there is no weight").with_hint(hint)),
        [_, _, more, ..] => return Err(Diagnostic::error(more.span, "a weight ends the line").with_hint(hint)),
        [] => return Err(Diagnostic::error(Span::default(), "there is no weight").with_hint(hint)),
    };
    let number = word.text.parse().ok().filter(|it: &f64| it.is_finite() && !it.is_sign_negative());
    number.ok_or_else(|| Diagnostic::error(word.span, format!("{} is no weight", word.text)).with_hint(hint))
}

/// The words of a line up to a comment. Literals may have anything in them.
fn words(line: &str, start: usize) -> Result<Vec<Word<'_>>, Diagnostic> {
    let mut words = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next().filter(|&it| it != '#') else { return Ok(words) };
        let at = start + line.len() - rest.len();
        let is_end = |it: char| it.is_whitespace() || matches!(it, ':' | '=' | '|' | '#' | '\'' | '"');
        let len = match first {
            ':' | '=' | '|' => 1,
            '\'' | '"' => len_of_literal(rest, first).ok_or_else(|| {
                Diagnostic::error(Span::new(at, at + rest.trim_end().len()), "the literal has no end")
                    .with_hint(format!("end it with {first} on the same line"))
            })?,
            _ => rest.find(is_end).unwrap_or(rest.len()),
        };
        words.push(Word { text: &rest[..len], span: Span::new(at, at + len) });
        rest = &rest[len..];
    }
}

fn len_of_literal(text: &str, quote: char) -> Option<usize> {
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                characters.next();
            }
            _ if character == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::test_grammars::{grammar, CALCULATOR};

    const GRAMMAR: &str = "s: s '+' s | '#' | '=' ':' t | ; t: '\\'' \"a|b\" | 'x' | 'x' ;";

    fn read_text(text: &str, grammar: &mut Grammar) -> (Source, Vec<Diagnostic>) {
        let source = Source::new("weights", text);
        let diagnostics = read(&source, grammar);
        (source, diagnostics)
    }

    /// The weights of all rules after a file without mistakes.
    fn check(text: &str, expected: &[f64]) {
        let mut grammar = grammar(GRAMMAR);
        let (source, diagnostics) = read_text(text, &mut grammar);
        let shown: Vec<String> = diagnostics.iter().map(|it| it.render(&source)).collect();
        assert_eq!(shown, [""; 0], "{text}");
        assert_eq!(grammar.rules.iter().map(|rule| rule.weight).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn rules_by_text_and_by_number() {
        check("", &[1.0; 7]);
        check("s: s '+' s = 3 # three\n\n# none\n  4=0.5", &[3.0, 1.0, 1.0, 0.5, 1.0, 1.0, 1.0]);
        check("s: '#' = 2\n | '=' ':' t = 3\r\n | = 4", &[1.0, 2.0, 3.0, 4.0, 1.0, 1.0, 1.0]);
        check("s: %empty = 0\nt: '\\'' \"a|b\"=1e300", &[1.0, 1.0, 1.0, 0.0, 1e300, 1.0, 1.0]);
        // A rule that is there twice.
        check("t:'x'=7", &[1.0, 1.0, 1.0, 1.0, 1.0, 7.0, 7.0]);
        check("7 = 0.25", &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.25]);
    }

    /// What is said first, by line, column and text; after an error nothing has changed.
    fn check_wrong(text: &str, expected: &str) {
        let mut grammar = grammar(GRAMMAR);
        let (source, diagnostics) = read_text(text, &mut grammar);
        let first = diagnostics.first().unwrap_or_else(|| panic!("nothing is said about {text}"));
        assert!(first.hint.is_some());
        let (line, column) = source.position(first.span.start);
        assert_eq!(format!("{line}:{column}: {}: {}", first.severity, first.message), expected);
        let is_changed = grammar.rules.iter().any(|rule| rule.weight != 1.0);
        assert_eq!(is_changed, first.severity == Severity::Warning, "{text}");
    }

    #[test]
    fn mistakes() {
        check_wrong("1 = 2\ns: '#'\n", "2:1: error: there is no weight");
        check_wrong("1 = 2\ns: '#' =\n", "2:8: error: there is no weight");
        check_wrong("1 = 2\ns: '#' = -1", "2:10: error: -1 is no weight");
        check_wrong("1 = 2\ns: '#' = inf", "2:10: error: inf is no weight");
        check_wrong("1 = 2\ns: '#' = NaN", "2:10: error: NaN is no weight");
        check_wrong("1 = 2\ns: '#' = 1 2", "2:12: error: a weight ends the line");
        check_wrong("1 = 2\ns: 'x = 1", "2:4: error: the literal has no end");
        check_wrong("1 = 2\ns: u = 1", "2:4: error: there is no symbol u");
        check_wrong("1 = 2\nu: s = 1\n| s = 1", "2:1: error: there is no symbol u");
        check_wrong("1 = 2\n'x': s = 1", "2:1: error: 'x' is a token");
        check_wrong("1 = 2\ns: t = 1", "2:1: error: the grammar has no such rule");
        check_wrong("1 = 2\n | s = 1", "2:2: error: there is no rule before this one");
        check_wrong("0 = 2", "1:1: error: there is no rule 0");
        check_wrong("99999999999999999999 = 2", "1:1: error: there is no rule 99999999999999999999");
        check_wrong("s = 2", "1:1: error: this is no rule");
        check_wrong("1 = 2\ns: s '+' s = 3", "2:1: warning: the rule has a weight already");
        check_wrong("t: 'x' = 0\n| '\\'' \"a|b\" = 0", "2:1: error: t has no sentence without its rules of weight 0");
    }

    #[test]
    fn a_weight_of_0_leaves_an_end() {
        let check = |weights: &str, expected: &[&str]| {
            let mut grammar = grammar("s: s '+' s | t ; t: 'x' | '(' s ')' | u ; u: 'y' ;");
            let (_, diagnostics) = read_text(weights, &mut grammar);
            let said: Vec<&str> = diagnostics.iter().map(|it| it.message.as_str()).collect();
            assert_eq!(said, expected, "{weights}");
        };
        check("s: t = 0", &["s has no sentence without its rules of weight 0"]);
        check("t: 'x' = 0", &[]);
        check("t: 'x' = 0\n| u = 0", &["t has no sentence without its rules of weight 0"]);
        check(
            "t: 'x' = 0\nu: 'y' = 0",
            &["t has no sentence without its rules of weight 0", "u has no sentence without its rules of weight 0"],
        );
        // Nobody asks for one.
        check("t: u = 0\nu: 'y' = 0", &[]);
    }

    #[test]
    fn a_hint_lists_rules() {
        let mut grammar = grammar(CALCULATOR);
        let (_, diagnostics) = read_text("expression: = 1", &mut grammar);
        let hint = diagnostics[0].hint.clone().unwrap();
        assert!(
            hint.starts_with("it has `expression: '(' expression ')'`, ") && hint.ends_with("and 6 more"),
            "{hint}"
        );
    }

    #[test]
    fn uses_are_counted() {
        let mut grammar = grammar("s: s '+' t | t ; t: 'x' | 'y' | 'z' ;");
        let piece = |name: &str| {
            let terminal = grammar.symbol(name).and_then(Symbol::terminal).unwrap();
            Piece { terminal, len: 1 }
        };
        let sentence = |names: &str| names.split(' ').map(piece).collect::<Vec<Piece>>();
        let sentences = [sentence("'x' '+' 'x' '+' 'y'"), sentence("'+'"), sentence("'x'")];
        let wrong = learn(&mut grammar, &sentences);
        assert_eq!(wrong.iter().map(|(number, error)| (*number, error.at)).collect::<Vec<_>>(), [(1, 0)]);
        assert_eq!(grammar.rules.iter().map(|rule| rule.weight).collect::<Vec<_>>(), [3.0, 3.0, 4.0, 2.0, 1.0]);
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read(weights in proptest::collection::vec(0f64..f64::MAX, 7), small in 0f64..10.0) {
            let mut grammar = grammar(GRAMMAR);
            grammar.rules.iter_mut().zip(&weights).for_each(|(rule, weight)| rule.weight = *weight);
            grammar.rules[0].weight = small;
            let mut again = self::grammar(GRAMMAR);
            let (_, diagnostics) = read_text(&show(&grammar), &mut again);
            prop_assert_eq!(diagnostics, vec![]);
            for (rule, again) in grammar.rules.iter().zip(&again.rules) {
                prop_assert_eq!(rule.weight, again.weight);
            }
        }

        #[test]
        fn nothing_is_too_odd(text in "[s:t'\"=|# 0-9.e\\\\%empty\\n\u{e9}+-]{0,60}") {
            let mut grammar = grammar(GRAMMAR);
            let (source, diagnostics) = read_text(&text, &mut grammar);
            diagnostics.iter().for_each(|it| { it.render(&source); });
            prop_assert!(grammar.rules.iter().all(|rule| rule.weight >= 0.0 && rule.weight.is_finite()));
        }
    }
}
