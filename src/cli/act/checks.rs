//! The desk's own limits, for an order from the command line.
//!
//! Contract: the same checks over facts read for it, and no read where no limit is set; a fact that cannot be read
//! refuses. The orders that count against rate and repetition are those of the journal, whoever sent them. Known limit:
//! a command has no session, so `max_session_loss` is held against the day's loss of the account figures.

use crate::{
    api::{Method, Request},
    app::{Store, checks},
    cli::service::Service,
    journal::{Entry, Journal},
    model::{Command, Risk, Timestamp},
    runtime::Clock,
};

/// More than any sensible rate and repeat window hold.
const REMEMBERED: u32 = 256;

/// Why `command` must not leave, if so.
pub(super) async fn objection(
    service: &Service,
    journal: &Journal,
    command: &Command,
) -> Option<String> {
    if command.risk() != Risk::Increasing {
        return None;
    }
    let limits = &service.checks;
    let (mut store, mut session) = (Store::default(), checks::Session::default());
    if limits.needs_prices() {
        service.take_prices(&mut store).await;
    }
    if limits.max_open_notional.is_some() {
        service.take_positions(&mut store).await;
    }
    if limits.max_session_loss.is_some() {
        service.take_figures(&mut store).await;
        session.begin_with_day(&store);
    }
    for (at, placed) in placed(service, journal) {
        session.sent(&placed, at);
    }
    checks::objection(limits, &store, &session, Clock::start().now(), command)
}

/// What was lately asked for on this account, the oldest first.
fn placed(service: &Service, journal: &Journal) -> Vec<(Timestamp, Command)> {
    let recent = journal.recent(REMEMBERED).unwrap_or_default();
    let rows = recent.into_iter().rev();
    rows.filter_map(|entry| Some((entry.created_at, command(service, entry)?)))
        .collect()
}

fn command(service: &Service, entry: Entry) -> Option<Command> {
    let (intent, connection) = (entry.intent, service.client.connection());
    let ours = intent.base_url == connection.base_url && intent.account_id == connection.account_id;
    let request = Request {
        method: intent.method.parse::<Method>().ok()?,
        target: intent.target,
        key: intent.key,
        body: intent.body,
    };
    ours.then(|| request.command(&service.client.dialect()))
        .flatten()
}
