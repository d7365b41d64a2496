//! The command line, in place of the footer, with one line below it.

use super::theme::ThemePart;
use crate::{
    ui::cells::{Canvas, after, first, line, shortened, sum, width},
    view::{PromptView, Span, Tone, Under},
};
use ratatui::layout::Rect;

/// The line and the one below it.
pub(super) const HEIGHT: u16 = 2;

pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, prompt: &PromptView) {
    canvas.clear(area);
    let row = line(area, 0);
    canvas.fill(row, ThemePart::Field);
    let row = canvas.toned(after(row, 1), prompt.sign, Tone::Accent);
    let hidden = typed(canvas, row, prompt);
    let start = row.x.saturating_sub(area.x);
    let under = line(area, 1);
    match &prompt.under {
        Under::Fault { at, what } => {
            let before: String = prompt.text.chars().take(*at).collect();
            let column = sum([start, width(&before)]).saturating_sub(hidden);
            fault(canvas, under, column, what);
        }
        Under::Words { words, taken } => self::words(canvas, after(under, 1), words, *taken),
        Under::Note(spans) => {
            canvas.spans(after(under, 1), spans);
        }
    }
}

/// Draws the text with its cursor; returns how many columns are hidden on the left.
fn typed(canvas: &mut Canvas<'_>, row: Rect, prompt: &PromptView) -> u16 {
    let before: String = prompt.text.chars().take(prompt.cursor).collect();
    let hidden = sum([width(&before), 2]).saturating_sub(row.width);
    let mut skipped = 0;
    let shown = prompt.text.chars().skip_while(|c| {
        let is_hidden = skipped < hidden;
        skipped = sum([skipped, width(c.encode_utf8(&mut [0; 4]))]);
        is_hidden
    });
    let shown: String = shown.collect();
    canvas.toned(row, &shown, Tone::Plain);
    let cursor = after(row, width(&before).saturating_sub(hidden));
    canvas.fill(first(cursor, 1), ThemePart::Cursor);
    hidden
}

/// The error below its position: after the mark, or before it if there is more room.
fn fault(canvas: &mut Canvas<'_>, row: Rect, column: u16, what: &str) {
    let column = column.min(row.width.saturating_sub(1));
    let mark = after(row, column);
    let right = after(mark, 2);
    canvas.toned(mark, "▲", Tone::Alert);
    if width(what) <= right.width || right.width >= column {
        canvas.toned(right, &shortened(what, right.width), Tone::Alert);
        return;
    }
    let room = column.saturating_sub(2);
    let what = shortened(what, room);
    let start = after(row, column.saturating_sub(sum([1, width(&what)])));
    canvas.toned(start, &what, Tone::Alert);
}

/// Completions; those that do not fit appear as Tab reaches them.
fn words(canvas: &mut Canvas<'_>, row: Rect, words: &[String], taken: Option<usize>) {
    let last = taken.unwrap_or(0);
    let room = row.width.saturating_sub(2);
    let fits = |first: &usize| {
        let shown = words.get(*first..=last).unwrap_or_default();
        let wide = |used, word: &String| sum([used, width(word), 2]);
        shown.iter().fold(0, wide) <= room
    };
    let first = (0..=last).find(fits).unwrap_or(last);
    let mut spans = vec![];
    for (at, word) in words.iter().enumerate().skip(first) {
        let is_taken = taken == Some(at);
        let tone = if is_taken { Tone::Accent } else { Tone::Muted };
        spans.push(Span::new(word.clone(), tone));
        spans.push(Span::plain("  "));
    }
    canvas.spans(row, &spans);
}
