//! What the fuzz targets share: a desk to show answers on, and a paper exchange to send requests to.

mod desk;
mod exchange;

pub use desk::{press, show};
pub use exchange::Exchange;

use std::{fs, path::Path};
use tempfile::TempDir;

/// A folder that is gone with the value; in memory where the machine has such a place, since a run writes many thousands.
pub fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() {
        TempDir::new_in(memory)
    } else {
        TempDir::new()
    };
    made.expect("a folder for the files of one run")
}

/// A folder that holds one file with these bytes.
pub fn folder_with(name: &str, bytes: &[u8]) -> TempDir {
    let folder = folder();
    fs::write(folder.path().join(name), bytes).expect("the folder can be written");
    folder
}
