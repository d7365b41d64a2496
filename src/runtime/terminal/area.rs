//! The part of a terminal that the desk draws in.

use ratatui::layout::{Rect, Size};

/// More cells than this are of no screen, and of no use to a person.
const LARGEST: Size = Size::new(1_024, 512);

/// At most [`LARGEST`], from the upper left corner.
pub(crate) fn drawn(terminal: Size) -> Rect {
    let width = terminal.width.min(LARGEST.width);
    let height = terminal.height.min(LARGEST.height);
    Rect::new(0, 0, width, height)
}
