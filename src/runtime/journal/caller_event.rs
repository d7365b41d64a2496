//! The events that the desk sends a caller at the socket about its request.

use crate::model::{Failure, Progress, Receipt};
use serde::{Deserialize, Serialize};

/// One line to the caller. The variant names are on the wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallerEvent {
    /// The desk accepted the request as one of its commands.
    Taken,
    /// Nothing was sent; the text says why.
    TurnedAway(String),
    Progress(Progress),
    Settled(Result<Receipt, Failure>),
}
