//! The keys of the price ladder, which act at the cursor of the chart alike.
//!
//! Contract: a key acts at the price that the cursor is on. Chart and ladder share that cursor; on the chart its prices are
//! a row of the chart apart. One-key trading needs the setting and a person who arms it.

use crate::{
    app::{
        activity::notice::Tone,
        desk::{market_shown::cursor_spacing, model::Model},
        dialogs::next::{Next, Reply},
        keys::keymap::Action,
        market::{
            book_state::BookState,
            depth::GroupStep,
            own_orders::{own_orders, own_position},
            screen::MarketPanel,
        },
        orders::{
            at_price::{self, PricePoint, SendMode},
            of_row,
        },
        update::ladder_follow::quote,
    },
    model::{MarketId, Num, Protection, READ_ONLY, Side, Tick},
};
use std::fmt::Display;

#[cfg(test)]
mod tests;

pub(super) const NO_PRICE: &str = "no price is chosen: j and k choose one, or a click";
pub(super) const JUST_MOVED: &str = "the rows have just moved: look at the price, then press again";

/// Keys that move the cursor, and by how many rows up.
const MOVES: &[(Action, i64)] = &[
    (Action::Up, 1),
    (Action::Down, -1),
    (Action::LeapUp, 10),
    (Action::LeapDown, -10),
    (Action::PageUp, 10),
    (Action::PageDown, -10),
];

/// Handles a key on the ladder; `None` if it belongs to the desk.
pub(crate) fn act(model: &mut Model, action: Action) -> Result<Option<Next>, String> {
    let now = model.account.now;
    model.price_ladder.one_key.touch(now);
    if let Some(up) = action.entry(MOVES) {
        return step(model, up).map(Some);
    }
    match action.entry(ANYWHERE) {
        Some(act) => act(model).map(Some),
        None if action == Action::Dismiss => Ok(put_back(model)),
        None => at_cursor(model, action),
    }
}

type LadderAct = fn(&mut Model) -> Reply;

/// The keys that need no price.
const ANYWHERE: &[(Action, LadderAct)] = &[
    (Action::Top, |model| Ok(edge(model, Side::Sell))),
    (Action::Bottom, |model| Ok(edge(model, Side::Buy))),
    (Action::Centre, centre),
    (Action::NextMark, next_mark),
    (Action::FinerRows, |model| {
        Ok(group(model, GroupStep::finer))
    }),
    (Action::CoarserRows, |model| {
        Ok(group(model, GroupStep::coarser))
    }),
    (Action::NextSize, |model| turn_size(model, 1)),
    (Action::PreviousSize, |model| turn_size(model, -1)),
    (Action::OneKey, turn_one_key),
    (Action::ResetDelta, reset_delta),
    (Action::LargeTrades, next_large),
    (Action::CancelBids, |model| cancel_side(model, Side::Buy)),
    (Action::CancelAsks, |model| cancel_side(model, Side::Sell)),
];

/// The actions that need a price.
fn at_cursor(model: &mut Model, action: Action) -> Result<Option<Next>, String> {
    let acts = matches!(
        action,
        Action::Buy
            | Action::Sell
            | Action::StopBuy
            | Action::StopSell
            | Action::StopHere
            | Action::TargetHere
            | Action::Cancel
            | Action::Amend
            | Action::Drop
            | Action::AlertHere
    );
    if !acts {
        return Ok(None);
    }
    let Some((at, spacing)) = point(model) else {
        let is_of_desk = [Action::Buy, Action::Sell].contains(&action)
            && model.focus.panel == Some(MarketPanel::Chart);
        let is_of_market = is_of_desk || action == Action::AlertHere;
        return if is_of_market {
            Ok(None)
        } else {
            Err(NO_PRICE.to_owned())
        };
    };
    if model.price_ladder.is_deaf_to_keys(model.account.now) {
        return Err(JUST_MOVED.to_owned());
    }
    act_at(model, action, (&at, spacing)).map(Some)
}

/// One action at a price, from the ladder or the chart.
fn act_at(model: &mut Model, action: Action, (at, spacing): (&PricePoint, Tick)) -> Reply {
    if action == Action::AlertHere {
        return Ok(alert_at(model, &at.market_id, Some(at.price)));
    }
    let mode = mode(model);
    if mode == SendMode::AtOnce && !is_new_press(model, action, at.price) {
        return Ok(Next::Stay);
    }
    let carried = model.price_ladder.carried();
    match (action.entry(AT_PRICE), action) {
        (Some(act), _) => act(model, at, mode),
        (None, Action::Cancel) => at_price::cancel_here(model, at, spacing),
        (None, Action::Amend) if carried.is_none() => pick_up(model, at, spacing),
        (None, _) => {
            let mode = carried.map_or(mode, |id| at_price::drop_mode(model, id, at));
            drop_carried(model, at, mode)
        }
    }
}

type PriceAct = fn(&mut Model, &PricePoint, SendMode) -> Reply;

/// What a key does at a price.
const AT_PRICE: &[(Action, PriceAct)] = &[
    (Action::Buy, |model, at, mode| {
        at_price::limit(model, Side::Buy, at, mode)
    }),
    (Action::Sell, |model, at, mode| {
        at_price::limit(model, Side::Sell, at, mode)
    }),
    (Action::StopBuy, |model, at, mode| {
        at_price::stop_entry(model, Side::Buy, at, mode)
    }),
    (Action::StopSell, |model, at, mode| {
        at_price::stop_entry(model, Side::Sell, at, mode)
    }),
    (Action::StopHere, |model, at, mode| {
        at_price::protect(model, Protection::Stop, at, mode)
    }),
    (Action::TargetHere, |model, at, mode| {
        at_price::protect(model, Protection::Target, at, mode)
    }),
];

/// The price under the cursor, and the distance to the next.
pub(super) fn point(model: &Model) -> Option<(PricePoint, Tick)> {
    let (ladder, spacing) = (&model.price_ladder, cursor_spacing(model)?);
    let at = PricePoint {
        market_id: ladder.market()?.clone(),
        price: spacing.near(ladder.cursor()?),
    };
    Some((at, spacing))
}

/// Whether one key sends: never by a display that is held.
pub(super) fn mode(model: &Model) -> SendMode {
    let is_armed =
        model.account.options.ladder_one_key && model.price_ladder.is_armed(model.account.now);
    if is_armed && model.frozen.is_none() {
        SendMode::AtOnce
    } else {
        SendMode::InForm
    }
}

/// A key that is held down acts once.
pub(super) fn is_new_press(model: &mut Model, action: Action, at: impl Display) -> bool {
    let now = model.account.now;
    let press = format!("{action} {at}");
    model.price_ladder.one_key.takes_press(press, now)
}

fn step(model: &mut Model, up: i64) -> Reply {
    let side = if up > 0 { Side::Sell } else { Side::Buy };
    let known = from(model, side).zip(cursor_spacing(model));
    let (from, spacing) = known.ok_or(NO_MARKET_PRICE)?;
    model.price_ladder.step_cursor_by(spacing, up, from);
    Ok(Next::Stay)
}

/// Where the cursor goes from home: the best price of a side, else the middle of the view.
fn from(model: &Model, side: Side) -> Option<Num> {
    let market = model.price_ladder.market()?;
    let book = model
        .account
        .store
        .books
        .of(market)
        .and_then(|known| known.value());
    let best = book.and_then(|book| book.best(side));
    best.or_else(|| model.account.store.market(market)?.mid())
}

/// To the first row in view, or the last.
fn edge(model: &mut Model, side: Side) -> Next {
    let ladder = &mut model.price_ladder;
    let prices = ladder.prices(ladder.rows().unwrap_or_default());
    let price = match side {
        Side::Sell => prices.first(),
        Side::Buy => prices.last(),
    };
    if let Some(price) = price {
        ladder.choose(*price);
    }
    Next::Stay
}

fn centre(model: &mut Model) -> Reply {
    let market = shown(model)?;
    let quote = quote(model, &market).ok_or(NO_MARKET_PRICE)?;
    model.price_ladder.centre(quote.middle, model.account.now);
    Ok(Next::Stay)
}

fn group(model: &mut Model, change: fn(GroupStep) -> GroupStep) -> Next {
    model.price_ladder.group(change);
    Next::Stay
}

const NO_MARKET: &str = "no market is shown";
const NO_MARKET_PRICE: &str = "no price of this market is known";

fn shown(model: &Model) -> Result<MarketId, String> {
    let market = model.price_ladder.market().cloned();
    market.ok_or_else(|| NO_MARKET.to_owned())
}

/// From how much USD on trades are large, as the key sets it.
const LARGE: [i64; 5] = [5_000, 10_000, 50_000, 100_000, 500_000];

fn reset_delta(model: &mut Model) -> Reply {
    let (market, now) = (shown(model)?, model.account.service_now());
    model.account.market_data.reset_delta(&market, now);
    Ok(Next::Stay)
}

/// The next size of large trades, or all trades after the last.
fn next_large(model: &mut Model) -> Reply {
    let market = shown(model)?;
    let data = &mut model.account.market_data;
    let now = data.large_from(&market).unwrap_or_default();
    let next = LARGE.map(Num::from).into_iter().find(|size| *size > now);
    data.mark_large(&market, next);
    let words = match next {
        Some(from) => format!("large trades: from {from} USD"),
        None => "large trades: not marked, all are listed".to_owned(),
    };
    model.account.say(Tone::Plain, words);
    Ok(Next::Stay)
}

/// The next size preset of the market, or the one before.
fn turn_size(model: &mut Model, steps: isize) -> Reply {
    let market = shown(model)?;
    if model.size_preset(&market).is_none() {
        let symbol = model.account.store.names.shown(&market);
        return Err(format!(
            "{symbol} has no size presets: size_presets in the settings"
        ));
    }
    model.turn_size_preset(&market, steps);
    Ok(Next::Stay)
}

/// The next price below the cursor where the account has something, then from the top again.
fn next_mark(model: &mut Model) -> Reply {
    let known = model.price_ladder.market().zip(cursor_spacing(model));
    let (market, spacing) = known.ok_or(NO_MARKET_PRICE)?;
    let position = own_position(&model.account.store, market);
    let entry = position.and_then(|position| position.entry_price);
    let liquidation = position.and_then(|position| position.liquidation_price);
    let own = own_orders(&model.account.store, market, spacing).map(|own| own.row);
    let alerts = model.account.user_alerts.prices(market);
    let others = entry.into_iter().chain(liquidation).chain(alerts);
    let mut marks: Vec<_> = own.chain(others.map(|price| spacing.near(price))).collect();
    marks.sort_unstable_by(|one, other| other.cmp(one));
    let cursor = model.price_ladder.cursor();
    let below = |mark: &&Num| cursor.is_none_or(|cursor| **mark < cursor);
    let mark = marks.iter().find(below).or(marks.first());
    let mark = mark.ok_or_else(|| {
        let symbol = model.account.store.names.shown(market);
        format!("you have no order, position or alert in {symbol}")
    })?;
    model.price_ladder.put_cursor(*mark);
    Ok(Next::Stay)
}

fn cancel_side(model: &Model, side: Side) -> Reply {
    at_price::cancel_side(model, side, &shown(model)?)
}

/// Picks up the newest own order of the row.
fn pick_up(model: &mut Model, at: &PricePoint, spacing: Tick) -> Reply {
    let own = at_price::at_row(model, at, spacing);
    let newest = own.max_by_key(|own| own.order.requested_at);
    let own = newest.ok_or_else(|| at_price::none_here(at))?;
    of_row::moved(&model.account, own.order)?;
    let id = own.order.id.clone();
    model.price_ladder.pick_up(id);
    Ok(Next::Stay)
}

pub(super) fn drop_carried(model: &mut Model, at: &PricePoint, mode: SendMode) -> Reply {
    let carried = model.price_ladder.put_back();
    let id = carried.ok_or("m picks up your order; Enter drops it")?;
    at_price::drop_order(model, &id, at, mode)
}

/// Esc: puts back a carried order, then resets the cursor.
pub(crate) fn put_back(model: &mut Model) -> Option<Next> {
    let ladder = &mut model.price_ladder;
    if ladder.put_back().is_none() {
        ladder.cursor()?;
        ladder.send_cursor_home();
    }
    Some(Next::Stay)
}

fn turn_one_key(model: &mut Model) -> Reply {
    let now = model.account.now;
    if model.price_ladder.one_key.disarm() {
        model.account.say(Tone::Plain, "one-key trading is off");
        return Ok(Next::Stay);
    }
    let market = shown(model)?;
    let state = BookState::new(&model.account.store, &market, now);
    let symbol = model.account.store.names.shown(&market);
    let objection = if !model.account.options.ladder_one_key {
        Some("one-key trading is off: ladder_one_key = true in the settings allows it".to_owned())
    } else if model.account.options.read_only {
        Some(READ_ONLY.to_owned())
    } else {
        state.objection(&symbol)
    };
    if let Some(why) = objection {
        return Err(why);
    }
    model.price_ladder.one_key.arm(now);
    let words = format!("one-key trading is ON in {symbol}: b, s and a click send at once");
    model.account.say(Tone::Warn, words);
    Ok(Next::Stay)
}

/// The line that sets an alert at this price of a market.
pub(crate) fn alert_at(model: &Model, market: &MarketId, price: Option<Num>) -> Next {
    let name = model.account.store.names.typed(market);
    let of = model.account.store.market(market);
    let tick = |price| of.and_then(|of| of.tick(price));
    let price = price.map(|price| tick(price).map_or(price, |tick| tick.below(price)));
    let price = price.map(|price| price.normalized().to_string());
    let price = price.unwrap_or_default();
    Next::Type(format!("alert {name} crosses {price}"))
}
