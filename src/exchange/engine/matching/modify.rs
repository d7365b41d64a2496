//! `PATCH /v1/orders/{id}`: another price and size for an order where it is (docs/engine.md 2.12).

use super::{enter::Admission, validate};
use crate::exchange::engine::{
    core::Engine,
    state::{
        AccountIx, CommandRefusal, CommandResult, EngineEvent, OrderChange, OrderId, OrderLinks,
        OrderMode, OrderRecord, OrderStatus, Px, Reason, refuse,
    },
};

impl Engine {
    /// The same checks as for a new order; a refusal changes nothing.
    pub(crate) fn modify(
        &mut self,
        account: AccountIx,
        modify: OrderChange,
    ) -> CommandResult<OrderId> {
        let mut row = self.modified(account, modify)?;
        let entry = self.admit(&mut row)?;
        self.put_again(row, entry);
        Ok(modify.order)
    }

    /// The order with its new price and size, not yet checked against the state.
    pub(crate) fn modified(
        &self,
        account: AccountIx,
        modify: OrderChange,
    ) -> CommandResult<OrderRecord> {
        let mut row = self.modifiable(account, modify.order)?.clone();
        if let Some(size) = modify.size {
            validate::size("size", size, self.size_decimals(row.market))?;
            row.size = size;
            row.initial_size = row.filled_size + size;
        }
        self.reprice(&mut row, modify.price)?;
        self.clamp(&mut row);
        Ok(row)
    }

    fn modifiable(&self, account: AccountIx, id: OrderId) -> CommandResult<&OrderRecord> {
        let row = self.cancelable(account, id)?;
        if row.scaled.is_some() {
            let message = format!("order {id} cannot be modified: it is a rung of a scaled order");
            return refuse(Reason::OrderNotModifiable, message);
        }
        if row.cancel_requested_at.is_some() {
            let message = format!("order {id} is being canceled");
            return refuse(Reason::OrderNotWorking, message);
        }
        Ok(row)
    }

    /// The price of an order that waits is its trigger, of a chase its cap, of any other its limit.
    fn reprice(&self, row: &mut OrderRecord, px: Px) -> CommandResult<()> {
        if row.waits() {
            let watched = self.size_decimals(row.trigger_market.unwrap_or(row.market));
            validate::price("price", px, watched)?;
            self.move_limit(row, px);
            row.trigger_price = Some(px);
        } else {
            validate::price("price", px, self.size_decimals(row.market))?;
            if row.mode == OrderMode::Chase {
                row.chase_cap = Some(px);
            } else {
                row.limit_price = Some(px);
            }
        }
        self.check_own_exits(row)
    }

    /// The limit of a conditional limit keeps its distance from the trigger, so that it still executes there.
    fn move_limit(&self, row: &mut OrderRecord, trigger: Px) {
        if let (Some(before), Some(limit)) = (row.trigger_price, row.limit_price) {
            let moved = limit + (trigger - before);
            let decimals = self.size_decimals(row.market);
            row.limit_price = Some(moved.round_passive(row.side, decimals));
        }
    }

    /// The exits that the order brings stay on their sides of its price.
    fn check_own_exits(&self, row: &OrderRecord) -> CommandResult<()> {
        let own_trigger = row.trigger_price.filter(|_| row.trigger_market.is_none());
        let Some(entry) = row.limit_price.or(own_trigger) else {
            return Ok(());
        };
        let decimals = self.size_decimals(row.market);
        validate::exits(row.exits, row.side, entry, decimals).map_err(|refusal| CommandRefusal {
            field: Some("price".into()),
            ..refusal
        })
    }

    /// A working order takes its new place, last in the queue there; what it is linked to stays.
    pub(crate) fn put_again(&mut self, row: OrderRecord, entry: Admission) {
        let (id, size) = (row.id, row.size);
        let price = row.trigger_price.filter(|_| row.waits());
        self.detach(id);
        let links = OrderLinks {
            priority: None,
            ..self.orders.at(id).links
        };
        let price = price.or(row.chase_cap).or(row.limit_price);
        *self.orders.at_mut(id) = OrderRecord {
            status: OrderStatus::Pending,
            links,
            ..row
        };
        self.record(EngineEvent::Modified {
            order: id,
            price,
            size,
        });
        self.follow_exit(id);
        self.begin(id, entry);
    }
}
