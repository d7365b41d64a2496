//! The states of an order: recorded, armed or resting, ended. Keeps every index of orders.

use crate::exchange::engine::{
    core::Engine,
    market::triggers::TriggerTarget,
    state::{
        AccountIx, AttachedExits, EngineEvent, Lots, MarginMode, MarketIx, OrderId, OrderLinks,
        OrderMode, OrderRecord, OrderStatus, Reason, Side, TimeInForce, Usd,
    },
};

/// The fields of every order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewOrder {
    pub(crate) account: AccountIx,
    pub(crate) market: MarketIx,
    pub(crate) side: Side,
    pub(crate) size: Lots,
    pub(crate) leverage: u32,
    pub(crate) margin_mode: MarginMode,
    pub(crate) mode: OrderMode,
}

impl Engine {
    /// A row with only its base; it expects the current midpoint.
    pub(crate) fn new_row(&self, base: NewOrder) -> OrderRecord {
        let market = self.markets.at(base.market);
        let decimals = market.spec.size_decimals;
        let mid = self.public_book(base.market).mid(decimals);
        OrderRecord {
            id: self.orders.next_id(),
            account: base.account,
            market: base.market,
            order_type: base.mode.facts().order_type,
            mode: base.mode,
            side: base.side,
            size: base.size,
            initial_size: base.size,
            filled_size: Lots::ZERO,
            expected_price: mid.unwrap_or(market.mark.nano(decimals)),
            notional: Usd::ZERO,
            fill_price: None,
            trigger_price: None,
            limit_price: None,
            fee: Usd::ZERO,
            realized_pnl: None,
            leverage: base.leverage,
            margin_mode: base.margin_mode,
            reduce_only: false,
            time_in_force: TimeInForce::Gtc,
            gtd_expires_at: None,
            exits: AttachedExits::default(),
            chase_offset: None,
            chase_cap: None,
            trigger_market: None,
            trigger_direction: None,
            target_position: None,
            liquidity_role: None,
            partial_of: None,
            root: None,
            twap: None,
            scaled: None,
            client_order_id: None,
            status: OrderStatus::Pending,
            reason: None,
            rule: None,
            requested_at: self.now,
            settled_at: None,
            canceled_at: None,
            triggered_at: None,
            cancel_requested_at: None,
            slippage: None,
            links: OrderLinks::default(),
        }
    }

    /// Records a row under the next id.
    pub(crate) fn push_order(&mut self, mut row: OrderRecord) -> OrderId {
        row.id = self.orders.next_id();
        let (account, size) = (row.account, row.size);
        let (working, name) = (row.status.is_working(), row.client_order_id.clone());
        let id = self.orders.push(row);
        let listed = self.accounts.at_mut(account);
        listed.orders.push(id);
        listed.named.extend(name.map(|name| (name, id)));
        if working {
            self.accounts.at_mut(account).working.insert(id);
            self.record(EngineEvent::Requested {
                account,
                order: id,
                size,
            });
        }
        id
    }

    pub(crate) fn size_decimals(&self, market: MarketIx) -> u32 {
        self.markets.at(market).spec.size_decimals
    }

    /// Arms the order's trigger.
    pub(crate) fn arm(&mut self, id: OrderId) {
        let row = self.orders.at(id);
        let market = row.trigger_market.unwrap_or(row.market);
        let (Some(direction), Some(px)) = (row.trigger_direction, row.trigger_price) else {
            return;
        };
        self.markets
            .at_mut(market)
            .triggers
            .arm(direction, px, TriggerTarget::Order(id));
        self.watch_expiry(id);
        self.record(EngineEvent::Armed {
            order: id,
            trigger: px,
        });
    }

    /// Rests in the book at its limit price, last in the queue there.
    pub(crate) fn rest(&mut self, id: OrderId) {
        let priority = self.next_priority();
        let row = self.orders.at_mut(id);
        row.status = OrderStatus::Resting;
        row.links.priority = Some(priority);
        let left = row.size;
        let Some(spot) = row.spot() else {
            return;
        };
        if row.mode == OrderMode::Chase {
            let market = row.market;
            self.markets.at_mut(market).chasing.insert(id);
        }
        self.join_queue(id);
        self.watch_expiry(id);
        self.record(EngineEvent::Resting {
            order: id,
            price: spot.px,
            size: left,
        });
    }

    fn watch_expiry(&mut self, id: OrderId) {
        if let Some(at) = self.orders.at(id).gtd_expires_at {
            self.expiring.insert((at, id));
        }
    }

    /// Removes an order from every index; its row stays.
    pub(crate) fn detach(&mut self, id: OrderId) {
        let row = self.orders.at(id);
        let trigger = row.trigger_direction.zip(row.trigger_price);
        match (row.status, trigger, row.spot()) {
            (OrderStatus::Pending, Some((direction, px)), _) => {
                let market = row.trigger_market.unwrap_or(row.market);
                let triggers = &mut self.markets.at_mut(market).triggers;
                triggers.disarm(direction, px, TriggerTarget::Order(id));
            }
            (OrderStatus::Resting, _, Some(spot)) => {
                let market = self.markets.at_mut(row.market);
                market.resting.leave(spot);
                market.chasing.remove(&id);
                let market = row.market;
                if self.received.get(market).is_some() {
                    self.received.at_mut(market).claims.leave(id);
                }
            }
            _ => {}
        }
    }

    /// Ends an order. Ended orders do not change.
    pub(crate) fn finish(&mut self, id: OrderId, status: OrderStatus, reason: Option<Reason>) {
        if !self.orders.at(id).status.is_working() {
            return;
        }
        self.detach(id);
        let now = self.now;
        let row = self.orders.at_mut(id);
        row.status = status;
        row.reason = reason;
        row.rule = reason.and_then(Reason::rule);
        if status == OrderStatus::Canceled {
            row.canceled_at = Some(now);
        } else {
            row.settled_at = Some(now);
        }
        let (account, scaled, expiry) = (row.account, row.scaled, row.gtd_expires_at);
        self.accounts.at_mut(account).working.remove(&id);
        if let Some(at) = expiry {
            self.expiring.remove(&(at, id));
        }
        self.record(EngineEvent::Ended {
            order: id,
            status,
            reason,
        });
        if status != OrderStatus::Filled {
            self.unpair(id);
        }
        if let Some(scaled) = scaled {
            self.refresh_scaled(scaled);
        }
    }

    /// Sets the remaining size of a working order; at zero cancels it for `reason`.
    pub(crate) fn resize(&mut self, id: OrderId, size: Lots, reason: Reason) {
        if size <= Lots::ZERO {
            self.finish(id, OrderStatus::Canceled, Some(reason));
            return;
        }
        self.orders.at_mut(id).size = size;
        self.requeue_size(id);
        self.record(EngineEvent::Resized { order: id, size });
    }

    /// Updates a resting order's remaining size in the queue.
    pub(crate) fn requeue_size(&mut self, id: OrderId) {
        let row = self.orders.at(id);
        if let Some(spot) = row.spot() {
            let market = self.markets.at_mut(row.market);
            market.resting.resize(spot, row.size);
        }
    }

    /// Working orders of an account on one market.
    pub(crate) fn working_on(&self, account: AccountIx, market: MarketIx) -> Vec<OrderId> {
        self.accounts
            .at(account)
            .working
            .iter()
            .copied()
            .filter(|id| self.orders.at(*id).market == market)
            .collect()
    }

    /// Reduce-only orders never exceed the position: they shrink with it, never grow back, and end when it is flat or
    /// reversed (docs/engine.md 2.6).
    pub(crate) fn shrink_reduce_only(&mut self, account: AccountIx, market: MarketIx) {
        for id in self.working_on(account, market) {
            let row = self.orders.at(id);
            if !row.reduce_only || !row.status.is_working() {
                continue;
            }
            let reducible = self.reducible(row);
            if reducible < row.size {
                self.resize(id, reducible, Reason::ReduceOnly);
            }
        }
    }
}
