//! Why a command is not sent: every rule that can hold it back.

use super::{checks, guard, halt};
use crate::{
    app::core::account::Account,
    model::{Command, Progress, READ_ONLY, Risk},
};

/// Why the desk does not send this command, if so.
pub(crate) fn objection(account: &Account, command: &Command) -> Option<String> {
    if account.options.read_only {
        return Some(READ_ONLY.to_owned());
    }
    let held = match command.risk() {
        Risk::Increasing => holds_entry(account, command),
        Risk::Neutral | Risk::Reducing => None,
    };
    held.or_else(|| unsure(account, command))
        .or_else(|| takes_a_stop(account, command))
}

/// What holds back a command that may raise exposure; closes, cancels and reductions never come here.
fn holds_entry(account: &Account, command: &Command) -> Option<String> {
    let checks = || {
        checks::objection(
            &account.options.checks,
            &account.store,
            &account.session,
            account.now,
            command,
        )
    };
    halt::words(account)
        .or_else(checks)
        .or_else(|| guard::objection(account))
}

/// A cancel-all cancels every order, also the stop of an open position that may not be canceled now.
fn takes_a_stop(account: &Account, command: &Command) -> Option<String> {
    let Command::CancelAll(_) = command else {
        return None;
    };
    let open = account.store.positions.rows();
    let working = account
        .store
        .orders
        .rows()
        .iter()
        .filter(|order| order.is_working());
    let mut cancels = working.map(|order| order.cancel(open));
    cancels.find_map(|cancel| objection(account, &cancel))
}

/// Why no exit is placed: a batch may have placed one, which reads or a person decide.
fn unsure(account: &Account, command: &Command) -> Option<String> {
    let places = |command: &Command| {
        let Command::ExitBatch(batch) = command else {
            return None;
        };
        batch.places().then(|| batch.position_id.clone())
    };
    let position = places(command)?;
    let mut pending = account.store.pending.values();
    let unsure = pending.find(|pending| {
        let is_unknown = pending.progress.is_unknown();
        is_unknown && places(&pending.command).as_ref() == Some(&position)
    })?;
    let is_parked = matches!(unsure.progress, Progress::Parked { .. });
    let key = account.key_hints.decide.as_ref().filter(|_| is_parked);
    let key = key.map_or_else(String::new, |key| format!(": {key} decides"));
    Some(format!(
        "status unknown: the exits of this position may have changed{key}"
    ))
}
