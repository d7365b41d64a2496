//! The lines of a file, compressed or not.

use crate::feed::LONGEST_FRAME;
use flate2::read::MultiGzDecoder;
use std::{
    fmt,
    io::{self, BufRead, BufReader, Read},
};

/// Why a line is left out, or nothing follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordingFault {
    /// From 0.
    pub(crate) line: u64,
    pub(crate) what: String,
}

pub(crate) type RecordingResult<T> = Result<T, RecordingFault>;

impl fmt::Display for RecordingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A person counts from 1.
        write!(f, "line {}: {}", self.line.saturating_add(1), self.what)
    }
}

impl std::error::Error for RecordingFault {}

/// One line at a time, each with its number.
pub(super) struct TextLines {
    source: Box<dyn BufRead + Send>,
    /// Of the next line.
    number: u64,
    is_over: bool,
}

/// What a compressed file begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// A frame with its instant, and one byte more to know a longer one by.
const LONGEST_LINE: u64 = LONGEST_FRAME as u64 + 32;

impl TextLines {
    /// # Errors
    /// If the file cannot be read at all.
    pub(super) fn new(file: impl Read + Send + 'static) -> io::Result<Self> {
        let mut file = BufReader::new(file);
        let source: Box<dyn BufRead + Send> = if file.fill_buf()?.starts_with(&GZIP) {
            Box::new(BufReader::new(MultiGzDecoder::new(file)))
        } else {
            Box::new(file)
        };
        Ok(Self {
            source,
            number: 0,
            is_over: false,
        })
    }

    /// The next line with its end; empty at the end of the file.
    fn next_bytes(&mut self) -> io::Result<Vec<u8>> {
        let mut text = vec![];
        self.source
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut text)?;
        if text.len() as u64 == LONGEST_LINE && !text.ends_with(b"\n") {
            self.skip_line()?;
        }
        Ok(text)
    }

    /// Leaves out the rest of a line, without holding it.
    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let found = self.source.fill_buf()?;
            let end = found.iter().position(|byte| *byte == b'\n');
            let (count, is_end) = (end.map_or(found.len(), |at| at + 1), found.is_empty());
            self.source.consume(count);
            if end.is_some() || is_end {
                return Ok(());
            }
        }
    }
}

fn text(mut bytes: Vec<u8>) -> Result<String, &'static str> {
    if bytes.pop() != Some(b'\n') {
        return Err("it is cut short, or longer than a frame can be");
    }
    String::from_utf8(bytes).map_err(|_| "it is no text")
}

impl Iterator for TextLines {
    type Item = RecordingResult<(u64, String)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let line = self.number;
        let read = match self.next_bytes() {
            Ok(bytes) if bytes.is_empty() => {
                self.is_over = true;
                return None;
            }
            Ok(bytes) => text(bytes).map_err(str::to_owned),
            Err(why) => {
                self.is_over = true;
                Err(format!("the file cannot be read from here on: {why}"))
            }
        };
        self.number += 1;
        Some(match read {
            Ok(text) => Ok((line, text)),
            Err(what) => Err(RecordingFault { line, what }),
        })
    }
}
