//! The detail of one row over the desk: every field on a line of its own.

use super::{
    canvas::{Canvas, after, line, spans_width, width, wrapped},
    frame::{panel, scrollbar, widest},
    help::centered,
    theme::Part,
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
    for (number, (label, value, mark)) in (0..inner.height).zip(lines.iter().skip(first)) {
        let row = line(inner, number);
        if *mark == Mark::Chosen {
            canvas.fill(row, Part::Selection);
            canvas.toned(row, "▌", Tone::Accent);
        }
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

/// Whether Enter acts on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Chosen,
    None,
}

fn label(line: &DetailLine) -> &str {
    match line {
        DetailLine::Field { label, .. } | DetailLine::Cells { label, .. } => label,
        DetailLine::Link { label, .. } => label,
        DetailLine::Section(_) => "",
    }
}

fn value_width(line: &DetailLine) -> u16 {
    match line {
        DetailLine::Field { value, .. }
        | DetailLine::Cells { value, .. }
        | DetailLine::Link { value, .. } => spans_width(value),
        DetailLine::Section(_) => 0,
    }
}

type Laid<'a> = (&'a str, Option<Vec<Span>>, Mark);

/// Long values go on below: nothing of a detail is cut. A section has no value.
fn laid_out(detail: &DetailView, room: u16) -> Vec<Laid<'_>> {
    let mut lines: Vec<Laid<'_>> = vec![];
    for line in &detail.lines {
        match line {
            DetailLine::Section(name) => {
                if !lines.is_empty() {
                    lines.push(("", Some(vec![]), Mark::None));
                }
                lines.push((name, None, Mark::None));
            }
            DetailLine::Field { label, value } => {
                let values = folded(value, room).into_iter();
                let labels = std::iter::once(label.as_str()).chain(std::iter::repeat(""));
                lines.extend(labels.zip(values).map(|(l, v)| (l, Some(v), Mark::None)));
            }
            DetailLine::Cells { label, value } => {
                lines.push((label, Some(value.clone()), Mark::None));
            }
            DetailLine::Link {
                label,
                value,
                is_chosen,
            } => {
                let mark = if *is_chosen { Mark::Chosen } else { Mark::None };
                lines.push((label, Some(value.clone()), mark));
            }
        }
    }
    lines
}

/// A value in as many lines as it needs.
fn folded(value: &[Span], room: u16) -> Vec<Vec<Span>> {
    if spans_width(value) <= room {
        return vec![value.to_vec()];
    }
    let wrap = |span: &Span| {
        let tone = span.tone;
        let lines = wrapped(span.text.trim_start(), room).into_iter();
        lines.map(move |text| vec![Span::new(text, tone)])
    };
    value.iter().flat_map(wrap).collect()
}
