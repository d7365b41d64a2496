//! The visible rows of a pane, ready to be drawn. A pane whose rows are those of the last frame is not drawn again, though
//! other data have changed.

use crate::{
    app::{ClickTarget, Model, Pane, RowId, Rows, tables::marks::Marks},
    ui::{
        DrawState,
        cells::{Canvas, ClickList, below, inside, line, part, scrollbar, sum, without_last},
        kept::PlaceKey,
        layout::Place,
        tables::{
            cards::{self, Setting},
            chart,
            pane::has_cards,
            table::{self, PickedRow},
            window::RowWindow,
        },
    },
    view::{self, DayLines, Scene, Span, Table, TableRow, Timestamp, TwapCard},
};
use ratatui::layout::Rect;

/// A lower pane has no day lines.
const LEAST_WITH_DAYS: usize = 6;

/// What a pane shows besides its key.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::ui) struct PaneView {
    pane: Pane,
    foot: Vec<Vec<Span>>,
    /// Whether the newest row is the first.
    is_newest_first: bool,
    list: ClickList,
    /// The visible ones, for clicks.
    rows: Vec<RowId>,
    picked: PickedRow,
    body: PaneBody,
}

#[derive(Debug, Clone, PartialEq)]
enum PaneBody {
    /// There is no row.
    Words(Vec<Span>),
    Cards(Setting, Vec<TwapCard>),
    Table {
        table: Table,
        /// The lines of the rows.
        lines: Vec<u16>,
        /// The moment, while a dropped column waits to return.
        waits: Option<Timestamp>,
        /// The version of the rows that the equity curve is made from.
        curve: Option<u64>,
    },
}

/// The rows of a pane, and which of them must be visible.
struct PaneRows<'a> {
    marks: &'a Marks,
    pane: Pane,
    rows: &'a Rows<'a>,
    /// The row that the keys act on, if this pane has them.
    selected: Option<usize>,
    seen: usize,
}

impl PaneView {
    pub(super) fn new(
        key: &PlaceKey,
        (model, scene, rows): (&Model, &Scene<'_>, &Rows<'_>),
        draw_state: &mut DrawState,
        (place, pane): (&Place, Pane),
    ) -> Self {
        let inner = inside(place.area);
        let shown = PaneRows {
            marks: &model.marks,
            pane,
            rows,
            selected: key.selected.filter(|_| key.has_keys),
            seen: key.selected.unwrap_or(0),
        };
        if let Some(words) = key.words.first() {
            let body = PaneBody::Words(words.clone());
            return shown.view((0, 0), PickedRow::default(), body, scene);
        }
        let cards = cards::setting(inner, rows.len()).filter(|_| inner.width >= 40);
        match cards.filter(|_| has_cards(model, pane)) {
            Some(setting) => shown.cards(setting, (draw_state, scene)),
            None => shown.table(inner, (draw_state, scene)),
        }
    }

    /// How many rows are above the first visible one, in a list with the newest first.
    pub(super) fn above(&self) -> Option<usize> {
        let above = self.is_newest_first.then_some(self.list.first);
        above.filter(|above| *above > 0)
    }

    pub(super) fn foot(&self) -> &[Vec<Span>] {
        &self.foot
    }

    pub(super) fn draw(
        &self,
        canvas: &mut Canvas<'_>,
        inner: Rect,
        (draw_state, scene): (&mut DrawState, &Scene<'_>),
    ) {
        let ClickList { first, room, count } = self.list;
        match &self.body {
            PaneBody::Words(words) => canvas.spans_centered(inner, words),
            PaneBody::Cards(setting, cards) => {
                self.can_be_pointed_at(canvas, inner, |at| cards::block(inner, *setting, at));
                cards::draw(canvas, inner, cards, *setting, &self.picked);
                if count > room {
                    let lines = usize::from(inner.height);
                    let (first, count) = (part(first, lines, room), part(count, lines, room));
                    scrollbar(canvas, inner, first, count);
                }
            }
            PaneBody::Table { table, lines, .. } => {
                self.can_be_pointed_at(canvas, inner, |at| {
                    let number = lines.get(usize::from(at));
                    number.map_or(Rect::ZERO, |number| line(inner, *number))
                });
                let measures = draw_state.measures(self.pane);
                measures.take(table, table::room(inner), scene.own_now);
                let free = table::draw(canvas, inner, table, measures, &self.picked);
                if self.pane == Pane::Closed {
                    curve(canvas, free, draw_state, scene);
                }
                scrollbar(canvas, below(inner, 1), first, count);
            }
        }
    }

    /// Records the list for the wheel, and each visible row for clicks.
    fn can_be_pointed_at(&self, canvas: &mut Canvas<'_>, inner: Rect, area: impl Fn(u16) -> Rect) {
        canvas.list(inner, ClickTarget::Pane(self.pane), self.list);
        for (at, row) in (0..).zip(&self.rows) {
            canvas.spot(area(at), ClickTarget::Row(self.pane, row.clone()));
        }
    }
}

impl PaneRows<'_> {
    /// `room` rows from `first` on; `body` is how they are drawn.
    fn view(
        &self,
        (first, room): (usize, usize),
        picked: PickedRow,
        body: PaneBody,
        scene: &Scene<'_>,
    ) -> PaneView {
        let count = self.rows.len();
        PaneView {
            pane: self.pane,
            foot: view::foot(self.pane, self.rows, scene),
            is_newest_first: DayLines::of(self.pane, self.rows, scene).is_some(),
            list: ClickList { first, room, count },
            rows: self.rows.at(first..first.saturating_add(room).min(count)),
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

    fn cards(
        &self,
        setting: Setting,
        (draw_state, scene): (&mut DrawState, &Scene<'_>),
    ) -> PaneView {
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
        let cards = view::cards(scene, &self.rows.at(first..end));
        let body = PaneBody::Cards(setting, cards);
        self.view((first, room), self.picked(first, room), body, scene)
    }

    fn table(&self, inner: Rect, (draw_state, scene): (&mut DrawState, &Scene<'_>)) -> PaneView {
        let room = usize::from(inner.height.saturating_sub(1));
        let days = DayLines::of(self.pane, self.rows, scene).filter(|_| room >= LEAST_WITH_DAYS);
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
        let mut table = view::pane_table(self.pane, self.rows, range.clone(), scene);
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
            waits: waits.then_some(scene.own_now),
            curve: is_closed.then(|| scene.store.closed.version()),
        };
        self.view((first, range.len()), picked, body, scene)
    }
}

/// The equity curve, if the table leaves room.
fn curve(canvas: &mut Canvas<'_>, free: Rect, draw_state: &mut DrawState, scene: &Scene<'_>) {
    let (width, height) = chart::LEAST;
    let free = without_last(free, 1);
    if free.width < width || free.height < height {
        return;
    }
    if let Some(curve) = draw_state.curve(scene) {
        chart::draw(canvas, free, curve);
    }
}
