//! What the service answered to a command, and what is known while no answer has come.

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
    /// The order as it stands now; its status may still be `rejected`.
    Order {
        order: Box<Order>,
        queued: bool,
    },
    Cancel(CancelResult),
    Position(Box<Position>),
    Twap(Box<Twap>),
    Scaled(Box<Scaled>),
    /// 200 or 201: every target was tried. Flat only when reads say so.
    CloseAll(CloseAll),
    /// Whatever became of the request, reads show that what it was for is so.
    AlreadySo(Text),
    /// Nothing is left, proved by reads.
    Flat(FlatProof),
}

/// What is done next about a command that has not come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FollowUp {
    /// The same request once more.
    #[default]
    Again,
    /// A read of what became of it: nothing is sent.
    Look,
}

/// How a command in flight stands before it settles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Not a byte of it yet: it waits for the command before it, for the journal, or until it is known what became of
    /// the last session's.
    Queued,
    /// An attempt is on the wire; the first is 1.
    Sending { attempt: u32 },
    /// The last attempt may have taken effect; `then` follows at `retry_at`.
    Unknown {
        why: Failure,
        retry_at: Timestamp,
        #[serde(default)]
        then: FollowUp,
    },
    /// Surely not done yet (limited, unreachable); `then` follows at `retry_at`.
    Waiting {
        why: Failure,
        retry_at: Timestamp,
        #[serde(default)]
        then: FollowUp,
    },
    /// A close-all answered 202: neither an error nor done; goes on at `retry_at`.
    Running {
        operation: CloseAll,
        retry_at: Timestamp,
    },
    /// A flatten at work.
    Flattening(Flattening),
    /// It may have taken effect and asking again by itself has ended, or (`why` is not doubtful) it never left and is
    /// no longer sent by itself: a person decides. Until `replay_until` the same request with the same key is safe to
    /// send; after it, it could act anew.
    Parked {
        why: Failure,
        replay_until: Timestamp,
    },
}
