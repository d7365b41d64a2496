//! Orders that left the working ones and are not on the newest page of history: a TWAP's slices fill that page, and an
//! older order settles on a deeper one.
//!
//! Contract: only complete lists count. Orders that a command of this desk ends, or may end, are not searched. Each
//! order is searched once, together with all others; one that is not found is reported as no longer working, without a
//! guess.

use super::{
    alert::{Alert, ended, is_part},
    awaited::Awaited,
};
use crate::{
    app::account::{
        poll::{Answer, Poll},
        store::Store,
    },
    model::{Command, Order, OrderId, Page, Timestamp},
};
use std::collections::BTreeMap;

/// The orders that left, until it is known why.
#[derive(Debug, Default)]
pub(crate) struct Gone(BTreeMap<OrderId, Left>);

#[derive(Debug)]
struct Left {
    /// Its last working state.
    order: Order,
    /// When the list without it was requested.
    since: Timestamp,
    /// A search is running.
    is_sought: bool,
}

impl Gone {
    /// Records the orders that left; returns those to search on older pages.
    pub(crate) fn hear(&mut self, store: &Store, poll: &Poll) -> Vec<OrderId> {
        match &poll.answer {
            Answer::Orders(Ok(page)) => {
                self.leave(store, page, poll.at);
                vec![]
            }
            Answer::History(Ok(page)) => self.seek(page, poll.at),
            Answer::Orders(Err(_))
            | Answer::History(Err(_))
            | Answer::MoreHistory(..)
            | Answer::Positions(_)
            | Answer::Twaps(_)
            | Answer::Scaled(..)
            | Answer::Closed(_)
            | Answer::MoreClosed(..)
            | Answer::Markets(_)
            | Answer::Account(_) => vec![],
        }
    }

    fn leave(&mut self, store: &Store, page: &Page<Order>, at: Timestamp) {
        let is_overtaken = store.orders.at().is_some_and(|known| known > at);
        if !page.is_whole() || is_overtaken {
            return;
        }
        let known = store.orders.rows().iter();
        let left = known.filter(|order| page.rows.iter().all(|row| row.id != order.id));
        for order in left.filter(|order| is_news(store, order)) {
            let left = Left {
                order: order.clone(),
                since: at,
                is_sought: false,
            };
            self.0.insert(order.id.clone(), left);
        }
    }

    /// Orders on the newest page need no search.
    fn seek(&mut self, page: &Page<Order>, at: Timestamp) -> Vec<OrderId> {
        let is_here = |id: &OrderId| page.rows.iter().any(|row| row.id == *id);
        self.0.retain(|id, left| left.since > at || !is_here(id));
        let due = self
            .0
            .iter_mut()
            .filter(|(_, left)| left.since <= at && !left.is_sought);
        due.map(|(id, left)| {
            left.is_sought = true;
            id.clone()
        })
        .collect()
    }
}

/// Whether nothing shows, or will show, why it no longer works.
fn is_news(store: &Store, order: &Order) -> bool {
    let id = &order.id;
    let scaled = order.scaled_order_id.as_ref();
    let ends_it = |command: &Command| {
        command.cancels() == Some(id)
            || matches!(command, Command::Flatten(_))
            || matches!(command, Command::CancelScaled(canceled) if Some(canceled) == scaled)
    };
    let is_own = store.queued_cancels.contains(id)
        || store
            .status_by_receipt(id)
            .is_some_and(|status| !status.is_working())
        || store
            .pending
            .values()
            .any(|pending| ends_it(&pending.command));
    let is_known = store.history.find(id).is_some_and(Order::is_over);
    !is_own && !is_known && !is_part(order)
}

/// The result of the search.
pub(crate) fn sought(
    store: &Store,
    gone: &mut Gone,
    awaited: &mut Awaited,
    (requested, found): (&[OrderId], &[Order]),
) -> Vec<Alert> {
    let mut news = vec![];
    for left in requested.iter().filter_map(|id| gone.0.remove(id)) {
        let alert = match found.iter().find(|order| order.id == left.order.id) {
            Some(order) => ended(store, order).and_then(|alert| awaited.hear(store, order, alert)),
            None => Some(Alert::Gone(Box::new(left.order))),
        };
        news.extend(alert);
    }
    news
}
