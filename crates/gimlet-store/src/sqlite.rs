//! A store in a file, by SQLite.
//!
//! ```text
//! meta      key, value              the build, counters, what was taken over from others
//! inputs    number, hash, state, content, maker, parent, bound, step, way, value, run, test, name
//! paths     hash
//! queries   hash, verdict, layer
//! findings  id, kind, signature, run, stack, confirmed, input, path, n_runs, ended
//! branches  place, known            not in stores of earlier versions, until they are written again
//! ```
//!
//! The journal is a write-ahead log, so that a commit appends to one file and others can read meanwhile. `synchronous` is
//! FULL: a commit is on the disk when it returns. With NORMAL the file would be intact after a power cut as well, but
//! without the last commits, whose tests may have been seen by then; and since commits are few and nobody waits for them,
//! there is nothing to be gained.

use std::path::{Path, PathBuf};

use gimlet_trace::container::{Reader, Writer};
use gimlet_trace::Input;
use rusqlite::types::Value;
use rusqlite::{params, Connection, ErrorCode, OpenFlags, OptionalExtension, Row, Transaction};

use crate::error::StoreError;
use crate::record::{Aim, Change, Finding, History, InputId, Kept, Overview, Record, State, Verdict, TEAM};
use crate::Store;

/// Changes with the tables, and with the hashes that are kept in them.
pub const FORMAT: u32 = 1;

/// Marks the file as one of ours.
const APPLICATION: i32 = i32::from_be_bytes(*b"GmlS");

const TABLES: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE inputs (
    number INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    state INTEGER NOT NULL,
    content BLOB,
    maker TEXT NOT NULL,
    parent INTEGER,
    bound INTEGER NOT NULL,
    step INTEGER, way INTEGER, value INTEGER,
    run INTEGER,
    test INTEGER,
    name TEXT
);
CREATE UNIQUE INDEX runs ON inputs (run) WHERE run IS NOT NULL;
CREATE UNIQUE INDEX tests ON inputs (test) WHERE test IS NOT NULL;
CREATE TABLE paths (hash INTEGER PRIMARY KEY);
CREATE TABLE queries (hash INTEGER PRIMARY KEY, verdict INTEGER NOT NULL, layer INTEGER);
CREATE TABLE findings (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    signature INTEGER NOT NULL,
    run INTEGER,
    stack TEXT NOT NULL,
    confirmed INTEGER NOT NULL,
    input BLOB NOT NULL,
    path TEXT NOT NULL,
    n_runs INTEGER NOT NULL,
    ended TEXT NOT NULL
);
";

/// What stores of earlier versions lack.
const LATER_TABLES: &str =
    "CREATE TABLE IF NOT EXISTS branches (place TEXT PRIMARY KEY, known TEXT NOT NULL) WITHOUT ROWID;";

const RECORD: &str = "hash, content, maker, parent, bound, step, way, value, state, run, test, name";

/// Keys in `meta`; what others have given is under this and their name.
const BUILD: &str = "build";
pub(crate) const PROGRESS: &str = "progress";
const SYNCED: &str = "synced:";

/// States of an input in the file.
const WAITING: i64 = 0;
const OPEN: i64 = 1;
const CLOSED: i64 = 2;
/// It became another one when it was run.
const REPLACED: i64 = 3;
/// It was run, and others ask about it.
const GIVEN: i64 = 4;

/// A history in a file.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    connection: Connection,
}

impl SqliteStore {
    /// Opens a store, or makes it for this build of a program. One that is damaged is an error.
    pub fn open(path: &Path, build: u64) -> Result<SqliteStore, StoreError> {
        let failed = |error| explain(path, error);
        let connection = Connection::open(path).map_err(failed)?;
        let mut store = SqliteStore { path: path.to_owned(), connection };
        store.prepare(build).map_err(failed)??;
        Ok(store)
    }

    /// Opens a store to look at it, also while somebody else writes it. `is_quiet` says that nobody does: then all of it
    /// is checked, and it may be where nothing can be written.
    pub fn open_to_read(path: &Path, is_quiet: bool) -> Result<SqliteStore, StoreError> {
        let failed = |error| match explain(path, error) {
            StoreError::Write { path, what } => StoreError::Read { path, what },
            error => error,
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let store = Connection::open_with_flags(path, flags)
            .map(|connection| SqliteStore { path: path.to_owned(), connection });
        let store = match store.and_then(|store| store.examine(is_quiet).map(|checked| checked.map(|()| store))) {
            // The index of the log is made by whoever comes first; where that cannot be, there is no log either.
            Err(error) if is_quiet && is_without_index(&error) => {
                let flags = flags | OpenFlags::SQLITE_OPEN_URI;
                let connection = Connection::open_with_flags(immutable(path), flags).map_err(failed)?;
                let store = SqliteStore { path: path.to_owned(), connection };
                store.examine(is_quiet).map(|checked| checked.map(|()| store))
            }
            store => store,
        };
        store.map_err(failed)?
    }

    /// Whether there is a store, and in order.
    fn examine(&self, is_thorough: bool) -> rusqlite::Result<Result<(), StoreError>> {
        self.connection.busy_timeout(std::time::Duration::from_secs(5))?;
        let number = |pragma: &str| self.connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
        self.check(number("application_id")?, number("user_version")?, is_thorough)
    }

    fn prepare(&mut self, build: u64) -> rusqlite::Result<Result<(), StoreError>> {
        let connection = &mut self.connection;
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        connection.set_prepared_statement_cache_capacity(32);
        let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
        let is_empty = number("schema_version")? == 0;
        if !is_empty {
            let (application, format) = (number("application_id")?, number("user_version")?);
            if let Err(error) = self.check(application, format, true)? {
                return Ok(Err(error));
            }
        }
        let connection = &mut self.connection;
        // Where the file system cannot do it, another journal is as good.
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "full")?;
        if is_empty {
            let transaction = connection.transaction()?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", FORMAT)?;
            transaction.execute_batch(TABLES)?;
            set(&transaction, BUILD, &build.to_string())?;
            transaction.commit()?;
        }
        connection.execute_batch(LATER_TABLES)?;
        Ok(Ok(()))
    }

    /// Whether the file is a store of this version, and in order.
    fn check(&self, application: i64, format: i64, is_thorough: bool) -> rusqlite::Result<Result<(), StoreError>> {
        let path = self.path.clone();
        if application != i64::from(APPLICATION) {
            let is_empty = self.connection.pragma_query_value(None, "schema_version", |row| row.get::<_, i64>(0))? == 0;
            if is_empty {
                return Ok(Err(StoreError::Damaged { path, what: "it is empty".to_owned() }));
            }
            return Ok(Err(StoreError::Damaged { path, what: "it is a database of another program".to_owned() }));
        }
        if format != i64::from(FORMAT) {
            return Ok(Err(StoreError::Format { path, found: format.to_string(), expected: FORMAT }));
        }
        if !is_thorough {
            return Ok(Ok(()));
        }
        let what: String = self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        Ok(if what == "ok" { Ok(()) } else { Err(StoreError::Damaged { path, what }) })
    }

    fn attempt<R>(&mut self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<R>) -> Result<R, StoreError> {
        work(&mut self.connection).map_err(|error| explain(&self.path, error))
    }
}

impl Store for SqliteStore {
    fn history(&mut self) -> Result<History, StoreError> {
        self.attempt(|connection| {
            let all = |table: &str| format!("SELECT * FROM {table}");
            let mut history = History::default();
            let mut statement = connection.prepare(&all("meta"))?;
            for pair in statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))? {
                let (key, value) = pair?;
                match key.strip_prefix(SYNCED) {
                    Some(member) => history.synced.push((member.to_owned(), value.parse().unwrap_or(0))),
                    None if key == BUILD => history.build = value.parse().unwrap_or(0),
                    None if key == PROGRESS => history.progress = Some(value),
                    None => {}
                }
            }
            history.known = list(connection, "SELECT hash FROM inputs", id_of)?;
            let wanted = format!("SELECT {RECORD} FROM inputs WHERE state = {WAITING} OR test NOTNULL ORDER BY number");
            history.records = list(connection, &wanted, record)?;
            let open = format!("SELECT run FROM inputs WHERE state = {OPEN} ORDER BY run");
            history.open = list(connection, &open, |row| unsigned(row, 0))?;
            history.next_run = connection
                .query_row("SELECT max(run) FROM inputs", [], |row| row.get::<_, Option<i64>>(0))?
                .map_or(0, |last| last as u64 + 1);
            history.paths = list(connection, &all("paths"), |row| unsigned(row, 0))?;
            history.findings = list(connection, "SELECT * FROM findings ORDER BY id", finding)?;
            history.branches = branches(connection)?;
            Ok(history)
        })
    }

    fn overview(&mut self) -> Result<Overview, StoreError> {
        self.attempt(|connection| {
            // All figures are of one moment.
            let transaction = connection.transaction()?;
            let value = |key: &str| {
                let sql = "SELECT value FROM meta WHERE key = ?";
                transaction.query_row(sql, [key], |row| row.get::<_, String>(0)).optional()
            };
            let count =
                |what: &str| transaction.query_row(&format!("SELECT count(*) FROM {what}"), [], |row| unsigned(row, 0));
            // An input that was known before somebody else made a test of it keeps its first maker; the name has the test's.
            let makers =
                "SELECT CASE WHEN instr(name, ',op:') THEN substr(name, instr(name, ',op:') + 4) ELSE maker END \
                          AS made_by, count(*) FROM inputs WHERE test NOTNULL GROUP BY made_by ORDER BY min(test)";
            Ok(Overview {
                build: value(BUILD)?.and_then(|build| build.parse().ok()).unwrap_or(0),
                progress: value(PROGRESS)?,
                n_inputs: count("inputs")?,
                n_waiting: count(&format!("inputs WHERE state = {WAITING}"))?,
                n_open: count(&format!("inputs WHERE state = {OPEN}"))?,
                tests: list(&transaction, makers, |row| Ok((row.get(0)?, unsigned(row, 1)?)))?,
                n_paths: count("paths")?,
                findings: list(&transaction, "SELECT * FROM findings ORDER BY id", finding)?,
                branches: branches(&transaction)?,
            })
        })
    }

    fn n_inputs(&mut self) -> Result<u64, StoreError> {
        self.attempt(|connection| connection.query_row("SELECT count(*) FROM inputs", [], |row| unsigned(row, 0)))
    }

    fn run(&mut self, run: u64) -> Result<Option<Record>, StoreError> {
        self.attempt(|connection| {
            let mut statement = connection.prepare_cached(&format!("SELECT {RECORD} FROM inputs WHERE run = ?"))?;
            statement.query_row([run as i64], record).optional()
        })
    }

    fn verdicts(&mut self, questions: &[u64]) -> Result<Vec<Option<Verdict>>, StoreError> {
        self.attempt(|connection| {
            let mut statement = connection.prepare_cached("SELECT verdict FROM queries WHERE hash = ?")?;
            let verdict = |&question: &u64| {
                let code = statement.query_row([question as i64], |row| row.get::<_, u8>(0)).optional()?;
                Ok(code.and_then(Verdict::from_code))
            };
            questions.iter().map(verdict).collect()
        })
    }

    fn commit(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        self.attempt(|connection| {
            let transaction = connection.transaction()?;
            changes.iter().try_for_each(|change| apply(&transaction, change))?;
            transaction.commit()
        })
    }

    fn forget_runs(&mut self, build: u64) -> Result<(), StoreError> {
        self.attempt(|connection| {
            let transaction = connection.transaction()?;
            transaction.execute_batch(&format!(
                "DELETE FROM paths; DELETE FROM queries; DELETE FROM findings; DELETE FROM branches;
                 DELETE FROM inputs WHERE state <> {WAITING} AND test IS NULL;
                 UPDATE inputs SET state = {WAITING}, parent = NULL, bound = 0, step = NULL, way = NULL, value = NULL,
                     run = NULL;"
            ))?;
            set(&transaction, BUILD, &build.to_string())?;
            transaction.commit()
        })
    }
}

fn apply(transaction: &Transaction, change: &Change) -> rusqlite::Result<()> {
    let execute = |sql: &str, values: &[&dyn rusqlite::ToSql]| -> rusqlite::Result<()> {
        transaction.prepare_cached(sql)?.execute(values).map(|_| ())
    };
    match change {
        Change::Made(record) => {
            let (step, way, value) = columns(record.aim);
            execute(
                "INSERT OR IGNORE INTO inputs (hash, state, content, maker, parent, bound, step, way, value)
                 VALUES (?, 0, ?, ?, ?, ?, ?, ?, ?)",
                params![
                    hash(record.id),
                    content(&record.input),
                    record.maker,
                    record.parent.map(|parent| parent as i64),
                    record.bound as i64,
                    step,
                    way,
                    value
                ],
            )
        }
        Change::Taken(record) => execute(
            "INSERT INTO inputs (hash, state, content, maker, bound) VALUES (?1, 0, ?2, ?3, ?4)
             ON CONFLICT (hash) DO UPDATE SET state = 0, content = excluded.content, maker = excluded.maker,
                 bound = excluded.bound, parent = NULL, step = NULL, way = NULL, value = NULL, run = NULL
                 WHERE state = ?5 OR (run IS NULL AND substr(maker, 1, length(?6)) = ?6)",
            params![hash(record.id), content(&record.input), record.maker, record.bound as i64, GIVEN, TEAM],
        ),
        Change::Given { run } => execute("UPDATE inputs SET state = ? WHERE run = ?", params![GIVEN, *run as i64]),
        Change::Ran { id, became, input, run, bound, is_closed } => {
            let state = if *is_closed { CLOSED } else { OPEN };
            if id != became {
                become_another(transaction, *id, *became)?;
            }
            execute(
                "INSERT INTO inputs (hash, state, content, maker, bound, run) VALUES (?, ?, ?, '', ?, ?)
                 ON CONFLICT (hash) DO UPDATE SET state = excluded.state, content = excluded.content,
                     bound = excluded.bound, run = excluded.run WHERE run IS NULL",
                params![hash(*became), state, content(input), *bound as i64, *run as i64],
            )
        }
        Change::Closed { run } => execute("UPDATE inputs SET state = 2 WHERE run = ?", params![*run as i64]),
        Change::Path(path) => execute("INSERT OR IGNORE INTO paths VALUES (?)", params![*path as i64]),
        Change::Asked { question, verdict, layer } => {
            execute("INSERT OR REPLACE INTO queries VALUES (?, ?, ?)", params![*question as i64, verdict.code(), layer])
        }
        Change::Branch { place, known } => {
            execute("INSERT OR REPLACE INTO branches VALUES (?, ?)", params![place, known])
        }
        Change::Kept { id, input, maker, kept } => execute(
            "INSERT INTO inputs (hash, state, content, maker, bound, test, name) VALUES (?, 0, ?, ?, 0, ?, ?)
             ON CONFLICT (hash) DO UPDATE SET content = excluded.content, test = excluded.test, name = excluded.name
                 WHERE test IS NULL",
            params![hash(*id), content(input), maker, kept.number as i64, kept.name],
        ),
        Change::Found(finding) => execute(
            "INSERT OR REPLACE INTO findings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                finding.id as i64,
                finding.kind,
                finding.signature as i64,
                finding.run.map(|run| run as i64),
                finding.stack,
                finding.shown_by,
                content(&finding.input),
                finding.path,
                finding.n_runs as i64,
                finding.ended
            ],
        ),
        Change::FoundAgain { id, n_runs } => {
            execute("UPDATE findings SET n_runs = ? WHERE id = ?", params![*n_runs as i64, *id as i64])
        }
        Change::Synced { member, last } => set(transaction, &format!("{SYNCED}{member}"), &last.to_string()),
        Change::Progress(text) => set(transaction, PROGRESS, text),
    }
}

/// Hands an input's story on to the one that it became. If it is a test, its file wants its content.
fn become_another(transaction: &Transaction, id: InputId, became: InputId) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO inputs (hash, state, content, maker, parent, bound, step, way, value)
             SELECT ?, 0, content, maker, parent, bound, step, way, value FROM inputs WHERE hash = ?
             ON CONFLICT (hash) DO UPDATE SET maker = excluded.maker, parent = excluded.parent, step = excluded.step,
                 way = excluded.way, value = excluded.value WHERE run IS NULL",
        )?
        .execute(params![hash(became), hash(id)])?;
    transaction
        .prepare_cached(&format!(
            "UPDATE inputs SET state = {REPLACED}, content = iif(test IS NULL, NULL, content) WHERE hash = ?"
        ))?
        .execute([hash(id)])?;
    Ok(())
}

fn set(transaction: &Transaction, key: &str, value: &str) -> rusqlite::Result<()> {
    transaction.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?, ?)")?.execute([key, value]).map(|_| ())
}

pub(crate) fn list<R>(
    connection: &Connection,
    sql: &str,
    one: impl FnMut(&Row) -> rusqlite::Result<R>,
) -> rusqlite::Result<Vec<R>> {
    connection.prepare(sql)?.query_map([], one)?.collect()
}

/// What is known of branches.
pub(crate) fn branches(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let is_there = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'branches'";
    match connection.query_row(is_there, [], |row| row.get::<_, i64>(0))? {
        0 => Ok(Vec::new()),
        _ => list(connection, "SELECT known FROM branches", |row| row.get(0)),
    }
}

fn hash(id: InputId) -> Vec<u8> {
    id.to_be_bytes().to_vec()
}

fn content(input: &Input) -> Vec<u8> {
    let mut writer = Writer::default();
    input.write(&mut writer);
    writer.bytes
}

fn columns(aim: Option<Aim>) -> (Option<i64>, Option<i64>, Option<i64>) {
    let way = aim.and_then(|aim| aim.way);
    (aim.map(|aim| aim.step as i64), way.map(|(way, _)| i64::from(way)), way.map(|(_, value)| value as i64))
}

/// A field that holds what nobody wrote there.
fn bad(column: usize) -> rusqlite::Error {
    rusqlite::Error::InvalidColumnType(column, "a field".to_owned(), rusqlite::types::Type::Null)
}

pub(crate) fn unsigned(row: &Row, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(|value| value as u64)
}

fn optional(row: &Row, column: usize) -> rusqlite::Result<Option<u64>> {
    row.get::<_, Option<i64>>(column).map(|value| value.map(|value| value as u64))
}

fn id_of(row: &Row) -> rusqlite::Result<InputId> {
    let bytes: Vec<u8> = row.get(0)?;
    bytes.try_into().map(InputId::from_be_bytes).map_err(|_| bad(0))
}

fn input_of(row: &Row, column: usize) -> rusqlite::Result<Input> {
    match row.get::<_, Value>(column)? {
        Value::Blob(bytes) => Input::read(&mut Reader::new(&bytes)).map_err(|_| bad(column)),
        _ => Err(bad(column)),
    }
}

fn record(row: &Row) -> rusqlite::Result<Record> {
    let way = match (row.get::<_, Option<u8>>(6)?, optional(row, 7)?) {
        (Some(way), Some(value)) => Some((way, value)),
        _ => None,
    };
    let state = match (row.get(8)?, optional(row, 9)?) {
        (WAITING, _) => State::Waiting,
        (OPEN, Some(run)) => State::Open { run },
        (CLOSED | GIVEN, Some(run)) => State::Closed { run },
        (REPLACED, _) => State::Replaced,
        _ => return Err(bad(8)),
    };
    let kept = match (optional(row, 10)?, row.get(11)?) {
        (Some(number), Some(name)) => Some(Kept { number, name }),
        _ => None,
    };
    Ok(Record {
        id: id_of(row)?,
        input: input_of(row, 1)?,
        maker: row.get(2)?,
        parent: optional(row, 3)?,
        bound: unsigned(row, 4)?,
        aim: optional(row, 5)?.map(|step| Aim { step, way }),
        state,
        kept,
    })
}

pub(crate) fn finding(row: &Row) -> rusqlite::Result<Finding> {
    Ok(Finding {
        id: unsigned(row, 0)?,
        kind: row.get(1)?,
        signature: unsigned(row, 2)?,
        run: optional(row, 3)?,
        stack: row.get(4)?,
        shown_by: row.get(5)?,
        input: input_of(row, 6)?,
        path: row.get(7)?,
        n_runs: unsigned(row, 8)?,
        ended: row.get(9)?,
    })
}

/// The name of a file that nobody writes.
fn immutable(path: &Path) -> String {
    let name = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let escape = |sign: u8| match sign {
        b'/' | b'.' | b'-' | b'_' => char::from(sign).to_string(),
        sign if sign.is_ascii_alphanumeric() => char::from(sign).to_string(),
        sign => format!("%{sign:02x}"),
    };
    let escaped: String = name.as_os_str().as_encoded_bytes().iter().map(|&sign| escape(sign)).collect();
    format!("file://{escaped}?immutable=1")
}

fn is_without_index(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// Whether the disk is to blame, or what is on it.
pub(crate) fn explain(path: &Path, error: rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    let what = error.to_string();
    match error.sqlite_error_code() {
        Some(
            ErrorCode::DiskFull
            | ErrorCode::ReadOnly
            | ErrorCode::CannotOpen
            | ErrorCode::SystemIoFailure
            | ErrorCode::PermissionDenied
            | ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::FileLockingProtocolFailed
            | ErrorCode::OutOfMemory
            | ErrorCode::NoLargeFileSupport,
        ) => StoreError::Write { path, what },
        _ => StoreError::Damaged { path, what },
    }
}
