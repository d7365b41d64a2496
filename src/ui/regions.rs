//! Where the fixed lines of the screen are, and what is between them.

use super::{
    bottom::Bottom,
    canvas::line,
    layout::{Place, sum},
};
use ratatui::layout::Rect;

/// The fixed lines of the screen, and the area of the panes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Regions {
    pub(super) header: Rect,
    /// Of no height where no market is watched.
    pub(super) watchlist: Rect,
    pub(super) body: Rect,
    /// The body if only the footer is below it.
    pub(super) whole: Rect,
    pub(super) bottom: Rect,
}

impl Regions {
    pub(super) fn new(screen: Rect, watchlist: u16, bottom: &Bottom) -> Self {
        let top = sum([1, watchlist]);
        let height = bottom
            .height(screen.width)
            .min(screen.height.saturating_sub(top));
        let body_height = screen.height.saturating_sub(sum([top, height]));
        let below = |y: u16, height: u16| Rect {
            y: screen.y.saturating_add(y),
            height,
            ..screen
        };
        Self {
            header: line(screen, 0),
            watchlist: below(1, watchlist),
            body: below(top, body_height),
            whole: below(top, screen.height.saturating_sub(sum([top, 1]))),
            bottom: below(sum([body_height, top]), height),
        }
    }

    /// Every area of the frame.
    pub(super) fn areas(&self, places: &[Place]) -> Vec<Rect> {
        let fixed = [self.header, self.watchlist, self.bottom];
        let places = places.iter().map(|place| place.area);
        fixed.into_iter().chain(places).collect()
    }
}
