//! Queries on disk.
//!
//! Each distinct query, after slicing, is two files in the folder: `NNNNNN.smt2`, SMT-LIB for any
//! solver, with the verdict and the layer that gave it in a comment, and `NNNNNN.query`, from which
//! this crate makes the same query again, lookups included. SMT-LIB has no word for a lookup: the
//! text of one that goes through a scanner's tables is megabytes long, a hundred times the other
//! file, which can therefore be had alone ([`Format::Compact`]). Its content:
//!
//! ```text
//! "GQ1\n"
//! number of hint bytes, then for each: input byte, value
//! number of tables, then for each: base (8 bytes), length, bytes, number of symbolic cells, then
//!     for each: offset, node. A table stands before the first node that reads it, see below.
//! number of nodes, then for each: number of tables known before it, tag, fields
//! number of literals, then for each: node, 1 for "is" or 0 for "is not", value (16 bytes)
//! ```
//!
//! Numbers are LEB128, unsigned; values of fixed size are little-endian. Nodes name earlier nodes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gimlet_expr::{BinOp, Dag, ExprId, FunnelOp, Node, TableId, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::fingerprint::{mix, Fingerprint, Fingerprints};
use crate::layers::Layer;
use crate::literal::Literal;
use crate::query::{Answer, Query};
use crate::smtlib::literals_to_smtlib;

const MAGIC: &[u8; 4] = b"GQ1\n";
/// The longest input that a query is read about.
const N_HINT_BYTES_MAX: usize = 1 << 26;

/// Where queries are written, and as what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Destination {
    pub folder: PathBuf,
    pub format: Format,
}

/// The files of a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// `.smt2` and `.query`.
    SmtLib,
    /// `.query` alone.
    Compact,
}

/// A folder of queries under way.
#[derive(Debug)]
pub struct QueryLog {
    destination: Destination,
    n_written: usize,
    seen: FxHashSet<Fingerprint>,
    /// The first failure; nothing is written after it.
    failure: Option<io::Error>,
}

/// A query to be written.
pub struct Entry<'a> {
    pub dag: &'a Dag,
    pub literals: &'a [Literal],
    /// Of the literals, in the same order.
    pub fingerprints: &'a [Fingerprint],
    pub hint_at: &'a dyn Fn(u32) -> u8,
    pub answer: &'a Answer,
    pub layer: Option<Layer>,
}

impl QueryLog {
    /// Queries are numbered after those that are in the folder.
    pub fn new(destination: Destination) -> QueryLog {
        let folder = &destination.folder;
        let made = fs::create_dir_all(folder).and_then(|()| fs::read_dir(folder));
        let (n_written, failure) = match made {
            Ok(entries) => {
                let numbers = entries
                    .flatten()
                    .filter_map(|entry| Path::new(&entry.file_name()).file_stem()?.to_str()?.parse::<usize>().ok());
                (numbers.max().map_or(0, |last| last + 1), None)
            }
            Err(error) => (0, Some(error)),
        };
        QueryLog { destination, n_written, seen: FxHashSet::default(), failure }
    }

    pub fn failure(&self) -> Option<&io::Error> {
        self.failure.as_ref()
    }

    pub fn write(&mut self, entry: &Entry) {
        let key = entry.fingerprints.iter().copied().fold(0, combined);
        if self.failure.is_none() && self.seen.insert(key) {
            self.failure = self.write_files(entry).err();
            self.n_written += 1;
        }
    }

    fn write_files(&self, entry: &Entry) -> io::Result<()> {
        let stem = self.destination.folder.join(format!("{:06}", self.n_written));
        if self.destination.format == Format::SmtLib {
            fs::write(stem.with_extension("smt2"), commented_smtlib(entry))?;
        }
        fs::write(stem.with_extension("query"), encode(entry.dag, entry.literals, entry.hint_at))
    }
}

fn commented_smtlib(entry: &Entry) -> String {
    let verdict = match entry.answer {
        Answer::Sat(_) => "sat".to_owned(),
        Answer::Unsat => "unsat".to_owned(),
        Answer::Unknown(reason) => format!("unknown: {reason}"),
    };
    let layer = entry.layer.map_or("none", Layer::name);
    format!("; {verdict}\n; layer: {layer}\n{}", literals_to_smtlib(entry.dag, entry.literals))
}

/// A query from disk.
#[derive(Debug)]
pub struct LoggedQuery {
    pub dag: Dag,
    pub query: Query,
    pub hint: Vec<u8>,
}

impl LoggedQuery {
    /// The same for the same conditions in any order, whatever the hint.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut fingerprints = Fingerprints::default();
        let of_constraints = self.query.constraints.iter().map(|&constraint| fingerprints.of(&self.dag, constraint));
        of_constraints.fold(0, combined)
    }
}

/// Of a set of conditions, with one more.
fn combined(set: Fingerprint, one: Fingerprint) -> Fingerprint {
    set.wrapping_add(mix(3, one))
}

/// Why a file is not a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed(pub &'static str);

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "not a logged query: {}", self.0)
    }
}

impl std::error::Error for Malformed {}

fn encode(dag: &Dag, literals: &[Literal], hint_at: &dyn Fn(u32) -> u8) -> Vec<u8> {
    let roots: Vec<ExprId> = literals.iter().map(|literal| literal.expr).collect();
    let order = dag.reachable(&roots);
    let numbers: FxHashMap<ExprId, u64> = order.iter().copied().zip(0..).collect();
    let mut writer = Writer { bytes: MAGIC.to_vec() };
    let bytes: Vec<u32> = order.iter().filter_map(|&id| as_byte(dag, id)).collect();
    writer.number(bytes.len() as u64);
    for byte in bytes {
        writer.number(u64::from(byte));
        writer.bytes.push(hint_at(byte));
    }
    let mut tables: Vec<TableId> = Vec::new();
    let mut table_numbers: FxHashMap<TableId, u64> = FxHashMap::default();
    let mut nodes = Writer { bytes: Vec::new() };
    for &id in &order {
        if let Node::Lookup { table, .. } = dag.node(id) {
            table_numbers.entry(table).or_insert_with(|| {
                tables.push(table);
                tables.len() as u64 - 1
            });
        }
        nodes.number(tables.len() as u64);
        nodes.node(&dag.node(id), &numbers, &table_numbers);
    }
    writer.number(tables.len() as u64);
    for &table in &tables {
        writer.table(dag, table, &numbers);
    }
    writer.number(order.len() as u64);
    writer.bytes.extend(nodes.bytes);
    writer.number(literals.len() as u64);
    for literal in literals {
        writer.number(numbers[&literal.expr]);
        writer.number(u64::from(literal.is_equal));
        writer.bytes.extend(literal.value.to_le_bytes());
    }
    writer.bytes
}

fn as_byte(dag: &Dag, id: ExprId) -> Option<u32> {
    match dag.node(id) {
        Node::Byte(index) => Some(index),
        _ => None,
    }
}

struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn numbers(&mut self, numbers: &[u64]) {
        numbers.iter().for_each(|&number| self.number(number));
    }

    fn table(&mut self, dag: &Dag, id: TableId, numbers: &FxHashMap<ExprId, u64>) {
        let table = dag.table(id);
        self.bytes.extend(table.base().to_le_bytes());
        self.number(table.len() as u64);
        self.bytes.extend(table.bytes());
        self.number(table.symbolic().len() as u64);
        for &(offset, cell) in table.symbolic() {
            self.numbers(&[u64::from(offset), numbers[&cell]]);
        }
    }

    fn node(&mut self, node: &Node, numbers: &FxHashMap<ExprId, u64>, tables: &FxHashMap<TableId, u64>) {
        let at = |id: &ExprId| numbers[id];
        match node {
            Node::Const(constant) => {
                self.numbers(&[0, u64::from(constant.width())]);
                self.bytes.extend(constant.value().to_le_bytes());
            }
            Node::Byte(index) => self.numbers(&[1, u64::from(*index)]),
            Node::Unary { op, arg } => self.numbers(&[2, *op as u64, at(arg)]),
            Node::Binary { op, lhs, rhs } => self.numbers(&[3, *op as u64, at(lhs), at(rhs)]),
            Node::ZExt { width, arg } => self.numbers(&[4, u64::from(*width), at(arg)]),
            Node::SExt { width, arg } => self.numbers(&[5, u64::from(*width), at(arg)]),
            Node::Extract { lo, width, arg } => self.numbers(&[6, u64::from(*lo), u64::from(*width), at(arg)]),
            Node::Concat { hi, lo } => self.numbers(&[7, at(hi), at(lo)]),
            Node::Ite { cond, then, other } => self.numbers(&[8, at(cond), at(then), at(other)]),
            Node::Funnel { op, hi, lo, amount } => self.numbers(&[9, *op as u64, at(hi), at(lo), at(amount)]),
            Node::Lookup { table, addr, width } => self.numbers(&[10, tables[table], at(addr), u64::from(*width)]),
        }
    }
}

/// Makes a query from the content of a `.query` file.
pub fn decode(bytes: &[u8]) -> Result<LoggedQuery, Malformed> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(Malformed("wrong beginning"))?;
    let mut reader = Reader { rest, dag: Dag::unsimplified(), nodes: Vec::new(), tables: Vec::new() };
    let hint = reader.hint()?;
    let tables = reader.raw_tables()?;
    for _ in 0..reader.number()? {
        let n_tables = reader.number()? as usize;
        while reader.tables.len() < n_tables {
            let table = tables.get(reader.tables.len()).ok_or(Malformed("no such table"))?;
            reader.intern(table)?;
        }
        let node = reader.node()?;
        reader.nodes.push(node);
    }
    let mut constraints = Vec::new();
    for _ in 0..reader.number()? {
        let constraint = reader.literal()?;
        constraints.push(constraint);
    }
    match reader.rest {
        [] => Ok(LoggedQuery { dag: reader.dag, query: Query::new(constraints), hint }),
        _ => Err(Malformed("more than one query")),
    }
}

struct RawTable {
    base: u64,
    bytes: Vec<u8>,
    symbolic: Vec<(u32, usize)>,
}

struct Reader<'a> {
    rest: &'a [u8],
    dag: Dag,
    nodes: Vec<ExprId>,
    tables: Vec<TableId>,
}

impl Reader<'_> {
    fn take(&mut self, n: usize) -> Result<&[u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(n).ok_or(Malformed("ends too early"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u64, Malformed> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Malformed("a number is too long"))
    }

    fn small(&mut self) -> Result<u32, Malformed> {
        u32::try_from(self.number()?).map_err(|_| Malformed("a number is too large"))
    }

    fn wide(&mut self) -> Result<u128, Malformed> {
        let bytes = self.take(16)?.try_into().map_err(|_| Malformed("ends too early"))?;
        Ok(u128::from_le_bytes(bytes))
    }

    fn hint(&mut self) -> Result<Vec<u8>, Malformed> {
        let mut hint = Vec::new();
        for _ in 0..self.number()? {
            let index = self.small()? as usize;
            let value = self.take(1)?[0];
            if index >= N_HINT_BYTES_MAX {
                return Err(Malformed("too long a hint"));
            }
            if index >= hint.len() {
                hint.resize(index + 1, 0);
            }
            hint[index] = value;
        }
        Ok(hint)
    }

    fn raw_tables(&mut self) -> Result<Vec<RawTable>, Malformed> {
        let mut tables = Vec::new();
        for _ in 0..self.number()? {
            let base = self.take(8)?.try_into().map_err(|_| Malformed("ends too early"))?;
            let n_bytes = self.number()? as usize;
            let bytes = self.take(n_bytes)?.to_vec();
            let mut symbolic = Vec::new();
            for _ in 0..self.number()? {
                symbolic.push((self.small()?, self.number()? as usize));
            }
            tables.push(RawTable { base: u64::from_le_bytes(base), bytes, symbolic });
        }
        Ok(tables)
    }

    fn intern(&mut self, table: &RawTable) -> Result<(), Malformed> {
        let mut symbolic = Vec::new();
        for &(offset, node) in &table.symbolic {
            let cell = *self.nodes.get(node).ok_or(Malformed("no such node"))?;
            if self.dag.width(cell) != 8 || offset as usize >= table.bytes.len() {
                return Err(Malformed("no cell of a table"));
            }
            symbolic.push((offset, cell));
        }
        self.tables.push(self.dag.intern_table_bytes(table.base, table.bytes.clone(), symbolic));
        Ok(())
    }

    fn operand(&mut self) -> Result<ExprId, Malformed> {
        let index = self.number()? as usize;
        self.nodes.get(index).copied().ok_or(Malformed("no such node"))
    }

    /// An operand of the same width as another.
    fn operand_like(&mut self, other: ExprId) -> Result<ExprId, Malformed> {
        let operand = self.operand()?;
        check(self.dag.width(operand) == self.dag.width(other))?;
        Ok(operand)
    }

    fn node(&mut self) -> Result<ExprId, Malformed> {
        let tag = self.number()?;
        Ok(match tag {
            0 => {
                let width = self.small()?;
                check((1..=128).contains(&width))?;
                let value = self.wide()?;
                self.dag.constant(width, value)
            }
            1 => {
                let index = self.small()?;
                self.dag.byte(index)
            }
            2 => {
                let op = *UnOp::ALL.get(self.number()? as usize).ok_or(Malformed("no such operator"))?;
                let arg = self.operand()?;
                check(op != UnOp::BSwap || self.dag.width(arg).is_multiple_of(8))?;
                self.dag.unary(op, arg)
            }
            3 => {
                let op = *BinOp::ALL.get(self.number()? as usize).ok_or(Malformed("no such operator"))?;
                let lhs = self.operand()?;
                let rhs = self.operand_like(lhs)?;
                self.dag.binary(op, lhs, rhs)
            }
            4 | 5 => {
                let width = self.small()?;
                let arg = self.operand()?;
                check((self.dag.width(arg)..=128).contains(&width))?;
                if tag == 4 {
                    self.dag.zext(width, arg)
                } else {
                    self.dag.sext(width, arg)
                }
            }
            6 => {
                let (lo, width) = (self.small()?, self.small()?);
                let arg = self.operand()?;
                check(width >= 1 && u64::from(lo) + u64::from(width) <= u64::from(self.dag.width(arg)))?;
                self.dag.extract(lo, width, arg)
            }
            7 => {
                let (hi, lo) = (self.operand()?, self.operand()?);
                check(self.dag.width(hi) + self.dag.width(lo) <= 128)?;
                self.dag.concat(hi, lo)
            }
            8 => {
                let (cond, then) = (self.operand()?, self.operand()?);
                let other = self.operand_like(then)?;
                check(self.dag.width(cond) == 1)?;
                self.dag.ite(cond, then, other)
            }
            9 => {
                let op = *[FunnelOp::Left, FunnelOp::Right]
                    .get(self.number()? as usize)
                    .ok_or(Malformed("no such operator"))?;
                let hi = self.operand()?;
                let (lo, amount) = (self.operand_like(hi)?, self.operand_like(hi)?);
                self.dag.funnel(op, hi, lo, amount)
            }
            10 => {
                let table = self.number()? as usize;
                let table = *self.tables.get(table).ok_or(Malformed("no such table"))?;
                let addr = self.operand()?;
                let width = self.small()?;
                check(self.dag.width(addr) == 64 && (1..=128).contains(&width) && width % 8 == 0)?;
                self.dag.lookup(table, addr, width)
            }
            _ => return Err(Malformed("no such node")),
        })
    }

    fn literal(&mut self) -> Result<ExprId, Malformed> {
        let expr = self.operand()?;
        let is_equal = self.number()? == 1;
        let value = self.wide()?;
        let width = self.dag.width(expr);
        let mut condition = expr;
        if width != 1 || value != 1 {
            let constant = self.dag.constant(width, value);
            condition = self.dag.binary(BinOp::Eq, expr, constant);
        }
        Ok(if is_equal { condition } else { self.dag.not(condition) })
    }
}

fn check(is_so: bool) -> Result<(), Malformed> {
    is_so.then_some(()).ok_or(Malformed("widths that do not fit"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimlet_expr::recipe::{build, Limits};
    use gimlet_expr::Evaluator;
    use proptest::prelude::*;

    proptest! {
        /// What is read back has the values of what was written, on the hint and elsewhere.
        #[test]
        fn round_trip(
            recipe in prop::collection::vec(any::<u8>(), 4..120),
            hint in prop::collection::vec(any::<u8>(), 4),
            other in prop::collection::vec(any::<u8>(), 4),
            is_equal in any::<bool>(),
        ) {
            let mut dag = Dag::new();
            let exprs = build(&mut dag, Limits::default(), &recipe);
            let value = |expr| Evaluator::new(&hint).eval(&dag, expr);
            let literals: Vec<Literal> =
                exprs.iter().map(|&expr| Literal { expr, value: value(expr), is_equal }).collect();
            let bytes = encode(&dag, &literals, &|byte| hint[byte as usize]);
            let read = decode(&bytes).expect("what was written");
            let is_mentioned = |index: usize| read.hint.get(index).is_some_and(|&value| value == hint[index]);
            let first = dag.support(exprs[0])[0] as usize;
            prop_assert!(is_mentioned(first));
            for input in [&hint, &other] {
                let (mut old, mut new) = (Evaluator::new(input), Evaluator::new(input));
                for (literal, &constraint) in literals.iter().zip(&read.query.constraints) {
                    let holds = literal.holds_for(old.eval(&dag, literal.expr));
                    prop_assert_eq!(holds, new.holds(&read.dag, constraint));
                }
            }
        }

        #[test]
        fn garbage_is_an_error_at_worst(
            recipe in prop::collection::vec(any::<u8>(), 4..60),
            at in any::<prop::sample::Index>(),
            value in any::<u8>(),
        ) {
            let mut dag = Dag::new();
            let exprs = build(&mut dag, Limits::default(), &recipe);
            let literals: Vec<Literal> = exprs.iter().map(|&expr| Literal { expr, value: 1, is_equal: true }).collect();
            let mut bytes = encode(&dag, &literals, &|_| 0);
            let at = at.index(bytes.len());
            prop_assert!(decode(&bytes[..at]).is_err());
            bytes[at] = value;
            // Any result will do, as long as there is one.
            let _ = decode(&bytes);
        }
    }
}
