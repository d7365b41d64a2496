//! How a run ends.

use super::out;
use crate::config::SettingsError;
use color_eyre::Report;
use std::{
    io,
    process::{ExitCode, Termination},
};

/// The exit codes. 10 to 15 belong to the trading verbs: auth, limited, unavailable, rejected, unknown, partial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Ok,
    /// Something this program cannot mend: a file that cannot be written, a port that is taken.
    Failed,
    /// What was typed or set cannot be meant.
    Usage,
    /// Asked to leave by the operating system: 128 + the signal's number, as shells have it.
    Signal(u8),
    /// Nobody there to do it.
    Unavailable,
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Ok => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Signal(code) => code,
            Self::Unavailable => 12,
        })
    }
}

/// Says what went wrong in as many lines as there are problems.
pub(super) fn explain(report: &Report) -> Exit {
    if is_broken_pipe(report) {
        return Exit::Ok;
    }
    out::complain(&format!("{report:#}"));
    if report.downcast_ref::<SettingsError>().is_some() {
        Exit::Usage
    } else {
        Exit::Failed
    }
}

/// `perpdeck … | head` has what it wanted.
fn is_broken_pipe(report: &Report) -> bool {
    report
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}
