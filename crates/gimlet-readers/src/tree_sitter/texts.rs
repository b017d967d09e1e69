//! Texts of tokens, and of rules that are made of nothing but texts.

use regex_syntax::hir::{Hir, Repetition};
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::{children, field, is_wrapper, kind, pattern};
use crate::characters;

/// Of an expression with all rules replaced.
const N_STEPS_MAX: usize = 20_000;
const DEPTH_MAX: usize = 150;

/// The texts of nodes.
pub struct Texts<'a> {
    rules: FxHashMap<&'a str, &'a Value>,
    active: Vec<&'a str>,
    n_steps: usize,
    /// A pattern looked at what is around its text.
    pub has_looks: bool,
}

impl<'a> Texts<'a> {
    pub fn new(rules: FxHashMap<&'a str, &'a Value>) -> Texts<'a> {
        Texts { rules, active: Vec::new(), n_steps: 0, has_looks: false }
    }

    /// The texts of a node, or why there are none.
    pub fn of(&mut self, node: &'a Value) -> Result<Hir, String> {
        self.active.clear();
        self.n_steps = 0;
        self.has_looks = false;
        self.texts(node, 0)
    }

    fn texts(&mut self, node: &'a Value, depth: usize) -> Result<Hir, String> {
        self.n_steps += 1;
        if self.n_steps > N_STEPS_MAX || depth > DEPTH_MAX {
            return Err("it is made of too many parts".to_owned());
        }
        match kind(node) {
            "BLANK" => Ok(Hir::empty()),
            "STRING" => Ok(Hir::literal(field(node, "value").as_bytes())),
            "PATTERN" => {
                let (source, flags) = (field(node, "value"), field(node, "flags"));
                let (hir, has_looks) = pattern::read(source, flags)
                    .map_err(|why| format!("the pattern `{source}` can't be read: {why}"))?;
                self.has_looks |= has_looks;
                Ok(hir)
            }
            "SEQ" => Ok(Hir::concat(self.all(node, depth)?)),
            "CHOICE" => Ok(characters::to_bytes(&Hir::alternation(self.all(node, depth)?)).0),
            kind @ ("REPEAT" | "REPEAT1") => {
                let sub = Box::new(Hir::concat(self.all(node, depth)?));
                Ok(Hir::repetition(Repetition { min: u32::from(kind == "REPEAT1"), max: None, greedy: true, sub }))
            }
            "SYMBOL" => {
                let name = field(node, "name");
                let body = *self.rules.get(name).ok_or_else(|| format!("`{name}` has no rule"))?;
                if self.active.contains(&name) {
                    return Err(format!("`{name}` refers to itself"));
                }
                self.active.push(name);
                let hir = self.texts(body, depth + 1)?;
                self.active.pop();
                Ok(hir)
            }
            "TOKEN" | "IMMEDIATE_TOKEN" => Ok(Hir::concat(self.all(node, depth)?)),
            kind if is_wrapper(kind) => Ok(Hir::concat(self.all(node, depth)?)),
            other => Err(format!("there is no kind of rule `{other}`")),
        }
    }

    fn all(&mut self, node: &'a Value, depth: usize) -> Result<Vec<Hir>, String> {
        children(node).iter().map(|child| self.texts(child, depth + 1)).collect()
    }
}
