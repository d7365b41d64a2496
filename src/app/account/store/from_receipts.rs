//! What responses to commands showed about orders and positions, until a later read decides.
//!
//! Contract: when a command settles, its fact overrides the row, and every older page that arrives afterwards. The
//! first list requested after the settlement decides, and the fact is dropped. An order that no longer works leaves the
//! working ones. No row and no number is invented: what the response did not say stays as read.

use super::{Ended, EndedBy, FillCertainty, Remote, Source, Store};
use crate::{
    app::account::tree::order_tree,
    model::{
        CancelAll, CancelStatus, CloseAll, Command, Exits, Leg, Num, Order, OrderId, OrderStatus,
        OrderType, Page, Position, PositionId, Receipt, ScaledId, Timestamp,
    },
};
use std::collections::BTreeMap;

/// The facts beyond the reads.
#[derive(Debug, Clone, Default)]
pub struct FromReceipts(Vec<Fact>);

#[derive(Debug, Clone)]
struct Fact {
    /// When the command settled.
    at: Timestamp,
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    Canceled(OrderId),
    Order(Box<Order>),
    /// Reads have shown these exits; the rest of the order is unchanged.
    Exits(Exits),
    Position(Box<Position>),
    /// Reads have shown this extra margin.
    Margin(PositionId, Num),
    /// This order closes a part or all of it.
    Close(PositionId, ClosedSize, Box<Order>),
}

/// How much of a position a close was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClosedSize {
    /// All of it.
    All,
    /// The order's size.
    Size,
}

/// The progress of a close, from its response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closing {
    UnderWay,
    InPart,
    Whole,
}

impl What {
    /// The list that decides.
    fn source(&self) -> Source {
        match self {
            Self::Canceled(_) | Self::Order(_) | Self::Exits(_) => Source::Orders,
            // A close that waits for its price changes the orders.
            Self::Close(_, _, order) if order.is_armed() => Source::Orders,
            Self::Position(_) | Self::Margin(..) | Self::Close(..) => Source::Positions,
        }
    }

    /// What an order became.
    fn status(&self) -> Option<(&OrderId, OrderStatus)> {
        match self {
            Self::Canceled(id) => Some((id, OrderStatus::Canceled)),
            Self::Order(order) => Some((&order.id, order.status.known()?)),
            Self::Exits(_) | Self::Position(_) | Self::Margin(..) | Self::Close(..) => None,
        }
    }

    fn lay_over_orders(&self, rows: &mut Vec<Order>) {
        match self {
            Self::Canceled(id) => rows.retain(|row| row.id != *id),
            Self::Order(order) if order.is_over() => rows.retain(|row| row.id != order.id),
            Self::Order(order) => {
                for row in rows.iter_mut().filter(|row| row.id == order.id) {
                    row.clone_from(order);
                }
            }
            Self::Exits(exits) => {
                for row in rows.iter_mut().filter(|row| row.id == exits.order_id) {
                    lay(exits.take_profit, &mut row.attached_take_profit_price);
                    lay(exits.stop_loss, &mut row.attached_stop_loss_price);
                }
            }
            Self::Position(_) | Self::Margin(..) | Self::Close(..) => {}
        }
    }

    fn lay_over_positions(&self, rows: &mut [Position]) {
        match self {
            Self::Position(received) => {
                for row in rows.iter_mut().filter(|row| row.id == received.id) {
                    renew(row, received);
                }
            }
            Self::Margin(id, extra) => {
                for row in rows.iter_mut().filter(|row| row.id == *id) {
                    row.isolated_margin_extra = Some(*extra);
                }
            }
            Self::Canceled(_) | Self::Order(_) | Self::Exits(_) | Self::Close(..) => {}
        }
    }
}

pub(super) fn rows_mut<T>(known: &mut Remote<Page<T>>) -> Option<&mut Vec<T>> {
    match known {
        Remote::Loading | Remote::Failed(_) => None,
        Remote::Fresh { value, .. } | Remote::Stale { value, .. } => Some(&mut value.rows),
    }
}

/// A response without an entry price is no complete row: only its margin counts.
fn renew(row: &mut Position, received: &Position) {
    if received.entry_price.is_some() {
        row.clone_from(received);
    } else {
        let extra = received.isolated_margin_extra;
        row.isolated_margin_extra = extra.or(row.isolated_margin_extra);
    }
}

fn lay(leg: Leg, price: &mut Option<Num>) {
    match leg {
        Leg::Keep => {}
        Leg::Remove => *price = None,
        Leg::Set(received) => *price = Some(received),
    }
}

/// The orders that a cancel-all has canceled; a queued cancel has not happened yet.
fn cancels(operation: &CancelAll) -> Vec<What> {
    let mut canceled = vec![];
    for result in &operation.results {
        if result.status.is(&CancelStatus::Canceled) {
            canceled.push(What::Canceled(result.order_id.clone()));
        }
    }
    canceled
}

/// The facts in a receipt.
fn facts(command: &Command, receipt: &Receipt) -> Vec<What> {
    match (receipt, command) {
        (Receipt::Cancel(cancel), _) if cancel.canceled => vec![What::Canceled(cancel.id.clone())],
        (Receipt::Order { order, .. }, Command::Close(close)) => {
            let requested = close.size.map_or(ClosedSize::All, |_| ClosedSize::Size);
            vec![What::Close(
                close.position_id.clone(),
                requested,
                order.clone(),
            )]
        }
        (Receipt::Order { order, .. }, _) => vec![What::Order(order.clone())],
        (Receipt::Position(position), _) => vec![What::Position(position.clone())],
        (Receipt::CloseAll(operation), _) => closes(operation),
        (Receipt::CancelAll(operation), _) => cancels(operation),
        (Receipt::AlreadySo(_), Command::Cancel(id)) => vec![What::Canceled(id.clone())],
        (Receipt::AlreadySo(_), Command::Exits(exits)) => vec![What::Exits(exits.clone())],
        (
            Receipt::AlreadySo(_),
            Command::Margin {
                position_id, extra, ..
            },
        ) => vec![What::Margin(position_id.clone(), *extra)],
        (
            Receipt::Cancel(_)
            | Receipt::AlreadySo(_)
            | Receipt::Twap(_)
            | Receipt::Scaled(_)
            | Receipt::Flat(_),
            _,
        ) => vec![],
    }
}

fn closes(operation: &CloseAll) -> Vec<What> {
    let results = operation.results.iter();
    let closes = results.filter_map(|result| {
        let order = Box::new(result.order.clone()?);
        Some(What::Close(
            result.position_id.clone(),
            ClosedSize::All,
            order,
        ))
    });
    closes.collect()
}

/// The progress that a closing order shows.
fn closing(requested: ClosedSize, order: &Order, position: &Position) -> Option<Closing> {
    if order.status.is(&OrderStatus::Filled) {
        let filled = order.filled_size.unwrap_or_else(|| order.requested_size());
        // The position's row still contains what was closed just before.
        let whole = match requested {
            ClosedSize::All => order.requested_size().abs().min(position.quantity()),
            ClosedSize::Size => position.quantity(),
        };
        let is_whole = filled.abs() >= whole;
        return Some(if is_whole {
            Closing::Whole
        } else {
            Closing::InPart
        });
    }
    let is_on_its_way = order.kind.is(&OrderType::Market) && !order.is_over();
    is_on_its_way.then_some(Closing::UnderWay)
}

impl Store {
    /// Applies the receipt of a command that settled at `now`: newer than any poll sent before. Returns a newly placed
    /// scaled order.
    pub fn settle(
        &mut self,
        command: &Command,
        receipt: &Receipt,
        now: Timestamp,
    ) -> Vec<ScaledId> {
        let facts = facts(command, receipt).into_iter();
        let facts = facts.map(|what| Fact { at: now, what });
        self.from_receipts.0.extend(facts);
        self.trades.settled(command, receipt);
        self.remember_rungs();
        self.lay_over_orders();
        self.lay_over_positions();
        match receipt {
            Receipt::Cancel(cancel) if cancel.queued && !cancel.canceled => {
                self.queued_cancels.insert(cancel.id.clone());
            }
            Receipt::CancelAll(operation) => {
                self.queued_cancels.extend(operation.queued().cloned());
            }
            Receipt::Twap(twap) if twap.ended_at().is_some() => {
                self.ended_twaps.retain(|ended| ended.twap.id != twap.id);
                self.ended_twaps.push(Ended {
                    twap: (**twap).clone(),
                    last_seen: now,
                    since: now,
                    by: EndedBy::Unknown,
                    filled: FillCertainty::Exact,
                });
                self.forget_twaps();
            }
            Receipt::Scaled(scaled) => {
                self.arrive_scaled(scaled.id.clone(), Ok((**scaled).clone()), now);
                return self.new_scaled([scaled.id.clone()].into(), usize::MAX);
            }
            Receipt::Flat(_) => self.flat_at = Some(now),
            Receipt::Twap(_)
            | Receipt::Cancel(_)
            | Receipt::Order { .. }
            | Receipt::Position(_)
            | Receipt::CloseAll(_)
            | Receipt::AlreadySo(_) => {}
        }
        vec![]
    }

    /// A complete list requested at `at` has arrived: it decides earlier facts.
    pub(super) fn decide(&mut self, source: Source, at: Timestamp) {
        let facts = &mut self.from_receipts.0;
        facts.retain(|fact| fact.what.source() != source || fact.at >= at);
    }

    pub(super) fn lay_over_orders(&mut self) {
        if let Some(rows) = rows_mut(&mut self.orders) {
            for fact in &self.from_receipts.0 {
                fact.what.lay_over_orders(rows);
            }
        }
        self.tree = order_tree(self.orders.rows());
    }

    pub(super) fn lay_over_positions(&mut self) {
        if let Some(rows) = rows_mut(&mut self.positions) {
            for fact in &self.from_receipts.0 {
                fact.what.lay_over_positions(rows);
            }
        }
    }

    /// An order's status after the response to its cancel or change, if reads are older.
    pub fn status_by_receipt(&self, id: &OrderId) -> Option<OrderStatus> {
        let newest_first = self.from_receipts.0.iter().rev();
        let mut received = newest_first.filter_map(|fact| fact.what.status());
        received.find_map(|(of, status)| (of == id).then_some(status))
    }

    /// [`status_by_receipt`](Self::status_by_receipt) of every order that has one.
    pub fn statuses_by_receipt(&self) -> BTreeMap<&OrderId, OrderStatus> {
        let oldest_first = self.from_receipts.0.iter();
        oldest_first.filter_map(|fact| fact.what.status()).collect()
    }

    /// The progress of a position's close by its response, if reads are older. `None` for a closed row, whose size is
    /// the total ever held.
    pub fn closing(&self, position: &Position) -> Option<Closing> {
        if position.closed_at.is_some() {
            return None;
        }
        let mut latest_first = self.closes_of(&position.id).rev();
        latest_first.find_map(|(requested, order)| closing(requested, order, position))
    }

    /// Closes of this position by their responses, the oldest first.
    fn closes_of(&self, id: &PositionId) -> impl DoubleEndedIterator<Item = (ClosedSize, &Order)> {
        let facts = self.from_receipts.0.iter();
        facts.filter_map(move |fact| match &fact.what {
            What::Close(of, requested, order) if of == id => Some((*requested, order.as_ref())),
            What::Close(..)
            | What::Canceled(_)
            | What::Order(_)
            | What::Exits(_)
            | What::Position(_)
            | What::Margin(..) => None,
        })
    }
}

#[cfg(test)]
mod tests;
