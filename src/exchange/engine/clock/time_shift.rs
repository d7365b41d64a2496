//! Moving an engine in time: what was played once is as good as played just now.

use crate::exchange::engine::{
    core::Engine,
    state::{AccountHistory, Millis, OrderRecord, PositionState, ScaledRecord, TwapRecord},
};

impl Engine {
    /// Moves every instant by whole minutes, back or ahead, as if everything had happened that much later. Prices,
    /// sizes and random streams stay; an hour or a day that began or ended meanwhile is not made up for: no funding is
    /// paid and no daily limit begins anew for it.
    pub fn shift_time(&mut self, minutes: i64) {
        let by = Millis(minutes * Millis::MINUTE.0);
        self.now += by;
        self.expiring = std::mem::take(&mut self.expiring)
            .into_iter()
            .map(|(at, id)| (at + by, id))
            .collect();
        self.slices_due = std::mem::take(&mut self.slices_due)
            .into_iter()
            .map(|(at, id)| (at + by, id))
            .collect();
        for market in self.markets.each_mut() {
            market.day.shift(by);
            market.updated_at += by;
        }
        for account in self.accounts.each_mut() {
            account.opened_at += by;
            account.cooldown_until += by;
            account.challenge.shift(by, self.now, &account.spec.rules);
        }
        self.orders.each_mut().for_each(|order| order.shift(by));
        self.positions.each_mut().for_each(|held| held.shift(by));
        self.twaps.each_mut().for_each(|twap| twap.shift(by));
        self.scaled.each_mut().for_each(|scaled| scaled.shift(by));
        for history in self.market_histories.each_mut() {
            history.shift(minutes);
        }
        for history in self.account_histories.each_mut() {
            history.shift(by);
        }
    }
}

/// Those instants that there are.
fn shift<const N: usize>(instants: [&mut Option<Millis>; N], by: Millis) {
    for at in instants.into_iter().flatten() {
        *at += by;
    }
}

impl OrderRecord {
    fn shift(&mut self, by: Millis) {
        self.requested_at += by;
        let Self {
            settled_at,
            canceled_at,
            gtd_expires_at,
            triggered_at,
            cancel_requested_at,
            ..
        } = self;
        let ends = [settled_at, canceled_at, gtd_expires_at];
        shift(ends, by);
        shift([triggered_at, cancel_requested_at], by);
    }
}

impl PositionState {
    fn shift(&mut self, by: Millis) {
        self.opened_at += by;
        shift([&mut self.cut_at, &mut self.closed_at], by);
    }
}

impl TwapRecord {
    fn shift(&mut self, by: Millis) {
        self.started_at += by;
        let Self {
            end_at,
            activated_at,
            next_run_at,
            canceled_at,
            completed_at,
            ..
        } = self;
        let instants = [end_at, activated_at, next_run_at, canceled_at, completed_at];
        shift(instants, by);
    }
}

impl ScaledRecord {
    fn shift(&mut self, by: Millis) {
        self.started_at += by;
        shift([&mut self.completed_at, &mut self.canceled_at], by);
    }
}

impl AccountHistory {
    fn shift(&mut self, by: Millis) {
        self.equity.each_mut().for_each(|sample| sample.at += by);
        self.funding.each_mut().for_each(|paid| paid.at += by);
    }
}
