//! The tour's step, on lines of its own above the keys: it covers nothing.

use super::{
    canvas::{Canvas, after, line, spans_width, width, wrapped},
    layout::sum,
    theme::ThemePart,
};
use crate::view::{Tone, TourView};
use ratatui::layout::Rect;

const MARGIN: u16 = 1;
/// Between the text and the keys.
const KEYS_GAP: u16 = 2;

/// How many lines it needs at this width.
pub(super) fn height(tour: &TourView, wide: u16) -> u16 {
    let lines = lines(tour, wide);
    let count = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    count.saturating_add(u16::from(!has_room(tour, &lines, wide)))
}

pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, tour: &TourView) {
    let lines = lines(tour, area.width);
    let own_line = !has_room(tour, &lines, area.width);
    let last = lines.len().saturating_sub(1);
    for number in 0..height(tour, area.width) {
        canvas.fill(line(area, number), ThemePart::Field);
    }
    for (number, text) in (0..).zip(&lines) {
        let row = after(line(area, number), MARGIN);
        let (head, words) = match text.split_once(&tour.head) {
            Some(("", words)) if number == 0 => (tour.head.as_str(), words),
            Some(_) | None => ("", text.as_str()),
        };
        let rest = canvas.toned(row, head, Tone::Accent);
        let rest = canvas.toned(rest, words, Tone::Plain);
        if usize::from(number) == last && !own_line {
            canvas.spans(after(rest, KEYS_GAP), &tour.keys);
        }
    }
    if own_line {
        let row = line(area, u16::try_from(lines.len()).unwrap_or(u16::MAX));
        canvas.spans(after(row, MARGIN), &tour.keys);
    }
}

fn lines(tour: &TourView, wide: u16) -> Vec<String> {
    let text = format!("{}  {}", tour.head, tour.words);
    wrapped(&text, wide.saturating_sub(2 * MARGIN))
}

/// Whether the keys fit after the last words.
fn has_room(tour: &TourView, lines: &[String], wide: u16) -> bool {
    let last = lines.last().map_or(0, |text| width(text));
    sum([last, KEYS_GAP, spans_width(&tour.keys), 2 * MARGIN]) <= wide
}
