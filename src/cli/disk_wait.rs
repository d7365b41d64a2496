//! Limits how long a verb waits for a slow disk, and reports the wait.
//!
//! Contract: reading and opening happen on a thread of their own. The caller waits a limited time, or reports the wait
//! after a moment. An abandoned thread ends with the process.

use super::voice::Output;
use crate::journal::{HANG_CAUSES, Journal, JournalError};
use std::{
    path::Path,
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Duration,
};

/// Too short to notice, and enough for a working disk.
pub(super) const JOURNAL_OPEN_TIMEOUT: Duration = Duration::from_secs(1);

/// The longest wait before the first frame.
pub(super) const AT_ONCE: Duration = Duration::from_millis(250);

/// Work on a thread of its own.
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

    /// `None` if it is not done in time; it goes on.
    pub(super) fn within(&self, patience: Duration) -> Option<T> {
        self.0.recv_timeout(patience).ok()
    }

    /// Waits without a limit; `None` if it will never be done.
    pub(super) fn end(self) -> Option<T> {
        self.0.recv().ok()
    }
}

/// Reads the journal in `dir`, whoever writes it; `None` if it cannot be read in time.
pub(super) fn looked<T: Send + 'static>(
    dir: &Path,
    read: impl FnOnce(&Journal) -> Result<T, JournalError> + Send + 'static,
) -> Option<T> {
    let dir = dir.to_owned();
    let look = Work::begin(move || read(&Journal::open_read_only(&dir).ok()?).ok());
    look.within(JOURNAL_OPEN_TIMEOUT).flatten()
}

/// Does `work` without a limit; reports `words` on standard error after a moment.
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

/// The message about a journal that cannot be opened in time.
pub(super) fn no_answer(dir: &Path) -> String {
    format!(
        "the journal in {} does not answer: {HANG_CAUSES}",
        dir.display()
    )
}
