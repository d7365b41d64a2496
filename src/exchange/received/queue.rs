//! The lines of one file, or of one live market, in the order of their receipt.

use super::{super::engine::FrameOrigin, setup};
use crate::feed::recording::{Belief, DecodedLine, LineOutcome, Nanos, market::MarketRecording};
use std::{collections::VecDeque, path::Path};

/// Lines of a file that are looked at for the units of its market.
const FIRST_LINES: usize = 64;
/// A file whose book comes later than this has none.
const BOOK_WITHIN: usize = 100_000;

/// The lines of one file, or of one live market.
pub(super) struct LineQueue {
    pub(super) market: usize,
    pub(super) origin: FrameOrigin,
    /// Read, and not taken in.
    pub(super) ahead: VecDeque<DecodedLine>,
    /// Where more come from; a live market's come by [`LiveLines`](super::live::LiveLines).
    pub(super) file: Option<FileLines>,
}

impl LineQueue {
    /// The next line, without taking it.
    pub(super) fn head(&mut self) -> Option<&DecodedLine> {
        if self.ahead.is_empty() {
            self.read();
        }
        self.ahead.front()
    }

    /// Reads what shows the units of the market.
    pub(super) fn prime(&mut self) {
        let (mut read, mut has_book) = (0, self.first_book().is_some());
        while (read < FIRST_LINES || !has_book) && read < BOOK_WITHIN && self.read() {
            read += 1;
            has_book |= self.ahead.back().is_some_and(setup::has_book);
        }
    }

    /// When the first book was received, of the lines that were read.
    pub(super) fn first_book(&self) -> Option<Nanos> {
        let mut books = self.ahead.iter().filter(|line| setup::has_book(line));
        books.next().map(|line| line.received)
    }

    /// Reads one more line; whether there was one.
    fn read(&mut self) -> bool {
        let read = self.file.as_mut().and_then(Iterator::next);
        let is_read = read.is_some();
        self.ahead.extend(read);
        is_read
    }
}

/// The lines of a file.
pub(super) type FileLines = Box<dyn Iterator<Item = DecodedLine> + Send>;

/// A line that cannot be read is a gap.
pub(super) fn file_lines(path: &Path, recording: MarketRecording) -> FileLines {
    let (name, mut newest) = (path.display().to_string(), Nanos(0));
    Box::new(recording.lines.map(move |line| match line {
        Ok(line) => {
            newest = line.received;
            line
        }
        Err(fault) => {
            tracing::warn!("{name} of a recording is left out: {fault}");
            DecodedLine {
                line: fault.line,
                received: newest,
                conn: 0,
                outcome: LineOutcome::Gap,
                belief: Belief::LeftOut,
            }
        }
    }))
}
