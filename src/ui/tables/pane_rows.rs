//! Which rows of a pane are visible, and what they show.

use super::{
    cards::Setting,
    pane_view::{PaneBody, PaneView},
    table::PickedRow,
    window::RowWindow,
};
use crate::{
    app::{Pane, Rows, tables::marks::Marks},
    ui::{
        DrawState,
        cells::{ClickList, sum},
    },
    view::{self, DayLines, Scene, Span, TableRow},
};
use ratatui::layout::Rect;
use std::ops::Range;

/// A lower pane has no day lines.
const LEAST_WITH_DAYS: usize = 6;

/// The rows of a pane, and which of them must be visible.
pub(super) struct PaneRows<'a> {
    pub(super) marks: &'a Marks,
    pub(super) pane: Pane,
    pub(super) rows: &'a Rows<'a>,
    /// The row that the keys act on, if this pane has them.
    pub(super) selected: Option<usize>,
    pub(super) seen: usize,
    pub(super) scene: &'a Scene<'a>,
}

impl PaneRows<'_> {
    /// There is no row: these words are in their place.
    pub(super) fn words(&self, words: Vec<Span>) -> PaneView {
        self.view(0..0, PickedRow::default(), PaneBody::Words(words))
    }

    pub(super) fn cards(&self, setting: Setting, draw_state: &mut DrawState) -> PaneView {
        // Cards have no columns.
        draw_state.measures.remove(&self.pane);
        let room = setting.seen;
        let window = RowWindow {
            count: self.rows.len(),
            room,
            lines: |_| 1,
        };
        let first = draw_state.first(self.pane, self.seen, &window);
        let end = first.saturating_add(room).min(self.rows.len());
        let cards = view::cards(self.scene, &self.rows.at(first..end));
        let body = PaneBody::Cards(setting, cards);
        let visible = first..first.saturating_add(room);
        self.view(visible, self.picked(first, room), body)
    }

    pub(super) fn table(&self, inner: Rect, draw_state: &mut DrawState) -> PaneView {
        let room = usize::from(inner.height.saturating_sub(1));
        let days = self.days().filter(|_| room >= LEAST_WITH_DAYS);
        let above = |at: usize| days.and_then(|days| days.above(at));
        let window = RowWindow {
            count: self.rows.len(),
            room,
            lines: |at| 1_usize.saturating_add(above(at).is_some().into()),
        };
        let first = draw_state.first(self.pane, self.seen, &window);
        let range = first..window.end(first);
        let mut number = 0;
        let lines = range.clone().map(|at| {
            number = sum([number, 1, u16::from(above(at).is_some())]);
            number
        });
        let lines: Vec<u16> = lines.collect();
        let mut table = view::pane_table(self.pane, self.rows, range.clone(), self.scene);
        let mut picked = self.picked(first, range.len());
        for at in range.clone().rev() {
            if let Some(words) = above(at) {
                let at = at.saturating_sub(first);
                table
                    .rows
                    .insert(at.min(table.rows.len()), TableRow::rule(words));
                picked.make_room(at);
            }
        }
        let waits = draw_state.measures(self.pane).waits();
        let is_closed = self.pane == Pane::Closed;
        let body = PaneBody::Table {
            table,
            lines,
            waits: waits.then_some(self.scene.own_now),
            curve: is_closed.then(|| self.scene.store.closed.version()),
        };
        self.view(range, picked, body)
    }

    fn days(&self) -> Option<DayLines<'_>> {
        DayLines::of(self.pane, self.rows, self.scene)
    }

    /// There may be room for more rows than there are.
    fn view(&self, visible: Range<usize>, picked: PickedRow, body: PaneBody) -> PaneView {
        let count = self.rows.len();
        PaneView {
            foot: view::foot(self.pane, self.rows, self.scene),
            is_newest_first: self.days().is_some(),
            list: ClickList {
                first: visible.start,
                room: visible.len(),
                count,
            },
            rows: self.rows.at(visible.start..visible.end.min(count)),
            picked,
            body,
        }
    }

    /// Indexes among the visible rows.
    fn picked(&self, first: usize, room: usize) -> PickedRow {
        let visible = first..first.saturating_add(room).min(self.rows.len());
        let marked = self
            .marks
            .among(self.pane, self.rows, Some(self.seen), visible);
        let place = |at: usize| at.saturating_sub(first);
        PickedRow {
            selected: self.selected.map(place),
            marked: marked.into_iter().map(place).collect(),
        }
    }
}
