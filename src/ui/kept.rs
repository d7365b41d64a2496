//! What stays on the screen from frame to frame: places that show the same as before are not drawn again.
//!
//! Contract: the key of a place and what all places share hold everything that its cells are made from; so do the key of a
//! pane and its view. A key that lacks something is caught: a build with debug assertions draws each frame whole too, and
//! compares ([`super::render`]).

use super::{tables::pane_view::PaneView, theme::Theme};
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
    pub(super) first: usize,
    /// What is drawn from anything else, as it is drawn.
    pub(super) words: Vec<Vec<Span>>,
    pub(super) market: Option<MarketKey>,
}

#[derive(Debug, Clone)]
struct KeptPlace {
    area: Rect,
    key: PlaceKey,
    /// Of a pane.
    view: Option<PaneView>,
    clicks: ClickMap,
}

/// Draws the places of one frame over those of the last.
pub(super) struct KeptFrame {
    cells: Buffer,
    layout: LayoutKey,
    shared: Box<SharedKey>,
    /// Whether the last frame was drawn from the same data.
    has_same_data: bool,
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
        let same = |part: fn(&SharedKey, &SharedKey) -> bool| {
            self.shared
                .as_deref()
                .is_some_and(|last| part(last, &shared))
        };
        let is_known = is_laid_out && same(|last, now| last.place == now.place);
        KeptFrame {
            cells,
            layout,
            has_same_data: same(|last, now| last.data == now.data),
            before: if is_known { self.places } else { vec![] },
            shared,
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
        if !self.keeps(area, &key) {
            let clicks = self.draw(area, |canvas| draw(canvas, &key));
            self.push(KeptPlace {
                area,
                key,
                view: None,
                clicks,
            });
        }
    }

    /// Keeps a place whose key and data are those of the last frame; answers whether it did.
    pub(super) fn keeps(&mut self, area: Rect, key: &PlaceKey) -> bool {
        let is_same = |kept: &KeptPlace| kept.area == area && kept.key == *key;
        let kept = self.before.iter().position(is_same);
        let kept = kept.filter(|_| self.has_same_data);
        let Some(at) = kept else {
            return false;
        };
        let kept = self.before.swap_remove(at);
        self.push(kept);
        true
    }

    /// Draws a pane from its key and its view, unless both are those of the last frame.
    pub(super) fn viewed(
        &mut self,
        area: Rect,
        (key, view): (PlaceKey, PaneView),
        draw: impl FnOnce(&mut Canvas<'_>, &PlaceKey, &PaneView),
    ) {
        let is_same = |kept: &KeptPlace| {
            kept.area == area && kept.key == key && kept.view.as_ref() == Some(&view)
        };
        let kept = if let Some(at) = self.before.iter().position(is_same) {
            self.before.swap_remove(at)
        } else {
            let clicks = self.draw(area, |canvas| draw(canvas, &key, &view));
            KeptPlace {
                area,
                key,
                view: Some(view),
                clicks,
            }
        };
        self.push(kept);
    }

    fn push(&mut self, place: KeptPlace) {
        self.clicks.extend(&place.clicks);
        self.places.push(place);
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

#[cfg(test)]
mod tests {
    use crate::{
        app::{
            Msg, Pane, PlaceContent,
            account::{poll::Answer, streamed::StreamedPrice},
            testing, update,
        },
        model::{Page, Patch},
        ui::{DrawState, render_changes},
    };
    use ratatui::layout::Rect;

    const SCREEN: Rect = Rect::new(0, 0, 200, 60);

    #[test]
    fn a_step_of_the_market_draws_positions_and_no_closed_position() {
        let mut model = testing::desk();
        let now = model.account.now;
        update(&mut model, now, Msg::Resized(SCREEN.width, SCREEN.height));
        let closed = testing::position("pos-0", "BTC", "0.5", r#""closed_at":1790000000000"#);
        testing::arrive(&mut model, Answer::Closed(Ok(Page::of(vec![closed]))));
        let mut draw_state = DrawState::default();
        render_changes(SCREEN, &model, &mut draw_state);
        let price = StreamedPrice {
            market_id: "paper|BTC".into(),
            mark: Patch::Is(Some(testing::num("63000"))),
            ..StreamedPrice::default()
        };
        model.account.store.arrive_prices(vec![price], now);
        let parts = render_changes(SCREEN, &model, &mut draw_state);
        let is_drawn = |pane| {
            let content = Some(PlaceContent::Pane(pane));
            let mut places = draw_state.kept.places.iter();
            let place = places.find(|place| place.key.content == content);
            let area = place.map(|place| place.area);
            parts.iter().any(|part| Some(part.area) == area)
        };
        assert!(is_drawn(Pane::Positions));
        assert!(!is_drawn(Pane::Closed));
    }
}
