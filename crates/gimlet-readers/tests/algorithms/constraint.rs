use gimlet_grammar::constraint::{Answer, Constraint, Rest, Solver, TokenSet};
use gimlet_grammar::parse::lalr::Tables;

use crate::grammar;

#[test]
fn what_the_parser_accepts() {
    // Of `x - x - x` the parser makes one tree, but of `x < x < x` none.
    let text = "%token X\n%nonassoc '<'\n%left '-'\n%%\ne: e '<' e | e '-' e | X ;\n";
    let grammar = grammar(text);
    let mut solver = Solver::new(&grammar).held_to(Tables::new(&grammar));
    let token = |name: &str| grammar.symbol(name).and_then(|symbol| symbol.terminal()).unwrap();
    // `a~b` is one of them, `.` any.
    let set = |word: &str| match word {
        "." => TokenSet::all(&grammar),
        word => TokenSet::of(&grammar, word.split('~').map(token)),
    };
    let mut with = |tokens: &str| {
        let constraint = Constraint::new(tokens.split(' ').map(set).collect());
        match solver.solve(&constraint, &mut Rest::Shortest) {
            Answer::Sat(tokens) => {
                tokens.iter().map(|&it| grammar.terminal(it).name.as_str()).collect::<Vec<_>>().join(" ")
            }
            Answer::Unsat(reason) => format!("no: {}", reason.show(&grammar)),
            Answer::Unknown(gap) => format!("{gap:?}"),
        }
    };
    assert_eq!(with("X '-' X '-'"), "X '-' X '-' X");
    assert_eq!(with("X '<' X '<'"), "no: the parser accepts no such sentence, as it settles the grammar's conflicts");
    assert_eq!(with("X '<' . '<'~'-'"), "X '<' X '-' X");
}
