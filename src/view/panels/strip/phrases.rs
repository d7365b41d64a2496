//! The questions of the strip, and the keys that answer them.

use crate::{
    app::{Action, Context, Model, dialogs::overlay::StripAction, orders::at_price::side_word},
    model::{Command, Ends, Order, OrderId, Resource},
    view::{
        tables::{protection, scaled, twaps},
        text::{Scene, Span, words},
    },
};

/// ` on chal-1`: every question names its account.
pub(crate) fn account(model: &Model) -> String {
    let identity = model.account.identity.as_ref();
    identity.map_or_else(String::new, |identity| {
        format!(" on {}", identity.account_id)
    })
}

/// A key and its action; a click on either presses it.
pub(crate) fn button(model: &Model, place: Context, action: Action, does: &str) -> Vec<Span> {
    let key = Span::accent(words::key(model, place, action));
    let does = Span::plain(format!(" {does}"));
    [key, does].map(|span| span.pressing(action)).to_vec()
}

pub(crate) fn question_words(proposal: &StripAction, scene: &Scene<'_>) -> String {
    match proposal {
        // These name their account themselves.
        StripAction::One(Command::CloseAll(_)) => "close all positions".to_owned(),
        StripAction::One(Command::Flatten(_)) => "flatten".to_owned(),
        StripAction::One(Command::CancelAll(_)) => {
            let orders = scene.store.orders.rows().iter();
            let working = orders.filter(|order| order.is_working());
            cancel_all(working.map(|order| &order.id), scene)
        }
        StripAction::One(command) => {
            let named = named(command, scene);
            let done = done_already(command, scene).unwrap_or_default();
            format!("{named}{done}{}", baring(command, scene))
        }
        StripAction::Flip(flip) => flip.words(&scene.store.names),
        StripAction::Leave => leaving(scene),
        StripAction::Rearm => "resume entries".to_owned(),
        StripAction::Lift(_) => "override the lock on new entries".to_owned(),
        StripAction::CancelSide((_, market, side), commands) => {
            let word = side_word(*side);
            let orders = match commands.len() {
                1 => format!("the {word}"),
                n => format!("all {n} {word}s"),
            };
            format!("cancel {orders} in {}", scene.store.names.shown(market))
        }
        StripAction::CancelAll(_, commands) => {
            cancel_all(commands.iter().filter_map(Command::cancels), scene)
        }
    }
}

/// `cancel all 5 working orders, 2 of them protecting a position (1 TWAP still runs),`
fn cancel_all<'a>(orders: impl Iterator<Item = &'a OrderId>, scene: &Scene<'_>) -> String {
    let orders: Vec<_> = orders.collect();
    let protecting = protecting(&orders, scene);
    let orders = match orders.len() {
        1 => "the working order".to_owned(),
        n => format!("all {n} working orders"),
    };
    let pause = if protecting.is_empty() { "" } else { "," };
    let running = runs_on(scene).map_or_else(String::new, |words| format!(" ({words})"));
    format!("cancel {orders}{protecting}{running}{pause}")
}

/// What quitting leaves open; shown while the strip asks.
fn leaving(scene: &Scene<'_>) -> String {
    let trailing = (!scene.workflows.trails.is_empty())
        .then(|| "trailing stops stay where they are".to_owned());
    let parts = [in_doubt(scene), under_way(scene), trailing, ending(scene)];
    let parts = words::listed(parts, "; ");
    if parts.is_empty() {
        return "quit? nothing is pending any more".to_owned();
    }
    format!("quit? {parts}")
}

/// What ends with a paper exchange that keeps nothing.
fn ending(scene: &Scene<'_>) -> Option<String> {
    let count = |count: usize, what: &str| match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        n => Some(format!("{n} {what}s")),
    };
    let working = scene.store.orders.rows().iter();
    let working = working.filter(|order| order.is_working()).count();
    let positions = count(scene.store.positions.rows().len(), "position");
    let held = words::listed([positions, count(working, "working order")], " and ");
    (scene.ends_with_desk && !held.is_empty())
        .then(|| format!("this paper exchange ends with {held}"))
}

/// Commands of unknown outcome that wait for a person.
fn in_doubt(scene: &Scene<'_>) -> Option<String> {
    let parked: Vec<_> = scene.store.parked().collect();
    let unknown = match parked.as_slice() {
        [] => return None,
        [ticket] => {
            let pending = scene.store.pending.get(ticket)?;
            let command = words::command(&pending.command, &pending.about);
            format!("{command} may or may not have executed")
        }
        several => format!("{} commands may or may not have executed", several.len()),
    };
    Some(format!(
        "status unknown: {unknown}, and the next desk asks about it again"
    ))
}

pub(super) fn under_way(scene: &Scene<'_>) -> Option<String> {
    let (commands, it) = match scene.workflows.under_way(scene.store) {
        0 => return None,
        1 => ("1 command is".to_owned(), "it"),
        n => (format!("{n} commands are"), "them"),
    };
    Some(format!(
        "{commands} pending; the next desk finds out the outcome of {it}"
    ))
}

/// Says which orders that protect a position are canceled too.
fn protecting(orders: &[&OrderId], scene: &Scene<'_>) -> String {
    let protects = |id: &&&OrderId| {
        let order = scene.store.order(id);
        order.is_some_and(|order| order.reduce_only && order.is_armed())
    };
    match orders.iter().filter(protects).count() {
        0 => String::new(),
        n => format!(", {n} of them protecting a position"),
    }
}

/// `, 5 of 6 rungs still work,` and `, 26 of 60 filled, 34 left,`: the filled part cannot be canceled.
fn done_already(command: &Command, scene: &Scene<'_>) -> Option<String> {
    let facts = command.facts();
    match facts.resource {
        _ if facts.ends != Ends::Resource => None,
        Resource::Scaled(id) => {
            let rungs = scaled::rungs(scene.store.scaled_order(&id)?, scene);
            let all = rungs.len();
            let work = rungs.iter().filter(|rung| rung.works()).count();
            let is_known = scene.store.orders.value().is_some() && work < all;
            is_known.then(|| format!(", {work} of {all} rungs still work,"))
        }
        Resource::Twap(id) => {
            let twap = scene.store.twap(&id)?;
            let (total, filled) = (twap.total_size?.abs(), twap.filled_size?.abs());
            let size = |size| twaps::sized(twap, size, scene);
            let left = size(total.minus(filled)?);
            Some(format!(", {} filled, {left} left,", size(filled)))
        }
        Resource::NewOrder | Resource::Order(_) | Resource::Position(_) | Resource::Account(_) => {
            None
        }
    }
}

/// `, leaves LONG BTC with NO STOP,`.
fn baring(command: &Command, scene: &Scene<'_>) -> String {
    let bared = command
        .cancels()
        .and_then(|id| protection::left_bare(id, &[id], scene));
    bared.map_or_else(String::new, |bared| format!(", leaves {bared},"))
}

/// A TWAP runs on after a close or cancel and may open the position again.
fn runs_on(scene: &Scene<'_>) -> Option<String> {
    words::twaps_still_run(scene.store.active_twaps().count())
}

/// A close-all does not cancel resting orders: a fill opens a position again.
pub(super) fn stays(scene: &Scene<'_>) -> Option<String> {
    let orders = scene.store.orders.rows().iter();
    let opens = |order: &&Order| {
        let is_own = order.twap_order_id.is_none();
        is_own && !order.reduce_only && order.is_working() && !scene.store.is_over(order)
    };
    let entries = match orders.filter(opens).count() {
        0 => None,
        1 => Some("1 entry still rests: F cancels it".to_owned()),
        n => Some(format!("{n} entries still rest: F cancels them")),
    };
    let words = words::listed([runs_on(scene), entries], ", ");
    (!words.is_empty()).then_some(words)
}

/// A command that is not given yet, described by the current state.
pub(super) fn named(command: &Command, scene: &Scene<'_>) -> String {
    words::command(command, &scene.store.object_of(command))
}
