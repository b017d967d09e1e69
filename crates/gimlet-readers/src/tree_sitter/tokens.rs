//! What in the rules is a token, and which come first.

use gimlet_grammar::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::{children, field, is_wrapper, kind};

/// A token, of which equal ones are one.
pub struct Token<'a> {
    pub name: String,
    pub node: &'a Value,
    /// Where it is used first.
    pub span: Span,
    pub precedence: i64,
    pub is_text: bool,
    pub is_immediate: bool,
    n_uses: usize,
    /// The rule that consists of it.
    rule: Option<&'a str>,
}

#[derive(Default)]
pub struct Tokens<'a> {
    /// In the order in which ties between equally long texts are decided.
    pub all: Vec<Token<'a>>,
    numbers: FxHashMap<String, usize>,
    /// Rules that are but names of tokens.
    pub of_rules: FxHashMap<&'a str, usize>,
}

/// The rules by their names.
pub type Bodies<'a> = FxHashMap<&'a str, &'a Value>;

/// Rules through which what is in a token is looked for.
const N_RULES_MAX: usize = 3;

/// A node without what says nothing about its language.
pub fn stripped(node: &Value) -> &Value {
    match children(node) {
        [content] if is_wrapper(kind(node)) => stripped(content),
        _ => node,
    }
}

/// Whether a node is one token. Where nothing may stand between tokens, they are one: `"` with what is in the string.
pub fn is_token(node: &Value, bodies: &Bodies<'_>) -> bool {
    is_single(node) || is_joined(node, bodies)
}

fn is_single(node: &Value) -> bool {
    matches!(kind(node), "STRING" | "PATTERN" | "TOKEN" | "IMMEDIATE_TOKEN")
}

/// A token with others right behind it; a text that ends it may be one that others could stand before.
fn is_joined(node: &Value, bodies: &Bodies<'_>) -> bool {
    let [first, rest @ .., last] = children(node) else { return false };
    let are_immediate = || rest.iter().all(|part| is_immediate(part, bodies, N_RULES_MAX));
    let ends = || match rest {
        [] => is_immediate(last, bodies, N_RULES_MAX),
        _ => kind(last) == "STRING" && kind(first) == "STRING" || is_immediate(last, bodies, N_RULES_MAX),
    };
    kind(node) == "SEQ" && is_single(first) && are_immediate() && ends()
}

/// Whether nothing may stand before any token of a node, of which there is one at least.
fn is_immediate(node: &Value, bodies: &Bodies<'_>, n_rules_max: usize) -> bool {
    let mut parts = children(node).iter().filter(|part| kind(part) != "BLANK").peekable();
    match kind(node) {
        "IMMEDIATE_TOKEN" => true,
        "SYMBOL" if n_rules_max > 0 => {
            bodies.get(field(node, "name")).is_some_and(|body| is_immediate(body, bodies, n_rules_max - 1))
        }
        "SYMBOL" | "TOKEN" => false,
        _ => parts.peek().is_some() && parts.all(|part| is_immediate(part, bodies, n_rules_max)),
    }
}

/// Tokens with the same key have the same texts.
fn key(node: &Value) -> String {
    match (kind(node), children(node)) {
        ("TOKEN" | "IMMEDIATE_TOKEN", [content]) => key(content),
        (kind, [content]) if is_wrapper(kind) => key(content),
        _ => node.to_string(),
    }
}

/// The precedence inside of a token.
fn precedence(node: &Value) -> i64 {
    match (kind(node), children(node)) {
        ("TOKEN" | "IMMEDIATE_TOKEN", [content]) => precedence(content),
        ("PREC" | "PREC_LEFT" | "PREC_RIGHT", _) => node.get("value").and_then(Value::as_i64).unwrap_or(0),
        _ => 0,
    }
}

impl<'a> Tokens<'a> {
    /// The tokens of some rules, the first of which is the start.
    pub fn new(rules: &[(&'a str, &'a Value, Span)], bodies: &Bodies<'a>) -> Tokens<'a> {
        let mut tokens = Tokens::default();
        for (place, &(name, body, span)) in rules.iter().enumerate() {
            let whole = Some(stripped(body)).filter(|body| is_token(body, bodies) && place > 0);
            if let Some(token) = whole {
                let number = tokens.add(token, name, span);
                tokens.all[number].rule.get_or_insert(name);
            } else {
                tokens.walk(body, name, span, bodies);
            }
        }
        tokens.sort();
        let names: FxHashSet<&str> = rules.iter().map(|(name, _, _)| *name).collect();
        tokens.rename(&names);
        tokens
    }

    pub fn number(&self, node: &Value) -> Option<usize> {
        self.numbers.get(&key(node)).copied()
    }

    fn walk(&mut self, node: &'a Value, rule: &'a str, span: Span, bodies: &Bodies<'a>) {
        if is_token(node, bodies) {
            self.add(node, rule, span);
        } else {
            children(node).iter().for_each(|child| self.walk(child, rule, span, bodies));
        }
    }

    fn add(&mut self, node: &'a Value, rule: &str, span: Span) -> usize {
        let key = key(node);
        let next = self.all.len();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            let inner = stripped(unwrapped(node));
            let name = match kind(inner) {
                "STRING" => format!("'{}'", field(inner, "value").escape_debug()),
                "PATTERN" => format!("/{}/{}", field(inner, "value"), field(inner, "flags")),
                _ => format!("{rule}.token"),
            };
            let is_text = kind(inner) == "STRING";
            let token = Token { name, node, span, precedence: 0, is_text, is_immediate: false, n_uses: 0, rule: None };
            self.all.push(token);
        }
        let token = &mut self.all[number];
        token.n_uses += 1;
        token.precedence = token.precedence.max(precedence(node));
        token.is_immediate |= kind(node) == "IMMEDIATE_TOKEN";
        number
    }

    /// Higher precedences first, then texts, then patterns.
    fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.all.len()).collect();
        order.sort_by_key(|&number| (-i128::from(self.all[number].precedence), !self.all[number].is_text));
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &number)| places[number] = place);
        self.numbers.values_mut().for_each(|number| *number = places[*number]);
        let mut all: Vec<(usize, Token<'a>)> = places.iter().copied().zip(self.all.drain(..)).collect();
        all.sort_by_key(|(place, _)| *place);
        self.all = all.into_iter().map(|(_, token)| token).collect();
    }

    /// A token that is only used as a rule has its name; all names differ.
    fn rename(&mut self, names_of_rules: &FxHashSet<&str>) {
        let mut taken: FxHashSet<String> = FxHashSet::default();
        for (number, token) in self.all.iter_mut().enumerate() {
            if let Some(rule) = token.rule.filter(|_| token.n_uses == 1) {
                self.of_rules.insert(rule, number);
                token.name = rule.to_owned();
                taken.insert(token.name.clone());
                continue;
            }
            let base = token.name.clone();
            let mut n_tries = 1;
            while names_of_rules.contains(token.name.as_str()) || !taken.insert(token.name.clone()) {
                n_tries += 1;
                token.name = format!("{base}.{n_tries}");
            }
        }
    }
}

/// The content of a token.
fn unwrapped(node: &Value) -> &Value {
    match (kind(node), children(node)) {
        ("TOKEN" | "IMMEDIATE_TOKEN", [content]) => unwrapped(stripped(content)),
        _ => node,
    }
}
