//! What is wrong with a log, and why it refuses to read or write.

use std::{fmt, io, ops::RangeInclusive, path::PathBuf, sync::Arc};

/// What a disk or a person did to a log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogDamage {
    /// Numbers of records that are missing or cannot be read.
    pub lost: Vec<RangeInclusive<u64>>,
    /// Lines that were not written here, or not in this place.
    pub strange: u64,
    /// Whether the file with the newest number is missing or unreadable: a lost end would not be noticed.
    pub is_newest_lost: bool,
}

impl LogDamage {
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for LogDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lost = self.lost.iter().map(|run| match (run.start(), run.end()) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        });
        let lost: Vec<_> = lost.collect();
        let mut clauses = vec![];
        if !lost.is_empty() {
            clauses.push(format!("lost records: {}", lost.join(", ")));
        }
        if self.strange > 0 {
            clauses.push(format!("lines that do not belong there: {}", self.strange));
        }
        if self.is_newest_lost {
            clauses.push("the number of the newest record cannot be read".to_owned());
        }
        f.write_str(&clauses.join("; "))
    }
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum LogError {
    #[error("{0}")]
    Io(Arc<io::Error>),
    /// Only [`Reserve::Use`](super::Reserve::Use) goes on.
    #[error("the disk is full")]
    Full,
    /// A file of the log, or the end of one, was removed.
    #[error("{} was deleted while it was open", .0.display())]
    Gone(PathBuf),
    /// The first line names another format than the one requested.
    #[error("its format is {0}")]
    Format(String),
    /// Found in what another process appended.
    #[error("it was damaged on the disk while it was open: {0}")]
    Damaged(LogDamage),
    #[error("an earlier write failed")]
    Failed,
}

impl From<io::Error> for LogError {
    fn from(why: io::Error) -> Self {
        Self::Io(Arc::new(why))
    }
}
