//! Tokens, texts of tokens and bytes, solved together: grammar-based whitebox fuzzing (Godefroid, Kiezun, Levin 2008), and
//! past it.
//!
//! In a run with symbolic tokens the path condition is over two kinds of variables: what the scanner returned, and the bytes
//! that the program looked at behind it, as names, numbers and strings. A branch that is to go another way is asked for in
//! this order:
//!
//! 1. Other bytes in the texts of tokens, each within the language of its token (that is the search's own business: the
//!    template of a [`Sentence`] says what may change).
//! 2. Another token at one place ([`Language::others`]): one for which the branch goes the other way while all conditions
//!    before it still hold, and with which what was read so far is the beginning of a sentence. What comes behind is kept if
//!    it goes with that, and completed to the shortest sentence otherwise.
//! 3. Another token and other bytes ([`Language::may_stand`] says which tokens, a solver which bytes).
//!
//! Each new input is a sentence by construction; that it is one is checked by the scanner and the parser of the grammar
//! before anybody sees it ([`Language::text_of`]).

mod language;
mod run;

pub use language::{Language, Other, Question, Tie};
pub use run::{Mismatch, Sentence, Tokens};
