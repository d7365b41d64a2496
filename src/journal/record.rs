//! The lines of the journal.

use super::{AttemptRow, IntentId, IntentRow, IntentState, Outcome, WriterId, exact};
use crate::model::Timestamp;
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
