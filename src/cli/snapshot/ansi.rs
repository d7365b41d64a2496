//! A frame for a terminal: characters and SGR sequences (ECMA-48), a line per row.

use super::cells::rows;
use ratatui::{
    buffer::Buffer,
    style::{Color, Modifier, Style},
};

pub(super) fn ansi(frame: &Buffer) -> String {
    let mut out = String::new();
    for row in rows(frame) {
        for run in row {
            let codes = codes(run.style);
            if codes.is_empty() {
                out += &run.text;
            } else {
                out += &format!("\x1b[{}m{}\x1b[0m", codes.join(";"), run.text);
            }
        }
        out.push('\n');
    }
    out
}

const MODIFIERS: [(Modifier, &str); 7] = [
    (Modifier::BOLD, "1"),
    (Modifier::DIM, "2"),
    (Modifier::ITALIC, "3"),
    (Modifier::UNDERLINED, "4"),
    (Modifier::SLOW_BLINK, "5"),
    (Modifier::REVERSED, "7"),
    (Modifier::CROSSED_OUT, "9"),
];

fn codes(style: Style) -> Vec<String> {
    let modifiers = MODIFIERS
        .iter()
        .filter(|(modifier, _)| style.add_modifier.contains(*modifier))
        .map(|(_, code)| (*code).to_owned());
    let colors = [(style.fg, 0), (style.bg, 10)]
        .into_iter()
        .filter_map(|(color, shift)| code(color?, shift));
    modifiers.chain(colors).collect()
}

/// The code of a foreground; a background's is ten higher.
fn code(color: Color, shift: u8) -> Option<String> {
    let bright = |n: u8| Some((n + shift).to_string());
    match color {
        Color::Reset => None,
        Color::Rgb(r, g, b) => Some(format!("{};2;{r};{g};{b}", 38 + shift)),
        Color::Indexed(index) => Some(format!("{};5;{index}", 38 + shift)),
        Color::Black => bright(30),
        Color::Red => bright(31),
        Color::Green => bright(32),
        Color::Yellow => bright(33),
        Color::Blue => bright(34),
        Color::Magenta => bright(35),
        Color::Cyan => bright(36),
        Color::Gray => bright(37),
        Color::DarkGray => bright(90),
        Color::LightRed => bright(91),
        Color::LightGreen => bright(92),
        Color::LightYellow => bright(93),
        Color::LightBlue => bright(94),
        Color::LightMagenta => bright(95),
        Color::LightCyan => bright(96),
        Color::White => bright(97),
    }
}
