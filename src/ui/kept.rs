//! What stays on the screen from frame to frame: places that show the same as before are not drawn again.
//!
//! Contract: the key of a place holds everything that its cells are made from. A key that lacks something is caught: a
//! build with debug assertions draws each frame whole too, and compares ([`super::render`]).

use super::theme::Theme;
use crate::{
    app::{Context, PlaceContent},
    ui::cells::{Canvas, ClickMap},
    view::{DataKey, MarketKey, Span, Title},
};
use ratatui::{
    buffer::{Buffer, Cell},
    layout::Rect,
};

/// What the last frame showed below the panels that lie over it.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    cells: Buffer,
    layout: Option<LayoutKey>,
    shared: Option<Box<SharedKey>>,
    /// In the order they are drawn in; those whose content is not kept are missing.
    places: Vec<KeptPlace>,
    /// What the last frame has drawn.
    drawn: Vec<Rect>,
}

/// What decides where everything is and what it looks like: another one draws the whole screen.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LayoutKey {
    pub(super) theme: Theme,
    /// The areas of the frame, in the order they are drawn in.
    pub(super) areas: Vec<Rect>,
}

/// What every place is drawn from: another one draws every place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SharedKey {
    pub(super) data: DataKey,
    /// What has the keys.
    pub(super) place: Context,
}

/// What one place is drawn from besides.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PlaceKey {
    pub(super) content: Option<PlaceContent>,
    /// With the ages in them.
    pub(super) titles: Vec<Title>,
    pub(super) has_keys: bool,
    pub(super) selected: Option<usize>,
    /// The first visible row.
    pub(super) first: Option<usize>,
    /// What is drawn from anything else, as it is drawn.
    pub(super) words: Vec<Vec<Span>>,
    pub(super) market: Option<MarketKey>,
}

#[derive(Debug, Clone)]
struct KeptPlace {
    area: Rect,
    key: PlaceKey,
    clicks: ClickMap,
}

/// Draws the places of one frame over those of the last.
pub(super) struct KeptFrame {
    cells: Buffer,
    layout: LayoutKey,
    shared: Box<SharedKey>,
    before: Vec<KeptPlace>,
    places: Vec<KeptPlace>,
    drawn: Vec<Rect>,
    clicks: ClickMap,
}

impl Kept {
    pub(super) fn cells(&self) -> &Buffer {
        &self.cells
    }

    /// What the last frame has changed.
    pub(super) fn changes(&self) -> Vec<Buffer> {
        self.drawn
            .iter()
            .map(|area| part_of(&self.cells, *area))
            .collect()
    }

    /// Begins a frame on what is kept of the last one.
    pub(super) fn begin(
        self,
        screen: Rect,
        layout: LayoutKey,
        shared: Box<SharedKey>,
    ) -> KeptFrame {
        let is_laid_out = self.cells.area == screen && self.layout.as_ref() == Some(&layout);
        let (cells, drawn) = if is_laid_out {
            (self.cells, vec![])
        } else {
            (blank(self.cells, screen, &layout.theme), vec![screen])
        };
        let is_known = is_laid_out && self.shared.as_ref() == Some(&shared);
        KeptFrame {
            cells,
            layout,
            shared,
            before: if is_known { self.places } else { vec![] },
            places: vec![],
            drawn,
            clicks: ClickMap::default(),
        }
    }
}

/// The first row of cells that differs, in words and, where those are the same, by its first cell.
pub(super) fn first_difference(one: &Buffer, other: &Buffer) -> Option<String> {
    let width = usize::from(one.area.width).max(1);
    let (ones, others) = (one.content.chunks(width), other.content.chunks(width));
    let mut rows = (0..).zip(ones.zip(others));
    let (y, (one, other)) = rows.find(|(_, (one, other))| one != other)?;
    let words = |row: &[Cell]| row.iter().map(Cell::symbol).collect::<String>();
    let mut cells = (0..).zip(one.iter().zip(other));
    let (x, (was, is)) = cells.find(|(_, (one, other))| one != other)?;
    let (kept, drawn) = (words(one), words(other));
    Some(format!(
        "{x},{y}: kept {was:?}, drawn {is:?}: {kept} | {drawn}"
    ))
}

/// This part of a frame.
pub fn part_of(frame: &Buffer, area: Rect) -> Buffer {
    let area = area.intersection(frame.area);
    let width = usize::from(area.width);
    let mut content = Vec::with_capacity(width.saturating_mul(area.height.into()));
    for y in (area.top()..area.bottom()).filter(|_| width > 0) {
        let at = frame.index_of(area.x, y);
        let cells = frame.content.get(at..at.saturating_add(width));
        content.extend_from_slice(cells.unwrap_or_default());
    }
    Buffer { area, content }
}

/// Copies the cells of one buffer over those of another, where they have the same place.
pub fn copy_over(over: &mut Buffer, from: &Buffer) {
    let common = over.area.intersection(from.area);
    let width = usize::from(common.width);
    for y in (common.top()..common.bottom()).filter(|_| width > 0) {
        let (to, at) = (over.index_of(common.x, y), from.index_of(common.x, y));
        let to = over.content.get_mut(to..to.saturating_add(width));
        let cells = from.content.get(at..at.saturating_add(width));
        if let (Some(to), Some(cells)) = (to, cells) {
            to.clone_from_slice(cells);
        }
    }
}

/// An empty screen, in the memory of the last frame.
fn blank(mut last: Buffer, screen: Rect, theme: &Theme) -> Buffer {
    let mut cell = Cell::EMPTY;
    cell.set_style(theme.part(super::theme::ThemePart::Base));
    if last.area != screen {
        return Buffer::filled(screen, cell);
    }
    last.content.fill(cell);
    last
}

impl KeptFrame {
    /// Draws a place from its key and what all places share, unless it shows the same as in the last frame.
    pub(super) fn keyed(
        &mut self,
        area: Rect,
        key: PlaceKey,
        draw: impl FnOnce(&mut Canvas<'_>, &PlaceKey),
    ) {
        let known = self
            .before
            .iter()
            .position(|kept| kept.area == area && kept.key == key);
        let kept = if let Some(at) = known {
            self.before.swap_remove(at)
        } else {
            let clicks = self.draw(area, |canvas| draw(canvas, &key));
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
        let mut canvas = Canvas::new(&mut self.cells, &self.layout.theme, self.shared.place);
        canvas.blank(area);
        draw(&mut canvas);
        canvas.into_clicks()
    }

    /// What the next frame keeps, and what can be clicked.
    pub(super) fn end(self) -> (Kept, ClickMap) {
        let kept = Kept {
            cells: self.cells,
            layout: Some(self.layout),
            shared: Some(self.shared),
            places: self.places,
            drawn: self.drawn,
        };
        (kept, self.clicks)
    }
}
