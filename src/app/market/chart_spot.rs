//! A place on the candle chart as it was drawn: what the mouse names there.

use super::two_charts::ChartSide;
use crate::model::{AccountId, Interval, MarketId, Num, Timestamp};

/// A cell of the chart as it was drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartSpot {
    pub side: ChartSide,
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
