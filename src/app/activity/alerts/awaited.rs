//! Events that a command in progress may have caused: they wait until the command settles.
//!
//! Contract: no event waits for ever. When the command settles, events that its outcome does not cover are reported. A
//! parked command holds nothing back, because a person may take any time.

use super::alert::Alert;
use crate::{
    app::account::store::Store,
    model::{
        CloseAll, Command, Failure, Order, OrderId, Placed, Progress, Receipt, Resource, Ticket,
        TwapId,
    },
};
use std::collections::BTreeSet;

/// The effects of own commands, and events that may be theirs.
#[derive(Debug, Default)]
pub(crate) struct Awaited {
    /// Orders whose end was a command's outcome.
    reported: BTreeSet<OrderId>,
    /// TWAPs that a command ended.
    stopped: BTreeSet<TwapId>,
    held_back: Vec<(Ticket, Alert)>,
}

impl Awaited {
    /// The alert that an order ended, unless a command reports it or may yet.
    pub(crate) fn hear(&mut self, store: &Store, order: &Order, alert: Alert) -> Option<Alert> {
        if self.reported.remove(&order.id) {
            return None;
        }
        let Some(ticket) = cause(store, order) else {
            return Some(alert);
        };
        self.held_back.push((ticket, alert));
        None
    }

    /// A command settled: returns the waiting events that it did not cause.
    pub(crate) fn settled(
        &mut self,
        store: &Store,
        (ticket, command): (Ticket, &Command),
        result: &Result<Receipt, Failure>,
    ) -> Vec<Alert> {
        let brought = brought(command, result);
        self.reported.extend(brought.iter().cloned());
        match (command, result) {
            (Command::StopTwap(id), Ok(_)) => {
                self.stopped.insert(id.clone());
            }
            (_, Ok(Receipt::Flat(_))) => {
                self.stopped
                    .extend(store.active_twaps().map(|twap| twap.id.clone()));
            }
            (_, _) => {}
        }
        let mut news = self.release(ticket);
        news.retain(|alert| {
            alert
                .order()
                .is_none_or(|order| !brought.contains(&order.id))
        });
        news
    }

    /// A command progressed: records its effects so far; returns events once it is parked.
    pub(crate) fn advanced(&mut self, ticket: Ticket, progress: &Progress) -> Vec<Alert> {
        let operation = match progress {
            Progress::Running { operation, .. } => operation.close_all(),
            Progress::Flattening(flattening) => flattening.operation.as_ref(),
            Progress::Parked { .. } => return self.release(ticket),
            Progress::Queued
            | Progress::Sending { .. }
            | Progress::Unknown { .. }
            | Progress::Waiting { .. } => None,
        };
        self.reported.extend(operation.into_iter().flat_map(closes));
        vec![]
    }

    /// Whether this desk has ended the TWAP, or is about to.
    pub(crate) fn stops(&mut self, store: &Store, id: &TwapId) -> bool {
        let stopped = Resource::Twap(id.clone());
        let mut commands = store.in_progress();
        let is_on_its_way = commands.any(|command| command.facts().ends(&stopped));
        self.stopped.remove(id) || is_on_its_way
    }

    fn release(&mut self, ticket: Ticket) -> Vec<Alert> {
        let held_back = std::mem::take(&mut self.held_back);
        let (mine, others): (Vec<_>, Vec<_>) =
            held_back.into_iter().partition(|(of, _)| *of == ticket);
        self.held_back = others;
        mine.into_iter().map(|(_, alert)| alert).collect()
    }
}

/// The orders that an outcome reports as ended: a refused order is in the history too.
fn brought(command: &Command, result: &Result<Receipt, Failure>) -> BTreeSet<OrderId> {
    let places = command.facts().places;
    let places = matches!(places, Some(Placed::Order(_) | Placed::Close(_)));
    match result {
        Ok(Receipt::Order { order, .. }) if order.is_over() => [order.id.clone()].into(),
        Ok(Receipt::CloseAll(operation)) => closes(operation).collect(),
        Err(why) if places && !why.is_doubtful() => why.order_id.clone().into_iter().collect(),
        Ok(_) | Err(_) => BTreeSet::new(),
    }
}

/// The orders of a close-all: what becomes of them is its outcome.
fn closes(operation: &CloseAll) -> impl Iterator<Item = OrderId> + '_ {
    let orders = operation.results.iter().filter_map(|r| r.order.as_ref());
    orders.map(|order| order.id.clone())
}

/// The command in progress that may have caused it.
fn cause(store: &Store, order: &Order) -> Option<Ticket> {
    let is_parked = |progress: &Progress| matches!(progress, Progress::Parked { .. });
    let mut pending = store.pending.iter();
    let cause = pending
        .find(|(_, pending)| !is_parked(&pending.progress) && may_bring(&pending.command, order));
    cause.map(|(ticket, _)| *ticket)
}

fn may_bring(command: &Command, order: &Order) -> bool {
    match command.facts().places {
        Some(Placed::Order(request)) => {
            request.market_id == order.market_id
                && order.side.is(&request.side)
                && order.requested_size().abs() == request.size
        }
        Some(Placed::Close(request)) => {
            order.target_position_id.as_ref() == Some(&request.position_id)
        }
        Some(Placed::Twap(_) | Placed::Scaled(_)) | None => false,
    }
}
