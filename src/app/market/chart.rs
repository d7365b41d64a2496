//! What a person chose of the candle chart: the interval, how candles look, how wide and how high they are drawn, which
//! candle is read.
//!
//! Contract: the cursor belongs to a time, never to a column, so that new candles move nothing under it.

use super::market_spot::PriceSpan;
use crate::model::{Interval, Num, Timestamp};
use strum::{Display, EnumIter, IntoEnumIterator};

/// Columns that candles stand further apart than one, at most.
const WIDEST: i8 = 3;
/// Steps of the price scale from the one that shows every candle, up and down.
const STEEPEST: i8 = 6;

/// Prices are moved by so many thousandths of their height at most.
const FARTHEST_SHIFT: i32 = 3_000;

/// A cursor that reads back requests candles this far before it.
const LOOK_AHEAD: i64 = 300;
/// A cursor further back than so many candles of another interval is dropped: the way there is many pages.
const FARTHEST_KEPT: i64 = 1_500;

/// A day of UTC, milliseconds: the session of the volume-weighted average price.
const SESSION: i64 = 24 * 60 * 60 * 1_000;

/// How candles are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Display, EnumIter)]
pub enum CandleLook {
    /// Bodies of both directions alike; their color says which.
    #[default]
    #[strum(serialize = "solid")]
    Solid,
    /// Those that rose are thin, those that fell solid.
    #[strum(serialize = "hollow")]
    Hollow,
    /// Each opens in the middle of the one before, and closes at its own mean price.
    #[strum(serialize = "Heikin-Ashi")]
    HeikinAshi,
    /// Closes, joined.
    #[strum(serialize = "line")]
    Line,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CandleChart {
    pub interval: Interval,
    pub look: CandleLook,
    /// Columns that candles stand further apart than one.
    pub zoom: i8,
    /// Steps by which prices are drawn further apart than shows every candle; below zero, closer together.
    pub stretch: i8,
    /// How far the mouse has moved the prices, in thousandths of their height; above zero, higher ones are seen.
    pub shift: i32,
    /// Whether the moving averages, the bands of the volume-weighted average price and the session's prices are drawn.
    pub has_averages: bool,
    /// The open time of the candle that is read; `None` while the newest is.
    pub cursor: Option<Timestamp>,
    /// The open time at the right end where the view was scrolled away from the newest candle, and from the cursor.
    pub edge: Option<Timestamp>,
    /// Where the mouse holds it.
    pub(crate) held: Option<HeldChart>,
    /// How much price a row of cells is high, as it was drawn last.
    pub row: Option<Num>,
}

/// What the left button went down on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeldChart {
    /// The open time of the candle there, and the price, which stay under the pointer.
    pub(crate) time: Timestamp,
    pub(crate) price: Option<Num>,
    /// The prices that the chart had then.
    pub(crate) whole: PriceSpan,
    /// The name of the trader's own line there.
    pub(crate) line: Option<String>,
}

impl CandleChart {
    /// The next longer interval, or shorter for a negative step. The cursor stays at its time unless that is too far back
    /// from the `newest` candle.
    pub(crate) fn change_interval(&mut self, step: isize, newest: Option<Timestamp>) {
        let intervals: Vec<_> = Interval::iter().collect();
        let at = intervals.iter().position(|known| *known == self.interval);
        let there = at.unwrap_or(0).saturating_add_signed(step);
        if let Some(interval) = intervals.get(there) {
            self.interval = *interval;
            let reach = FARTHEST_KEPT.saturating_mul(interval.millis());
            let is_near = |cursor: &Timestamp| {
                newest.is_some_and(|newest| newest.0.saturating_sub(cursor.0) <= reach)
            };
            let kept = |at: Option<Timestamp>| at.filter(is_near).map(|at| interval.open_of(at));
            self.cursor = kept(self.cursor);
            self.edge = kept(self.edge);
        }
    }

    pub(crate) fn zoom_by(&mut self, step: i8) {
        self.zoom = (self.zoom + step).clamp(0, WIDEST);
    }

    pub(crate) fn stretch_by(&mut self, step: i8) {
        self.stretch = (self.stretch + step).clamp(-STEEPEST, STEEPEST);
    }

    /// Moves the prices so that `held` is where `under` is drawn, of a chart with the prices `whole`.
    pub(crate) fn shift_to(&mut self, held: Num, under: Num, whole: PriceSpan) {
        let thousandths = || {
            let height = whole.high.minus(whole.low)?;
            let part = held.minus(under)?.times(Num::from(1_000_i64))?;
            i32::try_from(part.over(height)?.rounded(0).to_i64()?).ok()
        };
        let shift = self.shift.saturating_add(thousandths().unwrap_or(0));
        self.shift = shift.clamp(-FARTHEST_SHIFT, FARTHEST_SHIFT);
    }

    pub(crate) fn next_look(&mut self) {
        let mut looks = CandleLook::iter().skip_while(|look| *look != self.look);
        self.look = looks.nth(1).unwrap_or_default();
    }

    /// Moves the cursor by so many candles, older for a negative step, within what is known: from the `oldest` to the
    /// `newest` open time, beyond which it follows the newest again.
    pub(crate) fn move_cursor(&mut self, steps: i64, (oldest, newest): (Timestamp, Timestamp)) {
        let step = steps.saturating_mul(self.interval.millis());
        let from = self.cursor.or(self.edge).unwrap_or(newest);
        self.read(Timestamp(from.0.saturating_add(step)), (oldest, newest));
    }

    /// The cursor goes to this candle within what is known, and the view to the cursor.
    pub(crate) fn read(&mut self, at: Timestamp, (oldest, newest): (Timestamp, Timestamp)) {
        let there = at.max(oldest);
        self.cursor = (there < newest).then_some(there);
        self.edge = None;
    }

    /// The view ends with this candle, within what is known. At the newest one it follows the market again, unless a
    /// candle is read.
    pub(crate) fn scroll_to(&mut self, edge: Timestamp, (oldest, newest): (Timestamp, Timestamp)) {
        let edge = edge.max(oldest).min(newest);
        self.edge = (edge < newest || self.cursor.is_some()).then_some(edge);
    }

    /// Follows the newest candle and its price; answers whether it did not.
    pub(crate) fn follow_newest(&mut self) -> bool {
        let was_read = self.cursor.take().is_some();
        let was_shifted = std::mem::take(&mut self.shift) != 0;
        self.edge.take().is_some() || was_read || was_shifted
    }

    /// The instant from which candles are wanted, where the newest page may not reach back as far: before the cursor, and
    /// from the start of the day that is read, where the volume-weighted average price begins.
    pub(crate) fn wanted_since(&self, newest: Option<Timestamp>) -> Option<Timestamp> {
        let back = LOOK_AHEAD.saturating_mul(self.interval.millis());
        let read = |cursor: Timestamp| Timestamp(cursor.0.saturating_sub(back));
        let seen = |edge: Timestamp| read(read(edge));
        let session = self.cursor.or(self.edge).or(newest);
        let session = session.filter(|_| self.interval >= Interval::Minute1);
        let session = session.map(session_of);
        let wanted = self.cursor.map(read).into_iter();
        wanted.chain(self.edge.map(seen)).chain(session).min()
    }
}

/// When the session began that `at` lies in: 00:00 UTC.
pub fn session_of(at: Timestamp) -> Timestamp {
    Timestamp(at.0.saturating_sub(at.0.rem_euclid(SESSION)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;

    #[test]
    fn the_cursor_stays_on_its_time_and_follows_the_newest_again_beyond_it() {
        let mut chart = CandleChart::default();
        let known = |newest: i64| (Timestamp(0), Timestamp(newest * MINUTE));
        chart.move_cursor(-1, known(10));
        assert_eq!(chart.cursor, Some(Timestamp(9 * MINUTE)));
        chart.move_cursor(-20, known(11));
        assert_eq!(chart.cursor, Some(Timestamp(0)));
        chart.move_cursor(10, known(12));
        assert_eq!(chart.cursor, Some(Timestamp(10 * MINUTE)));
        chart.move_cursor(10, known(12));
        assert_eq!(chart.cursor, None);
    }

    #[test]
    fn another_interval_reads_the_candle_of_the_same_time() {
        let mut chart = CandleChart {
            cursor: Some(Timestamp(7 * MINUTE)),
            ..CandleChart::default()
        };
        let newest = Some(Timestamp(20 * MINUTE));
        chart.change_interval(1, newest);
        assert_eq!(chart.interval, Interval::Minute5);
        assert_eq!(chart.cursor, Some(Timestamp(5 * MINUTE)));
        chart.change_interval(-9, newest);
        assert_eq!(chart.interval, Interval::Second1);
        chart.change_interval(-1, newest);
        assert_eq!(chart.interval, Interval::Second1);
    }

    #[test]
    fn a_cursor_that_is_many_pages_back_on_the_new_interval_follows_the_newest_again() {
        let mut chart = CandleChart {
            interval: Interval::Day1,
            cursor: Some(Timestamp(0)),
            ..CandleChart::default()
        };
        chart.change_interval(-1, Some(Timestamp(300 * SESSION)));
        assert_eq!((chart.interval, chart.cursor), (Interval::Hour4, None));
    }

    #[test]
    fn older_candles_are_wanted_where_the_cursor_reads_back() {
        let newest = Some(Timestamp(2 * SESSION + MINUTE));
        let mut chart = CandleChart::default();
        assert_eq!(chart.wanted_since(newest), Some(Timestamp(2 * SESSION)));
        chart.cursor = Some(Timestamp(SESSION + 500 * MINUTE));
        assert_eq!(
            chart.wanted_since(newest),
            Some(Timestamp(SESSION)),
            "the day of the candle that is read"
        );
        (chart.interval, chart.cursor) = (Interval::Second1, None);
        assert_eq!(chart.wanted_since(newest), None);
        chart.cursor = Some(Timestamp(SESSION));
        assert_eq!(
            chart.wanted_since(newest),
            Some(Timestamp(SESSION - 300_000))
        );
    }
}
