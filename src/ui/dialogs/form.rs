//! The form panel: fields, preview, errors, and the exact JSON.

mod field;
mod laid;
mod lines;

use crate::{
    app::{ClickTarget, forms::form::Scroll},
    ui::{
        cells::{
            Canvas, ClickList, after, inset, last_line, length, line, panel, sum, widest,
            without_last,
        },
        dialogs::form::{
            field::AFTER_LABEL,
            lines::{BETWEEN, FormLine, MARKER, Widths},
        },
    },
    view::{Span, Tone, forms::form::FormView},
};
use laid::FormLayout;
use ratatui::layout::Rect;

const WIDEST: u16 = 78;
/// From this width on, hints fit beside their fields, and the desk beside the form.
const ROOMY: u16 = 140;
const WIDEST_ROOMY: u16 = 104;
/// At the lower right, so that positions stay visible; over the whole width in a narrow window.
pub(in crate::ui) fn draw(canvas: &mut Canvas<'_>, body: Rect, form: &FormView) {
    let is_narrow = body.width < ROOMY;
    let wide = body
        .width
        .min(if is_narrow { WIDEST } else { WIDEST_ROOMY });
    let widths = Widths {
        room: wide.saturating_sub(4),
        labels: widest(form.fields.iter().map(|field| field.label)),
        previews: widest(form.preview.iter().map(|(label, _)| *label)),
    };
    let FormLayout { lines, pinned } = FormLayout::out(form, widths, body.height.saturating_sub(2));
    let height = sum([length(lines.len()), length(pinned.len()), 2]).min(body.height);
    let area = Rect {
        x: body.right().saturating_sub(wide),
        y: body.bottom().saturating_sub(height),
        width: wide,
        height,
    };
    let inner = inset(panel(canvas, area, &form.title), 1);
    let room = usize::from(inner.height).saturating_sub(pinned.len());
    let list = ClickList {
        first: first_line(&lines, room, form.scroll),
        room,
        count: lines.len(),
    };
    canvas.list(area, ClickTarget::Over, list);
    hidden(canvas, area, list, &form.pages);
    let end = list.first.saturating_add(room).min(lines.len());
    let seen = lines.get(list.first..end).unwrap_or_default();
    for (number, content) in (0..inner.height).zip(seen.iter().chain(&pinned)) {
        // A heading without visible lines below it is dropped.
        let is_last = usize::from(number) + 1 == seen.len();
        if is_last && end < lines.len() && matches!(content, FormLine::Rule(_)) {
            continue;
        }
        draw_line(canvas, line(inner, number), content, widths);
    }
}

fn draw_line(canvas: &mut Canvas<'_>, row: Rect, content: &FormLine<'_>, widths: Widths) {
    match content {
        FormLine::Field(field, hint) => field::draw(canvas, row, field, *hint, widths.labels),
        FormLine::Below(text, tone) => {
            let room = after(row, sum([MARKER, widths.labels, AFTER_LABEL]));
            canvas.toned(room, text, *tone);
        }
        FormLine::Pair(pair) => draw_pair(canvas, row, pair, widths.previews),
        FormLine::One(label, text, tone) => {
            let room = after(row, MARKER);
            canvas.toned(room, label, Tone::Muted);
            let room = after(room, sum([widths.previews, AFTER_LABEL]));
            canvas.toned(room, text, *tone);
        }
        FormLine::Text(text, tone) => {
            canvas.toned(row, text, *tone);
        }
        FormLine::Row(spans) => {
            canvas.spans(row, spans);
        }
        FormLine::Rule(name) => rule(canvas, row, name),
    }
}

/// On the lower border: how much of the form is hidden, and the keys that scroll.
fn hidden(canvas: &mut Canvas<'_>, area: Rect, list: ClickList, [up, down]: &[String; 2]) {
    let above = list.first;
    let below = list
        .count
        .saturating_sub(list.first.saturating_add(list.room));
    let hidden = [("↑", above, up), ("↓", below, down)];
    let hidden = || hidden.iter().filter(|(_, lines, _)| *lines > 0);
    let parts: Vec<_> = hidden()
        .map(|(arrow, lines, _)| format!("{arrow} {lines}"))
        .collect();
    if parts.is_empty() {
        return;
    }
    let is_one = above.saturating_add(below) == 1;
    let lines = if is_one { "line" } else { "lines" };
    let words = format!(" {} {lines} more", parts.join(" · "));
    let keys = hidden().map(|(.., key)| Span::accent(format!(" {key}")));
    let spans = [Span::warn(words)].into_iter().chain(keys);
    let spans: Vec<_> = spans.chain([Span::plain(" ")]).collect();
    canvas.spans_right(without_last(last_line(area), 2), &spans);
}

/// In a form longer than the screen, the focused field is visible unless somebody scrolls; the last field also shows
/// what is below it.
fn first_line(lines: &[FormLine<'_>], room: usize, scroll: Scroll) -> usize {
    let latest = lines.len().saturating_sub(room);
    if let Scroll::From(first) = scroll {
        return first.min(latest);
    }
    let is_field = |line: &FormLine<'_>| matches!(line, FormLine::Field(..));
    let is_focused =
        |line: &FormLine<'_>| matches!(line, FormLine::Field(field, _) if field.focused);
    let focused = lines.iter().position(is_focused).unwrap_or(0);
    match lines.iter().rposition(is_field) {
        Some(last) if last == focused => focused.min(latest),
        Some(_) | None => focused.saturating_add(3).saturating_sub(room).min(latest),
    }
}

fn draw_pair(canvas: &mut Canvas<'_>, row: Rect, pair: &[&(&'static str, Span); 2], labels: u16) {
    let column = row.width.saturating_sub(BETWEEN) / 2;
    for (at, (label, value)) in (0_u16..).zip(pair) {
        let start = at.saturating_mul(sum([column, BETWEEN]));
        let room = after(row, sum([start, MARKER]));
        canvas.toned(room, label, Tone::Muted);
        let room = after(room, sum([labels, AFTER_LABEL]));
        canvas.toned(room, &value.text, value.tone);
    }
}

fn rule(canvas: &mut Canvas<'_>, row: Rect, name: &str) {
    canvas.rule(row);
    if !name.is_empty() {
        canvas.toned(after(row, 2), &format!(" {name} "), Tone::Muted);
    }
}
