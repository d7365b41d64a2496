//! Which candles are in view, and the round times under them.

use super::chart_slot::ChartSlot;
use crate::{
    app::CandleSeries,
    model::Timestamp,
    view::text::{Scene, Span},
};

/// Which candles are in view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChartWindow {
    /// The open time of the leftmost.
    pub(super) first: Timestamp,
    /// Milliseconds from one to the next.
    pub(super) step: i64,
    pub(super) slots: u16,
}

/// Distances between time labels, milliseconds.
const TIME_STEPS: [i64; 15] = [
    1_000,
    5_000,
    15_000,
    30_000,
    60_000,
    300_000,
    900_000,
    1_800_000,
    HOUR,
    4 * HOUR,
    12 * HOUR,
    DAY,
    7 * DAY,
    28 * DAY,
    91 * DAY,
];
const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
/// Columns from one time label to the next at least: of hours and minutes, and with seconds.
const TIME_COLUMNS: [i64; 2] = [9, 12];

impl ChartWindow {
    /// The open time of the rightmost.
    pub(super) fn edge(self) -> Timestamp {
        self.time_of(self.slots.max(1) - 1)
    }

    /// The open time of the candle in this slot.
    pub(super) fn time_of(self, slot: u16) -> Timestamp {
        let since = self.step.saturating_mul(i64::from(slot));
        Timestamp(self.first.0.saturating_add(since))
    }

    /// The slot of the candle that opens then.
    pub(super) fn slot(self, open_time: Timestamp) -> Option<u16> {
        let at = open_time.0.checked_sub(self.first.0)?;
        let slot = u16::try_from(at.div_euclid(self.step.max(1))).ok()?;
        (slot < self.slots).then_some(slot)
    }

    pub(super) fn slots(self, series: &CandleSeries) -> Vec<ChartSlot> {
        let mut slots = vec![ChartSlot::default(); usize::from(self.slots)];
        let end = self.step.saturating_mul(i64::from(self.slots));
        let end = Timestamp(self.first.0.saturating_add(end));
        for candle in series.within(self.first..end) {
            let slot = self.slot(candle.open_time).map(usize::from);
            if let Some(slot) = slot.and_then(|slot| slots.get_mut(slot)) {
                slot.candle = Some(*candle);
            }
        }
        slots
    }

    /// Round times by the clocks of the zone, none too near the next.
    pub(super) fn times(self, scene: &Scene<'_>, pitch: u16) -> Vec<(u16, Span)> {
        let is_apart = |step: &&i64| {
            let [short, long] = TIME_COLUMNS;
            let columns = **step / self.step.max(1) * i64::from(pitch.max(1));
            **step >= self.step && columns >= if **step < 60_000 { long } else { short }
        };
        let Some(step) = TIME_STEPS.iter().find(is_apart) else {
            return vec![];
        };
        let offset = scene.zone.offset(self.first);
        let labels = (0..self.slots).filter_map(|slot| {
            let at = Timestamp(self.first.0 + self.step * i64::from(slot));
            let local = at.0.saturating_add(offset);
            // Weeks are counted from a Monday.
            let since = if *step > DAY { local - 4 * DAY } else { local };
            (since.rem_euclid(*step) < self.step).then(|| (slot, Self::time(scene, at, *step)))
        });
        labels.collect()
    }

    fn time(scene: &Scene<'_>, at: Timestamp, step: i64) -> Span {
        let local = at.0.saturating_add(scene.zone.offset(at));
        if step >= DAY || local.rem_euclid(DAY) == 0 {
            return Span::plain(scene.zone.month_day(at));
        }
        Span::muted(if step < 60_000 {
            scene.zone.time_of_day(at)
        } else {
            scene.zone.hour_minute(at)
        })
    }
}
