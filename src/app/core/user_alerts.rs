//! The trader's alerts and trades on one desk: judged and noted with what polls bring, reported as the settings say, and
//! handed out to be kept.

use super::{account::Account, alerts, effect::Effect};
use crate::{
    app::{
        account::{poll::Source, watchlists::WatchlistEdit},
        activity::{
            alerts::Alert,
            notice::Tone,
            user_alerts::{
                AlertEdit, AlertFiring, AlertRequest, AlertRun, AlertsChange, FiringOccasion,
                FreshSources, Freshness, KeptState, StormHalt, UserAlert,
            },
        },
    },
    model::{Page, Position, PositionId, Timestamp},
};
use std::time::Duration;

/// What is seen of trades is written down this often at most; a note at once.
const KEEP_TRADES_EVERY: Duration = Duration::from_mins(1);

/// Takes in what earlier sessions kept; what was set and noted meanwhile joins it.
pub(crate) fn recall(account: &mut Account, kept: KeptState) -> Vec<Effect> {
    match kept {
        KeptState::Trades(trades) => {
            account.store.trades.recall(*trades, account.now);
            // What this desk wrote before has nothing of it.
            return vec![keep_trades(account)];
        }
        KeptState::Watchlists(lists) => account.store.watchlists.recall(*lists),
        KeptState::Alerts(alerts) => {
            let was_empty = account.user_alerts.all().is_empty();
            account.user_alerts.recall(*alerts);
            if !was_empty {
                return vec![keep(account)];
            }
        }
    }
    vec![]
}

/// Does what the trader wants of the alerts.
pub(crate) fn follow(account: &mut Account, request: AlertRequest) -> Vec<Effect> {
    let kept = match request {
        AlertRequest::Set(alert, replaced) => {
            if let Some(id) = replaced {
                account.user_alerts.delete(id);
            }
            Some(set(account, *alert))
        }
        AlertRequest::Delete(id) => delete(account, id),
        AlertRequest::LetFire => let_fire(account),
    };
    kept.into_iter().collect()
}

/// Sets one more alert, and says so.
fn set(account: &mut Account, alert: UserAlert) -> Effect {
    let key = account.key_hints.alerts.as_ref();
    let key = key
        .map(|key| format!("; {key} lists all"))
        .unwrap_or_default();
    let words = format!("alert set: {}{key}", alert.words(&account.store.names));
    account.user_alerts.set(alert);
    account.say(Tone::Good, words);
    keep(account)
}

/// Deletes one, and says so.
fn delete(account: &mut Account, id: u64) -> Option<Effect> {
    let alert = account.user_alerts.delete(id)?;
    account.say(
        Tone::Plain,
        format!("alert deleted: {}", alert.words(&account.store.names)),
    );
    Some(keep(account))
}

/// Does what another process has done, and hands out what both come to.
pub(crate) fn edit(account: &mut Account, edit: &AlertEdit) -> Effect {
    for alert in &edit.removed {
        if let Some(id) = account.user_alerts.number_of(alert) {
            delete(account, id);
        }
    }
    for alert in &edit.added {
        if account.user_alerts.number_of(alert).is_none() {
            set(account, alert.clone());
        }
    }
    keep(account)
}

/// Alerts fire again after a storm.
fn let_fire(account: &mut Account) -> Option<Effect> {
    account.user_alerts.halted_at()?;
    account.user_alerts.go_on();
    account.say(Tone::Good, "alerts fire again");
    Some(keep(account))
}

/// Writes a note and tags on a trade.
pub(crate) fn write_note(account: &mut Account, id: &PositionId, text: &str) -> Effect {
    let now = account.wall_now();
    account.store.trades.write(id, text, now);
    keep_trades(account)
}

/// Does what the trader wants of the watchlists.
pub(crate) fn edit_watchlists(account: &mut Account, edit: WatchlistEdit) -> Vec<Effect> {
    if let Err(why) = account.store.watchlists.edit(edit) {
        account.activity.refuse(why, account.now);
        return vec![];
    }
    let lists = account.store.watchlists.clone();
    vec![Effect::Keep(KeptState::Watchlists(Box::new(lists)))]
}

fn keep(account: &Account) -> Effect {
    Effect::Keep(KeptState::Alerts(Box::new(account.user_alerts.kept())))
}

pub(crate) fn keep_trades(account: &mut Account) -> Effect {
    account.trades_kept = (account.store.trades.version(), account.now);
    Effect::Keep(KeptState::Trades(Box::new(account.store.trades.clone())))
}

/// What follows from an answer of this source.
pub(crate) fn arrived(account: &mut Account, source: Source) -> Vec<Effect> {
    let mut effects = match source {
        Source::Markets | Source::Positions => judge(account),
        Source::Orders
        | Source::Twaps
        | Source::Scaled
        | Source::Closed
        | Source::History
        | Source::Account => vec![],
    };
    note_trades(account, source);
    let (version, at) = account.trades_kept;
    let is_due = account.now.since(at) >= KEEP_TRADES_EVERY;
    if is_due && account.store.trades.version() != version {
        effects.push(keep_trades(account));
    }
    effects
}

fn judge(account: &mut Account) -> Vec<Effect> {
    let fresh = FreshSources {
        markets: account.freshness(Source::Markets),
        positions: account.freshness(Source::Positions),
    };
    let now = account.wall_now();
    let judged = account.user_alerts.judge(&account.store, fresh, now);
    for alert in &judged.expired {
        account.say(
            Tone::Plain,
            format!("alert expired: {}", alert.words(&account.store.names)),
        );
    }
    let runs: Vec<_> = judged
        .fired
        .iter()
        .filter_map(|firing| run(account, firing, now))
        .collect();
    let fired = judged.fired.into_iter();
    let fired = fired.map(|firing| Alert::User(Box::new(firing))).collect();
    let mut effects = alerts::raise(account, fired);
    effects.extend(runs);
    if judged.halt == StormHalt::Begins {
        let hints = &account.key_hints;
        let key = hints.alerts.as_ref();
        let key = key.map(|key| format!("{key}, then ")).unwrap_or_default();
        let go_on = hints.let_alerts_fire.as_deref().unwrap_or(":alerts");
        let words =
            format!("alerts halted: 15 fired within 3 minutes. {key}{go_on} lets them fire again");
        account.say(Tone::Alert, words);
    }
    if judged.change == AlertsChange::Kept {
        effects.push(keep(account));
    }
    effects
}

/// The program of the trader's. What was crossed while the desk was away is only said.
fn run(account: &Account, firing: &AlertFiring, now: Timestamp) -> Option<Effect> {
    if firing.occasion == FiringOccasion::WhileAway {
        return None;
    }
    let run = AlertRun::new(
        &account.options.alert_command,
        firing,
        &account.store.names,
        (account.account_id(), now),
    )?;
    Some(Effect::RunAlertCommand(Box::new(run)))
}

/// What closed positions and old orders report of first stops, when they have changed.
fn learn(account: &mut Account) {
    let store = &mut *account.store;
    let placed = store.trades.placed_version();
    let versions = (store.closed.version(), store.history.version(), placed);
    if versions == account.trades_learned {
        return;
    }
    account.trades_learned = versions;
    let orders = store.history.rows();
    let oldest = orders.back().map(|order| order.requested_at);
    let is_part = store.history.has_more() || store.history.is_incomplete();
    let reach = if is_part {
        Some(oldest.unwrap_or(Timestamp(i64::MAX)))
    } else {
        None
    };
    store
        .trades
        .learn(store.closed.rows().iter(), orders.iter(), reach);
    store.trades.learn_placed(store.closed.rows().iter());
}

/// What is to be remembered of the open positions.
fn note_trades(account: &mut Account, source: Source) {
    if matches!(source, Source::Closed | Source::History) {
        return learn(account);
    }
    if !is_fresh(account, source) || !is_fresh(account, Source::Positions) {
        return;
    }
    let now = account.wall_now();
    let whole = account
        .store
        .positions
        .value()
        .filter(|page| Page::is_whole(page));
    let Some(open) = whole.map(|page| page.rows.clone()) else {
        return;
    };
    if source == Source::Positions {
        account.store.trades.opened(&open, now);
    }
    // Sources answer in any order: what came before its positions is noted with them.
    let notes = |of| source == of || source == Source::Positions && is_fresh(account, of);
    let (armed, marked) = (notes(Source::Orders), notes(Source::Markets));
    if armed {
        let store = &mut *account.store;
        store.trades.armed(&open, store.orders.rows(), now);
    }
    if marked {
        note_marks(account, &open);
    }
}

/// Notes the newest marks of the positions that were open by then.
fn note_marks(account: &mut Account, open: &[Position]) {
    let Some(at) = account.store.markets.at() else {
        return;
    };
    let (by_service, on_wall) = (account.service_at(at), account.drift.on_wall(at));
    let store = &mut *account.store;
    for position in open {
        let was_open = position.opened_at.is_none_or(|opened| opened <= by_service);
        if let Some(mark) = store.mark(&position.market_id).filter(|_| was_open) {
            store.trades.marked(&position.id, mark, on_wall);
        }
    }
}

fn is_fresh(account: &Account, source: Source) -> bool {
    account.freshness(source) == Freshness::Fresh
}
