//! Private files, written by one process at a time or replaced atomically, and logs that are appended to. Names no other
//! module.
//!
//! Known limit: not for network file systems, where neither the lock nor the sync is reliable.

mod bounded;
mod held_file;
mod log;
mod owned;
mod rotating;

pub use bounded::{Bounded, at_most};
pub use held_file::HeldFile;
pub use log::{LockedLog, Log, LogDamage, LogError, Mark, Reserve};
pub use owned::{must_be_private, own_file, read_own, read_text, secret_file, trusted_file};
pub use rotating::Rotating;

use rustix::io::Errno;
use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    process,
};

/// Locks `path` for this process as long as the file is held; `None` while another process holds it. The lock ends with
/// the process, so the file is never deleted and its age means nothing.
pub fn claim(path: &Path) -> io::Result<Option<File>> {
    let file = private_file(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(why)) => Err(why),
    }
}

/// Fails if this process may not open so many more files and connections at once.
pub fn room_for(files: usize) -> io::Result<()> {
    let opened: io::Result<Vec<_>> = (0..files).map(|_| File::open("/dev/null")).collect();
    let is_limit = |why: &io::Error| {
        let limits = [Errno::MFILE, Errno::NFILE];
        limits
            .into_iter()
            .any(|limit| why.raw_os_error() == Some(limit.raw_os_error()))
    };
    match opened {
        Err(why) if is_limit(&why) => Err(io::Error::other(
            "too few files and connections may be open at once (ulimit -n; 64 are enough)",
        )),
        opened => opened.map(drop),
    }
}

/// Creates a directory that only its owner can enter, with its parents; removes others' access to an existing one.
pub fn private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700).create(dir)?;
    if let Some(mode) = owned::own_dir(dir)? {
        tracing::warn!("{}", closed(dir, mode));
    }
    Ok(())
}

/// Opens or creates a file that only its owner can read; a looser mode is tightened, or the file is refused.
pub fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    closed_file(path, &mut options)
}

/// Opens a file with these options; nobody else may own or access it.
fn closed_file(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = owned::open_own(path, options.mode(0o600))?;
    if let Some(mode) = owned::tighten(path, &file, &file.metadata()?)? {
        tracing::warn!("{}", closed(path, mode));
    }
    Ok(file)
}

/// Replaces the file at `path` with `bytes`. A reader, also after a power cut, finds the old or the new contents, never
/// a part.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    put(path, |file| file.write_all(bytes))
}

/// Names under which damaged files of one place are kept.
const DAMAGED: u32 = 100;

/// Gives a file that cannot be used another name beside its own; answers which.
pub fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let aside = aside(path)?;
    fs::rename(path, &aside)?;
    Ok(aside)
}

/// Copies a damaged file to a name beside its own; answers which. The copy is on the disk when this returns, or there is
/// none.
pub fn copy_aside(path: &Path) -> io::Result<PathBuf> {
    let aside = aside(path)?;
    let mut copy = fresh_file(&aside)?;
    let copied = io::copy(&mut own_file(path)?, &mut copy).and_then(|_| copy.sync_all());
    copied.inspect_err(|_| discard(&aside))?;
    Ok(aside)
}

/// A free name for a damaged file.
fn aside(path: &Path) -> io::Result<PathBuf> {
    let names = (1..=DAMAGED).map(|number| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".damaged-{number}"));
        PathBuf::from(name)
    });
    let mut free = names.filter(|name| fs::symlink_metadata(name).is_err());
    free.next().ok_or(io::ErrorKind::AlreadyExists.into())
}

/// Writes a new file at `path`; [`io::ErrorKind::AlreadyExists`] if there is one. The name is taken first, empty;
/// where that is all that comes of it, it goes again.
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    created(path, |file| file.write_all(bytes))
}

fn created(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    drop(fresh_file(path)?);
    put(path, fill).inspect_err(|_| discard(path))
}

/// Writes a temporary file, syncs it and renames it to `path`.
fn put(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let (temporary, mut half) = temporary_file(path)?;
    let filled = fill(&mut half).and_then(|()| half.sync_all());
    let placed = filled.and_then(|()| fs::rename(&temporary, path));
    placed.inspect_err(|_| discard(&temporary))?;
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    sync_dir(dir.unwrap_or(Path::new(".")))
}

/// A failure to remove is not worth reporting.
fn discard(path: &Path) {
    let _left = fs::remove_file(path);
}

/// Temporary files of one path, after which the write fails.
const TEMPORARY_FILES: u32 = 100;

/// A new temporary file beside `path`: another writer may write the same path, in this process too.
fn temporary_file(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut tries = 1..=TEMPORARY_FILES;
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

/// Creates a file that only its owner can read; fails if it exists.
pub fn fresh_file(path: &Path) -> io::Result<File> {
    let mut fresh = OpenOptions::new();
    fresh.write(true).create_new(true).mode(0o600).open(path)
}

/// Removes the group's and others' access to a file or directory of this user; returns the old mode if it changed.
/// Leaves shared ones, and those of other users, as they are.
pub fn close_to_others(path: &Path) -> Option<u32> {
    if path.is_dir() {
        return owned::own_dir(path).ok()?;
    }
    let file = own_file(path).ok()?;
    owned::tighten(path, &file, &file.metadata().ok()?).ok()?
}

/// The log line; the next start finds the mode fixed.
pub fn closed(path: &Path, mode: u32) -> String {
    let (path, mode) = (path.display(), mode & 0o777);
    format!(
        "{path} was open to other users of this machine (mode {mode:03o}); it is yours alone now"
    )
}

/// A new file's name is durable only after its directory is synced.
pub fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::Permissions, os::unix::fs::PermissionsExt as _};

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
