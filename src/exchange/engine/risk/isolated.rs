//! `PUT /v1/positions/{id}/isolated-margin`: a total, not a delta (docs/engine.md 6.4).

use crate::exchange::engine::{
    core::Engine,
    market::book::{lots, notional},
    state::{
        AccountIx, CommandRefusal, EngineEvent, MAX_COUNT, MarginMode, MarketIx, Millis,
        PositionId, PositionState, Reason, SetIsolatedMargin, Usd, refuse, refuse_field,
    },
};

/// The oldest book that a reduction may be judged by.
const MAX_BOOK_AGE: Millis = Millis::seconds(5);

impl Engine {
    pub(crate) fn set_isolated_margin(
        &mut self,
        account: AccountIx,
        set: SetIsolatedMargin,
    ) -> Result<PositionId, CommandRefusal> {
        if set.extra < Usd::ZERO || set.extra > Usd::dollars(MAX_COUNT) {
            return refuse_field(
                "extra_margin",
                Reason::InvalidMargin,
                format!("extra_margin {} must be 0 or more", set.extra),
            );
        }
        let held = self.open_position(account, set.position)?;
        if held.margin_mode == MarginMode::Cross {
            return refuse(
                Reason::PositionNotIsolated,
                format!("position {} is cross: it has no margin of its own", held.id),
            );
        }
        let more = set.extra - held.extra;
        if more > Usd::ZERO {
            self.check_available(account, more)?;
        } else if more < Usd::ZERO {
            self.check_safe(held, set.extra)?;
        }
        self.positions.at_mut(set.position).extra = set.extra;
        self.record(EngineEvent::MarginSet {
            position: set.position,
            extra: set.extra,
        });
        Ok(set.position)
    }

    fn check_available(&self, account: AccountIx, more: Usd) -> Result<(), CommandRefusal> {
        let available = self.available(account);
        if more > available {
            refuse(
                Reason::InsufficientMargin,
                format!("extra_margin needs {more} USD more; {available} is available"),
            )
        } else {
            Ok(())
        }
    }

    /// The rest must cover the initial margin and a tenth of the closing value, and must not be liquidatable.
    fn check_safe(&self, held: &PositionState, extra: Usd) -> Result<(), CommandRefusal> {
        self.check_fresh(held.market)?;
        let exit = self.exit_value(held);
        let sign = i128::from(held.sign());
        let profit = Usd((exit.0 - held.cost.0) * sign);
        let after = PositionState {
            extra,
            ..held.clone()
        };
        let left = after.isolated_margin() + profit;
        let market = self.markets.at(held.market);
        let needed = market
            .initial_margin(exit, held.leverage)
            .max(exit.mul_ceil(1, 10));
        if left < needed || self.is_liquidatable(&after) {
            refuse(
                Reason::IsolatedMarginUnsafe,
                format!(
                    "extra_margin {extra} would leave {left} USD of margin; {needed} is needed"
                ),
            )
        } else {
            Ok(())
        }
    }

    fn check_fresh(&self, market: MarketIx) -> Result<(), CommandRefusal> {
        let age = self.now - self.markets.at(market).updated_at;
        if age > MAX_BOOK_AGE {
            Err(CommandRefusal::unavailable(format!(
                "the book is {} s old: margin can be reduced only on a fresh one",
                age.0 / 1_000
            )))
        } else {
            Ok(())
        }
    }

    /// What closing the whole position in the book would return; at mark if the book is too thin.
    fn exit_value(&self, held: &PositionState) -> Usd {
        let market = self.markets.at(held.market);
        let size = held.size.abs();
        let slices = market.book.preview(held.closing_side(), None, size);
        let missing = size - lots(&slices);
        notional(&slices) + market.mark * missing
    }
}
