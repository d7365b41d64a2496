//! The lines of the journal.

use super::{AttemptRow, IntentId, IntentRow, IntentState, Outcome, WriterId, exact};
use crate::{
    disk::{Mark, Reserve},
    model::{Risk, Timestamp},
};
use serde::{Deserialize, Serialize};

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Record {
    /// The first record, also after the file was written anew: what is known from before it is void.
    Begin {
        /// For the fingerprints of API keys.
        salt: String,
        /// The lowest number that no intent has had.
        next: i64,
    },
    /// A new intent, or all that is known of an older one.
    Intent(Box<IntentRow>),
    /// It is about to be sent by this writer, or proof has come that no byte of it was.
    Mark {
        id: IntentId,
        state: IntentState,
        by: WriterId,
    },
    /// Its writer is dead: it is this one's from now on.
    TakeOver {
        id: IntentId,
        by: WriterId,
    },
    Attempt {
        id: IntentId,
        attempt: AttemptRow,
    },
    /// What is known of it now.
    State {
        id: IntentId,
        state: IntentState,
        outcome: Outcome,
    },
    /// This flatten was proved.
    AbandonParts {
        #[serde(rename = "deed")]
        flatten: IntentId,
        #[serde(deserialize_with = "exact::millis")]
        at: Timestamp,
    },
    /// Damage was found, or a person has seen it.
    Damage(Option<String>),
}

impl Record {
    /// How it is recorded. On a full disk a new entry alone is refused: what closes or cancels is recorded, and what comes of
    /// any request. A record that allows a request to be sent is never lost without notice; a note about one may be.
    pub(super) fn how(&self) -> (Reserve, Mark) {
        match self {
            Self::Intent(row) if row.intent.risk == Risk::Increasing => {
                (Reserve::Keep, Mark::Synced)
            }
            Self::Begin { .. } | Self::Intent(_) => (Reserve::Use, Mark::Synced),
            Self::Mark { state, .. } if *state == IntentState::Inflight => {
                (Reserve::Use, Mark::Synced)
            }
            Self::Mark { .. }
            | Self::TakeOver { .. }
            | Self::Attempt { .. }
            | Self::State { .. }
            | Self::AbandonParts { .. }
            | Self::Damage(_) => (Reserve::Use, Mark::Written),
        }
    }
}
