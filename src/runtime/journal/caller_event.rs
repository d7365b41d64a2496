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
    /// The alerts are as requested; the next write of their file has them.
    AlertsEdited,
}

impl CallerEvent {
    /// Whether nothing follows it.
    pub(crate) fn is_last(&self) -> bool {
        match self {
            Self::TurnedAway(_) | Self::Settled(_) | Self::AlertsEdited => true,
            Self::Taken | Self::Progress(_) => false,
        }
    }
}
