//! Rules one after the other, in whatever style.

use gimlet_grammar::source::Diagnostic;
use gimlet_grammar::source::N_DIAGNOSTICS_MAX;

use crate::expression::Definition;

/// What reads the rules of a style.
pub trait Rules {
    fn skip_blanks(&mut self);
    fn is_at_end(&self) -> bool;
    fn rule(&mut self) -> Result<Definition, Diagnostic>;
    /// After an error: to where the next rule may begin.
    fn skip_rule(&mut self);
    fn diagnostics(&mut self) -> &mut Vec<Diagnostic>;
}

/// All of them; one with an error is left out.
pub fn read_all(mut rules: impl Rules) -> (Vec<Definition>, Vec<Diagnostic>) {
    let mut definitions = Vec::new();
    rules.skip_blanks();
    while !rules.is_at_end() && rules.diagnostics().len() < N_DIAGNOSTICS_MAX {
        match rules.rule() {
            Ok(definition) => definitions.push(definition),
            Err(error) => {
                rules.diagnostics().push(error);
                rules.skip_rule();
            }
        }
        rules.skip_blanks();
    }
    (definitions, std::mem::take(rules.diagnostics()))
}
