//! The lines of a form, part by part.

use crate::{
    ui::{
        cells::{sum, width, wrapped},
        dialogs::form::field::{self, AFTER_LABEL},
    },
    view::{
        Span, Tone,
        forms::form::{FieldView, FormView},
    },
};

/// One drawn line of the form.
pub(super) enum FormLine<'a> {
    /// A field, and what it accepts if that fits beside it.
    Field(&'a FieldView, Option<&'a str>),
    /// What the field above accepts, or its error.
    Below(String, Tone),
    Pair([&'a (&'static str, Span); 2]),
    /// One consequence; a long one continues on the next line without a label.
    One(&'static str, String, Tone),
    Text(String, Tone),
    /// Several consequences side by side.
    Row(Vec<Span>),
    Rule(&'static str),
}

/// The widths in this form.
#[derive(Clone, Copy)]
pub(super) struct Widths {
    pub(super) room: u16,
    pub(super) labels: u16,
    pub(super) previews: u16,
}

pub(super) fn field_lines(form: &FormView, widths: Widths) -> Vec<FormLine<'_>> {
    let room = widths
        .room
        .saturating_sub(sum([MARKER, widths.labels, AFTER_LABEL]));
    let below = |text: &str, tone| {
        let texts = wrapped(text, room).into_iter();
        texts.map(move |text| FormLine::Below(text, tone))
    };
    let mut lines = vec![];
    for field in &form.fields {
        let hint = Some(field.hint.as_str()).filter(|hint| field.focused && !hint.is_empty());
        let taken = sum([field::value_width(&field.value, room), AFTER_LABEL]);
        let beside = hint.filter(|hint| sum([taken, width(hint)]) <= room);
        lines.push(FormLine::Field(field, beside));
        if let (Some(hint), None) = (hint, beside) {
            lines.extend(below(hint, Tone::Muted));
        }
        if let Some(fault) = &field.fault {
            lines.extend(below(&format!("↑ {fault}"), Tone::Alert));
        }
    }
    lines
}

/// Two consequences on a line if both fit.
pub(super) fn preview_lines<'a>(
    name: &'static str,
    preview: &[&'a (&'static str, Span)],
    widths: Widths,
) -> Vec<FormLine<'a>> {
    let before = sum([MARKER, widths.previews, AFTER_LABEL]);
    let column = widths.room.saturating_sub(BETWEEN) / 2;
    let fits = |pair: &(&str, Span)| sum([before, width(&pair.1.text)]) <= column;
    let mut lines = vec![];
    let mut rest = preview;
    while let Some((first, others)) = rest.split_first() {
        let beside = others.first().filter(|second| fits(first) && fits(second));
        match beside {
            Some(second) => lines.push(FormLine::Pair([first, second])),
            None => lines.extend(one(first, widths.room.saturating_sub(before))),
        }
        rest = others
            .get(usize::from(beside.is_some())..)
            .unwrap_or_default();
    }
    if !lines.is_empty() {
        lines.insert(0, FormLine::Rule(name));
    }
    lines
}

pub(super) fn trouble_lines(form: &FormView, room: u16) -> Vec<FormLine<'_>> {
    let lines = form.trouble.iter().flat_map(|span| {
        let texts = wrapped(&span.text, room).into_iter();
        texts.map(|text| FormLine::Text(text, span.tone))
    });
    let mut lines: Vec<_> = lines.collect();
    if !lines.is_empty() {
        lines.insert(0, FormLine::Rule(""));
    }
    lines
}

pub(super) fn json_lines(form: &FormView, room: u16) -> Vec<FormLine<'_>> {
    let Some(json) = &form.json else {
        return vec![];
    };
    let texts = wrapped(json, room).into_iter();
    let texts = texts.map(|text| FormLine::Text(text, Tone::Muted));
    std::iter::once(FormLine::Rule("exact JSON"))
        .chain(texts)
        .collect()
}

pub(super) const MARKER: u16 = 2;

pub(super) const BETWEEN: u16 = 3;

pub(super) fn one<'a>(
    (label, value): &(&'static str, Span),
    room: u16,
) -> impl Iterator<Item = FormLine<'a>> {
    let labels = std::iter::once(*label).chain(std::iter::repeat(""));
    let texts = wrapped(&value.text, room).into_iter();
    let tone = value.tone;
    labels
        .zip(texts)
        .map(move |(label, text)| FormLine::One(label, text, tone))
}
