//! The log: one file of bounded size that only its owner can read. Nothing is logged to the terminal.
//!
//! Contract: at most `2 × CAP` bytes on disk (`perpdeck.log` and `perpdeck.log.1`). Logs of other crates are left out:
//! an HTTP library's trace holds headers, and those hold the key.

use crate::{
    config::LogLevel,
    disk::{self, Rotating},
};
use std::{io, path::Path, sync::Mutex};
use tracing_subscriber::{
    Layer, filter::LevelFilter, filter::Targets, fmt, layer::SubscriberExt, util::SubscriberInitExt,
};

const FILE: &str = "perpdeck.log";
/// At this many bytes the file is rotated.
const CAP: u64 = 1024 * 1024;

/// Starts logging into `dir`, and creates it if missing.
pub(super) fn start(dir: &Path, level: LogLevel) -> io::Result<()> {
    let filter = Targets::new().with_target("perpdeck", level_filter(level));
    // Before the log exists.
    let closed = close(dir);
    let layer = fmt::layer()
        .with_writer(Mutex::new(Rotating::open(dir, FILE, CAP)?))
        .with_filter(filter);
    // A second start in one process keeps the first log.
    let _already = tracing_subscriber::registry().with(layer).try_init();
    for entry in closed {
        tracing::warn!("{entry}");
    }
    Ok(())
}

/// The files of an earlier version that others could access, as log lines.
fn close(dir: &Path) -> Vec<String> {
    let all = [dir.to_owned()]
        .into_iter()
        .chain(Rotating::files(dir, FILE));
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::PermissionsExt};

    #[test]
    fn a_log_that_others_could_read_is_closed_to_them_once_and_said() {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let files = Rotating::files(dir.path(), FILE);
        for path in &files {
            fs::write(path, "line\n").unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
        }
        let entry = close(dir.path());
        assert!(
            entry[1].contains("perpdeck.log was open to other users"),
            "{entry:?}"
        );
        assert_eq!(close(dir.path()), Vec::<String>::new(), "once");
        let mode = fs::metadata(&files[1]).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
