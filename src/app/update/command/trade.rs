//! The commands that trade. Names are looked up in the desk's data; the same drafts as in the forms and the CLI build
//! the command.

use super::{CommandArgs, Word};
use crate::{
    app::{
        account::{lookup::several_positions, row_id::RowId},
        desk::model::Model,
        dialogs::{
            next::Next,
            overlay::{Bulk, Overlay, Strip},
        },
        forms::form::Form,
        keys::keymap::Action,
        orders::of_row,
        tables::table_view::Fault,
        update::act,
    },
    model::{
        Command, MarginMode, MarketId, Order, PlaceKind, Position, Side, TimeInForce, ambiguous,
        draft::{Draft, Field, times_in_force},
    },
};
use std::str::FromStr;
use strum::IntoEnumIterator as _;

pub(super) const PLACE_FLAGS: &[&str] = &[
    "--market=",
    "--side=",
    "--type=",
    "--size=",
    "--limit-price=",
    "--tif=",
    "--leverage=",
    "--margin-mode=",
    "--take-profit=",
    "--stop-loss=",
    "--slippage-bps=",
    "--gtd-expires-at=",
    "--trigger-price=",
    "--chase-offset=",
    "--chase-cap-price=",
    "--expected-price=",
    "--trigger-direction=",
    "--trigger-market-id=",
    "--target-position-id=",
    "--reduce-only",
];

/// The text fields of a form that flags fill.
pub(super) fn texts(args: &CommandArgs) -> impl Iterator<Item = (Field, &Word)> {
    let typed = Field::iter().filter(|field| field.is_typed());
    typed.filter_map(|field| Some((field, args.flag(field.flag())?)))
}

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

/// A word of a closed vocabulary.
pub(super) fn parsed<T: FromStr>(word: &Word) -> Result<T, Fault> {
    let wrong = |_| word.fault(format!("{:?} is not one of the choices", word.text));
    word.text.to_lowercase().parse().map_err(wrong)
}

/// Fills the order form from `MARKET SIZE [PRICE]` and the flags; the form asks, and shows errors.
fn order(model: &mut Model, args: &CommandArgs, side: Side, skip: usize) -> Result<Next, Fault> {
    let price = price_at(args, skip)?;
    args.at_most(price + 1)?;
    let account_id = match model.account.account_for(act::NEW_ORDER) {
        Ok(account_id) => account_id,
        Err(why) => return Ok(Next::Refuse(why)),
    };
    let market = match (args.flag("--market"), args.word(skip)) {
        (Some(word), _) | (None, Some(word)) => Some(market(model, word)?),
        (None, None) => None,
    };
    let mut form = Form::order(account_id, side, market.as_ref(), &model.form_context());
    form.be(kind(args, price)?, &model.form_context());
    choices(&mut form.draft, args)?;
    triggers(model, &mut form.draft, args)?;
    form.guess_purpose(&model.form_context());
    if args.has("--reduce-only").is_some() {
        form.reduce();
    }
    let words = [(Field::Size, skip + 1), (Field::LimitPrice, price)].into_iter();
    let words = words.filter_map(|(field, at)| Some((field, args.word(at)?)));
    for (field, word) in words.chain(texts(args)) {
        fill(&mut form, field, word)?;
    }
    form.start();
    Ok(open(Overlay::Form(Box::new(form))))
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

fn choices(draft: &mut Draft, args: &CommandArgs) -> Result<(), Fault> {
    let Draft::Entry(draft) = draft else {
        return Ok(());
    };
    if let Some(word) = args.flag("--tif") {
        let time = parsed::<TimeInForce>(word)?;
        if !times_in_force(draft.shape).contains(&time) {
            return Err(word.fault("an order of this type has no such time in force"));
        }
        draft.time_in_force = time;
    }
    if let Some(word) = args.flag("--margin-mode") {
        draft.margin_mode = parsed::<MarginMode>(word)?;
    }
    Ok(())
}

/// The trigger and its purpose.
fn triggers(model: &Model, draft: &mut Draft, args: &CommandArgs) -> Result<(), Fault> {
    let direction = owned(draft, args, Field::TriggerDirection)?;
    let elsewhere = owned(draft, args, Field::TriggerMarket)?;
    let target = owned(draft, args, Field::TargetPosition)?;
    let Draft::Entry(draft) = draft else {
        return Ok(());
    };
    if let Some(word) = direction {
        draft.trigger_direction = Some(parsed(word)?);
    }
    if let Some(word) = elsewhere {
        draft.trigger_market = Some(market(model, word)?);
    }
    if let Some(word) = target {
        let mut open = model.account.store.positions.rows().iter();
        let held = open.find(|position| position.id.raw() == word.text);
        let held = held.ok_or_else(|| word.fault("no open position has this id"))?;
        draft.target = Some(held.id.clone());
    }
    Ok(())
}

/// The value of a flag; an error if orders of this type lack the field.
pub(super) fn owned<'a>(
    draft: &Draft,
    args: &'a CommandArgs,
    field: Field,
) -> Result<Option<&'a Word>, Fault> {
    let flag = field.flag();
    match args.has(flag) {
        Some(word) if !draft.fields().contains(&field) => {
            Err(word.fault(format!("an order of this type takes no {flag}")))
        }
        Some(_) | None => Ok(args.flag(flag)),
    }
}

/// Writes a field of the form as a person would; an error if the form lacks the field.
pub(super) fn fill(form: &mut Form, field: Field, word: &Word) -> Result<(), Fault> {
    let fits = form.draft.fields().contains(&field);
    if !fits {
        return Err(word.fault(format!("an order of this type has no {}", field.label())));
    }
    form.draft.write(field, &word.text);
    Ok(())
}

pub(super) fn cancel(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    if let Some(id) = args.flag("--twap") {
        let row = RowId::Twap(id.text.as_str().into());
        return of_row(model, &row, id);
    }
    if let Some(id) = args.flag("--scaled") {
        let row = RowId::Scaled(id.text.as_str().into());
        return of_row(model, &row, id);
    }
    let is_flag = args.has("--all").is_some();
    if is_flag || args.word(0).is_some_and(|word| word.text == "all") {
        let at = usize::from(!is_flag);
        args.at_most(at + 1)?;
        return match args.word(at) {
            Some(word) => cancel_in(model, word),
            None => Ok(Next::Press(Action::CancelAll)),
        };
    }
    args.at_most(1)?;
    let id = args.needed(0, "which order: an id, or all")?;
    let order = id.text.as_str().into();
    if model.account.store.order(&order).is_none() {
        return Err(id.fault("no such order here; Tab lists the working ones"));
    }
    of_row(model, &RowId::Order(order), id)
}

/// As the key does on that row.
fn of_row(model: &Model, row: &RowId, word: &Word) -> Result<Next, Fault> {
    let command = of_row::cancel_of(model, row).map_err(|why| word.fault(why))?;
    Ok(strip(model, command))
}

/// The working orders of one market, as a list to confirm.
fn cancel_in(model: &Model, word: &Word) -> Result<Next, Fault> {
    let market = market(model, word)?;
    let orders = model.account.store.orders.rows().iter();
    let here = orders.filter(|order| order.is_working() && order.market_id == market);
    let positions = model.account.store.positions.rows();
    let commands: Vec<_> = here.map(|order| order.cancel(positions)).collect();
    if commands.is_empty() {
        return Err(word.fault("there is no working order in this market"));
    }
    let list = Bulk::asking(commands, vec![], &model.account.store, model.account.now);
    Ok(open(Overlay::Bulk(list)))
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
    for (field, word) in texts(args) {
        fill(&mut form, field, word)?;
    }
    Ok(open(Overlay::Form(Box::new(form))))
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
    if let Some(word) = args.flag("--extra").or(args.word(1)) {
        fill(&mut form, Field::ExtraMargin, word)?;
    }
    form.start();
    Ok(open(Overlay::Form(Box::new(form))))
}

pub(super) fn open(overlay: Overlay) -> Next {
    Next::Open(Box::new(overlay))
}

/// The strip that asks before a close or cancel.
pub(super) fn strip(model: &Model, command: Command) -> Next {
    open(Overlay::Strip(Strip::confirm(command, model.account.now)))
}

/// A market by its id or its symbol.
pub(super) fn market(model: &Model, word: &Word) -> Result<MarketId, Fault> {
    match model.account.store.markets_named(&word.text).as_slice() {
        [id] => Ok(id.clone()),
        [] if model.account.store.markets.value().is_none() => {
            Err(word.fault("the markets have not been read yet"))
        }
        [] => Err(word.fault("no such market is known; Tab lists them")),
        several => Err(word.fault(ambiguous(&word.text, several))),
    }
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
            Err(word.fault("no open position in this market"))
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
    std::iter::once("all".to_owned()).chain(ids).collect()
}

pub(super) fn resting(model: &Model) -> Vec<String> {
    let orders = model.account.store.orders.rows().iter();
    let resting = orders.filter(|order| takes_exits(order));
    resting.map(|order| order.id.to_string()).collect()
}
