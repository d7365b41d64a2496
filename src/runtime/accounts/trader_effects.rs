//! What an account's desk does for the trader besides trading: keeps alerts and notes, runs programs of the trader's.

use super::{kept::KeptFiles, user_command::UserCommands};
use crate::{
    app::{Effect, Identity, Msg},
    runtime::journal::earlier::JournalAccess,
};
use std::path::PathBuf;
use tokio::sync::mpsc::Sender;

/// What reaches the desk from outside its terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// SIGUSR1 flattens it, and the journal's lock file says so.
    Signal,
    Nothing,
}

/// A picture keeps nothing and runs nothing.
#[derive(Debug)]
pub(super) enum TraderEffects {
    Living {
        kept: KeptFiles,
        commands: UserCommands,
    },
    Picture,
}

impl TraderEffects {
    /// Reads what earlier sessions kept in `dir` for the account, beside everything else.
    pub(super) fn start(
        reach: Reach,
        dir: PathBuf,
        identity: &Identity,
        journal_access: &JournalAccess,
        inbox: &Sender<Msg>,
    ) -> Self {
        match reach {
            Reach::Nothing => Self::Picture,
            Reach::Signal => Self::Living {
                kept: KeptFiles::start(dir, identity, journal_access, inbox.clone()),
                commands: UserCommands::new(inbox.clone()),
            },
        }
    }

    pub(super) fn carry_out(&self, effect: Effect) {
        let Self::Living { kept, commands } = self else {
            return;
        };
        if let Effect::RunAlertCommand(run) = effect {
            commands.run(*run);
        } else if let Effect::Keep(state) = effect {
            kept.write(state);
        }
    }
}
