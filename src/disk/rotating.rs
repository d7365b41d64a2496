//! An append-only file of bounded size that only its owner can read.
//!
//! Contract: at most twice its cap on disk, the file and its predecessor (`….1`). Several processes may append to it;
//! each counts only its own lines, so together they may exceed the cap.

use super::{closed_file, private_dir};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// A full file is renamed to `….1` and replaces the one before.
#[derive(Debug)]
pub struct Rotating {
    path: PathBuf,
    old: PathBuf,
    file: File,
    written: u64,
    cap: u64,
}

impl Rotating {
    /// The file and its predecessor.
    pub fn files(dir: &Path, name: &str) -> [PathBuf; 2] {
        [dir.join(name), dir.join(format!("{name}.1"))]
    }

    /// `cap` is in bytes. Creates the directory if it is missing.
    pub fn open(dir: &Path, name: &str, cap: u64) -> io::Result<Self> {
        private_dir(dir)?;
        let [path, old] = Self::files(dir, name);
        let file = append(&path)?;
        let written = file.metadata()?.len();
        Ok(Self {
            path,
            old,
            file,
            written,
            cap,
        })
    }
}

fn append(path: &Path) -> io::Result<File> {
    closed_file(path, OpenOptions::new().append(true).create(true))
}

impl Write for Rotating {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.written > 0 && self.written + line.len() as u64 > self.cap {
            fs::rename(&self.path, &self.old)?;
            self.file = append(&self.path)?;
            self.written = 0;
        }
        let written = self.file.write(line)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_link_in_the_place_of_a_log_is_refused_and_where_it_leads_nothing_changes() {
        let dir = tempfile::tempdir().unwrap();
        let (state, precious) = (dir.path().join("state"), dir.path().join("precious"));
        fs::create_dir(&state).unwrap();
        fs::write(&precious, "kept").unwrap();
        fs::set_permissions(&precious, fs::Permissions::from_mode(0o644)).unwrap();
        std::os::unix::fs::symlink(&precious, state.join("events.jsonl")).unwrap();
        let why = Rotating::open(&state, "events.jsonl", 10).unwrap_err();
        assert!(
            why.to_string().contains("events.jsonl is a symbolic link"),
            "{why}"
        );
        let mode = fs::metadata(&precious).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (fs::read(&precious).unwrap(), mode),
            (b"kept".to_vec(), 0o644)
        );
    }

    #[test]
    fn two_files_of_its_size_are_kept_for_their_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("a/state");
        let mut log = Rotating::open(&state, "a.log", 10).unwrap();
        for line in ["first\n", "second\n", "third\n", "4th\n"] {
            log.write_all(line.as_bytes()).unwrap();
        }
        let [new, old] =
            Rotating::files(&state, "a.log").map(|path| fs::read_to_string(path).unwrap());
        assert_eq!((old.as_str(), new.as_str()), ("second\n", "third\n4th\n"));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&state), mode(&state.join("a.log"))), (0o700, 0o600));
        drop(log);
        assert_eq!(Rotating::open(&state, "a.log", 10).unwrap().written, 10);
    }
}
