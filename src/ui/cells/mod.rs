//! What everything is drawn with: parts of the screen, characters and tones in them, words on lines, borders. Names no
//! other room.

mod area;
pub(super) mod braille;
mod canvas;
mod click_map;
mod flow;
mod frame;

pub(super) use area::{
    after, before, below, centered, columns, first, inset, last_line, length, line, part, rows,
    share, split, sum, without_last,
};
pub(super) use canvas::{Canvas, shortened, spans_width, width, wrapped};
pub use click_map::Turn;
pub(super) use click_map::{ClickList, ClickMap};
pub(super) use flow::flowed;
pub(super) use frame::{
    Border, LinesPanel, PanelLine, inside, lead, outline, padded, panel, scrollbar, widest,
};
