//! Closing a position: `POST /v1/positions/{id}/close`, one target of close-all, and canceling
//! (docs/engine.md 2.9, 2.10, 8).

use super::{enter::CLOSE_SLIPPAGE, orders::NewOrder, validate};
use crate::exchange::engine::{
    core::Engine,
    state::{
        AccountIx, Cancellation, CloseHow, CloseParams, CommandRefusal, CommandResult, Crossing,
        EngineEvent, OrderId, OrderMode, OrderRecord, OrderStatus, PositionId, PositionState, Px,
        Reason, TimeInForce, refuse,
    },
};

impl Engine {
    pub(crate) fn close(
        &mut self,
        account: AccountIx,
        close: &CloseParams,
    ) -> CommandResult<OrderId> {
        self.check_close(account, close)?;
        let held = self.open_position(account, close.position)?;
        let mode = match close.how {
            CloseHow::Market { .. } => OrderMode::Market,
            CloseHow::Limit { .. } => OrderMode::Limit,
            CloseHow::Conditional { .. } => OrderMode::Conditional,
        };
        let mut row = self.closing_row(held, mode);
        row.size = close.size.unwrap_or(row.size);
        row.initial_size = row.size;
        row.expected_price = close.expected_price.unwrap_or(row.expected_price);
        row.client_order_id.clone_from(&close.client_order_id);
        match close.how {
            CloseHow::Market { slippage } => {
                row.time_in_force = TimeInForce::Ioc;
                row.slippage = Some(slippage.unwrap_or(CLOSE_SLIPPAGE));
                self.submit_market(row)
            }
            CloseHow::Limit { price, crossing } => {
                self.check_crossing(&row, price, crossing)?;
                row.limit_price = Some(price);
                self.submit(row)
            }
            CloseHow::Conditional {
                market,
                trigger,
                direction,
                slippage,
            } => {
                row.trigger_market = Some(market.unwrap_or(row.market));
                row.trigger_price = Some(trigger);
                row.trigger_direction = Some(direction);
                row.slippage = slippage;
                self.submit(row)
            }
        }
    }

    fn check_close(&self, account: AccountIx, close: &CloseParams) -> CommandResult<()> {
        let position = self
            .position_of(account, close.position)
            .ok_or_else(|| CommandRefusal::not_found("position"))?;
        let decimals = self.size_decimals(position.market);
        close
            .size
            .map_or(Ok(()), |size| validate::size("size", size, decimals))?;
        match close.how {
            CloseHow::Market { slippage } => validate::slippage(slippage),
            CloseHow::Limit { price, .. } => validate::price("limit_price", price, decimals),
            CloseHow::Conditional {
                market,
                trigger,
                slippage,
                ..
            } => {
                let decimals = self.known_market(market.unwrap_or(position.market))?;
                validate::price("trigger_price", trigger, decimals)?;
                validate::slippage(slippage)
            }
        }
    }

    /// One target of close-all: a reduce-only market order for the whole position, at most 2.5 % away.
    pub(crate) fn force_close(
        &mut self,
        account: AccountIx,
        id: PositionId,
    ) -> CommandResult<OrderId> {
        let held = self.open_position(account, id)?;
        let mut row = self.closing_row(held, OrderMode::Market);
        row.time_in_force = TimeInForce::Ioc;
        row.slippage = Some(CLOSE_SLIPPAGE);
        self.submit_market(row)
    }

    /// A reduce-only row for the whole position, with its side, leverage and margin mode.
    pub(crate) fn closing_row(&self, held: &PositionState, mode: OrderMode) -> OrderRecord {
        let mut row = self.new_row(NewOrder {
            account: held.account,
            market: held.market,
            side: held.closing_side(),
            size: held.size.abs(),
            leverage: held.leverage,
            margin_mode: held.margin_mode,
            mode,
        });
        row.reduce_only = true;
        row.target_position = Some(held.id);
        row
    }

    pub(crate) fn position_of(&self, account: AccountIx, id: PositionId) -> Option<&PositionState> {
        self.positions
            .get(id)
            .filter(|position| position.account == account)
    }

    pub(crate) fn open_position(
        &self,
        account: AccountIx,
        id: PositionId,
    ) -> CommandResult<&PositionState> {
        let position = self
            .position_of(account, id)
            .ok_or_else(|| CommandRefusal::not_found("position"))?;
        match position.closed_at {
            None => Ok(position),
            Some(_) => refuse(Reason::PositionClosed, format!("position {id} is closed")),
        }
    }

    fn check_crossing(
        &self,
        row: &OrderRecord,
        price: Px,
        crossing: Crossing,
    ) -> CommandResult<()> {
        let crosses = self.public_book(row.market).crosses(row.side, price);
        if crosses && crossing == Crossing::Unacknowledged {
            refuse(
                Reason::MarketableLimitUnacknowledged,
                "limit_price crosses the market: send marketable_limit_acknowledged true if it is meant",
            )
        } else {
            Ok(())
        }
    }

    /// Cancels a resting order at once; queues the cancel of an armed one for the next step.
    pub(crate) fn cancel(
        &mut self,
        account: AccountIx,
        id: OrderId,
    ) -> CommandResult<Cancellation> {
        if self.cancelable(account, id)?.status == OrderStatus::Pending {
            return self.queue_cancel(account, id);
        }
        self.finish(id, OrderStatus::Canceled, Some(Reason::User));
        Ok(Cancellation::Canceled(id))
    }

    /// Cancels at the next step, unless the order has ended by then.
    pub(crate) fn queue_cancel(
        &mut self,
        account: AccountIx,
        id: OrderId,
    ) -> CommandResult<Cancellation> {
        self.cancelable(account, id)?;
        if !self.cancel_queue.contains(&id) {
            self.cancel_queue.push(id);
            self.orders.at_mut(id).cancel_requested_at = Some(self.now);
            self.record(EngineEvent::CancelQueued { order: id });
        }
        Ok(Cancellation::Queued(id))
    }

    pub(super) fn cancelable(
        &self,
        account: AccountIx,
        id: OrderId,
    ) -> CommandResult<&OrderRecord> {
        let row = self
            .order(account, id)
            .ok_or_else(|| CommandRefusal::not_found("order"))?;
        if row.status.is_working() {
            return Ok(row);
        }
        let message = format!("order {id} is already {}", row.status);
        refuse(Reason::OrderNotWorking, message)
    }

    /// After a breach: sells the position into the book at any price. If the other side is empty or too thin, the next
    /// step tries again.
    pub(crate) fn close_out(&mut self, id: PositionId) {
        let held = self.positions.at(id);
        let other = held.closing_side().opposite();
        let has_buyers = self.markets.at(held.market).book.best(other).is_some();
        if !has_buyers || self.is_frozen(held.market) {
            return;
        }
        let mut row = self.closing_row(held, OrderMode::CloseOut);
        row.time_in_force = TimeInForce::Ioc;
        // A rejection is on its row.
        let _ = self.submit(row);
    }
}
