//! What can go wrong with a search as a whole.

use std::io;
use std::path::PathBuf;

use gimlet_exec::ExecError;
use gimlet_path::PathError;
use gimlet_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum ExploreError {
    /// The user wants something that can't be.
    #[error("{message}")]
    Refused { message: String, hint: String },
    /// What is wrong with it is ready to be shown.
    #[error("{name} has errors")]
    WrongGrammar { name: String, errors: Vec<String> },
    #[error("{} holds the tests of an earlier run", .0.display())]
    Occupied(PathBuf),
    #[error("{} is not empty, and no folder of results", .0.display())]
    NotEmpty(PathBuf),
    #[error("{} is being used by process {pid}", path.display())]
    InUse { path: PathBuf, pid: i32 },
    #[error("{} holds the tests of another program", .0.display())]
    OtherProgram(PathBuf),
    #[error("cannot write {}: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("cannot read {}: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Exec(#[from] ExecError),
    #[error(transparent)]
    Path(#[from] PathError),
}

impl ExploreError {
    /// What can't be, and what to do about it.
    pub fn refused(message: impl Into<String>, hint: impl Into<String>) -> ExploreError {
        ExploreError::Refused { message: message.into(), hint: hint.into() }
    }
}
