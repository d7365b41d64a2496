//! A screen as text that a person can review: the rows, then what is not plain, row by row.

use perpdeck::{
    app::{Desks, Model, Msg, keys::keymap::Chord, update},
    model::Zone,
    ui::{self, DrawState, Theme},
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
        let now = model.account.now;
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

/// A screen in the default theme.
pub(crate) fn plain<'a>(desks: impl Into<Desks<'a>>, width: u16, height: u16) -> Buffer {
    drawn(desks, width, height, Theme::default())
}

pub(crate) fn screen<'a>(desks: impl Into<Desks<'a>>, width: u16, height: u16) -> String {
    written(&plain(desks, width, height))
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

/// The part of each row that is not as it is in `base`, from the first cell that differs to the last: `y x+length` and its
/// text, which stands under its column; then what is not plain in it. With a picture of `base` this is the whole screen.
pub(crate) fn changes(base: &Buffer, screen: &Buffer) -> String {
    let (mut text, mut styles) = (String::new(), String::new());
    for row in screen.area.rows() {
        let mut differing = row.positions().filter(|at| base[*at] != screen[*at]);
        let Some(first) = differing.next() else {
            continue;
        };
        let last = differing.last().unwrap_or(first);
        let part = Rect {
            x: first.x,
            width: last.x + 1 - first.x,
            ..row
        };
        let (y, x, width) = (part.y, part.x, part.width);
        let words = ui::picture::text(&cut(screen, part));
        let label = format!("{x}+{width}");
        let indent = usize::from(x);
        writeln!(text, "{y:>2} {label:<7}|{:indent$}{}", "", words.trim_end()).unwrap();
        let runs = runs(screen, part);
        if !runs.is_empty() {
            writeln!(styles, "{y:>2}: {}", runs.join(" ")).unwrap();
        }
    }
    format!("{text}---\n{styles}")
}

pub(crate) fn cut(buffer: &Buffer, area: Rect) -> Buffer {
    let mut part = Buffer::empty(Rect::new(0, 0, area.width, area.height));
    for at in area.positions() {
        part[(at.x - area.x, at.y - area.y)] = buffer[at].clone();
    }
    part
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

/// The palette's word for a color, so that a new shade is not a new snapshot.
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
