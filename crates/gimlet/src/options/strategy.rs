//! How to search, by name.

use clap::ValueEnum;
use gimlet_explore::strategy::Kind;

#[derive(Clone, Copy, ValueEnum)]
pub enum StrategyArg {
    Hybrid,
    Dfs,
    #[value(alias = "whitebox")]
    Generational,
    Random,
    Mutation,
    Cese,
    Tokens,
    Grammar,
    Blackbox,
    GrammarBlackbox,
}

impl From<StrategyArg> for Kind {
    fn from(strategy: StrategyArg) -> Kind {
        match strategy {
            StrategyArg::Hybrid => Kind::Hybrid,
            StrategyArg::Mutation => Kind::Mutation,
            StrategyArg::Dfs => Kind::Dfs,
            StrategyArg::Generational => Kind::Generational,
            StrategyArg::Random => Kind::Random,
            StrategyArg::Cese => Kind::Cese,
            StrategyArg::Tokens => Kind::Tokens,
            StrategyArg::Grammar => Kind::Grammar,
            StrategyArg::Blackbox => Kind::Blackbox,
            StrategyArg::GrammarBlackbox => Kind::GrammarBlackbox,
        }
    }
}
