//! One pane: border, titles, and the visible rows.

use crate::{
    app::{ClickTarget, Model, Pane, PlaceContent},
    ui::{
        DrawState,
        cells::{Border, Canvas, length, sum},
        kept::{KeptFrame, PlaceKey},
        layout::Place,
        tables::{cards, pane_view::PaneView},
    },
    view::{self, Scene, Title},
};

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
pub(super) fn has_cards(model: &Model, pane: Pane) -> bool {
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
    let view = PaneView::new(&key, (model, scene, &rows), draw_state, (place, pane));
    shown.viewed(place.area, (key, view), |canvas, key, view| {
        draw_view(canvas, (key, view), (draw_state, scene), (place, pane));
    });
}

fn draw_view(
    canvas: &mut Canvas<'_>,
    (key, view): (&PlaceKey, &PaneView),
    (draw_state, scene): (&mut DrawState, &Scene<'_>),
    (place, pane): (&Place, Pane),
) {
    let mut titles = key.titles.clone();
    let shown = place.tabs.iter().position(|tab| *tab == place.content);
    let shown = shown.unwrap_or(0);
    if let (Some(title), Some(above)) = (titles.get_mut(shown), view.above()) {
        title.freshness.push(view::newer(above));
    }
    let border = Border {
        shown,
        titles: &titles,
        has_keys: key.has_keys,
        foot: view.foot(),
    };
    canvas.spot(place.area, ClickTarget::Pane(pane));
    let inner = border.draw(canvas, place.area);
    view.draw(canvas, inner, (draw_state, scene));
}
