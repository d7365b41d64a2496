//! Why orders filled as they did: read for the order whose detail is open, and kept for it.

use crate::model::{Num, Order, OrderEvidence, OrderId};

#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// The order that was requested, and what it had filled then.
    requested: Option<(OrderId, Option<Num>)>,
    known: Option<OrderEvidence>,
}

impl Evidence {
    /// Whether to request this order now: once, and again when it has filled more.
    pub(crate) fn wants(&self, order: &Order) -> bool {
        let requested = self.requested.as_ref();
        requested.is_none_or(|(id, filled)| *id != order.id || *filled != order.filled_size)
    }

    pub(crate) fn ask(&mut self, order: &Order) {
        self.requested = Some((order.id.clone(), order.filled_size));
    }

    pub(crate) fn is_requested(&self) -> bool {
        self.requested.is_some()
    }

    /// No detail is open: the next one asks anew.
    pub(crate) fn rest(&mut self) {
        self.requested = None;
    }

    pub(crate) fn arrive(&mut self, evidence: OrderEvidence) {
        self.known = Some(evidence);
    }

    /// What is known of this order. The paper exchange shows for a part what the whole order rests on.
    pub fn of(&self, order: &Order) -> Option<&OrderEvidence> {
        let known = self.known.as_ref()?;
        let whole = order.partial_fill_root_order_id.as_ref();
        [Some(&order.id), whole]
            .contains(&Some(&known.order_id))
            .then_some(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::order;

    #[test]
    fn a_part_of_an_order_shows_what_the_whole_order_rests_on() {
        let mut evidence = Evidence::default();
        let whole = r#"{"order_id":"o-1","filled_size":1,"fills":[]}"#;
        evidence.arrive(serde_json::from_str(whole).unwrap());
        let shows = |id: &str, more: &str| {
            let terms = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"filled""#;
            let order = order(id, "BTC", &format!("{terms}{more}"));
            evidence.of(&order).is_some()
        };
        let part = r#","partial_of_order_id":"o-1","partial_fill_root_order_id":"o-1""#;
        assert_eq!(
            [shows("o-1", ""), shows("o-2", part), shows("o-3", "")],
            [true, true, false]
        );
    }
}
