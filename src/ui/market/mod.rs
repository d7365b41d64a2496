//! The panels of the market in their places: the border, and what is inside.

use super::{
    DrawState,
    canvas::Canvas,
    frame::{Border, KeyFocus},
    layout::Place,
    pane,
};
use crate::{
    app::{MarketPanel, Model, tables::spot::Spot},
    view::Scene,
};

/// Draws a panel with its border.
pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    model: &Model,
    scene: &Scene<'_>,
    draw_state: &mut DrawState,
    (place, panel): (&Place, MarketPanel),
) {
    let shown = place.tabs.iter().position(|tab| *tab == place.content);
    let border = Border {
        titles: &pane::titles(model, place),
        shown: shown.unwrap_or(0),
        keys: if model.focus.content() == place.content {
            KeyFocus::Here
        } else {
            KeyFocus::Elsewhere
        },
        foot: &[],
    };
    canvas.spot(place.area, Spot::Panel(panel));
    let _inner = border.draw(canvas, place.area);
    let (_, _) = (scene, draw_state);
}
