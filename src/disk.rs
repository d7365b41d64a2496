//! Files that only their owner may read, kept by one process at a time or put in their place whole, and `SQLite`
//! databases that have reached the disk when a commit returns.
//!
//! Known limit: not for network file systems, where neither the lock nor the sync is to be relied on.

mod owned;
mod rotating;

pub use owned::{
    is_own_user, must_be_own, must_be_private, own_file, read_own, read_text, secret_file,
    trusted_file,
};
pub use rotating::Rotating;

use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig};
use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    process,
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

/// Makes a directory only its owner may enter, and those above it; one that exists is made so.
pub fn private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700).create(dir)?;
    if let Some(mode) = owned::own_dir(dir)? {
        tracing::warn!("{}", closed(dir, mode));
    }
    Ok(())
}

/// Opens or creates a file only its owner may read; an older file's looser mode is tightened, or it is not opened.
pub fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    closed_file(path, &mut options)
}

/// Opens a file as said, which nobody else may own or reach any more.
fn closed_file(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = owned::open_own(path, options.mode(0o600))?;
    if let Some(mode) = owned::tighten(path, &file, &file.metadata()?)? {
        tracing::warn!("{}", closed(path, mode));
    }
    Ok(file)
}

/// Puts `bytes` in the place of what the file at `path` held, if it was there. Whoever reads it, and the next start after
/// a power cut, finds the one or the other and never a half.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    put(path, |file| file.write_all(bytes))
}

/// Names under which damaged files of one place are kept.
const DAMAGED: u32 = 100;

/// Gives a file that cannot be used another name beside its own; answers which.
pub fn set_aside(path: &Path) -> io::Result<PathBuf> {
    for number in 1..=DAMAGED {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".damaged-{number}"));
        let aside = PathBuf::from(name);
        if fs::symlink_metadata(&aside).is_err() {
            fs::rename(path, &aside)?;
            return Ok(aside);
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// The same for a file that is not there: [`io::ErrorKind::AlreadyExists`] if it is. The name is taken first, empty;
/// where that is all that comes of it, it goes again.
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    created(path, |file| file.write_all(bytes))
}

fn created(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    drop(fresh_file(path)?);
    put(path, fill).inspect_err(|_| discard(path))
}

/// Writes beside the file and puts it there when it has reached the disk.
fn put(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let (beside, mut half) = beside(path)?;
    let filled = fill(&mut half).and_then(|()| half.sync_all());
    let placed = filled.and_then(|()| fs::rename(&beside, path));
    placed.inspect_err(|_| discard(&beside))?;
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    sync_dir(dir.unwrap_or(Path::new(".")))
}

/// What cannot be removed is not what anybody has to hear first.
fn discard(path: &Path) {
    let _left = fs::remove_file(path);
}

/// Nobody adds to a place with this many halves in it.
const HALVES: u32 = 100;

/// A file of a name that nothing else has: others may write for the same place, in this process too.
fn beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut tries = 1..=HALVES;
    loop {
        let number = tries.next().ok_or(io::ErrorKind::AlreadyExists)?;
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}-{number}.part", process::id()));
        let name = PathBuf::from(name);
        match fresh_file(&name) {
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {}
            made => return Ok((name, made?)),
        }
    }
}

/// Makes a file that only its owner may read; fails where there is one.
pub fn fresh_file(path: &Path) -> io::Result<File> {
    let mut fresh = OpenOptions::new();
    fresh.write(true).create_new(true).mode(0o600).open(path)
}

/// Takes from the group and the others what they may do with a file or a directory of ours; the mode it had, if that
/// was something. What is not ours, or everybody's, stays as it is.
pub fn close_to_others(path: &Path) -> Option<u32> {
    if path.is_dir() {
        return owned::own_dir(path).ok()?;
    }
    let file = own_file(path).ok()?;
    owned::tighten(path, &file, &file.metadata().ok()?).ok()?
}

/// For the log, once: the next start finds it closed.
pub fn closed(path: &Path, mode: u32) -> String {
    let (path, mode) = (path.display(), mode & 0o777);
    format!(
        "{path} was open to other users of this machine (mode {mode:03o}); it is yours alone now"
    )
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

/// Whether an error says that there is no room. Where the log's shared memory cannot grow, `SQLite` speaks of an error
/// in reading or writing.
pub fn is_full(why: &rusqlite::Error) -> bool {
    let rusqlite::Error::SqliteFailure(why, _) = why else {
        return false;
    };
    why.code == ErrorCode::DiskFull || why.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE
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
    use std::{fs::Permissions, os::unix::fs::PermissionsExt as _};

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
    fn what_others_could_read_or_enter_is_closed_when_it_is_opened() {
        let dir = tempfile::tempdir().unwrap();
        let (state, file) = (dir.path().join("state"), dir.path().join("state/journal"));
        fs::create_dir(&state).unwrap();
        fs::write(&file, b"kept").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        for (path, open) in [(&state, 0o755), (&file, 0o644)] {
            fs::set_permissions(path, Permissions::from_mode(open)).unwrap();
        }
        private_dir(&state).unwrap();
        drop(private_file(&file).unwrap());
        assert_eq!((mode(&state), mode(&file)), (0o700, 0o600));
        assert_eq!(fs::read(&file).unwrap(), b"kept");
        assert_eq!(close_to_others(&state), None, "said once");
        fs::set_permissions(&state, Permissions::from_mode(0o1777)).unwrap();
        private_dir(&state).unwrap();
        assert_eq!(mode(&state), 0o1777, "a place for everybody stays one");
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

    fn count(dir: &Path) -> usize {
        fs::read_dir(dir).unwrap().count()
    }

    #[test]
    fn a_file_is_replaced_whole_or_stays_as_it_was_and_is_its_owners_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("kept");
        replace(&path, b"old").unwrap();
        let full = put(&path, |file| {
            file.write_all(b"ne")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(full.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(
            (fs::read(&path).unwrap(), count(dir.path())),
            (b"old".to_vec(), 1)
        );
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        replace(&path, b"new").unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!((fs::read(&path).unwrap(), mode), (b"new".to_vec(), 0o600));
    }

    #[test]
    fn what_is_written_in_one_place_at_once_is_one_of_them_and_leaves_nothing_beside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("kept");
        std::thread::scope(|scope| {
            for byte in b'a'..=b'h' {
                let path = &path;
                scope.spawn(move || replace(path, &[byte; 4096]).unwrap());
            }
        });
        let kept = fs::read(&path).unwrap();
        assert!(kept.len() == 4096 && kept.iter().all(|byte| *byte == kept[0]));
        assert_eq!(count(dir.path()), 1);
    }

    #[test]
    fn a_new_file_takes_nobodys_place_and_on_a_full_disk_leaves_nothing_that_looks_like_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("history.csv");
        let full = created(&path, |file| {
            file.write_all(b"half a row")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(full.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(count(dir.path()), 0);
        create(&path, b"whole").unwrap();
        let taken = create(&path, b"another").unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(
            (fs::read(&path).unwrap(), count(dir.path())),
            (b"whole".to_vec(), 1)
        );
    }
}
