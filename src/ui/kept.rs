//! What stays on the screen from frame to frame: places that show the same as before are not drawn again.
//!
//! Contract: the key of a place holds everything that its cells are made from. A key that lacks something is caught: a
//! build with debug assertions draws each frame whole too, and compares ([`super::render`]).

use super::{canvas::Canvas, click_map::ClickMap, layout::Place, theme::Theme};
use crate::{
    app::{MarketPanel, Model, keys::keymap::Context, tables::pane::PlaceContent},
    view::{DataKey, MarketKey, Scene, Span, Title},
};
use ratatui::{
    buffer::{Buffer, Cell},
    layout::Rect,
};
use std::mem;

/// What the last frame showed below the panels that lie over it.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    cells: Buffer,
    theme: Option<Theme>,
    /// The areas of the frame, in the order they are drawn in.
    areas: Vec<Rect>,
    /// In that order; those whose content is not kept are missing.
    places: Vec<KeptPlace>,
    /// What the last frame has drawn.
    drawn: Vec<Rect>,
}

#[derive(Debug, Clone)]
struct KeptPlace {
    area: Rect,
    key: PlaceKey,
    clicks: ClickMap,
}

/// Everything that a place is drawn from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlaceKey {
    content: Option<PlaceContent>,
    /// With the ages in them.
    titles: Vec<Title>,
    data: DataKey,
    focus: FocusKey,
    /// What is drawn from anything else, as it is drawn.
    words: Vec<Vec<Span>>,
    market: Option<MarketKey>,
}

/// What the keys act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FocusKey {
    pub(super) place: Context,
    pub(super) has_keys: bool,
    pub(super) selected: Option<usize>,
    /// The first visible row.
    pub(super) first: Option<usize>,
}

impl PlaceKey {
    pub(super) fn of_place(
        place: &Place,
        titles: Vec<Title>,
        (data, focus): (DataKey, FocusKey),
        words: Vec<Vec<Span>>,
    ) -> Self {
        Self {
            content: Some(place.content),
            titles,
            data,
            focus,
            words,
            market: None,
        }
    }

    pub(super) fn with_market(self, market: MarketKey) -> Self {
        Self {
            market: Some(market),
            ..self
        }
    }

    /// The line of markets.
    pub(super) fn of_watchlist(model: &Model, scene: &Scene<'_>) -> Self {
        Self {
            content: None,
            titles: vec![],
            data: DataKey::new(model, scene),
            focus: FocusKey {
                place: model.place(),
                has_keys: false,
                selected: None,
                first: None,
            },
            words: vec![],
            market: Some(MarketKey::new(model, MarketPanel::Ladder)),
        }
    }
}

/// Draws the places of one frame over those of the last.
pub(super) struct KeptFrame<'a> {
    cells: Buffer,
    theme: &'a Theme,
    before: Vec<KeptPlace>,
    places: Vec<KeptPlace>,
    areas: Vec<Rect>,
    drawn: Vec<Rect>,
    clicks: ClickMap,
    place: Context,
}

impl Kept {
    pub(super) fn cells(&self) -> &Buffer {
        &self.cells
    }

    /// What the last frame has changed.
    pub(super) fn changes(&self) -> Vec<Buffer> {
        self.drawn.iter().map(|area| self.part(*area)).collect()
    }

    fn part(&self, area: Rect) -> Buffer {
        let mut part = Buffer::empty(area.intersection(self.cells.area));
        let width = usize::from(part.area.width);
        if width == 0 {
            return part;
        }
        for (y, line) in (part.area.y..).zip(part.content.chunks_mut(width)) {
            let start = self.cells.index_of(part.area.x, y);
            let cells = self.cells.content.get(start..start.saturating_add(width));
            line.clone_from_slice(cells.unwrap_or_default());
        }
        part
    }

    /// Begins a frame with these areas. Others, or another theme, keep nothing.
    pub(super) fn begin<'a>(
        &mut self,
        screen: Rect,
        theme: &'a Theme,
        areas: Vec<Rect>,
        place: Context,
    ) -> KeptFrame<'a> {
        let kept = mem::take(self);
        let is_same =
            kept.cells.area == screen && kept.theme.as_ref() == Some(theme) && kept.areas == areas;
        let (cells, before, drawn) = if is_same {
            (kept.cells, kept.places, vec![])
        } else {
            (blank(screen, theme), vec![], vec![screen])
        };
        KeptFrame {
            cells,
            theme,
            before,
            places: vec![],
            areas,
            drawn,
            clicks: ClickMap::default(),
            place,
        }
    }
}

fn blank(screen: Rect, theme: &Theme) -> Buffer {
    let mut cell = Cell::EMPTY;
    cell.set_style(theme.part(super::theme::ThemePart::Base));
    Buffer::filled(screen, cell)
}

impl KeptFrame<'_> {
    /// Draws a place unless it shows the same as in the last frame.
    pub(super) fn keyed(&mut self, area: Rect, key: PlaceKey, draw: impl FnOnce(&mut Canvas<'_>)) {
        let known = self
            .before
            .iter()
            .position(|kept| kept.area == area && kept.key == key);
        let kept = if let Some(at) = known {
            self.before.swap_remove(at)
        } else {
            let clicks = self.draw(area, draw);
            KeptPlace { area, key, clicks }
        };
        self.clicks.extend(&kept.clicks);
        self.places.push(kept);
    }

    /// Draws what is cheaper to draw than to compare.
    pub(super) fn anew(&mut self, area: Rect, draw: impl FnOnce(&mut Canvas<'_>)) {
        let clicks = self.draw(area, draw);
        self.clicks.extend(&clicks);
    }

    fn draw(&mut self, area: Rect, draw: impl FnOnce(&mut Canvas<'_>)) -> ClickMap {
        if self.drawn.first() != Some(&self.cells.area) {
            self.drawn.push(area);
        }
        let mut canvas = Canvas::new(&mut self.cells, self.theme, self.place);
        canvas.blank(area);
        draw(&mut canvas);
        canvas.into_clicks()
    }

    /// Keeps the frame for the next one; answers what can be clicked.
    pub(super) fn end(self, kept: &mut Kept) -> ClickMap {
        *kept = Kept {
            drawn: self.drawn,
            cells: self.cells,
            theme: Some(self.theme.clone()),
            areas: self.areas,
            places: self.places,
        };
        self.clicks
    }
}
