//! The second section: the rules.
//!
//! An action that something follows in its rule becomes an empty rule of a nonterminal of its own, which stands before the
//! rule that it is in. Its name is `$@1`, or `@1` if its value is set or used.

use gimlet_grammar::source::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{self, Value};
use super::reader::Reader;
use super::scan::{Kind, Token};
use super::symbols::{Class, SymbolIndex};

#[derive(Clone, Debug)]
pub struct DraftRule {
    pub left: SymbolIndex,
    pub right: Vec<SymbolIndex>,
    pub prec: Option<SymbolIndex>,
    pub action: Option<Span>,
    pub span: Span,
}

/// The rule that is being read.
struct Current {
    rule: DraftRule,
    /// The names in brackets, by position from 1.
    names: Vec<(usize, Span)>,
    midrules: Vec<Midrule>,
    /// Where it says that it is empty.
    empty: Option<Span>,
}

/// An action inside a rule.
struct Midrule {
    symbol: SymbolIndex,
    /// In the rule, from 1.
    position: usize,
    action: Span,
    number: usize,
}

impl Reader<'_> {
    /// Everything between the two `%%`.
    pub(super) fn rules(&mut self) {
        let mut left = None;
        while let Some(token) = self.peek() {
            match token.kind {
                Kind::Mark => return self.advance(),
                Kind::Semicolon => self.advance(),
                Kind::Prologue => {
                    self.prologues.push(token.span);
                    self.advance();
                }
                Kind::Identifier if self.is_rule_start() => {
                    let symbol = self.take_symbol(token);
                    self.take_kind(Kind::Bracketed);
                    self.take_kind(Kind::Colon);
                    self.symbols.begin_rule(symbol, token.span);
                    left = Some(symbol);
                    self.alternative(symbol, token.span);
                }
                Kind::Bar if left.is_some() => {
                    self.advance();
                    left.into_iter().for_each(|left| self.alternative(left, token.span));
                }
                Kind::Directive => self.declaration(token),
                _ => {
                    self.unexpected(token, "a rule");
                    self.advance();
                    self.skip_rule();
                }
            }
        }
    }

    /// After an error: to the next alternative or rule.
    fn skip_rule(&mut self) {
        while let Some(token) = self.peek() {
            match token.kind {
                Kind::Semicolon | Kind::Bar | Kind::Mark => return,
                Kind::Identifier if self.is_rule_start() => return,
                _ => self.advance(),
            }
        }
    }

    /// The right side of a rule, up to what ends it. `begin` is what stands before it.
    fn alternative(&mut self, left: SymbolIndex, begin: Span) {
        let rule = DraftRule { left, right: Vec::new(), prec: None, action: None, span: begin };
        let mut current = Current { rule, names: Vec::new(), midrules: Vec::new(), empty: None };
        while let Some(token) = self.peek() {
            match token.kind {
                Kind::Identifier if self.is_rule_start() => break,
                Kind::Identifier | Kind::Character(_) | Kind::String => self.use_symbol(&mut current, token),
                Kind::Braced | Kind::Predicate => {
                    self.advance();
                    self.action(&mut current, token);
                }
                // Before actions had braces of their own, they were told by this.
                Kind::Equals | Kind::Tag => {
                    self.advance();
                    if self.peek().map(|next| next.kind) != Some(Kind::Braced) {
                        self.missing("an action");
                    }
                }
                Kind::Directive => {
                    if !self.rule_directive(&mut current, token) {
                        break;
                    }
                }
                Kind::Bar | Kind::Semicolon | Kind::Mark => break,
                _ => {
                    self.unexpected(token, "a symbol, an action or a `;`");
                    self.skip_rule();
                    break;
                }
            }
            current.rule.span = current.rule.span.to(token.span);
        }
        self.finish(current);
    }

    fn use_symbol(&mut self, current: &mut Current, token: Token) {
        let symbol = self.take_symbol(token);
        self.symbols.all[symbol].first_use.get_or_insert(token.span);
        self.append(current, symbol);
    }

    fn append(&mut self, current: &mut Current, symbol: SymbolIndex) {
        self.close_action(current);
        current.rule.right.push(symbol);
        self.reference(current);
    }

    /// The name in brackets behind a symbol or an action.
    fn reference(&mut self, current: &mut Current) {
        if let Some(name) = self.take_kind(Kind::Bracketed) {
            let inside = Span::new(name.span.start + 1, name.span.end - 1);
            // An action takes its place in the rule when something follows it.
            let position = current.rule.right.len() + usize::from(current.rule.action.is_some());
            current.names.push((position, inside));
        }
    }

    fn action(&mut self, current: &mut Current, token: Token) {
        self.close_action(current);
        current.rule.action = Some(token.span);
        self.reference(current);
    }

    /// Makes the action that came last a rule of its own, as something follows it.
    fn close_action(&mut self, current: &mut Current) {
        let Some(action) = current.rule.action.take() else { return };
        self.n_midrules += 1;
        let symbol = self.symbols.add(String::new(), action);
        self.symbols.classify(symbol, Class::Nonterminal, action, true);
        self.symbols.begin_rule(symbol, action);
        self.symbols.all[symbol].first_use = Some(action);
        current.rule.right.push(symbol);
        let position = current.rule.right.len();
        current.midrules.push(Midrule { symbol, position, action, number: self.n_midrules });
        self.rules.push(DraftRule { left: symbol, right: vec![], prec: None, action: Some(action), span: action });
    }

    /// Whether the directive belongs to the rule.
    fn rule_directive(&mut self, current: &mut Current, directive: Token) -> bool {
        let name = self.directive_name(directive);
        match name.as_str() {
            "%prec" | "%=" => {
                self.advance();
                self.prec(current);
            }
            "%empty" => {
                self.advance();
                current.empty = Some(directive.span);
            }
            "%dprec" | "%expect" | "%expect-rr" => {
                self.advance();
                match self.peek() {
                    Some(Token { kind: Kind::Integer(_), .. }) => self.advance(),
                    _ => self.missing("a number"),
                }
            }
            "%merge" => {
                self.advance();
                if self.take_kind(Kind::Tag).is_none() {
                    self.missing("a function in `<>`");
                }
            }
            _ => return false,
        }
        true
    }

    fn prec(&mut self, current: &mut Current) {
        let is_symbol = |kind| matches!(kind, Kind::Identifier | Kind::Character(_) | Kind::String);
        let Some(token) = self.peek().filter(|token| is_symbol(token.kind) && !self.is_rule_start()) else {
            return self.missing("a token");
        };
        let symbol = self.take_symbol(token);
        self.symbols.classify(symbol, Class::Token, token.span, false);
        if current.rule.prec.replace(symbol).is_some() {
            self.diagnostics.push(Diagnostic::error(token.span, "a rule has only one `%prec`"));
        }
    }

    fn finish(&mut self, current: Current) {
        if let Some(empty) = current.empty.filter(|_| !current.rule.right.is_empty()) {
            self.diagnostics.push(Diagnostic::error(empty, "this rule is not empty"));
        }
        self.name_midrules(&current);
        self.rules.push(current.rule);
    }

    /// From the last to the first, as an action can use only what stands before it.
    fn name_midrules(&mut self, current: &Current) {
        let names: FxHashMap<usize, &str> =
            current.names.iter().map(|&(position, span)| (position, self.text(span).trim())).collect();
        let mut used = Used::default();
        if let Some(action) = current.rule.action {
            used.note(self.text(action));
        }
        for midrule in current.midrules.iter().rev() {
            let is_used = used.positions.contains(&midrule.position)
                || names.get(&midrule.position).is_some_and(|name| used.names.contains(name));
            let is_set = used.note(self.text(midrule.action));
            let mark = if is_set || is_used { "@" } else { "$@" };
            self.symbols.all[midrule.symbol].name = format!("{mark}{}", midrule.number);
        }
    }
}

/// The values that the last actions of a rule use.
#[derive(Default)]
struct Used<'a> {
    positions: FxHashSet<usize>,
    names: FxHashSet<&'a str>,
}

impl<'a> Used<'a> {
    /// Whether the action uses its own value.
    fn note(&mut self, action: &'a str) -> bool {
        let mut is_own = false;
        for value in code::values(action) {
            match value {
                Value::Own => is_own = true,
                Value::Position(position) => drop(self.positions.insert(position)),
                Value::Named(name) => {
                    // In `$name.field` only the first part is a name, but a name may have such marks as well.
                    let ends = name.match_indices(['.', '-']).map(|(at, _)| at).chain([name.len()]);
                    self.names.extend(ends.map(|end| &name[..end]));
                }
            }
        }
        is_own
    }
}
