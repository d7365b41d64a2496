//! Files that only their owner may read, kept by one process at a time, and `SQLite` databases that have reached the
//! disk when a commit returns.
//!
//! Known limit: not for network file systems, where neither the lock nor the sync is to be relied on.

use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig};
use std::{
    fs::{DirBuilder, File, OpenOptions, TryLockError},
    io,
    path::Path,
};

/// Takes `path` for this process for as long as the file is held; `None` while another process has it. The lock dies
/// with the process, so the file is never deleted and its age means nothing.
pub fn claim(path: &Path) -> io::Result<Option<File>> {
    let file = private_file(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(why)) => Err(why),
    }
}

/// Makes a directory only its owner may enter, and those above it; one that exists stays as it is.
pub fn private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Opens or creates a file only its owner may read; an older file's looser mode is tightened.
pub fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(file)
}

/// The name of a new file is durable only when its directory is.
pub fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// Opens a database to look at it. Nothing is written before [`make_durable`], not even on closing, so that a file
/// that turns out not to be usable stays as it was.
pub fn inspect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // One connection, one process: no shared memory file, and no other reader of a half-written page.
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    Ok(connection)
}

/// What `SQLite` finds wrong with the file; `None` is a sound one.
pub fn complaint(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let verdict: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
    Ok((verdict != "ok").then_some(verdict))
}

/// From here on a commit that returned has reached the disk.
pub fn make_durable(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    // Plain fsync does not reach the platter on macOS; elsewhere these do nothing.
    connection.pragma_update(None, "fullfsync", "ON")?;
    connection.pragma_update(None, "checkpoint_fullfsync", "ON")
}

/// Whether an error says that the file is no sound database, rather than that it could not be reached.
pub fn is_damage(why: &rusqlite::Error) -> bool {
    let code = why.sqlite_error_code();
    matches!(
        code,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_that_returned_has_been_synced_and_a_look_alone_writes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.sqlite3");
        drop(private_file(&path).unwrap());
        let connection = inspect(&path).unwrap();
        assert_eq!(complaint(&connection).unwrap(), None);
        drop(connection);
        assert_eq!(std::fs::read(&path).unwrap(), b"");
        let connection = inspect(&path).unwrap();
        make_durable(&connection).unwrap();
        let setting = |name: &str| -> String {
            let value = connection.pragma_query_value(None, name, |row| row.get(0));
            let value: rusqlite::types::Value = value.unwrap();
            format!("{value:?}")
        };
        assert_eq!(setting("journal_mode"), "Text(\"wal\")");
        assert_eq!(setting("synchronous"), "Integer(2)", "FULL");
    }

    #[test]
    fn what_one_process_holds_no_other_gets() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let held = claim(&path).unwrap();
        assert!(held.is_some() && claim(&path).unwrap().is_none());
        drop(held);
        assert!(claim(&path).unwrap().is_some());
    }
}
