//! The terminal and the cells that it shows: a frame is written as its difference from them.

use crate::runtime::terminal::area::drawn;
use crossterm::{
    queue,
    terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate},
};
use ratatui::{backend::Backend, buffer::Buffer, layout::Rect};
use std::io::{self, Write};

#[derive(Debug)]
pub(crate) struct ShownScreen<B> {
    backend: B,
    cells: Buffer,
}

impl<B: Backend + Write> ShownScreen<B> {
    /// An empty screen of this size.
    pub(crate) fn new(backend: B, area: Rect) -> Self {
        Self {
            backend,
            cells: Buffer::empty(area),
        }
    }

    /// Writes what differs in one go; answers the frame shown before. Synchronized output
    /// (<https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036>), so that the screen never shows
    /// parts of two frames.
    pub(super) fn paint(&mut self, frame: Buffer) -> io::Result<Buffer> {
        let area = drawn(self.backend.size().map_err(told)?);
        let frame = fitted(frame, area);
        if self.cells.area != area {
            self.clear_to(area)?;
        }
        let mut changes = self.cells.diff_iter(&frame).peekable();
        if changes.peek().is_some() {
            queue!(self.backend, BeginSynchronizedUpdate)?;
            self.backend.draw(changes).map_err(told)?;
            queue!(self.backend, EndSynchronizedUpdate)?;
            Write::flush(&mut self.backend)?;
        }
        Ok(std::mem::replace(&mut self.cells, frame))
    }

    /// Forgets what the screen shows.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        let area = drawn(self.backend.size().map_err(told)?);
        self.clear_to(area)
    }

    /// Whole sequences, so that no frame comes between.
    pub(super) fn write_sequences(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.backend.write_all(bytes)?;
        Write::flush(&mut self.backend)
    }

    fn clear_to(&mut self, area: Rect) -> io::Result<()> {
        self.backend.clear().map_err(told)?;
        self.cells = Buffer::empty(area);
        Ok(())
    }
}

fn told(why: impl std::error::Error) -> io::Error {
    io::Error::other(why.to_string())
}

/// The part of a frame that the terminal has room for: it may have another size since the frame was drawn.
fn fitted(frame: Buffer, area: Rect) -> Buffer {
    if frame.area == area {
        return frame;
    }
    let mut part = Buffer::empty(area);
    for position in area.intersection(frame.area).positions() {
        if let (Some(to), Some(from)) = (part.cell_mut(position), frame.cell(position)) {
            to.clone_from(from);
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::{
        backend::{CrosstermBackend, WindowSize},
        buffer::Cell,
        layout::{Position, Size},
    };

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
            Ok(self.size)
        }

        fn window_size(&mut self) -> io::Result<WindowSize> {
            Err(io::Error::other("not asked for"))
        }

        fn flush(&mut self) -> io::Result<()> {
            Write::flush(self)
        }
    }

    fn frame(lines: [&str; 2]) -> Buffer {
        Buffer::with_lines(lines)
    }

    fn screen(size: Size) -> ShownScreen<FakeTerminal> {
        let backend = FakeTerminal {
            size,
            waiting: vec![],
            writes: vec![],
        };
        ShownScreen::new(backend, Rect::from((Position::ORIGIN, size)))
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    #[test]
    fn a_frame_is_one_write_of_what_changed_and_an_unchanged_one_is_none() {
        let mut screen = screen(Size::new(4, 2));
        screen.paint(frame(["abcd", "efgh"])).unwrap();
        let old = screen.paint(frame(["abXd", "efgh"])).unwrap();
        assert_eq!(old, frame(["abcd", "efgh"]));
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
        screen.clear().unwrap();
        screen.backend.writes.clear();
        screen.paint(frame(["abcd", "efgh"])).unwrap();
        assert!(text(&screen.backend.writes.concat()).contains("abc"));
    }
}
