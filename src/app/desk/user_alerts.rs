//! The trader's alerts and trades on one desk: judged and noted with what polls bring, told as the settings say, and
//! handed out to be kept.

use super::model::Model;
use crate::{
    app::{
        account::poll::Source,
        activity::{
            alerts::Alert,
            notice::Tone,
            user_alerts::{
                AlertEdit, AlertFiring, AlertRun, AlertsChange, FiringOccasion, FreshSources,
                Freshness, KeptState, StormHalt, UserAlert,
            },
        },
        desk::alerts,
        dialogs::{effect::Effect, next::AlertRequest},
        keys::keymap::{Action, Context},
    },
    model::{Page, Position, PositionId, Timestamp},
};
use std::time::Duration;

/// What is seen of trades is written down this often at most; a note at once.
const KEEP_TRADES_EVERY: Duration = Duration::from_mins(1);

/// Takes in what earlier sessions kept; what was set and noted meanwhile joins it.
pub(crate) fn recall(model: &mut Model, kept: KeptState) -> Vec<Effect> {
    match kept {
        KeptState::Trades(trades) => model.account.store.trades.recall(*trades),
        KeptState::Alerts(alerts) => {
            let was_empty = model.account.user_alerts.all().is_empty();
            model.account.user_alerts.recall(*alerts);
            if !was_empty {
                return vec![keep(model)];
            }
        }
    }
    vec![]
}

/// Does what the trader wants of the alerts.
pub(crate) fn follow(model: &mut Model, request: AlertRequest) -> Vec<Effect> {
    let kept = match request {
        AlertRequest::Set(alert, replaced) => {
            if let Some(id) = replaced {
                model.account.user_alerts.delete(id);
            }
            Some(set(model, *alert))
        }
        AlertRequest::Delete(id) => delete(model, id),
        AlertRequest::LetFire => let_fire(model),
    };
    kept.into_iter().collect()
}

/// Sets one more alert, and says so.
fn set(model: &mut Model, alert: UserAlert) -> Effect {
    let key = model.keymap.chord(Context::Desk, Action::UserAlerts);
    let key = key
        .map(|key| format!("; {key} lists all"))
        .unwrap_or_default();
    let words = format!(
        "alert set: {}{key}",
        alert.words(&model.account.store.names)
    );
    model.account.user_alerts.set(alert);
    model.account.say(Tone::Good, words);
    keep(model)
}

/// Deletes one, and says so.
fn delete(model: &mut Model, id: u64) -> Option<Effect> {
    let alert = model.account.user_alerts.delete(id)?;
    model.account.say(
        Tone::Plain,
        format!("alert deleted: {}", alert.words(&model.account.store.names)),
    );
    Some(keep(model))
}

/// Does all of what the command line requests, or nothing of it: why not.
pub(crate) fn edit(model: &mut Model, edit: &AlertEdit) -> Result<Effect, String> {
    let numbers = model.account.user_alerts.numbers_of(&edit.remove);
    let numbers = numbers.map_err(|missing| {
        let missing = missing.words(&model.account.store.names);
        format!("this desk has no alert {missing}")
    })?;
    for id in numbers {
        delete(model, id);
    }
    if let Some(alert) = &edit.add {
        set(model, alert.clone());
    }
    Ok(keep(model))
}

/// Alerts fire again after a storm.
fn let_fire(model: &mut Model) -> Option<Effect> {
    model.account.user_alerts.halted_at()?;
    model.account.user_alerts.go_on();
    model.account.say(Tone::Good, "alerts fire again");
    Some(keep(model))
}

/// Writes a note and tags on a trade.
pub(crate) fn write_note(model: &mut Model, id: &PositionId, text: &str) -> Effect {
    let now = model.account.wall_now();
    model.account.store.trades.write(id, text, now);
    keep_trades(model)
}

fn keep(model: &Model) -> Effect {
    Effect::KeepUserAlerts(Box::new(model.account.user_alerts.kept()))
}

fn keep_trades(model: &mut Model) -> Effect {
    model.account.trades_kept = (model.account.store.trades.version(), model.account.now);
    Effect::KeepTrades(Box::new(model.account.store.trades.clone()))
}

/// What follows from an answer of this source.
pub(crate) fn arrived(model: &mut Model, source: Source) -> Vec<Effect> {
    let mut effects = match source {
        Source::Markets | Source::Positions => judge(model),
        Source::Orders
        | Source::Twaps
        | Source::Scaled
        | Source::Closed
        | Source::History
        | Source::Account => vec![],
    };
    note_trades(model, source);
    let (version, at) = model.account.trades_kept;
    let is_due = model.account.now.since(at) >= KEEP_TRADES_EVERY;
    if is_due && model.account.store.trades.version() != version {
        effects.push(keep_trades(model));
    }
    effects
}

fn judge(model: &mut Model) -> Vec<Effect> {
    let fresh = FreshSources {
        markets: model.account.freshness(Source::Markets),
        positions: model.account.freshness(Source::Positions),
    };
    let now = model.account.wall_now();
    let judged = model
        .account
        .user_alerts
        .judge(&model.account.store, fresh, now);
    for alert in &judged.expired {
        model.account.say(
            Tone::Plain,
            format!("alert expired: {}", alert.words(&model.account.store.names)),
        );
    }
    let runs: Vec<_> = judged
        .fired
        .iter()
        .filter_map(|firing| run(model, firing, now))
        .collect();
    let fired = judged.fired.into_iter();
    let fired = fired.map(|firing| Alert::User(Box::new(firing))).collect();
    let mut effects = alerts::raise(model, fired);
    effects.extend(runs);
    if judged.halt == StormHalt::Begins {
        let key = model.keymap.chord(Context::Desk, Action::UserAlerts);
        let key = key.map(|key| format!("{key}, then ")).unwrap_or_default();
        let go_on = model
            .keymap
            .chord(Context::UserAlerts, Action::LetAlertsFire);
        let go_on = go_on.map_or_else(|| ":alerts".to_owned(), |go_on| go_on.to_string());
        let words =
            format!("alerts halted: 15 fired within 3 minutes. {key}{go_on} lets them fire again");
        model.account.say(Tone::Alert, words);
    }
    if judged.change == AlertsChange::Kept {
        effects.push(keep(model));
    }
    effects
}

/// The program of the trader's. What was crossed while the desk was away is only said.
fn run(model: &Model, firing: &AlertFiring, now: Timestamp) -> Option<Effect> {
    if firing.occasion == FiringOccasion::WhileAway {
        return None;
    }
    let account = model
        .account
        .identity
        .as_ref()
        .map(|identity| &identity.account_id);
    let run = AlertRun::new(
        &model.account.options.alert_command,
        firing,
        &model.account.store.names,
        (account, now),
    )?;
    Some(Effect::RunAlertCommand(Box::new(run)))
}

/// What closed positions and old orders tell of first stops, when they have changed.
fn learn(model: &mut Model) {
    let store = &mut *model.account.store;
    let placed = store.trades.placed_version();
    let versions = (store.closed.version(), store.history.version(), placed);
    if versions == model.account.trades_learned {
        return;
    }
    model.account.trades_learned = versions;
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
fn note_trades(model: &mut Model, source: Source) {
    if matches!(source, Source::Closed | Source::History) {
        return learn(model);
    }
    if !is_fresh(model, source) || !is_fresh(model, Source::Positions) {
        return;
    }
    let now = model.account.wall_now();
    let whole = model
        .account
        .store
        .positions
        .value()
        .filter(|page| Page::is_whole(page));
    let Some(open) = whole.map(|page| page.rows.clone()) else {
        return;
    };
    if source == Source::Positions {
        model.account.store.trades.opened(&open, now);
    }
    // Sources answer in any order: what came before its positions is noted with them.
    let notes = |of| source == of || source == Source::Positions && is_fresh(model, of);
    let (armed, marked) = (notes(Source::Orders), notes(Source::Markets));
    if armed {
        let store = &mut *model.account.store;
        store.trades.armed(&open, store.orders.rows(), now);
    }
    if marked {
        note_marks(model, &open);
    }
}

/// Notes the newest marks of the positions that were open by then.
fn note_marks(model: &mut Model, open: &[Position]) {
    let Some(at) = model.account.store.markets.at() else {
        return;
    };
    let (by_service, on_wall) = (
        model.account.service_at(at),
        model.account.drift.on_wall(at),
    );
    let store = &mut *model.account.store;
    for position in open {
        let was_open = position.opened_at.is_none_or(|opened| opened <= by_service);
        if let Some(mark) = store.mark(&position.market_id).filter(|_| was_open) {
            store.trades.marked(&position.id, mark, on_wall);
        }
    }
}

fn is_fresh(model: &Model, source: Source) -> bool {
    model.account.freshness(source) == Freshness::Fresh
}
