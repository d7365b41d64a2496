//! The log: one file of a bounded size, its owner's alone. Nothing is ever logged to the terminal.
//!
//! Contract: at most `2 × CAP` bytes on disk (`perpdeck.log` and `perpdeck.log.1`). What other crates log is left out:
//! an HTTP library's trace holds headers, and those hold the key.

use crate::{config::LogLevel, disk};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::Mutex,
};
use tracing_subscriber::{
    Layer, filter::LevelFilter, filter::Targets, fmt, layer::SubscriberExt, util::SubscriberInitExt,
};

const FILE: &str = "perpdeck.log";
const OLD: &str = "perpdeck.log.1";
/// Bytes after which the file makes room for a new one.
const CAP: u64 = 1024 * 1024;

/// Starts logging into `dir`, which is made if it is not there.
pub(super) fn start(dir: &Path, level: LogLevel) -> io::Result<()> {
    let filter = Targets::new().with_target("perpdeck", level_filter(level));
    // Before there is a log to say it in.
    let closed = close(dir);
    let layer = fmt::layer()
        .with_writer(Mutex::new(Rotating::open(dir, CAP)?))
        .with_filter(filter);
    // A second start in one process keeps the first log.
    let _already = tracing_subscriber::registry().with(layer).try_init();
    for told in closed {
        tracing::warn!("{told}");
    }
    Ok(())
}

/// What of an earlier version others could read or enter, in words.
fn close(dir: &Path) -> Vec<String> {
    let files = [FILE, OLD].map(|name| dir.join(name));
    let all = [dir.to_owned()].into_iter().chain(files);
    all.filter_map(|path| Some(disk::closed(&path, disk::close_to_others(&path)?)))
        .collect()
}

fn level_filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}

/// A file that, once full, is kept as `….1` in place of the one before.
struct Rotating {
    path: PathBuf,
    file: File,
    written: u64,
    cap: u64,
}

impl Rotating {
    fn open(dir: &Path, cap: u64) -> io::Result<Self> {
        disk::private_dir(dir)?;
        let path = dir.join(FILE);
        let file = append(&path)?;
        let written = file.metadata()?.len();
        Ok(Self {
            path,
            file,
            written,
            cap,
        })
    }
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(path)
}

impl Write for Rotating {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.written > 0 && self.written + line.len() as u64 > self.cap {
            fs::rename(&self.path, self.path.with_file_name(OLD))?;
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
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_log_keeps_two_files_of_its_size_for_its_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("a/state");
        let mut log = Rotating::open(&state, 10).unwrap();
        for line in ["first\n", "second\n", "third\n", "4th\n"] {
            log.write_all(line.as_bytes()).unwrap();
        }
        let read = |name: &str| fs::read_to_string(state.join(name)).unwrap();
        assert_eq!(
            (read("perpdeck.log.1"), read("perpdeck.log")),
            ("second\n".to_owned(), "third\n4th\n".to_owned())
        );
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(&state), mode(&state.join("perpdeck.log"))),
            (0o700, 0o600)
        );
        for name in ["perpdeck.log", "perpdeck.log.1"] {
            let open = fs::Permissions::from_mode(0o644);
            fs::set_permissions(state.join(name), open).unwrap();
        }
        let told = close(&state);
        assert!(
            told[0].contains("perpdeck.log was open to other users"),
            "{told:?}"
        );
        assert_eq!((told.len(), close(&state).len()), (2, 0), "once");
        assert_eq!(mode(&state.join("perpdeck.log.1")), 0o600);
        drop(log);
        assert_eq!(Rotating::open(&state, 10).unwrap().written, 10);
    }
}
