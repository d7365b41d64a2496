//! The processes that have the journal open for writing.
//!
//! Contract: each holds a lock on a file of its own in `writers`, whose name the rows have that it sends. The lock ends with
//! the process, however it ends: what a row of a dead writer says is in flight is nobody's any more. The file goes with
//! its writer, or with the next one that opens the journal.

use crate::disk::{self, HeldFile, own_file, private_file};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
    process,
};
use uuid::Uuid;

const DIR: &str = "writers";
/// Written after the process number by a process that flattens on SIGUSR1.
const LISTENS: &str = " listens";

/// The name of a writer. A JSON number holds it exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WriterId(u64);

impl WriterId {
    fn random() -> Self {
        Self(Uuid::new_v4().as_u64_pair().0 >> 12)
    }

    fn path(self, dir: &Path) -> PathBuf {
        dir.join(DIR).join(format!("{:013x}", self.0))
    }

    /// Whether its process has the journal in `dir` open.
    pub fn is_alive(self, dir: &Path) -> bool {
        match own_file(&self.path(dir)) {
            Ok(file) => is_locked(&file),
            Err(why) => why.kind() != io::ErrorKind::NotFound,
        }
    }

    /// Its process; `None` if that is over.
    pub(super) fn process(self, dir: &Path) -> Option<u32> {
        Some(living(&self.path(dir))?.number)
    }
}

/// This process as a writer.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) id: WriterId,
    /// Locked as long as it is open.
    file: File,
    held: HeldFile,
}

impl Writer {
    /// Must be called while the log is locked: nobody takes the new file for one that a dead writer has left.
    pub(super) fn register(dir: &Path) -> io::Result<Self> {
        let writers = dir.join(DIR);
        disk::private_dir(&writers)?;
        for path in files(&writers) {
            if !own_file(&path).is_ok_and(|file| is_locked(&file)) {
                remove(&path);
            }
        }
        let id = WriterId::random();
        let path = id.path(dir);
        let mut file = private_file(&path)?;
        file.lock()?;
        // It is for people only: a full disk is no obstacle.
        let _unnamed = file.write_all(process::id().to_string().as_bytes());
        let held = HeldFile::at(&path)?;
        Ok(Self { id, file, held })
    }

    /// Whether its file was deleted: others take it for dead.
    pub(super) fn is_gone(&self) -> bool {
        self.held.is_gone()
    }

    /// Marks this process as one that flattens on SIGUSR1.
    pub(super) fn announce(&self) -> io::Result<()> {
        (&self.file).write_all(LISTENS.as_bytes())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        remove(self.held.path());
    }
}

/// A process that has a journal open for writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriterProcess {
    pub number: u32,
    /// Whether it flattens on SIGUSR1; the signal would end any other process.
    pub listens: bool,
}

/// The processes that have the journal in `dir` open for writing.
pub fn writer_processes(dir: &Path) -> Vec<WriterProcess> {
    let files = files(&dir.join(DIR));
    files.filter_map(|path| living(&path)).collect()
}

fn living(path: &Path) -> Option<WriterProcess> {
    if !is_locked(&own_file(path).ok()?) {
        return None;
    }
    let text = String::from_utf8(disk::read_own(path).ok()?).ok()?;
    Some(WriterProcess {
        number: text.trim_end_matches(LISTENS).parse().ok()?,
        listens: text.ends_with(LISTENS),
    })
}

/// Shared, so that two processes that look do not take each other for a writer.
fn is_locked(file: &File) -> bool {
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

fn files(writers: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(writers).into_iter().flatten().flatten();
    entries.map(|entry| entry.path())
}

/// What is left of it harms nobody.
fn remove(path: &Path) {
    let _left = fs::remove_file(path);
}
