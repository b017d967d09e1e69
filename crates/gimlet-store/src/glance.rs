//! A look into a store that somebody else writes.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::error::StoreError;
use crate::record::Finding;
use crate::sqlite::{branches, explain, finding, list, unsigned, PROGRESS};

/// What another search has come to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Glance {
    pub progress: Option<String>,
    pub paths: Vec<u64>,
    pub findings: Vec<Finding>,
    /// What it knows of branches.
    pub branches: Vec<String>,
}

impl Glance {
    /// Reads it, all of one moment.
    pub fn take(path: &Path) -> Result<Glance, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Connection::open_with_flags(path, flags).and_then(read).map_err(|error| explain(path, error))
    }
}

fn read(mut connection: Connection) -> rusqlite::Result<Glance> {
    connection.busy_timeout(Duration::from_secs(1))?;
    let transaction = connection.transaction()?;
    let progress = transaction
        .query_row("SELECT value FROM meta WHERE key = ?", [PROGRESS], |row| row.get::<_, String>(0))
        .optional()?;
    Ok(Glance {
        progress,
        paths: list(&transaction, "SELECT hash FROM paths", |row| unsigned(row, 0))?,
        findings: list(&transaction, "SELECT * FROM findings ORDER BY id", finding)?,
        branches: branches(&transaction)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Change, SqliteStore, Store};

    #[test]
    fn what_was_committed_can_be_seen_while_others_write() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("store");
        assert!(Glance::take(&path).is_err());
        let mut store = SqliteStore::open(&path, 1).unwrap();
        assert_eq!(Glance::take(&path).unwrap(), Glance::default());
        store.commit(&[Change::Path(u64::MAX), Change::Path(7), Change::Progress("x".into())]).unwrap();
        let mut seen = Glance::take(&path).unwrap();
        seen.paths.sort_unstable();
        assert_eq!(seen, Glance { progress: Some("x".into()), paths: vec![7, u64::MAX], ..Glance::default() });
        drop(store);
        assert_eq!(Glance::take(&path).unwrap().paths.len(), 2);
    }
}
