//! A second chart beside the first, with a market and an interval of its own.
//!
//! Contract: keys act on one of the two, which is the chart of the screen as if it were alone; giving the keys to the
//! other one swaps them. Nothing else knows that there are two.

use super::{chart::CandleChart, screen::MarketScreen};
use crate::model::{MarketId, Timestamp};

/// Where a chart is; one that is alone is on the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ChartSide {
    #[default]
    Left,
    Right,
}

impl ChartSide {
    fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// The chart that does not have the keys.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ChartBeside {
    market: MarketId,
    chart: CandleChart,
    side: ChartSide,
}

/// A chart and what it shows.
#[derive(Debug, Clone, Copy)]
pub struct ShownChart<'a> {
    pub market: Option<&'a MarketId>,
    pub chart: &'a CandleChart,
    pub side: ChartSide,
}

impl MarketScreen {
    /// The chart that keys act on.
    pub fn front_chart(&self) -> ShownChart<'_> {
        let beside = self.beside.as_ref();
        ShownChart {
            market: self.market(),
            chart: &self.chart,
            side: beside.map_or(ChartSide::Left, |beside| beside.side.other()),
        }
    }

    /// The other one, if there are two.
    pub(crate) fn second_chart(&self) -> Option<ShownChart<'_>> {
        self.beside.as_ref().map(|beside| ShownChart {
            market: Some(&beside.market),
            chart: &beside.chart,
            side: beside.side,
        })
    }

    /// A second chart of the same market with the next longer interval, or with the next shorter one of the longest.
    pub(crate) fn open_second_chart(&mut self) {
        let Some(market) = self.market().cloned().filter(|_| self.beside.is_none()) else {
            return;
        };
        let mut chart = CandleChart {
            interval: self.chart.interval,
            look: self.chart.look,
            has_averages: self.chart.has_averages,
            ..CandleChart::default()
        };
        chart.change_interval(1, None);
        if chart.interval == self.chart.interval {
            chart.change_interval(-1, None);
        }
        self.beside = Some(ChartBeside {
            market,
            chart,
            side: ChartSide::Right,
        });
    }

    /// The chart with the keys stays.
    pub(crate) fn close_second_chart(&mut self) {
        self.beside = None;
    }

    /// Gives the keys to the chart on this side.
    pub(crate) fn focus_chart(&mut self, side: ChartSide) {
        if self.front_chart().side != side {
            self.swap_charts();
        }
    }

    /// Gives the keys to the other chart. Its market is the market shown from now on.
    pub(crate) fn swap_charts(&mut self) {
        let shown = self.market().cloned();
        let Some(beside) = &mut self.beside else {
            return;
        };
        std::mem::swap(&mut self.chart, &mut beside.chart);
        beside.side = beside.side.other();
        if let Some(shown) = shown.filter(|shown| *shown != beside.market) {
            let market = std::mem::replace(&mut beside.market, shown);
            self.pin(market);
        }
    }

    /// The view of the chart on this side ends with this candle, within what is known.
    pub(crate) fn scroll_chart(
        &mut self,
        side: ChartSide,
        edge: Timestamp,
        ends: (Timestamp, Timestamp),
    ) {
        match &mut self.beside {
            Some(beside) if beside.side == side => beside.chart.scroll_to(edge, ends),
            Some(_) | None => self.chart.scroll_to(edge, ends),
        }
    }

    /// Every chart that is later than the newest candle of its series follows it again.
    pub(crate) fn leave_future(&mut self, newest: impl Fn(ShownChart<'_>) -> Option<Timestamp>) {
        let is_future = |shown: ShownChart<'_>| {
            let latest = shown.chart.cursor.max(shown.chart.edge);
            latest
                .zip(newest(shown))
                .is_some_and(|(latest, newest)| latest > newest)
        };
        let front = is_future(self.front_chart());
        let second = self.second_chart().is_some_and(is_future);
        if front {
            self.chart.follow_newest();
        }
        if let Some(beside) = self.beside.as_mut().filter(|_| second) {
            beside.chart.follow_newest();
        }
    }
}
