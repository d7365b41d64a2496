//! All drawing: the desk's model as cells. One file per region of the screen.
//!
//! ```text
//!  header: badge │ account │ equity, day │ daily loss │ api │ ages
//!  watchlist: each market with its last price and change
//! ╭ 1 Positions ──────────────╮╭ 0 Chart ─────────╮╭ 9 Ladder ╮
//! ├ 2 Working orders ─────────┤├ 3 TWAP / VWAP ───┤│          │    wide (≥160 columns)
//! ╭ 5 Closed │ 6 … │ 7 … │ 8 …╮├ 4 Scaled ────────┤╰──────────╯
//!  bottom: commands in progress, then the keys that work now or the strip that asks
//! ```
//!
//! Contract: [`render`] is a function of the model and of what drawing itself remembers ([`DrawState`]); it
//! never fails and never panics, whatever the size. A number that does not fit is left out whole.

// Sizes and counts come from terminals and services: drawing must neither panic nor overflow.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

mod bottom;
mod cells;
mod dialogs;
mod draw_state;
mod header;
mod kept;
mod layout;
mod market;
pub mod picture;
mod prompt;
mod tables;
pub mod theme;

pub use cells::Turn;
pub use draw_state::DrawState;
pub use theme::{ColorDepth, Theme, ThemeSet};

use crate::{
    app::{
        Desks, Model, Pane, PlaceContent, WidthTier, has_room_for_market,
        market::width_tier::SMALLEST,
    },
    view::{self, DataKey, MarketKey, PromptView, Scene, StripView, Zone, plain_text},
};
use bottom::Bottom;
use cells::{Canvas, line, wrapped};
use dialogs::overlays::{covers, overlays};
use kept::{Kept, LayoutKey, PlaceKey, SharedKey};
pub use kept::{copy_over, part_of};
use layout::{Arrangement, regions::Regions};
use ratatui::{buffer::Buffer, layout::Rect};
use tables::pane;
use theme::ThemePart;

/// Whether a screen of this size shows more than a strip.
pub fn fits(screen: Rect) -> bool {
    WidthTier::from_size(screen.width, screen.height) != WidthTier::TooSmall
}

/// Draws the whole screen: one account, and messages of the others.
pub fn render<'a>(frame: &mut Buffer, desks: impl Into<Desks<'a>>, draw_state: &mut DrawState) {
    draw_checked(frame.area, &desks.into(), draw_state);
    frame.content.clone_from(&draw_state.shown().content);
}

/// Draws what has changed since the frame that these drawings made before: parts of the screen, later ones over earlier
/// ones.
pub fn render_changes<'a>(
    screen: Rect,
    desks: impl Into<Desks<'a>>,
    draw_state: &mut DrawState,
) -> Vec<Buffer> {
    let was_covered = draw_state.covered.is_some();
    draw_checked(screen, &desks.into(), draw_state);
    match &draw_state.covered {
        Some(whole) => vec![whole.clone()],
        None if was_covered => vec![draw_state.kept.cells().clone()],
        None => draw_state.kept.changes(),
    }
}

/// A build with debug assertions draws every place too, and compares.
fn draw_checked(screen: Rect, desks: &Desks<'_>, draw_state: &mut DrawState) {
    draw_state.turn_to(desks.shown.roster.at);
    let afresh = cfg!(debug_assertions).then(|| draw_state.clone());
    draw(screen, desks, draw_state);
    if let Some(mut afresh) = afresh {
        afresh.forget_cells();
        draw(screen, desks, &mut afresh);
        let apart = kept::first_difference(draw_state.shown(), afresh.shown());
        debug_assert!(
            apart.is_none(),
            "a place that was kept shows something else: {}",
            apart.unwrap_or_default()
        );
    }
}

/// Draws only these words and `model`'s open strip, if any.
pub fn render_plain(frame: &mut Buffer, words: &str, model: Option<&Model>) {
    let screen = frame.area;
    let zone = Zone::utc();
    let strip = model.and_then(|model| strip(model, &Scene::of(model, &zone)));
    let strip = strip.map_or_else(String::new, |strip| plain_text(&strip.words));
    let theme = Theme::default();
    let mut canvas = Canvas::new(frame, &theme, Pane::Positions.context());
    let lines = wrapped(words, screen.width).into_iter();
    let lines = lines.chain(wrapped(&strip, screen.width));
    draw_lines(&mut canvas, screen, lines);
}

fn draw_lines(canvas: &mut Canvas<'_>, screen: Rect, lines: impl IntoIterator<Item = String>) {
    for (number, text) in (0..screen.height).zip(lines) {
        canvas.toned(line(screen, number), &text, view::Tone::Strong);
    }
}

fn draw(screen: Rect, desks: &Desks<'_>, draw_state: &mut DrawState) {
    let model = desks.shown;
    let (zone, theme) = (draw_state.zone.clone(), draw_state.theme.clone());
    let scene = Scene::of(model, &zone);
    let strip = strip(model, &scene);
    let tier = WidthTier::from_size(screen.width, screen.height);
    if tier == WidthTier::TooSmall {
        draw_state.show(&[]);
        draw_state.kept = Kept::default();
        let mut frame = Buffer::empty(screen);
        let mut canvas = Canvas::new(&mut frame, &theme, model.place());
        canvas.fill(screen, ThemePart::Base);
        too_small(&mut canvas, screen, model, strip.as_ref());
        draw_state.clicks = canvas.into_clicks();
        draw_state.covered = Some(frame);
        return;
    }
    let bottom = Bottom {
        pending: view::pending_commands(&scene),
        notices: view::notices(model),
        hints: view::footer(model),
        strip,
        prompt: prompt(model),
    };
    let body = draw_places(screen, model, (draw_state, &theme), (tier, &bottom));
    draw_state.covered = None;
    if model.overlays.iter().any(covers) {
        let mut frame = draw_state.kept.cells().clone();
        let mut canvas = Canvas::new(&mut frame, &theme, model.place());
        overlays(&mut canvas, body, desks, (draw_state, &scene));
        draw_state.clicks.extend(&canvas.into_clicks());
        draw_state.covered = Some(frame);
    }
}

/// Draws what has changed of everything that panels lie over; answers where those lie.
fn draw_places(
    screen: Rect,
    model: &Model,
    (draw_state, theme): (&mut DrawState, &Theme),
    (tier, bottom): (WidthTier, &Bottom),
) -> Rect {
    let zone = draw_state.zone.clone();
    let scene = Scene::of_rows(model, &zone);
    let has_watchlist = tier.has_watchlist() && has_room_for_market(model);
    let height = bottom.height(screen.width);
    let regions = Regions::new(screen, u16::from(has_watchlist), height);
    let wanted = |pane| pane::wanted(model, pane);
    let arrangement = Arrangement::new(model, tier);
    let places = layout::steady(tier, regions.whole, regions.body, &arrangement, wanted);
    draw_state.show(&places);
    let layout = LayoutKey {
        theme: theme.clone(),
        areas: regions.areas(&places),
    };
    let shared = Box::new(SharedKey {
        data: DataKey::new(model, &scene),
        place: model.place(),
    });
    let mut shown = std::mem::take(&mut draw_state.kept).begin(screen, layout, shared);
    shown.anew(regions.header, |canvas| {
        header::draw(canvas, regions.header, &view::header(model));
    });
    if has_watchlist {
        let key = PlaceKey {
            market: Some(MarketKey::new(model, None)),
            ..PlaceKey::default()
        };
        shown.keyed(regions.watchlist, key, |canvas, _| {
            market::watchlist::draw(canvas, regions.watchlist, model, &scene);
        });
    }
    for place in &places {
        match place.content {
            PlaceContent::Pane(pane) => {
                pane::draw(&mut shown, model, &scene, draw_state, (place, pane));
            }
            PlaceContent::Panel(panel) => {
                market::draw(&mut shown, model, &scene, draw_state, (place, panel));
            }
        }
    }
    shown.anew(regions.bottom, |canvas| {
        canvas.place = model.context();
        bottom.draw(canvas, regions.bottom);
    });
    (draw_state.kept, draw_state.clicks) = shown.end();
    regions.body
}

fn strip(model: &Model, scene: &Scene<'_>) -> Option<StripView> {
    let strip = model.overlays.last()?.try_as_strip_ref()?;
    Some(view::strip(model, scene, strip))
}

fn prompt(model: &Model) -> Option<PromptView> {
    let prompt = model.overlays.last()?.try_as_prompt_ref()?;
    Some(view::prompt(model, prompt))
}

/// No pane fits: draws a running strip, and names hidden questions.
fn too_small(canvas: &mut Canvas<'_>, screen: Rect, model: &Model, strip: Option<&StripView>) {
    let (width, height) = SMALLEST;
    let words = match strip {
        Some(strip) => plain_text(&strip.words),
        None => format!(
            "perpdeck needs {width}x{height}, this is {}x{}{}",
            screen.width,
            screen.height,
            view::out_of_sight(model)
        ),
    };
    draw_lines(canvas, screen, wrapped(&words, screen.width));
}
