//! What holds back an order from the command line: the desk's own limits, and a halt.
//!
//! Contract: the same checks over data read for them; nothing is read if no limit is set, and missing data refuses.
//! Repetition counts the orders in the journal, whoever sent them, except those without effect: a rejected
//! order may be repeated at once. Known limit: a verb has no session, so `max_session_loss` is compared with the day's
//! loss in the account figures.

use super::{halts::halted, prepared::PreparedCommand, transport::Transport};
use crate::{
    app::{account::session::as_order, rules::objection},
    cli::service::Service,
    config::Checks,
    model::{Command, IdempotencyKey, Risk, Timestamp},
    runtime::read_back,
};
use std::time::Duration;

/// More than any sensible rate and repeat window need.
const REMEMBERED: u32 = 256;

/// Why the command must not be sent, if so.
pub(super) async fn objection(
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
