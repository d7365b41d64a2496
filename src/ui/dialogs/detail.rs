//! The detail panel: every field on a line of its own.

use crate::{
    ui::{
        cells::{
            Canvas, after, centered, length, line, panel, scrollbar, scrolled, spans_width, sum,
            widest, width, wrapped,
        },
        theme::ThemePart,
    },
    view::{DetailLineKind, DetailView, Span, Tone},
};
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

pub(in crate::ui) fn draw(canvas: &mut Canvas<'_>, body: Rect, detail: &DetailView, offset: usize) {
    drawn(canvas, body, detail, DetailSight::From(offset));
}

/// A panel in which the keys move from line to line.
pub(in crate::ui) fn draw_list(canvas: &mut Canvas<'_>, body: Rect, detail: &DetailView) {
    drawn(canvas, body, detail, DetailSight::Chosen);
}

fn drawn(canvas: &mut Canvas<'_>, body: Rect, detail: &DetailView, sight: DetailSight) {
    let fields = || detail.lines.iter().filter(|line| !line.is_section());
    let labels = widest(fields().map(|line| line.label.as_str()));
    let most = body.width.min(WIDEST);
    let values = fields()
        .map(|line| spans_width(&line.value))
        .max()
        .unwrap_or(0);
    let title = sum([spans_width(&detail.title), 6]);
    let wide = sum([labels, values, 6])
        .max(title)
        .clamp(NARROWEST.min(most), most);
    let room = wide.saturating_sub(sum([labels, 6]));
    let lines = laid_out(detail, room);
    let height = length(lines.len()).saturating_add(2);
    let area = centered(body, wide, height.min(body.height));
    let inner = panel(canvas, area, &detail.title);
    let room = usize::from(inner.height);
    let first = match sight {
        DetailSight::From(offset) => offset,
        DetailSight::Chosen => {
            let chosen = lines.iter().rposition(|line| line.is_chosen);
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
        draw_row(canvas, line(inner, number), laid, labels);
    }
}

/// One line of the panel.
struct DetailRow<'a> {
    label: &'a str,
    /// A section has none.
    value: Option<Vec<Span>>,
    is_chosen: bool,
}

fn draw_row(canvas: &mut Canvas<'_>, row: Rect, content: &DetailRow<'_>, labels: u16) {
    if content.is_chosen {
        canvas.fill(row, ThemePart::Selection);
        canvas.toned(row, "▌", Tone::Accent);
    }
    let Some(value) = &content.value else {
        canvas.toned(row, content.label, Tone::Strong);
        return;
    };
    let lead = labels.saturating_sub(width(content.label));
    canvas.toned(after(row, lead), content.label, Tone::Muted);
    canvas.spans(after(row, sum([labels, 2])), value);
}

/// Long values continue below: nothing is cut.
fn laid_out(detail: &DetailView, room: u16) -> Vec<DetailRow<'_>> {
    let mut rows: Vec<DetailRow<'_>> = vec![];
    let row = |label, value, is_chosen| DetailRow {
        label,
        value,
        is_chosen,
    };
    for line in &detail.lines {
        let label = line.label.as_str();
        match line.kind {
            DetailLineKind::Section => {
                if !rows.is_empty() {
                    rows.push(row("", Some(vec![]), false));
                }
                rows.push(row(label, None, false));
            }
            DetailLineKind::Cells => {
                rows.push(row(label, Some(line.value.clone()), line.is_chosen));
            }
            DetailLineKind::Field => {
                let labels = std::iter::once(label).chain(std::iter::repeat(""));
                let values = labels.zip(folded(&line.value, room));
                rows.extend(values.map(|(label, value)| row(label, Some(value), line.is_chosen)));
            }
        }
    }
    rows
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
