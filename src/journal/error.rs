//! Why the journal does not work, in words that say what to do.

use crate::{disk, model::Failure};
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
    #[error("the journal {} was written by a newer perpdeck (version {found}, this one knows {known}); it is left as \
             it is", path.display())]
    Newer {
        path: PathBuf,
        found: i64,
        known: i64,
    },
    #[error("the journal {} is damaged and was left as it is ({why}); move it away to start a new one, which \
             restores the newest commands from journal.ring", path.display())]
    Damaged { path: PathBuf, why: String },
    /// Found by a check while the journal was open.
    #[error("{0}")]
    Found(String),
    #[error("the disk of the journal in {} is full; make room and start again", path.display())]
    Full { path: PathBuf },
    #[error("the journal in {} cannot be opened: {why}", path.display())]
    Place { path: PathBuf, why: Arc<io::Error> },
    #[error("the journal {} cannot be opened: {why}", path.display())]
    Open {
        path: PathBuf,
        why: Arc<rusqlite::Error>,
    },
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
    #[error("writing the journal failed: {0}")]
    Write(Arc<rusqlite::Error>),
    /// The ring file beside the database, which holds the newest commands.
    #[error("writing journal.ring failed: {0}")]
    Ring(Arc<io::Error>),
    #[error(
        "{open} commands have an unknown status, more than journal.ring can keep; settle some (perpdeck journal list \
         --open)"
    )]
    Crowded { open: usize },
    #[error("reading the journal failed: {0}")]
    Read(Arc<rusqlite::Error>),
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

    /// Why the database does not open.
    pub(super) fn opening(path: &Path, why: rusqlite::Error) -> Self {
        let path = path.to_owned();
        if disk::is_full(&why) {
            return Self::Full { path };
        }
        if disk::is_damage(&why) {
            let why = why.to_string();
            return Self::Damaged { path, why };
        }
        Self::Open {
            path,
            why: Arc::new(why),
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
