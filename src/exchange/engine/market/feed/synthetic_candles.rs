//! Candles from before the scenario began, so that a chart is full when it is first opened (docs/engine.md 9.5).
//!
//! A stream of its own walks backwards from the start price, so that no other draw shifts: first seconds, then minutes,
//! hours and days. Where a finer level exists, the coarser one is summed up from it.
#![expect(clippy::float_arithmetic, reason = "the generator alone uses floats")]

use super::{
    numbers::{DAY, YEAR, bps, real, whole},
    rng::RngStream,
    tape::TradeTape,
};
use crate::exchange::engine::{
    market::candles::{CandleLevel, PerLevel},
    state::{CandleRecord, Lots, MAX_COUNT, MarketSpec, Millis, Px},
};

/// Half-life of the pull to the start price, in days: two years stay around it and still have trends.
const PULL_HALF_LIFE_DAYS: f64 = 60.0;
/// Deviation of the log volume of a candle.
const LOG_VOLUME_DEVIATION: f64 = 0.4;

/// How far back a level is generated: whole spans of the next one, and the part of one that has begun.
#[derive(Debug, Clone, Copy)]
struct LevelReach {
    level: CandleLevel,
    /// The level is generated from a whole multiple of this on.
    span: Millis,
    spans: i64,
    /// Half-life of the activity, in candles, and the deviation of its logarithm.
    activity: (f64, f64),
}

/// As far back as candles are kept.
const REACHES: [LevelReach; 4] = [
    LevelReach {
        level: CandleLevel::Second,
        span: Millis::MINUTE,
        spans: 60,
        activity: (300.0, 0.5),
    },
    LevelReach {
        level: CandleLevel::Minute,
        span: Millis::HOUR,
        spans: 72,
        activity: (45.0, 0.5),
    },
    LevelReach {
        level: CandleLevel::Hour,
        span: Millis::DAY,
        spans: 90,
        activity: (8.0, 0.4),
    },
    LevelReach {
        level: CandleLevel::Day,
        span: Millis::DAY,
        spans: 730,
        activity: (6.0, 0.3),
    },
];

/// One level's candles, ascending and without a gap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct LevelCandles {
    /// The number of the first one.
    first: i64,
    rows: Vec<CandleRecord>,
}

/// The candles of one market from before the scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SyntheticCandles(PerLevel<LevelCandles>);

impl SyntheticCandles {
    /// The candles that end at `at` with the price that the walk begins from. The last of each level is the part of it before `at`.
    pub(crate) fn new(mut walk: BackwardWalk, at: Millis) -> Self {
        let mut finer: Option<(CandleLevel, LevelCandles)> = None;
        let mut from = at;
        let levels = REACHES.map(|reach| {
            let start = Millis((at.0.div_euclid(reach.span.0) - reach.spans) * reach.span.0);
            let level = reach.level;
            // The second that has begun is generated whole and shown as the part before `at`.
            let end = (from.0 + level.length() - 1).div_euclid(level.length());
            let first = level.index(start);
            let mut rows: Vec<_> = (first..end).map(|_| walk.candle(reach)).collect();
            rows.reverse();
            if let Some((finer, candles)) = &finer {
                rows.extend(rolled_up(candles, level.length() / finer.length()));
                rows.shrink_to_fit();
            }
            let candles = LevelCandles { first, rows };
            (finer, from) = (Some((level, candles.clone())), start);
            candles
        });
        Self(PerLevel(levels))
    }

    pub(crate) fn get(&self, level: CandleLevel, index: i64) -> Option<CandleRecord> {
        let level = self.0.at(level);
        let index = usize::try_from(index - level.first).ok()?;
        level.rows.get(index).copied()
    }
}

/// The candles of a level out of so many parts each. The parts begin with a whole candle: their reach is a multiple of
/// its length.
fn rolled_up(finer: &LevelCandles, parts: i64) -> impl Iterator<Item = CandleRecord> {
    let parts = usize::try_from(parts).unwrap_or(1).max(1);
    let sums = finer.rows.chunks(parts);
    sums.filter_map(|rows| rows.iter().copied().reduce(CandleRecord::followed_by))
}

/// The price, going back in time.
#[derive(Debug, Clone)]
pub(crate) struct BackwardWalk {
    rng: RngStream,
    start: f64,
    decimals: u32,
    volatility: f64,
    /// Trades and micro-USD of a usual second.
    usual: (f64, f64),
    /// Log distance from the start price.
    away: f64,
    /// The close of the next candle that is drawn.
    close: Px,
    /// Of the logarithm of the activity, in deviations.
    mood: f64,
}

impl BackwardWalk {
    /// From `px` back.
    pub(crate) fn new(spec: &MarketSpec, rng: RngStream, px: Px) -> Self {
        Self {
            rng,
            start: real(px.0.unsigned_abs().max(1)),
            decimals: spec.size_decimals,
            volatility: bps(spec.volatility),
            usual: (
                TradeTape::per_second(spec),
                TradeTape::volume_per_second(spec),
            ),
            away: 0.0,
            close: px,
            mood: 0.0,
        }
    }

    /// The candle before all those drawn so far.
    fn candle(&mut self, reach: LevelReach) -> CandleRecord {
        let seconds = real(reach.level.length().unsigned_abs()) / 1_000.0;
        let activity = self.activity(reach);
        let expected = self.usual.0 * seconds * activity;
        let trades = self.trades(expected);
        if trades == 0 {
            return CandleRecord::flat(self.close);
        }
        // What moves the price in an interval without trades moves it in the next one that has some.
        let moved = 1.0 - libm::exp(-expected);
        let sigma = self.volatility * (seconds / YEAR / moved).sqrt() * activity;
        let close = self.close;
        let before = self.step_back(sigma, seconds);
        self.close = before;
        let open = if trades == 1 { close } else { before };
        let (low, high) = if trades > 2 {
            self.extremes(open, close, sigma)
        } else {
            (open.min(close), open.max(close))
        };
        let candle = CandleRecord {
            open,
            high,
            low,
            close,
            trades,
            ..CandleRecord::flat(close)
        };
        self.with_volume(candle, sigma, seconds * activity / moved)
    }

    /// Volatility and volume over their usual; it comes in clusters.
    fn activity(&mut self, reach: LevelReach) -> f64 {
        let (half_life, deviation) = reach.activity;
        let keep = libm::exp(-std::f64::consts::LN_2 / half_life);
        self.mood = keep * self.mood + (1.0 - keep * keep).sqrt() * self.rng.normal();
        libm::exp(deviation * self.mood - deviation * deviation)
    }

    /// About so many; a draw each would be too slow where they are many.
    fn trades(&mut self, expected: f64) -> u64 {
        if expected < 20.0 {
            return self.rng.poisson(expected) as u64;
        }
        let count = expected + expected.sqrt() * self.rng.normal();
        whole(count).max(1).unsigned_abs()
    }

    /// The price before a change of that deviation.
    fn step_back(&mut self, sigma: f64, seconds: f64) -> Px {
        let keep = libm::exp(-std::f64::consts::LN_2 * seconds / (PULL_HALF_LIFE_DAYS * DAY));
        self.away = keep * self.away + sigma * self.rng.normal();
        self.tick(self.start * libm::exp(self.away))
    }

    fn tick(&self, price: f64) -> Px {
        let px = Px(whole(price + 0.5).clamp(1, MAX_COUNT));
        let tick = px.tick(self.decimals).0;
        Px(((px.0 + tick / 2).div_euclid(tick) * tick).max(tick))
    }

    /// How far a walk between two prices goes: the extremes of a Brownian bridge.
    fn extremes(&mut self, open: Px, close: Px, sigma: f64) -> (Px, Px) {
        let (low, high) = (open.min(close), open.max(close));
        let [bottom, top] = [low, high].map(|px| libm::log(real(px.0.unsigned_abs().max(1))));
        let body = top - bottom;
        let beyond = [(); 2].map(|()| {
            let reach = body * body - 2.0 * sigma * sigma * libm::log(self.rng.uniform());
            0.5 * (reach.sqrt() - body)
        });
        let [under, over] = beyond;
        (
            self.tick(libm::exp(bottom - under)).min(low),
            self.tick(libm::exp(top + over)).max(high),
        )
    }

    /// More trades where the price moved more; the turnover is at the middle of the candle.
    fn with_volume(&mut self, candle: CandleRecord, sigma: f64, seconds: f64) -> CandleRecord {
        let (open, close) = (
            real(candle.open.0.unsigned_abs()),
            real(candle.close.0.unsigned_abs()),
        );
        // A market without volatility has no moves to measure by it.
        let moved = if sigma > 0.0 {
            (libm::log(close / open) / sigma).abs()
        } else {
            0.0
        };
        let noise = libm::exp(LOG_VOLUME_DEVIATION * self.rng.normal());
        let money = self.usual.1 * seconds * noise * (0.6 + 0.5 * moved);
        let lots = whole(money / close).clamp(1, MAX_COUNT);
        let volume = Lots(lots.max(i64::try_from(candle.trades).unwrap_or(MAX_COUNT)));
        let sum = candle.open.0 + candle.high.0 + candle.low.0 + candle.close.0;
        CandleRecord {
            volume,
            turnover: Px(sum / 4) * volume,
            ..candle
        }
    }
}
