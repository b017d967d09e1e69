//! What the user can say about grammars.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Sentences that are listed unless the user wants more or fewer.
const N_SHOWN: u64 = 20;

#[derive(Args)]
pub struct GrammarArgs {
    #[command(subcommand)]
    what: WhatArgs,
}

#[derive(Subcommand)]
enum WhatArgs {
    /// Print rules and tokens, with the numbers that bison gives them.
    Show {
        #[command(flatten)]
        file: FileArgs,
        /// As a picture: railroad diagrams of all symbols
        #[arg(long, conflicts_with = "json")]
        svg: bool,
    },
    /// Say what is wrong with a grammar, or remarkable: errors, useless rules, conflicts, cycles. Exit code 1: errors.
    Check(FileArgs),
    /// Count derivations and sentences by length.
    ///
    /// A derivation is a tree, a sentence a string of tokens; an ambiguous grammar has more derivations than sentences. With
    /// --max-height derivations are counted by height as well.
    Count {
        #[command(flatten)]
        file: FileArgs,
        /// The longest sentences that are counted, in tokens
        #[arg(long, value_name = "N", default_value_t = 6)]
        max_len: u32,
        /// The highest trees; a rule without other rules below it is of height 1
        #[arg(long, value_name = "H")]
        max_height: Option<u32>,
    },
    /// List sentences from the shortest on, each once.
    Enumerate {
        #[command(flatten)]
        file: FileArgs,
        /// The longest sentences, in tokens
        #[arg(long, value_name = "N", default_value_t = 6)]
        max_len: u32,
        /// Only sentences with a tree that is no higher
        #[arg(long, value_name = "H")]
        max_height: Option<u32>,
        /// How many
        #[arg(short, long, value_name = "N", default_value_t = N_SHOWN)]
        number: u64,
        /// Only those that the parser accepts which yacc makes: precedences and conflicts rule some out
        #[arg(long)]
        accepted: bool,
    },
    /// Draw sentences of a length, each as likely as any other.
    Sample {
        #[command(flatten)]
        file: FileArgs,
        /// Their length, in tokens
        #[arg(long, value_name = "N", default_value_t = 10)]
        len: u32,
        /// How many
        #[arg(short, long, value_name = "N", default_value_t = N_SHOWN)]
        number: u64,
        /// Make each derivation as likely as any other, not each sentence
        #[arg(long)]
        derivations: bool,
        /// Choose rules by the weights in a file, with lines like `expr: expr '+' expr = 3` or `NUMBER-OF-RULE = 3`: sentences of
        /// any length up to --len
        #[arg(long, value_name = "FILE", conflicts_with = "derivations")]
        weights: Option<PathBuf>,
        /// For other ones
        #[arg(long, value_name = "N", default_value_t = 1)]
        seed: u64,
    },
    /// Say whether strings of tokens are sentences: one on each line of a file, by their names.
    ///
    /// Each is parsed with the grammar, and with the parser that yacc makes of it, which refuses some of its sentences. Exit
    /// code 1: some are none.
    Validate {
        #[command(flatten)]
        file: FileArgs,
        /// The file, or standard input
        #[arg(value_name = "TOKENS")]
        tokens: Option<PathBuf>,
    },
    /// List sentences that together use every chain of K symbols, each in a rule of the one before.
    Kpaths {
        #[command(flatten)]
        file: FileArgs,
        /// The length of the chains
        #[arg(short, value_name = "K", default_value_t = 2)]
        k: usize,
    },
}

#[derive(Args)]
struct FileArgs {
    /// A grammar of yacc or bison
    #[arg(value_name = "FILE.y")]
    grammar: PathBuf,
    /// Another start symbol than the grammar's own
    #[arg(long, value_name = "NAME")]
    start: Option<String>,
    /// As JSON
    #[arg(long)]
    json: bool,
}

pub struct GrammarPlan {
    pub grammar: PathBuf,
    pub start: Option<String>,
    pub is_json: bool,
    pub what: What,
}

pub enum What {
    Show { is_svg: bool },
    Check,
    Count { max_len: u32, max_height: Option<u32> },
    Enumerate { max_len: u32, max_height: Option<u32>, n_wanted: u64, is_accepted: bool },
    Sample { len: u32, n_wanted: u64, is_by_derivation: bool, weights: Option<PathBuf>, seed: u64 },
    Validate { tokens: Option<PathBuf> },
    Kpaths { k: usize },
}

pub fn grammar_plan(args: GrammarArgs) -> GrammarPlan {
    let (file, what) = match args.what {
        WhatArgs::Show { file, svg } => (file, What::Show { is_svg: svg }),
        WhatArgs::Check(file) => (file, What::Check),
        WhatArgs::Count { file, max_len, max_height } => (file, What::Count { max_len, max_height }),
        WhatArgs::Enumerate { file, max_len, max_height, number, accepted } => {
            (file, What::Enumerate { max_len, max_height, n_wanted: number, is_accepted: accepted })
        }
        WhatArgs::Sample { file, len, number, derivations, weights, seed } => {
            (file, What::Sample { len, n_wanted: number, is_by_derivation: derivations, weights, seed })
        }
        WhatArgs::Validate { file, tokens } => (file, What::Validate { tokens }),
        WhatArgs::Kpaths { file, k } => (file, What::Kpaths { k }),
    };
    GrammarPlan { grammar: file.grammar, start: file.start, is_json: file.json, what }
}
