mod automaton;
mod lexer;
