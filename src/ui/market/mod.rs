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
    app::{self, ClickTarget, MarketPanel, Model, market::two_charts::ChartSide},
    ui::{
        cells::{Border, Canvas, columns, line},
        tables::pane,
    },
    view::{self, MarketKey, Scene, Span, market::position_strip::position_strip},
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
    match panel {
        MarketPanel::Ladder => {
            let key = PlaceKey {
                market: Some(MarketKey::new(model, None)),
                ..place_key(model, place)
            };
            shown.keyed(place.area, key.clone(), |canvas, key| {
                canvas.spot(place.area, ClickTarget::Panel(panel));
                let inner = border(key, place).draw(canvas, place.area);
                draw_state.ladder = draw_ladder(canvas, inner, (model, scene));
            });
            let line = draw_state.ladder.as_ref().map(|drawn| drawn.position);
            let market = model.market_screen.market();
            let facts = market.map(|market| position_strip(model, market, scene));
            position(
                shown,
                line.unwrap_or_default(),
                &facts.unwrap_or_default(),
                key,
            );
        }
        MarketPanel::Chart => charts(shown, model, scene, draw_state, place),
    }
}

/// One chart, or two of the same width.
fn charts(
    shown: &mut KeptFrame,
    model: &Model,
    scene: &Scene<'_>,
    draw_state: &mut DrawState,
    place: &Place,
) {
    let charts = app::charts(model);
    let is_drawn = |side| charts.iter().any(|chart| chart.side == side);
    draw_state.charts.retain(|side, _| is_drawn(*side));
    let is_alone = charts.len() == 1;
    for (at, chart) in charts.iter().enumerate() {
        let place = &if is_alone {
            place.clone()
        } else {
            half(place, chart.side)
        };
        let mut key = place_key(model, place);
        if !is_alone {
            key.titles = vec![view::chart_title(model, *chart)];
        }
        // Keys act on the first.
        key.has_keys &= at == 0;
        if key.has_keys {
            key.words = view::cursor_words(model, scene);
        }
        key.market = Some(MarketKey::new(model, Some(*chart)));
        let cells = draw_state.charts.entry(chart.side).or_default();
        shown.keyed(place.area, key.clone(), |canvas, key| {
            canvas.spot(place.area, ClickTarget::ChartOn(chart.side));
            let inner = border(key, place).draw(canvas, place.area);
            cells.begin_frame();
            chart::draw(canvas, inner, (model, scene), *chart, cells);
        });
        let facts = chart
            .market
            .map(|market| position_strip(model, market, scene));
        position(shown, cells.position, &facts.unwrap_or_default(), key);
    }
}

/// The position in the line that a panel leaves to it. The cursor of a pane changes it and nothing else of the panel, so it
/// is drawn by itself: with the panel, since its key holds that of the panel, or alone.
fn position(shown: &mut KeptFrame, line: Rect, facts: &[Vec<Span>], panel: PlaceKey) {
    if line.is_empty() {
        return;
    }
    let key = PlaceKey {
        words: [&panel.words, facts].concat(),
        ..panel
    };
    shown.keyed(line, key, |canvas, _| {
        chart::whole_facts(canvas, line, facts);
    });
}

fn half(place: &Place, side: ChartSide) -> Place {
    let (left, right) = columns(place.area, place.area.width / 2);
    Place {
        area: match side {
            ChartSide::Left => left,
            ChartSide::Right => right,
        },
        content: place.content,
        tabs: vec![place.content],
    }
}

fn place_key(model: &Model, place: &Place) -> PlaceKey {
    PlaceKey {
        content: Some(place.content),
        titles: pane::titles(model, place),
        has_keys: model.focus.content() == place.content,
        ..PlaceKey::default()
    }
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

#[cfg(test)]
mod tests {
    use crate::{
        app::{Model, Msg, testing, update},
        ui::{DrawState, render_changes},
    };
    use ratatui::layout::Rect;
    use std::time::Duration;

    const SCREEN: Rect = Rect::new(0, 0, 200, 60);

    fn drawn_cells(model: &Model, draw_state: &mut DrawState) -> u32 {
        let parts = render_changes(SCREEN, model, draw_state);
        parts.iter().map(|part| part.area.area()).sum()
    }

    #[test]
    fn a_cursor_that_leaves_the_row_of_the_market_shown_draws_neither_chart_nor_ladder() {
        let mut model = testing::desk();
        let now = model.account.now;
        update(&mut model, now, Msg::Resized(SCREEN.width, SCREEN.height));
        model.market_screen.wait_for_rest(Duration::from_millis(80));
        let mut draw_state = DrawState::default();
        assert_eq!(drawn_cells(&model, &mut draw_state), SCREEN.area());
        testing::press(&mut model, "j");
        let moved = drawn_cells(&model, &mut draw_state);
        assert!(moved < SCREEN.area() / 4, "{moved} cells");
    }
}
