//! The keys that can follow the first of two, on lines of their own above the footer: they cover nothing.

use super::{
    OwnLines,
    hints::{APART, draw_hint, hint_spans},
};
use crate::{
    ui::{
        cells::{Canvas, after, length, line, spans_width, sum, width},
        theme::ThemePart,
    },
    view::{Following, Hint, Tone},
};
use ratatui::layout::Rect;

const MARGIN: u16 = 1;

impl OwnLines for Following {
    fn height(&self, width: u16) -> u16 {
        length(lines(self, width).len())
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        for (number, hints) in (0..).zip(lines(self, area.width)) {
            let row = line(area, number);
            canvas.fill(row, ThemePart::Field);
            if number == 0 {
                canvas.toned(after(row, MARGIN), &head(self), Tone::Strong);
            }
            let mut row = after(row, lead(self));
            for hint in hints {
                row = draw_hint(canvas, row, hint);
            }
        }
    }
}

fn head(following: &Following) -> String {
    format!("{} …", following.first)
}

/// Where the keys begin on each line.
fn lead(following: &Following) -> u16 {
    sum([MARGIN, width(&head(following)), APART])
}

/// As many per line as fit, at least one.
fn lines(following: &Following, wide: u16) -> Vec<Vec<&Hint>> {
    let room = wide.saturating_sub(sum([lead(following), MARGIN]));
    let mut lines: Vec<Vec<&Hint>> = vec![vec![]];
    let mut used = 0;
    for hint in &following.hints {
        let needed = spans_width(&hint_spans(hint));
        match lines.last_mut() {
            Some(line) if line.is_empty() || sum([used, APART, needed]) <= room => {
                let apart = if line.is_empty() { 0 } else { APART };
                used = sum([used, apart, needed]);
                line.push(hint);
            }
            Some(_) | None => {
                used = needed;
                lines.push(vec![hint]);
            }
        }
    }
    lines
}
