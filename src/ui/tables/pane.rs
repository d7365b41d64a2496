//! One pane: border, titles, and the visible rows.

use crate::{
    app::{ClickTarget, Model, Pane, PlaceContent, Rows, tables::marks::Marks},
    ui::{
        DrawState,
        cells::{
            Border, Canvas, ClickList, below, length, line, part, scrollbar, sum, without_last,
        },
        kept::{KeptFrame, PlaceKey},
        layout::Place,
        tables::{
            cards::{self, Setting},
            chart,
            table::{self, PickedRow},
            window::RowWindow,
        },
    },
    view::{self, DayLines, Scene, TableRow, Title},
};
use ratatui::layout::Rect;

/// A lower pane has no day lines.
const LEAST_WITH_DAYS: usize = 6;

/// Borders and headings.
const FRAME_LINES: u16 = 3;

/// How many lines a pane would fill.
pub(in crate::ui) fn wanted(model: &Model, pane: Pane) -> u16 {
    let count = model.rows(pane).len();
    if has_cards(model, pane) {
        return sum([cards::wanted(count), 2]);
    }
    length(count.max(1)).saturating_add(FRAME_LINES)
}

/// A TWAP is drawn as a card, unless columns were chosen.
fn has_cards(model: &Model, pane: Pane) -> bool {
    let table_view = model.table_views.of(pane);
    pane == Pane::Twaps && table_view.is_none_or(|table_view| table_view.columns.is_none())
}

/// What shares the place, each by its title.
pub(in crate::ui) fn titles(model: &Model, place: &Place) -> Vec<Title> {
    let title = |tab: &PlaceContent| match tab {
        PlaceContent::Pane(pane) => view::title(model, *pane),
        PlaceContent::Panel(panel) => view::panel_title(model, *panel),
    };
    place.tabs.iter().map(title).collect()
}

/// Draws a pane unless it shows what it showed before.
pub(in crate::ui) fn draw(
    shown: &mut KeptFrame,
    model: &Model,
    scene: &Scene<'_>,
    draw_state: &mut DrawState,
    (place, pane): (&Place, Pane),
) {
    let rows = model.rows(pane);
    let words = if rows.is_empty() {
        vec![view::emptiness(pane, model)]
    } else {
        vec![]
    };
    let key = PlaceKey {
        content: Some(place.content),
        titles: titles(model, place),
        has_keys: model.focus.has_keys(pane),
        selected: model.focus.selected(pane, &rows).map(|(at, _)| at),
        first: draw_state.first.get(&pane).copied(),
        words,
        ..PlaceKey::default()
    };
    shown.keyed(place.area, key, |canvas, key| {
        draw_rows(
            canvas,
            key,
            (model, scene, &rows),
            draw_state,
            (place, pane),
        );
    });
}

fn draw_rows(
    canvas: &mut Canvas<'_>,
    key: &PlaceKey,
    (model, scene, rows): (&Model, &Scene<'_>, &Rows<'_>),
    draw_state: &mut DrawState,
    (place, pane): (&Place, Pane),
) {
    let mut titles = key.titles.clone();
    let shown = place.tabs.iter().position(|tab| *tab == place.content);
    let shown = shown.unwrap_or(0);
    let body = PaneBody {
        marks: &model.marks,
        pane,
        rows,
        selected: key.selected.filter(|_| key.has_keys),
        seen: key.selected.unwrap_or(0),
    };
    let above = body.above(place.area, draw_state, scene);
    if let (Some(title), Some(above)) = (titles.get_mut(shown), above) {
        title.freshness.push(view::newer(above));
    }
    let border = Border {
        shown,
        titles: &titles,
        has_keys: key.has_keys,
        foot: &view::foot(pane, rows, scene),
    };
    canvas.spot(place.area, ClickTarget::Pane(pane));
    let inner = border.draw(canvas, place.area);
    if let Some(words) = key.words.first() {
        canvas.spans_centered(inner, words);
        return;
    }
    let cards = cards::setting(inner, rows.len()).filter(|_| inner.width >= 40);
    match cards.filter(|_| has_cards(model, pane)) {
        Some(setting) => body.cards(canvas, inner, setting, (draw_state, scene)),
        None => body.table(canvas, inner, draw_state, scene),
    }
}

/// The rows of a pane, and which of them must be visible.
struct PaneBody<'a> {
    marks: &'a Marks,
    pane: Pane,
    rows: &'a Rows<'a>,
    /// The row that the keys act on, if this pane has them.
    selected: Option<usize>,
    seen: usize,
}

impl PaneBody<'_> {
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

    fn days<'a>(&'a self, room: usize, scene: &'a Scene<'a>) -> Option<DayLines<'a>> {
        DayLines::of(self.pane, self.rows, scene).filter(|_| room >= LEAST_WITH_DAYS)
    }

    fn window(
        &self,
        room: usize,
        days: Option<DayLines<'_>>,
    ) -> RowWindow<impl Fn(usize) -> usize> {
        RowWindow {
            count: self.rows.len(),
            room,
            lines: move |at| {
                1_usize.saturating_add(days.is_some_and(|days| days.above(at).is_some()).into())
            },
        }
    }

    /// How many rows are above the first visible one, in a list with the newest first.
    fn above(&self, area: Rect, draw_state: &mut DrawState, scene: &Scene<'_>) -> Option<usize> {
        DayLines::of(self.pane, self.rows, scene).filter(|_| !self.rows.is_empty())?;
        let room = usize::from(area.height.saturating_sub(FRAME_LINES));
        let window = self.window(room, self.days(room, scene));
        Some(draw_state.first(self.pane, self.seen, &window)).filter(|above| *above > 0)
    }

    /// Records the list for the wheel, and each visible row for clicks.
    fn can_be_pointed_at(
        &self,
        canvas: &mut Canvas<'_>,
        inner: Rect,
        (first, room): (usize, usize),
        area: impl Fn(u16) -> Rect,
    ) {
        let count = self.rows.len();
        let list = ClickList { first, room, count };
        canvas.list(inner, ClickTarget::Pane(self.pane), list);
        let visible = self.rows.at(first..first.saturating_add(room).min(count));
        for (at, row) in (0..).zip(visible) {
            canvas.spot(area(at), ClickTarget::Row(self.pane, row));
        }
    }

    fn cards(
        &self,
        canvas: &mut Canvas<'_>,
        inner: Rect,
        setting: Setting,
        (draw_state, scene): (&mut DrawState, &Scene<'_>),
    ) {
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
        self.can_be_pointed_at(canvas, inner, (first, room), |at| {
            cards::block(inner, setting, at)
        });
        cards::draw(canvas, inner, &cards, setting, &self.picked(first, room));
        if self.rows.len() > room {
            let lines = usize::from(inner.height);
            let (first, count) = (part(first, lines, room), part(self.rows.len(), lines, room));
            scrollbar(canvas, inner, first, count);
        }
    }

    fn table(
        &self,
        canvas: &mut Canvas<'_>,
        inner: Rect,
        draw_state: &mut DrawState,
        scene: &Scene<'_>,
    ) {
        let room = usize::from(inner.height.saturating_sub(1));
        let days = self.days(room, scene);
        let above = |at: usize| days.and_then(|days| days.above(at));
        let window = self.window(room, days);
        let first = draw_state.first(self.pane, self.seen, &window);
        let range = first..window.end(first);
        let mut number = 0;
        let lines = range.clone().map(|at| {
            number = sum([number, 1, u16::from(above(at).is_some())]);
            number
        });
        let lines: Vec<u16> = lines.collect();
        self.can_be_pointed_at(canvas, inner, (first, range.len()), |at| {
            let number = lines.get(usize::from(at));
            number.map_or(Rect::ZERO, |number| line(inner, *number))
        });
        let mut table = view::pane_table(self.pane, self.rows, range.clone(), scene);
        let mut picked = self.picked(first, range.len());
        for at in range.rev() {
            if let Some(words) = above(at) {
                let at = at.saturating_sub(first);
                table
                    .rows
                    .insert(at.min(table.rows.len()), TableRow::rule(words));
                picked.make_room(at);
            }
        }
        let measures = draw_state.measures(self.pane);
        measures.take(&table, table::room(inner), scene.own_now);
        let free = table::draw(canvas, inner, &table, measures, &picked);
        if self.pane == Pane::Closed {
            curve(canvas, free, draw_state, scene);
        }
        scrollbar(canvas, below(inner, 1), first, self.rows.len());
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
