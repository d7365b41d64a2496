//! The session's volume-weighted average price, by candle.
//!
//! Known limit: where the session's first candles are not known it has none, and neither has a service that tells no
//! turnover.

use super::{chart::ChartSlot, scale::PriceUnit};
use crate::{
    app::{CandleSeries, session_of},
    model::{Candle, Num, Timestamp},
};

/// What traded since the session began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Traded {
    volume: Num,
    turnover: Num,
}

impl Traded {
    const NOTHING: Self = Self {
        volume: Num::ZERO,
        turnover: Num::ZERO,
    };

    /// With one candle more; `None` where it does not tell what traded.
    fn and(self, candle: &Candle) -> Option<Self> {
        Some(Self {
            volume: self.volume.plus(candle.volume?)?,
            turnover: self.turnover.plus(candle.turnover?)?,
        })
    }
}

/// What traded before the first candle in view, so that a frame adds up only what has come into view.
#[derive(Debug, Clone, Default)]
pub(crate) struct Vwap {
    /// Until this open time, of a series that begins at that one.
    known: Option<(Timestamp, Timestamp, Traded)>,
}

impl Vwap {
    /// Gives every slot the average until its end.
    pub(crate) fn fill(
        &mut self,
        series: &CandleSeries,
        first: Timestamp,
        unit: PriceUnit,
        slots: &mut [ChartSlot],
    ) {
        let mut traded = self.before(series, first);
        for slot in slots {
            let Some(candle) = slot.candle else {
                continue;
            };
            if session_of(candle.open_time) == candle.open_time {
                traded = Some(Traded::NOTHING);
            }
            traded = traded.and_then(|traded| traded.and(&candle));
            let average = traded.filter(|traded| traded.volume.is_positive());
            let average = average.and_then(|traded| traded.turnover.over(traded.volume));
            slot.vwap = average.and_then(|average| unit.count(average));
        }
    }

    /// What traded from the start of the session to `first`; `None` where not all of it is known.
    fn before(&mut self, series: &CandleSeries, first: Timestamp) -> Option<Traded> {
        let oldest = series.oldest()?.open_time;
        let session = session_of(first);
        if oldest > session && !series.begins() {
            self.known = None;
            return None;
        }
        let known = self.known.filter(|(until, since, _)| {
            *since == oldest && *until <= first && session_of(*until) == session
        });
        let (from, traded) = known.map_or((session, Traded::NOTHING), |(until, _, traded)| {
            (until, traded)
        });
        let mut before = series.within(from..first);
        let traded = before.try_fold(traded, Traded::and)?;
        self.known = Some((first, oldest, traded));
        Some(traded)
    }
}
