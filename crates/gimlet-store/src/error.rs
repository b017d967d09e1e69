//! What can go wrong with a store.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It is there, and is not what was written.
    #[error("the store {} is damaged: {what}", path.display())]
    Damaged { path: PathBuf, what: String },
    /// It was written by another version of Gimlet.
    #[error("the store {} has format {found}, and this version of Gimlet reads format {expected}", path.display())]
    Format { path: PathBuf, found: String, expected: u32 },
    /// The disk is full, or may not be written to.
    #[error("cannot write the store {}: {what}", path.display())]
    Write { path: PathBuf, what: String },
    /// It may not be read, or not now.
    #[error("cannot read the store {}: {what}", path.display())]
    Read { path: PathBuf, what: String },
}
