//! Why a verb sends no entry: a desk or verb was halted.

use crate::{
    cli::{
        disk_wait::{JOURNAL_OPEN_TIMEOUT, Work},
        service::Service,
    },
    journal::Halts,
    model::{Command, Failure, Risk},
};

/// New entries wait until a person has seen why a desk or verb was halted.
pub(super) fn halted(service: &Service, command: &Command) -> Option<String> {
    (command.risk() == Risk::Increasing).then(|| halted_now(service))?
}

/// The same for a command that would follow another one.
pub(super) fn would_be_halted(service: &Service) -> Option<Failure> {
    halted_now(service).map(|why| Failure::held_back(&why))
}

fn halted_now(service: &Service) -> Option<String> {
    let base_url = service.client.connection().base_url.clone();
    let (dir, account) = (service.journal_dir.clone(), service.account.clone());
    // A disk that hangs shows none: then the first command is recorded late, and the second one waits for it.
    let read = Work::begin(move || Halts::of_journal(&dir).of(&base_url, &account));
    let why = read.within(JOURNAL_OPEN_TIMEOUT).flatten()?;
    Some(format!(
        "HALTED: {why}; \"perpdeck journal rearm\", or R on a desk, resumes entries"
    ))
}
