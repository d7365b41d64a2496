//! The desk's own limits, for an order from the command line.
//!
//! Contract: the same checks over data read for them; nothing is read if no limit is set, and missing data refuses.
//! Repetition counts the orders in the journal, whoever sent them, except those without effect: a rejected
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
    model::{Command, IdempotencyKey, Risk, Timestamp},
    runtime::Clock,
};

/// More than any sensible rate and repeat window need.
const REMEMBERED: u32 = 256;

/// Why the command must not be sent, if so.
pub(super) async fn objection(
    service: &Service,
    post: &mut Transport<'_>,
    prepared: &PreparedCommand,
) -> Option<String> {
    let command = &prepared.command;
    if command.risk() != Risk::Increasing {
        return None;
    }
    // The journal counts what is sent within a second, under its lock.
    let limits = &Checks {
        orders_per_second: 0,
        ..prepared.key_origin.limits(&service.checks)
    };
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
fn placed(post: &mut Transport<'_>, own: Option<&IdempotencyKey>) -> Vec<(Timestamp, Command)> {
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
