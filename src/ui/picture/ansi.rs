//! A screen as ANSI escape sequences, for `cat` and for logs that show colors.

use super::cells;
use ratatui::{
    buffer::{Buffer, Cell},
    style::{Color, Modifier},
};
use std::fmt::Write as _;

const RESET: &str = "\u{1b}[0m";
const MODIFIERS: &[(Modifier, &str)] = &[
    (Modifier::BOLD, "1"),
    (Modifier::DIM, "2"),
    (Modifier::UNDERLINED, "4"),
    (Modifier::REVERSED, "7"),
];

/// The screen with select-graphic-rendition sequences; every line ends reset.
pub fn ansi(screen: &Buffer) -> String {
    let mut out = String::new();
    for row in screen.area.rows() {
        let mut current = String::new();
        for (_, cell) in cells(screen, row) {
            let wanted = sequence(cell);
            if wanted != current {
                out.push_str(RESET);
                out.push_str(&wanted);
                current = wanted;
            }
            out.push_str(cell.symbol());
        }
        out.push_str(RESET);
        out.push('\n');
    }
    out
}

fn sequence(cell: &Cell) -> String {
    let set = MODIFIERS
        .iter()
        .filter(|(modifier, _)| cell.modifier.contains(*modifier));
    let mut codes: Vec<String> = set.map(|(_, code)| (*code).to_owned()).collect();
    codes.extend(color(cell.fg, 38));
    codes.extend(color(cell.bg, 48));
    if codes.is_empty() {
        return String::new();
    }
    let mut out = String::from("\u{1b}[");
    // Writing to a String cannot fail.
    write!(out, "{}m", codes.join(";")).unwrap_or_default();
    out
}

/// The terminal's own colors, in order.
const OWN: [Color; 8] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
];

/// Themes use only these colors, at any depth.
fn color(color: Color, plane: u8) -> Option<String> {
    if let Color::Rgb(r, g, b) = color {
        return Some(format!("{plane};2;{r};{g};{b}"));
    }
    if let Color::Indexed(n) = color {
        return Some(format!("{plane};5;{n}"));
    }
    let own = OWN.iter().position(|own| *own == color)?;
    Some((usize::from(plane - 8) + own).to_string())
}
