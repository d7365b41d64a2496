//! Actions at a price of a market: from the ladder, and from the cursor of the chart.
//!
//! Contract: whatever is placed or moved goes through the form, its checks, the guard and the journal like any other
//! order. `SendMode::InForm` opens that form with price and size filled in. `SendMode::AtOnce` sends what the form
//! would send; an order that the form would ask about is refused. Cancels and protection need no order book; a new
//! order needs a live one.

use super::{of_row, send::send, submit::send_form};
use crate::{
    app::{
        activity::notice::Tone,
        desk::model::Model,
        dialogs::{
            next::{Next, Reply},
            overlay::{Bulk, Overlay, Strip, StripAction},
        },
        forms::form::Form,
        market::{
            book_state::{BookState, taken_by},
            own_orders::{OwnOrder, own_orders, own_position},
        },
        rules::{guard, objection::objection},
    },
    model::{
        Command, MarketId, Num, Order, OrderId, PlaceKind, Position, Protection, Side, Tick,
        TriggerDirection, draft::Field,
    },
};

#[cfg(test)]
mod tests;

/// A price of a market, as it was drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricePoint {
    pub market_id: MarketId,
    pub price: Num,
}

/// Whether the form is shown before sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SendMode {
    InForm,
    /// One-key trading.
    AtOnce,
}

/// A limit order there.
pub(crate) fn limit(model: &mut Model, side: Side, at: &PricePoint, mode: SendMode) -> Reply {
    let form = entry(model, (PlaceKind::Limit, side), at, Field::LimitPrice)?;
    let taken = model.account.store.books.of(&at.market_id);
    let taken = taken.and_then(|known| taken_by(known.value()?, side, at.price));
    let next = give(model, form, mode)?;
    if let (Next::AskEach(_), Some(best)) = (&next, taken) {
        let symbol = model.account.store.names.shown(&at.market_id);
        let (price, best) = (at.price.grouped(), best.grouped());
        let words = format!("fills now: {side} {symbol} {price} takes {best}");
        model.account.say(Tone::Warn, words);
    }
    Ok(next)
}

/// A stop order that opens a position when the mark reaches the price.
pub(crate) fn stop_entry(model: &mut Model, side: Side, at: &PricePoint, mode: SendMode) -> Reply {
    let direction = match side {
        Side::Buy => TriggerDirection::Above,
        Side::Sell => TriggerDirection::Below,
    };
    not_crossed(model, at, (direction, &format!("a {side} stop")))?;
    let what = (PlaceKind::StopMarket, side);
    let form = entry(model, what, at, Field::TriggerPrice)?;
    give(model, form, mode)
}

fn entry(
    model: &Model,
    (kind, side): (PlaceKind, Side),
    at: &PricePoint,
    field: Field,
) -> Result<Form, String> {
    let state = BookState::new(&model.account.store, &at.market_id, model.account.now);
    if let Some(why) = state
        .objection(&model.account.store.names.shown(&at.market_id))
        .or_else(|| guard::held(&model.account))
    {
        return Err(why);
    }
    let mut form = Form::new_order(&model.account, side, Some(&at.market_id))?;
    let form_context = model.account.form_context();
    form.be(kind, &form_context);
    form.draft.write(field, &at.price.to_string());
    if let Some(size) = size(model, at) {
        form.draft.write(Field::Size, &size);
    }
    form.guess_purpose(&form_context);
    form.focus_on(Field::Size);
    Ok(form)
}

/// What an order there is the size of unless another is typed: the preset that is on, at that price; without presets
/// that of the last order.
pub fn size(model: &Model, at: &PricePoint) -> Option<String> {
    let market = &at.market_id;
    let preset = model.size_preset_at(market, Some(at.price));
    let preset = preset.and_then(|on| on.size.ok());
    let used = || Some(model.account.used.of(Some(market))?.size.clone());
    preset.map(|size| size.to_string()).or_else(used)
}

/// # Errors
/// If a trigger there would fire at once.
fn not_crossed(
    model: &Model,
    at: &PricePoint,
    (direction, what): (TriggerDirection, &str),
) -> Result<(), String> {
    let Some(mark) = model.account.store.mark(&at.market_id) else {
        return Ok(());
    };
    let (is_there, place) = match direction {
        TriggerDirection::Above => (mark >= at.price, "above"),
        TriggerDirection::Below => (mark <= at.price, "below"),
    };
    if !is_there {
        return Ok(());
    }
    let (price, mark) = (at.price.grouped(), mark.grouped());
    Err(format!(
        "{what} is {place} the mark, {mark}: at {price} the trigger is already crossed"
    ))
}

/// Places a stop or target of the open position there, or moves the existing one.
pub(crate) fn protect(
    model: &mut Model,
    purpose: Protection,
    at: &PricePoint,
    mode: SendMode,
) -> Reply {
    let form = protection(model, purpose, at)?;
    give(model, form, mode)
}

fn protection(model: &Model, purpose: Protection, at: &PricePoint) -> Result<Form, String> {
    let symbol = model.account.store.names.shown(&at.market_id);
    let position = own_position(&model.account.store, &at.market_id);
    let position = position.ok_or_else(|| format!("no open position in {symbol}"))?;
    let side = position
        .side()
        .ok_or_else(|| format!("the side of the position in {symbol} is not known"))?;
    let losing = TriggerDirection::losing(side);
    let direction = match (purpose, losing) {
        (Protection::Stop, direction) => direction,
        (Protection::Target, TriggerDirection::Above) => TriggerDirection::Below,
        (Protection::Target, TriggerDirection::Below) => TriggerDirection::Above,
    };
    let what = format!(
        "a {} of a {}",
        purpose.word(),
        match side {
            Side::Buy => "long",
            Side::Sell => "short",
        }
    );
    not_crossed(model, at, (direction, &what))?;
    match known(model, purpose, position).as_slice() {
        [] => Ok(new_protection(model, position, (purpose, at.price))),
        [order] => {
            moved(model, order, at.price).map(|form| covering(form, purpose, (order, position)))
        }
        several => Err(format!(
            "{} {}s of {symbol}: pick up one of them at its price",
            several.len(),
            purpose.word()
        )),
    }
}

/// A stop that moves grows to the size of its position; a target may be for a part of it.
fn covering(mut form: Form, purpose: Protection, (order, position): (&Order, &Position)) -> Form {
    let held = position.quantity();
    if purpose == Protection::Stop && order.requested_size().abs() < held {
        form.draft.write(Field::Size, &held.to_string());
    }
    form
}

/// Its existing stops or targets.
fn known<'a>(model: &'a Model, purpose: Protection, position: &Position) -> Vec<&'a Order> {
    let orders = model.account.store.orders.rows().iter();
    let orders = orders.filter(|order| !model.account.store.is_over(order));
    orders
        .filter(|order| order.protects(position) == Some(purpose))
        .collect()
}

fn new_protection(model: &Model, position: &Position, (purpose, price): (Protection, Num)) -> Form {
    let mut form = Form::protect(position, model.account.store.orders.rows());
    let field = Field::from(purpose);
    form.draft.write(field, &price.to_string());
    form.focus_on(field);
    form.touch();
    form
}

/// The form that moves an order there, as if its price had been typed.
fn moved(model: &Model, order: &Order, price: Num) -> Result<Form, String> {
    let mut form = of_row::moved_to(&model.account, order, price)?;
    form.touch();
    Ok(form)
}

/// Moves an own order there, like `m` in the orders pane.
pub(crate) fn drop_order(
    model: &mut Model,
    id: &OrderId,
    at: &PricePoint,
    mode: SendMode,
) -> Reply {
    let order = model.account.store.order(id);
    let order = order.ok_or_else(|| format!("{id} is no longer known: nothing is moved"))?;
    if order.working_price() == Some(at.price) {
        return Err("nothing changed: the order is already at this price".to_owned());
    }
    let form = moved(model, order, at.price)?;
    give(model, form, mode)
}

/// The mode of a key that drops a carried order: its price was chosen on the screen, so a form is only for questions.
pub(crate) fn drop_mode(model: &Model, id: &OrderId, at: &PricePoint) -> SendMode {
    let order = model.account.store.order(id);
    let form = order.and_then(|order| moved(model, order, at.price).ok());
    let is_plain = |form: &Form| form.warnings(&model.account).is_empty();
    match form.filter(is_plain) {
        Some(_) => SendMode::AtOnce,
        None => SendMode::InForm,
    }
}

fn give(model: &mut Model, form: Form, mode: SendMode) -> Reply {
    match mode {
        SendMode::InForm => Ok(Next::open(form)),
        SendMode::AtOnce => send_at_once(model, form),
    }
}

/// The message for an order that the form would ask about: the first question.
fn question_hint(model: &Model, form: &Form) -> String {
    let context = model.account.form_context();
    let warnings = form.warnings(&model.account);
    let warned = warnings.first();
    let warned = warned.map(|warning| (model.reading.question)(warning, &form.seen(&context)));
    let warned = warned.unwrap_or_default();
    let stop = if warned.ends_with('?') { "" } else { "." };
    format!("not sent: {warned}{stop} End one-key trading, then the same key opens it in a form")
}

fn send_at_once(model: &mut Model, mut form: Form) -> Reply {
    let command = form.command(&model.account.form_context());
    let command = command.map_err(|faults| format!("not sent: {faults}"))?;
    if let Some(why) = objection(&model.account, &command) {
        return Err(why);
    }
    if form.must_ask(&model.account, &command) {
        return Err(question_hint(model, &form));
    }
    model.overlays.push(Overlay::Form(Box::new(form)));
    send_form(model, command)
        .map(Next::AskEach)
        .inspect_err(|_| drop(model.overlays.pop()))
}

/// The own orders of a row.
pub(crate) fn at_row<'a>(
    model: &'a Model,
    at: &'a PricePoint,
    spacing: Tick,
) -> impl Iterator<Item = OwnOrder<'a>> {
    let own = own_orders(&model.account.store, &at.market_id, spacing);
    own.filter(|own| own.row == at.price)
}

/// Why nothing of the trader's own can be acted on at this price.
pub(crate) fn none_here(at: &PricePoint) -> String {
    format!("no order of yours at {}", at.price.grouped())
}

/// Cancels the own orders of a row; asks first if a position would lose its stop.
pub(crate) fn cancel_here(model: &mut Model, at: &PricePoint, spacing: Tick) -> Reply {
    let open = model.account.store.positions.rows();
    let commands = at_row(model, at, spacing).map(|own| own.order.cancel(open));
    let commands: Vec<_> = commands.collect();
    let bares = |command: &Command| matches!(command, Command::Unprotect(_));
    let (store, now) = (&model.account.store, model.account.now);
    Ok(match commands.as_slice() {
        [] => return Err(none_here(at)),
        [one] if bares(one) => Next::open(Strip::confirm(one.clone(), now)),
        several if several.iter().any(bares) => {
            Next::open(Bulk::asking(commands, vec![], store, now))
        }
        _ => cancel_each(model, commands),
    })
}

fn cancel_each(model: &mut Model, commands: Vec<Command>) -> Next {
    let mut effects = vec![];
    for command in commands {
        if let Some(why) = objection(&model.account, &command) {
            model.account.activity.refuse(
                format!("{}: {why}", command.words(&model.account.store.names)),
                model.account.now,
            );
        } else {
            effects.push(send(model, command).1);
        }
    }
    Next::AskEach(effects)
}

/// Asks before it cancels every resting order of one side of a market.
pub(crate) fn cancel_side(model: &Model, side: Side, market: &MarketId) -> Reply {
    let account = model.account.account_for("cancel")?;
    let open = model.account.store.positions.rows();
    let orders = model.account.store.orders.rows().iter();
    let rests = orders
        .filter(|order| order.market_id == *market && order.side.is(&side))
        .filter(|order| {
            order.is_working() && !order.is_armed() && !model.account.store.is_over(order)
        });
    let commands: Vec<_> = rests.map(|order| order.cancel(open)).collect();
    if commands.is_empty() {
        let (word, symbol) = (side_word(side), model.account.store.names.shown(market));
        return Err(format!("you have no resting {word}s in {symbol}"));
    }
    let proposal = StripAction::CancelSide((account, market.clone(), side), commands);
    Ok(Next::open(Strip::confirm(proposal, model.account.now)))
}

/// What a resting order of this side is called.
pub fn side_word(side: Side) -> &'static str {
    match side {
        Side::Buy => "bid",
        Side::Sell => "ask",
    }
}
