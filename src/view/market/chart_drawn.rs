//! The cells of a chart as they were drawn: what the mouse names there, and what the wheel moves.

use super::{
    chart_window::ChartWindow,
    scale::{PriceRange, PriceUnit},
};
use crate::{
    app::{
        Model,
        market::{
            market_spot::{ChartSpot, PriceSpan},
            two_charts::{ChartSide, ShownChart},
        },
    },
    model::{AccountId, Interval, MarketId, Timestamp},
};

/// The candles and the prices of the cells.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnChart {
    side: ChartSide,
    account_id: AccountId,
    market_id: MarketId,
    interval: Interval,
    window: ChartWindow,
    newest: Timestamp,
    unit: PriceUnit,
    range: PriceRange,
}

impl DrawnChart {
    /// `None` before the account and the market are known.
    pub(super) fn new(
        model: &Model,
        shown: ShownChart<'_>,
        (window, newest): (ChartWindow, Timestamp),
        (unit, range): (PriceUnit, PriceRange),
    ) -> Option<Self> {
        Some(Self {
            account_id: model.account.identity.as_ref()?.account_id.clone(),
            side: shown.side,
            market_id: shown.market?.clone(),
            interval: shown.chart.interval,
            window,
            newest,
            unit,
            range,
        })
    }

    /// The cell of this slot and of this row, of so many.
    pub fn spot(&self, slot: u16, (row, rows): (u16, u16)) -> ChartSpot {
        let span = |(low, high)| PriceSpan {
            low: self.unit.price(low),
            high: self.unit.price(high),
        };
        ChartSpot {
            side: self.side,
            account_id: self.account_id.clone(),
            market_id: self.market_id.clone(),
            interval: self.interval,
            time: self.window.time_of(slot),
            edge: self.window.edge(),
            row: span(self.range.counts_of(row, rows)),
            whole: span((self.range.low, self.range.high)),
        }
    }

    /// The numbers of the candle at the right end and of the newest, counted from 1970.
    pub fn numbers(&self) -> (usize, usize) {
        let step = self.window.step.max(1);
        let number = |at: Timestamp| usize::try_from(at.0.div_euclid(step)).unwrap_or(0);
        (number(self.window.edge()), number(self.newest))
    }
}
