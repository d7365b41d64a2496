//! The service's response to a command, and the state of a command before its response.

use super::{
    AccountId, CancelAll, CloseAll, Failure, FailureKind, Fallible, FlatProof, Flattening,
    OperationId, Order, OrderId, OrderStatus, Page, Position, Proof, Scaled, Text, Timestamp, Twap,
};
use serde::{Deserialize, Serialize};
use std::{collections::HashSet, fmt};

/// `DELETE /v1/orders/{id}`: canceled now, or queued because the order was armed. The service answers `canceled: true` to
/// both; `queued` decides, because a queued cancel has not happened yet and the order may still fill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "WireCancelResult")]
pub struct CancelResult {
    pub id: OrderId,
    pub canceled: bool,
    pub queued: bool,
}

#[derive(Deserialize)]
struct WireCancelResult {
    id: OrderId,
    canceled: bool,
    #[serde(default)]
    queued: bool,
}

impl From<WireCancelResult> for CancelResult {
    fn from(wire: WireCancelResult) -> Self {
        Self {
            id: wire.id,
            canceled: wire.canceled && !wire.queued,
            queued: wire.queued,
        }
    }
}

/// A command that took effect.
#[derive(Debug, Clone, PartialEq)]
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
    /// The same of a cancel-all: orders whose cancel is queued may still fill.
    CancelAll(CancelAll),
    /// The response was no success, but reads show the wanted state.
    AlreadySo(Text),
    /// Reads proved that nothing is left.
    Flat(FlatProof),
}

impl Receipt {
    /// Why a 2xx is a refusal, if it is one: an order that was accepted and then rejected, or that is not canceled.
    pub fn refusal(&self) -> Option<Failure> {
        let refused = |order: &OrderId, kind, why: Text| Failure {
            proves: Proof::Refused,
            order_id: Some(order.clone()),
            ..Failure::new(kind, why)
        };
        if let Self::Order { order, .. } = self
            && order.status.is(&OrderStatus::Rejected)
        {
            let reason = order.reject_reason.clone();
            let reason = reason.unwrap_or_else(|| "the service gave no reason".into());
            return Some(Failure {
                rule_id: order.reject_rule_id.clone(),
                ..refused(&order.id, FailureKind::Invalid, reason)
            });
        }
        if let Self::Cancel(result) = self
            && !(result.canceled || result.queued)
        {
            let why = "the order is not canceled".into();
            return Some(refused(&result.id, FailureKind::Conflict, why));
        }
        None
    }

    /// The account of the object in it, if it says one.
    pub fn account(&self) -> Option<&AccountId> {
        let account = match self {
            Self::Order { order, .. } => &order.account_id,
            Self::Position(position) => &position.account_id,
            Self::Twap(twap) => &twap.account_id,
            Self::Scaled(scaled) => &scaled.account_id,
            Self::CloseAll(operation) => &operation.account_id,
            Self::CancelAll(operation) => &operation.account_id,
            Self::Cancel(_) | Self::AlreadySo(_) | Self::Flat(_) => return None,
        };
        (!account.raw().is_empty()).then_some(account)
    }
}

/// An operation that goes on: its request is repeated with the same key.
#[derive(Debug, Clone, PartialEq)]
pub enum SlicedOperation {
    CloseAll(CloseAll),
    CancelAll(CancelAll),
}

/// `close-all op-1`
impl fmt::Display for SlicedOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::CloseAll(_) => "close-all",
            Self::CancelAll(_) => "cancel-all",
        };
        write!(f, "{what} {}", self.id())
    }
}

impl SlicedOperation {
    /// The operation that a receipt ends, if it does.
    pub fn of(receipt: &Receipt) -> Option<Self> {
        match receipt {
            Receipt::CloseAll(operation) => Some(Self::CloseAll(operation.clone())),
            Receipt::CancelAll(operation) => Some(Self::CancelAll(operation.clone())),
            Receipt::Order { .. }
            | Receipt::Cancel(_)
            | Receipt::Position(_)
            | Receipt::Twap(_)
            | Receipt::Scaled(_)
            | Receipt::AlreadySo(_)
            | Receipt::Flat(_) => None,
        }
    }

    pub fn id(&self) -> &OperationId {
        match self {
            Self::CloseAll(operation) => &operation.id,
            Self::CancelAll(operation) => &operation.id,
        }
    }

    /// The ids of the objects with a result, in its order.
    pub fn acted_on(&self) -> Vec<&str> {
        match self {
            Self::CloseAll(operation) => {
                let results = operation.results.iter();
                results.map(|result| result.position_id.raw()).collect()
            }
            Self::CancelAll(operation) => {
                let results = operation.results.iter();
                results.map(|result| result.order_id.raw()).collect()
            }
        }
    }

    /// Objects acted on.
    pub fn done_count(&self) -> u32 {
        match self {
            Self::CloseAll(operation) => operation.done_count(),
            Self::CancelAll(operation) => operation.done_count(),
        }
    }

    pub fn failed_count(&self) -> u32 {
        match self {
            Self::CloseAll(operation) => operation.failed_count,
            Self::CancelAll(operation) => operation.failed_count,
        }
    }

    pub fn total_count(&self) -> u32 {
        match self {
            Self::CloseAll(operation) => operation.total_count,
            Self::CancelAll(operation) => operation.total_count,
        }
    }

    pub fn close_all(&self) -> Option<&CloseAll> {
        match self {
            Self::CloseAll(operation) => Some(operation),
            Self::CancelAll(_) => None,
        }
    }
}

/// What complete reads of the open positions show after a close-all.
#[derive(Debug, Clone, PartialEq)]
pub enum CloseCheck {
    /// Two reads found none.
    Closed(FlatProof),
    /// Two reads found none, and an order that was sent before is unanswered: it may open one.
    MayOpen(FlatProof),
    /// These are open, and not only because their closes are still filling.
    Open(Vec<Position>),
}

/// Such an operation that has ended, with what reads show of what it has left.
#[derive(Debug, Clone, PartialEq)]
pub enum OperationEnd {
    CloseAll(CloseAll, Fallible<CloseCheck>),
    /// With the working orders.
    CancelAll(CancelAll, Fallible<Page<Order>>),
}

impl OperationEnd {
    /// Whether something is left that it did not know: it acts on what there was when it began.
    pub fn is_outrun(&self) -> bool {
        match self {
            Self::CloseAll(operation, Ok(CloseCheck::Open(open))) => {
                let known: HashSet<_> = operation
                    .results
                    .iter()
                    .map(|one| &one.position_id)
                    .collect();
                !open.iter().all(|position| known.contains(&position.id))
            }
            Self::CancelAll(operation, Ok(page)) => {
                let known: HashSet<_> = operation.results.iter().map(|one| &one.order_id).collect();
                !page.rows.iter().all(|order| known.contains(&order.id))
            }
            Self::CloseAll(_, Ok(CloseCheck::Closed(_) | CloseCheck::MayOpen(_)) | Err(_))
            | Self::CancelAll(_, Err(_)) => false,
        }
    }
}

/// The next step of a command without an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FollowUp {
    /// Resend the request.
    #[default]
    Again,
    /// Read its outcome; nothing is sent.
    Look,
}

/// The state of a command before it settles.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// Nothing was sent: it waits for the previous command, the journal or recovery.
    Queued,
    /// An attempt is in flight; the first is 1.
    Sending { attempt: u32 },
    /// The last attempt may have taken effect; `then` follows at `retry_at`.
    Unknown {
        why: Failure,
        retry_at: Timestamp,
        then: FollowUp,
    },
    /// Not done yet (rate limited, unreachable); `then` follows at `retry_at`.
    Waiting {
        why: Failure,
        retry_at: Timestamp,
        then: FollowUp,
    },
    /// A close-all was answered with 202: in progress; continues at `retry_at`.
    Running {
        operation: SlicedOperation,
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

impl Progress {
    /// Whether an attempt may have taken effect, which reads or a person decide.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown { .. } | Self::Parked { .. })
    }
}
