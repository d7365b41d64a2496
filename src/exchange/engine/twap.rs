//! TWAP and VWAP orders running: activation, slices, bounds, ends (exchange.md 3.2, 3.3).

use super::command::{Pacing, PlaceTwap, Reduction};
use super::core::Engine;
use super::enter::SLICE_CAP;
use super::ids::{AccountIx, OrderId, TwapId};
use super::log::Event;
use super::orders::Base;
use super::payload;
use super::refusal::{Reason, Refusal};
use super::rows::{Standing, TwapRow, TwapRun};
use super::schedule::{Schedule, target, wanted};
use super::triggers::{TwapBound, Wake, reached};
use super::units::{Lots, Millis, Px, Usd};
use super::words::{CompletionReason, OrderMode, TimeInForce, TriggerDirection, TwapStatus};

/// 5 minutes to 7 days.
const DURATION_MINUTES: std::ops::RangeInclusive<u32> = 5..=7 * 24 * 60;
const LEAST_NOTIONAL: Usd = Usd::dollars(100);
const LEAST_SLICE: Usd = Usd::dollars(10);
/// Slices turned down in a row for one cause before the order fails.
const PATIENCE: u32 = 3;
/// Causes that end an order for a reason of their own, and how many slices in a row it takes.
const GIVES_UP: [(Reason, u32, CompletionReason); 2] = [
    (
        Reason::AccountBreached,
        1,
        CompletionReason::AccountBreached,
    ),
    (
        Reason::MarketUnavailable,
        PATIENCE,
        CompletionReason::MarketUnavailable,
    ),
];
/// A randomised slice varies by up to this, in hundredths of a percent.
const SPREAD: i64 = 2_000;

impl Engine {
    pub(super) fn place_twap(
        &mut self,
        account: AccountIx,
        order: &PlaceTwap,
    ) -> Result<TwapId, Refusal> {
        self.check_twap(account, order)?;
        let notional = self.markets.at(order.market).mark * order.size;
        let schedule = Schedule::new(i64::from(order.duration_minutes) * 60, notional);
        let row = self.twap_row(account, order, schedule);
        let (market, trigger) = (row.market, row.trigger_price);
        let id = self.twaps.push(row);
        self.accounts.at_mut(account).live_twaps.insert(id);
        self.record(Event::Twap {
            twap: id,
            status: TwapStatus::Pending,
            reason: None,
        });
        if let Some(px) = trigger {
            let direction = self.toward(market, px);
            let triggers = &mut self.markets.at_mut(market).triggers;
            triggers.arm(direction, px, Wake::TwapStart(id));
        } else {
            self.start_twap(id);
            self.run_slice(id);
        }
        Ok(id)
    }

    /// The way the mark has to move to reach a price.
    fn toward(&self, market: super::ids::MarketIx, px: Px) -> TriggerDirection {
        if px > self.markets.at(market).mark {
            TriggerDirection::Above
        } else {
            TriggerDirection::Below
        }
    }

    fn check_twap(&self, account: AccountIx, order: &PlaceTwap) -> Result<(), Refusal> {
        let decimals = self.known_market(order.market)?;
        payload::size("total_size", order.size, decimals)?;
        payload::leverage(order.leverage)?;
        let prices = [
            ("trigger_price", order.trigger_price),
            ("max_price", order.max_price),
            ("min_price", order.min_price),
        ];
        for (field, px) in prices {
            px.map_or(Ok(()), |px| payload::price(field, px, decimals))?;
        }
        if !DURATION_MINUTES.contains(&order.duration_minutes) {
            return Err(Refusal::payload(
                "duration_minutes",
                Reason::InvalidTwap,
                format!(
                    "duration_minutes {} must be from 5 to 10080",
                    order.duration_minutes
                ),
            ));
        }
        let market = self.markets.at(order.market);
        let value = market.mark * order.size;
        if value < LEAST_NOTIONAL {
            return Err(Refusal::conflict(
                Reason::BelowMinNotional,
                format!("the order is worth {value} USD, less than the minimum {LEAST_NOTIONAL}"),
            ));
        }
        let beyond = [
            (TwapBound::Max, order.max_price),
            (TwapBound::Min, order.min_price),
        ]
        .into_iter()
        .any(|(bound, px)| px.is_some_and(|px| reached(bound.direction(), market.mark, px)));
        if beyond && order.trigger_price.is_none() {
            return Err(Refusal::conflict(
                Reason::TriggerWouldFire,
                "the mark is beyond max_price or min_price already",
            ));
        }
        self.check_twap_account(account, order)
    }

    fn check_twap_account(&self, account: AccountIx, order: &PlaceTwap) -> Result<(), Refusal> {
        if order.reduction == Reduction::Only {
            return Ok(());
        }
        let most = self
            .markets
            .at(order.market)
            .spec
            .max_leverage
            .min(self.accounts.at(account).spec.rules.max_order_leverage);
        match (self.standing(account), order.leverage > most) {
            (Standing::Breached { .. }, _) => Err(Refusal::conflict(
                Reason::AccountBreached,
                "the account broke a rule: only reduce-only orders are taken",
            )),
            (_, true) => Err(Refusal::conflict(
                Reason::LeverageTooHigh,
                format!("leverage {} is above {most}", order.leverage),
            )),
            (Standing::Active | Standing::Passed { .. }, false) => Ok(()),
        }
    }

    fn twap_row(&self, account: AccountIx, order: &PlaceTwap, schedule: Schedule) -> TwapRow {
        TwapRow {
            id: self.twaps.next_id(),
            account,
            market: order.market,
            kind: order.kind,
            side: order.side,
            total_size: Lots(order.side.sign() * order.size.0),
            filled_size: Lots::ZERO,
            leverage: order.leverage,
            margin_mode: order.margin_mode,
            reduce_only: order.reduction == Reduction::Only,
            randomize: order.pacing == Pacing::Randomized,
            average_price: None,
            trigger_price: order.trigger_price,
            max_price: order.max_price,
            min_price: order.min_price,
            duration_minutes: order.duration_minutes,
            slice_interval_seconds: u32::try_from(schedule.interval_seconds).unwrap_or(u32::MAX),
            slice_count: u32::try_from(schedule.slices).unwrap_or(u32::MAX),
            slices_attempted: 0,
            status: TwapStatus::Pending,
            completion_reason: None,
            current_child_order: None,
            started_at: self.now,
            end_at: None,
            activated_at: None,
            next_run_at: None,
            canceled_at: None,
            completed_at: None,
            run: TwapRun::default(),
        }
    }

    /// Its trigger was met, or it has none: bounds are watched and the first slice is due now.
    pub(super) fn start_twap(&mut self, id: TwapId) {
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
        let bounds = bounds(row);
        self.slices_due.insert((now, id));
        for (bound, px) in bounds {
            self.markets.at_mut(market).triggers.arm(
                bound.direction(),
                px,
                Wake::TwapBound(id, bound),
            );
        }
        self.record(Event::Twap {
            twap: id,
            status: TwapStatus::Active,
            reason: None,
        });
    }

    pub(super) fn run_due_slices(&mut self) {
        while let Some((at, id)) = self.slices_due.first().copied() {
            if at > self.now {
                break;
            }
            self.run_slice(id);
        }
    }

    /// One slice. The order has moved on to its next slice, or ended, when this returns.
    fn run_slice(&mut self, id: TwapId) {
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
        self.record(Event::Slice {
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

    /// 0 when nothing is due, or less than an order may be worth.
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
        let dice = (row.randomize && !last).then(|| self.dice.between(-SPREAD, SPREAD));
        let size = wanted((total, filled), due, schedule.slices, dice);
        let twice_mid = self.markets.at(market).book.twice_mid().unwrap_or(0);
        let value = Px(twice_mid / 2) * size;
        if value < LEAST_SLICE {
            Lots::ZERO
        } else {
            size
        }
    }

    fn place_slice(&mut self, id: TwapId, size: Lots) {
        let twap = self.twaps.at(id);
        let mut row = self.blank(Base {
            account: twap.account,
            market: twap.market,
            side: twap.side,
            size,
            leverage: twap.leverage,
            margin_mode: twap.margin_mode,
            mode: OrderMode::Market,
        });
        row.time_in_force = TimeInForce::Ioc;
        row.slippage = Some(SLICE_CAP);
        row.reduce_only = twap.reduce_only;
        row.twap = Some(id);
        match self.submit(row) {
            Ok(child) => self.count_child(id, child),
            Err(rejected) => self.count_rejection(id, rejected.id, rejected.rejection.reason),
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

    fn count_rejection(&mut self, id: TwapId, child: OrderId, reason: Reason) {
        let row = self.twaps.at_mut(id);
        row.current_child_order = Some(child);
        if reason == Reason::NoLiquidity {
            return;
        }
        let (patience, ends) = GIVES_UP
            .into_iter()
            .find(|(cause, _, _)| *cause == reason)
            .map_or(
                (PATIENCE, CompletionReason::InsufficientMargin),
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

    /// Stops future slices. One that has ended stays as it is.
    pub(super) fn stop_twap(&mut self, account: AccountIx, id: TwapId) -> Result<TwapId, Refusal> {
        self.twap(account, id)
            .ok_or_else(|| Refusal::not_found("TWAP order"))?;
        self.end_twap(id, TwapStatus::Canceled, CompletionReason::CanceledByUser);
        Ok(id)
    }

    pub(super) fn fail_twap(&mut self, id: TwapId, reason: CompletionReason) {
        self.end_twap(id, TwapStatus::Failed, reason);
    }

    pub(super) fn end_twap(&mut self, id: TwapId, status: TwapStatus, reason: CompletionReason) {
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
        self.record(Event::Twap {
            twap: id,
            status,
            reason: Some(reason),
        });
    }

    fn unwatch_twap(&mut self, id: TwapId) {
        let row = self.twaps.at(id);
        let (market, trigger) = (row.market, row.trigger_price);
        let bounds = bounds(row);
        if let Some(at) = row.next_run_at {
            self.slices_due.remove(&(at, id));
        }
        let triggers = &mut self.markets.at_mut(market).triggers;
        for (bound, px) in bounds {
            triggers.disarm(bound.direction(), px, Wake::TwapBound(id, bound));
        }
        if let Some(px) = trigger {
            triggers.disarm(TriggerDirection::Above, px, Wake::TwapStart(id));
            triggers.disarm(TriggerDirection::Below, px, Wake::TwapStart(id));
        }
    }

    pub(super) fn live_twap_ids(&self, account: AccountIx) -> Vec<TwapId> {
        self.accounts
            .at(account)
            .live_twaps
            .iter()
            .copied()
            .collect()
    }
}

fn bounds(row: &TwapRow) -> Vec<(TwapBound, Px)> {
    [
        (TwapBound::Max, row.max_price),
        (TwapBound::Min, row.min_price),
    ]
    .into_iter()
    .filter_map(|(bound, px)| Some((bound, px?)))
    .collect()
}
