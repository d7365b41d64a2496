//! The past of one market: its candles and its latest trades (docs/engine.md 9.5).

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::{
    candles::{CandleLevel, CandleRing, PerLevel},
    feed::{RngStream, SyntheticCandles},
};
use crate::exchange::engine::state::{
    history::{CandleRecord, CandleReport, TradeRecord},
    ring::Ring,
    spec::MarketSpec,
    units::{Millis, Px},
    words::Interval,
};

/// Trades kept of a market.
pub(crate) const TRADE_CAPACITY: usize = 4_096;

/// Where a market's candles begin to be of what traded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HistoryOrigin {
    pub(crate) at: Millis,
    pub(crate) px: Px,
}

#[derive(Debug)]
pub(crate) struct MarketHistory {
    pub(crate) origin: HistoryOrigin,
    /// Whether a checkpoint has the origin.
    pub(crate) is_origin_kept: bool,
    pub(crate) candles: PerLevel<CandleRing>,
    pub(crate) trades: Ring<TradeRecord>,
    /// Drawn when somebody asks for it first; it follows from the seed and the origin.
    synthetic: OnceLock<Box<SyntheticCandles>>,
}

/// Which candles are asked for: the newest `limit` of those that open before `before`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CandleRange {
    pub interval: Interval,
    pub before: Option<Millis>,
    pub limit: usize,
}

impl MarketHistory {
    pub(crate) fn new(origin: HistoryOrigin) -> Self {
        let HistoryOrigin { at, px } = origin;
        Self {
            origin,
            is_origin_kept: false,
            candles: PerLevel::new(|level| CandleRing::new(level, at, px)),
            trades: Ring::new(TRADE_CAPACITY, 1),
            synthetic: OnceLock::new(),
        }
    }

    pub(crate) fn trade(&mut self, trade: TradeRecord) {
        let TradeRecord { at, px, size, .. } = trade;
        let PerLevel {
            second,
            minute,
            hour,
            day,
        } = &mut self.candles;
        for ring in [second, minute, hour, day] {
            ring.trade(at, px, size);
        }
        self.trades.push(trade);
    }

    /// By rising time. `rng` is any stream of the engine's seed.
    pub(crate) fn candles(
        &self,
        (spec, rng): (&MarketSpec, &RngStream),
        now: Millis,
        range: CandleRange,
    ) -> Vec<CandleReport> {
        let HistoryOrigin { at, px } = self.origin;
        let synthetic = self.synthetic.get_or_init(|| {
            let purpose = format!("history/{}", spec.market_id());
            Box::new(SyntheticCandles::new(spec, rng.sibling(&purpose), at, px))
        });
        let reader = CandleReader {
            history: self,
            synthetic,
            now,
        };
        reader.read(range)
    }
}

#[derive(Debug, Clone, Copy)]
struct CandleReader<'a> {
    history: &'a MarketHistory,
    synthetic: &'a SyntheticCandles,
    now: Millis,
}

impl CandleReader<'_> {
    fn read(self, range: CandleRange) -> Vec<CandleReport> {
        let (level, parts) = CandleLevel::under(range.interval);
        let length = range.interval.millis();
        let present = self.now.0.div_euclid(length);
        let newest = range.before.map_or(present, |before| {
            present.min((before.0.saturating_sub(1)).div_euclid(length))
        });
        let oldest = self.oldest(level).div_euclid(parts)
            + i64::from(self.oldest(level).rem_euclid(parts) > 0);
        let limit = i64::try_from(range.limit).unwrap_or(i64::MAX);
        let first = oldest.max(newest.saturating_sub(limit).saturating_add(1));
        let candle = |index: i64| {
            let numbers = index * parts..(index + 1) * parts;
            let (candle, is_synthetic) = self.rolled_up(level, numbers)?;
            Some(CandleReport {
                open_time: Millis(index * length),
                candle,
                is_closed: (index + 1) * length <= self.now.0,
                is_synthetic,
            })
        };
        (first..=newest).filter_map(candle).collect()
    }

    /// The oldest candle of a level that is told of.
    fn oldest(self, level: CandleLevel) -> i64 {
        let kept = i64::try_from(level.capacity()).unwrap_or(0);
        (level.index(self.now) - kept + 1).max(self.synthetic.first(level))
    }

    /// The candles of those numbers as one, and whether a part of it is synthetic.
    fn rolled_up(
        self,
        level: CandleLevel,
        numbers: std::ops::Range<i64>,
    ) -> Option<(CandleRecord, bool)> {
        let end = numbers.end.min(level.index(self.now) + 1);
        let parts = (numbers.start..end).filter_map(|number| self.single(level, number));
        parts.reduce(|(sum, is_synthetic), (next, is_next)| {
            (sum.followed_by(next), is_synthetic || is_next)
        })
    }

    fn single(self, level: CandleLevel, number: i64) -> Option<(CandleRecord, bool)> {
        let traded = self.history.candles.at(level).get(number);
        match (self.synthetic.get(level, number), traded) {
            (Some(before), Some(after)) => Some((before.followed_by(after), true)),
            (Some(before), None) => Some((before, true)),
            (None, after) => Some((after?, false)),
        }
    }
}
