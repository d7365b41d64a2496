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
    pub(crate) fn wants(&self, order: &Order) -> bool {
        let asked = self.asked.as_ref();
        asked.is_none_or(|(id, filled)| *id != order.id || *filled != order.filled_size)
    }

    pub(crate) fn ask(&mut self, order: &Order) {
        self.asked = Some((order.id.clone(), order.filled_size));
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.asked.is_some()
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
