//! Reads the lines of a log and says what is wrong with them.
//!
//! Contract: a line that is not what was written is left out and said, and what follows it is read. What stands after the
//! last valid line is a torn end: no damage, unless the newest number says that more was on the disk.

use super::{
    fault::{LogDamage, LogError},
    line,
    newest::Known,
};
use std::{
    fs::File,
    io::{BufRead as _, BufReader, Seek as _, SeekFrom},
};

/// How far a log has been read.
#[derive(Debug, Clone, Default)]
pub(super) struct Scan {
    /// The number of the next record; `None` before the first valid line.
    pub(super) next: Option<u64>,
    /// Where the last valid line ends, in bytes.
    pub(super) end: u64,
    /// Whether anything but spaces stands after it.
    pub(super) is_torn: bool,
    pub(super) damage: LogDamage,
    /// Unreadable lines since the last valid one.
    pub(super) unreadable: u64,
}

/// Bytes of one read.
const READ: usize = 256 * 1024;

impl Scan {
    /// Reads on from where the last valid line ended; `take` gets each record.
    pub(super) fn read(
        &mut self,
        mut file: &File,
        format: &str,
        take: &mut dyn FnMut(&str),
    ) -> Result<(), LogError> {
        file.seek(SeekFrom::Start(self.end))?;
        let (mut reader, mut line, mut at) =
            (BufReader::with_capacity(READ, file), vec![], self.end);
        (self.is_torn, self.unreadable) = (false, 0);
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line)?;
            if length == 0 {
                return Ok(());
            }
            at += length as u64;
            if let Some((number, record)) = line::read(&mut line) {
                (self.end, self.is_torn) = (at, false);
                self.valid(number, record, format, take)?;
            } else if line.iter().any(|byte| *byte != b' ') {
                self.is_torn = true;
                self.unreadable += 1;
            }
        }
    }

    fn valid(
        &mut self,
        number: u64,
        record: &str,
        format: &str,
        take: &mut dyn FnMut(&str),
    ) -> Result<(), LogError> {
        let unreadable = std::mem::take(&mut self.unreadable);
        let is_head = record.starts_with(HEAD);
        if is_head && record != head(format) {
            return Err(LogError::Format(record.to_owned()));
        }
        let next = match self.next {
            Some(next) => next,
            None if is_head => number,
            None if unreadable > 0 => number.saturating_sub(unreadable),
            None => 1,
        };
        if number < next || is_head && self.next.is_some() {
            self.damage.strange += 1 + unreadable;
            return Ok(());
        }
        if number > next {
            self.damage.lost.push(next..=number - 1);
        } else {
            self.damage.strange += unreadable;
        }
        self.next = Some(number + 1);
        if !is_head {
            take(record);
        }
        Ok(())
    }

    /// Compares the end with the number of the newest record. A log of which nothing was ever written is not damaged.
    pub(super) fn compare(&mut self, known: Known) {
        match (known, self.next) {
            (Known::Number(newest), next) => {
                let next = next.unwrap_or(1);
                if newest >= next {
                    self.damage.lost.push(next..=newest);
                }
            }
            (Known::Nothing, None) if self.unreadable == 0 => {}
            (Known::Nothing, _) => {
                self.damage.is_newest_lost = true;
                if self.next.is_none() {
                    self.damage.strange += self.unreadable;
                }
            }
        }
    }
}

const HEAD: &str = "{\"log\":";

/// The record of the first line, which names the format.
pub(super) fn head(format: &str) -> String {
    format!("{HEAD}\"{format}\"}}")
}
