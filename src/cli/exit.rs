//! Exit codes.

use crate::{
    config::SettingsError,
    model::{Failure, FailureKind},
};
use color_eyre::Report;
use std::process::{ExitCode, Termination};

/// The exit codes. Codes from 10 on belong to verbs that use a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Ok,
    /// An error outside the program: a file that cannot be written, a port in use.
    Failed,
    /// Invalid arguments or settings, or a missing confirmation.
    Usage,
    /// The service refuses the key, or the key may not trade.
    Auth,
    /// A request budget is spent.
    Limited,
    /// The service cannot be reached, does not respond, or responds with undocumented data.
    Unavailable,
    /// The service refused the request.
    Rejected,
    /// It may or may not have taken effect.
    Unknown,
    /// Partly done, or partly unknown.
    Partial,
    /// An order that was waited for can no longer be in the state.
    EndedOtherwise,
    /// The time that a wait was allowed is over.
    TimedOut,
    /// Ended by a signal: 128 + its number, as in shells.
    Signal(u8),
}

impl Exit {
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Auth => 10,
            Self::Limited => 11,
            Self::Unavailable => 12,
            Self::Rejected => 13,
            Self::Unknown => 14,
            Self::Partial => 15,
            Self::EndedOtherwise => 16,
            Self::TimedOut => 17,
            Self::Signal(code) => code,
        }
    }

    /// Success if all succeeded, a reason that all failed for, or partial.
    pub(super) fn of_all(exits: &[Self]) -> Self {
        match exits.first() {
            None => Self::Ok,
            Some(first) if exits.iter().all(|exit| exit == first) => *first,
            Some(_) => Self::Partial,
        }
    }

    /// The worse of two partial results.
    #[must_use]
    pub(super) fn or(self, other: Self) -> Self {
        if self == Self::Ok { other } else { self }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self.code())
    }
}

impl From<&Failure> for Exit {
    fn from(why: &Failure) -> Self {
        match why.kind {
            FailureKind::Auth => Self::Auth,
            // Another key has to be used, as for one that is unknown; another order would not help.
            FailureKind::Invalid if why.shows_read_only_key() => Self::Auth,
            FailureKind::Limited => Self::Limited,
            FailureKind::Unavailable
            | FailureKind::Unreachable
            | FailureKind::TimedOut
            | FailureKind::Broken
            | FailureKind::Unreadable => Self::Unavailable,
            FailureKind::Invalid
            | FailureKind::NotFound
            | FailureKind::Conflict
            | FailureKind::DryRun => Self::Rejected,
            FailureKind::Unknown | FailureKind::Contradiction => Self::Unknown,
            FailureKind::Local => Self::Failed,
        }
    }
}

/// The arguments cannot be carried out; nothing was sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct UsageError(pub(super) String);

/// The exit code of an error that is no service's.
pub(super) fn of(report: &Report) -> Exit {
    if report.is::<SettingsError>() || report.is::<UsageError>() {
        Exit::Usage
    } else {
        Exit::Failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scripts branch on these numbers.
    #[test]
    fn every_exit_has_the_code_it_has_today() {
        let exits = [
            Exit::Ok,
            Exit::Failed,
            Exit::Usage,
            Exit::Auth,
            Exit::Limited,
            Exit::Unavailable,
            Exit::Rejected,
            Exit::Unknown,
            Exit::Partial,
            Exit::EndedOtherwise,
            Exit::TimedOut,
            Exit::Signal(143),
        ];
        assert_eq!(
            exits.map(Exit::code),
            [0, 1, 2, 10, 11, 12, 13, 14, 15, 16, 17, 143]
        );
    }
}
