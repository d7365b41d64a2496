//! Moves orders in place: the stops and targets of a position with one guarded batch, any other order by itself
//! (`docs/delivery.md 3.6`).
//!
//! Contract: a position keeps the stop it had until the service accepts the new price. A batch says what was seen; where
//! that has changed, the service refuses it, and it is sent once more after positions and orders were read again. One
//! move at a time per object: the latest request during a move starts when that is answered. A move that increases the
//! possible loss is blocked when new entries are. Where the service cannot move an order in place, [`amend`] replaces
//! it; what protects an open position is never replaced that way.

use super::{
    amend,
    flight::{objection, send},
    of_row, sent,
    submit::keep_form,
};
use crate::{
    app::{
        account::{
            poll::Source,
            store::{
                flips::LOOK_AGAIN,
                moves::{Attempt, ExitGoals, MoveStage, Moved, NewTerms, OrderMove},
            },
        },
        activity::notice::Tone,
        desk::model::Model,
        dialogs::{effect::Effect, overlay::Overlay},
        forms::form::{Form, FormInput, Replaces},
        keys::keymap::{Action, Context},
    },
    model::{
        Command, Failure, FailureKind, Num, OrderId, PlaceOrder, PositionId, Protection, Receipt,
        Ticket, Timestamp, WantedExits, draft::Field,
    },
};
use std::time::Duration;

mod plan;

pub use plan::{MovePlan, plan, planned};
pub(crate) use plan::{exit_of, terms_at};

#[cfg(test)]
mod tests;

/// How long reads may take to show the exits of a position.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// Sends the topmost form as a move of its order; or returns why not.
pub(crate) fn begin(
    model: &mut Model,
    old: &Replaces,
    wanted: Box<PlaceOrder>,
) -> Result<Vec<Effect>, String> {
    if let Some(Overlay::Form(form)) = model.overlays.last()
        && form.hand == FormInput::Untouched
    {
        return Err("nothing is changed".to_owned());
    }
    let MovePlan::InPlace(what) = planned(model, &old.order, &wanted)? else {
        amend::check(model, &old.order, &wanted)?;
        let form = sent::take(model);
        let old = (old.order.clone(), old.filled);
        return amend::start(model, old, (wanted, model.account.now), form);
    };
    if is_under_way(model, &what) {
        return Err(format!("{} is being moved already", old.order));
    }
    if let Some(why) = objection(model, &Command::Place(wanted)) {
        return Err(why);
    }
    let (ticket, effect) = start(model, (what, Attempt::First), model.account.now)?;
    let form = sent::take(model);
    keep_form(model, ticket, form);
    Ok(vec![effect])
}

/// Moves an order to `price`, or records that for after the move in progress; or returns why not.
pub(crate) fn to(model: &mut Model, id: &OrderId, price: Num) -> Result<Vec<Effect>, String> {
    if let Some(successor) = model.account.store.successor_mut(id) {
        of_row::reprice(&mut successor.order, price)?;
        return Ok(vec![]);
    }
    let order = model.account.store.order(id);
    let order = order.ok_or("this order is not listed any more")?;
    let exit_of = exit_of(&model.account.store, order);
    let is_stop = |position| order.protects(position) == Some(Protection::Stop);
    if order.has_two_prices() && !exit_of.is_some_and(is_stop) {
        let (order, size) = (id.clone(), None);
        let terms = NewTerms { order, price, size };
        return replaced(model, &terms, model.account.now, None);
    }
    let terms = terms_at(order, price)?;
    let what = match exit_of {
        Some(position) => Moved::Exits(ExitGoals::moving(position.id.clone(), vec![terms])),
        None => Moved::Order(terms),
    };
    apply(model, what)
}

/// Sends it, or records it for after the move in progress.
pub(crate) fn apply(model: &mut Model, what: Moved) -> Result<Vec<Effect>, String> {
    let mut moves = model.account.store.moves.iter_mut();
    if let Some(one) = moves.find(|one| one.what.is_beside(&what)) {
        one.then(what);
        return Ok(vec![]);
    }
    if let Some((since, ticket)) = unlisted(model, &what) {
        let one = OrderMove {
            what,
            later: None,
            since: model.account.now,
            ticket,
            stage: reading(Attempt::First, since, model.account.now),
        };
        model.account.store.moves.push(one);
        return Ok(vec![]);
    }
    let (_, effect) = start(model, (what, Attempt::First), model.account.now)?;
    Ok(vec![effect])
}

/// Sends the topmost form as the exits of its position, or records that for after the batch in progress.
pub(crate) fn protect(
    model: &mut Model,
    position: PositionId,
    wanted: WantedExits,
) -> Result<Vec<Effect>, String> {
    let what = Moved::Exits(ExitGoals::setting(position, wanted));
    if !is_under_way(model, &what) && is_reached(model, &what) {
        return Err("nothing is changed".to_owned());
    }
    let effects = apply(model, what)?;
    let form = sent::take(model);
    let sent = model
        .account
        .store
        .moves
        .last()
        .filter(|_| !effects.is_empty());
    if let Some(ticket) = sent.map(|sent| sent.ticket) {
        keep_form(model, ticket, form);
    }
    Ok(effects)
}

/// The last batch, if no list of orders shows yet what came of it: its exits would not be among the expected ones.
fn unlisted(model: &Model, what: &Moved) -> Option<(Timestamp, Ticket)> {
    let Moved::Exits(_) = what else {
        return None;
    };
    let last = model.account.store.exits_answered;
    last.filter(|(at, _)| model.account.store.orders.at() <= Some(*at))
}

fn reading(next: Attempt, since: Timestamp, look_at: Timestamp) -> MoveStage {
    MoveStage::Reading {
        next,
        since,
        look_at,
    }
}

fn is_under_way(model: &Model, what: &Moved) -> bool {
    let mut moves = model.account.store.moves.iter();
    moves.any(|one| one.what.is_beside(what))
}

fn start(
    model: &mut Model,
    (what, attempt): (Moved, Attempt),
    since: Timestamp,
) -> Result<(Ticket, Effect), String> {
    let mut ending = what.orders().iter().map(|terms| &terms.order);
    if let Some(id) = ending.find(|id| model.account.store.queued_cancels.contains(*id)) {
        return Err(format!("{id} is being canceled already"));
    }
    let command = what.command(&model.account.store)?;
    if let Some(why) = unsure(model, &command).or_else(|| objection(model, &command)) {
        return Err(why);
    }
    let (ticket, effect) = send(model, command);
    model.account.store.moves.push(OrderMove {
        what,
        later: None,
        since,
        ticket,
        stage: MoveStage::Sent(attempt),
    });
    Ok((ticket, effect))
}

/// A command has settled: if it was a move, ends or continues that. Its form is taken where it goes on.
pub(crate) fn settled(
    model: &mut Model,
    ticket: Ticket,
    result: &Result<Receipt, Failure>,
    form: &mut Option<Box<Form>>,
) -> Vec<Effect> {
    let moves = &model.account.store.moves;
    let Some(at) = moves.iter().position(|one| one.ticket == ticket) else {
        return vec![];
    };
    let one = model.account.store.moves.swap_remove(at);
    if let Moved::Exits(_) = one.what {
        model.account.store.exits_answered = Some((model.account.now, ticket));
    }
    let Err(why) = result else {
        return go_on(model, one);
    };
    let is_conflict = why.kind == FailureKind::Conflict;
    match (&one.what, &one.stage) {
        (Moved::Order(_), _) if is_not_moved_in_place(why) => {
            return replace(model, one, form.take());
        }
        (Moved::Exits(_), MoveStage::Sent(Attempt::First)) if is_conflict => {
            keep_form(model, ticket, form.take());
            read(model, one, Attempt::Second);
        }
        (Moved::Exits(_), _) if is_conflict => {
            let words = format!("the exits have changed again ({})", why.message);
            stays(model, &one.what, &words);
        }
        (Moved::Order(_) | Moved::Exits(_), _) => {
            stays(model, &one.what, &why.message.to_string());
        }
    }
    vec![]
}

/// Whether a refused `PATCH` is followed by cancel/replace: the service does not change this order in place. Where it
/// refuses the new terms, the replacement would be refused too, and the order would be gone.
pub fn is_not_moved_in_place(why: &Failure) -> bool {
    why.kind == FailureKind::Conflict || why.says_not_modifiable()
}

/// What was requested meanwhile starts.
fn go_on(model: &mut Model, one: OrderMove) -> Vec<Effect> {
    match one.later {
        None => vec![],
        Some(what @ Moved::Exits(_)) => {
            let next = OrderMove {
                what,
                later: None,
                ..one
            };
            read(model, next, Attempt::First);
            vec![]
        }
        Some(what @ Moved::Order(_)) => again(model, (what, Attempt::First), one.since),
    }
}

fn again(model: &mut Model, (what, attempt): (Moved, Attempt), since: Timestamp) -> Vec<Effect> {
    if is_reached(model, &what) {
        return vec![];
    }
    match start(model, (what.clone(), attempt), since) {
        Ok((_, effect)) => vec![effect],
        Err(why) => {
            stays(model, &what, &why);
            vec![]
        }
    }
}

/// Whether the exits are so by now: a batch without operations is not sent.
fn is_reached(model: &Model, what: &Moved) -> bool {
    what.command(&model.account.store)
        .is_ok_and(|command| is_without_effect(&command))
}

/// Whether it is a batch that changes nothing.
pub fn is_without_effect(command: &Command) -> bool {
    matches!(command, Command::ExitBatch(batch) if batch.operations.is_empty())
}

/// From now on lists decide.
fn read(model: &mut Model, one: OrderMove, next: Attempt) {
    let stage = reading(next, model.account.now, model.account.now);
    model.account.store.moves.push(OrderMove { stage, ..one });
}

/// The service does not move this order: it is canceled, and what is left of it is placed at the new price.
fn replace(model: &mut Model, one: OrderMove, form: Option<Box<Form>>) -> Vec<Effect> {
    let (since, what) = (one.since, one.with_later());
    let result = match &what {
        Moved::Order(terms) => replaced(model, terms, since, form),
        Moved::Exits(_) => Ok(vec![]),
    };
    result.unwrap_or_else(|why| {
        stays(model, &what, &why);
        vec![]
    })
}

fn replaced(
    model: &mut Model,
    terms: &NewTerms,
    since: Timestamp,
    form: Option<Box<Form>>,
) -> Result<Vec<Effect>, String> {
    let order = model.account.store.order(&terms.order);
    let order = order.ok_or("it is not listed any more")?;
    let mut moved = of_row::moved_to(model, order, terms.price)?;
    if let Some(size) = terms.size {
        moved.draft.write(Field::Size, &size.to_string());
    }
    let filled = moved.replaces.as_ref().map(|old| old.filled);
    let command = moved.draft.command(&moved.seen(&model.form_context()));
    let Command::Place(order) = command.map_err(|faults| faults.to_string())? else {
        return Err("an order of this type cannot be replaced".to_owned());
    };
    amend::check(model, &terms.order, &order)?;
    let old = (terms.order.clone(), filled.unwrap_or_default());
    amend::start(model, old, (order, since), form)
}

fn stays(model: &mut Model, what: &Moved, why: &str) {
    let names = what.names();
    let verb = match (what, names.as_slice()) {
        (Moved::Exits(goals), _) if goals.moved.is_empty() => "stay as they are",
        (_, [_]) => "stays as it is",
        _ => "stay as they are",
    };
    let names = names.join(", ");
    model
        .account
        .say(Tone::Alert, format!("not moved, {names} {verb}: {why}"));
}

/// Continues every move whose reads or time allow it.
pub(crate) fn proceed(model: &mut Model) -> Vec<Effect> {
    let is_reading = |one: &OrderMove| one.look_at().is_some();
    // A mutable borrow of the store draws every place of the screen anew.
    if !model.account.store.moves.iter().any(is_reading) {
        return vec![];
    }
    let (reading, sent): (Vec<_>, Vec<_>) = std::mem::take(&mut model.account.store.moves)
        .into_iter()
        .partition(is_reading);
    model.account.store.moves = sent;
    reading.into_iter().flat_map(|one| go(model, one)).collect()
}

fn go(model: &mut Model, mut one: OrderMove) -> Vec<Effect> {
    let MoveStage::Reading {
        next,
        since,
        look_at,
    } = &mut one.stage
    else {
        return vec![];
    };
    let store = &model.account.store;
    let (next, asked, decided) = (*next, *since, one.since);
    if store.orders.at() > Some(asked) && store.positions.at() > Some(asked) {
        let form = model.sent_forms.remove(&one.ticket);
        let effects = again(model, (one.with_later(), next), decided);
        if let Some(sent) = model
            .account
            .store
            .moves
            .last()
            .filter(|_| !effects.is_empty())
        {
            keep_form(model, sent.ticket, form);
        }
        return effects;
    }
    if model.account.now.since(asked) > READ_TIMEOUT {
        let within = READ_TIMEOUT.as_secs();
        let words = format!("positions and orders were not read within {within} s");
        stays(model, &one.what, &words);
        return vec![];
    }
    let is_due = *look_at <= model.account.now;
    if is_due {
        *look_at = model.account.now.plus(LOOK_AGAIN);
    }
    model.account.store.moves.push(one);
    let polls = || Effect::Poll(vec![Source::Orders, Source::Positions]);
    is_due.then(polls).into_iter().collect()
}

/// The command's outcome is for a person to decide: nothing follows it.
pub(crate) fn park(model: &mut Model, ticket: Ticket) {
    model.account.store.moves.retain(|one| one.ticket != ticket);
}

/// Nothing follows a close-all, a cancel-all or a flatten, or a cancel of the order.
pub(crate) fn overtake(model: &mut Model, command: &Command) {
    let ends_all = matches!(
        command,
        Command::CloseAll(_) | Command::CancelAll(_) | Command::Flatten(_)
    );
    if ends_all {
        model
            .account
            .store
            .moves
            .retain(|one| one.look_at().is_none());
        for one in &mut model.account.store.moves {
            one.later = None;
        }
    } else if let Some(canceled) = command.cancels() {
        drop_order(model, canceled);
    }
}

fn drop_order(model: &mut Model, canceled: &OrderId) {
    let is_of = |what: &Moved| what.orders().iter().any(|terms| terms.order == *canceled);
    let moves = &mut model.account.store.moves;
    moves.retain(|one| one.look_at().is_none() || !is_of(&one.what));
    for one in moves {
        one.later = one.later.take().and_then(|later| later.without(canceled));
    }
}

/// Why no exit is placed: a batch that may have placed one waits for a person.
fn unsure(model: &Model, command: &Command) -> Option<String> {
    let places = |command: &Command| {
        let Command::ExitBatch(batch) = command else {
            return None;
        };
        batch.places().then(|| batch.position_id.clone())
    };
    let position = places(command)?;
    let mut parked = model.account.store.parked();
    parked.find(|ticket| {
        let flight = model.account.store.flights.get(ticket);
        flight.and_then(|flight| places(&flight.command)).as_ref() == Some(&position)
    })?;
    let key = model.keymap.chord(Context::Desk, Action::Decide);
    let key = key.map_or_else(String::new, |key| format!(": {key} decides"));
    Some(format!(
        "status unknown: the exits of this position may have changed{key}"
    ))
}
