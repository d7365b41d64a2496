//! The keys that can follow the first of two, on lines of their own above the footer: they cover nothing.

use crate::{
    app::tables::click_target::ClickTarget,
    ui::{
        bottom::hints::{APART, hint_spans},
        canvas::{Canvas, after, before, line, spans_width, width},
        layout::sum,
        theme::ThemePart,
    },
    view::{Following, Hint, Tone},
};
use ratatui::layout::Rect;

const MARGIN: u16 = 1;

/// How many lines it needs at this width.
pub(in crate::ui) fn height(following: &Following, wide: u16) -> u16 {
    u16::try_from(lines(following, wide).len()).unwrap_or(u16::MAX)
}

pub(in crate::ui) fn draw(canvas: &mut Canvas<'_>, area: Rect, following: &Following) {
    for (number, hints) in (0..).zip(lines(following, area.width)) {
        let row = line(area, number);
        canvas.fill(row, ThemePart::Field);
        if number == 0 {
            canvas.toned(after(row, MARGIN), &head(following), Tone::Strong);
        }
        let mut row = after(row, lead(following));
        for hint in hints {
            let rest = canvas.spans(row, &hint_spans(hint));
            canvas.spot(
                before(row, rest),
                ClickTarget::Key(canvas.place, hint.action),
            );
            row = after(rest, APART);
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
