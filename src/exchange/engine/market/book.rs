//! One market's L2 book. Consumed size stays consumed until the next refresh, so that two orders in one step never take
//! the same lots (docs/engine.md 3.2).

use serde::{Deserialize, Serialize};

use crate::exchange::engine::state::{BookLevel, Bps, Lots, Px, Side, Usd};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct ConsumedLevel {
    px: Px,
    size: Lots,
    consumed: Lots,
}

impl ConsumedLevel {
    fn left(&self) -> Lots {
        self.size - self.consumed
    }
}

/// What a book shows at a price on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PriceDepth {
    /// Better than the best level, or between two visible levels: no size.
    Empty,
    At(Lots),
    /// Beyond the last visible level: unknown.
    Hidden,
}

impl PriceDepth {
    /// `None` where the book does not reach.
    pub(crate) fn shown(self) -> Option<Lots> {
        match self {
            Self::Empty => Some(Lots::ZERO),
            Self::At(shown) => Some(shown),
            Self::Hidden => None,
        }
    }
}

/// A part of a fill at one price.
pub(crate) type PriceAndSize = (Px, Lots);

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OrderBook {
    /// Best first, both.
    bids: Vec<ConsumedLevel>,
    asks: Vec<ConsumedLevel>,
}

impl OrderBook {
    /// Sets a new snapshot; nothing of it is consumed.
    pub(crate) fn refresh(&mut self, bids: &[BookLevel], asks: &[BookLevel]) {
        for (side, levels) in [(&mut self.bids, bids), (&mut self.asks, asks)] {
            side.clear();
            side.extend(levels.iter().map(|level| ConsumedLevel {
                px: level.px,
                size: level.size,
                consumed: Lots::ZERO,
            }));
        }
    }

    fn side(&self, side: Side) -> &[ConsumedLevel] {
        match side {
            Side::Buy => &self.bids,
            Side::Sell => &self.asks,
        }
    }

    fn side_mut(&mut self, side: Side) -> &mut [ConsumedLevel] {
        match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        }
    }

    /// The best price with size left, on the bid (`Buy`) or ask (`Sell`) side.
    pub(crate) fn best(&self, side: Side) -> Option<Px> {
        self.levels(side).next().map(|level| level.px)
    }

    /// What is left of one side, best first.
    pub(crate) fn levels(&self, side: Side) -> impl Iterator<Item = BookLevel> {
        self.side(side)
            .iter()
            .filter(|level| level.left() > Lots::ZERO)
            .map(|level| BookLevel {
                px: level.px,
                size: level.left(),
            })
    }

    /// Bid plus ask: exact, unlike their half. `None` if a side is empty.
    pub(crate) fn twice_mid(&self) -> Option<i64> {
        Some(
            self.best(Side::Buy)?
                .0
                .saturating_add(self.best(Side::Sell)?.0),
        )
    }

    /// What a taker of `side` would get within `limit` (`None`: any price), without taking it.
    pub(crate) fn preview(&self, side: Side, limit: Option<Px>, wanted: Lots) -> Vec<PriceAndSize> {
        preview(self.levels(side.opposite()), side, limit, wanted)
    }

    /// Consumes lots that [`OrderBook::preview`] returned.
    pub(crate) fn consume(&mut self, side: Side, slices: &[PriceAndSize]) {
        for level in self.side_mut(side.opposite()) {
            let taken = slices.iter().filter(|(px, _)| *px == level.px);
            level.consumed += taken.map(|(_, lots)| *lots).sum();
        }
    }

    /// The consumed size of each level since the last refresh.
    pub(crate) fn consumed(&self, side: Side) -> impl Iterator<Item = PriceAndSize> {
        self.side(side)
            .iter()
            .filter(|level| level.consumed > Lots::ZERO)
            .map(|level| (level.px, level.consumed))
    }

    /// The size shown at `px` on the `side` of a resting order.
    pub(crate) fn depth(&self, side: Side, px: Px) -> PriceDepth {
        let levels = self.side(side);
        match levels.iter().find(|level| level.px == px) {
            Some(level) => PriceDepth::At(level.left()),
            None => match levels.last() {
                Some(last) if beyond(side.opposite(), px, last.px) => PriceDepth::Hidden,
                Some(_) | None => PriceDepth::Empty,
            },
        }
    }

    /// Average price of trading `notional` against `side`'s opposite, as (money, lots); what the book holds if less.
    pub(crate) fn impact(&self, side: Side, notional: Usd) -> (Usd, Lots) {
        let mut cost = Usd::ZERO;
        let mut lots = Lots::ZERO;
        for level in self.levels(side.opposite()) {
            let part = level.size.min(lots_for(notional - cost, level.px));
            cost += level.px * part;
            lots += part;
            if part < level.size {
                break;
            }
        }
        (cost, lots)
    }
}

/// The worst price a market execution of `side` may touch: `slippage` from half of `twice_mid`, rounded to the passive
/// side.
pub(crate) fn cap(twice_mid: i64, side: Side, slippage: Bps, size_decimals: u32) -> Px {
    let twice = i128::from(twice_mid);
    let reach = i128::from(10_000 + side.sign() * slippage.0);
    let raw = match side {
        Side::Buy => (twice * reach).div_euclid(20_000),
        Side::Sell => -(-twice * reach).div_euclid(20_000),
    };
    Px(i64::try_from(raw).unwrap_or(i64::MAX)).round_passive(side, size_decimals)
}

fn lots_for(money: Usd, px: Px) -> Lots {
    let lots = money.0.max(0) / i128::from(px.0.max(1));
    Lots(i64::try_from(lots).unwrap_or(i64::MAX))
}

/// Whether `px` is worse than `limit` for a taker of `side`.
pub(crate) fn beyond(side: Side, px: Px, limit: Px) -> bool {
    match side {
        Side::Buy => px > limit,
        Side::Sell => px < limit,
    }
}

/// What a taker of `side` would get of `levels` within `limit`.
pub(super) fn preview(
    levels: impl Iterator<Item = BookLevel>,
    side: Side,
    limit: Option<Px>,
    wanted: Lots,
) -> Vec<PriceAndSize> {
    let mut missing = wanted;
    let mut slices = Vec::new();
    for level in levels {
        if missing <= Lots::ZERO || limit.is_some_and(|limit| beyond(side, level.px, limit)) {
            break;
        }
        let part = missing.min(level.size);
        missing -= part;
        slices.push((level.px, part));
    }
    slices
}

/// Σ price × size.
pub(crate) fn notional(slices: &[PriceAndSize]) -> Usd {
    slices.iter().map(|(px, lots)| *px * *lots).sum()
}

/// Σ size.
pub(crate) fn lots(slices: &[PriceAndSize]) -> Lots {
    slices.iter().map(|(_, lots)| *lots).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::engine::state::NanoPx;

    fn levels(rows: &[(i64, i64)]) -> Vec<BookLevel> {
        let level = |&(px, size): &(i64, i64)| BookLevel {
            px: Px(px),
            size: Lots(size),
        };
        rows.iter().map(level).collect()
    }

    /// Two size decimals: prices in 0.0001, sizes in 0.01.
    fn thin() -> OrderBook {
        let mut book = OrderBook::default();
        book.refresh(
            &levels(&[
                (999_000, 400),
                (995_000, 400),
                (976_000, 400),
                (973_000, 10_000),
            ]),
            &levels(&[
                (1_000_000, 200),
                (1_001_000, 300),
                (1_005_000, 500),
                (1_030_000, 5_000),
            ]),
        );
        book
    }

    fn capped(book: &OrderBook, side: Side, slippage: i64) -> Px {
        cap(book.twice_mid().unwrap(), side, Bps(slippage), 2)
    }

    fn buy_twelve(slippage: i64) -> (Px, Lots, Option<NanoPx>) {
        let book = thin();
        let cap = capped(&book, Side::Buy, slippage);
        let got = book.preview(Side::Buy, Some(cap), Lots(1_200));
        (cap, lots(&got), notional(&got).per(lots(&got), 2))
    }

    #[test]
    fn a_market_buy_of_twelve_stops_at_its_slippage_cap() {
        let at = |cap, filled, vwap: i64| (Px(cap), Lots(filled), Some(NanoPx(vwap)));
        assert_eq!(
            buy_twelve(250),
            at(1_024_400, 1_000, 100_280_000_000),
            "102.44"
        );
        assert_eq!(
            buy_twelve(50),
            at(1_004_400, 500, 100_060_000_000),
            "100.44"
        );
    }

    #[test]
    fn a_close_all_sell_never_trades_below_two_and_a_half_percent() {
        let book = thin();
        let cap = capped(&book, Side::Sell, 250);
        let got = book.preview(Side::Sell, Some(cap), Lots(1_500));
        assert_eq!(cap, Px(974_520), "97.45125 rounded up");
        assert_eq!(lots(&got), Lots(1_200));
        assert_eq!(notional(&got), Usd::dollars(1_188));
    }

    /// A venue's own example of a cap (docs/engine.md 3.1).
    #[test]
    fn eight_percent_off_a_hundred_thousand_is_ninety_two_thousand() {
        let twice_mid = 2 * 100_000 * 10;
        assert_eq!(cap(twice_mid, Side::Sell, Bps(800), 5), Px(920_000));
        assert_eq!(cap(twice_mid, Side::Buy, Bps(800), 5), Px(1_080_000));
    }

    #[test]
    fn two_orders_in_one_step_never_take_the_same_lots() {
        let mut book = OrderBook::default();
        book.refresh(&[], &levels(&[(100, 100)]));
        let take = |book: &mut OrderBook, wanted| {
            let got = book.preview(Side::Buy, None, Lots(wanted));
            book.consume(Side::Buy, &got);
            lots(&got)
        };
        assert_eq!(take(&mut book, 30), Lots(30));
        assert_eq!(take(&mut book, 50), Lots(50));
        assert_eq!(take(&mut book, 50), Lots(20), "20 left");
        book.refresh(&[], &levels(&[(100, 120)]));
        assert_eq!(take(&mut book, 500), Lots(120), "a new level is whole");
    }

    #[test]
    fn a_resting_order_knows_who_queues_before_it() {
        let book = thin();
        assert_eq!(
            book.depth(Side::Buy, Px(995_000)),
            PriceDepth::At(Lots(400))
        );
        assert_eq!(
            book.depth(Side::Buy, Px(999_500)),
            PriceDepth::Empty,
            "improves"
        );
        assert_eq!(
            book.depth(Side::Buy, Px(980_000)),
            PriceDepth::Empty,
            "a gap"
        );
        assert_eq!(book.depth(Side::Buy, Px(900_000)), PriceDepth::Hidden);
        assert_eq!(book.depth(Side::Sell, Px(2_000_000)), PriceDepth::Hidden);
    }
}
