//! The commands that trade. Names are looked up in the desk's data; the same drafts as in the forms and the CLI build
//! the command.

use super::{
    CommandArgs, Word,
    fill::{fill, market, opened, parsed},
};
use crate::{
    app::{
        account::{lookup::several_positions, poll::Source, row_id::RowId},
        desk::model::Model,
        dialogs::{
            next::Next,
            overlay::{Bulk, Strip},
        },
        forms::form::Form,
        keys::keymap::Action,
        orders::of_row,
        tables::table_view::Fault,
    },
    model::{Command, Order, PlaceKind, Position, Side, draft::Field},
};

pub(super) fn place(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    if let Some(side) = args.flag("--side") {
        return order(model, args, parsed(side)?, 0);
    }
    let side = args.needed(0, "buy or sell")?;
    order(model, args, parsed(side)?, 1)
}

pub(super) fn buy(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    order(model, args, Side::Buy, 0)
}

pub(super) fn sell(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    order(model, args, Side::Sell, 0)
}

/// Fills the order form from `MARKET SIZE [PRICE]` and the flags; the form asks, and shows errors.
fn order(model: &mut Model, args: &CommandArgs, side: Side, skip: usize) -> Result<Next, Fault> {
    let price = price_at(args, skip)?;
    args.at_most(price + 1)?;
    let market = match (args.flag("--market"), args.word(skip)) {
        (Some(word), _) | (None, Some(word)) => Some(market(model, word)?),
        (None, None) => None,
    };
    let mut form = match Form::new_order(&model.account, side, market.as_ref()) {
        Ok(form) => form,
        Err(why) => return Ok(Next::Refuse(why)),
    };
    form.be(kind(args, price)?, &model.account.form_context());
    form.guess_purpose(&model.account.form_context());
    let words = [
        (Field::Size, args.word(skip + 1)),
        (Field::LimitPrice, args.word(price)),
    ];
    fill(model, &mut form, args, words)?;
    Ok(opened(form))
}

/// The position of the price: after the size, with or without the word `limit`.
fn price_at(args: &CommandArgs, skip: usize) -> Result<usize, Fault> {
    let at = skip + 2;
    let is_named = |word: &Word| word.text.eq_ignore_ascii_case("limit");
    if !args.word(at).is_some_and(is_named) {
        return Ok(at);
    }
    args.needed(at + 1, "a price: limit 60000")?;
    Ok(at + 1)
}

/// A price implies the type if it is not given: without one it is a market order, whatever came before.
fn kind(args: &CommandArgs, price: usize) -> Result<PlaceKind, Fault> {
    let has_price = args.word(price).is_some() || args.flag("--limit-price").is_some();
    match args.flag("--type") {
        Some(word) => parsed(word),
        None if has_price => Ok(PlaceKind::Limit),
        None => Ok(PlaceKind::Market),
    }
}

/// `ORDER_ID…`, or the working orders of a market, of a side, or all of them.
pub(super) fn cancel(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    let is_filtered = args.has("--market").or(args.has("--side"));
    match (args.has("--all"), is_filtered) {
        (Some(_), Some(filter)) => return Err(filter.fault("--all cancels every order")),
        (Some(_), None) => {
            args.at_most(0)?;
            return Ok(Next::Press(Action::CancelAll));
        }
        (None, Some(_)) => return matching(model, args),
        (None, None) => {}
    }
    args.needed(0, "which orders: ids, --market, --side or --all")?;
    for id in &args.words {
        let order = id.text.as_str().into();
        if model.account.store.order(&order).is_none() {
            return Err(id.fault("no such order here; Tab lists the working ones"));
        }
    }
    cancel_rows(model, args.words.iter(), |id| RowId::Order(id.into()))
}

/// Each as the key does on its row; several as a list to confirm.
pub(super) fn cancel_rows<'a>(
    model: &Model,
    ids: impl Iterator<Item = &'a Word>,
    row: fn(&str) -> RowId,
) -> Result<Next, Fault> {
    let command = |word: &Word| {
        of_row::cancel_of(&model.account, &row(&word.text)).map_err(|why| word.fault(why))
    };
    let commands = ids.map(command).collect::<Result<Vec<_>, _>>()?;
    match <[Command; 1]>::try_from(commands) {
        Ok([command]) => Ok(strip(model, command)),
        Err(commands) => Ok(list(model, commands)),
    }
}

/// A list to confirm.
fn list(model: &Model, commands: Vec<Command>) -> Next {
    let (store, now) = (&model.account.store, model.account.now);
    Next::open(Bulk::asking(commands, vec![], store, now))
}

/// The working orders of a market, of a side, or of a side of a market.
fn matching(model: &Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(0)?;
    let named = args.flag("--market").map(|word| market(model, word));
    let named = named.transpose()?;
    let side = args.flag("--side").map(parsed::<Side>).transpose()?;
    let orders = model.account.store.orders.rows().iter();
    let wanted = orders.filter(|order| {
        order.is_working()
            && named
                .as_ref()
                .is_none_or(|market| order.market_id == *market)
            && side.is_none_or(|side| order.side.known() == Some(side))
    });
    let positions = model.account.store.positions.rows();
    let commands: Vec<_> = wanted.map(|order| order.cancel(positions)).collect();
    if commands.is_empty() {
        return Err(args.missing("no working order matches"));
    }
    Ok(list(model, commands))
}

pub(super) fn stop(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    exit_of(model, args, Field::StopLoss)
}

pub(super) fn target(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    exit_of(model, args, Field::TakeProfit)
}

/// The form of the exits of a position, with this one.
fn exit_of(model: &Model, args: &CommandArgs, leg: Field) -> Result<Next, Fault> {
    args.at_most(2)?;
    let price = args.needed(1, "a price, or none")?;
    let mut form = Form::protect(position(model, args)?, model.account.store.orders.rows());
    fill(model, &mut form, args, [(leg, Some(price))])?;
    Ok(Next::open(form))
}

pub(super) fn exits(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(1)?;
    let id = args.needed(0, "of what: a market, a position id or an order id")?;
    let mut form = match model.account.store.order(&id.text.as_str().into()) {
        Some(order) if takes_exits(order) => Form::exits(order),
        Some(_) => {
            return Err(id.fault("attached exits can be changed on a resting limit order only"));
        }
        None => Form::protect(position(model, args)?, model.account.store.orders.rows()),
    };
    fill(model, &mut form, args, [])?;
    Ok(Next::open(form))
}

/// Open positions and resting orders.
pub(super) fn exits_offered(model: &Model) -> Vec<String> {
    let mut offered = held(model);
    offered.extend(resting(model));
    offered
}

fn takes_exits(order: &Order) -> bool {
    order.is_working() && !order.is_armed()
}

pub(super) fn margin(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(2)?;
    let position = position(model, args)?;
    if !position.is_isolated() {
        let what = "a cross position has no isolated margin";
        return Err(args.needed(0, what)?.fault(what));
    }
    let mut form = Form::margin(position);
    fill(model, &mut form, args, [(Field::ExtraMargin, args.word(1))])?;
    Ok(opened(form))
}

/// The strip that asks before a close or cancel.
pub(super) fn strip(model: &Model, command: Command) -> Next {
    Next::open(Strip::confirm(command, model.account.now))
}

/// The open position of a line: by id, by market, or the selected one by default.
pub(super) fn position<'a>(model: &'a Model, args: &CommandArgs) -> Result<&'a Position, Fault> {
    let Some(word) = args.word(0) else {
        let held = match model.selected() {
            Some(RowId::Position(id)) => model.account.store.position(&id),
            _ => None,
        };
        return held.ok_or_else(|| args.missing("which position: a market or an id"));
    };
    match model.account.store.positions_named(&word.text).as_slice() {
        [position] => Ok(*position),
        [] => {
            market(model, word)?;
            let is_partly_read = model.account.store.is_incomplete(Source::Positions);
            Err(word.fault(if is_partly_read {
                "no open position is known in this market, but not every row can be read"
            } else {
                "no open position in this market"
            }))
        }
        several => Err(word.fault(several_positions(&word.text, several))),
    }
}

pub(super) fn markets(model: &Model) -> Vec<String> {
    let known = model.account.store.known_markets();
    known
        .iter()
        .map(|id| model.account.store.names.typed(id))
        .collect()
}

/// Open positions, by market and by id.
pub(super) fn held(model: &Model) -> Vec<String> {
    let rows = model.account.store.positions.rows().iter();
    let names = rows
        .clone()
        .map(|p| model.account.store.names.typed(&p.market_id));
    names.chain(rows.map(|p| p.id.to_string())).collect()
}

pub(super) fn cancelable(model: &Model) -> Vec<String> {
    let orders = model.account.store.orders.rows().iter();
    let ids = orders.filter(|o| o.is_working()).map(|o| o.id.to_string());
    ids.collect()
}

pub(super) fn resting(model: &Model) -> Vec<String> {
    let orders = model.account.store.orders.rows().iter();
    let resting = orders.filter(|order| takes_exits(order));
    resting.map(|order| order.id.to_string()).collect()
}
