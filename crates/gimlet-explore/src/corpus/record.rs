//! What a folder of results says of its search, also while that goes on.

use std::path::{Path, PathBuf};

use gimlet_exec::lock::Lock;
use gimlet_report::{Known, Results};

use crate::corpus::folder::Folder;
use crate::corpus::{LOCK, MANIFEST, PRIVATE, STORE};
use crate::error::ExploreError;
use crate::team;

/// The process that uses a folder of results; the inner `None` if nobody can say which.
pub fn user_of(out: &Path) -> Option<Option<i32>> {
    Lock::holder(&out.join(PRIVATE).join(LOCK)).map(|pid| (pid > 0).then_some(pid))
}

/// Whether a folder is one that a search made.
pub fn is_of_search(out: &Path) -> bool {
    out.join(MANIFEST).is_file() || out.join(PRIVATE).join(STORE).is_file() || Folder::is_occupied(out)
}

/// Reads the results of a search and its workers; `None` if there is no store.
pub fn read(out: &Path) -> Result<Option<Results>, ExploreError> {
    let store = |folder: &Path| folder.join(PRIVATE).join(STORE);
    let own = store(out);
    if !own.exists() {
        return Ok(None);
    }
    let others = (1..).map(|number| team::folder(out, number)).take_while(|folder| folder.is_dir());
    let others: Vec<PathBuf> = others.map(|folder| store(&folder)).filter(|store| store.exists()).collect();
    Ok(Some(Known::read(&own, &others, user_of(out))?.into()))
}
