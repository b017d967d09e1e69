use super::effect::Effects;
use super::Lex;
use crate::source::Source;
pub fn effects(lex: &Lex, _source: &Source) -> Effects {
    Effects::none(lex)
}
