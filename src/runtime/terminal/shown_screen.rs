//! The terminal and the cells that it shows: a frame is written as its difference from them.

use crate::{
    runtime::terminal::{area::drawn, encode::Pen},
    ui::{copy_over, part_of},
};
use crossterm::{
    queue,
    terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate},
};
use ratatui::{
    backend::Backend,
    buffer::{Buffer, Cell},
    layout::{Rect, Size},
};
use std::{
    io::{self, Write},
    ops::Range,
};

#[derive(Debug)]
pub(crate) struct ShownScreen<B> {
    backend: B,
    /// Asks for the size of the terminal now.
    size: fn(&B) -> io::Result<Size>,
    /// What is drawn on of the terminal.
    area: Rect,
    /// The last frame, as far as the terminal has room for it; nothing before the first.
    cells: Buffer,
    content: Content,
}

/// Whether the terminal shows the cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Cells,
    Nothing,
}

impl<B: Backend + Write> ShownScreen<B> {
    /// An empty screen of this size.
    pub(crate) fn new(backend: B, area: Rect, size: fn(&B) -> io::Result<Size>) -> Self {
        Self {
            backend,
            size,
            area,
            // The first frame is moved here: a blank one to compare it with would take a twentieth of the time until then.
            cells: Buffer::default(),
            content: Content::Nothing,
        }
    }

    /// Writes what these parts change, in one go. Synchronized output
    /// (<https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036>), so that the screen never shows
    /// parts of two frames.
    pub(super) fn paint(&mut self, changes: Vec<Buffer>) -> io::Result<()> {
        self.fit()?;
        let mut bytes = vec![];
        let mut pen = Pen::new(&mut bytes);
        for part in changes {
            let part_area = part.area.intersection(self.area);
            self.take(fitted(part, part_area), &mut pen);
        }
        if self.content == Content::Nothing {
            self.encode_all(&mut pen);
        }
        drop(pen);
        self.write(&bytes)
    }

    /// Takes over a part of the screen, whose cells are moved; writes what it changes.
    fn take(&mut self, mut part: Buffer, pen: &mut Pen<'_>) {
        if part.area == self.area {
            let before = std::mem::replace(&mut self.cells, part);
            if self.content == Content::Cells {
                pen.draw(&before, &self.cells);
            }
            return;
        }
        self.resize_cells();
        let mut row = Rect {
            height: part.area.height.min(1),
            ..part.area
        };
        let (mut before, mut after) = (Buffer::default(), Buffer::default());
        for y in part.area.top()..part.area.bottom() {
            row.y = y;
            let (shown, new) = (cells_mut(&mut self.cells, row), cells_mut(&mut part, row));
            // Most cells of a part are as before.
            let Some(changed) = changed(shown, new).map(|changed| columns(row, &changed)) else {
                continue;
            };
            let shown = cells_mut(&mut self.cells, changed);
            for (buffer, cells) in [
                (&mut before, &mut *shown),
                (&mut after, cells_mut(&mut part, changed)),
            ] {
                buffer.resize(changed);
                cells.swap_with_slice(&mut buffer.content);
            }
            if self.content == Content::Cells {
                pen.draw(&before, &after);
            }
            after.content.swap_with_slice(shown);
        }
    }

    /// Gives the cells the size of the screen.
    fn resize_cells(&mut self) {
        if self.cells.area != self.area {
            let mut cells = Buffer::empty(self.area);
            copy_over(&mut cells, &self.cells);
            self.cells = cells;
        }
    }

    /// Empties the screen: nobody knows what it shows. The next frame is written whole; what was shown before may be old.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.fit()?;
        self.wipe()
    }

    /// Whole sequences, so that no frame comes between.
    pub(super) fn write_sequences(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.backend.write_all(bytes)?;
        Write::flush(&mut self.backend)
    }

    /// Follows the size of the terminal.
    fn fit(&mut self) -> io::Result<()> {
        let area = drawn((self.size)(&self.backend)?);
        if self.area == area {
            return Ok(());
        }
        self.area = area;
        self.wipe()
    }

    fn wipe(&mut self) -> io::Result<()> {
        self.content = Content::Nothing;
        self.backend.clear().map_err(io_error)
    }

    /// Row by row, each compared with the same empty one.
    fn encode_all(&mut self, pen: &mut Pen<'_>) {
        self.resize_cells();
        let first = Rect {
            height: self.area.height.min(1),
            ..self.area
        };
        let (mut empty, mut row) = (Buffer::empty(first), Buffer::empty(first));
        let rows = self
            .cells
            .content
            .chunks_exact_mut(usize::from(self.area.width).max(1));
        for (y, cells) in (self.area.top()..self.area.bottom()).zip(rows) {
            (empty.area.y, row.area.y) = (y, y);
            cells.swap_with_slice(&mut row.content);
            pen.draw(&empty, &row);
            cells.swap_with_slice(&mut row.content);
        }
        self.content = Content::Cells;
    }

    fn write(&mut self, changes: &[u8]) -> io::Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(changes.len().saturating_add(16));
        queue!(bytes, BeginSynchronizedUpdate)?;
        bytes.extend_from_slice(changes);
        queue!(bytes, EndSynchronizedUpdate)?;
        self.write_sequences(&bytes)
    }
}

fn io_error(why: impl std::error::Error) -> io::Error {
    io::Error::other(why.to_string())
}

/// The cells of a row, or of a part of one.
fn cells_mut(buffer: &mut Buffer, row: Rect) -> &mut [Cell] {
    if row.is_empty() {
        return &mut [];
    }
    let at = buffer.index_of(row.x, row.y);
    let cells = at..at.saturating_add(row.width.into());
    buffer.content.get_mut(cells).unwrap_or_default()
}

/// Where two rows differ, with a cell before and two after it: characters that are two cells wide.
fn changed(shown: &[Cell], new: &[Cell]) -> Option<Range<usize>> {
    let differs = |(one, other): (&Cell, &Cell)| one != other;
    let mut cells = shown.iter().zip(new);
    let first = cells.position(differs)?;
    let last = cells.rposition(differs);
    let end = last.map_or(first, |last| first + 1 + last) + 3;
    Some(first.saturating_sub(1)..end.min(new.len()))
}

/// These cells of a row.
fn columns(row: Rect, cells: &Range<usize>) -> Rect {
    let column = |at: usize| u16::try_from(at).unwrap_or(row.width);
    Rect {
        x: row.x.saturating_add(column(cells.start)),
        width: column(cells.len()),
        ..row
    }
}

/// The part of a frame that the terminal has room for: it may have another size since the frame was drawn.
fn fitted(frame: Buffer, area: Rect) -> Buffer {
    if frame.area == area {
        frame
    } else {
        part_of(&frame, area)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::{
        backend::{CrosstermBackend, WindowSize},
        layout::Position,
    };
    use std::num::NonZeroU16;

    /// A terminal of this size that keeps the bytes of each write.
    #[derive(Debug)]
    struct FakeTerminal {
        size: Size,
        waiting: Vec<u8>,
        writes: Vec<Vec<u8>>,
    }

    impl Write for FakeTerminal {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.waiting.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.writes.push(std::mem::take(&mut self.waiting));
            Ok(())
        }
    }

    impl Backend for FakeTerminal {
        type Error = io::Error;

        fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
        where
            I: Iterator<Item = (u16, u16, &'a Cell)>,
        {
            CrosstermBackend::new(&mut self.waiting).draw(content)
        }

        fn hide_cursor(&mut self) -> io::Result<()> {
            Ok(())
        }

        fn show_cursor(&mut self) -> io::Result<()> {
            Ok(())
        }

        fn get_cursor_position(&mut self) -> io::Result<Position> {
            Err(io::Error::other("the answer would be read as keys"))
        }

        fn set_cursor_position<P: Into<Position>>(&mut self, _: P) -> io::Result<()> {
            Ok(())
        }

        fn clear(&mut self) -> io::Result<()> {
            CrosstermBackend::new(&mut self.waiting).clear()?;
            Write::flush(self)
        }

        fn clear_region(&mut self, _: ratatui::backend::ClearType) -> io::Result<()> {
            self.clear()
        }

        fn size(&self) -> io::Result<Size> {
            Err(io::Error::other("not asked for"))
        }

        fn window_size(&mut self) -> io::Result<WindowSize> {
            Err(io::Error::other("not asked for"))
        }

        fn flush(&mut self) -> io::Result<()> {
            Write::flush(self)
        }
    }

    fn frame(lines: [&str; 2]) -> Vec<Buffer> {
        vec![Buffer::with_lines(lines)]
    }

    fn screen(size: Size) -> ShownScreen<FakeTerminal> {
        let backend = FakeTerminal {
            size,
            waiting: vec![],
            writes: vec![],
        };
        ShownScreen::new(backend, Rect::from((Position::ORIGIN, size)), |terminal| {
            Ok(terminal.size)
        })
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    #[test]
    fn a_frame_is_one_write_of_what_changed_and_an_unchanged_one_is_none() {
        let mut screen = screen(Size::new(4, 2));
        screen.paint(frame(["abcd", "efgh"])).unwrap();
        screen.paint(frame(["abXd", "efgh"])).unwrap();
        screen.paint(frame(["abXd", "efgh"])).unwrap();
        let [first, second] = &screen.backend.writes[..] else {
            panic!("{:?}", screen.backend.writes)
        };
        assert!(text(first).contains("abcd"));
        let second = text(second);
        assert!(second.contains('X') && !second.contains('a'), "{second:?}");
        let (begins, ends) = ("\u{1b}[?2026h", "\u{1b}[?2026l");
        assert!(second.starts_with(begins) && second.ends_with(ends));
    }

    #[test]
    fn a_frame_for_another_size_is_cut_and_a_cleared_screen_is_drawn_whole() {
        let mut screen = screen(Size::new(4, 2));
        screen.paint(frame(["abcd", "efgh"])).unwrap();
        screen.backend.size = Size::new(3, 1);
        screen.paint(frame(["abcd", "efgh"])).unwrap();
        assert_eq!(screen.cells, Buffer::with_lines(["abc"]));
        screen.backend.writes.clear();
        screen.clear().unwrap();
        assert!(!text(&screen.backend.writes.concat()).contains("abc"));
        screen.paint(vec![]).unwrap();
        assert!(text(&screen.backend.writes.concat()).contains("abc"));
    }

    #[test]
    fn a_terminal_that_grows_is_drawn_to_its_new_edges_and_cleared_once() {
        let mut screen = screen(Size::new(2, 1));
        screen.paint(vec![Buffer::with_lines(["ab"])]).unwrap();
        screen.backend.size = Size::new(4, 2);
        screen.paint(frame(["abcd", "efgh"])).unwrap();
        assert_eq!(screen.cells, Buffer::with_lines(["abcd", "efgh"]));
        let drawn = text(&screen.backend.writes.concat());
        assert!(
            drawn.contains("abcd") && drawn.contains("efgh"),
            "{drawn:?}"
        );
        screen.backend.writes.clear();
        screen.paint(frame(["abcd", "efgh"])).unwrap();
        assert_eq!(screen.backend.writes, Vec::<Vec<u8>>::new());
    }

    #[test]
    fn a_part_of_a_frame_changes_only_that_part_of_the_screen() {
        let mut screen = screen(Size::new(4, 2));
        screen.paint(frame(["abcd", "efgh"])).unwrap();
        let mut part = Buffer::empty(Rect::new(2, 1, 2, 1));
        part.set_string(2, 1, "gX", ratatui::style::Style::new());
        screen.paint(vec![part]).unwrap();
        assert_eq!(screen.cells, Buffer::with_lines(["abcd", "efgX"]));
        let last = text(screen.backend.writes.last().unwrap());
        assert_eq!(last, "\u{1b}[?2026h\u{1b}[2;4HX\u{1b}[?2026l");
    }

    #[test]
    fn wide_characters_of_a_part_come_and_go() {
        let mut screen = screen(Size::new(8, 2));
        let [rows, columns] = [2, 8].map(|size| NonZeroU16::new(size).unwrap());
        let mut terminal = vt100::Parser::new(rows, columns, 0);
        screen.paint(frame(["        "; 2])).unwrap();
        for row in [
            "ab日cd", "ab語cd", "abcdef", "日本cd", "a日bcd", "日abcd", "a日本d",
        ] {
            let mut part = Buffer::empty(Rect::new(1, 1, 6, 1));
            part.set_string(1, 1, row, ratatui::style::Style::new());
            screen.paint(vec![part]).unwrap();
            terminal.process(&screen.backend.writes.concat());
            screen.backend.writes.clear();
            let shown = terminal.screen().rows(0, 8).nth(1);
            assert_eq!(shown, Some(format!(" {row}")));
        }
    }
}
