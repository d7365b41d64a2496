//! The desk's own limits, for an order from the command line.
//!
//! Contract: the same checks over data read for them; nothing is read if no limit is set, and missing data refuses.
//! Rate and repetition count the orders in the journal, whoever sent them, except those without effect: a rejected
//! order may be repeated at once. Known limit: a verb has no session, so `max_session_loss` is compared with the day's
//! loss in the account figures.

use super::{post::Transport, prepared::PreparedCommand};
use crate::{
    api::{Method, Request},
    app::{
        Store,
        account::session::{Session, as_order},
        rules::checks,
    },
    cli::service::Service,
    config::Checks,
    journal::IntentRow,
    model::{Command, Failure, FailureKind, IdempotencyKey, Risk, Timestamp},
    runtime::Clock,
};
use std::time::Duration;
use tokio::time::{Instant, sleep};

const SECOND: Duration = Duration::from_secs(1);
/// The longest wait for the order rate.
const RATE_TIMEOUT: Duration = Duration::from_secs(10);

/// More than any sensible rate and repeat window need.
const REMEMBERED: u32 = 256;

/// Waits until one more order fits `orders_per_second`, whoever sends it.
///
/// # Errors
/// If others keep sending: when a retry makes sense.
pub(super) async fn room(
    service: &Service,
    post: &Transport<'_>,
    prepared: &PreparedCommand,
) -> Result<(), Failure> {
    let began = Instant::now();
    loop {
        let mut session = Session::default();
        for (at, placed) in placed(post, prepared.kept_key()) {
            session.sent(&placed, at);
        }
        let now = Clock::start().now();
        let Some(wait) = checks::rate_wait(&service.checks, &session, now, &prepared.command)
        else {
            return Ok(());
        };
        if began.elapsed() + wait > RATE_TIMEOUT {
            return Err(Failure {
                retry_after: Some(SECOND),
                ..Failure::new(FailureKind::Limited, checks::RATE_SPENT)
            });
        }
        sleep(wait).await;
    }
}

/// Why the command must not be sent, if so.
pub(super) async fn objection(
    service: &Service,
    post: &Transport<'_>,
    prepared: &PreparedCommand,
) -> Option<String> {
    let command = &prepared.command;
    if command.risk() != Risk::Increasing {
        return None;
    }
    let limits = &prepared.key_origin.limits(&service.checks);
    let (mut store, mut session) = (Store::default(), Session::default());
    if limits.needs_prices() || is_held_to_the_market(limits, command) {
        let market = as_order(command).map(|order| order.market_id);
        service.take_prices(&mut store, market.as_slice()).await;
    }
    if limits.max_open_notional.is_some() {
        service.take_positions(&mut store).await;
    }
    if limits.max_session_loss.is_some() {
        service.take_figures(&mut store).await;
        session.begin_with_day(&store);
    }
    for (at, placed) in placed(post, prepared.kept_key()) {
        session.sent(&placed, at);
    }
    checks::objection(limits, &store, &session, Clock::start().now(), command)
}

/// Whether its limit is measured at the best price.
fn is_held_to_the_market(limits: &Checks, command: &Command) -> bool {
    let order = as_order(command).filter(|_| limits.refuse_through_market.is_some());
    order.is_some_and(|order| order.limit_price.is_some() && order.trigger.is_none())
}

/// Recent orders of this account under other keys, oldest first: a command does not repeat itself.
fn placed(post: &Transport<'_>, own: Option<&IdempotencyKey>) -> Vec<(Timestamp, Command)> {
    let others = post.recent(REMEMBERED).into_iter().rev();
    let others = others.filter(|entry| entry.intent.key.as_ref() != own);
    others
        .filter_map(|entry| Some((entry.created_at, command(entry)?)))
        .collect()
}

fn command(entry: IntentRow) -> Option<Command> {
    let intent = entry.intent;
    let request = Request {
        method: intent.method.parse::<Method>().ok()?,
        target: intent.target,
        key: intent.key,
        body: intent.body,
    };
    request.command()
}
