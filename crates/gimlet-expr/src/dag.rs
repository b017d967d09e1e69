//! Construction of expressions.
//!
//! Every constructor checks the widths of its operands, then hands over to the rewrite rules in
//! `simplify`, or, for a DAG from [`Dag::unsimplified`], only hash-conses. The second kind exists for
//! an oracle: the same expression built both ways must evaluate to the same value on every input.
//!
//! A width that does not fit is a mistake of the caller and panics.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::intern::{hash_of, HashIndex};
use crate::node::{BinOp, Constant, ExprId, FunnelOp, Node, TableId, UnOp, WIDTH_MAX};
use crate::semantics::mask;
use crate::table::Table;

static N_DAGS: AtomicU64 = AtomicU64::new(0);

/// Owns expressions and tables.
///
/// Not `Clone`: ids are only meaningful for the DAG that gave them out, and caches outside know a
/// DAG by its [`Dag::serial`].
#[derive(Debug)]
pub struct Dag {
    nodes: Vec<Node>,
    /// Width of each node, beside the nodes so that a node stays small.
    widths: Vec<u8>,
    node_index: HashIndex,
    tables: Vec<Table>,
    table_index: HashIndex,
    is_simplifying: bool,
    serial: u64,
}

impl Default for Dag {
    fn default() -> Dag {
        Dag::new()
    }
}

impl Dag {
    /// A DAG whose constructors simplify.
    pub fn new() -> Dag {
        Dag::with_simplifying(true)
    }

    /// A DAG whose constructors build exactly the node that is asked for. Extensions to the width
    /// of the operand and extractions of the whole operand still give back the operand.
    pub fn unsimplified() -> Dag {
        Dag::with_simplifying(false)
    }

    fn with_simplifying(is_simplifying: bool) -> Dag {
        Dag {
            nodes: Vec::new(),
            widths: Vec::new(),
            node_index: HashIndex::default(),
            tables: Vec::new(),
            table_index: HashIndex::default(),
            is_simplifying,
            serial: N_DAGS.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// A number that no other DAG of this process has.
    pub fn serial(&self) -> u64 {
        self.serial
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The expression at a position, which must be less than [`Dag::len`].
    pub fn id(&self, position: usize) -> ExprId {
        assert!(position < self.nodes.len(), "no node {position}");
        ExprId(position as u32)
    }

    pub fn node(&self, id: ExprId) -> Node {
        self.nodes[id.index()]
    }

    pub fn width(&self, id: ExprId) -> u32 {
        u32::from(self.widths[id.index()])
    }

    pub fn table(&self, id: TableId) -> &Table {
        &self.tables[id.index()]
    }

    /// The value, if the expression is a constant.
    pub fn as_const(&self, id: ExprId) -> Option<u128> {
        match self.node(id) {
            Node::Const(constant) => Some(constant.value()),
            _ => None,
        }
    }

    /// The constant `value` modulo 2^`width`.
    pub fn constant(&mut self, width: u32, value: u128) -> ExprId {
        assert_width(width);
        let constant = Constant::new(width, value & mask(width));
        self.intern(Node::Const(constant), width)
    }

    /// The constant of width 1.
    pub fn boolean(&mut self, value: bool) -> ExprId {
        self.constant(1, u128::from(value))
    }

    /// Input byte number `index`.
    pub fn byte(&mut self, index: u32) -> ExprId {
        self.intern(Node::Byte(index), 8)
    }

    pub fn unary(&mut self, op: UnOp, arg: ExprId) -> ExprId {
        let width = self.width(arg);
        assert!(op != UnOp::BSwap || width.is_multiple_of(8), "bswap of {width} bits");
        if self.is_simplifying {
            self.simplify_unary(op, arg)
        } else {
            self.raw_unary(op, arg)
        }
    }

    /// Complement; logical negation on width 1.
    pub fn not(&mut self, arg: ExprId) -> ExprId {
        self.unary(UnOp::Not, arg)
    }

    pub fn binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let (lhs_width, rhs_width) = (self.width(lhs), self.width(rhs));
        assert_eq!(lhs_width, rhs_width, "operands of {op:?}");
        if self.is_simplifying {
            self.simplify_binary(op, lhs, rhs)
        } else {
            self.raw_binary(op, lhs, rhs)
        }
    }

    /// `arg` with zeros above it, to `width` bits.
    pub fn zext(&mut self, width: u32, arg: ExprId) -> ExprId {
        self.assert_extension(width, arg);
        if width == self.width(arg) {
            arg
        } else if self.is_simplifying {
            self.simplify_zext(width, arg)
        } else {
            self.raw_zext(width, arg)
        }
    }

    /// `arg` with copies of its sign bit above it, to `width` bits.
    pub fn sext(&mut self, width: u32, arg: ExprId) -> ExprId {
        self.assert_extension(width, arg);
        if width == self.width(arg) {
            arg
        } else if self.is_simplifying {
            self.simplify_sext(width, arg)
        } else {
            self.raw_sext(width, arg)
        }
    }

    /// Bits `lo .. lo + width` of `arg`.
    pub fn extract(&mut self, lo: u32, width: u32, arg: ExprId) -> ExprId {
        let arg_width = self.width(arg);
        assert!(
            width >= 1 && lo < arg_width && width <= arg_width - lo,
            "extract of {width} bits at {lo} from {arg_width}"
        );
        if width == arg_width {
            arg
        } else if self.is_simplifying {
            self.simplify_extract(lo, width, arg)
        } else {
            self.raw_extract(lo, width, arg)
        }
    }

    /// `hi` above `lo`.
    pub fn concat(&mut self, hi: ExprId, lo: ExprId) -> ExprId {
        assert_width(self.width(hi) + self.width(lo));
        if self.is_simplifying {
            self.simplify_concat(hi, lo)
        } else {
            self.raw_concat(hi, lo)
        }
    }

    pub fn ite(&mut self, cond: ExprId, then: ExprId, other: ExprId) -> ExprId {
        assert_eq!(self.width(cond), 1, "condition of ite");
        assert_eq!(self.width(then), self.width(other), "arms of ite");
        if self.is_simplifying {
            self.simplify_ite(cond, then, other)
        } else {
            self.raw_ite(cond, then, other)
        }
    }

    /// LLVM's `fshl` or `fshr`.
    pub fn funnel(&mut self, op: FunnelOp, hi: ExprId, lo: ExprId, amount: ExprId) -> ExprId {
        let width = self.width(hi);
        assert_eq!(width, self.width(lo), "operands of funnel shift");
        assert_eq!(width, self.width(amount), "amount of funnel shift");
        if self.is_simplifying {
            self.simplify_funnel(op, hi, lo, amount)
        } else {
            self.raw_funnel(op, hi, lo, amount)
        }
    }

    /// The table whose cells are these expressions of width 8.
    pub fn intern_table(&mut self, base: u64, cells: &[ExprId]) -> TableId {
        let symbolic = (0..).zip(cells.iter().copied()).collect();
        self.intern_table_bytes(base, vec![0; cells.len()], symbolic)
    }

    /// The table of constant `bytes`, replaced by expressions at the offsets that `symbolic` names.
    pub fn intern_table_bytes(&mut self, base: u64, mut bytes: Vec<u8>, mut symbolic: Vec<(u32, ExprId)>) -> TableId {
        symbolic.retain(|&(offset, cell)| {
            assert_eq!(self.width(cell), 8, "cell of a table");
            let value = self.as_const(cell);
            if let Some(value) = value {
                bytes[offset as usize] = value as u8;
            }
            value.is_none()
        });
        let table = Table::new(base, bytes, symbolic);
        let hash = hash_of(&table);
        let found = self.table_index.find(hash, |position| self.tables[position as usize] == table);
        if let Some(position) = found {
            return TableId(position);
        }
        let position = u32::try_from(self.tables.len()).expect("fewer than 2^32 tables");
        self.tables.push(table);
        let tables = &self.tables;
        self.table_index.insert(hash, position, |older| hash_of(&tables[older as usize]));
        TableId(position)
    }

    /// Little-endian load of `width / 8` bytes from a table at the 64-bit address `addr`.
    pub fn lookup(&mut self, table: TableId, addr: ExprId, width: u32) -> ExprId {
        assert_width(width);
        assert_eq!(width % 8, 0, "lookup of {width} bits");
        assert_eq!(self.width(addr), 64, "address of lookup");
        if self.is_simplifying {
            self.simplify_lookup(table, addr, width)
        } else {
            self.raw_lookup(table, addr, width)
        }
    }

    fn assert_extension(&self, width: u32, arg: ExprId) {
        assert_width(width);
        let arg_width = self.width(arg);
        assert!(arg_width <= width, "extension of {arg_width} bits to {width}");
    }
}

fn assert_width(width: u32) {
    assert!((1..=WIDTH_MAX).contains(&width), "width {width}");
}

/// Hash-consing only.
impl Dag {
    fn intern(&mut self, node: Node, width: u32) -> ExprId {
        let hash = hash_of(&node);
        let found = self.node_index.find(hash, |position| self.nodes[position as usize] == node);
        if let Some(position) = found {
            return ExprId(position);
        }
        let position = u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes");
        debug_assert!(node.operands().all(|operand| operand.0 < position));
        self.nodes.push(node);
        self.widths.push(width as u8);
        let nodes = &self.nodes;
        self.node_index.insert(hash, position, |older| hash_of(&nodes[older as usize]));
        ExprId(position)
    }

    pub(crate) fn raw_unary(&mut self, op: UnOp, arg: ExprId) -> ExprId {
        let width = self.width(arg);
        self.intern(Node::Unary { op, arg }, width)
    }

    pub(crate) fn raw_binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let width = op.result_width(self.width(lhs));
        self.intern(Node::Binary { op, lhs, rhs }, width)
    }

    pub(crate) fn raw_zext(&mut self, width: u32, arg: ExprId) -> ExprId {
        self.intern(Node::ZExt { width, arg }, width)
    }

    pub(crate) fn raw_sext(&mut self, width: u32, arg: ExprId) -> ExprId {
        self.intern(Node::SExt { width, arg }, width)
    }

    pub(crate) fn raw_extract(&mut self, lo: u32, width: u32, arg: ExprId) -> ExprId {
        self.intern(Node::Extract { lo, width, arg }, width)
    }

    pub(crate) fn raw_concat(&mut self, hi: ExprId, lo: ExprId) -> ExprId {
        let width = self.width(hi) + self.width(lo);
        self.intern(Node::Concat { hi, lo }, width)
    }

    pub(crate) fn raw_ite(&mut self, cond: ExprId, then: ExprId, other: ExprId) -> ExprId {
        let width = self.width(then);
        self.intern(Node::Ite { cond, then, other }, width)
    }

    pub(crate) fn raw_funnel(&mut self, op: FunnelOp, hi: ExprId, lo: ExprId, amount: ExprId) -> ExprId {
        let width = self.width(hi);
        let node = Node::Funnel { op, hi, lo, amount };
        self.intern(node, width)
    }

    pub(crate) fn raw_lookup(&mut self, table: TableId, addr: ExprId, width: u32) -> ExprId {
        self.intern(Node::Lookup { table, addr, width }, width)
    }
}
