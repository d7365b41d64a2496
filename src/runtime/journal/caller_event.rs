//! What a caller at the socket hears about its request.

use crate::model::{Failure, Progress, Receipt};
use serde::{Deserialize, Serialize};

/// One line to the caller; the names of the variants are on the wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallerEvent {
    /// It is a command of the desk now.
    Taken,
    /// Nothing was sent, and why.
    TurnedAway(String),
    Progress(Progress),
    Settled(Result<Receipt, Failure>),
}
