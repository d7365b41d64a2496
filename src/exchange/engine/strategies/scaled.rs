//! Scaled orders: rungs placed in order, each an ordinary limit order (docs/engine.md 5.4).

use crate::{
    exchange::engine::{
        core::Engine,
        market::book::PriceAndSize,
        matching::{orders::NewOrder, validate},
        state::{
            AccountIx, CommandRefusal, CommandResult, Distribution, EngineEvent, Lots, OrderId,
            OrderMode, OrderRecord, OrderStatus, Px, Reason, Reduction, ScaledId, ScaledParams,
            ScaledRecord, ScaledRung, ScaledStatus, Side, Usd, refuse_field,
        },
    },
    model::plan,
};

const RUNG_COUNTS: std::ops::RangeInclusive<u32> = 2..=10;
const MIN_RUNG_NOTIONAL: Usd = Usd::dollars(10);

impl Engine {
    pub(crate) fn place_scaled(
        &mut self,
        account: AccountIx,
        order: &ScaledParams,
    ) -> CommandResult<ScaledId> {
        let rungs = self.rungs(order)?;
        let id = self.scaled.push(ScaledRecord {
            id: self.scaled.next_id(),
            account,
            market: order.market,
            side: order.side,
            total_size: Lots(order.side.sign() * order.size.0),
            leverage: order.leverage,
            margin_mode: order.margin_mode,
            reduce_only: order.reduction == Reduction::Only,
            start_price: order.start_price,
            end_price: order.end_price,
            rung_count: order.rung_count,
            distribution: order.distribution,
            placed_count: 0,
            rejected_count: 0,
            status: ScaledStatus::Placing,
            started_at: self.now,
            completed_at: None,
            canceled_at: None,
            rungs: Vec::new(),
        });
        self.accounts.at_mut(account).scaled.push(id);
        for (price, size) in rungs {
            self.place_rung(id, price, size);
        }
        self.scaled.at_mut(id).status = ScaledStatus::Working;
        self.refresh_scaled(id);
        self.record(EngineEvent::Scaled {
            scaled: id,
            status: self.scaled.at(id).status,
        });
        Ok(id)
    }

    fn rungs(&self, order: &ScaledParams) -> CommandResult<Vec<PriceAndSize>> {
        let decimals = self.known_market(order.market)?;
        validate::size("size", order.size, decimals)?;
        validate::leverage(order.leverage)?;
        validate::price("start_price", order.start_price, decimals)?;
        validate::price("end_price", order.end_price, decimals)?;
        let refused = |field, message| refuse_field(field, Reason::InvalidScaled, message);
        if !RUNG_COUNTS.contains(&order.rung_count) {
            let message = format!("rung_count {} must be from 2 to 10", order.rung_count);
            return refused("rung_count", message);
        }
        let count = i64::from(order.rung_count);
        let ends = (order.start_price, order.end_price);
        let rungs: Vec<PriceAndSize> = prices(ends, count, order.side, decimals)
            .into_iter()
            .zip(sizes(order.size, count, order.distribution))
            .collect();
        let least = rungs.iter().map(|(px, lots)| *px * *lots).min();
        match least.filter(|value| *value < MIN_RUNG_NOTIONAL) {
            Some(value) => {
                let message = format!(
                    "the smallest rung is worth {value} USD, less than {MIN_RUNG_NOTIONAL}"
                );
                refused("size", message)
            }
            None => Ok(rungs),
        }
    }

    /// A rejected rung keeps its price, size and reason, and has no order.
    fn place_rung(&mut self, id: ScaledId, price: Px, size: Lots) {
        let row = self.rung_row(id, price, size);
        let admitted = self.would_admit(&row);
        let placed = admitted.and_then(|()| self.submit(row));
        let placed = placed.map_err(|refusal| refusal.code);
        let scaled = self.scaled.at_mut(id);
        match placed {
            Ok(_) => scaled.placed_count += 1,
            Err(_) => scaled.rejected_count += 1,
        }
        scaled.rungs.push(ScaledRung {
            price,
            size: Lots(scaled.side.sign() * size.0),
            order: placed.ok(),
            reject_reason: placed.err(),
        });
    }

    fn rung_row(&self, id: ScaledId, price: Px, size: Lots) -> OrderRecord {
        let scaled = self.scaled.at(id);
        let mut row = self.new_row(NewOrder {
            account: scaled.account,
            market: scaled.market,
            side: scaled.side,
            size,
            leverage: scaled.leverage,
            margin_mode: scaled.margin_mode,
            mode: OrderMode::Limit,
        });
        row.limit_price = Some(price);
        row.reduce_only = scaled.reduce_only;
        row.scaled = Some(id);
        row
    }

    /// Updates a scaled order's status from its rungs; an ended one does not change.
    pub(crate) fn refresh_scaled(&mut self, id: ScaledId) {
        let scaled = self.scaled.at(id);
        if scaled.status != ScaledStatus::Working {
            return;
        }
        let orders = || scaled.rungs.iter().filter_map(|rung| rung.order);
        if orders().any(|order| self.orders.at(order).status.is_working()) {
            return;
        }
        let filled = orders().any(|order| self.orders.at(order).filled_size > Lots::ZERO);
        let status = match (scaled.placed_count, filled) {
            (0, _) => ScaledStatus::Rejected,
            (_, true) => ScaledStatus::Completed,
            (_, false) => ScaledStatus::Canceled,
        };
        self.end_scaled(id, status);
    }

    fn end_scaled(&mut self, id: ScaledId, status: ScaledStatus) {
        let now = self.now;
        let scaled = self.scaled.at_mut(id);
        scaled.status = status;
        if status == ScaledStatus::Canceled {
            scaled.canceled_at = Some(now);
        } else {
            scaled.completed_at = Some(now);
        }
        self.record(EngineEvent::Scaled { scaled: id, status });
    }

    /// Cancels the scaled order and its working rungs. An ended one does not change.
    pub(crate) fn cancel_scaled(
        &mut self,
        account: AccountIx,
        id: ScaledId,
    ) -> CommandResult<ScaledId> {
        let scaled = self
            .scaled(account, id)
            .ok_or_else(|| CommandRefusal::not_found("scaled order"))?;
        if scaled.status != ScaledStatus::Working {
            return Ok(id);
        }
        let rungs: Vec<OrderId> = scaled.rungs.iter().filter_map(|rung| rung.order).collect();
        self.end_scaled(id, ScaledStatus::Canceled);
        for order in rungs {
            self.finish(order, OrderStatus::Canceled, Some(Reason::ParentCanceled));
        }
        Ok(id)
    }
}

/// Sizes of the rungs; they sum to `total` exactly.
pub(crate) fn sizes(total: Lots, rungs: i64, distribution: Distribution) -> Vec<Lots> {
    let shares = plan::shares(total.0, rungs, distribution);
    shares.into_iter().map(Lots).collect()
}

/// Prices of the rungs, both ends included, rounded to the passive side.
pub(crate) fn prices((start, end): (Px, Px), rungs: i64, side: Side, decimals: u32) -> Vec<Px> {
    let last = i128::from((rungs - 1).max(1));
    (0..rungs)
        .map(|rung| {
            let exact = i128::from(start.0) * last + i128::from(end.0 - start.0) * i128::from(rung);
            let whole = match side {
                Side::Buy => exact.div_euclid(last),
                Side::Sell => -(-exact).div_euclid(last),
            };
            Px(i64::try_from(whole).unwrap_or(0)).round_passive(side, decimals)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rungs_stand_evenly_between_the_ends_on_valid_prices() {
        let buys = prices((Px(830_000), Px(820_000)), 3, Side::Buy, 5);
        assert_eq!(buys, [Px(830_000), Px(825_000), Px(820_000)]);
        let sells = prices((Px(1_000_000), Px(1_030_000)), 3, Side::Sell, 2);
        assert_eq!(sells, [Px(1_000_000), Px(1_015_000), Px(1_030_000)]);
        let eth = prices((Px(265_715), Px(266_247)), 3, Side::Buy, 4);
        assert_eq!(eth, [Px(265_710), Px(265_980), Px(266_240)]);
    }
}
