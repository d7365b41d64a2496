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
mod bulk;
mod canvas;
mod cards;
mod chart;
mod click_map;
mod detail;
mod fit;
mod flow;
mod form;
mod frame;
mod header;
mod help;
mod kept;
mod layout;
mod listed;
mod market;
mod overlays;
mod pane;
pub mod picture;
mod prompt;
mod review;
mod table;
pub mod theme;
mod tour;
mod window;

pub use click_map::Turn;
pub use theme::{Depth, Theme, ThemeSet};

use crate::{
    app::{
        Desks, MarketPanel, Model, WidthTier,
        account::pane::Pane,
        has_room_for_market,
        market::{market_spot::MarketSpot, width_tier::SMALLEST},
        tables::{click_target::ClickTarget, pane::PlaceContent},
    },
    view::{
        self, Curve, DataKey, MarketKey, PromptView, Scene, StripView, market::chart::Num,
        text::format::Zone,
    },
};
use bottom::Bottom;
use canvas::{Canvas, line};
use click_map::ClickMap;
use fit::Measures;
use kept::{Kept, LayoutKey, PlaceKey, SharedKey};
pub use kept::{copy_over, part_of};
use layout::{Arrangement, Place, regions::Regions};
use market::DrawnLadder;
use overlays::{covers, overlays};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};
use std::{collections::BTreeMap, ops::Range};
use theme::ThemePart;
use window::RowWindow;

/// The state of drawing between frames: theme, zone, scroll positions and column widths. It has no meaning for the
/// trader; losing it only moves things.
#[derive(Debug, Clone)]
pub struct DrawState {
    pub theme: Theme,
    pub zone: Zone,
    /// The account of the following fields, by index.
    at: usize,
    first: BTreeMap<Pane, usize>,
    measures: BTreeMap<Pane, Measures>,
    clicks: ClickMap,
    kept: Kept,
    /// The last frame where something lies over what is kept.
    covered: Option<Buffer>,
    chart: market::chart::ChartCells,
    /// With the version of its rows.
    curve: Option<(u64, Option<Curve>)>,
    /// The price ladder of the last frame.
    ladder: Option<DrawnLadder>,
}

impl Default for DrawState {
    fn default() -> Self {
        Self::new(Theme::default(), Zone::default())
    }
}

impl DrawState {
    pub fn new(theme: Theme, zone: Zone) -> Self {
        Self {
            theme,
            zone,
            at: 0,
            first: BTreeMap::new(),
            measures: BTreeMap::new(),
            clicks: ClickMap::default(),
            kept: Kept::default(),
            covered: None,
            chart: market::chart::ChartCells::default(),
            curve: None,
            ladder: None,
        }
    }

    /// All cells of the last frame.
    fn shown(&self) -> &Buffer {
        self.covered.as_ref().unwrap_or_else(|| self.kept.cells())
    }

    /// The next frame draws every place.
    pub fn forget_cells(&mut self) {
        self.kept = Kept::default();
        self.covered = None;
    }

    /// The click target of the last frame at this position.
    pub fn pointed(&self, at: Position) -> Option<ClickTarget> {
        let spot = self.clicks.at(at)?;
        Some(match self.pointed_price(at) {
            Some(MarketSpot::Ladder(spot)) => ClickTarget::Ladder(spot),
            Some(MarketSpot::Chart(spot)) => ClickTarget::Chart(spot),
            None => spot.clone(),
        })
    }

    /// The cell of the price ladder or of the chart there, unless something lies over it.
    pub fn pointed_price(&self, at: Position) -> Option<MarketSpot> {
        let ladder = self.ladder.as_ref();
        let is_on = |panel| self.clicks.at(at) == Some(&ClickTarget::Panel(panel));
        let row = ladder.filter(|_| is_on(MarketPanel::Ladder));
        let row = row.and_then(|ladder| ladder.at(at)).map(MarketSpot::Ladder);
        let cell = || self.chart.at(at).filter(|_| is_on(MarketPanel::Chart));
        row.or_else(|| cell().map(MarketSpot::Chart))
    }

    /// How many rows of prices the last frame had; `None` where it had no ladder.
    pub fn ladder_rows(&self) -> Option<usize> {
        self.ladder.as_ref().map(DrawnLadder::rows)
    }

    /// How much price a row of the chart is high, as it was drawn last; `None` before that.
    pub fn chart_row(&self) -> Option<Num> {
        self.chart.row()
    }

    /// Scrolls the list under `at`; returns which one, and its visible rows.
    pub fn turn(&mut self, at: Position, turn: Turn) -> Option<(ClickTarget, Range<usize>)> {
        let (spot, seen) = self.clicks.turned(at, turn)?;
        if let ClickTarget::Pane(pane) = spot {
            self.first.insert(*pane, seen.start);
        }
        Some((spot.clone(), seen))
    }

    /// Drops what can be clicked of panels that are not among these places.
    fn show(&mut self, places: &[Place]) {
        let shows = |panel| {
            let mut contents = places.iter().map(|place| place.content);
            contents.any(|content| content == PlaceContent::Panel(panel))
        };
        if !shows(MarketPanel::Ladder) {
            self.ladder = None;
        }
        if !shows(MarketPanel::Chart) {
            self.chart.begin_frame();
        }
    }

    /// Drops the state of another account.
    fn turn_to(&mut self, at: usize) {
        if self.at != at {
            *self = Self {
                at,
                ..Self::new(self.theme.clone(), self.zone.clone())
            };
        }
    }

    fn curve(&mut self, scene: &Scene<'_>) -> Option<&Curve> {
        let version = scene.store.closed.version();
        if self
            .curve
            .as_ref()
            .is_none_or(|(counted, _)| *counted != version)
        {
            self.curve = Some((version, view::curve(scene)));
        }
        self.curve.as_ref()?.1.as_ref()
    }

    /// The first visible row, with row `seen` visible.
    fn first(
        &mut self,
        pane: Pane,
        seen: usize,
        window: &RowWindow<impl Fn(usize) -> usize>,
    ) -> usize {
        let first = self.first.entry(pane).or_default();
        *first = window.first(*first, seen);
        *first
    }

    fn measures(&mut self, pane: Pane) -> &mut Measures {
        self.measures.entry(pane).or_default()
    }

    /// The titles of the visible columns; `None` if a pane is drawn without columns.
    fn drawn(&self, pane: Pane) -> Option<&[&'static str]> {
        self.measures.get(&pane).map(Measures::drawn)
    }
}

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
        debug_assert_eq!(
            draw_state.shown(),
            afresh.shown(),
            "a place that was kept shows something else"
        );
    }
}

/// Draws only these words and `model`'s open strip, if any.
pub fn render_plain(frame: &mut Buffer, words: &str, model: Option<&Model>) {
    let screen = frame.area;
    let zone = Zone::utc();
    let strip = model.and_then(|model| strip(model, &Scene::of(model, &zone)));
    let strip = strip.into_iter().flat_map(|strip| strip.words);
    let strip: String = strip.map(|span| span.text).collect();
    let theme = Theme::default();
    let mut canvas = Canvas::new(frame, &theme, Pane::Positions.context());
    let lines = canvas::wrapped(words, screen.width).into_iter();
    let lines = lines.chain(canvas::wrapped(&strip, screen.width));
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
        flights: view::flights(&scene),
        toast: view::toast(model),
        tour: view::tour(model),
        following: view::following(model),
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
            market: Some(MarketKey::new(model, MarketPanel::Ladder)),
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
        Some(strip) => strip.words.iter().map(|span| span.text.as_str()).collect(),
        None => format!(
            "perpdeck needs {width}x{height}, this is {}x{}{}",
            screen.width,
            screen.height,
            view::out_of_sight(model)
        ),
    };
    let lines = canvas::wrapped(&words, screen.width);
    for (number, text) in (0..screen.height).zip(lines) {
        canvas.toned(line(screen, number), &text, crate::view::Tone::Strong);
    }
}
