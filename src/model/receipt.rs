//! The service's response to a command, and the state of a command before its response.

use super::{
    CloseAll, Failure, FlatProof, Flattening, Order, OrderId, Position, Scaled, Text, Timestamp,
    Twap,
};
use serde::{Deserialize, Serialize};

/// `DELETE /v1/orders/{id}`: canceled now, or queued because the order was armed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CancelResult {
    pub id: OrderId,
    pub canceled: bool,
    #[serde(default)]
    pub queued: bool,
}

/// A command that took effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Receipt {
    /// The order as it is now; its status may be `rejected`.
    Order {
        order: Box<Order>,
        queued: bool,
    },
    Cancel(CancelResult),
    Position(Box<Position>),
    Twap(Box<Twap>),
    Scaled(Box<Scaled>),
    /// 200 or 201: every target was tried. Only reads can show that the account is flat.
    CloseAll(CloseAll),
    /// The response was no success, but reads show the wanted state.
    AlreadySo(Text),
    /// Reads proved that nothing is left.
    Flat(FlatProof),
}

/// The next step of a command without an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FollowUp {
    /// Resend the request.
    #[default]
    Again,
    /// Read its outcome; nothing is sent.
    Look,
}

/// The state of a command before it settles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Nothing was sent: it waits for the previous command, the journal or recovery.
    Queued,
    /// An attempt is in flight; the first is 1.
    Sending { attempt: u32 },
    /// The last attempt may have taken effect; `then` follows at `retry_at`.
    Unknown {
        why: Failure,
        retry_at: Timestamp,
        #[serde(default)]
        then: FollowUp,
    },
    /// Not done yet (rate limited, unreachable); `then` follows at `retry_at`.
    Waiting {
        why: Failure,
        retry_at: Timestamp,
        #[serde(default)]
        then: FollowUp,
    },
    /// A close-all was answered with 202: in progress; continues at `retry_at`.
    Running {
        operation: CloseAll,
        retry_at: Timestamp,
    },
    /// A flatten in progress.
    Flattening(Flattening),
    /// Its outcome is unknown and automatic retries have ended, or (`why` is not doubtful) it was never sent and is not
    /// sent automatically any more: a person decides. Until `replay_until` the same request with the same key is safe
    /// to resend; after it, it could execute again.
    Parked {
        why: Failure,
        replay_until: Timestamp,
    },
}
