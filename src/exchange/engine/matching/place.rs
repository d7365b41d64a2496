//! `POST /v1/orders`: turns a command into a row (docs/engine.md 2.1).

use super::{enter::RejectedOrder, orders::NewOrder};
use crate::exchange::engine::core::Engine;
use crate::exchange::engine::state::{
    command::{OrderParams, PlaceMode, Reduction, Tif},
    ids::{AccountIx, OrderId},
    records::OrderRecord,
    refusal::{CommandRefusal, Reason},
    units::{Millis, Px},
    words::{OrderMode, Side, TimeInForce, TriggerDirection},
};

impl Engine {
    pub(crate) fn place(
        &mut self,
        account: AccountIx,
        order: &OrderParams,
    ) -> Result<OrderId, CommandRefusal> {
        self.check_payload(order)?;
        let row = self.order_row(account, order)?;
        if order.mode == PlaceMode::Market {
            self.submit_market(row)
        } else {
            Ok(self.submit(row)?)
        }
    }

    /// A market execution: at most one per cooldown and account (docs/engine.md 7.1, `order_cooldown`).
    pub(crate) fn submit_market(&mut self, row: OrderRecord) -> Result<OrderId, CommandRefusal> {
        let account = row.account;
        let wait = self.accounts.at(account).cooldown_until - self.now;
        let cooldown = self.accounts.at(account).spec.rules.cooldown;
        if wait > Millis::ZERO {
            return Err(CommandRefusal::cooldown(cooldown, wait));
        }
        let done = self.submit(row);
        let reached_the_book = match &done {
            Ok(_) => true,
            Err(RejectedOrder { rejection, .. }) => rejection.reason == Reason::NoLiquidity,
        };
        if reached_the_book {
            self.accounts.at_mut(account).cooldown_until = self.now + cooldown;
        }
        Ok(done?)
    }

    fn order_row(
        &self,
        account: AccountIx,
        order: &OrderParams,
    ) -> Result<OrderRecord, CommandRefusal> {
        let mut row = self.new_row(NewOrder {
            account,
            market: order.market,
            side: order.side,
            size: order.size,
            leverage: order.leverage,
            margin_mode: order.margin_mode,
            mode: mode(order.mode),
        });
        row.expected_price = order.expected_price;
        row.reduce_only = order.reduction == Reduction::Only;
        row.take_profit = order.exits.take_profit;
        row.stop_loss = order.exits.stop_loss;
        row.slippage = order.slippage;
        (row.time_in_force, row.gtd_expires_at) = time_in_force(order.tif);
        self.set_mode(&mut row, order.mode)?;
        Ok(row)
    }

    fn set_mode(&self, row: &mut OrderRecord, mode: PlaceMode) -> Result<(), CommandRefusal> {
        match mode {
            // A market order never rests, so an omitted time in force is ioc.
            PlaceMode::Market => {
                if row.time_in_force == TimeInForce::Gtc {
                    row.time_in_force = TimeInForce::Ioc;
                }
            }
            PlaceMode::Limit { price } => row.limit_price = Some(price),
            PlaceMode::Chase { offset, cap } => {
                row.chase_offset = Some(offset);
                row.chase_cap = cap;
            }
            PlaceMode::StopMarket { trigger } => stop(row, trigger),
            PlaceMode::StopLimit { trigger, price } => {
                stop(row, trigger);
                row.limit_price = Some(price);
            }
            PlaceMode::TakeMarket { trigger } => take(row, trigger),
            PlaceMode::TakeLimit { trigger, price } => {
                take(row, trigger);
                row.limit_price = Some(price);
            }
            PlaceMode::TakeProfit { trigger, target } => {
                take(row, trigger);
                row.reduce_only = true;
                row.target_position = self.target(row, target)?;
            }
            PlaceMode::Conditional {
                market,
                trigger,
                direction,
            } => {
                row.trigger_market = Some(market);
                row.trigger_price = Some(trigger);
                row.trigger_direction = Some(direction);
            }
        }
        Ok(())
    }

    /// The position that a take-profit closes: the named one, else the market's open one.
    fn target(
        &self,
        row: &OrderRecord,
        named: Option<crate::exchange::engine::state::ids::PositionId>,
    ) -> Result<Option<crate::exchange::engine::state::ids::PositionId>, CommandRefusal> {
        let open = self.held(row.account, row.market).map(|held| held.id);
        match named {
            None => Ok(open),
            Some(id) if self.position(row.account, id).is_none() => {
                Err(CommandRefusal::not_found("position"))
            }
            Some(id) if open == Some(id) => Ok(open),
            Some(id) => Err(CommandRefusal::conflict(
                Reason::PositionClosed,
                format!("target_position_id {id} is not open on this market"),
            )),
        }
    }
}

fn mode(mode: PlaceMode) -> OrderMode {
    match mode {
        PlaceMode::Market => OrderMode::Market,
        PlaceMode::Limit { .. } => OrderMode::Limit,
        PlaceMode::Chase { .. } => OrderMode::Chase,
        PlaceMode::StopMarket { .. } => OrderMode::StopMarket,
        PlaceMode::StopLimit { .. } => OrderMode::StopLimit,
        PlaceMode::TakeMarket { .. } => OrderMode::TakeMarket,
        PlaceMode::TakeLimit { .. } => OrderMode::TakeLimit,
        PlaceMode::TakeProfit { .. } => OrderMode::TakeProfit,
        PlaceMode::Conditional { .. } => OrderMode::Conditional,
    }
}

fn time_in_force(tif: Tif) -> (TimeInForce, Option<Millis>) {
    match tif {
        Tif::Gtc => (TimeInForce::Gtc, None),
        Tif::Ioc => (TimeInForce::Ioc, None),
        Tif::Fok => (TimeInForce::Fok, None),
        Tif::Gtd { expires_at } => (TimeInForce::Gtd, Some(expires_at)),
    }
}

/// A stop buys when the price rises to it and sells when it falls to it.
fn stop(row: &mut OrderRecord, trigger: Px) {
    row.trigger_price = Some(trigger);
    row.trigger_direction = Some(match row.side {
        Side::Buy => TriggerDirection::Above,
        Side::Sell => TriggerDirection::Below,
    });
}

/// A take-profit is the reverse of a stop.
fn take(row: &mut OrderRecord, trigger: Px) {
    row.trigger_price = Some(trigger);
    row.trigger_direction = Some(match row.side {
        Side::Buy => TriggerDirection::Below,
        Side::Sell => TriggerDirection::Above,
    });
}
