//! Where the parts of a chart are, by how much room it has.

use crate::{
    app::{CandleChart, CandleLook},
    ui::cells::{after, length, rows, sum},
    view::market::chart::ChartRoom,
};
use ratatui::layout::Rect;

/// Below so many columns closes are joined to a line: candles need more.
const LEAST_CANDLES: u16 = 24;
/// From this width on what a price means is written in full beside it.
const WITH_NAMES: u16 = 44;
/// `◂` and the longest name with the blank after it.
const NAME: u16 = 7;
/// `◂` and a sign with the blank after it.
const SIGN: u16 = 3;
/// Heights from which there is a line for what is read, one for times, and rows of volume.
const WITH_LEGEND: u16 = 5;
/// From this height on what is read may take two lines where one is narrower than this.
const LONG_LEGEND: u16 = 12;
const ONE_LINE_LEGEND: u16 = 56;
const WITH_TIMES: u16 = 6;
const WITH_VOLUME: [u16; 3] = [9, 16, 26];

/// From this width on the newest candle stands off the right end, by one column in so many, and what traded at each price
/// is drawn there, over one column in so many.
const WITH_PROFILE: u16 = 60;
const MARGIN: u16 = 16;
const PROFILE: u16 = 8;

/// Prices beside it are left out where less than this would be left of the plot.
const LEAST_PLOT: u16 = 8;

/// Where the parts of a chart are.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChartAreas {
    /// One line for the position, where there is room for it.
    pub(super) position: Rect,
    pub(super) legend: Rect,
    pub(super) plot: Rect,
    pub(super) volume: Rect,
    pub(super) times: Rect,
    /// Beside plot, volume and times.
    pub(super) gutter: Rect,
    pub(super) pitch: u16,
    /// Columns right of the newest candle.
    pub(super) margin: u16,
    /// Whether closes are joined to a line, of two columns of dots a cell.
    pub(super) is_line: bool,
}

impl ChartAreas {
    pub(super) fn new(inner: Rect, digits: u16, chart: &CandleChart) -> Self {
        let (position, inner) = rows(inner, u16::from(inner.height >= LONG_LEGEND));
        let legend = legend_rows(inner);
        let times = u16::from(inner.height >= WITH_TIMES);
        let has_names = inner.width >= WITH_NAMES;
        let beside = sum([digits, if has_names { NAME } else { SIGN }]);
        let has_prices = inner.width > sum([beside, LEAST_PLOT]);
        let beside = if has_prices { beside } else { 0 };
        let wide = inner.width.saturating_sub(beside);
        let is_line = wide < LEAST_CANDLES || chart.look == CandleLook::Line;
        let volume = if is_line { 0 } else { volume_rows(inner) };
        let plot = inner.height.saturating_sub(sum([legend, times, volume]));
        let of = |y: u16, height: u16| Rect {
            y: inner.y.saturating_add(y),
            width: wide,
            height,
            ..inner
        };
        Self {
            position,
            legend: Rect {
                height: legend,
                ..inner
            },
            plot: of(legend, plot),
            volume: of(sum([legend, plot]), volume),
            times: of(sum([legend, plot, volume]), times),
            gutter: Rect {
                width: beside,
                y: inner.y.saturating_add(legend),
                height: inner.height.saturating_sub(legend),
                ..after(inner, wide)
            },
            pitch: u16::try_from(chart.zoom.saturating_add(1)).unwrap_or(1),
            margin: if wide >= WITH_PROFILE {
                wide / MARGIN
            } else {
                0
            },
            is_line,
        }
    }

    /// The columns that candles have.
    fn candles(&self) -> u16 {
        self.plot.width.saturating_sub(self.margin)
    }

    /// The column of the newest candle.
    fn newest(&self) -> u16 {
        let right = self.plot.x.saturating_add(self.candles());
        right.saturating_sub(1)
    }

    pub(super) fn room(&self) -> ChartRoom {
        let (slots, pitch) = if self.is_line {
            (self.candles().saturating_mul(2), 1)
        } else {
            (self.candles().div_ceil(self.pitch), self.pitch)
        };
        let has_profile = self.plot.width >= WITH_PROFILE;
        ChartRoom {
            slots,
            pitch,
            rows: self.plot.height,
            volume_rows: self.volume.height,
            profile: if has_profile {
                self.plot.width / PROFILE
            } else {
                0
            },
        }
    }

    /// The slot of this column of the plot: the nearest candle.
    pub(super) fn slot(&self, x: u16) -> Option<u16> {
        let x = x.min(self.newest());
        if self.is_line {
            return x.checked_sub(self.plot.x)?.checked_mul(2);
        }
        let pitch = self.pitch.max(1);
        let back = self.newest().checked_sub(x)?.saturating_add(pitch / 2);
        let back = back.checked_div(pitch)?;
        self.room().slots.saturating_sub(1).checked_sub(back)
    }

    /// The column of a slot; the newest stands at the right end.
    pub(super) fn x(&self, slot: u16) -> u16 {
        if self.is_line {
            return self.plot.x.saturating_add(slot / 2);
        }
        let last = self.room().slots.saturating_sub(1);
        let back = last.saturating_sub(slot).saturating_mul(self.pitch);
        self.newest().saturating_sub(back)
    }
}

fn volume_rows(inner: Rect) -> u16 {
    let rows = WITH_VOLUME.iter().filter(|least| inner.height >= **least);
    length(rows.count())
}

fn legend_rows(inner: Rect) -> u16 {
    if inner.width < ONE_LINE_LEGEND && inner.height >= LONG_LEGEND {
        2
    } else {
        u16::from(inner.height >= WITH_LEGEND)
    }
}
