//! Files that belong to this user alone, with the rules of ssh: a file that somebody else owns or can write is not
//! trusted and not written.
//!
//! Contract: a file is opened first and then checked through its descriptor, so that nobody can replace it in between.
//! Anything but a regular file is refused at once: a FIFO cannot hang. Root may own files that are only read.

use super::bounded::at_most;
use rustix::{fs::OFlags, process::geteuid};
use std::{
    env,
    ffi::OsStr,
    fmt,
    fs::{File, Metadata, OpenOptions, Permissions},
    io::{self, Read as _},
    os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
};

/// The mode bits of group and others; the bits with which they write.
pub(super) const OTHERS: u32 = 0o077;
const OTHERS_WRITE: u32 = 0o022;
/// Of a shared directory such as `/tmp`: nobody can move another user's files.
pub(super) const STICKY: u32 = 0o1000;
const ROOT: u32 = 0;

/// What is wrong with a file or directory, and the command that fixes it.
#[derive(Debug)]
pub(super) struct Refusal {
    what: String,
    command: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: run {}", self.what, self.command)
    }
}

impl std::error::Error for Refusal {}

pub(super) fn refused(what: String, command: &str, path: &Path) -> io::Error {
    let command = format!("{command} '{}'", path.display());
    io::Error::new(io::ErrorKind::PermissionDenied, Refusal { what, command })
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    OsStr::to_string_lossy(name).into_owned()
}

fn me() -> u32 {
    geteuid().as_raw()
}

/// Opening a FIFO does not wait, and no terminal becomes this process's controlling one.
pub(super) const SAFE: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

pub(super) fn flags(flags: OFlags) -> i32 {
    // The system's own type for flags.
    i32::try_from(flags.bits()).unwrap_or_default()
}

/// Opens a file of this user for reading; does not follow a symbolic link.
pub fn own_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    open_own(path, &mut options)
}

/// The contents of a small file of this user.
pub fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = vec![];
    at_most(MOST, own_file(path)?).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The program reads no longer file.
const MOST: u64 = 16 * 1024 * 1024;

/// Opens a file that only this user may own, without hard links, and removes access for others.
pub(super) fn open_own(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let options = options.custom_flags(flags(SAFE.union(OFlags::NOFOLLOW)));
    let file = options.open(path).map_err(|why| no_link(path, why))?;
    let found = file.metadata()?;
    must_be_regular(path, &found)?;
    must_be_owned(path, &found, &[me()])?;
    if found.nlink() > 1 {
        let what = format!("{} has another name somewhere (a hard link)", name(path));
        return Err(refused(what, "rm", path));
    }
    Ok(file)
}

fn no_link(path: &Path, why: io::Error) -> io::Error {
    if path.is_symlink() {
        let what = format!("{} is a symbolic link, and is not followed", name(path));
        return refused(what, "rm", path);
    }
    why
}

fn must_be_regular(path: &Path, found: &Metadata) -> io::Result<()> {
    let kind = found.file_type();
    if kind.is_file() {
        return Ok(());
    }
    let (what, command) = if kind.is_dir() {
        ("a directory", "ls -ld")
    } else if kind.is_fifo() {
        ("a FIFO", "rm")
    } else {
        ("a device or a socket", "ls -l")
    };
    Err(refused(
        format!("{} is {what}, not a regular file", name(path)),
        command,
        path,
    ))
}

fn must_be_owned(path: &Path, found: &Metadata, owners: &[u32]) -> io::Result<()> {
    if owners.contains(&found.uid()) {
        return Ok(());
    }
    let what = format!(
        "{} belongs to user {}, and you are user {}",
        name(path),
        found.uid(),
        me()
    );
    Err(refused(what, &format!("chown {}", me()), path))
}

/// The contents of any file a person names; anything but a regular file is an error.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(flags(SAFE)).open(path)?;
    must_be_regular(path, &file.metadata()?)?;
    let mut text = String::new();
    at_most(MOST, file).read_to_string(&mut text)?;
    Ok(text)
}

/// Opens a file that decides what is run or where a key goes. It must belong to this user or root, and nobody else may
/// write it or its directories. Links are followed, and their targets must meet the same rules.
pub fn trusted_file(path: &Path) -> io::Result<File> {
    owned_file(path, |path, file| {
        let mode = file.metadata()?.mode();
        if mode & OTHERS_WRITE == 0 {
            return Ok(());
        }
        let what = format!(
            "other users of this machine may write to {} (mode {:03o})",
            name(path),
            mode & 0o777
        );
        Err(refused(what, "chmod go-w", path))
    })
}

/// Opens a file that holds a key: nobody else may read or replace it.
pub fn secret_file(path: &Path) -> io::Result<File> {
    owned_file(path, must_be_private)
}

/// Opens a file of this user or root whose mode `must` allows, in directories that nobody else may write.
fn owned_file(path: &Path, must: impl Fn(&Path, &File) -> io::Result<()>) -> io::Result<File> {
    let path = path.canonicalize()?;
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(flags(SAFE)).open(&path)?;
    let found = file.metadata()?;
    must_be_regular(&path, &found)?;
    must_be_owned(&path, &found, &[ROOT, me()])?;
    must(&path, &file)?;
    must_be_guarded(&path)?;
    Ok(file)
}

/// Refuses an open file that others can read or change.
pub fn must_be_private(path: &Path, file: &File) -> io::Result<()> {
    let mode = file.metadata()?.mode();
    if mode & OTHERS == 0 {
        return Ok(());
    }
    let what = format!(
        "other users of this machine can reach it (mode {:03o})",
        mode & 0o777
    );
    Err(refused(what, "chmod 600", path))
}

/// Refuses a path through a directory in which somebody else could replace the file. The check stops at the home
/// directory if the path leads through it.
fn must_be_guarded(path: &Path) -> io::Result<()> {
    let home = env::home_dir().and_then(|home| home.canonicalize().ok());
    for dir in path.ancestors().skip(1) {
        let found = dir.metadata()?;
        let mode = found.mode();
        if ![ROOT, me()].contains(&found.uid()) {
            let what = format!(
                "the directory {} belongs to user {}, who could change what is in it",
                dir.display(),
                found.uid()
            );
            return Err(refused(what, &format!("chown {}", me()), dir));
        }
        if mode & OTHERS_WRITE != 0 && mode & STICKY == 0 {
            let what = format!(
                "other users of this machine may write to the directory {} (mode {:03o})",
                dir.display(),
                mode & 0o777
            );
            return Err(refused(what, "chmod go-w", dir));
        }
        if home.as_deref() == Some(dir) {
            break;
        }
    }
    Ok(())
}

/// Removes the group's and others' access to this user's directory; returns the old mode if it changed. Leaves a shared
/// directory such as `/tmp`, and the home directory, as they are.
pub(super) fn own_dir(path: &Path) -> io::Result<Option<u32>> {
    let link = path.symlink_metadata()?;
    if link.is_symlink() {
        must_be_owned(path, &link, &[ROOT, me()])?;
    }
    let mut options = OpenOptions::new();
    let options = options
        .read(true)
        .custom_flags(flags(SAFE.union(OFlags::DIRECTORY)));
    let dir = options.open(path)?;
    let found = dir.metadata()?;
    let is_everybodys = found.mode() & STICKY != 0;
    if is_everybodys && found.uid() == ROOT {
        return Ok(None);
    }
    must_be_owned(path, &found, &[me()])?;
    tighten(path, &dir, &found)
}

/// The same for an open file or directory of this user, through its descriptor.
pub(super) fn tighten(path: &Path, file: &File, found: &Metadata) -> io::Result<Option<u32>> {
    let mode = found.permissions().mode();
    let is_open = mode & OTHERS != 0 && mode & STICKY == 0;
    let is_home = || env::home_dir().is_some_and(|home| home == path);
    if !is_open || is_home() {
        return Ok(None);
    }
    file.set_permissions(Permissions::from_mode(mode & 0o7777 & !OTHERS))?;
    Ok(Some(mode))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs,
        os::unix::fs::{chown, symlink},
        path::PathBuf,
        process::Command,
    };
    use tempfile::TempDir;

    /// A user who is neither root nor the one that runs the tests.
    const SOMEBODY: u32 = 54_321;

    /// Only root can give files away; without root the cases of foreign files are skipped.
    fn gives_away(path: &Path) -> bool {
        me() == ROOT && chown(path, Some(SOMEBODY), None).is_ok()
    }

    fn place() -> (TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.toml");
        fs::write(&file, "text").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        (dir, file)
    }

    type Open = fn(&Path) -> io::Result<File>;

    fn said(open: Open, path: &Path) -> String {
        open(path).map_or_else(|why| why.to_string(), |_| "opened".to_owned())
    }

    #[test]
    fn what_others_own_or_may_write_is_refused_with_the_command_that_mends_it() {
        let (dir, file) = place();
        let all: [Open; 3] = [trusted_file, secret_file, own_file];
        assert_eq!(all.map(|open| said(open, &file)), ["opened"; 3]);
        let shown = file.display().to_string();

        fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
        let writable = format!(
            "other users of this machine may write to a.toml (mode 666): run chmod go-w '{shown}'"
        );
        assert_eq!(said(trusted_file, &file), writable);
        let readable =
            format!("other users of this machine can reach it (mode 666): run chmod 600 '{shown}'");
        assert_eq!(said(secret_file, &file), readable);
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        assert_eq!(said(trusted_file, &file), "opened");
        assert!(said(secret_file, &file).contains("(mode 644): run chmod 600"));

        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        fs::set_permissions(dir.path(), Permissions::from_mode(0o777)).unwrap();
        for open in [trusted_file, secret_file] {
            let why = said(open, &file);
            assert!(
                why.contains("may write to the directory") && why.contains("run chmod go-w"),
                "{why}"
            );
        }
        fs::set_permissions(dir.path(), Permissions::from_mode(0o700)).unwrap();
        if gives_away(&file) {
            for open in all {
                let why = said(open, &file);
                assert!(
                    why.contains("a.toml belongs to user 54321, and you are user 0: run chown 0"),
                    "{why}"
                );
            }
            assert!(gives_away(dir.path()));
            assert!(own_dir(dir.path()).is_err());
        }
    }

    #[test]
    fn a_fifo_is_an_error_and_no_hang_and_a_link_is_not_followed_where_we_write() {
        let (dir, file) = place();
        let fifo = dir.path().join("fifo");
        assert!(
            Command::new("mkfifo")
                .arg(&fifo)
                .status()
                .unwrap()
                .success()
        );
        let every: [Open; 4] = [
            trusted_file,
            secret_file,
            own_file,
            super::super::private_file,
        ];
        for open in every {
            let why = said(open, &fifo);
            assert!(
                why.contains("fifo is a FIFO, not a regular file: run rm"),
                "{why}"
            );
        }
        assert!(read_text(&fifo).is_err());

        let link = dir.path().join("link");
        symlink(&file, &link).unwrap();
        for open in [own_file, super::super::private_file as Open] {
            let why = said(open, &link);
            assert!(
                why.contains("link is a symbolic link, and is not followed: run rm"),
                "{why}"
            );
        }
        assert_eq!(said(trusted_file, &link), "opened", "as ssh does");
        assert_eq!(fs::read(&file).unwrap(), b"text");
        let second = dir.path().join("second");
        fs::hard_link(&file, &second).unwrap();
        assert!(said(own_file, &file).contains("has another name"));
    }
}
