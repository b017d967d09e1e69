//! Regular expressions of what grammar files say about tokens: names are replaced by what they stand for.
//!
//! Names that refer to themselves are no regular language. Where that is allowed, they are replaced a few times, and what
//! lies deeper is left out.

use gimlet_grammar::regular::dfa::Dfa;
use gimlet_grammar::source::{Diagnostic, Span};
use regex_syntax::hir::{ClassUnicode, Hir, Repetition};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::characters;
use crate::expression::{Expression, Repeat};

/// How often a name may stand inside itself.
const N_RECURSIONS_MAX: usize = 3;
/// Of an expression with all names replaced.
const SIZE_MAX: usize = 50_000;
const DEPTH_MAX: usize = 150;
/// Of all expressions together.
const N_STEPS_MAX: usize = 500_000;
/// Memory of the automaton of an expression with lazy repetitions.
const AUTOMATON_SIZE_MAX: usize = 2 << 20;

/// An expression with the number and the depth of its parts.
#[derive(Clone)]
struct Compiled {
    hir: Hir,
    size: usize,
    depth: usize,
}

pub struct Regular<'a> {
    bodies: FxHashMap<&'a str, &'a Expression>,
    /// Letters count in both cases.
    pub is_caseless: bool,
    /// Whether a name may refer to itself.
    pub is_recursive: bool,
    /// What to do where it may not.
    pub hint: &'static str,
    done: FxHashMap<(&'a str, bool), Compiled>,
    /// The names that are being replaced.
    active: Vec<&'a str>,
    n_steps: usize,
    /// How often something was left out because it was too deep.
    n_cuts: usize,
}

impl<'a> Regular<'a> {
    pub fn new(bodies: FxHashMap<&'a str, &'a Expression>) -> Regular<'a> {
        Regular {
            bodies,
            is_caseless: false,
            is_recursive: false,
            hint: "an exception needs sets of texts without recursion on both sides",
            done: FxHashMap::default(),
            active: Vec::new(),
            n_steps: 0,
            n_cuts: 0,
        }
    }

    /// Takes an expression over bytes for the texts of a name.
    pub fn insert(&mut self, name: &'a str, hir: Hir) {
        let size = hir.to_string().len();
        self.done.insert((name, false), Compiled { hir, size, depth: DEPTH_MAX / 3 });
    }

    /// Whether anything is known of a name's texts.
    pub fn has(&self, name: &str) -> bool {
        self.bodies.contains_key(name) || self.done.contains_key(&(name, false))
    }

    pub fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.bodies.keys().copied()
    }

    /// The texts of an expression, and whether all of them.
    pub fn texts(&mut self, expression: &'a Expression, span: Span) -> Result<(Hir, bool), Diagnostic> {
        self.active.clear();
        let n_cuts = self.n_cuts;
        let compiled = self.compile(expression, span)?;
        Ok((compiled.hir, self.n_cuts == n_cuts))
    }

    /// The texts that a scanner takes that ends lazy repetitions early, as [`Regular::texts`].
    pub fn lazy_texts(&mut self, expression: &'a Expression, span: Span) -> Result<(Hir, bool), Diagnostic> {
        let (hir, is_whole) = self.texts(expression, span)?;
        if !self.is_lazy(expression) {
            return Ok((hir, is_whole));
        }
        let dfa = Dfa::preferred(&hir, AUTOMATON_SIZE_MAX).ok();
        let exact = dfa.and_then(|dfa| dfa.minimized().expression());
        let exact = exact.ok_or_else(|| {
            Diagnostic::error(span, "the texts of this need too large an automaton")
                .with_hint("say without `*?`, `+?` or `??` what it consists of")
        })?;
        Ok((exact, is_whole))
    }

    fn is_lazy(&self, expression: &'a Expression) -> bool {
        let mut is_lazy = false;
        self.visit(expression, &mut |part| {
            is_lazy |= matches!(part, Expression::Repeat(Repeat { is_lazy: true, .. }, _));
        });
        is_lazy
    }

    /// Calls a function on everything in an expression and in what its names stand for.
    pub fn visit(&self, expression: &'a Expression, visitor: &mut dyn FnMut(&'a Expression)) {
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let mut pending = vec![expression];
        while let Some(next) = pending.pop() {
            next.visit(&mut |part| {
                visitor(part);
                if let Expression::Name(name, _) = part
                    && seen.insert(name)
                {
                    pending.extend(self.bodies.get(name.as_str()));
                }
            });
        }
    }

    fn compile(&mut self, expression: &'a Expression, span: Span) -> Result<Compiled, Diagnostic> {
        self.n_steps += 1;
        if self.n_steps > N_STEPS_MAX {
            return Err(too_large(span));
        }
        let leaf = |hir: Hir, size: usize| Compiled { hir, size, depth: 1 };
        let compiled = match expression {
            Expression::Text(text, _) => leaf(characters::text(text, self.is_caseless), text.len() + 1),
            Expression::Set(..) | Expression::Any => {
                let class = self.class(expression).unwrap_or_else(ClassUnicode::empty);
                leaf(characters::class(&class), class.ranges().len() + 1)
            }
            Expression::Not(inner, span) => {
                let class = self.class(expression).ok_or_else(|| no_set(inner, *span))?;
                leaf(characters::class(&class), class.ranges().len() + 1)
            }
            Expression::End(_) => leaf(Hir::empty(), 1),
            Expression::Name(name, span) => return self.name(name, *span),
            Expression::Sequence(parts) => self.all(parts, Hir::concat, span)?,
            Expression::Choice(parts) => self.all(parts, Hir::alternation, span)?,
            Expression::Repeat(repeat, part) => {
                let bounds = (u32::from(!repeat.is_optional), (!repeat.is_unbounded).then_some(1));
                self.repetition(part, bounds, repeat.is_lazy, span)?
            }
            Expression::Times(n_times, part) => self.repetition(part, (*n_times, Some(*n_times)), false, span)?,
            Expression::Except(one, other, span) => self.except(expression, one, other, *span)?,
        };
        if compiled.size > SIZE_MAX || compiled.depth > DEPTH_MAX {
            return Err(too_large(span));
        }
        Ok(compiled)
    }

    fn all(&mut self, parts: &'a [Expression], join: fn(Vec<Hir>) -> Hir, span: Span) -> Result<Compiled, Diagnostic> {
        let mut hirs = Vec::new();
        let (mut size, mut depth) = (1, 0);
        for part in parts {
            let compiled = self.compile(part, span)?;
            size += compiled.size;
            depth = depth.max(compiled.depth);
            hirs.push(compiled.hir);
            if size > SIZE_MAX {
                return Err(too_large(span));
            }
        }
        let (hir, _) = characters::to_bytes(&join(hirs));
        Ok(Compiled { hir, size, depth: depth + 1 })
    }

    fn repetition(
        &mut self,
        part: &'a Expression,
        (min, max): (u32, Option<u32>),
        is_lazy: bool,
        span: Span,
    ) -> Result<Compiled, Diagnostic> {
        let inner = self.compile(part, span)?;
        let sub = Box::new(inner.hir);
        let hir = Hir::repetition(Repetition { min, max, greedy: !is_lazy, sub });
        let n_copies = max.unwrap_or(1).max(1) as usize;
        Ok(Compiled { hir, size: inner.size.saturating_mul(n_copies) + 1, depth: inner.depth + 1 })
    }

    fn except(
        &mut self,
        whole: &'a Expression,
        one: &'a Expression,
        other: &'a Expression,
        span: Span,
    ) -> Result<Compiled, Diagnostic> {
        if let Some(class) = self.class(whole) {
            return Ok(Compiled { hir: characters::class(&class), size: class.ranges().len() + 1, depth: 1 });
        }
        let hir = self.difference(one, other, span)?.expression().ok_or_else(|| too_large(span))?;
        Ok(Compiled { hir, size: SIZE_MAX / 10, depth: DEPTH_MAX / 3 })
    }

    /// The texts of the one expression that are none of the other.
    pub fn difference(&mut self, one: &'a Expression, other: &'a Expression, span: Span) -> Result<Dfa, Diagnostic> {
        const N_STATES_MAX: usize = 2_000;
        let one = self.compile(one, span)?;
        let other = self.compile(other, span)?;
        // Nobody sees which one took a part of the limits.
        let automaton = |compiled: &Compiled| Dfa::within(&compiled.hir, AUTOMATON_SIZE_MAX).ok();
        let difference = automaton(&one).zip(automaton(&other));
        difference.and_then(|(one, other)| one.difference(&other, N_STATES_MAX)).ok_or_else(|| too_large(span))
    }

    fn name(&mut self, name: &'a str, span: Span) -> Result<Compiled, Diagnostic> {
        if let Some(done) = self.done.get(&(name, self.is_caseless)) {
            return Ok(done.clone());
        }
        let Some(&body) = self.bodies.get(name) else {
            return Err(Diagnostic::error(span, format!("`{name}` is not defined")));
        };
        let n_inside = self.active.iter().filter(|&&active| active == name).count();
        if n_inside > 0 && !self.is_recursive {
            let error = Diagnostic::error(span, format!("`{name}` refers to itself, so its texts are no regular set"));
            return Err(error.with_hint(self.hint));
        }
        if n_inside > N_RECURSIONS_MAX {
            self.n_cuts += 1;
            return Ok(Compiled { hir: Hir::fail(), size: 1, depth: 1 });
        }
        if self.active.len() > DEPTH_MAX {
            return Err(too_large(span));
        }
        let n_cuts = self.n_cuts;
        self.active.push(name);
        let compiled = self.compile(body, span)?;
        self.active.pop();
        if self.n_cuts == n_cuts {
            self.done.insert((name, self.is_caseless), compiled.clone());
        }
        Ok(compiled)
    }

    /// The characters of an expression all of whose texts are single characters.
    pub fn class(&self, expression: &'a Expression) -> Option<ClassUnicode> {
        self.class_within(expression, gimlet_grammar::source::DEPTH_MAX)
    }

    fn class_within(&self, expression: &'a Expression, depth: usize) -> Option<ClassUnicode> {
        let depth = depth.checked_sub(1)?;
        let cased = |class: &ClassUnicode| if self.is_caseless { characters::caseless(class) } else { class.clone() };
        match expression {
            Expression::Text(text, _) => {
                let mut characters = text.chars();
                let (first, rest) = (characters.next()?, characters.next());
                rest.is_none().then(|| cased(&characters::range(first, first)))
            }
            Expression::Set(class, _) => Some(cased(class)),
            Expression::Any => Some(characters::any()),
            Expression::Not(inner, _) => {
                let mut class = self.class_within(inner, depth)?;
                class.negate();
                Some(class)
            }
            Expression::Name(name, _) => self.class_within(self.bodies.get(name.as_str())?, depth),
            Expression::Choice(parts) => {
                let mut all = ClassUnicode::empty();
                for part in parts {
                    all.union(&self.class_within(part, depth)?);
                }
                Some(all)
            }
            Expression::Except(one, other, _) => {
                let mut class = self.class_within(one, depth)?;
                class.difference(&self.class_within(other, depth)?);
                Some(class)
            }
            _ => None,
        }
    }
}

fn too_large(span: Span) -> Diagnostic {
    Diagnostic::error(span, "the texts of this are too many to be written down as one expression")
        .with_hint("make the parts that it is made of smaller")
}

fn no_set(inner: &Expression, span: Span) -> Diagnostic {
    let what = match inner {
        Expression::Name(name, _) => format!("`{name}` is"),
        _ => "that is".to_owned(),
    };
    Diagnostic::error(span, format!("{what} no set of single characters, so nothing is all but that"))
        .with_hint("write a set such as `[a-z]`, or several with `|`")
}
