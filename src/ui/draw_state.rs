//! What drawing keeps from frame to frame.

use super::{
    Theme, Turn,
    kept::Kept,
    layout::Place,
    market::{DrawnLadder, chart::ChartCells},
};
use crate::{
    app::{
        ClickTarget, MarketPanel, Pane, PlaceContent,
        market::{market_spot::MarketSpot, two_charts::ChartSide},
    },
    ui::{
        cells::ClickMap,
        tables::{fit::Measures, window::RowWindow},
    },
    view::{self, Curve, Scene, Zone, market::chart::Num},
};
use ratatui::{buffer::Buffer, layout::Position};
use std::{collections::BTreeMap, ops::Range};

/// The state of drawing between frames: theme, zone, scroll positions and column widths. It has no meaning for the
/// trader; losing it only moves things.
#[derive(Debug, Clone)]
pub struct DrawState {
    pub theme: Theme,
    pub zone: Zone,
    /// The account of the following fields, by index.
    pub(super) at: usize,
    pub(super) first: BTreeMap<Pane, usize>,
    pub(super) measures: BTreeMap<Pane, Measures>,
    pub(super) clicks: ClickMap,
    pub(super) kept: Kept,
    /// The last frame where something lies over what is kept.
    pub(super) covered: Option<Buffer>,
    pub(super) charts: BTreeMap<ChartSide, ChartCells>,
    /// With the version of its rows.
    pub(super) curve: Option<(u64, Option<Curve>)>,
    /// The price ladder of the last frame.
    pub(super) ladder: Option<DrawnLadder>,
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
            charts: BTreeMap::new(),
            curve: None,
            ladder: None,
        }
    }

    /// All cells of the last frame.
    pub(super) fn shown(&self) -> &Buffer {
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
        let spot = self.clicks.at(at)?;
        if let ClickTarget::ChartOn(side) = spot {
            return self.charts.get(side)?.at(at).map(MarketSpot::Chart);
        }
        let ladder = self
            .ladder
            .as_ref()
            .filter(|_| *spot == ClickTarget::Panel(MarketPanel::Ladder));
        ladder?.at(at).map(MarketSpot::Ladder)
    }

    /// How many rows of prices the last frame had; `None` where it had no ladder.
    pub fn ladder_rows(&self) -> Option<usize> {
        self.ladder.as_ref().map(DrawnLadder::rows)
    }

    /// How much price a row of the chart on this side is high, as it was drawn last; `None` before that.
    pub fn chart_row(&self, side: ChartSide) -> Option<Num> {
        self.charts.get(&side)?.row()
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
    pub(super) fn show(&mut self, places: &[Place]) {
        let shows = |panel| {
            let mut contents = places.iter().map(|place| place.content);
            contents.any(|content| content == PlaceContent::Panel(panel))
        };
        if !shows(MarketPanel::Ladder) {
            self.ladder = None;
        }
        if !shows(MarketPanel::Chart) {
            self.charts.values_mut().for_each(ChartCells::begin_frame);
        }
    }

    /// Drops the state of another account.
    pub(super) fn turn_to(&mut self, at: usize) {
        if self.at != at {
            *self = Self {
                at,
                ..Self::new(self.theme.clone(), self.zone.clone())
            };
        }
    }

    pub(super) fn curve(&mut self, scene: &Scene<'_>) -> Option<&Curve> {
        let version = scene.store.closed.version();
        let counted = self.curve.as_ref().map(|(counted, _)| *counted);
        if counted != Some(version) {
            self.curve = Some((version, view::curve(scene)));
        }
        self.curve.as_ref()?.1.as_ref()
    }

    /// The first visible row, with row `seen` visible.
    pub(super) fn first(
        &mut self,
        pane: Pane,
        seen: usize,
        window: &RowWindow<impl Fn(usize) -> usize>,
    ) -> usize {
        let first = self.first.entry(pane).or_default();
        *first = window.first(*first, seen);
        *first
    }

    pub(super) fn measures(&mut self, pane: Pane) -> &mut Measures {
        self.measures.entry(pane).or_default()
    }

    /// The titles of the visible columns; `None` if a pane is drawn without columns.
    pub(super) fn drawn(&self, pane: Pane) -> Option<&[&'static str]> {
        self.measures.get(&pane).map(Measures::drawn)
    }
}
