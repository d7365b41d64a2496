//! What the mouse names on the market panel, as it was drawn: a cell of its ladder or of its chart.

use super::two_charts::ChartSide;
use crate::model::{AccountId, Interval, MarketId, Num, Timestamp};

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

/// What happens to the ladder and the chart beside keys and clicks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LadderEvent {
    /// This many rows of it were drawn.
    Drawn(usize),
    /// The chart, on which its cursor goes too, was drawn with rows so high, in price.
    ChartDrawn(Num),
    /// The mouse moved over this cell, or over one of the chart, with the left button down.
    Dragged(MarketSpot),
    /// The left button went up after that, over a cell or elsewhere.
    Released(Option<MarketSpot>),
}

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

/// Where the wheel counts from: prices have no first row.
pub const WHEEL_HOME: usize = 1 << 20;

/// Which drawing of the rows: it rises whenever a row gets another price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Generation(u64);

/// A column of the ladder that can be clicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LadderColumn {
    MyBids,
    Bids,
    Price,
    Asks,
    MyAsks,
    /// Own orders of both sides.
    Mine,
}

/// The rows as they were drawn: what a click there names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnRows {
    pub account_id: AccountId,
    pub market_id: MarketId,
    pub generation: Generation,
    /// From the top.
    pub prices: Vec<Num>,
}

impl DrawnRows {
    pub fn spot(&self, row: usize, column: LadderColumn) -> Option<LadderSpot> {
        Some(LadderSpot {
            account_id: self.account_id.clone(),
            market_id: self.market_id.clone(),
            price: *self.prices.get(row)?,
            generation: self.generation,
            column,
        })
    }
}

/// A cell of the ladder as it was drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LadderSpot {
    pub account_id: AccountId,
    pub market_id: MarketId,
    pub price: Num,
    pub generation: Generation,
    pub column: LadderColumn,
}

impl Generation {
    #[must_use]
    pub(super) fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}
