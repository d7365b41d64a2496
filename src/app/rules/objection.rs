//! Why a command is not sent: every rule that can hold it back.

use super::{checks, guard, halt, second};
use crate::{
    app::core::account::Account,
    config::Checks,
    model::{Command, READ_ONLY},
};

/// Why the desk does not send this command, if so.
pub(crate) fn objection(account: &Account, command: &Command) -> Option<String> {
    objection_within(account, &account.options.checks, command)
}

/// [`objection`] by other limits than the settings'.
pub(crate) fn objection_within(
    account: &Account,
    limits: &Checks,
    command: &Command,
) -> Option<String> {
    if account.options.read_only {
        return Some(READ_ONLY.to_owned());
    }
    let held = second::objection(account, command).or_else(|| halt::objection(account, command));
    if held.is_some() {
        return held;
    }
    let held = checks::objection(
        limits,
        &account.store,
        &account.session,
        account.now,
        command,
    );
    held.or_else(|| guard::objection(account, command))
}
