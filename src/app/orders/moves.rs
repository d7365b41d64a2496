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
                Store,
                flips::LOOK_AGAIN,
                moves::{Attempt, MoveStage, Moved, NewTerms, OrderMove},
            },
        },
        activity::notice::Tone,
        desk::model::Model,
        dialogs::{effect::Effect, overlay::Overlay},
        forms::form::{Form, FormInput, Replaces},
    },
    model::{
        Command, Failure, FailureKind, Num, Order, OrderId, Page, PlaceOrder, Position, Protection,
        Receipt, Ticket, Timestamp, draft::Field,
    },
};
use std::time::Duration;

#[cfg(test)]
mod tests;

/// How long reads may take to show the exits of a position.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// How an order is moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MovePlan {
    InPlace(Moved),
    /// More changes than price and size: it is canceled, and what is left is placed anew.
    Replace,
}

/// Compares the order as its form first showed it with what is wanted.
///
/// # Errors
/// If it protects a position, or may, and cannot be moved without leaving that bare.
pub fn plan(
    store: &Store,
    order: &Order,
    (shown, wanted): (&PlaceOrder, &PlaceOrder),
) -> Result<MovePlan, String> {
    if may_stop(store, order) {
        return Err(format!(
            "whether {} stops an open position is not known: wait until all positions are listed",
            order.id
        ));
    }
    let terms = terms(order, (shown, wanted));
    match (exit_of(store, order), terms) {
        (Some(position), Some(terms)) => {
            let id = position.id.clone();
            Ok(MovePlan::InPlace(Moved::Exits(id, vec![terms])))
        }
        (Some(position), None) if order.protects(position) == Some(Protection::Stop) => {
            Err(only_terms(order))
        }
        (None, Some(terms)) => Ok(MovePlan::InPlace(Moved::Order(terms))),
        (_, None) => Ok(MovePlan::Replace),
    }
}

/// Without the positions a stop cannot be told from another armed order.
fn may_stop(store: &Store, order: &Order) -> bool {
    let is_read = store.positions.value().is_some_and(Page::is_whole);
    !is_read && order.is_armed() && order.may_close()
}

fn only_terms(order: &Order) -> String {
    let id = &order.id;
    if has_two_prices(order) {
        return format!("{id} has a trigger and a limit: place another one, then cancel it");
    }
    format!("{id} protects a position: only its price and size can be changed")
}

/// A move names one price.
fn has_two_prices(order: &Order) -> bool {
    order.is_armed() && order.limit_price.is_some()
}

/// The open position that this order stops, or takes the profit of.
pub(crate) fn exit_of<'a>(store: &'a Store, order: &Order) -> Option<&'a Position> {
    let mut open = store.positions.rows().iter();
    open.find(|position| order.protects(position).is_some())
}

/// The new price and size, if nothing else changes.
fn terms(order: &Order, (shown, wanted): (&PlaceOrder, &PlaceOrder)) -> Option<NewTerms> {
    if has_two_prices(order) {
        return None;
    }
    let trigger = wanted.trigger.as_ref().map(|trigger| trigger.price);
    let mut moved = PlaceOrder {
        size: wanted.size,
        limit_price: wanted.limit_price,
        expected_price: wanted.expected_price,
        ..shown.clone()
    };
    if let (Some(moved), Some(price)) = (&mut moved.trigger, trigger) {
        moved.price = price;
    }
    (moved == *wanted).then_some(NewTerms {
        order: order.id.clone(),
        price: trigger.or(wanted.limit_price)?,
        size: (wanted.size != shown.size).then_some(wanted.size),
    })
}

/// How a form moves its order.
///
/// # Errors
/// As [`plan`].
pub fn planned(model: &Model, old: &OrderId, wanted: &PlaceOrder) -> Result<MovePlan, String> {
    let Some(order) = model.store.order(old) else {
        return Ok(MovePlan::Replace);
    };
    let form = of_row::moved(model, order)?;
    match form.draft.command(&form.seen(&model.form_context())) {
        Ok(Command::Place(shown)) => plan(&model.store, order, (&shown, wanted)),
        Ok(_) | Err(_) => Ok(MovePlan::Replace),
    }
}

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
        return amend::start(model, old, (wanted, model.now), form);
    };
    if is_under_way(model, &what) {
        return Err(format!("{} is being moved already", old.order));
    }
    if let Some(why) = objection(model, &Command::Place(wanted)) {
        return Err(why);
    }
    let (ticket, effect) = start(model, (what, Attempt::First), model.now)?;
    let form = sent::take(model);
    keep_form(model, ticket, form);
    Ok(vec![effect])
}

/// Moves an order to `price`, or records that for after the move in progress; or returns why not.
pub(crate) fn to(model: &mut Model, id: &OrderId, price: Num) -> Result<Vec<Effect>, String> {
    if let Some(successor) = model.store.successor_mut(id) {
        of_row::reprice(&mut successor.order, price)?;
        return Ok(vec![]);
    }
    let order = model.store.order(id);
    let order = order.ok_or("this order is not listed any more")?;
    let exit_of = exit_of(&model.store, order);
    let is_stop = |position| order.protects(position) == Some(Protection::Stop);
    if has_two_prices(order) && !exit_of.is_some_and(is_stop) {
        let (order, size) = (id.clone(), None);
        let terms = NewTerms { order, price, size };
        return replaced(model, &terms, model.now, None);
    }
    let terms = terms_at(order, price)?;
    let what = match exit_of {
        Some(position) => Moved::Exits(position.id.clone(), vec![terms]),
        None => Moved::Order(terms),
    };
    apply(model, what)
}

/// The same order at another price.
///
/// # Errors
/// If a move cannot say what it becomes.
pub(crate) fn terms_at(order: &Order, price: Num) -> Result<NewTerms, String> {
    if has_two_prices(order) {
        return Err(only_terms(order));
    }
    let (order, size) = (order.id.clone(), None);
    Ok(NewTerms { order, price, size })
}

/// Sends it, or records it for after the move in progress.
pub(crate) fn apply(model: &mut Model, what: Moved) -> Result<Vec<Effect>, String> {
    let mut moves = model.store.moves.iter_mut();
    if let Some(one) = moves.find(|one| one.what.is_beside(&what)) {
        one.then(what.to());
        return Ok(vec![]);
    }
    let (_, effect) = start(model, (what, Attempt::First), model.now)?;
    Ok(vec![effect])
}

fn is_under_way(model: &Model, what: &Moved) -> bool {
    let mut moves = model.store.moves.iter();
    moves.any(|one| one.what.is_beside(what))
}

fn start(
    model: &mut Model,
    (what, attempt): (Moved, Attempt),
    since: Timestamp,
) -> Result<(Ticket, Effect), String> {
    let mut ending = what.to().iter().map(|terms| &terms.order);
    if let Some(id) = ending.find(|id| model.store.queued_cancels.contains(*id)) {
        return Err(format!("{id} is being canceled already"));
    }
    let command = what.command(&model.store)?;
    if let Some(why) = objection(model, &command) {
        return Err(why);
    }
    let (ticket, effect) = send(model, command);
    model.store.moves.push(OrderMove {
        what,
        later: vec![],
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
    let moves = &model.store.moves;
    let Some(at) = moves.iter().position(|one| one.ticket == ticket) else {
        return vec![];
    };
    let one = model.store.moves.swap_remove(at);
    let why = match result {
        Ok(_) => return go_on(model, one),
        Err(why) => why,
    };
    let is_conflict = why.kind == FailureKind::Conflict;
    match (&one.what, &one.stage) {
        (Moved::Order(_), _) if is_not_moved_in_place(why) => {
            return replace(model, one, form.take());
        }
        (Moved::Exits(..), MoveStage::Sent(Attempt::First)) if is_conflict => {
            keep_form(model, ticket, form.take());
            read(model, one, Attempt::Second);
        }
        (Moved::Exits(..), _) if is_conflict => {
            let words = format!("the exits have changed again ({})", why.message);
            stays(model, one.what.to(), &words);
        }
        (Moved::Order(_) | Moved::Exits(..), _) => {
            stays(model, one.what.to(), &why.message.to_string());
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
    let (ticket, since) = (one.ticket, one.since);
    match one.only_later() {
        None => vec![],
        Some(what @ Moved::Exits(..)) => {
            let stage = MoveStage::Sent(Attempt::First);
            let next = OrderMove {
                what,
                later: vec![],
                since,
                ticket,
                stage,
            };
            read(model, next, Attempt::First);
            vec![]
        }
        Some(what) => again(model, (what, Attempt::First), since),
    }
}

fn again(model: &mut Model, (what, attempt): (Moved, Attempt), since: Timestamp) -> Vec<Effect> {
    let terms = what.to().to_vec();
    match start(model, (what, attempt), since) {
        Ok((_, effect)) => vec![effect],
        Err(why) => {
            stays(model, &terms, &why);
            vec![]
        }
    }
}

/// From now on lists decide.
fn read(model: &mut Model, one: OrderMove, next: Attempt) {
    let (since, look_at) = (model.now, model.now);
    let stage = MoveStage::Reading {
        next,
        since,
        look_at,
    };
    model.store.moves.push(OrderMove { stage, ..one });
}

/// The service does not move this order: it is canceled, and what is left of it is placed at the new price.
fn replace(model: &mut Model, one: OrderMove, form: Option<Box<Form>>) -> Vec<Effect> {
    let (since, what) = (one.since, one.with_later());
    let result = match what.to() {
        [terms] => replaced(model, terms, since, form),
        _ => Ok(vec![]),
    };
    result.unwrap_or_else(|why| {
        stays(model, what.to(), &why);
        vec![]
    })
}

fn replaced(
    model: &mut Model,
    terms: &NewTerms,
    since: Timestamp,
    form: Option<Box<Form>>,
) -> Result<Vec<Effect>, String> {
    let order = model.store.order(&terms.order);
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

fn stays(model: &mut Model, terms: &[NewTerms], why: &str) {
    let ids: Vec<_> = terms.iter().map(|terms| terms.order.to_string()).collect();
    let (ids, verb) = (
        ids.join(", "),
        if ids.len() == 1 {
            "stays as it is"
        } else {
            "stay as they are"
        },
    );
    model.say(Tone::Alert, format!("not moved, {ids} {verb}: {why}"));
}

/// Continues every move whose reads or time allow it.
pub(crate) fn proceed(model: &mut Model) -> Vec<Effect> {
    let is_reading = |one: &OrderMove| one.look_at().is_some();
    // A mutable borrow of the store draws every place of the screen anew.
    if !model.store.moves.iter().any(is_reading) {
        return vec![];
    }
    let (reading, sent): (Vec<_>, Vec<_>) = std::mem::take(&mut model.store.moves)
        .into_iter()
        .partition(is_reading);
    model.store.moves = sent;
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
    let store = &model.store;
    let (next, asked, decided) = (*next, *since, one.since);
    if store.orders.at() > Some(asked) && store.positions.at() > Some(asked) {
        let form = model.sent_forms.remove(&one.ticket);
        let effects = again(model, (one.with_later(), next), decided);
        if let Some(sent) = model.store.moves.last().filter(|_| !effects.is_empty()) {
            keep_form(model, sent.ticket, form);
        }
        return effects;
    }
    if model.now.since(asked) > READ_TIMEOUT {
        let within = READ_TIMEOUT.as_secs();
        let words = format!("positions and orders were not read within {within} s");
        stays(model, one.what.to(), &words);
        return vec![];
    }
    let is_due = *look_at <= model.now;
    if is_due {
        *look_at = model.now.plus(LOOK_AGAIN);
    }
    model.store.moves.push(one);
    let polls = || Effect::Poll(vec![Source::Orders, Source::Positions]);
    is_due.then(polls).into_iter().collect()
}

/// The command's outcome is for a person to decide: nothing follows it.
pub(crate) fn park(model: &mut Model, ticket: Ticket) {
    model.store.moves.retain(|one| one.ticket != ticket);
}

/// Nothing follows a close-all, a cancel-all or a flatten, or a cancel of the order.
pub(crate) fn overtake(model: &mut Model, command: &Command) {
    let ends_all = matches!(
        command,
        Command::CloseAll(_) | Command::CancelAll(_) | Command::Flatten(_)
    );
    let canceled = command.cancels();
    let is_ended = |terms: &NewTerms| ends_all || canceled == Some(&terms.order);
    for one in &mut model.store.moves {
        one.later.retain(|terms| !is_ended(terms));
    }
    let reads_of_ended =
        |one: &OrderMove| one.look_at().is_some() && one.what.to().iter().any(is_ended);
    model.store.moves.retain(|one| !reads_of_ended(one));
}
