//! Which trades were received already: a feed repeats them after it reconnects.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::exchange::engine::state::{Millis, ReceivedTrade};

/// Trades remembered of a market; an older one counts as known.
const MAX_REMEMBERED: usize = 4_096;

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct SeenPrints(BTreeSet<(Millis, u64)>);

impl SeenPrints {
    /// Remembers the trade; `false` if it was known.
    pub(crate) fn is_new(&mut self, trade: &ReceivedTrade) -> bool {
        let key = (trade.venue_time, trade.id);
        let is_full = self.0.len() >= MAX_REMEMBERED;
        if is_full && self.0.first().is_some_and(|oldest| key < *oldest) {
            return false;
        }
        if !self.0.insert(key) {
            return false;
        }
        if is_full {
            self.0.pop_first();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::engine::state::{Lots, Px, Side};

    fn trade(id: u64, at: i64) -> ReceivedTrade {
        ReceivedTrade {
            id,
            venue_time: Millis(at),
            aggressor: Side::Buy,
            px: Px(1),
            size: Lots(1),
        }
    }

    #[test]
    fn a_trade_that_a_feed_repeats_is_known_also_after_thousands_of_others() {
        let mut prints = SeenPrints::default();
        assert!(prints.is_new(&trade(7, 1_000)));
        assert!(!prints.is_new(&trade(7, 1_000)));
        assert!(prints.is_new(&trade(8, 1_000)), "two at one instant");
        for id in 0..10_000 {
            assert!(prints.is_new(&trade(id, 2_000)));
        }
        assert_eq!(prints.0.len(), MAX_REMEMBERED);
        assert!(!prints.is_new(&trade(7, 1_000)), "older than what is known");
    }
}
