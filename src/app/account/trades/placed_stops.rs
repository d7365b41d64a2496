//! The stops that this desk has placed, from its journal and from this session's receipts: which of them was a position's
//! first.
//!
//! Contract: a stop that was attached to the order that opened a position is its first. Any other counts only where the
//! journal was read back to the opening: before that there may have been another. What another client placed is not seen
//! here.

use crate::model::{
    Command, MarketId, Num, Order, OrderStatus, PastPage, PlaceOrder, Placed, Position, PositionId,
    Receipt, Side, Timestamp, TriggerDirection,
};
use std::time::Duration;

/// The latest that are kept.
const KEPT: usize = 2_000;
/// How far the clock that dates the journal may be off the service's.
const CLOCKS_APART: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PlacedStops {
    rows: Vec<PlacedStop>,
    /// Every command since then is in here; `None` before the journal was read.
    reach: Option<Timestamp>,
    version: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PlacedStop {
    of: StopOf,
    price: Num,
    /// In coin, without its sign.
    size: Num,
    /// By the service's clock.
    requested_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum StopOf {
    /// And fires when the mark moves in this direction.
    Position(PositionId, TriggerDirection),
    /// The one that this order opened, if it did, by then.
    Opened {
        market_id: MarketId,
        side: Side,
        filled_at: Timestamp,
    },
}

impl PlacedStops {
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The same number, the same stops.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Takes in a command that has succeeded.
    pub(super) fn settled(&mut self, command: &Command, receipt: &Receipt) {
        let Receipt::Order { order, .. } = receipt else {
            return;
        };
        let stop = placed(command, order).filter(|_| !order.status.is(&OrderStatus::Rejected));
        if let Some(stop) = stop.filter(|stop| !self.rows.contains(stop)) {
            self.rows.push(stop);
            let excess = self.rows.len().saturating_sub(KEPT);
            self.rows.drain(..excess);
            self.version += 1;
        }
    }

    /// Takes in a page of the journal.
    pub(super) fn recall(&mut self, page: &PastPage) {
        for past in &page.rows {
            if let (Some(command), Ok(receipt)) = (&past.command, &past.result) {
                self.settled(command, receipt);
            }
        }
        // Rows are sorted by their outcome, which comes after the request.
        let oldest = page.rows.iter().map(|past| past.mark.settled_at).min();
        let reach = if page.has_more {
            oldest
        } else {
            Some(Timestamp(i64::MIN))
        };
        self.reach = self.reach.into_iter().chain(reach).min();
        self.version += 1;
    }

    /// The price and the size of the first stop of a position that was held on this side; `None` where it is not known.
    pub(super) fn first_of(&self, position: &Position, side: Side) -> Option<(Num, Num)> {
        let opened_at = position.opened_at?;
        let attached = self.rows.iter().find(|stop| match &stop.of {
            StopOf::Position(..) => false,
            StopOf::Opened {
                market_id,
                side: of,
                filled_at,
            } => {
                let time = stop.requested_at..=*filled_at;
                *market_id == position.market_id && *of == side && time.contains(&opened_at)
            }
        });
        let losing = TriggerDirection::losing(side);
        let is_its = |stop: &&PlacedStop| {
            let StopOf::Position(id, direction) = &stop.of else {
                return false;
            };
            *id == position.id && *direction == losing
        };
        let reaches = self
            .reach
            .is_some_and(|reach| reach.0 == i64::MIN || reach.plus(CLOCKS_APART) <= opened_at);
        let separate = self.rows.iter().filter(is_its).filter(|_| reaches);
        let first = attached.or_else(|| separate.min_by_key(|stop| stop.requested_at))?;
        Some((first.price, first.size))
    }
}

/// The stop that this command has placed.
fn placed(command: &Command, order: &Order) -> Option<PlacedStop> {
    let (of, price) = match command.facts().places? {
        Placed::Close(close) => {
            of_own_market(close.trigger_market_id.as_ref(), order)?;
            let id = close.position_id.clone();
            let direction = close.trigger_direction?;
            (StopOf::Position(id, direction), close.trigger_price?)
        }
        Placed::Order(placed) if placed.reduce_only => {
            of_own_market(placed.trigger_market_id.as_ref(), order)?;
            let id = placed.target_position_id.clone()?;
            let usual = placed.kind.facts().triggers_on.direction(placed.side);
            let direction = placed.trigger_direction.or(usual)?;
            (StopOf::Position(id, direction), placed.trigger_price?)
        }
        Placed::Order(placed) => (opened(placed, order)?, placed.stop_loss_price?),
        Placed::Twap(_) | Placed::Scaled(_) => return None,
    };
    Some(PlacedStop {
        of,
        price,
        size: order.size.abs(),
        requested_at: order.requested_at,
    })
}

/// The price of another market says nothing of what is lost.
fn of_own_market(watched: Option<&MarketId>, order: &Order) -> Option<()> {
    watched
        .is_none_or(|id| *id == order.market_id)
        .then_some(())
}

/// An entry that has filled.
fn opened(placed: &PlaceOrder, order: &Order) -> Option<StopOf> {
    let filled = order.status.is(&OrderStatus::Filled);
    Some(StopOf::Opened {
        market_id: placed.market_id.clone(),
        side: placed.side,
        filled_at: order.settled_at.filter(|_| filled)?,
    })
}
