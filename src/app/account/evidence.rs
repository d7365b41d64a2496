//! Why orders filled as they did: asked for the order whose detail is open, and kept for it.

use crate::model::{Num, Order, OrderEvidence, OrderId};

#[derive(Debug, Default)]
pub struct Evidence {
    /// The order that was asked for, and what it had filled then.
    asked: Option<(OrderId, Option<Num>)>,
    known: Option<OrderEvidence>,
}

impl Evidence {
    /// Whether to ask for this order now: once, and again when it has filled more.
    pub(crate) fn wants(&mut self, order: &Order) -> bool {
        let now = Some((order.id.clone(), order.filled_size));
        let is_new = self.asked != now;
        self.asked = now;
        is_new
    }

    /// No detail is open: the next one asks anew.
    pub(crate) fn rest(&mut self) {
        self.asked = None;
    }

    pub(crate) fn arrive(&mut self, evidence: OrderEvidence) {
        self.known = Some(evidence);
    }

    /// What is known of this order.
    pub fn of(&self, order: &OrderId) -> Option<&OrderEvidence> {
        self.known.as_ref().filter(|known| known.order_id == *order)
    }
}
