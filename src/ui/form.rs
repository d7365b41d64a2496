//! A form over the desk: fields, what would come of them, what is wrong, and the exact JSON.

use super::{
    canvas::{Canvas, after, line, shortened, spans_width, width, wrapped},
    frame::{panel, widest},
    theme::Part,
};
use crate::view::{
    Span, Tone,
    form::{FieldView, FormView, ValueView},
};
use ratatui::layout::Rect;

const WIDEST: u16 = 78;
/// A text field is as wide as this where there is room.
const FIELD: u16 = 22;
const MARKER: u16 = 2;

/// One drawn line of the form.
enum Line<'a> {
    Field(&'a FieldView),
    /// What is wrong with the field above.
    Fault(&'a str),
    Pair([Option<&'a (&'static str, Span)>; 2]),
    Text(String, Tone),
    Rule(&'static str),
}

/// At the lower right, so that positions above and at the left stay in sight; the whole width where it is scarce.
pub(super) fn draw(canvas: &mut Canvas<'_>, body: Rect, form: &FormView) {
    let wide = body.width.min(WIDEST);
    let lines = lines(form, wide.saturating_sub(4), body.height.saturating_sub(2));
    let height = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .saturating_add(2);
    let height = height.min(body.height);
    let area = Rect {
        x: body.right() - wide,
        y: body.bottom() - height,
        width: wide,
        height,
    };
    let inner = panel(canvas, area, &form.title);
    let inner = after(inner, 1);
    let inner = Rect {
        width: inner.width.saturating_sub(1),
        ..inner
    };
    let first = first_line(&lines, inner.height);
    let labels = widest(form.fields.iter().map(|field| field.label));
    let previews = widest(form.preview.iter().map(|(label, _)| *label));
    for (number, content) in (0..inner.height).zip(lines.iter().skip(first)) {
        let row = line(inner, number);
        match content {
            Line::Field(field) => draw_field(canvas, row, field, labels),
            Line::Fault(text) => {
                let room = after(row, MARKER + labels + 2);
                canvas.toned(
                    room,
                    &shortened(&format!("↑ {text}"), room.width),
                    Tone::Alert,
                );
            }
            Line::Pair(pair) => draw_pair(canvas, row, pair, previews),
            Line::Text(text, tone) => {
                canvas.toned(row, text, *tone);
            }
            Line::Rule(name) => rule(canvas, row, name),
        }
    }
}

/// Everything in the order of reading; where that is too long, what was asked for and what is known only.
fn lines(form: &FormView, room: u16, height: u16) -> Vec<Line<'_>> {
    let all: Vec<_> = form.preview.iter().collect();
    let preview = preview_lines(&all, room);
    let parts = [
        field_lines(form),
        trouble_lines(form, room),
        preview,
        json_lines(form, room),
    ];
    let lines: usize = parts.iter().map(Vec::len).sum();
    if lines <= usize::from(height) {
        return parts.into_iter().flatten().collect();
    }
    let [fields, trouble, _, json] = parts;
    let known: Vec<_> = all
        .into_iter()
        .filter(|(_, value)| *value != Span::unknown())
        .collect();
    let preview = preview_lines(&known, room);
    [fields, trouble, json, preview]
        .into_iter()
        .flatten()
        .collect()
}

fn field_lines(form: &FormView) -> Vec<Line<'_>> {
    let lines = form.fields.iter().flat_map(|field| {
        let fault = field.fault.as_deref().map(Line::Fault);
        std::iter::once(Line::Field(field)).chain(fault)
    });
    lines.collect()
}

/// Two consequences on a line where both fit whole.
fn preview_lines<'a>(preview: &[&'a (&'static str, Span)], room: u16) -> Vec<Line<'a>> {
    let labels = widest(preview.iter().map(|(label, _)| *label));
    let fits = |pair: &(&str, Span)| MARKER + labels + 2 + width(&pair.1.text) < room / 2;
    let mut lines = vec![];
    let mut rest = preview;
    while let Some((first, others)) = rest.split_first() {
        let beside = others.first().filter(|second| fits(first) && fits(second));
        lines.push(Line::Pair([Some(*first), beside.copied()]));
        rest = others
            .get(usize::from(beside.is_some())..)
            .unwrap_or_default();
    }
    if !lines.is_empty() {
        lines.insert(0, Line::Rule("what follows"));
    }
    lines
}

fn trouble_lines(form: &FormView, room: u16) -> Vec<Line<'_>> {
    let lines = form.trouble.iter().flat_map(|span| {
        let texts = wrapped(&span.text, room).into_iter();
        texts.map(|text| Line::Text(text, span.tone))
    });
    let mut lines: Vec<_> = lines.collect();
    if !lines.is_empty() {
        lines.insert(0, Line::Rule(""));
    }
    lines
}

fn json_lines(form: &FormView, room: u16) -> Vec<Line<'_>> {
    let Some(json) = &form.json else {
        return vec![];
    };
    let texts = wrapped(json, room).into_iter();
    let texts = texts.map(|text| Line::Text(text, Tone::Muted));
    std::iter::once(Line::Rule("exact JSON"))
        .chain(texts)
        .collect()
}

/// Where the form is longer than the screen, the focused field is what must be seen.
fn first_line(lines: &[Line<'_>], height: u16) -> usize {
    let focused = lines
        .iter()
        .position(|line| matches!(line, Line::Field(f) if f.focused));
    let room = usize::from(height);
    let focused = focused.unwrap_or(0);
    let latest = lines.len().saturating_sub(room);
    (focused + 2).saturating_sub(room).min(latest)
}

fn draw_field(canvas: &mut Canvas<'_>, row: Rect, field: &FieldView, labels: u16) {
    let (marker, tone) = if field.focused {
        ("▸ ", Tone::Accent)
    } else {
        ("  ", Tone::Muted)
    };
    let rest = canvas.toned(row, marker, Tone::Accent);
    canvas.toned(rest, field.label, tone);
    let room = after(rest, labels + 2);
    let after_value = match &field.value {
        ValueView::Text { text, cursor } => {
            draw_text(canvas, room, (text, *cursor), field.focused.then_some(()))
        }
        ValueView::Choice { options, chosen } => {
            draw_choice(canvas, room, options, *chosen, field.focused.then_some(()))
        }
    };
    if field.focused && !field.hint.is_empty() {
        let room = after(after_value, 2);
        canvas.toned(room, &shortened(&field.hint, room.width), Tone::Muted);
    }
}

/// The typed text with its cursor; a text longer than its field shows the part around the cursor.
fn draw_text(
    canvas: &mut Canvas<'_>,
    room: Rect,
    (text, cursor): (&str, usize),
    focus: Option<()>,
) -> Rect {
    let field = Rect {
        width: FIELD.min(room.width),
        ..room
    };
    if focus.is_some() {
        canvas.fill(field, Part::Field);
    } else {
        let edge = canvas.theme.part(Part::Border);
        canvas.text(field, "▏", edge);
    }
    let inside = after(field, 1);
    let shown = usize::from(inside.width.saturating_sub(2)).max(1);
    let skipped = cursor.saturating_sub(shown);
    let visible: String = text.chars().skip(skipped).take(shown + 1).collect();
    let tone = if focus.is_some() {
        Tone::Strong
    } else {
        Tone::Plain
    };
    canvas.toned(inside, &visible, tone);
    if focus.is_some() {
        let before: String = visible.chars().take(cursor - skipped).collect();
        let at = after(inside, width(&before));
        canvas.fill(
            Rect {
                width: 1.min(at.width),
                ..at
            },
            Part::Cursor,
        );
    }
    after(room, field.width)
}

/// All options with the chosen one marked, or that one alone with its place among them.
fn draw_choice(
    canvas: &mut Canvas<'_>,
    room: Rect,
    options: &[String],
    chosen: usize,
    focus: Option<()>,
) -> Rect {
    let mark = if focus.is_some() {
        Tone::Accent
    } else {
        Tone::Plain
    };
    let all = options.iter().enumerate().flat_map(|(at, option)| {
        let span = if at == chosen {
            Span::new(format!("[{option}]"), mark)
        } else {
            Span::muted(format!(" {option} "))
        };
        [span]
    });
    let all: Vec<Span> = all.collect();
    if spans_width(&all) <= room.width {
        return canvas.spans(room, &all);
    }
    let one = options.get(chosen).map_or("", String::as_str);
    let place = format!("  {} of {}", chosen + 1, options.len());
    canvas.spans(
        room,
        &[Span::new(format!("‹ {one} ›"), mark), Span::muted(place)],
    )
}

fn draw_pair(
    canvas: &mut Canvas<'_>,
    row: Rect,
    pair: &[Option<&(&'static str, Span)>; 2],
    labels: u16,
) {
    let half = if pair.iter().all(Option::is_some) {
        row.width / 2
    } else {
        row.width
    };
    for (at, (label, value)) in (0_u16..).zip(pair.iter().flatten()) {
        let room = after(row, at * half + MARKER);
        canvas.toned(room, label, Tone::Muted);
        canvas.spans(after(room, labels + 2), std::slice::from_ref(value));
    }
}

fn rule(canvas: &mut Canvas<'_>, row: Rect, name: &str) {
    let style = canvas.theme.part(Part::Border);
    canvas.text(row, &"─".repeat(usize::from(row.width)), style);
    if !name.is_empty() {
        canvas.toned(after(row, 2), &format!(" {name} "), Tone::Muted);
    }
}
