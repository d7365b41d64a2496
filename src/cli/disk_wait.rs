//! How long a verb waits for a disk that may hang, and that it says so.
//!
//! Contract: what is read or opened here is on a thread of its own; whoever waits for it has a bound, or a word about it
//! after a moment. A thread that is waited for no longer ends with the process.

use super::voice::Output;
use crate::journal::{Journal, JournalError};
use std::{
    path::Path,
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Duration,
};

/// What a person does not notice, and a disk that works does not need.
pub(super) const JOURNAL_OPEN_TIMEOUT: Duration = Duration::from_secs(1);

/// Before the first frame nobody waits longer for anything.
pub(super) const AT_ONCE: Duration = Duration::from_millis(250);

/// What a thread of its own is at.
#[derive(Debug)]
pub(super) struct Work<T>(Receiver<T>);

impl<T: Send + 'static> Work<T> {
    pub(super) fn begin(work: impl FnOnce() -> T + Send + 'static) -> Self {
        let (done, result) = channel();
        thread::spawn(move || {
            // Nobody waits for it any more.
            let _late = done.send(work());
        });
        Self(result)
    }

    /// `None` where it is not done by then; it goes on.
    pub(super) fn within(&self, patience: Duration) -> Option<T> {
        self.0.recv_timeout(patience).ok()
    }

    /// However long it takes; `None` where it will never be done.
    pub(super) fn end(self) -> Option<T> {
        self.0.recv().ok()
    }
}

/// From the journal in `dir`, whoever writes it; `None` where it cannot be read, or not in a moment.
pub(super) fn looked<T: Send + 'static>(
    dir: &Path,
    read: impl FnOnce(&Journal) -> Result<T, JournalError> + Send + 'static,
) -> Option<T> {
    let dir = dir.to_owned();
    let look = Work::begin(move || read(&Journal::open_read_only(&dir).ok()?).ok());
    look.within(JOURNAL_OPEN_TIMEOUT).flatten()
}

/// Does `work`, however long it takes; after a moment `words` are said on standard error.
pub(super) fn saying<T>(words: String, work: impl FnOnce() -> T) -> T {
    let (done, waits) = channel::<()>();
    thread::spawn(move || {
        if waits.recv_timeout(JOURNAL_OPEN_TIMEOUT) == Err(RecvTimeoutError::Timeout) {
            Output::from_command_line().note(&words);
        }
    });
    let result = work();
    drop(done);
    result
}

/// What is said of a disk that hangs.
pub(super) fn no_answer(dir: &Path) -> String {
    format!(
        "the disk of the journal in {} does not answer",
        dir.display()
    )
}
