//! Limits how long a verb waits for a slow disk, and reports the wait.
//!
//! Contract: reading and opening happen on a thread of their own. The caller waits a limited time, or reports the wait
//! after a moment. An abandoned thread ends with the process.

use super::voice::Output;
use crate::journal::{Journal, JournalError};
use std::{
    collections::VecDeque,
    path::Path,
    sync::{
        Condvar, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
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

/// Work that waits for a thread whose own is done. The start of a desk has five short pieces of work, and a thread costs more
/// than most of them.
struct Waiting {
    jobs: VecDeque<Box<dyn FnOnce() + Send>>,
    idle_threads: usize,
}

static WAITING: Mutex<Waiting> = Mutex::new(Waiting {
    jobs: VecDeque::new(),
    idle_threads: 0,
});
static ARRIVED: Condvar = Condvar::new();

/// How long a thread waits for more work.
const IDLE_TIMEOUT: Duration = Duration::from_millis(100);

impl<T: Send + 'static> Work<T> {
    pub(super) fn begin(work: impl FnOnce() -> T + Send + 'static) -> Self {
        let (done, result) = channel();
        run(Box::new(move || {
            // Nobody waits for it any more.
            let _late = done.send(work());
        }));
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

/// Has an idle thread do the job, or a new one: no job waits for another.
fn run(job: Box<dyn FnOnce() + Send>) {
    let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    if waiting.idle_threads > waiting.jobs.len() {
        waiting.jobs.push_back(job);
        ARRIVED.notify_one();
        return;
    }
    drop(waiting);
    thread::spawn(move || {
        job();
        while let Some(next) = next_job() {
            next();
        }
    });
}

/// Waits for a job for a moment.
fn next_job() -> Option<Box<dyn FnOnce() + Send>> {
    let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    waiting.idle_threads += 1;
    let (mut waiting, _) = ARRIVED
        .wait_timeout_while(waiting, IDLE_TIMEOUT, |waiting| waiting.jobs.is_empty())
        .unwrap_or_else(PoisonError::into_inner);
    waiting.idle_threads -= 1;
    waiting.jobs.pop_front()
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

/// The message about a disk that does not respond.
pub(super) fn no_answer(dir: &Path) -> String {
    format!(
        "the disk of the journal in {} does not answer",
        dir.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_hangs_holds_up_no_other_and_a_thread_that_is_done_serves_the_next() {
        let (release, hangs) = channel::<()>();
        let stuck = Work::begin(move || hangs.recv().is_err());
        // It takes its turn a moment after its result is there.
        let mut threads = std::collections::HashSet::new();
        let id = || Work::begin(|| thread::current().id()).end().unwrap();
        while threads.insert(id()) {}
        assert!(stuck.within(Duration::ZERO).is_none());
        drop(release);
        assert_eq!(stuck.end(), Some(true));
    }
}
