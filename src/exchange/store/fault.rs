//! Why an exchange cannot be stored or restored.

use super::super::{engine::CheckpointFault, scenario::ScenarioFault};
use crate::disk::LogError;
use std::{io, path::PathBuf};

/// Names the directory and what to do. A refused file is left unchanged.
#[derive(Debug, thiserror::Error)]
pub enum StoreFault {
    #[error("another perpdeck keeps its exchange in {}", .0.display())]
    Held(PathBuf),
    #[error("{} cannot be used", path.display())]
    Place {
        path: PathBuf,
        #[source]
        why: io::Error,
    },
    #[error("{} cannot be opened", path.display())]
    Open {
        path: PathBuf,
        #[source]
        why: LogError,
    },
    #[error("{} is damaged ({why}): it is left as it is; restore a copy, or name another directory", path.display())]
    Damaged { path: PathBuf, why: String },
    #[error("{} does not hold a perpdeck exchange: name another directory", path.display())]
    Foreign { path: PathBuf },
    #[error(
        "{} was written in format {found}, which this perpdeck does not know: use the perpdeck that wrote it, or name \
         another directory",
        path.display()
    )]
    Format { path: PathBuf, found: String },
    #[error("{} holds an exchange of another scenario: start it with that one, or name another \
             directory", path.display())]
    OtherScenario { path: PathBuf },
    #[error("{} holds an exchange of seed {kept}, not {given}: start it with that seed, or name another \
             directory", path.display())]
    OtherSeed {
        path: PathBuf,
        kept: u64,
        given: u64,
    },
    #[error(
        "{} gives another history when replayed (from input {seq} on): another version of perpdeck wrote it. It is \
         left as it is; use that version, or name another directory",
        path.display()
    )]
    OtherHistory { path: PathBuf, seq: u64 },
    #[error(transparent)]
    Scenario(#[from] ScenarioFault),
    /// Its keys are there, so an exchange was kept: what it had taken would be executed again.
    #[error(
        "{} is empty or was deleted, and {} says that an exchange was kept there: a new one would execute its used \
         Idempotency-Keys again. Restore a copy; or, to begin a new exchange with new API keys, delete exchange.* there",
        path.display(), secret.display()
    )]
    Emptied { path: PathBuf, secret: PathBuf },
    #[error("{} was deleted while the exchange used it", .0.display())]
    Gone(PathBuf),
    #[error("writing the exchange's records failed")]
    Write(#[source] LogError),
    #[error("the exchange's records cannot be put in bytes")]
    Encode(#[from] EncodeFault),
    /// The writer thread has ended.
    #[error("the exchange's records are no longer written")]
    Stopped,
}

/// Why a record cannot be encoded or decoded.
#[derive(Debug, thiserror::Error)]
pub enum EncodeFault {
    #[error(transparent)]
    Checkpoint(#[from] CheckpointFault),
    #[error(transparent)]
    Bytes(#[from] postcard::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl From<LogError> for StoreFault {
    fn from(why: LogError) -> Self {
        match why {
            LogError::Gone(path) => Self::Gone(path),
            LogError::Io(_)
            | LogError::Full
            | LogError::Format(_)
            | LogError::Damaged(_)
            | LogError::Failed => Self::Write(why),
        }
    }
}
