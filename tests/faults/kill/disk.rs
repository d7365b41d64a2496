//! What outlives a process: its files, as they were when it died.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A journal whose disk takes no write while this lives.
pub(crate) struct Stuck(#[expect(dead_code, reason = "its lock is the point")] fs::File);

impl Stuck {
    /// The journal in `dir`. Waits for a write that is under way.
    pub(crate) fn journal(dir: &Path) -> Self {
        let mut open = fs::File::options();
        let newest = open.create(true).write(true).truncate(false);
        let newest = newest.open(dir.join("journal.newest")).unwrap();
        newest.lock().unwrap();
        Self(newest)
    }
}

/// The files of `dir`, as a process that starts next finds them, in a place of their own beside it.
pub(crate) fn left_behind(dir: &Path) -> PathBuf {
    let copy = (1..1_000)
        .map(|number| dir.with_extension(number.to_string()))
        .find(|copy| fs::create_dir(copy).is_ok())
        .unwrap();
    for entry in fs::read_dir(dir).unwrap() {
        let from = entry.unwrap().path();
        let name = from.file_name().unwrap();
        // The directory holds locks of processes that are over by then.
        if from.is_file() {
            fs::copy(&from, copy.join(name)).unwrap();
        }
    }
    copy
}
