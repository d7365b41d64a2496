//! What the service's lists have shown, apart from what this desk does itself: a display that is frozen shows it as it was.

use super::Store;
use std::mem::swap;

impl Store {
    /// Exchanges with `other` what lists have shown, and what was computed from that. Commands in progress, calls, names and
    /// what the desk keeps stay.
    pub(crate) fn swap_lists(&mut self, other: &mut Self) {
        swap(&mut self.positions, &mut other.positions);
        swap(&mut self.orders, &mut other.orders);
        swap(&mut self.twaps, &mut other.twaps);
        swap(&mut self.ended_twaps, &mut other.ended_twaps);
        swap(&mut self.forgotten_twaps, &mut other.forgotten_twaps);
        swap(&mut self.scaled, &mut other.scaled);
        swap(&mut self.watched, &mut other.watched);
        swap(&mut self.forgotten, &mut other.forgotten);
        swap(&mut self.rungs, &mut other.rungs);
        swap(&mut self.closed, &mut other.closed);
        swap(&mut self.history, &mut other.history);
        swap(&mut self.markets, &mut other.markets);
        swap(&mut self.account, &mut other.account);
        swap(&mut self.own_times, &mut other.own_times);
        self.swap_computed(other);
    }

    fn swap_computed(&mut self, other: &mut Self) {
        swap(&mut self.results, &mut other.results);
        swap(&mut self.market_results, &mut other.market_results);
        swap(&mut self.days, &mut other.days);
        swap(&mut self.loss_days, &mut other.loss_days);
        swap(&mut self.hours, &mut other.hours);
        swap(&mut self.equity, &mut other.equity);
        swap(&mut self.quality, &mut other.quality);
        swap(&mut self.lineage, &mut other.lineage);
        swap(&mut self.prices, &mut other.prices);
        swap(&mut self.worth, &mut other.worth);
        swap(&mut self.tree, &mut other.tree);
        swap(&mut self.scaled_rows, &mut other.scaled_rows);
    }
}
