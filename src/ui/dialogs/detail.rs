//! The detail panel: every field on a line of its own.

use crate::{
    ui::cells::{Canvas, LinesPanel, PanelLine, lead, spans_width, sum, widest, width, wrapped},
    view::{DetailLineKind, DetailView, Span},
};
use ratatui::layout::Rect;

const WIDEST: u16 = 100;
const NARROWEST: u16 = 56;

/// From this line on; without it, the part with the chosen line.
pub(in crate::ui) fn draw(
    canvas: &mut Canvas<'_>,
    body: Rect,
    detail: &DetailView,
    offset: Option<usize>,
) {
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
    let panel = LinesPanel {
        title: &detail.title,
        width: wide,
        lines: laid_out(detail, labels, wide.saturating_sub(sum([labels, 6]))),
        offset,
    };
    panel.draw(canvas, body);
}

/// Long values continue below: nothing is cut.
fn laid_out(detail: &DetailView, labels: u16, room: u16) -> Vec<PanelLine> {
    let mut rows: Vec<PanelLine> = vec![];
    for line in &detail.lines {
        let label = line.label.as_str();
        let row = |label: &str, value: &[Span]| {
            let label = [lead(label, labels), Span::muted(format!("{label}  "))];
            PanelLine {
                spans: [&label, value].concat(),
                is_chosen: line.is_chosen,
            }
        };
        match line.kind {
            DetailLineKind::Section => {
                if !rows.is_empty() {
                    rows.push(vec![].into());
                }
                rows.push(vec![Span::strong(label)].into());
            }
            DetailLineKind::Cells => rows.push(row(label, &line.value)),
            DetailLineKind::Field => {
                let labels = std::iter::once(label).chain(std::iter::repeat(""));
                let values = labels.zip(folded(&line.value, room));
                rows.extend(values.map(|(label, value)| row(label, &value)));
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
