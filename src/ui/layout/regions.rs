//! Where the fixed lines of the screen are, and what is between them.

use super::Place;
use crate::ui::cells::sum;
use ratatui::layout::Rect;

/// The fixed lines of the screen, and the area of the panes.
#[derive(Debug, Clone, Copy)]
pub(in crate::ui) struct Regions {
    pub(in crate::ui) header: Rect,
    /// Of no height where no market is watched.
    pub(in crate::ui) watchlist: Rect,
    pub(in crate::ui) body: Rect,
    /// The body if only the footer is below it.
    pub(in crate::ui) whole: Rect,
    pub(in crate::ui) bottom: Rect,
}

impl Regions {
    /// By the heights of the lines of markets and of those at the bottom.
    pub(in crate::ui) fn new(screen: Rect, watchlist: u16, bottom: u16) -> Self {
        let top = sum([1, watchlist]);
        let height = bottom.min(screen.height.saturating_sub(top));
        let body_height = screen.height.saturating_sub(sum([top, height]));
        let below = |y: u16, height: u16| Rect {
            y: screen.y.saturating_add(y),
            height,
            ..screen
        };
        Self {
            header: below(0, screen.height.min(1)),
            watchlist: below(1, watchlist),
            body: below(top, body_height),
            whole: below(top, screen.height.saturating_sub(sum([top, 1]))),
            bottom: below(sum([body_height, top]), height),
        }
    }

    /// Every area of the frame.
    pub(in crate::ui) fn areas(&self, places: &[Place]) -> Vec<Rect> {
        let fixed = [self.header, self.watchlist, self.bottom];
        let places = places.iter().map(|place| place.area);
        fixed.into_iter().chain(places).collect()
    }
}
