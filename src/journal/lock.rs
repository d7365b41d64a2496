//! The lock of the process that writes the journal.

use super::{Holder, JournalError};
use crate::disk;
use std::{
    fs::{File, TryLockError},
    io::{self, Seek as _, SeekFrom, Write as _},
    path::Path,
    process,
    sync::Arc,
    thread,
    time::Duration,
};

const LOCK: &str = "journal.lock";
/// Attempts to lock while another process only looks who holds the lock.
const LOCK_ATTEMPTS: u32 = 50;
const A_GLANCE: Duration = Duration::from_millis(1);

/// Locks the journal for this process as long as the file is held, and writes the process number into it. The lock ends
/// with the process: the file is never deleted, and its age means nothing.
pub(super) fn lock(dir: &Path) -> Result<File, JournalError> {
    let place = |why: io::Error| JournalError::Place {
        path: dir.to_owned(),
        why: Arc::new(why),
    };
    disk::private_dir(dir).map_err(place)?;
    let mut claimed = disk::claim(&dir.join(LOCK)).map_err(place)?;
    for _ in 0..LOCK_ATTEMPTS {
        if claimed.is_some() || lock_holder(dir).is_some() {
            break;
        }
        thread::park_timeout(A_GLANCE);
        claimed = disk::claim(&dir.join(LOCK)).map_err(place)?;
    }
    let Some(mut lock) = claimed else {
        return Err(JournalError::Held(Holder {
            dir: dir.to_owned(),
            process: named(dir).map(|holder| holder.process),
        }));
    };
    // The number only identifies the holder: a full disk must not prevent the lock.
    let _unnamed = lock
        .set_len(0)
        .and_then(|()| lock.write_all(process::id().to_string().as_bytes()));
    Ok(lock)
}

/// Written after the process number by a process that flattens on SIGUSR1.
const LISTENS: &str = " listens";

/// Marks this process in the lock file as one that flattens on SIGUSR1.
pub(super) fn announce(mut lock: &File) -> io::Result<()> {
    lock.seek(SeekFrom::End(0))?;
    lock.write_all(LISTENS.as_bytes())
}

/// A process that holds a journal now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LockHolder {
    pub process: u32,
    /// Whether it flattens on SIGUSR1; the signal would end any other process.
    pub listens: bool,
}

/// The process that holds the journal in `dir`, if any.
pub fn lock_holder(dir: &Path) -> Option<LockHolder> {
    let lock = disk::own_file(&dir.join(LOCK)).ok()?;
    // Shared, so that two processes that look do not take each other for a holder.
    match lock.try_lock_shared() {
        Err(TryLockError::WouldBlock) => named(dir),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

fn named(dir: &Path) -> Option<LockHolder> {
    let text = String::from_utf8(disk::read_own(&dir.join(LOCK)).ok()?).ok()?;
    Some(LockHolder {
        process: text.trim_end_matches(LISTENS).trim().parse().ok()?,
        listens: text.ends_with(LISTENS),
    })
}
