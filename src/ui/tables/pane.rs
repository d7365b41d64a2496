//! One pane: border, titles, and the visible rows.

use crate::{
    app::{ClickTarget, Model, Pane, PlaceContent},
    ui::{
        DrawState,
        cells::{
            Border, Canvas, ClickList, below, inside, length, line, part, scrollbar, sum,
            without_last,
        },
        kept::{KeptFrame, PlaceKey},
        layout::Place,
        tables::{
            cards, chart,
            pane_rows::PaneRows,
            pane_view::{PaneBody, PaneView},
            table,
        },
    },
    view::{self, Scene, Title},
};
use ratatui::layout::Rect;

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
        first: draw_state.first.get(&pane).copied().unwrap_or_default(),
        words,
        ..PlaceKey::default()
    };
    if shown.keeps(place.area, &key) {
        return;
    }
    let visible = PaneRows {
        marks: &model.marks,
        pane,
        rows: &rows,
        selected: key.selected.filter(|_| key.has_keys),
        seen: key.selected.unwrap_or(0),
        scene,
    };
    let inner = inside(place.area);
    let setting = cards::setting(inner, rows.len()).filter(|_| inner.width >= 40);
    let view = if let Some(words) = key.words.first() {
        visible.words(words.clone())
    } else if let Some(setting) = setting.filter(|_| has_cards(model, pane)) {
        visible.cards(setting, draw_state)
    } else {
        visible.table(inner, draw_state)
    };
    shown.viewed(place.area, (key, view), |canvas, key, view| {
        let mut drawing = PaneDrawing {
            pane,
            view,
            draw_state,
            scene,
        };
        let inner = drawing.frame(canvas, place, key);
        drawing.body(canvas, inner);
    });
}

struct PaneDrawing<'a> {
    pane: Pane,
    view: &'a PaneView,
    draw_state: &'a mut DrawState,
    scene: &'a Scene<'a>,
}

impl PaneDrawing<'_> {
    /// Draws border, titles and foot; returns the area inside.
    fn frame(&self, canvas: &mut Canvas<'_>, place: &Place, key: &PlaceKey) -> Rect {
        let mut titles = key.titles.clone();
        let shown = place.tabs.iter().position(|tab| *tab == place.content);
        let shown = shown.unwrap_or(0);
        if let (Some(title), Some(above)) = (titles.get_mut(shown), self.view.above()) {
            title.freshness.push(view::newer(above));
        }
        let border = Border {
            shown,
            titles: &titles,
            has_keys: key.has_keys,
            foot: &self.view.foot,
        };
        canvas.spot(place.area, ClickTarget::Pane(self.pane));
        border.draw(canvas, place.area)
    }

    fn body(&mut self, canvas: &mut Canvas<'_>, inner: Rect) {
        let view = self.view;
        let ClickList { first, room, count } = view.list;
        match &view.body {
            PaneBody::Words(words) => canvas.spans_centered(inner, words),
            PaneBody::Cards(setting, cards) => {
                self.can_be_pointed_at(canvas, inner, |at| cards::block(inner, *setting, at));
                cards::draw(canvas, inner, cards, *setting, &view.picked);
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
                let measures = self.draw_state.measures(self.pane);
                measures.take(table, table::room(inner), self.scene.own_now);
                let free = table::draw(canvas, inner, table, measures, &view.picked);
                if self.pane == Pane::Closed {
                    self.curve(canvas, free);
                }
                scrollbar(canvas, below(inner, 1), first, count);
            }
        }
    }

    /// Records the list for the wheel, and each visible row for clicks.
    fn can_be_pointed_at(&self, canvas: &mut Canvas<'_>, inner: Rect, area: impl Fn(u16) -> Rect) {
        canvas.list(inner, ClickTarget::Pane(self.pane), self.view.list);
        for (at, row) in (0..).zip(&self.view.rows) {
            canvas.spot(area(at), ClickTarget::Row(self.pane, row.clone()));
        }
    }

    /// The equity curve, if the table leaves room.
    fn curve(&mut self, canvas: &mut Canvas<'_>, free: Rect) {
        let (width, height) = chart::LEAST;
        let free = without_last(free, 1);
        if free.width < width || free.height < height {
            return;
        }
        if let Some(curve) = self.draw_state.curve(self.scene) {
            chart::draw(canvas, free, curve);
        }
    }
}
