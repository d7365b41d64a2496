//! Running TWAP and VWAP orders: activation, slices, bounds, ends (docs/engine.md 5.2, 5.3).

use super::schedule::{target, wanted};
use crate::{
    exchange::engine::{
        core::Engine,
        market::triggers::{TriggerTarget, TwapBound, reached},
        matching::{enter::SLICE_SLIPPAGE, orders::NewOrder},
        state::{
            AccountIx, CommandRefusal, CommandResult, CompletionReason, EngineEvent, Lots, Millis,
            OrderId, OrderMode, Px, Reason, TimeInForce, TriggerDirection, TwapId, TwapStatus, Usd,
        },
    },
    model::plan::Schedule,
};

pub(super) const MIN_SLICE_NOTIONAL: Usd = Usd::dollars(10);
/// Consecutive rejections for one cause before the order fails.
const MAX_REJECTED_SLICES: u32 = 3;
/// Causes with a completion reason of their own, and their number of consecutive rejections.
const REJECTED_SLICE_LIMITS: [(Reason, u32, CompletionReason); 2] = [
    (
        Reason::AccountBreached,
        1,
        CompletionReason::AccountBreached,
    ),
    (
        Reason::MarketUnavailable,
        MAX_REJECTED_SLICES,
        CompletionReason::MarketUnavailable,
    ),
];
/// The largest variation of a randomized slice, in hundredths of a percent.
const MAX_SIZE_VARIATION: i64 = 2_000;

impl Engine {
    /// The trigger fired, or there is none: the bounds apply and the first slice is due now, unless that mark has
    /// reached a bound as well.
    pub(crate) fn start_twap(&mut self, id: TwapId) {
        if self.twaps.at(id).status != TwapStatus::Pending {
            return;
        }
        let now = self.now;
        let row = self.twaps.at_mut(id);
        row.status = TwapStatus::Active;
        row.activated_at = Some(now);
        row.end_at = Some(now + Millis::seconds(i64::from(row.duration_minutes) * 60));
        row.next_run_at = Some(now);
        let market = row.market;
        let watched = TwapBound::given(row.max_price, row.min_price);
        let watched: Vec<_> = watched.collect();
        self.slices_due.insert((now, id));
        for (bound, px) in watched.iter().copied() {
            self.markets.at_mut(market).triggers.arm(
                bound.direction(),
                px,
                TriggerTarget::TwapBound(id, bound),
            );
        }
        self.record(EngineEvent::Twap {
            twap: id,
            status: TwapStatus::Active,
            reason: None,
        });
        let mark = self.markets.at(market).mark;
        let met = |(bound, px): &(TwapBound, Px)| reached(bound.direction(), mark, *px);
        if let Some((bound, _)) = watched.into_iter().find(met) {
            self.end_twap(id, TwapStatus::Completed, bound.reason());
        }
    }

    pub(crate) fn run_due_slices(&mut self) {
        while let Some(id) = self.next_due_slice() {
            self.run_slice(id);
        }
    }

    /// A slice of a market without data waits.
    fn next_due_slice(&self) -> Option<TwapId> {
        let due = self.slices_due.iter().take_while(|(at, _)| *at <= self.now);
        let mut fed = due.filter(|(_, id)| !self.is_frozen(self.twaps.at(*id).market));
        fed.next().map(|(_, id)| *id)
    }

    /// Of the slices missed while nothing ran the engine, keeps the last: it catches up as after slices that filled
    /// nothing. Otherwise all of them would meet one book at one instant.
    pub(crate) fn skip_missed_slices(&mut self) {
        let now = self.now;
        let due = self.slices_due.iter().copied();
        let late: Vec<_> = due.take_while(|(at, _)| *at <= now).collect();
        for (at, id) in late {
            let row = self.twaps.at_mut(id);
            let interval = Millis::seconds(i64::from(row.slice_interval_seconds));
            let elapsed = (now - at).0.checked_div(interval.0).unwrap_or(0);
            let others = row.slice_count.saturating_sub(row.slices_attempted + 1);
            row.slices_attempted += u32::try_from(elapsed).unwrap_or(u32::MAX).min(others);
            self.slices_due.remove(&(at, id));
            self.schedule_next(id);
        }
    }

    /// Runs one slice. Then the order is at its next slice, or has ended.
    pub(crate) fn run_slice(&mut self, id: TwapId) {
        let row = self.twaps.at(id);
        if let Some(at) = row.next_run_at {
            self.slices_due.remove(&(at, id));
        }
        if row.status != TwapStatus::Active {
            return;
        }
        if row.reduce_only && !self.has_something_to_reduce(id) {
            self.end_twap(id, TwapStatus::Completed, CompletionReason::PositionClosed);
            return;
        }
        let size = self.slice_size(id);
        self.twaps.at_mut(id).slices_attempted += 1;
        if size > Lots::ZERO {
            self.place_slice(id, size);
        }
        self.record(EngineEvent::Slice {
            twap: id,
            attempted: self.twaps.at(id).slices_attempted,
            filled: self.twaps.at(id).filled_size,
        });
        self.schedule_next(id);
    }

    fn has_something_to_reduce(&self, id: TwapId) -> bool {
        let row = self.twaps.at(id);
        self.held(row.account, row.market)
            .is_some_and(|held| held.closing_side() == row.side)
    }

    /// 0 if nothing is due, or less than the minimum order value.
    fn slice_size(&mut self, id: TwapId) -> Lots {
        let row = self.twaps.at(id);
        let schedule = Schedule {
            interval_seconds: i64::from(row.slice_interval_seconds),
            slices: i64::from(row.slice_count),
        };
        let index = i64::from(row.slices_attempted);
        let (total, filled) = (row.total_size.abs(), row.filled_size.abs());
        let start = row.activated_at.unwrap_or(row.started_at);
        let due = target(row.kind, total, index, schedule, start);
        let (market, last) = (row.market, index + 1 >= schedule.slices);
        let variation = (row.randomize && !last)
            .then(|| self.rng.between(-MAX_SIZE_VARIATION, MAX_SIZE_VARIATION));
        let size = wanted(total, filled, due, schedule.slices, variation);
        let market = self.markets.at(market);
        // Without a mid the slice is still tried, so that a market without a book ends the order.
        let value = Px(market.twice_mid() / 2) * size;
        if value < MIN_SLICE_NOTIONAL {
            Lots::ZERO
        } else {
            size
        }
    }

    fn place_slice(&mut self, id: TwapId, size: Lots) {
        let twap = self.twaps.at(id);
        let mut row = self.new_row(NewOrder {
            account: twap.account,
            market: twap.market,
            side: twap.side,
            size,
            leverage: twap.leverage,
            margin_mode: twap.margin_mode,
            mode: OrderMode::Market,
        });
        row.time_in_force = TimeInForce::Ioc;
        row.slippage = Some(SLICE_SLIPPAGE);
        row.reduce_only = twap.reduce_only;
        row.twap = Some(id);
        match self.submit(row) {
            Ok(child) => self.count_child(id, child),
            Err(refusal) => self.count_rejection(id, &refusal),
        }
    }

    fn count_child(&mut self, id: TwapId, child: OrderId) {
        let (lots, money) = {
            let child = self.orders.at(child);
            (child.filled_size, child.notional)
        };
        let decimals = self.size_decimals(self.twaps.at(id).market);
        let row = self.twaps.at_mut(id);
        row.current_child_order = Some(child);
        row.run.rejected_in_a_row = 0;
        row.run.notional += money;
        row.filled_size += Lots(row.side.sign() * lots.0);
        row.average_price = row.run.notional.per(row.filled_size, decimals);
    }

    fn count_rejection(&mut self, id: TwapId, refusal: &CommandRefusal) {
        let row = self.twaps.at_mut(id);
        row.current_child_order = refusal.order;
        if refusal.code == Reason::NoLiquidity {
            return;
        }
        let (patience, ends) = REJECTED_SLICE_LIMITS
            .into_iter()
            .find(|(cause, _, _)| *cause == refusal.code)
            .map_or(
                (MAX_REJECTED_SLICES, CompletionReason::InsufficientMargin),
                |(_, patience, ends)| (patience, ends),
            );
        row.run.rejected_in_a_row += 1;
        if row.run.rejected_in_a_row >= patience {
            self.fail_twap(id, ends);
        }
    }

    fn schedule_next(&mut self, id: TwapId) {
        let row = self.twaps.at_mut(id);
        if row.status != TwapStatus::Active {
            return;
        }
        if row.filled_size == row.total_size {
            self.end_twap(id, TwapStatus::Completed, CompletionReason::Filled);
        } else if row.slices_attempted >= row.slice_count {
            self.end_twap(id, TwapStatus::Completed, CompletionReason::DurationElapsed);
        } else {
            let after = i64::from(row.slice_interval_seconds) * i64::from(row.slices_attempted);
            let at = row.activated_at.unwrap_or(row.started_at) + Millis::seconds(after);
            row.next_run_at = Some(at);
            self.slices_due.insert((at, id));
        }
    }

    /// Stops future slices. An ended order does not change.
    pub(crate) fn stop_twap(&mut self, account: AccountIx, id: TwapId) -> CommandResult<TwapId> {
        self.twap(account, id)
            .ok_or_else(|| CommandRefusal::not_found("TWAP order"))?;
        self.end_twap(id, TwapStatus::Canceled, CompletionReason::CanceledByUser);
        Ok(id)
    }

    pub(crate) fn fail_twap(&mut self, id: TwapId, reason: CompletionReason) {
        self.end_twap(id, TwapStatus::Failed, reason);
    }

    pub(crate) fn end_twap(&mut self, id: TwapId, status: TwapStatus, reason: CompletionReason) {
        if !self.twaps.at(id).status.is_live() {
            return;
        }
        self.unwatch_twap(id);
        let now = self.now;
        let row = self.twaps.at_mut(id);
        row.status = status;
        row.completion_reason = Some(reason);
        row.next_run_at = None;
        if status == TwapStatus::Canceled {
            row.canceled_at = Some(now);
        } else {
            row.completed_at = Some(now);
        }
        let account = row.account;
        self.accounts.at_mut(account).live_twaps.remove(&id);
        self.record(EngineEvent::Twap {
            twap: id,
            status,
            reason: Some(reason),
        });
    }

    fn unwatch_twap(&mut self, id: TwapId) {
        let row = self.twaps.at(id);
        let (market, trigger) = (row.market, row.trigger_price);
        let bounds = TwapBound::given(row.max_price, row.min_price);
        if let Some(at) = row.next_run_at {
            self.slices_due.remove(&(at, id));
        }
        let triggers = &mut self.markets.at_mut(market).triggers;
        for (bound, px) in bounds {
            triggers.disarm(bound.direction(), px, TriggerTarget::TwapBound(id, bound));
        }
        if let Some(px) = trigger {
            triggers.disarm(TriggerDirection::Above, px, TriggerTarget::TwapStart(id));
            triggers.disarm(TriggerDirection::Below, px, TriggerTarget::TwapStart(id));
        }
    }

    pub(crate) fn live_twap_ids(&self, account: AccountIx) -> Vec<TwapId> {
        self.accounts
            .at(account)
            .live_twaps
            .iter()
            .copied()
            .collect()
    }
}
