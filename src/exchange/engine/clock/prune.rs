//! Drops rows that ended long ago, so that an exchange can run for months (`serve --keep`).
//!
//! Contract: a row that is open stays, whatever its age, and so does every row that a row which stays refers to. Rows go
//! at whole hours of virtual time. No event comes of it and no later step depends on it: the same commands give the same
//! [`Engine::log_hash`] with any time to keep, so that a restart may choose another one. Money is counted in the accounts
//! and does not change.
//!
//! Known limit: candles stay, because their number is bounded.

use std::collections::BTreeSet;

use crate::exchange::engine::{
    core::Engine,
    state::{Millis, OrderId, OrderRecord, PositionId, ScaledId, ScaledRecord, TwapId, TwapRecord},
};

/// How often rows are dropped.
pub(super) const PRUNE_INTERVAL: Millis = Millis::HOUR;

/// A reference from one row to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RowRef {
    Order(OrderId),
    Position(PositionId),
    Twap(TwapId),
    Scaled(ScaledId),
}

impl Engine {
    /// Drops rows that ended more than `keep` ago, from the next whole hour on; `None` drops nothing more.
    pub fn keep_for(&mut self, keep: Option<Millis>) {
        self.keep = keep;
        self.prune_histories();
    }

    /// Rows that ended before this instant are dropped.
    pub fn prune_before(&self) -> Option<Millis> {
        let hour = self.now.0.div_euclid(PRUNE_INTERVAL.0) * PRUNE_INTERVAL.0;
        self.keep.map(|keep| Millis(hour) - keep)
    }

    pub(super) fn prune(&mut self) {
        let Some(before) = self.prune_before() else {
            return;
        };
        self.prune_histories();
        let referred = self.referred(before);
        let is_young = |ended: Option<Millis>| ended.is_none_or(|ended| ended >= before);
        self.orders
            .retain(|row| is_young(row.ended_at()) || referred.contains(&RowRef::Order(row.id)));
        self.positions
            .retain(|row| is_young(row.closed_at) || referred.contains(&RowRef::Position(row.id)));
        self.twaps
            .retain(|row| is_young(row.ended_at()) || referred.contains(&RowRef::Twap(row.id)));
        self.scaled
            .retain(|row| is_young(row.ended_at()) || referred.contains(&RowRef::Scaled(row.id)));
        self.unlist_dropped();
    }

    /// The lists of the accounts name only rows that are there.
    fn unlist_dropped(&mut self) {
        let (orders, positions, scaled) = (&self.orders, &self.positions, &self.scaled);
        for ix in self.accounts.ids() {
            let account = self.accounts.at(ix);
            let is_complete = account.orders.iter().all(|id| orders.get(*id).is_some())
                && account.closed.iter().all(|id| positions.get(*id).is_some())
                && account.scaled.iter().all(|id| scaled.get(*id).is_some());
            if is_complete {
                continue;
            }
            let account = self.accounts.at_mut(ix);
            account.orders.retain(|id| orders.get(*id).is_some());
            account.fills.retain(|id| orders.get(*id).is_some());
            account.named.retain(|_, id| orders.get(*id).is_some());
            account.closed.retain(|id| positions.get(*id).is_some());
            account.scaled.retain(|id| scaled.get(*id).is_some());
            account.orders.shrink_to_fit();
            account.fills.shrink_to_fit();
            account.closed.shrink_to_fit();
            account.scaled.shrink_to_fit();
        }
    }

    /// Depends on the time alone, so that a restart drops what its checkpoint still had.
    pub(super) fn prune_histories(&mut self) {
        let Some(before) = self.prune_before() else {
            return;
        };
        for history in self.market_histories.each_mut() {
            history.trades.drop_oldest(|trade| trade.at < before);
        }
        for evidence in self.evidence.each_mut() {
            evidence.drop_oldest(|fill| fill.at < before);
        }
        for history in self.account_histories.each_mut() {
            history.equity.drop_oldest(|sample| sample.at < before);
            history.funding.drop_oldest(|paid| paid.at < before);
        }
    }

    /// What open and young rows refer to, directly or by way of other rows.
    fn referred(&self, before: Millis) -> BTreeSet<RowRef> {
        let is_young = |ended: Option<Millis>| ended.is_none_or(|ended| ended >= before);
        let orders = self.orders.each().filter(|row| is_young(row.ended_at()));
        let twaps = self.twaps.each().filter(|row| is_young(row.ended_at()));
        let scaled = self.scaled.each().filter(|row| is_young(row.ended_at()));
        let mut found = BTreeSet::new();
        let mut open: Vec<RowRef> = orders
            .flat_map(OrderRecord::refers_to)
            .chain(twaps.flat_map(TwapRecord::refers_to))
            .chain(scaled.flat_map(ScaledRecord::refers_to))
            .collect();
        while let Some(reference) = open.pop() {
            if found.insert(reference) {
                open.extend(self.references_of(reference));
            }
        }
        found
    }

    fn references_of(&self, reference: RowRef) -> Vec<RowRef> {
        match reference {
            RowRef::Order(id) => self.orders.get(id).map(OrderRecord::refers_to),
            RowRef::Twap(id) => self.twaps.get(id).map(TwapRecord::refers_to),
            RowRef::Scaled(id) => self.scaled.get(id).map(ScaledRecord::refers_to),
            RowRef::Position(_) => None,
        }
        .unwrap_or_default()
    }
}

impl OrderRecord {
    /// `None` while it works.
    fn ended_at(&self) -> Option<Millis> {
        let ended = self.settled_at.or(self.canceled_at);
        (!self.status.is_working()).then(|| ended.unwrap_or(self.requested_at))
    }

    fn refers_to(&self) -> Vec<RowRef> {
        let links = self.links;
        let orders = [
            self.partial_of,
            self.root,
            links.parent,
            links.exits.take_profit,
            links.exits.stop_loss,
            links.oco,
        ];
        let orders = orders.into_iter().flatten().map(RowRef::Order);
        orders
            .chain(self.target_position.map(RowRef::Position))
            .chain(self.twap.map(RowRef::Twap))
            .chain(self.scaled.map(RowRef::Scaled))
            .collect()
    }
}

impl TwapRecord {
    /// `None` while it is pending or active.
    fn ended_at(&self) -> Option<Millis> {
        let ended = self.completed_at.or(self.canceled_at);
        (!self.status.is_live()).then(|| ended.unwrap_or(self.started_at))
    }

    fn refers_to(&self) -> Vec<RowRef> {
        let child = self.current_child_order.map(RowRef::Order);
        child.into_iter().collect()
    }
}

impl ScaledRecord {
    /// `None` while one of its orders works.
    fn ended_at(&self) -> Option<Millis> {
        self.completed_at.or(self.canceled_at)
    }

    fn refers_to(&self) -> Vec<RowRef> {
        let orders = self.rungs.iter().filter_map(|rung| rung.order);
        orders.map(RowRef::Order).collect()
    }
}
