//! Flips a position: closes it, then opens the same size in the other direction (`docs/delivery.md 3.5`).
//!
//! Contract: the second command is sent only after reads, sent after the close's response, show neither the position
//! nor an order that closes it. The desk's checks run again, within ten seconds of the request. The second command is
//! not recorded before it is sent, so after a crash only the close remains. An unknown or partial close, a close-all, a
//! halt, or any other change of the position ends the flip with nothing opened, and a message says so.

use super::flight::{objection, send};
use crate::{
    app::{
        account::{
            poll::Source,
            store::{
                Then,
                flips::{ClosedFlip, FlipStage, LOOK_AGAIN},
            },
        },
        activity::notice::Tone,
        desk::{model::Model, row_replacement},
        dialogs::{
            effect::Effect,
            next::Next,
            overlay::{Overlay, Strip, StripAction},
        },
        forms::open::terms,
        keys::keymap::{Action, Context},
        rules::{guard, halt, second},
    },
    model::{
        Command, Failure, Flip, FlipStanding, Market, Num, Order, OrderId, OrderStatus, PlaceKind,
        PlaceOrder, Position, Receipt, Resource, Ticket,
    },
};

#[cfg(test)]
mod tests;

/// The strip that asks; or why this position cannot be flipped now.
pub(crate) fn ask(model: &Model, position: &Position) -> Next {
    match plan(model, position) {
        Ok(flip) => {
            let strip = Strip::confirm(StripAction::Flip(Box::new(flip)), model.account.now);
            Next::Open(Box::new(Overlay::Strip(strip)))
        }
        Err(why) => Next::Refuse(format!("flip: {why}")),
    }
}

/// Both halves as they would be sent now. A flip that could not finish is not begun.
fn plan(model: &Model, position: &Position) -> Result<Flip, String> {
    let account_id = model.account.account_for("flip")?;
    if is_under_way(model, position) {
        return Err(format!("{} is being closed already", position.id));
    }
    let (market, side) = (&position.market_id, position.side());
    let side = side.ok_or("the side of this position is not known")?;
    let form_context = model.form_context();
    let terms = terms(Some(market), &form_context);
    let leverage = terms.leverage.parse();
    let habit = form_context.used.habit(Some(market), PlaceKind::Market);
    let slippage = habit.slippage.parse().ok();
    let order = PlaceOrder::market(
        account_id,
        market.clone(),
        side.opposite(),
        position.quantity(),
    );
    let order = PlaceOrder {
        leverage: leverage.map_err(|_| "the leverage of this position is not known")?,
        margin_mode: terms.margin_mode,
        slippage_tolerance: slippage.map(crate::model::Bps),
        ..order
    };
    let flip = Flip::new(position, order, model.account.now)?;
    match opening_objection(model, &flip) {
        Some(why) => Err(why),
        None => Ok(flip),
    }
}

/// Why the other way could not be opened now, if so.
fn opening_objection(model: &Model, flip: &Flip) -> Option<String> {
    let size = flip.position().quantity();
    let opening = Command::Place(Box::new(flip.opening(size, None)));
    let held = second::objection(model, &opening).or_else(|| halt::objection(model, &opening));
    let why = held.or_else(|| guard::objection(model, &opening))?;
    let key = model
        .keymap
        .chord(Context::Positions, Action::ClosePosition);
    let key = key.map_or_else(String::new, |key| format!("; {key} closes the position"));
    Some(format!("{why}{key}"))
}

fn is_under_way(model: &Model, position: &Position) -> bool {
    let resource = Resource::Position(position.id.clone());
    let mut flights = model.account.store.flights.values();
    let mut closed = model.account.store.flips.iter();
    flights.any(|flight| flight.command.facts().ends(&resource))
        || closed.any(|one| one.flip.position().id == position.id)
}

/// The strip is confirmed: sends the close.
pub(crate) fn begin(model: &mut Model, flip: Flip) -> Result<Vec<Effect>, String> {
    if is_under_way(model, flip.position()) {
        return Err(format!("{} is being closed already", flip.position().id));
    }
    let market = model.account.store.market(&flip.position().market_id);
    let close = Command::Close(flip.close(market.and_then(Market::mid)));
    if let Some(why) = objection(model, &close) {
        return Err(format!("{close}: {why}"));
    }
    if let Some(why) = opening_objection(model, &flip) {
        return Err(format!("flip: {why}"));
    }
    let flip = flip.agreed(model.account.now);
    row_replacement::flips(model, flip.position());
    let (ticket, effect) = send(model, close);
    if let Some(flight) = model.account.store.flights.get_mut(&ticket) {
        flight.then = Some(Then::Open(Box::new(flip)));
    }
    Ok(vec![effect])
}

/// The close has settled.
pub(crate) fn answered(
    model: &mut Model,
    flip: Box<Flip>,
    result: &Result<Receipt, Failure>,
) -> Option<Effect> {
    match result {
        Ok(Receipt::Order { order, .. }) => {
            let stage = stage(model, &flip, order);
            begin_reading(model, flip, stage)
        }
        Ok(_) => {
            let id = &flip.position().id;
            let words = format!(
                "flip stopped: {id} is closed, but the size that this close closed is not known; nothing is opened"
            );
            model.account.say(Tone::Alert, words);
            None
        }
        Err(why) => {
            let words = format!("flip stopped: nothing is opened: {}", why.message);
            model.account.say(Tone::Alert, words);
            None
        }
    }
}

fn stage(model: &Model, flip: &Flip, order: &Order) -> Result<FlipStage, String> {
    let closed = flip.closed_by(order)?;
    Ok(match closed {
        None => FlipStage::Closing(order.id.clone()),
        Some(size) => FlipStage::Closed {
            size,
            answered_at: model.account.now,
        },
    })
}

fn begin_reading(
    model: &mut Model,
    flip: Box<Flip>,
    stage: Result<FlipStage, String>,
) -> Option<Effect> {
    match stage {
        Ok(stage) => {
            let (flip, waits_for) = (flip, "its close".to_owned());
            model.account.store.flips.push(ClosedFlip {
                flip,
                stage,
                look_at: model.account.now,
                waits_for,
            });
            None
        }
        Err(words) => {
            model.account.say(Tone::Alert, words);
            None
        }
    }
}

/// A search ended, with these orders found: a working close may be done by now.
pub(crate) fn traced(model: &mut Model, asked: &[OrderId], found: &[Order]) {
    let is_asked =
        |one: &ClosedFlip| matches!(&one.stage, FlipStage::Closing(id) if asked.contains(id));
    let flips = std::mem::take(&mut model.account.store.flips);
    let (due, rest): (Vec<_>, Vec<_>) = flips.into_iter().partition(is_asked);
    model.account.store.flips = rest;
    for mut one in due {
        let FlipStage::Closing(id) = &one.stage else {
            continue;
        };
        let row = found.iter().find(|order| order.id == *id);
        let stage = row.map(|order| stage(model, &one.flip, order));
        match stage {
            Some(Err(words)) => model.account.say(Tone::Alert, words),
            Some(Ok(stage)) => {
                one.stage = stage;
                model.account.store.flips.push(one);
            }
            None => model.account.store.flips.push(one),
        }
    }
}

/// The next step of a flip.
enum FlipStep {
    Waits(String),
    Opens(Num),
    Ends(String),
}

/// Continues every flip whose reads or time allow it.
pub(crate) fn proceed(model: &mut Model) -> Vec<Effect> {
    if model.account.store.flips.is_empty() {
        return vec![];
    }
    let flips = std::mem::take(&mut model.account.store.flips);
    let mut effects = vec![];
    for mut one in flips {
        match step(model, &one) {
            FlipStep::Opens(size) => effects.extend(open(model, &one, size)),
            FlipStep::Ends(words) => model.account.say(Tone::Alert, words),
            FlipStep::Waits(words) => {
                one.waits_for = words;
                effects.extend(look(model, &mut one));
                model.account.store.flips.push(one);
            }
        }
    }
    effects
}

fn step(model: &Model, one: &ClosedFlip) -> FlipStep {
    let (flip, store) = (&one.flip, &model.account.store);
    if flip.is_late(model.account.now) {
        let words = format!(
            "flip stopped: nothing is opened: it took longer than 10 s ({})",
            one.waits_for
        );
        return FlipStep::Ends(words);
    }
    let (size, answered_at) = match &one.stage {
        FlipStage::Closing(id) => return FlipStep::Waits(format!("{id} still works")),
        FlipStage::Closed { size, answered_at } => (*size, *answered_at),
    };
    // A request of the same instant may have been sent before the response came.
    let since = Some(answered_at);
    let is_read = store.positions.at() > since && store.orders.at() > since;
    let lists = store.positions.value().zip(store.orders.value());
    let Some((open, working)) = lists.filter(|_| is_read) else {
        return FlipStep::Waits("positions and orders are being read".to_owned());
    };
    match flip.standing(open, working) {
        FlipStanding::Waits(why) => FlipStep::Waits(why),
        FlipStanding::Stopped(words) => FlipStep::Ends(words),
        FlipStanding::Gone => FlipStep::Opens(size),
    }
}

/// Requests the reads it waits for, at most twice a second.
fn look(model: &Model, one: &mut ClosedFlip) -> Option<Effect> {
    if model.account.now < one.look_at {
        return None;
    }
    one.look_at = model.account.now.plus(LOOK_AGAIN);
    Some(match &one.stage {
        FlipStage::Closing(id) => Effect::Trace(vec![id.clone()]),
        FlipStage::Closed { .. } => Effect::Poll(vec![Source::Positions, Source::Orders]),
    })
}

/// Nothing is left of the position: from here on it is an ordinary order.
fn open(model: &mut Model, one: &ClosedFlip, size: Num) -> Option<Effect> {
    let market = model.account.store.market(&one.flip.position().market_id);
    let observed = market.and_then(Market::mid);
    let command = Command::Place(Box::new(one.flip.opening(size, observed)));
    if let Some(why) = objection(model, &command) {
        let words = format!(
            "flip stopped: closed {}, nothing is opened: {why}",
            size.normalized()
        );
        model.account.say(Tone::Alert, words);
        return None;
    }
    let (ticket, effect) = send(model, command);
    if let Some(flight) = model.account.store.flights.get_mut(&ticket) {
        flight.then = Some(Then::EndFlip);
    }
    Some(effect)
}

/// The other half has settled: if it opened nothing, the position is flat.
pub(crate) fn opened(model: &mut Model, result: &Result<Receipt, Failure>) {
    let why = match result {
        Err(why) if !why.is_doubtful() => why.message.to_string(),
        Ok(Receipt::Order { order, .. }) if order.status.is(&OrderStatus::Rejected) => {
            order.reject_reason.clone().unwrap_or_default().to_string()
        }
        Ok(_) | Err(_) => return,
    };
    let words = format!("flip stopped: the position is closed, the other way is refused: {why}");
    model.account.say(Tone::Alert, words);
}

/// The close's outcome is unknown: it is resent with its key, and nothing follows it.
pub(crate) fn doubt(model: &mut Model, ticket: Ticket) {
    let flight = model.account.store.flights.get_mut(&ticket);
    let flip = flight.and_then(|flight| flight.then.take_if(|then| matches!(then, Then::Open(_))));
    if flip.is_some() {
        let words = "flip stopped: the outcome of the close is unknown; nothing is opened";
        model.account.say(Tone::Alert, words);
    }
}

/// A command that ends the position in another way ends its flip.
pub(crate) fn overtake(model: &mut Model, command: &Command) {
    let facts = command.facts();
    abandon(model, &format!("{command} was requested"), |flip| {
        facts.ends(&Resource::Position(flip.position().id.clone()))
    });
}

/// Drops the second half of these flips, and says why and what became of the first.
pub(crate) fn abandon(model: &mut Model, cause: &str, is_meant: impl Fn(&Flip) -> bool) {
    let store = &mut model.account.store;
    let mut ended = vec![];
    for flight in store.flights.values_mut() {
        let is_one = |then: &mut Then| matches!(then, Then::Open(flip) if is_meant(flip));
        if let Some(Then::Open(flip)) = flight.then.take_if(is_one) {
            ended.push(FlipStage::in_flight_words(&flip.position().id));
        }
    }
    store.flips.retain(|one| {
        let is_one = is_meant(&one.flip);
        if is_one {
            ended.push(one.stage.words(&one.flip.position().id));
        }
        !is_one
    });
    for state in ended {
        let words = format!("flip stopped: {cause}; {state}, nothing is opened");
        model.account.say(Tone::Alert, words);
    }
}
