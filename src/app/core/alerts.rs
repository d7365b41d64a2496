//! Alerts: found in polls and outcomes, and reported as the settings say.

use crate::{
    app::{
        account::poll::{Answer, Poll, Source},
        activity::{
            alerts::{Alert, DOWN, STALLED, ended, gone, liquidation_distance, partials},
            notice::Shown,
        },
        core::account::Account,
        core::effect::{Effect, ReadOnce, TerminalOut},
    },
    config::AlertChannel,
    model::{ClockRate, Command, Failure, Num, Order, OrderId, Progress, Receipt, Ticket, TwapId},
};

/// Desktop notifications at once: more would cover the desktop.
const AT_ONCE: usize = 3;

/// The orders that left the working ones and must be searched for, by this answer.
pub(crate) fn lost(account: &mut Account, poll: &Poll) -> Option<Effect> {
    let lost = account.watch.gone.hear(&account.store, poll);
    (!lost.is_empty()).then_some(Effect::Read(ReadOnce::Trace(lost)))
}

/// The result of the search.
pub(crate) fn traced(account: &mut Account, requested: &[OrderId], found: &[Order]) -> Vec<Effect> {
    let news = gone::sought(
        &account.store,
        &mut account.watch.gone,
        &mut account.watch.awaited,
        (requested, found),
    );
    for alert in &news {
        if let Alert::Filled(order) | Alert::Rejected(order) = alert {
            let ended_at = order.settled_at.unwrap_or(order.requested_at);
            account.watch.found.insert(order.id.clone(), ended_at);
        }
    }
    raise(account, news)
}

/// Alerts from the outcome of a command.
pub(crate) fn settled(
    account: &mut Account,
    command: (Ticket, &Command),
    result: &Result<Receipt, Failure>,
) -> Vec<Alert> {
    let awaited = &mut account.watch.awaited;
    awaited.settled(&account.store, command, result)
}

/// Alerts from the progress of a command.
pub(crate) fn advanced(account: &mut Account, ticket: Ticket, progress: &Progress) -> Vec<Alert> {
    account.watch.awaited.advanced(ticket, progress)
}

/// Alerts from an answer, before the store has it.
pub(crate) fn arriving(account: &mut Account, poll: &Poll) -> Vec<Alert> {
    let store = &account.store;
    if let Answer::Orders(Ok(page)) = &poll.answer {
        return partials(store, page);
    }
    let Answer::History(Ok(page)) = &poll.answer else {
        return vec![];
    };
    if store.history.head().value().is_none() {
        return vec![];
    }
    let awaited = &mut account.watch.awaited;
    let found = &mut account.watch.found;
    let over = page.rows.iter().rev();
    let news = over.filter_map(|order| {
        let alert = ended(store, order).filter(|_| found.remove(&order.id).is_none());
        awaited.hear(store, order, alert?)
    });
    let news = news.collect();
    // What ended before all of its rows were placed is on no newest page any more.
    let oldest = page.rows.iter().map(|order| order.requested_at).min();
    found.retain(|_, ended_at| oldest.is_none_or(|oldest| *ended_at >= oldest));
    news
}

/// Alerts from the store as it is now; `ended` TWAPs were known before the answer.
pub(crate) fn arrived(account: &mut Account, source: Source, ended: &[TwapId]) -> Vec<Alert> {
    match source {
        Source::Positions | Source::Markets => near(account),
        Source::Twaps => {
            let mut alerts =
                account
                    .watch
                    .ending
                    .left(&account.store, &mut account.watch.awaited, ended);
            alerts.extend(stalled(account));
            alerts
        }
        Source::History => account.watch.ending.looked(&account.store),
        Source::Orders | Source::Scaled | Source::Closed | Source::Account => vec![],
    }
}

/// Positions near their liquidation; one that moves away by a fifth can alert again.
pub(crate) fn near(account: &mut Account) -> Vec<Alert> {
    let Some(within) = account.options.alerts.liquidation_within else {
        return vec![];
    };
    let within = within.over(Num::from(100_u32)).unwrap_or(Num::ZERO);
    let away = within.times(Num::new(12, 1)).unwrap_or(within);
    let (store, known) = (&account.store, &mut account.watch.near);
    let mut alerts = vec![];
    for position in store.positions.rows() {
        let Some(distance) = liquidation_distance(store, position) else {
            continue;
        };
        if distance < within && known.insert(position.id.clone()) {
            alerts.push(Alert::NearLiquidation(Box::new(position.clone()), distance));
        } else if distance > away {
            known.remove(&position.id);
        }
    }
    alerts
}

/// Active TWAPs whose next slice is long overdue by the service's own clock. While that clock is unsteady nothing is
/// overdue: it may stand still.
pub(crate) fn stalled(account: &mut Account) -> Vec<Alert> {
    let runs = account.store.clocks.rate() == ClockRate::Same;
    let Some(seen) = account.store.twaps.at().filter(|_| runs) else {
        return vec![];
    };
    let seen = account.service_at(seen);
    let (store, known) = (&account.store, &mut account.watch.stalled);
    let mut alerts = vec![];
    for twap in store.active_twaps() {
        let Some(due) = twap.next_run_at else {
            continue;
        };
        if seen.since(due) > STALLED && known.insert(twap.id.clone(), due) != Some(due) {
            alerts.push(Alert::TwapStalled(Box::new(twap.clone())));
        }
    }
    alerts
}

/// Whether the connection was lost or restored.
pub(crate) fn called(account: &mut Account) -> Vec<Alert> {
    let tries = account.store.health.tries();
    let is_down = &mut account.watch.is_down;
    let alert = match tries {
        DOWN.. if !*is_down => Alert::Down,
        0 if *is_down => Alert::Up,
        _ => return vec![],
    };
    *is_down = alert == Alert::Down;
    vec![alert]
}

/// Reports them as the settings say; always in the activity pane.
pub(crate) fn raise(account: &mut Account, alerts: Vec<Alert>) -> Vec<Effect> {
    let (mut notices, mut rings) = (vec![], false);
    for alert in alerts {
        let ways = alert.ways(&account.options.alerts).clone();
        let shown = if ways.has(AlertChannel::Toast) {
            Shown::AsToast
        } else {
            Shown::InActivity
        };
        rings |= ways.has(AlertChannel::Bell);
        let notice = account
            .activity
            .alert(alert, &account.store, account.now, shown);
        if ways.has(AlertChannel::Desktop) && notices.len() < AT_ONCE {
            notices.push(Effect::Terminal(TerminalOut::Notify(Box::new(notice))));
        }
    }
    let bell = rings.then_some(Effect::Terminal(TerminalOut::Bell));
    bell.into_iter().chain(notices).collect()
}
