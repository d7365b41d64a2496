//! The lines between days in a history that is sorted by time.

use super::activity;
use crate::{
    app::{Pane, Rows},
    model::{Timestamp, ZoneDay},
    view::text::{Scene, Span, format, words},
};

/// The days of a pane's rows.
#[derive(Debug, Clone, Copy)]
pub struct DayLines<'a> {
    pane: Pane,
    rows: &'a Rows<'a>,
    scene: &'a Scene<'a>,
}

impl<'a> DayLines<'a> {
    /// `None` for panes without days, and for rows sorted by another column.
    pub fn of(pane: Pane, rows: &'a Rows<'a>, scene: &'a Scene<'a>) -> Option<Self> {
        let is_sorted = rows.table_view.is_some_and(|view| view.sort.is_some());
        let has_days = matches!(pane, Pane::Closed | Pane::History | Pane::Activity) && !is_sorted;
        has_days.then_some(Self { pane, rows, scene })
    }

    /// The line above this row, if a day begins with it.
    pub fn above(&self, at: usize) -> Option<Vec<Span>> {
        let day = self.day(at)?;
        let before = at.checked_sub(1).and_then(|before| self.day(before));
        (before != Some(day)).then(|| self.words(day))
    }

    fn day(&self, at: usize) -> Option<ZoneDay> {
        self.scene.zone.day(self.moment(at)?)
    }

    fn moment(&self, at: usize) -> Option<Timestamp> {
        let store = self.scene.store;
        let place = self.rows.places(at..at + 1).next()?;
        match self.pane {
            Pane::Closed => store.closed.rows().get(place)?.closed_at,
            Pane::History => Some(store.history.rows().get(place)?.requested_at),
            Pane::Activity => {
                let notice = activity::newest_first(self.scene, place)?;
                Some(activity::on_wall(notice, self.scene))
            }
            Pane::Positions | Pane::Orders | Pane::Twaps | Pane::Scaled | Pane::Calls => None,
        }
    }

    /// `Fri 2026-11-20  net +312.40 of 12`: everything closed on that day, whatever the filter.
    fn words(&self, day: ZoneDay) -> Vec<Span> {
        let mut spans = vec![Span::plain(day.to_string())];
        let store = self.scene.store;
        let result = store.days.of(day).filter(|_| self.pane == Pane::Closed);
        if let Some(result) = result {
            spans.push(Span::muted("  net "));
            spans.push(words::pnl(result.net()));
            let view = self.rows.table_view;
            let is_filtered = view.is_some_and(|view| view.filter.is_some());
            let all = if is_filtered { "all " } else { "" };
            let count = format::count(result.count);
            spans.push(Span::muted(format!(" of {all}{count}")));
        }
        if result.is_some() && store.days.is_oldest(day) && store.closed.has_more() {
            spans.push(Span::muted(" read so far"));
        }
        spans
    }
}
