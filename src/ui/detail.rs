//! The detail of one row over the desk: every field on a line of its own.

use super::{
    canvas::{Canvas, after, line, spans_width, width, wrapped},
    frame::{panel, scrollbar, widest},
    help::centered,
};
use crate::view::{DetailLine, DetailView, Span, Tone};
use ratatui::layout::Rect;

const WIDEST: u16 = 100;
const NARROWEST: u16 = 56;

pub(super) fn draw(canvas: &mut Canvas<'_>, body: Rect, detail: &DetailView, offset: usize) {
    let labels = widest(detail.lines.iter().map(label));
    let most = body.width.saturating_sub(2).min(WIDEST);
    let values = detail.lines.iter().map(value_width).max().unwrap_or(0);
    let title = spans_width(&detail.title) + 6;
    let wide = (labels + values + 6)
        .max(title)
        .clamp(NARROWEST.min(most), most);
    let room = wide.saturating_sub(labels + 6);
    let lines = laid_out(detail, room);
    let height = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .saturating_add(2);
    let area = centered(body, wide, height.min(body.height));
    let inner = panel(canvas, area, &detail.title);
    let first = offset.min(lines.len().saturating_sub(usize::from(inner.height)));
    scrollbar(canvas, inner, first, lines.len());
    let inner = after(inner, 1);
    for (number, (label, value)) in (0..inner.height).zip(lines.iter().skip(first)) {
        let row = line(inner, number);
        match value {
            None => {
                canvas.toned(row, label, Tone::Strong);
            }
            Some(value) => {
                let lead = labels.saturating_sub(width(label));
                canvas.toned(after(row, lead), label, Tone::Muted);
                canvas.spans(after(row, labels + 2), value);
            }
        }
    }
}

fn label(line: &DetailLine) -> &'static str {
    match line {
        DetailLine::Field { label, .. } => label,
        DetailLine::Section(_) => "",
    }
}

fn value_width(line: &DetailLine) -> u16 {
    match line {
        DetailLine::Field { value, .. } => spans_width(value),
        DetailLine::Section(_) => 0,
    }
}

type Laid<'a> = (&'a str, Option<Vec<Span>>);

/// Long values go on below: nothing of a detail is cut. A section has no value.
fn laid_out(detail: &DetailView, room: u16) -> Vec<Laid<'static>> {
    let mut lines: Vec<Laid<'static>> = vec![];
    for line in &detail.lines {
        match line {
            DetailLine::Section(name) => {
                lines.push(("", Some(vec![])));
                lines.push((name, None));
            }
            DetailLine::Field { label, value } if spans_width(value) <= room => {
                lines.push((label, Some(value.clone())));
            }
            DetailLine::Field { label, value } => {
                let mut label = *label;
                for span in value {
                    for text in wrapped(span.text.trim_start(), room) {
                        lines.push((label, Some(vec![Span::new(text, span.tone)])));
                        label = "";
                    }
                }
            }
        }
    }
    lines
}
