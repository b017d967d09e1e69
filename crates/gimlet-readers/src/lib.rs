//! Grammars and scanners, read from the files that projects ship.
//!
//! Every reader makes a [`Grammar`](gimlet_grammar::Grammar) or a [`Lex`](gimlet_grammar::scanner::Lex) of a
//! [`Source`](gimlet_grammar::Source), goes on after an error, and reports what it finds as
//! [`Diagnostic`](gimlet_grammar::Diagnostic)s with their places. Nothing here touches a file or a process.
//!
//! | module | reads |
//! |---|---|
//! | [`format`] | a grammar of any kind; tells which it is by the name of the file |
//! | [`yacc`] | grammars of yacc, bison and byacc; prints them, too |
//! | [`lex`] | scanners of lex and flex, what their actions do, and token maps; prints scanners, too |
//! | [`ebnf`] | EBNF of ISO 14977 and of the W3C |
//! | [`antlr`] | grammars of ANTLR 4 |
//! | [`tree_sitter`] | the `grammar.json` of tree-sitter |
//! | `expression` | right sides of rules, before it is known what is a token |
//! | `regular` | one regular expression of what rules say about a token |
//! | `characters` | sets of characters as the bytes of their UTF-8 |
//!
//! The tests in `tests/algorithms` hold algorithms of gimlet-grammar against grammars and scanners as files have them.
//!
//! A list that begins with a bracket, and does not go on with a name:
//!
//! ```
//! use gimlet_grammar::Source;
//! use gimlet_grammar::constraint::{Answer, Constraint, Rest, Solver, TokenSet};
//! use gimlet_readers::format;
//!
//! let text = "%token NAME\n%%\nlist: '(' items ')' ; items: | items item ; item: NAME | list ;\n";
//! let grammar = format::read(&Source::new("list.y", text), format::Format::Yacc).grammar.unwrap();
//! let token = |name: &str| grammar.symbol(name).unwrap().terminal().unwrap();
//! let mut solver = Solver::new(&grammar);
//! // '(', and behind it no name.
//! let tokens = vec![TokenSet::of(&grammar, [token("'('")]), TokenSet::all_but(&grammar, token("NAME"))];
//! let Answer::Sat(tokens) = solver.solve(&Constraint::new(tokens), &mut Rest::Shortest) else { panic!() };
//! assert_eq!(tokens, ["'('", "')'"].map(token));
//! ```
#![forbid(unsafe_code)]

pub mod antlr;
mod characters;
pub mod ebnf;
mod expression;
pub mod format;
pub mod lex;
mod regular;
pub mod tree_sitter;
pub mod yacc;
