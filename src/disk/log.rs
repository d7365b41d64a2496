//! An append-only log that several processes may write: numbered lines of JSON, each with a checksum, to be read with
//! `less`. It knows nothing of what is recorded.
//!
//! Contract: [`LockedLog::append`] returns after the line is on the disk. Numbers grow by one from line to line, and the
//! first line names the format and the number the file begins at. A flipped bit, and a line that was moved, doubled or
//! left out, is noticed; so is a lost end or a deleted file, by the number of the newest record in a second small file,
//! which also carries the lock. After a failed write or sync the log refuses all writes until it is opened again: nobody
//! can tell what of it reached the disk. Space is written ahead, so that on a full disk there is room for what must be
//! recorded.
//!
//! Known limit: not for network file systems. A log and its number that were both replaced by older copies pass.

mod fault;
mod line;
mod newest;
mod scan;

pub use fault::{LogDamage, LogError};

use super::{HeldFile, own_file, private_file, put, sync_dir};
use newest::{Known, Newest};
use scan::{Scan, head};
use std::{
    fs::File,
    io::{self, BufWriter, Write as _},
    os::unix::fs::FileExt as _,
    path::Path,
};

/// Spaces after the last line are overwritten by the next one, which changes no file size: the sync is cheaper.
const AHEAD: usize = 64 * 1024;
/// What of it is left to [`Reserve::Use`].
const RESERVE: usize = 32 * 1024;

/// Whether a record may use the space that is kept for a full disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserve {
    /// Refused with [`LogError::Full`] if the space could not be kept.
    Keep,
    Use,
}

/// Whether a lost end is to be noticed from this record on, also after a power cut. It costs a second sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Synced,
    Written,
}

/// An open log. Nothing is locked between two calls.
#[derive(Debug)]
pub struct Log {
    format: &'static str,
    file: File,
    held: HeldFile,
    newest: Newest,
    scan: Scan,
    /// The number of the next record.
    next: u64,
    /// Length of the file with the space written ahead, in bytes.
    length: u64,
    state: LogState,
    /// Whether the disk takes no more space.
    #[cfg(test)]
    pub(crate) is_full: bool,
    /// Records that are still written before the disk fails.
    #[cfg(test)]
    pub(crate) breaks: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LogState {
    Works,
    /// Found damaged: nothing in it is changed before it is written anew.
    Damaged,
    /// A write failed: nobody can tell what of it reached the disk.
    Failed,
}

/// A log that no other process writes until this is dropped.
#[derive(Debug)]
pub struct LockedLog<'a>(&'a mut Log);

impl Log {
    /// Opens or creates the log at `path`; the number of its newest record is kept beside it, in a file ending in
    /// `newest`. `take` gets each record, oldest first. A torn end is cut off. A damaged file is left as it is; it must be
    /// [rewritten](LockedLog::rewrite) before anything is appended.
    pub fn open(
        path: &Path,
        format: &'static str,
        take: &mut dyn FnMut(&str),
    ) -> Result<(Self, LogDamage), LogError> {
        let (newest, known) = Newest::locked(&path.with_extension("newest"))?;
        let is_new = !path.try_exists()?;
        let mut scan = Scan::default();
        if !is_new {
            scan.read(&private_file(path)?, format, take)?;
        }
        scan.compare(known);
        if known == Known::Nothing && scan.damage.is_none() {
            // Before the log, so that a log without it was robbed of it.
            newest.create()?;
        }
        let file = private_file(path)?;
        let damage = std::mem::take(&mut scan.damage);
        let lost = damage.lost.last().map_or(0, |lost| *lost.end());
        let mut log = Self {
            format,
            held: HeldFile::at(path)?,
            length: file.metadata()?.len(),
            file,
            newest,
            next: scan.next.unwrap_or(1).max(lost + 1),
            scan,
            state: if damage.is_none() {
                LogState::Works
            } else {
                LogState::Damaged
            },
            #[cfg(test)]
            is_full: false,
            #[cfg(test)]
            breaks: None,
        };
        if damage.is_none() {
            log.settle(known)?;
        }
        log.newest.unlock();
        Ok((log, damage))
    }

    /// Cuts off a torn end, begins an empty file, and syncs what a process that died may have left unsynced.
    fn settle(&mut self, known: Known) -> Result<(), LogError> {
        self.cut()?;
        if self.scan.next.is_none() {
            self.put(&head(self.format))?;
            sync_dir(self.held.path().parent().unwrap_or(Path::new(".")))?;
            self.newest.write(self.next - 1)?;
        } else if known != Known::Number(self.next - 1) {
            self.file.sync_data()?;
            self.newest.write(self.next - 1)?;
        }
        Ok(())
    }

    /// Reads the log at `path`, whoever writes it, without a lock: `take` gets each record.
    pub fn read(
        path: &Path,
        format: &str,
        take: &mut dyn FnMut(&str),
    ) -> Result<LogDamage, LogError> {
        // First, since it is written last.
        let known = Newest::look(&path.with_extension("newest"));
        let mut scan = Scan::default();
        match own_file(path) {
            Err(why) if why.kind() == io::ErrorKind::NotFound && known != Known::Nothing => {}
            file => scan.read(&file?, format, take)?,
        }
        scan.compare(known);
        Ok(scan.damage)
    }

    /// Whether there is a log at `path`, or was one: its number stays when it is deleted.
    pub fn is_there(path: &Path) -> bool {
        path.exists() || path.with_extension("newest").exists()
    }

    /// Bytes of its lines.
    pub fn length(&self) -> u64 {
        self.scan.end
    }

    /// Whether another process has appended anything, or written the log anew, since this one looked.
    pub fn has_news(&self) -> bool {
        self.held.is_gone() || self.has_more().unwrap_or(true)
    }

    /// Whether anything but space stands behind the last line that was read.
    fn has_more(&self) -> io::Result<bool> {
        let mut first = [b' '];
        let length = self.file.read_at(&mut first, self.scan.end)?;
        Ok(length > 0 && first != [b' '])
    }

    /// Waits until no other process writes the log; `take` gets what others have appended since, and all records if one
    /// of them has written the log anew.
    pub fn lock(&mut self, take: &mut dyn FnMut(&str)) -> Result<LockedLog<'_>, LogError> {
        if self.state == LogState::Failed {
            return Err(LogError::Failed);
        }
        self.newest.lock()?;
        match self.catch_up(take) {
            Ok(()) => Ok(LockedLog(self)),
            Err(why) => {
                self.state = LogState::Failed;
                self.newest.unlock();
                Err(why)
            }
        }
    }

    fn catch_up(&mut self, take: &mut dyn FnMut(&str)) -> Result<(), LogError> {
        let newest = self.newest.held();
        if newest.is_gone() {
            return Err(LogError::Gone(newest.path().to_owned()));
        }
        if self.held.is_gone() {
            return self.reopen(take);
        }
        if self.state == LogState::Damaged {
            // Whoever appends writes it anew first.
            return Ok(());
        }
        self.length = self.file.metadata()?.len();
        if self.length < self.scan.end {
            return Err(LogError::Gone(self.held.path().to_owned()));
        }
        if !self.has_more()? {
            return Ok(());
        }
        self.scan.next = Some(self.next);
        self.read_on(take)
    }

    /// Reads the log that another process has written in place of this one.
    fn reopen(&mut self, take: &mut dyn FnMut(&str)) -> Result<(), LogError> {
        let gone = |_| LogError::Gone(self.held.path().to_owned());
        self.held = HeldFile::at(self.held.path()).map_err(gone)?;
        self.file = private_file(self.held.path())?;
        self.length = self.file.metadata()?.len();
        (self.scan, self.state) = (Scan::default(), LogState::Works);
        self.read_on(take)
    }

    fn read_on(&mut self, take: &mut dyn FnMut(&str)) -> Result<(), LogError> {
        self.scan.read(&self.file, self.format, take)?;
        self.scan.compare(self.newest.known()?);
        if !self.scan.damage.is_none() {
            return Err(LogError::Damaged(self.scan.damage.clone()));
        }
        self.next = self.scan.next.unwrap_or(self.next);
        self.cut()
    }

    /// Overwrites what a write that was cut short has left after the last line.
    fn cut(&mut self) -> Result<(), LogError> {
        if !self.scan.is_torn || self.state == LogState::Damaged {
            return Ok(());
        }
        let path = self.held.path().display();
        tracing::warn!(%path, "cut off a line that was not written whole");
        let torn = usize::try_from(self.length.saturating_sub(self.scan.end)).unwrap_or_default();
        self.file.write_all_at(&vec![b' '; torn], self.scan.end)?;
        self.file.sync_data()?;
        self.scan.is_torn = false;
        Ok(())
    }

    /// Writes a line and syncs it.
    fn put(&mut self, record: &str) -> io::Result<()> {
        #[cfg(test)]
        if let Some(left) = self.breaks {
            let worn = || io::Error::other("the disk is worn out");
            self.breaks = Some(left.checked_sub(1).ok_or_else(worn)?);
        }
        let line = line::write(self.next, record);
        self.file.write_all_at(line.as_bytes(), self.scan.end)?;
        self.file.sync_data()?;
        self.scan.end += line.len() as u64;
        self.length = self.length.max(self.scan.end);
        self.next += 1;
        Ok(())
    }

    /// Writes more space ahead if less than the reserve would be left behind a line of this length.
    fn make_room(&mut self, line: usize) -> io::Result<()> {
        #[cfg(test)]
        if self.is_full {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let needed = self.scan.end + (line + RESERVE) as u64;
        if needed <= self.length {
            return Ok(());
        }
        let spaces = vec![b' '; line + RESERVE + AHEAD];
        self.file.write_all_at(&spaces, self.length)?;
        self.length += spaces.len() as u64;
        Ok(())
    }
}

impl LockedLog<'_> {
    /// Whether it was opened damaged, and no process has written it anew since.
    pub fn is_damaged(&self) -> bool {
        self.0.state == LogState::Damaged
    }

    /// Records a JSON object with at least one field. After an error other than [`LogError::Full`], the log refuses
    /// everything.
    pub fn append(&mut self, record: &str, reserve: Reserve, mark: Mark) -> Result<(), LogError> {
        let log = &mut *self.0;
        if log.state == LogState::Damaged {
            return Err(LogError::Failed);
        }
        match log.make_room(record.len() + AROUND) {
            // Whatever is left is for those that may use it.
            Err(why) if is_full(&why) && reserve == Reserve::Use => {}
            Err(why) if is_full(&why) => return Err(LogError::Full),
            Err(why) => return Err(log.fail(why)),
            Ok(()) => {}
        }
        let put = log.put(record);
        let noted = put.and_then(|()| log.newest.write(log.next - 1));
        let noted = noted.and_then(|()| match mark {
            Mark::Synced => log.newest.sync(),
            Mark::Written => Ok(()),
        });
        noted.map_err(|why| log.fail(why))
    }

    /// Replaces the file with one that holds these records under new numbers. Other processes that have the log open
    /// read it from the beginning.
    pub fn rewrite(&mut self, records: impl IntoIterator<Item = String>) -> Result<(), LogError> {
        let log = &mut *self.0;
        let path = log.held.path().to_owned();
        let (mut next, mut end) = (log.next, 0);
        let records = std::iter::once(head(log.format)).chain(records);
        let put = put(&path, |file| {
            let mut file = BufWriter::new(file);
            for record in records {
                let line = line::write(next, &record);
                file.write_all(line.as_bytes())?;
                end += line.len() as u64;
                next += 1;
            }
            file.write_all(&vec![b' '; AHEAD])?;
            file.flush()
        });
        match put {
            Err(why) if is_full(&why) => return Err(LogError::Full),
            put => put.map_err(|why| log.fail(why))?,
        }
        let placed = log.replaced(next, end);
        placed.map_err(|why| log.fail(why))
    }
}

impl Log {
    /// Goes on with the file that is at its path now.
    fn replaced(&mut self, next: u64, end: u64) -> io::Result<()> {
        self.held = HeldFile::at(self.held.path())?;
        self.file = private_file(self.held.path())?;
        (self.next, self.length) = (next, end + AHEAD as u64);
        self.state = LogState::Works;
        self.scan = Scan {
            next: Some(next),
            end,
            ..Scan::default()
        };
        self.newest.write(next - 1)?;
        self.newest.sync()
    }

    fn fail(&mut self, why: io::Error) -> LogError {
        self.state = LogState::Failed;
        why.into()
    }
}

/// The most bytes of a line beside its record.
const AROUND: usize = 64;

fn is_full(why: &io::Error) -> bool {
    matches!(
        why.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

impl Drop for LockedLog<'_> {
    fn drop(&mut self) {
        self.0.newest.unlock();
    }
}

#[cfg(test)]
mod tests;
