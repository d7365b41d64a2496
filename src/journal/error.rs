//! Why the journal does not work, in words that say what to do.

use crate::{
    disk::LogError,
    model::{Failure, IdempotencyKey},
};
use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

#[derive(Debug, Clone, thiserror::Error)]
pub enum JournalError {
    #[error("{0} is using the journal in {dir}; trade there, or choose another place with --state-dir",
        dir = .0.dir.display())]
    Held(Holder),
    #[error("the journal {} was written by a newer perpdeck; it is left as it is ({found})", path.display())]
    Newer { path: PathBuf, found: String },
    #[error("the disk of the journal in {} is full; make room and start again", path.display())]
    Full { path: PathBuf },
    #[error("the journal in {} cannot be opened: {why}", path.display())]
    Place { path: PathBuf, why: Arc<io::Error> },
    /// Open rows in an overflow journal that were sent with an API key this session does not have.
    #[error("{rows} open in the journal in {}, sent with an API key that is not known here; a desk with that key \
             continues them", path.display())]
    Strange { path: PathBuf, rows: usize },
    /// It was deleted while it was open: what is written to it, nobody finds.
    #[error(
        "the journal {} was deleted while perpdeck used it; start perpdeck again, it begins a new one",
        path.display()
    )]
    Gone { path: PathBuf },
    #[error("the idempotency key {0} is in the journal already")]
    KeyUsed(IdempotencyKey),
    #[error("writing the journal failed: {0}")]
    Write(LogError),
    #[error("the halt cannot be recorded: {0}")]
    Halt(Arc<io::Error>),
    /// The thread that owns the journal has ended.
    #[error("the journal has stopped")]
    Stopped,
    /// The disk takes longer than a close may wait.
    #[error("the journal does not answer")]
    Slow,
}

impl JournalError {
    /// The process that holds it, if another one does.
    pub fn holder(&self) -> Option<&Holder> {
        let Self::Held(holder) = self else {
            return None;
        };
        Some(holder)
    }

    /// Why nothing opens at `path`.
    pub(super) fn place(path: &Path, why: io::Error) -> Self {
        let path = path.to_owned();
        if why.kind() == io::ErrorKind::StorageFull {
            return Self::Full { path };
        }
        Self::Place {
            path,
            why: Arc::new(why),
        }
    }

    /// Why the log at `path` does not open.
    pub(super) fn opening(path: &Path, why: LogError) -> Self {
        let path = path.to_owned();
        match why {
            LogError::Io(why) if why.kind() == io::ErrorKind::StorageFull => Self::Full { path },
            LogError::Io(why) => Self::Place { path, why },
            LogError::Full => Self::Full { path },
            LogError::Format(found) => Self::Newer { path, found },
            LogError::Gone(path) => Self::Gone { path },
            LogError::Damaged(_) | LogError::Failed => Self::Write(why),
        }
    }
}

/// Another process that holds the journal in `dir`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    pub dir: PathBuf,
    /// Its number, if it could be read.
    pub process: Option<u32>,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("another perpdeck")?;
        self.process
            .map_or(Ok(()), |process| write!(f, " (process {process})"))
    }
}

impl Holder {
    /// Why a desk beside it does not send new orders.
    pub fn refuses_new_orders(&self) -> Failure {
        Failure::local(format!(
            "{self} has the journal in {}: trade there, or end it and this desk takes over; closing and canceling \
         work here too",
            self.dir.display()
        ))
    }
}

impl From<&JournalError> for Failure {
    fn from(why: &JournalError) -> Self {
        Self::local(why.to_string())
    }
}
