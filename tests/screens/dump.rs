//! A screen as text that a person can review: the rows, then what is not plain, row by row.

use perpdeck::{
    app::{Desks, Model, Msg, keys::keymap::Chord, update},
    ui::{self, DrawState, Theme},
    view::text::format::Zone,
};
use ratatui::{
    buffer::{Buffer, Cell},
    layout::Rect,
    style::{Color, Modifier},
};
use std::fmt::Write;

/// Presses keys one after another; a line feed is Enter, an escape character is Esc.
pub(crate) fn press(model: &mut Model, keys: &str) {
    for key in keys.chars() {
        let chord: Chord = match key {
            '\n' => "enter".parse().unwrap(),
            '\u{1b}' => "esc".parse().unwrap(),
            '\t' => "tab".parse().unwrap(),
            other => other.into(),
        };
        let now = model.now;
        update(model, now, Msg::Key(chord));
    }
}

pub(crate) fn drawn<'a>(
    desks: impl Into<Desks<'a>>,
    width: u16,
    height: u16,
    theme: Theme,
) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    ui::render(&mut buffer, desks, &mut DrawState::new(theme, Zone::utc()));
    buffer
}

pub(crate) fn screen<'a>(desks: impl Into<Desks<'a>>, width: u16, height: u16) -> String {
    written(&drawn(desks, width, height, Theme::default()))
}

/// Rows and styles.
pub(crate) fn written(buffer: &Buffer) -> String {
    let mut out = ui::picture::text(buffer);
    out.push_str("---\n");
    for row in buffer.area.rows() {
        let runs = runs(buffer, row);
        if !runs.is_empty() {
            writeln!(out, "{:>2}: {}", row.y, runs.join(" ")).unwrap();
        }
    }
    out
}

/// `x+length:style` for every run of cells that are not blank and plain. Blanks between words of one style
/// belong to the run.
fn runs(buffer: &Buffer, row: Rect) -> Vec<String> {
    let mut runs: Vec<(u16, u16, String)> = vec![];
    for position in row.positions() {
        let style = style(&buffer[position]);
        match runs.last_mut() {
            _ if style.is_empty() => {}
            Some((x, length, last))
                if *last == style && is_blank(buffer, row, *x + *length, position.x) =>
            {
                *length = position.x + 1 - *x;
            }
            _ => runs.push((position.x, 1, style)),
        }
    }
    let shown = runs.into_iter();
    shown
        .map(|(x, length, style)| format!("{x}+{length}:{style}"))
        .collect()
}

/// Whether the cells from `start` to `end` show nothing.
fn is_blank(buffer: &Buffer, row: Rect, start: u16, end: u16) -> bool {
    let mut between = (start..end).map(|x| &buffer[(x, row.y)]);
    between.all(|cell| cell.symbol() == " " && style(cell).is_empty())
}

fn style(cell: &Cell) -> String {
    let mut words = vec![];
    if cell.symbol() != " " {
        words.extend(name(cell.fg));
    }
    words.extend(name(cell.bg).map(|paper| format!("on-{paper}")));
    for (modifier, word) in [
        (Modifier::BOLD, "b"),
        (Modifier::UNDERLINED, "u"),
        (Modifier::REVERSED, "r"),
    ] {
        if cell.modifier.contains(modifier) && cell.symbol() != " " {
            words.push(word.to_owned());
        }
    }
    words.join(",")
}

/// The palette's word for a colour, so that a new shade is not a new snapshot.
fn name(color: Color) -> Option<String> {
    let theme = include_str!("../../assets/themes/dark.toml");
    let hex = color.to_string().to_lowercase();
    let named = theme.lines().find(|line| line.contains(&hex));
    match named.and_then(|line| line.split(' ').next()) {
        Some("text" | "background") => None,
        Some(name) => Some(name.to_owned()),
        None => Some(hex),
    }
}
