//! The layout of a form: scrolling lines, and below them fixed ones.

use crate::{
    ui::{
        cells::{flowed, spans_width, sum, width},
        dialogs::form::lines::{
            FormLine, Widths, field_lines, json_lines, preview_lines, trouble_lines,
        },
    },
    view::{
        Span,
        forms::form::{FormView, brief},
    },
};

pub(super) struct FormLayout<'a> {
    pub(super) lines: Vec<FormLine<'a>>,
    pub(super) pinned: Vec<FormLine<'a>>,
}

/// The least number of scrolling lines.
const LEAST: usize = 5;
/// Between two consequences on a line.
const SEPARATOR: &str = " · ";
const RESULT: &str = "preview";

impl<'a> FormLayout<'a> {
    /// All lines in reading order. If there are too many, preview and errors stay fixed in brief form, without unknown
    /// values.
    pub(super) fn out(form: &'a FormView, widths: Widths, height: u16) -> Self {
        let height = usize::from(height);
        let all: Vec<_> = form.preview.iter().collect();
        let parts = [
            field_lines(form, widths),
            trouble_lines(form, widths.room),
            preview_lines(RESULT, &all, widths),
            json_lines(form, widths.room),
        ];
        let count: usize = parts.iter().map(Vec::len).sum();
        if count <= height {
            let lines = parts.into_iter().flatten().collect();
            let pinned = vec![];
            return Self { lines, pinned };
        }
        let [mut lines, mut trouble, _, json] = parts;
        let unknown = Span::unknown().text;
        let known = all
            .into_iter()
            .filter(|(_, value)| !value.text.ends_with(&unknown));
        let (result, others): (Vec<_>, Vec<_>) =
            known.partition(|(label, _)| brief(label).is_some());
        let mut room = height.saturating_sub(LEAST);
        let mut result = result_lines(&result, widths.room);
        result.truncate(room);
        room = room.saturating_sub(result.len());
        let cut = trouble.split_off(room.min(trouble.len()));
        lines.extend(cut);
        lines.extend(json);
        lines.extend(preview_lines("more", &others, widths));
        trouble.extend(result);
        Self {
            lines,
            pinned: trouble,
        }
    }
}

/// Side by side, as many per line as fit.
fn result_lines<'a>(result: &[&(&'static str, Span)], room: u16) -> Vec<FormLine<'a>> {
    let mut rows: Vec<Vec<Span>> = vec![];
    for (label, value) in result {
        let name = brief(label).filter(|name| !name.is_empty());
        let name = name.map_or_else(String::new, |name| format!("{name} "));
        let wide = sum([SEPARATOR, &name, &value.text].map(width));
        let piece = [Span::muted(name), value.clone()];
        let fits = |row: &&mut Vec<Span>| sum([spans_width(row), wide]) <= room;
        match rows.last_mut().filter(fits) {
            Some(row) => {
                row.push(Span::muted(SEPARATOR));
                row.extend(piece);
            }
            None => rows.extend(flowed(&piece, room)),
        }
    }
    let rule = (!rows.is_empty()).then_some(FormLine::Rule(RESULT));
    let rows = rows.into_iter().map(FormLine::Row);
    rule.into_iter().chain(rows).collect()
}
