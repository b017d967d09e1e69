//! Queries as SMT-LIB 2 text, logic QF_BV.
//!
//! Every operator becomes a definition of its own (`t7`), so the text is as long as the DAG is
//! large, and flat: readers that recurse over nested terms cope. Input byte `i` is the variable
//! `in<i>`. The whole query is written, not a slice; lookups are encoded as in `lookup` with
//! all positions of their tables, and their bounds are asserted.

use std::fmt::Write;

use gimlet_expr::Dag;

use crate::literal::Literal;
use crate::lower::Lowering;
use crate::query::Query;
use crate::terms::{TermOp, Terms, Variable};

/// The query as text for any solver that reads SMT-LIB.
pub fn to_smtlib(dag: &Dag, query: &Query) -> String {
    let literals: Vec<Literal> = query.constraints.iter().map(|&condition| Literal::truth(condition, true)).collect();
    literals_to_smtlib(dag, &literals)
}

/// The conjunction of literals as text.
pub(crate) fn literals_to_smtlib(dag: &Dag, literals: &[Literal]) -> String {
    let mut lowering = Lowering::new(dag, Text::default(), None);
    let constraints = lowering.lower_literals(literals).expect("text has no limit");
    let Lowering { terms, bounds, .. } = lowering;
    let mut script = format!("(set-logic QF_BV)\n{}", terms.definitions);
    for condition in bounds.iter().map(|(_, bound)| bound).chain(&constraints) {
        script += &format!("(assert (= {} #b1))\n", condition.text);
    }
    script += "(check-sat)\n";
    script
}

/// A name or a literal.
#[derive(Clone, PartialEq)]
struct TextTerm {
    text: String,
    width: u32,
}

#[derive(Default)]
struct Text {
    definitions: String,
    n_defined: usize,
}

impl Terms for Text {
    type Term = TextTerm;

    fn constant(&mut self, width: u32, value: u128) -> TextTerm {
        TextTerm { text: format!("(_ bv{value} {width})"), width }
    }

    fn variable(&mut self, width: u32, variable: Variable) -> TextTerm {
        self.define(format_args!("(declare-const {variable} (_ BitVec {width}))"));
        TextTerm { text: variable.to_string(), width }
    }

    fn apply(&mut self, op: TermOp, args: &[&TextTerm]) -> TextTerm {
        let width = result_width(op, args);
        let text = format!("t{}", self.n_defined);
        self.n_defined += 1;
        let list: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        let list = list.join(" ");
        let body = match (op, operator(op)) {
            (TermOp::Eq | TermOp::Ult | TermOp::Ule | TermOp::Slt | TermOp::Sle, operator) => {
                format!("(ite ({operator} {list}) #b1 #b0)")
            }
            (TermOp::Ite, _) => {
                format!("(ite (= {} #b1) {} {})", args[0].text, args[1].text, args[2].text)
            }
            (_, operator) => format!("({operator} {list})"),
        };
        self.define(format_args!("(define-fun {text} () (_ BitVec {width}) {body})"));
        TextTerm { text, width }
    }
}

impl Text {
    fn define(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.definitions, "{line}").expect("writing to a string");
    }
}

fn result_width(op: TermOp, args: &[&TextTerm]) -> u32 {
    match op {
        TermOp::Eq | TermOp::Ult | TermOp::Ule | TermOp::Slt | TermOp::Sle => 1,
        TermOp::Concat => args[0].width + args[1].width,
        TermOp::Extract { hi, lo } => hi - lo + 1,
        TermOp::ZeroExtend(n_more) | TermOp::SignExtend(n_more) => args[0].width + n_more,
        TermOp::Ite => args[1].width,
        _ => args[0].width,
    }
}

fn operator(op: TermOp) -> String {
    let name = match op {
        TermOp::Not => "bvnot",
        TermOp::Neg => "bvneg",
        TermOp::Add => "bvadd",
        TermOp::Sub => "bvsub",
        TermOp::Mul => "bvmul",
        TermOp::UDiv => "bvudiv",
        TermOp::SDiv => "bvsdiv",
        TermOp::URem => "bvurem",
        TermOp::SRem => "bvsrem",
        TermOp::Shl => "bvshl",
        TermOp::LShr => "bvlshr",
        TermOp::AShr => "bvashr",
        TermOp::And => "bvand",
        TermOp::Or => "bvor",
        TermOp::Xor => "bvxor",
        TermOp::Eq => "=",
        TermOp::Ult => "bvult",
        TermOp::Ule => "bvule",
        TermOp::Slt => "bvslt",
        TermOp::Sle => "bvsle",
        TermOp::Concat => "concat",
        TermOp::Ite => "ite",
        TermOp::Extract { hi, lo } => return format!("(_ extract {hi} {lo})"),
        TermOp::ZeroExtend(n_more) => return format!("(_ zero_extend {n_more})"),
        TermOp::SignExtend(n_more) => return format!("(_ sign_extend {n_more})"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimlet_expr::BinOp;

    #[test]
    fn one_definition_an_operator() {
        let mut dag = Dag::new();
        let byte = dag.byte(3);
        let wide = dag.zext(16, byte);
        let three = dag.constant(16, 3);
        let product = dag.binary(BinOp::Mul, wide, three);
        let limit = dag.constant(16, 0x123);
        let less = dag.binary(BinOp::Ult, product, limit);
        let expected = "\
(set-logic QF_BV)
(declare-const in3 (_ BitVec 8))
(define-fun t0 () (_ BitVec 16) ((_ zero_extend 8) in3))
(define-fun t1 () (_ BitVec 16) (bvmul t0 (_ bv3 16)))
(define-fun t2 () (_ BitVec 1) (ite (bvult t1 (_ bv291 16)) #b1 #b0))
(assert (= t2 #b1))
(check-sat)
";
        assert_eq!(to_smtlib(&dag, &Query::new(vec![less])), expected);
    }
}
