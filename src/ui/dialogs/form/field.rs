//! One field of a form: its label, its text with a cursor or its choice, and its click targets.

use crate::{
    app::ClickTarget,
    ui::{
        cells::{Canvas, after, first, spans_width, sum, width},
        theme::ThemePart,
    },
    view::{
        Span, Tone,
        forms::form::{FieldView, TypedText, ValueView},
    },
};
use ratatui::layout::Rect;

/// The usual width of a text field; wider for a longer text.
const FIELD: u16 = 22;

pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    row: Rect,
    field: &FieldView,
    hint: Option<&str>,
    labels: u16,
) {
    let (marker, tone) = if field.focused {
        ("▸ ", Tone::Accent)
    } else {
        ("  ", Tone::Muted)
    };
    let rest = canvas.toned(row, marker, Tone::Accent);
    canvas.toned(rest, field.label, tone);
    let room = after(rest, sum([labels, AFTER_LABEL]));
    canvas.spot(row, ClickTarget::Field(field.field));
    let after_value = match &field.value {
        ValueView::Text(typed) => draw_text(canvas, room, field, typed),
        ValueView::Choice { options, chosen } => draw_choice(canvas, room, field, options, *chosen),
    };
    if let Some(hint) = hint {
        canvas.toned(after(after_value, AFTER_LABEL), hint, Tone::Muted);
    }
}

/// The width of a field's value.
pub(super) fn value_width(value: &ValueView, room: u16) -> u16 {
    let wide = match value {
        ValueView::Text(typed) => text_width(&typed.text),
        ValueView::Choice { options, chosen } => {
            spans_width(&choice(options, *chosen, room, Tone::Plain))
        }
    };
    wide.min(room)
}

/// As wide as the text: a number is shown in full if there is room.
fn text_width(text: &str) -> u16 {
    FIELD.max(width(text).saturating_add(3))
}

/// The text with its cursor; a text longer than its field shows the part around the cursor.
fn draw_text(canvas: &mut Canvas<'_>, room: Rect, field: &FieldView, typed: &TypedText) -> Rect {
    let area = first(room, text_width(&typed.text));
    if field.focused {
        canvas.fill(area, ThemePart::Field);
    } else {
        let edge = canvas.theme.part(ThemePart::Border);
        canvas.text(area, "▏", edge);
    }
    let inside = after(area, 1);
    let shown = usize::from(inside.width.saturating_sub(2)).max(1);
    let skipped = typed.cursor.saturating_sub(shown);
    let visible = typed.text.chars().skip(skipped);
    let visible: String = visible.take(shown.saturating_add(1)).collect();
    let tone = if field.focused {
        Tone::Strong
    } else {
        Tone::Plain
    };
    canvas.toned(inside, &visible, tone);
    if field.focused {
        let before = visible.chars().take(typed.cursor.saturating_sub(skipped));
        let before = width(&before.collect::<String>());
        let (from, wide) = if typed.selected {
            (inside, before)
        } else {
            (after(inside, before), 1)
        };
        let marked = first(from, wide);
        canvas.fill(marked, ThemePart::Cursor);
    }
    after(room, area.width)
}

fn draw_choice(
    canvas: &mut Canvas<'_>,
    room: Rect,
    field: &FieldView,
    options: &[String],
    chosen: usize,
) -> Rect {
    let mark = if field.focused {
        Tone::Accent
    } else {
        Tone::Plain
    };
    let spans = choice(options, chosen, room.width, mark);
    let all_are_shown = spans_width(&all(options, chosen, mark)) <= room.width;
    let mut rest = room;
    for (span, option) in spans.iter().zip(options) {
        let wide = width(&span.text).min(rest.width);
        let spot = if all_are_shown {
            ClickTarget::Choice(field.field, option.clone())
        } else {
            ClickTarget::NextChoice(field.field)
        };
        canvas.spot(
            Rect {
                width: wide,
                ..rest
            },
            spot,
        );
        rest = after(rest, wide);
    }
    canvas.spans(room, &spans)
}

/// All options with the chosen one marked.
fn all(options: &[String], chosen: usize, mark: Tone) -> Vec<Span> {
    let shown = options.iter().enumerate().map(|(at, option)| {
        if at == chosen {
            Span::new(format!("[{option}]"), mark)
        } else {
            Span::muted(format!(" {option} "))
        }
    });
    shown.collect()
}

/// All options if there is room, otherwise the chosen one with its position.
fn choice(options: &[String], chosen: usize, room: u16, mark: Tone) -> Vec<Span> {
    let all = all(options, chosen, mark);
    if spans_width(&all) <= room {
        return all;
    }
    let one = options.get(chosen).map_or("", String::as_str);
    let place = format!("  {} of {}", chosen.saturating_add(1), options.len());
    vec![Span::new(format!("‹ {one} ›"), mark), Span::muted(place)]
}

/// Between a label and its value, and between two columns.
pub(super) const AFTER_LABEL: u16 = 2;
