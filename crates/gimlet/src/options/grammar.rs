//! What the user can say about grammars.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use gimlet_grammar::text::symbolic::Bounds;
use gimlet_readers::format;

use super::drift::{drift_plan, DriftArgs, DriftPlan};
use super::values::{count, seed};
use gimlet_explore::program::language::load::Files;

/// Sentences that are listed unless the user wants more or fewer.
const N_SHOWN: u64 = 20;

#[derive(Args)]
pub struct GrammarArgs {
    #[command(subcommand)]
    what: WhatArgs,
}

#[derive(Subcommand)]
enum WhatArgs {
    /// Print rules and tokens, with the numbers that bison gives them and, where it is known, a text for each.
    Show {
        #[command(flatten)]
        file: FileArgs,
        /// As a picture: railroad diagrams of all symbols
        #[arg(long, conflicts_with = "json")]
        svg: bool,
        #[command(flatten)]
        symbolic: SymbolicArgs,
    },
    /// Say what is wrong with a grammar, or remarkable: errors, useless rules, conflicts, cycles. Exit code 1: errors.
    Check(FileArgs),
    /// Count derivations and sentences by length.
    ///
    /// A derivation is a tree, a sentence a string of tokens; an ambiguous grammar has more derivations than sentences. With
    /// --max-height derivations are counted by height as well. Where the texts of tokens are known, lengths are in bytes of
    /// these texts, and each text counts; what stands between tokens does not.
    Count {
        #[command(flatten)]
        file: FileArgs,
        /// The longest sentences that are counted: in tokens, or in bytes where the texts of tokens are known
        #[arg(long, value_name = "N", default_value_t = 6, value_parser = count::<u32>("tokens or bytes", 0))]
        max_len: u32,
        /// The highest trees, in rules above each other; a rule of tokens alone is of height 1
        #[arg(long, value_name = "H", value_parser = count::<u32>("rules", 1))]
        max_height: Option<u32>,
        #[command(flatten)]
        symbolic: SymbolicArgs,
    },
    /// List sentences from the shortest on, each once: 20 of up to 6 tokens, unless -n and --max-len say otherwise.
    ///
    /// Where the texts of tokens are known, each is put as a text, of which the scanner makes just these tokens. With
    /// --symbolic each stands for many, those with the fewest holes first.
    Enumerate {
        #[command(flatten)]
        file: FileArgs,
        /// The longest sentences, in tokens
        #[arg(long, value_name = "N", default_value_t = 6, value_parser = count::<u32>("tokens", 0))]
        max_len: u32,
        /// Only sentences with a tree that is no higher, in rules above each other; a rule of tokens alone is of height 1
        #[arg(long, value_name = "H", value_parser = count::<u32>("rules", 1))]
        max_height: Option<u32>,
        /// How many
        #[arg(short, long, value_name = "N", default_value_t = N_SHOWN, value_parser = count::<u64>("sentences", 0))]
        number: u64,
        /// Only those that the parser accepts which yacc makes: precedences and conflicts rule some out
        #[arg(long)]
        accepted: bool,
        #[command(flatten)]
        symbolic: SymbolicArgs,
        #[command(flatten)]
        wording: WordingArgs,
    },
    /// Draw sentences of a length, each as likely as any other.
    Sample {
        #[command(flatten)]
        file: FileArgs,
        /// Their length, in tokens [default: 10, or the nearest that a sentence has]
        #[arg(long, value_name = "N", value_parser = count::<u32>("tokens", 0))]
        len: Option<u32>,
        /// How many
        #[arg(short, long, value_name = "N", default_value_t = N_SHOWN, value_parser = count::<u64>("sentences", 0))]
        number: u64,
        /// Make each derivation as likely as any other, not each sentence
        #[arg(long)]
        derivations: bool,
        /// Choose rules by the weights in a file, with lines like `expr: expr '+' expr = 3` or `NUMBER-OF-RULE = 3`: sentences of
        /// any length up to --len
        #[arg(long, value_name = "FILE", conflicts_with = "derivations")]
        weights: Option<PathBuf>,
        /// For other ones
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed)]
        seed: u64,
        /// Only those that the parser accepts which yacc makes: precedences and conflicts rule some out
        #[arg(long)]
        accepted: bool,
        #[command(flatten)]
        wording: WordingArgs,
    },
    /// Say whether inputs are in the language.
    ///
    /// With a scanner each input is a file, or standard input; without one, each line is a string of tokens by their names.
    /// It is parsed with the grammar, and with the parser that yacc makes of it, which refuses some of its sentences. Exit
    /// code 1: some are none.
    Validate {
        /// A grammar: of yacc or bison (.y), EBNF (.ebnf), of ANTLR 4 (.g4), or tree-sitter's grammar.json
        #[arg(value_name = "GRAMMAR")]
        grammar: PathBuf,
        /// The scanner, if the first of them ends in .l, and the inputs
        #[arg(value_name = "FILE.l | INPUT")]
        inputs: Vec<PathBuf>,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Find a sentence that begins with tokens as they are given: each is one, one of several, or any but some.
    ///
    /// NAME is a token, `A,B` one of two, `!NAME` any other, `.` any, `$` the end, `=2` the same as the second. The rest of the
    /// sentence is as short as can be. Exit code 1: there is none, and the reason is told.
    Complete {
        /// A grammar: of yacc or bison (.y), EBNF (.ebnf), of ANTLR 4 (.g4), or tree-sitter's grammar.json
        #[arg(value_name = "GRAMMAR")]
        grammar: PathBuf,
        /// The scanner, if the first of them ends in .l, and the tokens
        #[arg(value_name = "FILE.l | TOKEN")]
        tokens_given: Vec<String>,
        /// Keep the texts of an input where its tokens stay
        #[arg(long, value_name = "INPUT", conflicts_with = "tokens")]
        like: Option<PathBuf>,
        /// Other sentences as well, the shortest first
        #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = count::<u64>("sentences", 1))]
        number: u64,
        /// The shortest sentence, in tokens
        #[arg(long, value_name = "N", default_value_t = 0, value_parser = count::<u32>("tokens", 0))]
        min_len: u32,
        /// The longest sentence, in tokens
        #[arg(long, value_name = "N", value_parser = count::<u32>("tokens", 0))]
        max_len: Option<u32>,
        /// Only what the parser accepts which yacc makes: precedences and conflicts rule some out
        #[arg(long)]
        accepted: bool,
        #[command(flatten)]
        wording: WordingArgs,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// List sentences that together use every chain of K symbols, each in a rule of the one before.
    Kpaths {
        #[command(flatten)]
        file: FileArgs,
        /// The length of the chains
        #[arg(short, value_name = "K", default_value_t = 2, value_parser = count::<usize>("symbols", 1))]
        k: usize,
        /// Only those that the parser accepts which yacc makes: chains that need others are left out
        #[arg(long)]
        accepted: bool,
        #[command(flatten)]
        wording: WordingArgs,
    },
    /// Find out how far a grammar and a program have drifted apart: inputs that only one of them accepts.
    ///
    /// Sentences of the grammar and near misses of them are run, and inputs of yours. Those that the program rejects and the
    /// grammar accepts, or the other way round, are made small and told with the smallest change, in tokens, that explains
    /// them; what has the same explanation is told once. Ctrl-C tells what was found so far. Exit code 1: they have drifted.
    Drift(Box<DriftArgs>),
}

#[derive(Args)]
struct FileArgs {
    /// A grammar: of yacc or bison (.y), EBNF (.ebnf), of ANTLR 4 (.g4), or tree-sitter's grammar.json
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,
    /// The scanner that makes its tokens, of lex or flex
    #[arg(value_name = "FILE.l")]
    lexer: Option<PathBuf>,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Args)]
pub struct CommonArgs {
    /// Texts of tokens, and what rules of the scanner return, where the files do not tell it; makes EBNF a grammar of tokens
    ///
    /// With it, every string of an EBNF grammar is a token, and so is every name that the map has texts for.
    ///
    /// A line is one of: `NUMBER = /[0-9]+/` or `ARROW = "->"`, texts of a token; `120 -> NAME, '('`, what the rule in line
    /// 120 of the scanner returns, and `120 -> NAME then INITIAL` with the start condition behind it; `skip 95`, it returns
    /// nothing; `skip /[ \t]+/`, what may stand between tokens where there is no scanner; `token NAME`, the rule NAME of an
    /// EBNF grammar is a token, with the texts that it derives; `length NAME 1..5`, how long holes for it are;
    /// `define READLINE`, `define std_only 0`, `undef OLD`, macros and variables in actions; `# a comment`
    #[arg(long, value_name = "FILE")]
    token_map: Option<PathBuf>,
    /// Another start symbol than the grammar's own
    #[arg(long, value_name = "NAME")]
    start: Option<String>,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// How sentences are put.
#[derive(Args)]
struct WordingArgs {
    /// Names of tokens, although their texts are known
    #[arg(long, conflicts_with = "out")]
    tokens: bool,
    /// Write each text to a file of this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What becomes a hole.
#[derive(Args)]
struct SymbolicArgs {
    /// With holes for tokens that have several texts
    #[arg(long)]
    symbolic: bool,
    /// The longest hole for a token whose texts get ever longer, in bytes
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = count::<u32>("bytes", 1), requires = "symbolic")]
    hole_len: u32,
}

pub struct GrammarPlan {
    pub files: Files,
    pub is_json: bool,
    pub what: What,
}

/// How sentences are put.
#[derive(Default)]
pub struct Put {
    /// By the names of their tokens in any case.
    pub is_tokens: bool,
    /// A file for each.
    pub out: Option<PathBuf>,
}

/// How long holes are at most, if there are any.
#[derive(Clone, Copy)]
pub struct Symbolically(pub Option<u32>);

/// What is equally likely.
pub enum Drawing {
    Sentences,
    Derivations,
    /// Rules in proportion to weights, which are in this file.
    Weights(PathBuf),
}

pub enum What {
    Show { is_svg: bool, symbolically: Symbolically },
    Check,
    Count { max_len: u32, max_height: Option<u32>, symbolically: Symbolically },
    Enumerate { bounds: Bounds, n_wanted: u64, symbolically: Symbolically, put: Put },
    Sample { len: Option<u32>, n_wanted: u64, how: Drawing, is_accepted: bool, seed: u64, put: Put },
    Validate { inputs: Vec<PathBuf> },
    Kpaths { k: usize, is_accepted: bool, put: Put },
    Complete(Completion),
    Drift(Box<DriftPlan>),
}

/// How a sentence begins.
pub struct Completion {
    /// As the user wrote them.
    pub tokens: Vec<String>,
    /// An input whose texts are kept.
    pub like: Option<PathBuf>,
    pub n_wanted: u64,
    pub min_len: u32,
    pub max_len: Option<u32>,
    pub is_accepted: bool,
    pub put: Put,
}

pub fn grammar_plan(args: GrammarArgs) -> GrammarPlan {
    let put = |args: WordingArgs| Put { is_tokens: args.tokens, out: args.out };
    let symbolically = |args: &SymbolicArgs| Symbolically(args.symbolic.then_some(args.hole_len));
    let (file, what) = match args.what {
        WhatArgs::Show { file, svg, symbolic } => {
            (file, What::Show { is_svg: svg, symbolically: symbolically(&symbolic) })
        }
        WhatArgs::Check(file) => (file, What::Check),
        WhatArgs::Count { file, max_len, max_height, symbolic } => {
            (file, What::Count { max_len, max_height, symbolically: symbolically(&symbolic) })
        }
        WhatArgs::Enumerate { file, max_len, max_height, number, accepted, symbolic, wording } => {
            let bounds = Bounds { len: Some(max_len), height: max_height, is_accepted: accepted };
            let symbolically = symbolically(&symbolic);
            (file, What::Enumerate { bounds, n_wanted: number, symbolically, put: put(wording) })
        }
        WhatArgs::Sample { file, len, number, derivations, weights, seed, accepted, wording } => {
            let how = match (weights, derivations) {
                (Some(path), _) => Drawing::Weights(path),
                (None, true) => Drawing::Derivations,
                (None, false) => Drawing::Sentences,
            };
            (file, What::Sample { len, n_wanted: number, how, is_accepted: accepted, seed, put: put(wording) })
        }
        WhatArgs::Validate { grammar, mut inputs, common } => {
            let lexer = inputs.first().filter(|path| format::is_lex(&path.to_string_lossy())).cloned();
            inputs.drain(..usize::from(lexer.is_some()));
            (FileArgs { grammar, lexer, common }, What::Validate { inputs })
        }
        WhatArgs::Complete {
            grammar,
            tokens_given: mut tokens,
            like,
            number,
            min_len,
            max_len,
            accepted,
            wording,
            common,
        } => {
            let lexer = tokens.first().filter(|word| format::is_lex(word)).map(PathBuf::from);
            tokens.drain(..usize::from(lexer.is_some()));
            let (put, is_accepted) = (put(wording), accepted);
            let completion = Completion { tokens, like, n_wanted: number, min_len, max_len, is_accepted, put };
            (FileArgs { grammar, lexer, common }, What::Complete(completion))
        }
        WhatArgs::Drift(args) => {
            let (grammar, lexer, common, plan) = drift_plan(*args);
            (FileArgs { grammar, lexer, common }, What::Drift(Box::new(plan)))
        }
        WhatArgs::Kpaths { file, k, accepted, wording } => {
            (file, What::Kpaths { k, is_accepted: accepted, put: put(wording) })
        }
    };
    let CommonArgs { token_map, start, json } = file.common;
    let files = Files { grammar: file.grammar, lexer: file.lexer, map: token_map, start };
    GrammarPlan { files, is_json: json, what }
}
