//! Stops that are being moved: the new one is placed first, then the old one is canceled.

use super::Store;
use crate::model::{Command, Num, OrderId, PositionId, StopMoveEvent, StopPair, Ticket, Timestamp};

#[derive(Debug, Clone, PartialEq)]
pub struct StopMove {
    pub(crate) old: OrderId,
    pub(crate) position: PositionId,
    /// The price of the new one.
    pub(crate) price: Num,
    /// A later request, which starts when this move has ended: never two at once.
    pub(crate) wanted: Option<Num>,
    /// The cancel of the old one; its risk depends on what the new one protects.
    pub(crate) cancel: Command,
    pub(crate) stage: StopMoveStage,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum StopMoveStage {
    /// The new one is in flight.
    Placing(Ticket),
    /// Only lists requested after this event, which came at `since`, show what is next; `look_at` is the next request
    /// for them.
    Reading {
        new: OrderId,
        after: StopMoveEvent,
        since: Timestamp,
        look_at: Timestamp,
    },
    /// The cancel of the old one is in flight.
    Canceling { new: OrderId, ticket: Ticket },
}

impl StopMoveStage {
    /// The ticket it waits for; `None` while it waits for reads.
    pub(crate) fn ticket(&self) -> Option<Ticket> {
        match self {
            Self::Placing(ticket) | Self::Canceling { ticket, .. } => Some(*ticket),
            Self::Reading { .. } => None,
        }
    }

    /// The new stop, once it is accepted.
    pub(crate) fn accepted(&self) -> Option<&OrderId> {
        match self {
            Self::Placing(_) => None,
            Self::Reading { new, .. } | Self::Canceling { new, .. } => Some(new),
        }
    }

    /// When it requests reads next.
    pub(crate) fn look_at(&self) -> Option<Timestamp> {
        match self {
            Self::Placing(_) | Self::Canceling { .. } => None,
            Self::Reading { look_at, .. } => Some(*look_at),
        }
    }
}

impl StopMove {
    /// Whether it is about this order, as the old one or as the new one.
    pub(crate) fn is_about(&self, order: &OrderId) -> bool {
        self.old == *order || self.stage.accepted() == Some(order)
    }

    pub(crate) fn pair<'a>(&'a self, new: &'a OrderId) -> StopPair<'a> {
        StopPair {
            old: &self.old,
            new,
            position: &self.position,
        }
    }

    /// The price that the stop finally gets.
    pub fn goal(&self) -> Num {
        self.wanted.unwrap_or(self.price)
    }
}

impl Store {
    /// The move in progress of this order.
    pub(crate) fn stop_move(&self, order: &OrderId) -> Option<&StopMove> {
        self.stop_moves.iter().find(|one| one.is_about(order))
    }
}
