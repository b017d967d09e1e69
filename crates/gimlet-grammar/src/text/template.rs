//! Inputs with holes: texts of a language in which some bytes are still to be chosen.

use std::rc::Rc;

use crate::chance::Chance;
use crate::regular::dfa::Dfa;

/// A part of a [`Template`] that the solver may fill in.
#[derive(Clone, Debug)]
pub struct Hole {
    /// The first of its bytes.
    pub at: usize,
    pub len: usize,
    /// The texts that may stand there, as far as they have this length; any if there is none.
    pub language: Option<Rc<Dfa>>,
}

/// A text with holes. Bytes outside of them are what they are; in each hole stands one of its texts already.
#[derive(Clone, Default, Debug)]
pub struct Template {
    pub bytes: Vec<u8>,
    /// In ascending order, without overlaps.
    pub holes: Vec<Hole>,
}

impl Template {
    pub fn n_free_bytes(&self) -> usize {
        self.holes.iter().map(|hole| hole.len).sum()
    }

    /// Puts a text into each hole, each as likely as any other.
    pub fn fill(&mut self, chance: &mut Chance) {
        for hole in &self.holes {
            let text = hole.language.as_ref().and_then(|language| language.sample(hole.len as u32, chance));
            if let Some(text) = text {
                self.bytes[hole.at..hole.at + hole.len].copy_from_slice(&text);
            }
        }
    }
}
