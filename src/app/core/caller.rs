//! Requests of other processes to the desk that holds the journal.

use crate::{
    app::activity::user_alerts::AlertEdit,
    config::Checks,
    model::{AccountId, Command, IdempotencyKey},
};
use serde::Deserialize;
use serde::Serialize;
use std::time::Duration;

/// The caller, by a number of the runtime's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallerId(pub u64);

/// A caller's request.
#[derive(Debug, Clone, PartialEq)]
pub enum CallerRequest {
    /// Many requests, each with a key of its own.
    Flatten(AccountId),
    /// One request with this key.
    Send {
        command: Command,
        key: IdempotencyKey,
        sending: Sending,
        key_origin: KeyOrigin,
    },
    /// Adds and removes alerts of the trader's; nothing is sent.
    EditAlerts(AlertEdit),
}

/// Whether it may have executed under this key already. Such a repetition skips the checks, which were made at the
/// first sending; a command without effect is checked like a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sending {
    First,
    Again,
}

/// Who made up the key of a command. A person who chooses one means another order than an equal one under another key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyOrigin {
    #[default]
    Made,
    Chosen,
}

impl KeyOrigin {
    /// The limits for a command under such a key.
    pub(crate) fn limits(self, limits: &Checks) -> Checks {
        let duplicate_within = match self {
            Self::Made => limits.duplicate_within,
            Self::Chosen => Duration::ZERO,
        };
        Checks {
            duplicate_within,
            ..limits.clone()
        }
    }
}

impl CallerRequest {
    /// The message if it is found too late.
    pub fn lapsed(&self, age: Duration) -> String {
        let ago = match age.as_secs() {
            seconds @ 0..120 => format!("{seconds} s"),
            seconds => format!("{} min", seconds / 60),
        };
        match self {
            Self::Flatten(_) => format!(
                "flatten was requested {ago} ago, while this desk did not answer, and was NOT executed: positions \
                 may be newer. F flattens"
            ),
            Self::EditAlerts(edit) => format!(
                "{edit}: requested {ago} ago, while this desk did not answer, and NOT done: add or remove it again"
            ),
            Self::Send { command, .. } => format!(
                "{command}: requested {ago} ago, while this desk did not answer, and NOT sent: the requester no \
                 longer waits"
            ),
        }
    }
}
