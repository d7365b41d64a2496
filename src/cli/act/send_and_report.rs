//! Shows a prepared command, asks for consent, sends it and prints the outcome.
//!
//! Contract: an order obeys the desk's own limits, over data read for them; nothing is read if no limit is set, and missing
//! data refuses. Repetition counts the orders in the journal, whoever sent them, except those without effect: a rejected
//! order may be repeated at once. Known limit: a verb has no session, so `max_session_loss` is compared with the day's
//! loss in the account figures.

use super::{
    consent::ActingService,
    prepared::{PreparedCommand, SendOutcome, Sent, halted, writable},
    receipt, repeat,
    transport::Transport,
};
use crate::{
    app::{account::session::as_order, rules::objection},
    cli::{Exit, service::Service},
    config::Checks,
    model::{Command, Failure, IdempotencyKey, Risk, Timestamp},
    runtime::read_back,
};
use color_eyre::Result;
use std::time::Duration;

/// Shows one command, asks for consent, sends it and reports the outcome.
pub(super) async fn send_and_report(
    service: &ActingService,
    prepared: PreparedCommand,
) -> Result<Exit> {
    Ok(match send_with_consent(service, &prepared).await? {
        Ok(outcome) => receipt::print_outcome(service.voice, &prepared, &outcome),
        Err(exit) => exit,
    })
}

/// Asks for consent and sends; the exit code if nothing was sent.
pub(super) async fn send_with_consent(
    service: &ActingService,
    prepared: &PreparedCommand,
) -> Result<Result<SendOutcome, Exit>> {
    if let Some(exit) = service.withheld_one(prepared).await? {
        return Ok(Err(exit));
    }
    send(service, prepared).await.map(Ok)
}

pub(super) async fn send(service: &Service, prepared: &PreparedCommand) -> Result<SendOutcome> {
    Ok(send_before(service, prepared, None).await?.outcome)
}

/// Sends it, unless a deadline has passed.
pub(super) async fn send_before(
    service: &Service,
    prepared: &PreparedCommand,
    deadline: Option<Timestamp>,
) -> Result<Sent> {
    writable(service)?;
    let mut transport = Transport::open(service, &prepared.command)?;
    let known = transport.known(prepared);
    let prepared = &repeat::settled(known.as_ref(), prepared.clone(), service)?;
    let now = service.clock.now();
    // The service may have dropped its key.
    if let Some(past) = known.as_ref().filter(|entry| !entry.is_replayable(now)) {
        return Ok(repeat::recorded(service, prepared, past).await.into());
    }
    let objection = if repeat::may_have_acted(known.as_ref()) {
        halted(service, &prepared.command)
    } else {
        objection(service, &mut transport, prepared).await
    };
    if let Some(why) = objection {
        return Ok(Err(Failure::held_back(&why)).into());
    }
    // Opening the journal, the rate and the limits take their time.
    if let Some(why) = lapsed(deadline, service.clock.now()) {
        return Ok(Err(why).into());
    }
    let mut sent = transport.deliver(std::slice::from_ref(prepared)).await?;
    let without_answer = || Failure::local("perpdeck stopped before there was an answer");
    Ok(sent.pop().unwrap_or_else(|| Err(without_answer()).into()))
}

/// Why a command would not be sent now, if so.
pub(super) async fn would_be_refused(
    service: &Service,
    prepared: &PreparedCommand,
) -> Result<Option<String>, Failure> {
    let mut transport = Transport::open(service, &prepared.command)?;
    Ok(objection(service, &mut transport, prepared).await)
}

/// Why a command that was meant for an earlier moment is not sent, if so.
fn lapsed(deadline: Option<Timestamp>, now: Timestamp) -> Option<Failure> {
    let is_late = deadline.is_some_and(|deadline| now > deadline);
    is_late.then(|| Failure::local("not sent: its deadline has passed"))
}

/// More than any sensible rate and repeat window need.
const REMEMBERED: u32 = 256;

/// Why the command must not be sent, if so.
async fn objection(
    service: &Service,
    transport: &mut Transport<'_>,
    prepared: &PreparedCommand,
) -> Option<String> {
    let command = &prepared.command;
    if command.risk() != Risk::Increasing {
        return None;
    }
    if let Some(why) = halted(service, command) {
        return Some(why);
    }
    let mut account = service.desk_account();
    let limits = &mut account.options.checks;
    // The journal counts what is sent within a second, under its lock.
    limits.orders_per_second = 0;
    if prepared.is_key_chosen {
        limits.duplicate_within = Duration::ZERO;
    }
    let limits = limits.clone();
    if limits.needs_prices() || is_held_to_the_market(&limits, command) {
        let market = as_order(command).map(|order| order.market_id);
        let market = market.as_slice();
        service.take_prices(&mut account.store, market).await;
    }
    if limits.max_open_notional.is_some() {
        service.take_positions(&mut account.store).await;
    }
    if limits.max_session_loss.is_some() {
        service.take_figures(&mut account.store).await;
        account.session.begin_with_day(&account.store);
    }
    for (at, placed) in placed(transport, prepared.kept_key()) {
        account.session.sent(&placed, at);
    }
    account.now = service.clock.now();
    objection::objection(&account, command)
}

/// Whether its limit is measured at the best price.
fn is_held_to_the_market(limits: &Checks, command: &Command) -> bool {
    let order = as_order(command).filter(|_| limits.refuse_through_market.is_some());
    order.is_some_and(|order| order.limit_price.is_some() && order.trigger_price.is_none())
}

/// Recent orders of this account under other keys, oldest first: a command does not repeat itself.
fn placed(
    transport: &mut Transport<'_>,
    own: Option<&IdempotencyKey>,
) -> Vec<(Timestamp, Command)> {
    let others = transport.recent(REMEMBERED).into_iter().rev();
    let others = others.filter(|entry| entry.intent.key.as_ref() != own);
    others
        .filter_map(|entry| Some((entry.created_at, read_back(&entry.intent)?.1)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_with_a_deadline_is_not_sent_after_it() {
        let deadline = Some(Timestamp(10_000));
        assert_eq!(lapsed(deadline, Timestamp(10_000)), None);
        assert!(lapsed(deadline, Timestamp(10_001)).is_some());
        assert_eq!(lapsed(None, Timestamp(i64::MAX)), None);
    }
}
