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
    layout::Place,
    pane,
};
use crate::{
    app::{MarketPanel, Model, tables::click_target::ClickTarget},
    view::{self, Scene, Span},
};
use ratatui::layout::Rect;

/// Draws a panel with its border.
pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    model: &Model,
    scene: &Scene<'_>,
    draw_state: &mut DrawState,
    (place, panel): (&Place, MarketPanel),
) {
    let shown = place.tabs.iter().position(|tab| *tab == place.content);
    let has_keys = model.focus.content() == place.content;
    let foot = match panel {
        MarketPanel::Chart if has_keys => view::cursor_words(model, scene),
        MarketPanel::Chart | MarketPanel::Ladder => vec![],
    };
    let border = Border {
        titles: &pane::titles(model, place),
        shown: shown.unwrap_or(0),
        keys: if has_keys {
            KeyFocus::Here
        } else {
            KeyFocus::Elsewhere
        },
        foot: &foot,
    };
    canvas.spot(place.area, ClickTarget::Panel(panel));
    let inner = border.draw(canvas, place.area);
    match panel {
        MarketPanel::Ladder => draw_state.ladder = draw_ladder(canvas, inner, (model, scene)),
        MarketPanel::Chart => chart::draw(canvas, inner, (model, scene), &mut draw_state.chart),
    }
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
