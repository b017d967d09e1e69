//! What can go wrong with a search as a whole.

use std::io;
use std::path::PathBuf;

use gimlet_exec::ExecError;
use gimlet_path::PathError;

#[derive(Debug, thiserror::Error)]
pub enum ExploreError {
    #[error("{} holds the tests of an earlier run", .0.display())]
    Occupied(PathBuf),
    #[error("cannot write {}: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error(transparent)]
    Exec(#[from] ExecError),
    #[error(transparent)]
    Path(#[from] PathError),
}
