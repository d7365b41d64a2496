//! A place on the candle chart as it was drawn: what the mouse names there.

use super::ladder_spot::LadderSpot;
use crate::model::{AccountId, Interval, MarketId, Num, Timestamp};

/// A cell of the chart as it was drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartSpot {
    pub account_id: AccountId,
    pub market_id: MarketId,
    pub interval: Interval,
    /// The open time of the candle of its column.
    pub time: Timestamp,
    /// The open time of the column at the right end.
    pub edge: Timestamp,
    /// The prices of its row; the lowest lies above the highest where the row has none.
    pub row: PriceSpan,
    /// Those of the whole chart.
    pub whole: PriceSpan,
}

/// The lowest and the highest of some prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceSpan {
    pub low: Num,
    pub high: Num,
}

impl PriceSpan {
    pub(crate) fn contains(self, price: Num) -> bool {
        (self.low..=self.high).contains(&price)
    }

    pub(crate) fn middle(self) -> Option<Num> {
        self.low.plus(self.high)?.over(Num::from(2_u32))
    }
}

/// A cell of the ladder or of the chart, as it was drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarketSpot {
    Ladder(LadderSpot),
    Chart(ChartSpot),
}

impl MarketSpot {
    pub(crate) fn on_ladder(&self) -> Option<&LadderSpot> {
        match self {
            Self::Ladder(spot) => Some(spot),
            Self::Chart(_) => None,
        }
    }

    pub(crate) fn on_chart(&self) -> Option<&ChartSpot> {
        match self {
            Self::Chart(spot) => Some(spot),
            Self::Ladder(_) => None,
        }
    }
}

impl From<LadderSpot> for MarketSpot {
    fn from(spot: LadderSpot) -> Self {
        Self::Ladder(spot)
    }
}

impl From<ChartSpot> for MarketSpot {
    fn from(spot: ChartSpot) -> Self {
        Self::Chart(spot)
    }
}
