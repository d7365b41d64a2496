//! The part of the terminal that the desk draws on.

use ratatui::layout::{Rect, Size};

/// No real screen has more cells.
const LARGEST: Size = Size::new(1_024, 512);

/// At most [`LARGEST`], from the top left corner.
pub(crate) fn drawn(terminal: Size) -> Rect {
    let width = terminal.width.min(LARGEST.width);
    let height = terminal.height.min(LARGEST.height);
    Rect::new(0, 0, width, height)
}
