//! `POST /v1/orders`: turns a command into a row (docs/engine.md 2.1).

use super::orders::NewOrder;
use crate::exchange::engine::{
    core::Engine,
    state::{
        AccountIx, CommandRefusal, CommandResult, ExitOverlap, Millis, OrderId, OrderParams,
        OrderRecord, PlaceMode, Reason, Reduction, Tif, TimeInForce, refuse,
    },
};

impl Engine {
    pub(crate) fn place(
        &mut self,
        account: AccountIx,
        order: &OrderParams,
    ) -> CommandResult<OrderId> {
        self.check_payload(order)?;
        let row = self.order_row(account, order)?;
        if order.mode == PlaceMode::Market {
            self.submit_market(row)
        } else {
            self.submit(row)
        }
    }

    /// A market execution: at most one per cooldown and account (docs/engine.md 7.1, `order_cooldown`).
    pub(crate) fn submit_market(&mut self, row: OrderRecord) -> CommandResult<OrderId> {
        let account = row.account;
        let wait = self.accounts.at(account).cooldown_until - self.now;
        let cooldown = self.accounts.at(account).spec.rules.cooldown;
        if wait > Millis::ZERO {
            return Err(CommandRefusal::cooldown(cooldown, wait));
        }
        let done = self.submit(row);
        let reached_the_book = match &done {
            Ok(_) => true,
            Err(refusal) => refusal.code == Reason::NoLiquidity,
        };
        if reached_the_book {
            self.accounts.at_mut(account).cooldown_until = self.now + cooldown;
        }
        done
    }

    fn order_row(&self, account: AccountIx, order: &OrderParams) -> CommandResult<OrderRecord> {
        let mut row = self.new_row(NewOrder {
            account,
            market: order.market,
            side: order.side,
            size: order.size,
            leverage: order.leverage,
            margin_mode: order.margin_mode,
            mode: order.mode.mode(),
        });
        row.expected_price = order.expected_price;
        row.reduce_only = order.reduction == Reduction::Only;
        row.exits = order.exits;
        row.links.replaces_exits = order.overlap == ExitOverlap::Replaced;
        row.slippage = order.slippage;
        row.client_order_id.clone_from(&order.client_order_id);
        (row.time_in_force, row.gtd_expires_at) = time_in_force(order.tif);
        self.set_mode(&mut row, order.mode)?;
        Ok(row)
    }

    fn set_mode(&self, row: &mut OrderRecord, mode: PlaceMode) -> CommandResult<()> {
        row.limit_price = mode.limit();
        row.trigger_price = mode.trigger();
        row.trigger_direction = mode.mode().facts().triggers_on.direction(row.side);
        // A market order never rests, so an omitted time in force is ioc.
        if mode == PlaceMode::Market && row.time_in_force == TimeInForce::Gtc {
            row.time_in_force = TimeInForce::Ioc;
        } else if let PlaceMode::Chase { offset, cap } = mode {
            row.chase_offset = Some(offset);
            row.chase_cap = cap;
        } else if let PlaceMode::TakeProfit { target, .. } = mode {
            row.reduce_only = true;
            row.target_position = self.target(row, target)?;
        } else if let PlaceMode::Conditional {
            market, direction, ..
        } = mode
        {
            row.trigger_market = Some(market);
            row.trigger_direction = Some(direction);
        }
        Ok(())
    }

    /// The position that a take-profit closes: the named one, else the market's open one.
    fn target(
        &self,
        row: &OrderRecord,
        named: Option<crate::exchange::engine::state::PositionId>,
    ) -> CommandResult<Option<crate::exchange::engine::state::PositionId>> {
        let open = self.held(row.account, row.market).map(|held| held.id);
        match named {
            None => Ok(open),
            Some(id) if self.position(row.account, id).is_none() => {
                Err(CommandRefusal::not_found("position"))
            }
            Some(id) if open == Some(id) => Ok(open),
            Some(id) => refuse(
                Reason::PositionClosed,
                format!("target_position_id {id} is not open on this market"),
            ),
        }
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
