//! The panels of the market in their places: the border, and what is inside.

mod areas;
mod beside;
pub(super) mod chart;
mod ladder;
pub(super) mod watchlist;

pub(super) use ladder::DrawnLadder;

use super::{
    DrawState,
    kept::{KeptFrame, PlaceKey},
    layout::Place,
};
use crate::{
    app::{ClickTarget, MarketPanel, Model},
    ui::{
        cells::{Border, Canvas, line},
        tables::pane,
    },
    view::{self, MarketKey, Scene, Span},
};
use ratatui::layout::Rect;

/// Draws a panel with its border unless it shows what it showed before.
pub(super) fn draw(
    shown: &mut KeptFrame,
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
    let key = PlaceKey {
        content: Some(place.content),
        titles: pane::titles(model, place),
        has_keys,
        words: foot,
        market: Some(MarketKey::new(model, panel)),
        ..PlaceKey::default()
    };
    shown.keyed(place.area, key, |canvas, key| {
        canvas.spot(place.area, ClickTarget::Panel(panel));
        let inner = border(key, place).draw(canvas, place.area);
        match panel {
            MarketPanel::Ladder => draw_state.ladder = draw_ladder(canvas, inner, (model, scene)),
            MarketPanel::Chart => {
                draw_state.chart.begin_frame();
                chart::draw(canvas, inner, (model, scene), &mut draw_state.chart);
            }
        }
    });
}

fn border<'a>(key: &'a PlaceKey, place: &Place) -> Border<'a> {
    let tab = place.tabs.iter().position(|tab| *tab == place.content);
    Border {
        titles: &key.titles,
        shown: tab.unwrap_or(0),
        has_keys: key.has_keys,
        foot: &key.words,
    }
}

fn draw_ladder(
    canvas: &mut Canvas<'_>,
    inner: Rect,
    (model, scene): (&Model, &Scene<'_>),
) -> Option<DrawnLadder> {
    let Some(view) = view::price_ladder(model, scene, (inner.width, inner.height)) else {
        let words = match model.market_screen.market() {
            Some(_) => "no price of this market is known yet",
            None => "loading…",
        };
        canvas.spans(line(inner, 0), &[Span::muted(words)]);
        return None;
    };
    ladder::draw(canvas, inner, &view)
}
