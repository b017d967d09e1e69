//! Infix text for people.
//!
//! | text | meaning |
//! |---|---|
//! | `stdin[3]` | an input byte, under the name that the caller gives it |
//! | `true`, `7`, `0x1234` | constants: width 1, below ten, others |
//! | `stdin[3] == 'a'` | an input byte, extended or not, is compared with a character, if the caller wants them |
//! | `+ - * /u /s %u %s << >>u >>s & \| ^` | arithmetic; `u` unsigned, `s` signed |
//! | `== != <u <=u <s <=s` | comparisons |
//! | `&& \|\| !` | and, or, not on width 1 |
//! | `~x`, `-x` | complement, negation |
//! | `overflow(a +u b)` | the unsigned sum overflows; likewise `-` and `*`, `s` for signed |
//! | `zext32(x)`, `sext32(x)` | `x` extended to 32 bits |
//! | `x[15:8]` | bits 15 down to 8 of `x` |
//! | `(a ++ b ++ c)` | concatenation, the first part on top |
//! | `(c ? a : b)` | conditional |
//! | `fshl(a, b, n)`, `bswap(x)`, `popcount(x)`, `clz(x)`, `ctz(x)` | as in C and LLVM |
//! | `load32{0x4010+256}(addr)` | 32 bits at `addr` from the 256 bytes at 0x4010 |
//! | `load8{0x4010+256}[x + 2]` | the same for the address `0x4010 + 2 + x` |
//! | `let t1 = ...; ... t1 ... t1` | a subexpression that occurs more than once |
//! | `...` | left out: beyond the limit of nodes |
//!
//! Shifts and masks by constants, which the rewrite rules turn into extractions, are written as
//! shifts and masks again. The nodes nearest to the root are shown first, so the work and the text
//! are bounded by the limit, however large the expression is.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;

use rustc_hash::FxHashMap;

use crate::dag::Dag;
use crate::node::{BinOp, ExprId, FunnelOp, Node, UnOp};
use crate::semantics::mask;

/// Nodes shown unless the caller says otherwise.
const N_NODES_MAX: usize = 200;

/// Shared subexpressions of fewer nodes than this are repeated instead of named.
const NAMED_WEIGHT_MIN: usize = 4;

impl Dag {
    /// The expression as text; `byte_name` names input bytes.
    pub fn display<'a>(&'a self, id: ExprId, byte_name: &'a dyn Fn(u32) -> String) -> DisplayExpr<'a> {
        DisplayExpr { dag: self, root: id, byte_name, n_nodes_max: N_NODES_MAX, has_characters: false }
    }

    /// A constant that an expression is compared with: a character, if the expression is an input byte.
    pub fn comparand(&self, compared: ExprId, value: u128) -> String {
        let sign = self.compared_character(compared, value);
        sign.unwrap_or_else(|| constant_text(self.width(compared), value).into_owned())
    }

    fn compared_character(&self, compared: ExprId, value: u128) -> Option<String> {
        character(value).filter(|_| self.is_input_byte(compared))
    }

    fn is_input_byte(&self, id: ExprId) -> bool {
        match self.node(id) {
            Node::Byte(_) => true,
            Node::ZExt { arg, .. } | Node::SExt { arg, .. } => matches!(self.node(arg), Node::Byte(_)),
            _ => false,
        }
    }
}

/// An expression to be written with `{}`.
pub struct DisplayExpr<'a> {
    dag: &'a Dag,
    root: ExprId,
    byte_name: &'a dyn Fn(u32) -> String,
    n_nodes_max: usize,
    has_characters: bool,
}

/// Part of the text of a node.
enum Piece {
    Text(Cow<'static, str>),
    Expr(ExprId),
}

/// What is known about a shown node.
#[derive(Default)]
struct Shown {
    n_uses: usize,
    /// Number of nodes in its text.
    weight: usize,
    /// The number N of its name `tN`.
    name: Option<usize>,
}

impl DisplayExpr<'_> {
    /// Shows at most so many distinct nodes.
    pub fn limit(mut self, n_nodes_max: usize) -> Self {
        self.n_nodes_max = n_nodes_max;
        self
    }

    /// Puts what input bytes are compared with as characters, where it can be one.
    pub fn characters(mut self) -> Self {
        self.has_characters = true;
        self
    }

    /// The nodes nearest to the root, up to the limit.
    fn select(&self) -> FxHashMap<ExprId, Shown> {
        let mut shown: FxHashMap<ExprId, Shown> = FxHashMap::default();
        let mut queue = VecDeque::from([self.root]);
        while let Some(id) = queue.pop_front() {
            if let Some(known) = shown.get_mut(&id) {
                known.n_uses += 1;
            } else if shown.len() < self.n_nodes_max {
                let first_use = Shown { n_uses: 1, ..Shown::default() };
                shown.insert(id, first_use);
                queue.extend(children(&self.pieces(id)));
            }
        }
        shown
    }

    /// Names what is shared and large; returns the named nodes, operands first.
    fn assign_names(&self, shown: &mut FxHashMap<ExprId, Shown>) -> Vec<ExprId> {
        let mut order: Vec<ExprId> = shown.keys().copied().collect();
        order.sort_unstable();
        let mut named = Vec::new();
        for id in order {
            let weight_of = |child| shown.get(&child).map_or(1, |child| child.weight);
            let weight = 1 + children(&self.pieces(id)).map(weight_of).sum::<usize>();
            let Some(node) = shown.get_mut(&id) else {
                continue;
            };
            node.weight = weight;
            if node.n_uses > 1 && weight >= NAMED_WEIGHT_MIN && id != self.root {
                named.push(id);
                node.name = Some(named.len());
                node.weight = 1;
            }
        }
        named
    }

    fn write_definition(
        &self,
        f: &mut fmt::Formatter<'_>,
        shown: &FxHashMap<ExprId, Shown>,
        defined: ExprId,
    ) -> fmt::Result {
        let mut stack = self.pieces(defined);
        stack.reverse();
        while let Some(piece) = stack.pop() {
            match piece {
                Piece::Text(text) => f.write_str(&text)?,
                Piece::Expr(id) => match shown.get(&id).map(|node| node.name) {
                    None => f.write_str("...")?,
                    Some(Some(number)) => write!(f, "t{number}")?,
                    Some(None) => stack.extend(self.pieces(id).into_iter().rev()),
                },
            }
        }
        Ok(())
    }

    /// The text of a node in pieces.
    fn pieces(&self, id: ExprId) -> Vec<Piece> {
        let dag = self.dag;
        if let Some((lhs, symbol, amount)) = self.as_shift_or_mask(id) {
            let amount = Piece::Text(constant_text(dag.width(id), amount));
            return infix(lhs, symbol, amount);
        }
        match dag.node(id) {
            Node::Const(c) => vec![Piece::Text(constant_text(c.width(), c.value()))],
            Node::Byte(index) => vec![text((self.byte_name)(index))],
            Node::Unary { op, arg } => unary_pieces(op, dag.width(id), arg),
            Node::Binary { op, lhs, rhs } => self.binary_pieces(op, lhs, rhs),
            Node::ZExt { width, arg } => call(format!("zext{width}"), &[arg]),
            Node::SExt { width, arg } => call(format!("sext{width}"), &[arg]),
            Node::Extract { lo, width, arg } => {
                let range = format!("[{}:{lo}]", lo + width - 1);
                vec![Piece::Expr(arg), text(range)]
            }
            Node::Concat { hi, lo } => self.concat_pieces(hi, lo),
            Node::Ite { cond, then, other } => vec![
                text("("),
                Piece::Expr(cond),
                text(" ? "),
                Piece::Expr(then),
                text(" : "),
                Piece::Expr(other),
                text(")"),
            ],
            Node::Funnel { op, hi, lo, amount } => {
                let name = match op {
                    FunnelOp::Left => "fshl",
                    FunnelOp::Right => "fshr",
                };
                call(name, &[hi, lo, amount])
            }
            Node::Lookup { table, addr, width } => {
                let table = dag.table(table);
                let name = format!("load{width}{{{:#x}+{}}}", table.base(), table.len());
                match self.as_index(addr, table.base(), table.len()) {
                    Some((index, 0)) => vec![text(name), text("["), Piece::Expr(index), text("]")],
                    Some((index, at)) => vec![text(name), text("["), Piece::Expr(index), text(format!(" + {at}]"))],
                    None => call(name, &[addr]),
                }
            }
        }
    }

    /// `x` and `at` for an address `base + at + x` of a table.
    fn as_index(&self, addr: ExprId, base: u64, len: usize) -> Option<(ExprId, u128)> {
        let Node::Binary { op: BinOp::Add, lhs, rhs } = self.dag.node(addr) else { return None };
        let at = self.dag.as_const(rhs)?.checked_sub(base.into())?;
        (at < len as u128).then_some((lhs, at))
    }

    /// `x`, operator and constant for a node that the rewrite rules made of a shift or mask of `x`.
    fn as_shift_or_mask(&self, id: ExprId) -> Option<(Piece, &'static str, u128)> {
        let dag = self.dag;
        let is_top = |lo, width, x| lo + width == dag.width(x) && dag.width(x) == dag.width(id);
        match dag.node(id) {
            Node::Concat { hi, lo } if dag.as_const(lo) == Some(0) => match dag.node(hi) {
                Node::Extract { lo: 0, arg, .. } if dag.width(arg) == dag.width(id) => {
                    Some((Piece::Expr(arg), "<<", u128::from(dag.width(lo))))
                }
                _ => None,
            },
            Node::ZExt { arg, .. } => match dag.node(arg) {
                Node::Extract { lo, width, arg: x } if is_top(lo, width, x) => {
                    Some((Piece::Expr(x), ">>u", u128::from(lo)))
                }
                Node::Extract { lo: 0, width, arg: x } if dag.width(x) == dag.width(id) => {
                    Some((Piece::Expr(x), "&", mask(width)))
                }
                _ => None,
            },
            Node::SExt { arg, .. } => match dag.node(arg) {
                Node::Extract { lo, width, arg: x } if is_top(lo, width, x) => {
                    Some((Piece::Expr(x), ">>s", u128::from(lo)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn binary_pieces(&self, op: BinOp, lhs: ExprId, rhs: ExprId) -> Vec<Piece> {
        let width = self.dag.width(lhs);
        if op.is_overflow_predicate() {
            let mut pieces = vec![text("overflow")];
            pieces.extend(infix(Piece::Expr(lhs), symbol(op, width), Piece::Expr(rhs)));
            return pieces;
        }
        if self.has_characters && op.is_comparison() {
            let side = |shown, other| {
                let sign = self.dag.as_const(shown).and_then(|value| self.dag.compared_character(other, value));
                sign.map_or(Piece::Expr(shown), text)
            };
            return infix(side(lhs, rhs), symbol(op, width), side(rhs, lhs));
        }
        let addend = self.dag.as_const(rhs).filter(|_| op == BinOp::Add && width > 1);
        match addend.filter(|&c| c >> (width - 1) == 1) {
            Some(c) => {
                let magnitude = constant_text(width, c.wrapping_neg() & mask(width));
                infix(Piece::Expr(lhs), "-", Piece::Text(magnitude))
            }
            None => infix(Piece::Expr(lhs), symbol(op, width), Piece::Expr(rhs)),
        }
    }

    /// Nested concatenations in one pair of parentheses.
    fn concat_pieces(&self, hi: ExprId, lo: ExprId) -> Vec<Piece> {
        let mut pieces = vec![text("(")];
        let mut parts = vec![lo, hi];
        while let Some(part) = parts.pop() {
            match self.dag.node(part) {
                Node::Concat { hi, lo } if self.as_shift_or_mask(part).is_none() => {
                    parts.extend([lo, hi]);
                }
                _ => {
                    pieces.push(Piece::Expr(part));
                    pieces.push(text(if parts.is_empty() { ")" } else { " ++ " }));
                }
            }
        }
        pieces
    }
}

impl fmt::Display for DisplayExpr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.select();
        for (idx, id) in self.assign_names(&mut shown).into_iter().enumerate() {
            write!(f, "let t{} = ", idx + 1)?;
            self.write_definition(f, &shown, id)?;
            f.write_str("; ")?;
        }
        self.write_definition(f, &shown, self.root)
    }
}

fn text(text: impl Into<Cow<'static, str>>) -> Piece {
    Piece::Text(text.into())
}

fn children(pieces: &[Piece]) -> impl Iterator<Item = ExprId> + '_ {
    pieces.iter().filter_map(|piece| match piece {
        Piece::Expr(id) => Some(*id),
        Piece::Text(_) => None,
    })
}

fn constant_text(width: u32, value: u128) -> Cow<'static, str> {
    match (width, value) {
        (1, 0) => "false".into(),
        (1, _) => "true".into(),
        (_, 0..=9) => value.to_string().into(),
        _ => format!("{value:#x}").into(),
    }
}

/// A character as C puts it, if it is one that people read in texts.
fn character(value: u128) -> Option<String> {
    match u8::try_from(value).ok()? {
        b'\n' => Some("'\\n'".to_owned()),
        b'\t' => Some("'\\t'".to_owned()),
        sign @ (b'\'' | b'\\') => Some(format!("'\\{}'", char::from(sign))),
        sign @ b' '..=b'~' => Some(format!("'{}'", char::from(sign))),
        _ => None,
    }
}

fn infix(lhs: Piece, symbol: &'static str, rhs: Piece) -> Vec<Piece> {
    let symbol = text(format!(" {symbol} "));
    vec![text("("), lhs, symbol, rhs, text(")")]
}

fn call(name: impl Into<Cow<'static, str>>, args: &[ExprId]) -> Vec<Piece> {
    let mut pieces = vec![text(name), text("(")];
    for (idx, &arg) in args.iter().enumerate() {
        if idx > 0 {
            pieces.push(text(", "));
        }
        pieces.push(Piece::Expr(arg));
    }
    pieces.push(text(")"));
    pieces
}

fn unary_pieces(op: UnOp, width: u32, arg: ExprId) -> Vec<Piece> {
    match op {
        UnOp::Not if width == 1 => vec![text("!"), Piece::Expr(arg)],
        UnOp::Not => vec![text("~"), Piece::Expr(arg)],
        UnOp::Neg => vec![text("-"), Piece::Expr(arg)],
        UnOp::BSwap => call("bswap", &[arg]),
        UnOp::CtPop => call("popcount", &[arg]),
        UnOp::Ctlz => call("clz", &[arg]),
        UnOp::Cttz => call("ctz", &[arg]),
    }
}

fn symbol(op: BinOp, width: u32) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::UDiv => "/u",
        BinOp::SDiv => "/s",
        BinOp::URem => "%u",
        BinOp::SRem => "%s",
        BinOp::Shl => "<<",
        BinOp::LShr => ">>u",
        BinOp::AShr => ">>s",
        BinOp::And if width == 1 => "&&",
        BinOp::Or if width == 1 => "||",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
        BinOp::Eq => "==",
        BinOp::Ne => "!=",
        BinOp::Ult => "<u",
        BinOp::Ule => "<=u",
        BinOp::Slt => "<s",
        BinOp::Sle => "<=s",
        BinOp::UAddO => "+u",
        BinOp::SAddO => "+s",
        BinOp::USubO => "-u",
        BinOp::SSubO => "-s",
        BinOp::UMulO => "*u",
        BinOp::SMulO => "*s",
    }
}
