//! Why a trace has no path condition.

use gimlet_trace::TraceError;
use thiserror::Error;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PathError {
    #[error("{0}")]
    Trace(#[from] TraceError),
    /// The record is of a kind that the format reserves and nothing writes yet.
    #[error("expression {0} is of a kind that is not supported")]
    Unsupported(usize),
    /// Whoever asked for it does not want it any more.
    #[error("stopped")]
    Stopped,
}
