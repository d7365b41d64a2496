//! The tour's step, on lines of its own above the keys: it covers nothing.

use super::OwnLines;
use crate::{
    ui::{
        cells::{Canvas, after, length, line, spans_width, sum, width, wrapped},
        theme::ThemePart,
    },
    view::{Tone, TourView},
};
use ratatui::layout::Rect;

const MARGIN: u16 = 1;
/// Between the text and the keys.
const KEYS_GAP: u16 = 2;

impl OwnLines for TourView {
    fn height(&self, width: u16) -> u16 {
        let lines = lines(self, width);
        sum([
            length(lines.len()),
            u16::from(!has_room(self, &lines, width)),
        ])
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let lines = lines(self, area.width);
        for number in 0..self.height(area.width) {
            canvas.fill(line(area, number), ThemePart::Field);
        }
        let mut end = area;
        for (number, text) in (0..).zip(&lines) {
            let row = after(line(area, number), MARGIN);
            let (head, words) = match text.split_once(&self.head) {
                Some(("", words)) if number == 0 => (self.head.as_str(), words),
                Some(_) | None => ("", text.as_str()),
            };
            let rest = canvas.toned(row, head, Tone::Accent);
            end = canvas.toned(rest, words, Tone::Plain);
        }
        let keys = if has_room(self, &lines, area.width) {
            after(end, KEYS_GAP)
        } else {
            after(line(area, length(lines.len())), MARGIN)
        };
        canvas.spans(keys, &self.keys);
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
