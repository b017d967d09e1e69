//! What inputs of a grammar are made by, for strategies that do so.

use gimlet_exec::TargetOptions;
use gimlet_grammar::edit::subtree_mutation::SubtreeMutator;
use gimlet_grammar::sample::uniform::Uniform;
use gimlet_joint::Tie;

use super::check::no_grammar;
use super::start::Start;
use crate::error::ExploreError;
use crate::explorer::Explorer;
use crate::make::strings;
use crate::notes::Notes;
use crate::program::language::{self, Language};
use crate::strategy::Kind;

/// What a strategy needs of a language.
#[derive(Default)]
pub struct Generators {
    strings: Option<strings::Source>,
    subtree_mutator: Option<SubtreeMutator>,
    tokens: Option<gimlet_joint::Language>,
    uniform: Option<Uniform>,
}

impl Generators {
    /// The program is told which of its functions returns tokens, if those are to be variables.
    pub fn new(start: &Start, options: &mut TargetOptions, notes: &mut Notes) -> Result<Generators, ExploreError> {
        let strategy = start.manifest.strategy();
        let Some(language) = Language::of(&start.manifest.spec) else {
            return if strategy.plan().needs_grammar { Err(no_grammar(strategy)) } else { Ok(Generators::default()) };
        };
        let (language, program) = (&language, &start.subject.program);
        let mut generators = Generators::default();
        match strategy {
            Kind::Cese => generators.strings = Some(language::strings(language, notes)?),
            Kind::GrammarBlackbox => generators.uniform = Some(language::uniform(language)?),
            strategy if strategy.plan().has_tokens() => {
                generators.tokens = Some(language::joint(language, tie(strategy), notes)?);
                if strategy == Kind::Grammar {
                    generators.subtree_mutator = Some(language::subtree_mutator(language, notes)?);
                }
                let (function, _) = language::token_function(language, program)?;
                options.tokens = Some(function);
            }
            strategy if strategy.plan().mutates => {
                generators.subtree_mutator = Some(language::subtree_mutator(language, notes)?);
                let is_hybrid = strategy == Kind::Hybrid;
                if let Some(function) = language::default_tokens(language, is_hybrid, program, notes)? {
                    generators.tokens = Some(language::joint(language, Tie::Sentence, notes)?);
                    options.tokens = Some(function);
                }
            }
            _ => {}
        }
        Ok(generators)
    }

    pub fn give_to(self, explorer: &mut Explorer) {
        if let Some(strings) = self.strings {
            explorer.take_strings_from(strings);
        }
        if let Some(subtree_mutator) = self.subtree_mutator {
            explorer.mutate_subtrees_with(subtree_mutator);
        }
        if let Some(language) = self.tokens {
            explorer.set_language(language);
        }
        if let Some(uniform) = self.uniform {
            explorer.draw_from(uniform);
        }
    }
}

/// How closely inputs keep to the grammar.
pub fn tie(strategy: Kind) -> Tie {
    match strategy {
        Kind::Grammar => Tie::Sentence,
        _ => Tie::Tokens,
    }
}
