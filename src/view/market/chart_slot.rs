//! The cells of a chart, and what stands in the column of one candle.

use crate::model::Candle;

/// The cells a chart has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChartRoom {
    /// Candles beside one another.
    pub slots: u16,
    /// Columns from one candle to the next.
    pub pitch: u16,
    /// Rows of prices, and of volume below them.
    pub rows: u16,
    pub volume_rows: u16,
    /// Columns for what traded at each price.
    pub profile: u16,
}

/// One candle's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChartSlot {
    /// `None` where nothing is known.
    pub candle: Option<Candle>,
    /// The session's volume-weighted average price until then.
    pub vwap: Option<i64>,
    /// The standard deviation of the session's prices from it, by volume.
    pub deviation: Option<i64>,
    pub indicators: Indicators,
    /// Whether the account bought or sold in it.
    pub bought: bool,
    pub sold: bool,
    /// Eighths of a cell.
    pub volume: u16,
}

/// What the indicators say of one candle, in units of the chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Indicators {
    /// The exponential moving averages of 9, 21 and 200 closes.
    pub averages: [Option<i64>; 3],
    /// The average true range.
    pub range: Option<i64>,
}
