//! The small file beside a log: the number of its newest record, which shows a lost end, and the lock of its writers.
//!
//! Contract: two slots that are written in turn and in place, so that a torn write leaves the number before, and a full
//! disk is no obstacle. The file is never deleted.

use super::line::sum;
use crate::disk::{HeldFile, own_file, private_file, sync_dir};
use std::{fs::File, io, os::unix::fs::FileExt as _, path::Path};

/// Bytes of a slot with its line end.
const SLOT: usize = 64;

#[derive(Debug)]
pub(super) struct Newest {
    file: File,
    held: HeldFile,
}

/// What the file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Number(u64),
    /// It is missing or damaged.
    Nothing,
}

impl Newest {
    /// Opens or creates the file; locked when this returns.
    pub(super) fn locked(path: &Path) -> io::Result<(Self, Known)> {
        let file = private_file(path)?;
        file.lock()?;
        let known = read(&file)?;
        let held = HeldFile::at(path)?;
        Ok((Self { file, held }, known))
    }

    /// Reads the file, whoever writes it.
    pub(super) fn look(path: &Path) -> Known {
        let found = own_file(path).and_then(|file| read(&file));
        found.unwrap_or(Known::Nothing)
    }

    pub(super) fn known(&self) -> io::Result<Known> {
        read(&self.file)
    }

    /// On the disk when this returns, with the name of the file: nothing is recorded yet.
    pub(super) fn create(&self) -> io::Result<()> {
        self.write(0)?;
        self.file.sync_all()?;
        sync_dir(self.held.path().parent().unwrap_or(Path::new(".")))
    }

    pub(super) fn write(&self, number: u64) -> io::Result<()> {
        let sum = sum(number, "newest");
        let mut slot = format!("{{\"newest\":{number},\"sum\":\"{sum}\"}}").into_bytes();
        slot.resize(SLOT - 1, b' ');
        slot.push(b'\n');
        self.file.write_all_at(&slot, number % 2 * SLOT as u64)
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    pub(super) fn lock(&self) -> io::Result<()> {
        self.file.lock()
    }

    pub(super) fn unlock(&self) {
        // A lock that cannot be given back ends with the process.
        let _kept = self.file.unlock();
    }

    pub(super) fn held(&self) -> &HeldFile {
        &self.held
    }
}

fn read(file: &File) -> io::Result<Known> {
    let mut bytes = [0; 2 * SLOT];
    let length = file.read_at(&mut bytes, 0)?;
    let bytes = bytes.get(..length).unwrap_or_default();
    let newest = bytes.chunks(SLOT).filter_map(slot).max();
    Ok(newest.map_or(Known::Nothing, Known::Number))
}

fn slot(bytes: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(bytes).ok()?.trim_end();
    let rest = text.strip_prefix("{\"newest\":")?;
    let (number, rest) = rest.split_once(",\"sum\":\"")?;
    let number = number.parse().ok()?;
    (rest.strip_suffix("\"}")? == sum(number, "newest")).then_some(number)
}
