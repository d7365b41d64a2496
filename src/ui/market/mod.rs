//! The panels of the market in their places: the border, and what is inside.

mod areas;
mod beside;
pub(super) mod chart;
mod ladder;
pub(super) mod watchlist;

pub(super) use ladder::DrawnLadder;

use super::{
    DrawState,
    canvas::{Canvas, line},
    frame::{Border, KeyFocus},
    kept::{FocusKey, KeptFrame, PlaceKey},
    layout::Place,
    pane,
};
use crate::{
    app::{MarketPanel, Model, tables::click_target::ClickTarget},
    view::{self, DataKey, MarketKey, Scene, Span},
};
use ratatui::layout::Rect;

/// Draws a panel with its border unless it shows what it showed before.
pub(super) fn draw(
    shown: &mut KeptFrame<'_>,
    model: &Model,
    scene: &Scene<'_>,
    draw_state: &mut DrawState,
    (place, panel): (&Place, MarketPanel),
) {
    let has_keys = model.focus.content() == place.content;
    let foot = match panel {
        MarketPanel::Chart if has_keys => view::cursor_words(model, scene),
        MarketPanel::Chart | MarketPanel::Ladder => vec![],
    };
    let focus = FocusKey {
        place: model.place(),
        has_keys,
        selected: None,
        first: None,
    };
    let titles = pane::titles(model, place);
    let data = DataKey::new(model, scene);
    let key = PlaceKey::of_place(place, titles.clone(), (data, focus), foot.clone());
    let key = key.with_market(MarketKey::new(model, panel));
    let tab = place.tabs.iter().position(|tab| *tab == place.content);
    let border = Border {
        titles: &titles,
        shown: tab.unwrap_or(0),
        keys: if has_keys {
            KeyFocus::Here
        } else {
            KeyFocus::Elsewhere
        },
        foot: &foot,
    };
    shown.keyed(place.area, key, |canvas| {
        canvas.spot(place.area, ClickTarget::Panel(panel));
        let inner = border.draw(canvas, place.area);
        match panel {
            MarketPanel::Ladder => draw_state.ladder = draw_ladder(canvas, inner, (model, scene)),
            MarketPanel::Chart => {
                draw_state.chart.begin_frame();
                chart::draw(canvas, inner, (model, scene), &mut draw_state.chart);
            }
        }
    });
}

fn draw_ladder(
    canvas: &mut Canvas<'_>,
    inner: Rect,
    (model, scene): (&Model, &Scene<'_>),
) -> Option<DrawnLadder> {
    let Some(view) = view::price_ladder(model, scene, (inner.width, inner.height)) else {
        let none = [Span::muted("no price of this market is known yet")];
        canvas.spans(line(inner, 0), &none);
        return None;
    };
    ladder::draw(canvas, inner, &view)
}
