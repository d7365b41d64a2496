//! The bytes that change cells of a terminal: few, since a line may be slow.
//!
//! Contract: only sequences that every terminal of the last decades knows. The cursor is moved by where it is only after
//! characters of which no terminal doubts the width; after any other its place is said in full.

use ratatui::{
    buffer::{Buffer, Cell},
    style::{Color, Modifier},
};
use std::io::Write as _;
use unicode_width::UnicodeWidthStr as _;

/// This many cells that have not changed are written again rather than jumped over.
const SHORT_GAP: u16 = 3;

/// How a character is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CellStyle {
    fg: Color,
    bg: Color,
    underline: Color,
    modifier: Modifier,
}

const PLAIN: CellStyle = CellStyle {
    fg: Color::Reset,
    bg: Color::Reset,
    underline: Color::Reset,
    modifier: Modifier::empty(),
};

/// The attributes that no color is.
const ATTRIBUTES: [(Modifier, &str); 8] = [
    (Modifier::BOLD, "1"),
    (Modifier::DIM, "2"),
    (Modifier::ITALIC, "3"),
    (Modifier::UNDERLINED, "4"),
    (Modifier::SLOW_BLINK, "5"),
    (Modifier::RAPID_BLINK, "6"),
    (Modifier::REVERSED, "7"),
    (Modifier::CROSSED_OUT, "9"),
];

impl From<&Cell> for CellStyle {
    fn from(cell: &Cell) -> Self {
        Self {
            fg: cell.fg,
            bg: cell.bg,
            underline: cell.underline_color,
            modifier: cell.modifier,
        }
    }
}

/// What the terminal is known to do with the next character. It begins and ends with a plain style.
pub(super) struct Pen<'a> {
    bytes: &'a mut Vec<u8>,
    style: CellStyle,
    /// Where it goes; `None` where terminals differ.
    at: Option<(u16, u16)>,
}

impl Drop for Pen<'_> {
    fn drop(&mut self) {
        self.dress(PLAIN);
    }
}

impl<'a> Pen<'a> {
    pub(super) fn new(bytes: &'a mut Vec<u8>) -> Self {
        Self {
            bytes,
            style: PLAIN,
            at: None,
        }
    }

    /// Appends what turns the cells of `before` into those of `frame`, which has the same place.
    pub(super) fn draw(&mut self, before: &Buffer, frame: &Buffer) {
        for (x, y, cell) in before.diff_iter(frame) {
            self.go((x, y), frame);
            self.write(cell, (x, y), frame.area.right());
        }
    }

    fn go(&mut self, to: (u16, u16), frame: &Buffer) {
        if self.at == Some(to) {
            return;
        }
        let ahead = self.at.filter(|at| at.1 == to.1);
        let ahead = ahead.and_then(|at| Some((at, to.0.checked_sub(at.0)?)));
        match ahead {
            Some((at, gap)) if gap <= SHORT_GAP && self.repeat(at, gap, frame) => {}
            Some((_, gap)) => self.say(format_args!("\x1b[{gap}C")),
            None => self.say(format_args!(
                "\x1b[{};{}H",
                to.1.saturating_add(1),
                to.0.saturating_add(1)
            )),
        }
        self.at = Some(to);
    }

    /// Writes unchanged cells again if they are plain letters in the style at hand.
    fn repeat(&mut self, (x, y): (u16, u16), gap: u16, frame: &Buffer) -> bool {
        let cells = (x..x.saturating_add(gap)).map(|x| frame.cell((x, y)));
        let cells: Option<Vec<&Cell>> = cells.collect();
        let is_alike =
            |cell: &&Cell| cell.symbol().is_ascii() && CellStyle::from(*cell) == self.style;
        let Some(cells) = cells.filter(|cells| cells.iter().all(is_alike)) else {
            return false;
        };
        for cell in cells {
            self.bytes.extend_from_slice(cell.symbol().as_bytes());
        }
        true
    }

    fn write(&mut self, cell: &Cell, (x, y): (u16, u16), right: u16) {
        self.dress(cell.into());
        self.bytes.extend_from_slice(cell.symbol().as_bytes());
        // At the right edge terminals differ too.
        let next = x.saturating_add(1);
        self.at = (is_certain(cell.symbol()) && next < right).then_some((next, y));
    }

    fn dress(&mut self, style: CellStyle) {
        if self.style == style {
            return;
        }
        if style == PLAIN {
            self.bytes.extend_from_slice(b"\x1b[m");
            self.style = style;
            return;
        }
        self.bytes.extend_from_slice(b"\x1b[");
        // What is taken away is taken away with everything.
        if !style.modifier.contains(self.style.modifier) {
            self.bytes.extend_from_slice(b"0;");
            self.style = PLAIN;
        }
        let added = style.modifier.difference(self.style.modifier);
        for (modifier, code) in ATTRIBUTES {
            if added.contains(modifier) {
                self.say(format_args!("{code};"));
            }
        }
        self.color(self.style.fg, style.fg, 38);
        self.color(self.style.bg, style.bg, 48);
        self.color(self.style.underline, style.underline, 58);
        if self.bytes.last() == Some(&b';') {
            self.bytes.pop();
        }
        self.bytes.push(b'm');
        self.style = style;
    }

    /// The number after `kind` takes the color away.
    fn color(&mut self, before: Color, color: Color, kind: u8) {
        if before == color {
            return;
        }
        match (color, indexed(color)) {
            (Color::Rgb(r, g, b), _) => self.say(format_args!("{kind};2;{r};{g};{b};")),
            (_, Some(index)) => self.say(format_args!("{kind};5;{index};")),
            (_, None) => self.say(format_args!("{};", kind.saturating_add(1))),
        }
    }

    fn say(&mut self, words: std::fmt::Arguments<'_>) {
        // Writing to a vector cannot fail.
        let _written = self.bytes.write_fmt(words);
    }
}

fn indexed(color: Color) -> Option<u8> {
    Some(match color {
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
        Color::Indexed(index) => index,
        Color::Reset | Color::Rgb(..) => return None,
    })
}

/// One cell on every terminal: printable ASCII, and the frames and bars of which nobody doubts it.
fn is_certain(symbol: &str) -> bool {
    let is_frame = |symbol: char| matches!(symbol, ' '..='~' | '─'..='▟');
    symbol.width() == 1 && symbol.chars().all(is_frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ratatui::{
        backend::{Backend as _, CrosstermBackend},
        layout::Rect,
        style::Style,
    };
    use std::num::NonZero;

    const AREA: Rect = Rect::new(0, 0, 12, 3);

    fn color() -> impl Strategy<Value = Color> {
        proptest::sample::select(vec![
            Color::Reset,
            Color::Red,
            Color::DarkGray,
            Color::Indexed(200),
            Color::Rgb(1, 22, 133),
        ])
    }

    fn cell() -> impl Strategy<Value = Cell> {
        let symbols = proptest::sample::select(vec![" ", "a", "7", "─", "▌", "▲", "…", "é"]);
        let modifiers = proptest::sample::select(vec![
            Modifier::empty(),
            Modifier::BOLD,
            Modifier::BOLD.union(Modifier::UNDERLINED),
            Modifier::REVERSED,
            Modifier::DIM,
        ]);
        (symbols, color(), color(), modifiers).prop_map(|(symbol, fg, bg, modifier)| {
            let mut cell = Cell::default();
            let style = Style::new().fg(fg).bg(bg).add_modifier(modifier);
            cell.set_symbol(symbol).set_style(style);
            cell
        })
    }

    fn frame() -> impl Strategy<Value = Buffer> {
        let plain = Just(Cell::default());
        let cells = proptest::collection::vec(prop_oneof![2 => plain, 1 => cell()], 36);
        cells.prop_map(|content| Buffer {
            area: AREA,
            content,
        })
    }

    /// What a terminal shows after two frames, and how many bytes the second was.
    fn shown(
        frames: [&Buffer; 2],
        write: impl Fn(&Buffer, &Buffer, &mut Vec<u8>),
    ) -> (vt100::Parser, usize) {
        let [rows, columns] = [AREA.height, AREA.width].map(|cells| NonZero::new(cells).unwrap());
        let mut terminal = vt100::Parser::new(rows, columns, 0);
        let (mut before, mut count) = (Buffer::empty(AREA), 0);
        for frame in frames {
            let mut bytes = vec![];
            write(&before, frame, &mut bytes);
            terminal.process(&bytes);
            (before, count) = (frame.clone(), bytes.len());
        }
        (terminal, count)
    }

    /// A blank that was written looks like a cell that nothing was written in.
    fn look(terminal: &vt100::Parser, (y, x): (u16, u16)) -> impl PartialEq + std::fmt::Debug {
        let cell = terminal.screen().cell(y, x).unwrap();
        let symbol = if cell.has_contents() {
            cell.contents()
        } else {
            " "
        };
        let attributes = [cell.bold(), cell.dim(), cell.underline(), cell.inverse()];
        (
            symbol.to_owned(),
            cell.fgcolor(),
            cell.bgcolor(),
            attributes,
        )
    }

    fn ours(before: &Buffer, frame: &Buffer, bytes: &mut Vec<u8>) {
        Pen::new(bytes).draw(before, frame);
    }

    fn theirs(before: &Buffer, frame: &Buffer, bytes: &mut Vec<u8>) {
        CrosstermBackend::new(bytes)
            .draw(before.diff_iter(frame))
            .unwrap();
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_terminal_shows_what_the_library_would_have_written_in_fewer_bytes(
            first in frame(),
            second in frame(),
        ) {
            let (ours, few) = shown([&first, &second], ours);
            let (theirs, many) = shown([&first, &second], theirs);
            for (y, x) in (0..AREA.height).flat_map(|y| (0..AREA.width).map(move |x| (y, x))) {
                prop_assert_eq!(look(&ours, (y, x)), look(&theirs, (y, x)));
            }
            prop_assert!(few <= many, "{few} bytes, not {many}");
        }
    }

    #[test]
    fn a_jump_in_a_line_is_short_and_said_in_full_after_a_doubtful_width() {
        let before = Buffer::with_lines(["abcdefghijkl"]);
        let written = |line: &str| {
            let frame = Buffer::with_lines([line]);
            let mut bytes = vec![];
            Pen::new(&mut bytes).draw(&before, &frame);
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(written("XbcdefghijkX"), "\x1b[1;1HX\x1b[10CX");
        assert_eq!(written("XbcXefghijkl"), "\x1b[1;1HXbcX");
        assert_eq!(written("▲bcdefghijkX"), "\x1b[1;1H▲\x1b[1;12HX");
    }
}
