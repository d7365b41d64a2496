//! Checks every fill independently, from the books as shown and the log's fills.
//!
//! A taker gets the best levels first, each at its price, within its limit or cap. A maker gets its own price, from a
//! trade that reached it or a new book that crosses it. Afterwards the books and positions here equal the engine's.

use std::collections::BTreeMap;

use super::desk::Desk;
use crate::exchange::engine::*;

#[derive(Default)]
pub(super) struct Replay {
    seen: u64,
    held: BTreeMap<MarketIx, Lots>,
    /// The remaining size of each side, best first.
    left: BTreeMap<(MarketIx, Side), Vec<BookLevel>>,
    /// The rest of the last trade of others.
    trade: Option<(MarketIx, MarketTrade)>,
    /// The market whose book is new since the last check.
    fresh: Option<MarketIx>,
}

impl Replay {
    pub(super) fn new(desk: &Desk) -> Self {
        let mut replay = Self::default();
        for (market, tick) in desk.shown.iter().enumerate() {
            replay.refreshed(market.into(), tick);
        }
        replay.seen = desk.engine.log_len();
        replay
    }

    pub(super) fn refreshed(&mut self, market: MarketIx, tick: &MarketTick) {
        self.left.insert((market, Side::Buy), tick.bids.clone());
        self.left.insert((market, Side::Sell), tick.asks.clone());
        self.fresh = Some(market);
    }

    /// The remaining book, with a trade.
    pub(super) fn traded(&mut self, market: MarketIx, trade: MarketTrade) -> MarketTick {
        self.trade = Some((market, trade));
        MarketTick {
            trades: vec![trade],
            bids: self.levels(market, Side::Buy),
            asks: self.levels(market, Side::Sell),
            oracle: Px::ZERO,
        }
    }

    fn levels(&self, market: MarketIx, side: Side) -> Vec<BookLevel> {
        self.left.get(&(market, side)).cloned().unwrap_or_default()
    }

    /// Replays the events since the last check.
    pub(super) fn follow(&mut self, desk: &Desk) {
        let news: Vec<_> = desk
            .engine
            .recent_events()
            .take_while(|(number, _)| *number >= self.seen)
            .copied()
            .collect();
        self.seen = desk.engine.log_len();
        for (_, event) in news.into_iter().rev() {
            if let EngineEvent::Filled {
                row,
                size,
                notional,
                fee,
                ..
            } = event
            {
                let row = desk.row(row);
                self.position(&row, size);
                match row.liquidity_role {
                    Some(LiquidityRole::Maker) => self.maker(&row, size, notional),
                    // What insurance takes over costs no fee and is not from the book.
                    Some(LiquidityRole::Taker) if fee.is_zero() => {
                        assert_eq!(row.mode, OrderMode::Liquidation, "{row:?}");
                    }
                    Some(LiquidityRole::Taker) => self.taker(&row, size, notional),
                    None => panic!("6: a fill without a role: {row:?}"),
                }
            }
        }
        (self.trade, self.fresh) = (None, None);
        self.agrees(desk);
    }

    /// 5: a reduce-only fill never grows or turns the position.
    fn position(&mut self, row: &OrderRecord, size: Lots) {
        let held = self.held.entry(row.market).or_default();
        let before = *held;
        *held += Lots(row.side.sign() * size.0);
        if row.reduce_only {
            let same_way = before.0.signum() * held.0.signum() >= 0;
            assert!(same_way && held.abs() < before.abs(), "5: {row:?}");
        }
    }

    /// Invariants 6 and 7 for takers: the current levels, best first, each at its own price, none beyond the limit.
    fn taker(&mut self, row: &OrderRecord, size: Lots, notional: Usd) {
        let worst = self.take(row, size, notional);
        if let Some(limit) = row.limit_price {
            assert!(!is_worse(row.side, worst.px, limit), "6: {row:?}");
        } else if let Some((twice_mid, Bps(bps))) = worst.twice_mid.zip(cap(row)) {
            let reach = twice_mid * (10_000 + row.side.sign() * bps);
            let beyond = (worst.px.0 * 20_000 - reach) * row.side.sign();
            assert!(beyond <= 0, "6: {:?} is {beyond} beyond {row:?}", worst.px);
        }
    }

    fn maker(&mut self, row: &OrderRecord, size: Lots, notional: Usd) {
        let limit = row.limit_price.unwrap();
        assert_eq!(notional, limit * size, "6: {row:?}");
        match &mut self.trade {
            Some((market, trade)) if *market == row.market => {
                assert_eq!(trade.aggressor, row.side.opposite(), "7: {row:?}");
                assert!(!is_worse(trade.aggressor, limit, trade.px), "7: {row:?}");
                trade.size -= size;
                assert!(trade.size >= Lots::ZERO, "7: spent twice on {row:?}");
            }
            Some(_) | None => {
                assert_eq!(self.fresh, Some(row.market), "7: from nowhere: {row:?}");
                let (worst, _) = self.walk(row, size);
                assert!(!is_worse(row.side, worst, limit), "7: {row:?}");
            }
        }
    }

    fn take(&mut self, row: &OrderRecord, size: Lots, notional: Usd) -> Worst {
        let best = |side| {
            let levels = self.left.get(&(row.market, side))?;
            Some(levels.first()?.px.0)
        };
        let twice_mid = best(Side::Buy).zip(best(Side::Sell));
        let twice_mid = twice_mid.map(|(bid, ask)| bid + ask);
        let has_price = row.reduce_only || row.limit_price.is_some();
        assert!(twice_mid.is_some() || has_price, "6: {row:?}");
        let (px, money) = self.walk(row, size);
        assert_eq!(money, notional, "7: {row:?}");
        Worst { px, twice_mid }
    }

    /// Takes `size` from the best levels; returns the worst price and the total cost.
    fn walk(&mut self, row: &OrderRecord, size: Lots) -> (Px, Usd) {
        let levels = self
            .left
            .get_mut(&(row.market, row.side.opposite()))
            .unwrap();
        let (mut missing, mut money, mut worst) = (size, Usd::ZERO, Px::ZERO);
        for level in levels.iter_mut() {
            if missing.is_zero() {
                break;
            }
            let part = missing.min(level.size);
            level.size -= part;
            missing -= part;
            money += level.px * part;
            worst = level.px;
        }
        assert_eq!(missing, Lots::ZERO, "7: more than was shown to {row:?}");
        levels.retain(|level| level.size > Lots::ZERO);
        (worst, money)
    }

    /// Invariants 3 and 7: only these fills moved a position or took from a book, and no order rests across the book.
    fn agrees(&self, desk: &Desk) {
        for market in desk.engine.market_ixs() {
            let held = self.held.get(&market).copied().unwrap_or_default();
            assert_eq!(desk.held(market.into()), held, "3");
            for side in [Side::Buy, Side::Sell] {
                let book = &desk.engine.markets.at(market).book;
                let told: Vec<BookLevel> = book.levels(side).collect();
                assert_eq!(told, self.levels(market, side), "7: {side:?} of {market:?}");
            }
        }
        let resting = desk.engine.working_orders(desk.me);
        for row in resting.filter(|row| row.status == OrderStatus::Resting) {
            let book = desk.engine.public_book(row.market);
            assert!(
                !book.crosses(row.side, row.limit_price.unwrap()),
                "7: crossed by {row:?}"
            );
        }
    }
}

/// The last level a taker touched, and the book's mid when it came, if any.
struct Worst {
    px: Px,
    twice_mid: Option<i64>,
}

/// Whether a taker of `side` pays more at `px` than at `limit`.
fn is_worse(side: Side, px: Px, limit: Px) -> bool {
    (px.0 - limit.0) * side.sign() > 0
}

/// docs/engine.md 2.5: how far from the mid a market execution may trade.
fn cap(row: &OrderRecord) -> Option<Bps> {
    let forced = matches!(row.mode, OrderMode::Liquidation | OrderMode::CloseOut);
    let usual = match (row.twap, row.mode) {
        (Some(_), _) => Bps(300),
        (None, OrderMode::Market) => row.slippage.unwrap_or(Bps(500)),
        (None, _) => row.slippage.unwrap_or(Bps(1_000)),
    };
    (!forced).then_some(usual)
}
