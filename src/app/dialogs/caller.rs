//! What another process asks of a desk that has the journal.

use crate::model::{AccountId, Command, IdempotencyKey};
use serde::Deserialize;
use serde::Serialize;
use std::time::Duration;

/// Who asked, by a number of the runtime's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallerId(pub u64);

/// What a caller wants done.
#[derive(Debug, Clone, PartialEq)]
pub enum CallerRequest {
    /// Many requests, each under a key of its own.
    Flatten(AccountId),
    /// One, under this key.
    Send {
        command: Command,
        key: IdempotencyKey,
        sending: Sending,
    },
}

/// Whether it may have taken effect under this key already: what was checked when it was first sent is only repeated.
/// What never had an effect is checked like new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sending {
    First,
    Again,
}

impl CallerRequest {
    /// What is said of it where it is found so much too late.
    pub fn lapsed(&self, age: Duration) -> String {
        let ago = match age.as_secs() {
            seconds @ 0..120 => format!("{seconds} s"),
            seconds => format!("{} min", seconds / 60),
        };
        match self {
            Self::Flatten(_) => format!(
                "a wish to flatten was left here {ago} ago, when this desk did not answer, and is NOT followed: what is \
                 open may be newer; F flattens"
            ),
            Self::Send { command, .. } => format!(
                "{command}: asked for {ago} ago, when this desk did not answer, and NOT sent: whoever asked has gone on"
            ),
        }
    }
}
