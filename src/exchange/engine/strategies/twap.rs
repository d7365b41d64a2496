//! Placing a TWAP or VWAP order: its valid parameters (docs/engine.md 5.1, 5.3).

use super::slices::MIN_SLICE_NOTIONAL;
use crate::{
    exchange::engine::{
        core::Engine,
        market::triggers::{TriggerTarget, TwapBound, reached},
        matching::validate,
        state::{
            AccountIx, CommandResult, EngineEvent, Lots, MarketIx, Pacing, Px, Reason, Reduction,
            TriggerDirection, TwapId, TwapParams, TwapProgress, TwapRecord, TwapStatus, Usd,
            refuse, refuse_field,
        },
    },
    model::plan::Schedule,
};

/// 5 minutes to a day.
const DURATION_MINUTES: std::ops::RangeInclusive<u32> = 5..=24 * 60;
/// The shortest and the longest interval between slices.
const INTERVAL_SECONDS: std::ops::RangeInclusive<u32> = 30..=43_200;
const MIN_TWAP_NOTIONAL: Usd = Usd::dollars(100);

impl Engine {
    pub(crate) fn place_twap(
        &mut self,
        account: AccountIx,
        order: &TwapParams,
    ) -> CommandResult<TwapId> {
        self.check_twap(account, order)?;
        let row = self.twap_row(account, order, self.schedule(order));
        let (market, trigger) = (row.market, row.trigger_price);
        let id = self.twaps.push(row);
        self.accounts.at_mut(account).live_twaps.insert(id);
        self.record(EngineEvent::Twap {
            twap: id,
            status: TwapStatus::Pending,
            reason: None,
        });
        if let Some(px) = trigger {
            let direction = self.direction_to(market, px);
            let triggers = &mut self.markets.at_mut(market).triggers;
            triggers.arm(direction, px, TriggerTarget::TwapStart(id));
        } else {
            self.start_twap(id);
            self.run_slice(id);
        }
        Ok(id)
    }

    /// With the interval that the client chose, or the shortest.
    fn schedule(&self, order: &TwapParams) -> Schedule {
        let seconds = i64::from(order.duration_minutes) * 60;
        let notional = self.markets.at(order.market).mark * order.size;
        match order.slice_interval_seconds {
            Some(interval) => Schedule::every(seconds, i64::from(interval)),
            None => Schedule::new(
                seconds,
                i64::try_from(notional.0 / 1_000_000).unwrap_or(i64::MAX),
            ),
        }
    }

    /// The direction in which the mark must move to reach a price.
    fn direction_to(&self, market: MarketIx, px: Px) -> TriggerDirection {
        if px > self.markets.at(market).mark {
            TriggerDirection::Above
        } else {
            TriggerDirection::Below
        }
    }

    fn check_twap(&self, account: AccountIx, order: &TwapParams) -> CommandResult<()> {
        let decimals = self.known_market(order.market)?;
        validate::size("size", order.size, decimals)?;
        validate::leverage(order.leverage)?;
        let prices = [
            ("trigger_price", order.trigger_price),
            ("max_price", order.max_price),
            ("min_price", order.min_price),
        ];
        for (field, px) in prices {
            px.map_or(Ok(()), |px| validate::price(field, px, decimals))?;
        }
        check_bounds(order, decimals)?;
        check_times(order)?;
        let market = self.markets.at(order.market);
        let value = market.mark * order.size;
        if value < MIN_TWAP_NOTIONAL {
            return refuse(
                Reason::BelowMinNotional,
                format!(
                    "the order is worth {value} USD, less than the minimum {MIN_TWAP_NOTIONAL}"
                ),
            );
        }
        let slice = value.mul_floor(1, self.schedule(order).slices);
        if slice < MIN_SLICE_NOTIONAL && order.slice_interval_seconds.is_some() {
            return refuse(
                Reason::BelowMinNotional,
                format!("a slice is worth {slice} USD, less than the minimum {MIN_SLICE_NOTIONAL}"),
            );
        }
        let mut bounds = TwapBound::given(order.max_price, order.min_price);
        let is_beyond = bounds.any(|(bound, px)| reached(bound.direction(), market.mark, px));
        if is_beyond && order.trigger_price.is_none() {
            return refuse(
                Reason::TriggerWouldFire,
                "the mark is beyond max_price or min_price already",
            );
        }
        self.check_access(order.market, order.reduction)?;
        self.check_twap_account(account, order)
    }

    fn check_twap_account(&self, account: AccountIx, order: &TwapParams) -> CommandResult<()> {
        if order.reduction == Reduction::Only {
            return self.check_twap_reduces(account, order);
        }
        self.check_opens(account)?;
        let limit = self.leverage_limit(account, order.market, order.side, order.size);
        limit.check(order.leverage)
    }

    /// An order with a trigger may find its position only when it fires.
    fn check_twap_reduces(&self, account: AccountIx, order: &TwapParams) -> CommandResult<()> {
        let reduces = self
            .held(account, order.market)
            .is_some_and(|held| held.closing_side() == order.side);
        if reduces || order.trigger_price.is_some() {
            Ok(())
        } else {
            refuse(
                Reason::ReduceOnlyNoPosition,
                "reduce_only needs an open position this order would close",
            )
        }
    }

    fn twap_row(&self, account: AccountIx, order: &TwapParams, schedule: Schedule) -> TwapRecord {
        TwapRecord {
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
            run: TwapProgress::default(),
        }
    }
}

fn check_times(order: &TwapParams) -> CommandResult<()> {
    let refused = |field, message| refuse_field(field, Reason::InvalidTwap, message);
    let minutes = order.duration_minutes;
    if !DURATION_MINUTES.contains(&minutes) {
        let message = format!("duration_minutes {minutes} must be from 5 to 1440");
        return refused("duration_minutes", message);
    }
    let is_fit = |seconds: &u32| INTERVAL_SECONDS.contains(seconds) && *seconds <= minutes * 30;
    match order
        .slice_interval_seconds
        .filter(|seconds| !is_fit(seconds))
    {
        None => Ok(()),
        Some(seconds) => refused(
            "slice_interval_seconds",
            format!(
                "slice_interval_seconds {seconds} must be from 30 to 43200, and at most half the duration"
            ),
        ),
    }
}

/// A bound that the trigger has reached would end the order as soon as it starts.
fn check_bounds(order: &TwapParams, decimals: u32) -> CommandResult<()> {
    let Some(trigger) = order.trigger_price else {
        return Ok(());
    };
    let mut bounds = TwapBound::given(order.max_price, order.min_price);
    let met = bounds.find(|(bound, px)| reached(bound.direction(), trigger, *px));
    let Some((bound, px)) = met else {
        return Ok(());
    };
    let (field, relation) = match bound {
        TwapBound::Max => ("max_price", "above"),
        TwapBound::Min => ("min_price", "below"),
    };
    let (px, trigger) = (px.shown(decimals), trigger.shown(decimals));
    let message = format!("{field} {px} must be {relation} trigger_price {trigger}");
    refuse_field(field, Reason::InvalidTwap, message)
}
