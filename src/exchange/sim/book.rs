//! The order book of a market: whole, or its best levels, or summed by a step of prices.

use super::{
    super::{
        api_error::{ApiError, ApiResult},
        engine::{BookLevel, Px, Reason, Side},
        state::ExchangeState,
        wire::{self, MarketUnits},
    },
    query::BookQuery,
};
use crate::model::{Level, MarketId, Num, Timestamp};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(super) struct BookResource {
    market_id: MarketId,
    bids: Vec<Level>,
    asks: Vec<Level>,
    updated_at: Timestamp,
}

/// How a side of the book is summed and cut.
#[derive(Debug, Clone, Copy)]
struct BookView {
    units: MarketUnits,
    /// The step that levels are summed by.
    group: Option<Px>,
    depth: usize,
}

pub(super) fn book(
    state: &ExchangeState,
    id: &MarketId,
    query: BookQuery,
) -> ApiResult<BookResource> {
    let ix = state.market(id)?;
    let (units, facts) = (
        MarketUnits::of(&state.engine, ix),
        state.engine.market_facts(ix),
    );
    let tick = facts.mark.tick(units.size_decimals);
    let [bids, asks] =
        [Side::Buy, Side::Sell].map(|side| state.engine.book_levels(ix, side).collect::<Vec<_>>());
    let lowest = bids.last().map(|bid| bid.px);
    let group = query.group.map(|given| group(units, tick, lowest, given));
    let view = BookView {
        units,
        group: group.transpose()?,
        depth: query.depth.unwrap_or(usize::MAX),
    };
    Ok(BookResource {
        market_id: state.rows().market_id(ix),
        bids: view.side(Side::Buy, &bids),
        asks: view.side(Side::Sell, &asks),
        updated_at: wire::at(facts.updated_at),
    })
}

/// A multiple of the market's price step. A larger one than the lowest bid would sum bids up at a price of 0.
fn group(units: MarketUnits, tick: Px, lowest_bid: Option<Px>, given: Num) -> ApiResult<Px> {
    let wrong = |message| ApiError::field("group", Reason::InvalidTick, message);
    let group = units
        .price("group", given)
        .map_err(|why| wrong(why.message))?;
    let refused = |message| Err(wrong(message));
    if group.0 % tick.0 != 0 {
        return refused(format!(
            "group {given} is not a multiple of the market's price step {}",
            units.px(tick)
        ));
    }
    if let Some(lowest) = lowest_bid.filter(|lowest| group > *lowest) {
        return refused(format!(
            "group {given} is above the lowest bid {}: choose a smaller step",
            units.px(lowest)
        ));
    }
    Ok(group)
}

impl BookView {
    fn side(self, side: Side, levels: &[BookLevel]) -> Vec<Level> {
        let mut grouped: Vec<BookLevel> = Vec::new();
        for level in levels {
            let px = self.label(side, level.px);
            match grouped.last_mut().filter(|last| last.px == px) {
                Some(last) => last.size += level.size,
                None => grouped.push(BookLevel { px, ..*level }),
            }
        }
        let shown = grouped.into_iter().take(self.depth);
        shown
            .map(|level| Level {
                price: self.units.px(level.px),
                size: self.units.lots(level.size),
            })
            .collect()
    }

    /// The price of the group a level is in: down for bids, up for asks.
    fn label(self, side: Side, px: Px) -> Px {
        let Some(group) = self.group else { return px };
        match side {
            Side::Buy => Px(px.0.div_euclid(group.0) * group.0),
            Side::Sell => Px(-(-px.0).div_euclid(group.0) * group.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::engine::Lots;
    use proptest::prelude::*;

    fn view(group: Option<i64>, depth: usize) -> BookView {
        BookView {
            units: MarketUnits { size_decimals: 5 },
            group: group.map(Px),
            depth,
        }
    }

    fn levels(side: Side, prices: &[i64]) -> Vec<BookLevel> {
        let mut prices = prices.to_vec();
        prices.sort_unstable_by_key(|px| -side.sign() * px);
        prices.dedup();
        let level = |px: i64| BookLevel {
            px: Px(px),
            size: Lots(px % 97 + 1),
        };
        prices.into_iter().map(level).collect()
    }

    /// 9395.5 by 100 is 9300 as a bid and 9400 as an ask.
    #[test]
    fn bids_are_grouped_down_and_asks_up() {
        let level = |side| view(Some(1_000), 9).side(side, &levels(side, &[93_955]));
        assert_eq!(level(Side::Buy)[0].price.to_string(), "9300");
        assert_eq!(level(Side::Sell)[0].price.to_string(), "9400");
    }

    proptest! {
        #[test]
        fn grouped_sizes_sum_to_the_raw_ones_and_prices_step_by_the_group(
            prices in prop::collection::vec(1..9_999_i64, 1..60), group in 1..500_i64
        ) {
            for side in [Side::Buy, Side::Sell] {
                let raw = levels(side, &prices);
                let sum = |rows: &[Level]| {
                    rows.iter().map(|row| row.size.to_scaled::<i128>(5).unwrap()).sum::<i128>()
                };
                let shown = view(Some(group), usize::MAX).side(side, &raw);
                prop_assert_eq!(sum(&shown), raw.iter().map(|row| i128::from(row.size.0)).sum::<i128>());
                let labels: Vec<i128> = shown.iter().map(|row| row.price.to_scaled(1).unwrap()).collect();
                for pair in labels.windows(2) {
                    prop_assert!((pair[0] - pair[1]) * i128::from(side.sign()) >= i128::from(group));
                }
                prop_assert!(labels.iter().all(|px| px % i128::from(group) == 0));
                prop_assert_eq!(view(Some(group), 2).side(side, &raw).len(), shown.len().min(2));
            }
        }
    }
}
