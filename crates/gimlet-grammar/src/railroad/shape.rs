//! What a diagram shows: the rules of a nonterminal with recursion at their ends turned into loops.
//!
//! A nonterminal whose rules begin with itself is a list of its other rules, with what follows it behind or between them;
//! so is one whose rules both begin and end with itself. Recursion at the end alone is a loop only where it makes a list:
//! `IF condition statement` says more as it is. Shapes have the sentences of the rules, not their trees.

use rustc_hash::FxHashSet;

use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};

/// What comes in one order or another.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// There are no rules.
    Nothing,
    Symbol(Symbol),
    /// One after the other. Of none: the empty string.
    Sequence(Vec<Shape>),
    /// One of several; the empty string comes first.
    Choice(Vec<Shape>),
    /// The first once or several times, with the second in between.
    Loop(Box<Shape>, Box<Shape>),
}

/// A right side, or a part of one.
type Word = Vec<Symbol>;

impl Shape {
    pub const EMPTY: Shape = Shape::Sequence(Vec::new());

    /// What a nonterminal derives, in terms of symbols; those that stand for actions are left out.
    pub fn of(grammar: &Grammar, nonterminal: NonterminalId) -> Shape {
        let itself = Symbol::Nonterminal(nonterminal);
        let is_shown = |symbol: &Symbol| symbol.nonterminal().is_none_or(|it| !is_action(grammar, it));
        let word = |rule: &RuleId| grammar.rule(*rule).right.iter().copied().filter(is_shown).collect::<Word>();
        let words: Vec<Word> = without_copies(grammar.rules_of(nonterminal).iter().map(word));
        if words.is_empty() {
            return Shape::Nothing;
        }
        // A rule that only says that a thing is itself adds nothing, unless there is nothing else.
        let more: Vec<Word> = words.iter().filter(|word| **word != [itself]).cloned().collect();
        let words = if more.is_empty() { words } else { more };
        let (left, others): (Vec<Word>, Vec<Word>) =
            words.iter().cloned().partition(|word| word.first() == Some(&itself));
        let shape = match left.is_empty() {
            true => right_recursive(itself, &others),
            false => left_recursive(itself, &left, &others),
        };
        shape.unwrap_or_else(|| choice_of(&words))
    }

    /// Without sequences in sequences.
    fn sequence(parts: impl IntoIterator<Item = Shape>) -> Shape {
        let mut flat: Vec<Shape> = Vec::new();
        for part in parts {
            match part {
                Shape::Sequence(parts) => flat.extend(parts),
                other => flat.push(other),
            }
        }
        match flat.len() {
            1 => flat.swap_remove(0),
            _ => Shape::Sequence(flat),
        }
    }

    /// Each once, without choices in choices; the empty string comes first.
    fn choice(parts: impl IntoIterator<Item = Shape>) -> Shape {
        let flat = parts.into_iter().flat_map(|part| match part {
            Shape::Choice(parts) => parts,
            other => vec![other],
        });
        let mut flat = without_copies(flat);
        flat.sort_by_key(|part| *part != Shape::EMPTY);
        match flat.len() {
            1 => flat.swap_remove(0),
            _ => Shape::Choice(flat),
        }
    }

    fn optional(self) -> Shape {
        Shape::choice([Shape::EMPTY, self])
    }

    /// Without the empty string, if that is one of its choices.
    fn solid(self) -> Shape {
        match self {
            Shape::Choice(parts) => Shape::choice(parts.into_iter().filter(|part| *part != Shape::EMPTY)),
            other => other,
        }
    }

    fn repeated(self, between: Shape) -> Shape {
        let is_optional = matches!(&self, Shape::Choice(parts) if parts.contains(&Shape::EMPTY));
        match between == Shape::EMPTY {
            _ if self == Shape::EMPTY => between.any_number(),
            true if is_optional => self.any_number(),
            _ => Shape::Loop(Box::new(self), Box::new(between)),
        }
    }

    /// Not at all, once, or several times.
    pub fn any_number(self) -> Shape {
        match self == Shape::EMPTY {
            true => Shape::EMPTY,
            false => Shape::Loop(Box::new(self.solid()), Box::new(Shape::EMPTY)).optional(),
        }
    }

    /// As it looks to who comes from the other end.
    pub fn reversed(self) -> Shape {
        match self {
            Shape::Nothing | Shape::Symbol(_) => self,
            Shape::Sequence(parts) => Shape::Sequence(parts.into_iter().rev().map(Shape::reversed).collect()),
            Shape::Choice(parts) => Shape::Choice(parts.into_iter().map(Shape::reversed).collect()),
            Shape::Loop(body, between) => Shape::Loop(Box::new(body.reversed()), Box::new(between.reversed())),
        }
    }
}

/// Whether it only stands for an action in the middle of a rule.
pub fn is_action(grammar: &Grammar, nonterminal: NonterminalId) -> bool {
    let name = &grammar.nonterminal(nonterminal).name;
    let is_empty = |rule: &RuleId| grammar.rule(*rule).right.is_empty();
    let rules = grammar.rules_of(nonterminal);
    (name.starts_with("$@") || name.starts_with('@')) && !rules.is_empty() && rules.iter().all(is_empty)
}

/// `list: item | list ',' item`, and `expr: expr '+' expr | NUMBER`. `None` if nothing begins it.
fn left_recursive(itself: Symbol, words: &[Word], firsts: &[Word]) -> Option<Shape> {
    if firsts.is_empty() {
        return None;
    }
    let is_infix = |word: &&Word| word.len() > 1 && word.last() == Some(&itself);
    let infixes = words.iter().filter(is_infix).map(|word| word[1..word.len() - 1].to_vec());
    let behind: FxHashSet<&[Symbol]> = words.iter().filter(|it| !is_infix(it)).map(|word| &word[1..]).collect();
    let joined = |separator: &[Symbol], first: &Word| [separator, first].concat();
    // What comes before each of the first ones somewhere is between them.
    let is_separator = |it: &&[Symbol]| firsts.iter().all(|first| behind.contains(joined(it, first).as_slice()));
    let candidates = words.iter().filter(|it| !is_infix(it)).filter_map(|word| word[1..].strip_suffix(&firsts[0][..]));
    let separators: Vec<&[Symbol]> = match firsts.contains(&Word::new()) {
        true => Vec::new(),
        false => without_copies(candidates.filter(is_separator)),
    };
    let of_separators: FxHashSet<Word> =
        separators.iter().flat_map(|it| firsts.iter().map(|first| joined(it, first))).collect();
    let rest = words.iter().filter(|it| !is_infix(it)).map(|word| word[1..].to_vec());
    let rest: Vec<Word> = rest.filter(|word| !of_separators.contains(word)).collect();
    let tail = if rest.is_empty() { Shape::EMPTY } else { choice_of(&rest).any_number() };
    let body = Shape::sequence([choice_of(firsts), tail]);
    let between: Vec<Word> = infixes.chain(separators.iter().map(|it| it.to_vec())).collect();
    Some(if between.is_empty() { body } else { body.repeated(choice_of(&between)) })
}

/// `list: item | item ',' list`. `None` if it is no list.
fn right_recursive(itself: Symbol, words: &[Word]) -> Option<Shape> {
    let (right, lasts): (Vec<Word>, Vec<Word>) = words.iter().cloned().partition(|word| word.last() == Some(&itself));
    let before: Vec<&[Symbol]> = right.iter().map(|word| &word[..word.len() - 1]).collect();
    if before.is_empty() || lasts.is_empty() {
        return None;
    }
    let all: Vec<Word> = before.iter().map(|word| word.to_vec()).collect();
    if lasts == [Word::new()] {
        return Some(choice_of(&all).any_number());
    }
    let known: FxHashSet<&[Symbol]> = before.iter().copied().collect();
    let is_separator = |it: &&[Symbol]| lasts.iter().all(|last| known.contains([last, *it].concat().as_slice()));
    let candidates = before.iter().filter_map(|word| word.strip_prefix(&lasts[0][..]));
    let separators = without_copies(candidates.filter(is_separator).map(<[Symbol]>::to_vec));
    if !lasts.contains(&Word::new()) && separators.len() * lasts.len() == known.len() {
        return Some(choice_of(&lasts).repeated(choice_of(&separators)));
    }
    match (&all[..], &lasts[..]) {
        ([_], [_]) => Some(Shape::sequence([choice_of(&all).any_number(), choice_of(&lasts)])),
        _ => None,
    }
}

fn choice_of(words: &[Word]) -> Shape {
    Shape::choice(words.iter().map(|word| Shape::sequence(word.iter().map(|&symbol| Shape::Symbol(symbol)))))
}

/// Each once, in the order in which they first come.
fn without_copies<T: Clone + Eq + std::hash::Hash>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = FxHashSet::default();
    items.into_iter().filter(|item| seen.insert(item.clone())).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::count::sentences::Sentences;
    use crate::grammar::{Nonterminal, Rule};
    use crate::source::Span;
    use crate::test_grammars::{grammar, CALCULATOR};

    /// `[..]` for what may be missing, `{ body / between }` for loops.
    fn show(grammar: &Grammar, shape: &Shape) -> String {
        let all =
            |parts: &[Shape], mark: &str| parts.iter().map(|part| show(grammar, part)).collect::<Vec<_>>().join(mark);
        match shape {
            Shape::Nothing => "nothing".to_owned(),
            Shape::Symbol(symbol) => grammar.name(*symbol).to_owned(),
            Shape::Sequence(parts) => all(parts, " "),
            Shape::Choice(parts) if parts[0] == Shape::EMPTY => format!("[{}]", all(&parts[1..], " | ")),
            Shape::Choice(parts) => format!("({})", all(parts, " | ")),
            Shape::Loop(body, between) if **between == Shape::EMPTY => format!("{{ {} }}", show(grammar, body)),
            Shape::Loop(body, between) => format!("{{ {} / {} }}", show(grammar, body), show(grammar, between)),
        }
    }

    /// The shape of the start.
    fn check(text: &str, expected: &str) {
        let grammar = grammar(text);
        assert_eq!(show(&grammar, &Shape::of(&grammar, grammar.start)), expected, "{text}");
        check_sentences(&grammar);
    }

    #[test]
    fn lists_are_loops() {
        check("l: i | l ',' i ; i: 'x' ;", "{ i / ',' }");
        check("l: i | i ',' l ; i: 'x' ;", "{ i / ',' }");
        check("l: i | l i ; i: 'x' ;", "{ i }");
        check("l: | l i ; i: 'x' ;", "[{ i }]");
        check("l: | i l ; i: 'x' ;", "[{ i }]");
        check("l: 'a' | 'b' | l ',' 'a' | l ',' 'b' | l ';' 'a' | l ';' 'b' ;", "{ ('a' | 'b') / (',' | ';') }");
        check("l: 'a' | 'b' | 'a' ',' l | 'b' ',' l ;", "{ ('a' | 'b') / ',' }");
        check("l: i | l ',' i | l 'error' ; i: 'x' ;", "{ i [{ 'error' }] / ',' }");
        check("l: | i | l ',' i ; i: 'x' ;", "[i] [{ ',' i }]");
    }

    #[test]
    fn operators_are_between_and_behind() {
        check("e: e '+' t | e '-' t | t ; t: 'x' ;", "{ t / ('+' | '-') }");
        check("e: e '+' e | '-' e | '(' e ')' | 'x' ;", "{ ('-' e | '(' e ')' | 'x') / '+' }");
        check("p: 'x' | p '[' p ']' | p '.' 'n' ;", "'x' [{ ('[' p ']' | '.' 'n') }]");
        check("e: e '?' e ':' e | e '!' | 'x' ;", "{ 'x' [{ '!' }] / '?' e ':' }");
        check("t: '*' t | 'n' ;", "[{ '*' }] 'n'");
        check("s: 'if' 'c' s | 'if' 'c' s 'else' s | ';' ;", "('if' 'c' s | 'if' 'c' s 'else' s | ';')");
    }

    #[test]
    fn choices_and_odd_rules() {
        check("o: | 'x' ;", "['x']");
        check("o: 'x' | 'y' 'z' | ;", "['x' | 'y' 'z']");
        check("o: 'x' | 'x' ;", "'x'");
        check("s: s | 'x' ;", "'x'");
        check("s: s s | 'x' | ;", "[{ 'x' }]");
        check("s: s s | ;", "");
        check("s: ;", "");
        let shown = |text: &str| {
            let grammar = grammar(text);
            show(&grammar, &Shape::of(&grammar, grammar.start))
        };
        assert_eq!(shown("s: s ;"), "s");
        assert_eq!(shown("s: s 'x' | s ;"), "s 'x'");
        assert_eq!(shown("s: 'x' s ;"), "'x' s");
        assert_eq!(shown("s: 'x' $@1 s | $@1 ; $@1: ;"), "[{ 'x' }]");
        let none = grammar("s: 'x' ;");
        let none = none.with_rules(none.nonterminals.clone(), Vec::new(), none.start);
        assert_eq!(show(&none, &Shape::of(&none, none.start)), "nothing");
    }

    /// Rules that say what shapes say.
    struct Rules {
        nonterminals: Vec<Nonterminal>,
        rules: Vec<Rule>,
    }

    impl Rules {
        fn add(&mut self, left: NonterminalId, right: Vec<Symbol>) {
            self.rules.push(Rule { left, right, prec: None, weight: 1.0, span: Span::default() });
        }

        fn made(&mut self) -> NonterminalId {
            self.nonterminals.push(Nonterminal { name: format!("made{}", self.rules.len()), span: Span::default() });
            NonterminalId(self.nonterminals.len() as u32 - 1)
        }

        fn symbol(&mut self, shape: &Shape) -> Symbol {
            if let Shape::Symbol(symbol) = shape {
                return *symbol;
            }
            let left = self.made();
            self.derive(left, shape);
            Symbol::Nonterminal(left)
        }

        fn derive(&mut self, left: NonterminalId, shape: &Shape) {
            match shape {
                Shape::Nothing => {}
                Shape::Symbol(symbol) => self.add(left, vec![*symbol]),
                Shape::Sequence(parts) => {
                    let right = parts.iter().map(|part| self.symbol(part)).collect();
                    self.add(left, right);
                }
                Shape::Choice(parts) => parts.iter().for_each(|part| self.derive(left, part)),
                Shape::Loop(body, between) => {
                    let (body, between) = (self.symbol(body), self.symbol(between));
                    let list = self.made();
                    self.add(list, vec![body]);
                    self.add(list, vec![Symbol::Nonterminal(list), between, body]);
                    self.add(left, vec![Symbol::Nonterminal(list)]);
                }
            }
        }
    }

    /// The shapes have the grammar's sentences.
    fn check_sentences(grammar: &Grammar) {
        let mut made = Rules { nonterminals: grammar.nonterminals.clone(), rules: Vec::new() };
        for nonterminal in grammar.nonterminal_ids() {
            let shape = Shape::of(grammar, nonterminal);
            made.derive(nonterminal, &shape);
            assert_eq!(shape.clone().reversed().reversed(), shape);
        }
        let again = grammar.with_rules(made.nonterminals, made.rules, grammar.start);
        let counts = |grammar: &Grammar| {
            let mut sentences = Sentences::of_tokens(grammar)?;
            Some((0..7).map(|len| sentences.count(len)).collect::<Vec<_>>())
        };
        assert_eq!(counts(&again), counts(grammar), "{grammar}{again}");
    }

    #[test]
    fn shapes_keep_the_language() {
        check_sentences(&grammar(CALCULATOR));
    }

    fn any_rules() -> impl Strategy<Value = String> {
        let symbol = prop_oneof![Just("s"), Just("t"), Just("s"), Just("'x'"), Just("'y'"), Just("','")];
        let right = proptest::collection::vec(symbol, 0..4).prop_map(|symbols| symbols.join(" "));
        let rights = proptest::collection::vec(right, 1..6).prop_map(|rights| rights.join(" | "));
        (rights.clone(), rights).prop_map(|(s, t)| format!("s: {s} ; t: {t} ;"))
    }

    proptest! {
        #[test]
        fn any_shapes_keep_the_language(text in any_rules()) {
            check_sentences(&grammar(&text));
        }
    }
}
