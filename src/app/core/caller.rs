//! Requests of other processes to a desk.

use crate::{app::activity::user_alerts::AlertEdit, config::Checks, model::AccountId};
use serde::Deserialize;
use serde::Serialize;
use std::time::Duration;

/// The caller, by a number of the runtime's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallerId(pub u64);

/// A caller's request. The variant names are on the wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallerRequest {
    /// Many requests, each with a key of its own.
    Flatten(AccountId),
    /// Adds and removes alerts of the trader's; nothing is sent.
    EditAlerts(AlertEdit),
}

/// Who made up the key of a command. A person who chooses one means another order than an equal one under another key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
        }
    }
}
