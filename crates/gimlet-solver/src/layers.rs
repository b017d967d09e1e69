//! The layers of a chain: their names, what each of them is, and the order in which they are asked. How to add one is in the
//! crate's documentation (A new layer).
//!
//! A layer is a [`Procedure`] and the name under which it is switched, counted and logged. It is handed the question, as
//! far as the layers before it have prepared it, and what all layers share (`context`); what only it needs is in itself.
//! The rival is a chain in which each layer holds the next, as KLEE's solvers do: it allows a layer to ask the next one
//! twice, which none here does, and leaves counting, limits and validation to each of them.

mod cache;
mod domains;
mod sat;
mod search;
mod simplify;
mod slice;
mod z3;

use std::fmt;

use gimlet_expr::Dag;

use crate::config::Config;
use crate::context::Context;
use crate::query::Answer;
use crate::question::Question;

/// What a layer does about a question.
pub(crate) trait Procedure: fmt::Debug {
    /// An answer, which may be that there is none and why; `None` if the question is not for this layer. Models are
    /// validated by the caller. Layers that follow see what was found out about the question.
    fn ask(&mut self, dag: &Dag, context: &mut Context, question: &mut Question) -> Option<Answer>;

    /// A layer that follows has decided the question.
    fn learn(&mut self, _dag: &Dag, _context: &mut Context, _question: &Question, _answer: &Answer) {}

    /// Forgets what holds on the present path only.
    fn end_path(&mut self) {}
}

/// The names of layers, in the order of their figures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Layer {
    /// Constants, and what the path says literally.
    Simplify,
    /// Leaves out what shares no byte with the question; gives no verdict.
    Slice,
    /// Exact on slices of up to three bytes.
    Domains,
    /// Answers to earlier queries.
    Cache,
    /// Changes of one byte, and a bounded sweep, on slices of more bytes.
    Search,
    /// CaDiCaL.
    Sat,
    Z3,
}

impl Layer {
    pub const ALL: [Layer; 7] =
        [Layer::Simplify, Layer::Slice, Layer::Domains, Layer::Cache, Layer::Search, Layer::Sat, Layer::Z3];

    pub fn name(self) -> &'static str {
        match self {
            Layer::Simplify => "simplify",
            Layer::Slice => "slice",
            Layer::Domains => "domains",
            Layer::Cache => "cache",
            Layer::Search => "search",
            Layer::Sat => "sat",
            Layer::Z3 => "z3",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Layers in the order in which they are asked. One that has two parts, with others between them, is there twice.
pub(crate) type Layers = Vec<(Layer, Box<dyn Procedure>)>;

/// The layers that are switched on, cheapest first.
pub(crate) fn assemble(config: &Config) -> Layers {
    let is_connected = config.has(Layer::Slice);
    let mut layers: Layers = vec![
        (Layer::Simplify, Box::new(simplify::Simplify)),
        (Layer::Domains, Box::new(domains::Narrow)),
        (Layer::Slice, Box::new(slice::Slice { is_connected })),
        (Layer::Domains, Box::new(domains::Domains)),
        (Layer::Cache, Box::<cache::Cache>::default()),
        (Layer::Search, Box::new(search::Search)),
        (Layer::Sat, Box::<sat::Sat>::default()),
        (Layer::Z3, Box::new(z3::Z3)),
    ];
    // Without slices, all of the path is one.
    layers.retain(|&(layer, _)| config.has(layer) || layer == Layer::Slice);
    layers
}
