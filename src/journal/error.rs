//! Why the journal does not work, in words that say what to do.

use crate::{disk::LogError, model::Failure};
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

#[derive(Debug, Clone, thiserror::Error)]
pub enum JournalError {
    /// Writes are refused: [`super::Journal::open_read_only`].
    #[error("the journal in {} is only read", dir.display())]
    ReadOnly { dir: PathBuf },
    #[error("the journal {} was written by a newer perpdeck; it is left as it is ({found})", path.display())]
    Newer { path: PathBuf, found: String },
    #[error("the disk of the journal in {} is full; make room and start again", path.display())]
    Full { path: PathBuf },
    #[error("the journal in {} cannot be opened: {why}", path.display())]
    Place { path: PathBuf, why: Arc<io::Error> },
    /// It was deleted while it was open: what is written to it, nobody finds.
    #[error(
        "the journal {} was deleted while perpdeck used it; start perpdeck again, it begins a new one",
        path.display()
    )]
    Gone { path: PathBuf },
    #[error("writing the journal failed: {0}")]
    Write(LogError),
    #[error("the halts in {} cannot be changed: {why}", path.display())]
    Halt { path: PathBuf, why: Arc<io::Error> },
    /// The thread that owns the journal has ended.
    #[error("the journal has stopped")]
    Stopped,
    /// The disk takes longer than a close may wait.
    #[error("the journal does not answer")]
    Slow,
}

/// What makes a journal that does not answer, and what to do.
pub const HANG_CAUSES: &str =
    "its disk hangs, or a perpdeck that is stopped has it locked (continue or end that one)";

impl JournalError {
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

impl From<&JournalError> for Failure {
    fn from(why: &JournalError) -> Self {
        Self::local(why.to_string())
    }
}
