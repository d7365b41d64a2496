//! The keys on a position's own row: stop to break-even, stop and target by ticks or to its whole size, add, reduce and
//! close a share.
//!
//! Contract: protection is moved in place, never doubled. Keys during a move change its goal and send nothing of their
//! own. A price that the mark has passed is refused, because the order
//! would fire at once.

use super::moves;
use crate::{
    app::{
        account::fees,
        core::{account::Account, effect::Effect},
        desk::{model::Model, presets::PresetSize},
        dialogs::{
            next::{Next, Reply},
            overlay::Strip,
        },
        forms::{form::Form, open::movable},
        rules::objection::objection,
        workflows::{
            goals::{ExitGoals, Moved, NewTerms},
            plan::terms_at,
        },
    },
    model::{
        Command, LiquidityRole, MarketId, Num, Order, OrderId, Page, PlaceOrder, Position,
        Protection, Side, Tick, WantedExit, WantedExits,
        draft::Field,
        estimate::{RoundTrip, break_even, has_passed, is_as_good, safe_stop},
    },
};

#[cfg(test)]
mod tests;

/// What one key does to the orders that guard a position.
pub(crate) type Control = fn(&mut Model, &Position) -> Result<Vec<Effect>, String>;

/// Which way a price goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PriceStep {
    Down,
    Up,
}

/// Does this at once, if every order that guards the position is known.
pub(crate) fn run(
    model: &mut Model,
    position: &Position,
    control: impl FnOnce(&mut Model, &Position) -> Result<Vec<Effect>, String>,
) -> Reply {
    let orders = model.account.store.orders.value();
    if !orders.is_some_and(Page::is_whole) {
        return Err("the stops of this position are not known yet".to_owned());
    }
    control(model, position).map(Next::AskEach)
}

/// The price at which a stop loses nothing, on the market's ticks.
fn break_even_of(account: &Account, position: &Position) -> Result<(Side, Num), String> {
    let market = &position.market_id;
    let sources = (&*account.store, &account.options.fees);
    let taker = fees::rate(sources, market, LiquidityRole::Taker).map(|rate| rate.share);
    let taker = taker.ok_or("the fee rate is not known: set it in [fees] of the settings")?;
    let rates = RoundTrip {
        opened: taker,
        closes: taker,
    };
    let exact = break_even(position, rates).ok_or("its entry price or side is not known")?;
    let side = position.side().ok_or("its side is not known")?;
    let extra = account.options.be_extra_ticks;
    let price = safe_stop(side, exact, tick(account, market, exact), extra);
    Ok((
        side,
        price.ok_or("its break-even price has too many digits")?,
    ))
}

pub(super) fn tick(account: &Account, market: &MarketId, price: Num) -> Tick {
    Tick::at(account.store.market(market), price)
}

pub(crate) fn to_break_even(model: &mut Model, position: &Position) -> Result<Vec<Effect>, String> {
    let (side, price) = break_even_of(&model.account, position)?;
    let mark = mark(&model.account, position)?;
    if !has_passed(side, mark, price) {
        let (mark, price) = (mark.grouped(), price.grouped());
        return Err(format!(
            "break-even is {price}: the mark, {mark}, has not passed it, so a stop there would trigger at once"
        ));
    }
    let stops = guards(&model.account, position, Protection::Stop);
    let (kept, worse): (Vec<_>, Vec<_>) = stops
        .into_iter()
        .partition(|(_, at)| is_as_good(side, *at, price));
    match (kept.as_slice(), worse.as_slice()) {
        ([], []) => place_stop(model, position, price),
        ([(_, at), ..], []) => Err(format!(
            "the stop at {} is already at break-even {} or better: it stays",
            at.grouped(),
            price.grouped()
        )),
        (_, worse) => move_each(model, position, worse, price),
    }
}

/// Moves every stop that can be moved, together, and names each that stays.
fn move_each(
    model: &mut Model,
    position: &Position,
    stops: &[(Order, Num)],
    price: Num,
) -> Result<Vec<Effect>, String> {
    let (mut moved, mut refusals) = (vec![], vec![]);
    for (order, at) in stops {
        match terms_at(order, price) {
            Ok(terms) => moved.push(terms),
            Err(why) => refusals.push(format!("the stop at {} stays: {why}", at.grouped())),
        }
    }
    if moved.is_empty() {
        return Err(refusals.join("; "));
    }
    let goals = ExitGoals::moving(position.id.clone(), moved);
    let effects = moves::apply(model, Moved::Exits(goals))?;
    for why in refusals {
        model.account.activity.refuse(why, model.account.now);
    }
    Ok(effects)
}

/// The first stop of a position, for its full size.
fn place_stop(model: &mut Model, position: &Position, price: Num) -> Result<Vec<Effect>, String> {
    let wanted = WantedExits::of(Protection::Stop, WantedExit::At { price, size: None });
    let goals = ExitGoals::setting(position.id.clone(), wanted);
    moves::apply(model, Moved::Exits(goals))
}

/// Stops and targets grow until they close all of the position: the nearest of each by what the others leave.
pub(crate) fn cover(model: &mut Model, position: &Position) -> Result<Vec<Effect>, String> {
    let exits = |which| guards(&model.account, position, which).into_iter();
    let stops: Vec<_> = exits(Protection::Stop).collect();
    if stops.is_empty() {
        return Err("no stop of this position is known: e sets one".to_owned());
    }
    let targets = exits(Protection::Target);
    let targets = targets.filter(|(order, _)| order.protects(position).is_some());
    let grown = [
        grown(position, &stops)?,
        grown(position, &targets.collect::<Vec<_>>())?,
    ];
    let terms: Vec<_> = grown.into_iter().flatten().collect();
    if terms.is_empty() {
        return Err("its stop and target cover all of it already".to_owned());
    }
    let goals = ExitGoals::moving(position.id.clone(), terms);
    moves::apply(model, Moved::Exits(goals))
}

/// The nearest of these exits with what all of them leave open; `None` if they leave nothing, and for none.
fn grown(position: &Position, exits: &[(Order, Num)]) -> Result<Option<NewTerms>, String> {
    let Some((nearest, price)) = exits.first() else {
        return Ok(None);
    };
    let mut sizes = exits.iter().map(|(order, _)| order.requested_size().abs());
    let closed = sizes.try_fold(Num::ZERO, Num::plus);
    let open = closed.and_then(|closed| position.quantity().minus(closed));
    let Some(open) = open.filter(|open| open.is_positive()) else {
        return Ok(None);
    };
    let size = nearest.requested_size().abs().plus(open);
    Ok(Some(NewTerms {
        size,
        ..terms_at(nearest, *price)?
    }))
}

fn mark(account: &Account, position: &Position) -> Result<Num, String> {
    let mark = account.store.mark(&position.market_id);
    mark.ok_or_else(|| "the mark is not known".to_owned())
}

/// The position's stops or targets, nearest first, each with its final price.
pub(super) fn guards(
    account: &Account,
    position: &Position,
    wanted: Protection,
) -> Vec<(Order, Num)> {
    let orders = account.store.orders.rows().iter();
    let mut guards: Vec<_> = orders
        .filter(|order| guards_so(order, position, wanted))
        .filter(|order| !account.store.is_cancel_queued(order))
        .filter_map(|order| Some((order.clone(), goal(account, order)?)))
        .collect();
    wanted.nearest_first(&mut guards, position, |(_, price)| *price);
    guards
}

/// A resting reduce-only limit counts as a target.
fn guards_so(order: &Order, position: &Position, wanted: Protection) -> bool {
    let rests = || !order.is_armed() && order.closes(position) && movable(order).is_ok();
    order.protects(position) == Some(wanted) || (wanted == Protection::Target && rests())
}

/// Its price, or the goal of a move in progress.
fn goal(account: &Account, order: &Order) -> Option<Num> {
    let moved = account.workflows.moved_to(&order.id, &account.store);
    let replaced = || price_of(account.workflows.replacement(&order.id)?.order());
    moved.or_else(replaced).or(order.working_price())
}

fn price_of(order: &PlaceOrder) -> Option<Num> {
    order.trigger_price.or(order.limit_price)
}

/// Moves the nearest stop or target by one tick.
pub(crate) fn nudge(
    model: &mut Model,
    position: &Position,
    (which, step): (Protection, PriceStep),
) -> Result<Vec<Effect>, String> {
    let nearest = nearest(&model.account, position, which);
    let (order, from) = nearest.ok_or_else(|| {
        let word = which.word();
        format!("no {word} of this position is known: e sets one")
    })?;
    let tick = tick(&model.account, &position.market_id, from).step();
    let price = match step {
        PriceStep::Up => from.plus(tick),
        PriceStep::Down => from.minus(tick),
    };
    let price = price.filter(|price| price.is_positive());
    let price = price.ok_or("there is no price there")?;
    let side = position.side().ok_or("its side is not known")?;
    let mark = mark(&model.account, position)?;
    let is_ahead = match which {
        Protection::Stop => has_passed(side, mark, price),
        Protection::Target => has_passed(side.opposite(), mark, price),
    };
    if !is_ahead {
        let (word, mark, price) = (which.word(), mark.grouped(), price.grouped());
        return Err(format!(
            "the mark {mark} has reached {price}: the {word} would trigger at once"
        ));
    }
    moves::to(model, &order, price)
}

/// The nearest stop or target and its final price. A target between its cancel and its replacement is not listed.
fn nearest(account: &Account, position: &Position, which: Protection) -> Option<(OrderId, Num)> {
    let listed = guards(account, position, which).into_iter().next();
    let listed = listed.map(|(order, price)| (order.id, price));
    let between = || {
        let is_of = |order: &PlaceOrder| order.market_id == position.market_id;
        let mut replaced = account.workflows.replacements();
        let one = replaced.find(|one| one.order().reduce_only && is_of(one.order()))?;
        Some((one.old().clone(), price_of(one.order())?))
    };
    listed.or_else(|| between().filter(|_| which == Protection::Target))
}

/// The market's size preset; otherwise the size of its last order in this session.
fn usual_size(model: &Model, position: &Position) -> Result<String, String> {
    let market = &position.market_id;
    if let Some(PresetSize { preset, size }) = model.size_preset(market) {
        let size = size.map_err(|why| format!("the size preset {preset}: {why}"))?;
        return Ok(size.to_string());
    }
    let used = model.account.used.of(Some(market));
    used.map(|used| used.size.clone()).ok_or_else(|| {
        let symbol = model.account.store.names.shown(market);
        format!("no size was used in {symbol} in this session: place one order with a size first")
    })
}

/// Adds to the position at the market, after a question. What the guard asks about is asked in the form.
pub(crate) fn add(model: &Model, position: &Position) -> Reply {
    let side = position.side().ok_or("its side is not known")?;
    let account_id = model.account.account_for("add")?;
    let context = model.account.form_context();
    let mut form = Form::order(account_id, side, Some(&position.market_id), &context);
    form.draft.write(Field::Size, &usual_size(model, position)?);
    let command = form.command(&context);
    // The targets that follow a fill are those of a form.
    let has_more = form.later_targets(&context).is_ok_and(|it| !it.is_empty());
    if command.is_ok() && (has_more || !form.warnings(&model.account).is_empty()) {
        return Ok(Next::open(form));
    }
    ask(model, command.map_err(|faults| faults.to_string())?)
}

/// Reduces the position at the market, by at most all of it, after a question.
pub(crate) fn reduce(model: &Model, position: &Position) -> Reply {
    let size = usual_size(model, position)?;
    let all = |size: Num| size >= position.quantity();
    let is_all = size.parse().is_ok_and(all);
    let share = if is_all { "100%" } else { &size };
    ask(model, part(model, position, share)?)
}

/// Closes this share of it at the market, at once.
pub(crate) fn close(model: &Model, position: &Position, share: &str) -> Reply {
    part(model, position, share).map(Next::Run)
}

/// The close of this much of it at the market.
fn part(model: &Model, position: &Position, size: &str) -> Result<Command, String> {
    let mut form = Form::close(position);
    form.draft.write(Field::Size, size);
    let command = form.command(&model.account.form_context());
    command.map_err(|faults| faults.to_string())
}

fn ask(model: &Model, command: Command) -> Reply {
    match objection(&model.account, &command) {
        Some(why) => Err(why),
        None => Ok(Next::open(Strip::confirm(command, model.account.now))),
    }
}
