//! The detail panel: every field on a line of its own.

use super::{
    canvas::{Canvas, after, line, spans_width, width, wrapped},
    frame::{panel, scrollbar, scrolled, widest},
    help::centered,
    layout::sum,
    theme::ThemePart,
};
use crate::view::{DetailLine, DetailView, Span, Tone};
use ratatui::layout::Rect;

const WIDEST: u16 = 100;
const NARROWEST: u16 = 56;

/// Which part of a long detail is visible.
#[derive(Debug, Clone, Copy)]
enum DetailSight {
    /// From this line on.
    From(usize),
    /// The part with the chosen line.
    Chosen,
}

pub(super) fn draw(canvas: &mut Canvas<'_>, body: Rect, detail: &DetailView, offset: usize) {
    drawn(canvas, body, detail, DetailSight::From(offset));
}

/// A panel in which the keys move from line to line.
pub(super) fn draw_list(canvas: &mut Canvas<'_>, body: Rect, detail: &DetailView) {
    drawn(canvas, body, detail, DetailSight::Chosen);
}

fn drawn(canvas: &mut Canvas<'_>, body: Rect, detail: &DetailView, sight: DetailSight) {
    let labels = widest(detail.lines.iter().map(label));
    let most = body.width.min(WIDEST);
    let values = detail.lines.iter().map(value_width).max().unwrap_or(0);
    let title = sum([spans_width(&detail.title), 6]);
    let wide = sum([labels, values, 6])
        .max(title)
        .clamp(NARROWEST.min(most), most);
    let room = wide.saturating_sub(sum([labels, 6]));
    let lines = laid_out(detail, room);
    let height = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .saturating_add(2);
    let area = centered(body, wide, height.min(body.height));
    let inner = panel(canvas, area, &detail.title);
    let room = usize::from(inner.height);
    let first = match sight {
        DetailSight::From(offset) => offset,
        DetailSight::Chosen => {
            let chosen = lines.iter().rposition(|(.., mark)| *mark == Mark::Chosen);
            chosen.map_or(0, |at| at.saturating_add(1).saturating_sub(room))
        }
    };
    let first = first.min(lines.len().saturating_sub(room));
    match sight {
        DetailSight::From(_) => scrolled(canvas, inner, first, lines.len()),
        DetailSight::Chosen => scrollbar(canvas, inner, first, lines.len()),
    }
    let inner = after(inner, 1);
    for (number, laid) in (0..inner.height).zip(lines.iter().skip(first)) {
        draw_line(canvas, line(inner, number), laid, labels);
    }
}

fn draw_line(
    canvas: &mut Canvas<'_>,
    row: Rect,
    (label, value, mark): &DetailLayout<'_>,
    labels: u16,
) {
    if *mark == Mark::Chosen {
        canvas.fill(row, ThemePart::Selection);
        canvas.toned(row, "▌", Tone::Accent);
    }
    match value {
        None => {
            canvas.toned(row, label, Tone::Strong);
        }
        Some(value) => {
            let lead = labels.saturating_sub(width(label));
            canvas.toned(after(row, lead), label, Tone::Muted);
            canvas.spans(after(row, labels.saturating_add(2)), value);
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
        DetailLine::Field { label, .. }
        | DetailLine::Cells { label, .. }
        | DetailLine::Link { label, .. } => label,
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

type DetailLayout<'a> = (&'a str, Option<Vec<Span>>, Mark);

/// Long values continue below: nothing is cut. A section has no value.
fn laid_out(detail: &DetailView, room: u16) -> Vec<DetailLayout<'_>> {
    let mut lines: Vec<DetailLayout<'_>> = vec![];
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
            DetailLine::Cells {
                label,
                value,
                is_chosen,
            } => {
                let mark = if *is_chosen { Mark::Chosen } else { Mark::None };
                lines.push((label, Some(value.clone()), mark));
            }
            DetailLine::Link {
                label,
                value,
                is_chosen,
            } => {
                let mark = if *is_chosen { Mark::Chosen } else { Mark::None };
                let values = folded(value, room).into_iter();
                let labels = std::iter::once(label.as_str()).chain(std::iter::repeat(""));
                lines.extend(labels.zip(values).map(|(l, v)| (l, Some(v), mark)));
            }
        }
    }
    lines
}

/// A value in as many lines as needed; spans share a line if they fit completely.
fn folded(value: &[Span], room: u16) -> Vec<Vec<Span>> {
    let mut lines: Vec<Vec<Span>> = vec![vec![]];
    for span in value {
        match lines.last_mut() {
            Some(line) if sum([spans_width(line), width(&span.text)]) <= room => {
                line.push(span.clone());
            }
            Some(_) | None => {
                let pieces = wrapped(span.text.trim_start(), room).into_iter();
                lines.extend(pieces.map(|text| vec![Span::new(text, span.tone)]));
            }
        }
    }
    let first_is_empty = lines.first().is_some_and(Vec::is_empty);
    if first_is_empty && lines.len() > 1 {
        lines.remove(0);
    }
    lines
}
