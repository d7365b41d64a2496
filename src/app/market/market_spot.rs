//! What the mouse names on the market panel, as it was drawn: a cell of its ladder or of its chart.

use super::{chart_spot::ChartSpot, ladder_spot::LadderSpot};
use crate::model::Num;

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
    /// So many rows of it were drawn.
    Drawn(usize),
    /// The chart, on which its cursor goes too, was drawn with rows so high, in price.
    ChartDrawn(Num),
    /// The mouse moved over this cell, or over one of the chart, with the left button down.
    Dragged(MarketSpot),
    /// The left button went up after that, over a cell or elsewhere.
    Released(Option<MarketSpot>),
}
