//! The keys of the price ladder, which act at the cursor of the chart alike.
//!
//! Contract: a key acts at the price that the cursor is on. Chart and ladder share that cursor; on the chart its prices are
//! a row of the chart apart. One-key trading needs the setting and a person who arms it.

use crate::{
    app::{
        activity::notice::Tone,
        desk::{market_shown::cursor_spacing, model::Model},
        dialogs::next::Next,
        keys::keymap::Action,
        market::{
            book_state::BookState,
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
pub(crate) fn act(model: &mut Model, action: Action) -> Option<Next> {
    let now = model.account.now;
    model.price_ladder.one_key.touch(now);
    if let Some((_, up)) = MOVES.iter().find(|(of, _)| *of == action) {
        return Some(step(model, *up));
    }
    match ANYWHERE.iter().find(|(of, _)| *of == action) {
        Some((_, act)) => act(model),
        None => at_cursor(model, action),
    }
}

type LadderAct = fn(&mut Model) -> Option<Next>;

/// The keys that need no price.
const ANYWHERE: &[(Action, LadderAct)] = &[
    (Action::Top, |model| Some(edge(model, Side::Sell))),
    (Action::Bottom, |model| Some(edge(model, Side::Buy))),
    (Action::Centre, |model| Some(centre(model))),
    (Action::NextMark, |model| Some(next_mark(model))),
    (Action::FinerRows, |model| Some(group(model, -1))),
    (Action::CoarserRows, |model| Some(group(model, 1))),
    (Action::NextSize, |model| Some(turn_size(model, 1))),
    (Action::PreviousSize, |model| Some(turn_size(model, -1))),
    (Action::OneKey, |model| Some(turn_one_key(model))),
    (Action::ResetDelta, |model| Some(reset_delta(model))),
    (Action::LargeTrades, |model| Some(next_large(model))),
    (Action::Dismiss, put_back),
    (Action::CancelBids, |model| {
        Some(cancel_side(model, Side::Buy))
    }),
    (Action::CancelAsks, |model| {
        Some(cancel_side(model, Side::Sell))
    }),
];

/// The actions that need a price.
fn at_cursor(model: &mut Model, action: Action) -> Option<Next> {
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
        return None;
    }
    let Some((at, spacing)) = point(model) else {
        let is_of_desk = [Action::Buy, Action::Sell].contains(&action)
            && model.focus.panel == Some(MarketPanel::Chart);
        let is_of_market = is_of_desk || action == Action::AlertHere;
        return (!is_of_market).then(|| Next::Refuse(NO_PRICE.to_owned()));
    };
    if model.price_ladder.is_deaf_to_keys(model.account.now) {
        return Some(Next::Refuse(JUST_MOVED.to_owned()));
    }
    if action == Action::AlertHere {
        return Some(alert_at(model, &at.market_id, Some(at.price)));
    }
    let mode = mode(model);
    if mode == SendMode::AtOnce && !is_new_press(model, action, at.price) {
        return Some(Next::Stay);
    }
    if action == Action::Amend && model.price_ladder.carried().is_none() {
        return Some(pick_up(model, &at, spacing));
    }
    if [Action::Amend, Action::Drop].contains(&action) {
        let carried = model.price_ladder.carried();
        let mode = carried.map_or(mode, |id| at_price::drop_mode(model, id, &at));
        return Some(drop_carried(model, &at, mode));
    }
    act_at(model, action, (&at, spacing), mode)
}

/// One action at a price, from the ladder or the chart.
pub(crate) fn act_at(
    model: &mut Model,
    action: Action,
    (at, spacing): (&PricePoint, Tick),
    mode: SendMode,
) -> Option<Next> {
    if action == Action::Cancel {
        return Some(at_price::cancel_here(model, at, spacing));
    }
    let (_, act) = AT_PRICE.iter().find(|(of, _)| *of == action)?;
    Some(act(model, at, mode))
}

type PriceAct = fn(&mut Model, &PricePoint, SendMode) -> Next;

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
pub(super) fn is_new_press(model: &mut Model, action: Action, price: Num) -> bool {
    let now = model.account.now;
    let press = format!("{action} {price}");
    model.price_ladder.one_key.takes_press(press, now)
}

fn step(model: &mut Model, up: i64) -> Next {
    let side = if up > 0 { Side::Sell } else { Side::Buy };
    match from(model, side).zip(cursor_spacing(model)) {
        Some((from, spacing)) => model.price_ladder.step_cursor_by(spacing, up, from),
        None => return Next::Refuse("no price of this market is known".to_owned()),
    }
    Next::Stay
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

fn centre(model: &mut Model) -> Next {
    let now = model.account.now;
    let market = model.price_ladder.market().cloned();
    let quote = market.and_then(|market| quote(model, &market));
    match quote {
        Some(quote) => model.price_ladder.centre(quote.middle, now),
        None => return Next::Refuse("no price of this market is known".to_owned()),
    }
    Next::Stay
}

fn group(model: &mut Model, steps: i8) -> Next {
    model.price_ladder.group(|step| {
        if steps > 0 {
            step.coarser()
        } else {
            step.finer()
        }
    });
    Next::Stay
}

const NO_MARKET: &str = "no market is shown";

/// From how much USD on trades are large, as the key sets it.
const LARGE: [i64; 5] = [5_000, 10_000, 50_000, 100_000, 500_000];

fn reset_delta(model: &mut Model) -> Next {
    let Some(market) = model.price_ladder.market().cloned() else {
        return Next::Refuse(NO_MARKET.to_owned());
    };
    let now = model.account.service_now();
    model.account.market_data.reset_delta(&market, now);
    Next::Stay
}

/// The next size of large trades, or all trades after the last.
fn next_large(model: &mut Model) -> Next {
    let Some(market) = model.price_ladder.market().cloned() else {
        return Next::Refuse(NO_MARKET.to_owned());
    };
    let data = &mut model.account.market_data;
    let now = data.large_from(&market).unwrap_or_default();
    let next = LARGE.map(Num::from).into_iter().find(|size| *size > now);
    data.mark_large(&market, next);
    let words = match next {
        Some(from) => format!("large trades: from {from} USD"),
        None => "large trades: not marked, all are listed".to_owned(),
    };
    model.account.say(Tone::Plain, words);
    Next::Stay
}

/// The next size preset of the market, or the one before.
fn turn_size(model: &mut Model, steps: isize) -> Next {
    let Some(market) = model.price_ladder.market().cloned() else {
        return Next::Refuse(NO_MARKET.to_owned());
    };
    if model.size_preset(&market).is_none() {
        let symbol = model.account.store.names.shown(&market);
        return Next::Refuse(format!(
            "{symbol} has no size presets: size_presets in the settings"
        ));
    }
    model.turn_size_preset(&market, steps);
    Next::Stay
}

/// The next price below the cursor where the account has something, then from the top again.
fn next_mark(model: &mut Model) -> Next {
    let known = model.price_ladder.market().zip(cursor_spacing(model));
    let Some((market, spacing)) = known else {
        return Next::Refuse("no price of this market is known".to_owned());
    };
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
    match marks.iter().find(below).or(marks.first()) {
        Some(mark) => model.price_ladder.put_cursor(*mark),
        None => {
            return Next::Refuse(format!(
                "you have no order, position or alert in {}",
                model.account.store.names.shown(market)
            ));
        }
    }
    Next::Stay
}

fn cancel_side(model: &Model, side: Side) -> Next {
    match model.price_ladder.market() {
        Some(market) => at_price::cancel_side(model, side, market),
        None => Next::Refuse("no market is shown".to_owned()),
    }
}

/// Picks up the newest own order of the row.
fn pick_up(model: &mut Model, at: &PricePoint, spacing: Tick) -> Next {
    let own = at_price::at_row(model, at, spacing);
    let Some(own) = own.max_by_key(|own| own.order.requested_at) else {
        return Next::Refuse(at_price::none_here(at));
    };
    if let Err(why) = of_row::moved(&model.account, own.order) {
        return Next::Refuse(why);
    }
    let id = own.order.id.clone();
    model.price_ladder.pick_up(id);
    Next::Stay
}

pub(super) fn drop_carried(model: &mut Model, at: &PricePoint, mode: SendMode) -> Next {
    match model.price_ladder.put_back() {
        Some(id) => at_price::drop_order(model, &id, at, mode),
        None => Next::Refuse("m picks up your order; Enter drops it".to_owned()),
    }
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

fn turn_one_key(model: &mut Model) -> Next {
    let now = model.account.now;
    if model.price_ladder.one_key.disarm() {
        model.account.say(Tone::Plain, "one-key trading is off");
        return Next::Stay;
    }
    let Some(market) = model.price_ladder.market().cloned() else {
        return Next::Refuse(NO_MARKET.to_owned());
    };
    let state = BookState::new(&model.account.store, &market, now);
    let objection = if !model.account.options.ladder_one_key {
        Some("one-key trading is off: ladder_one_key = true in the settings allows it".to_owned())
    } else if model.account.options.read_only {
        Some(READ_ONLY.to_owned())
    } else {
        state.objection(&model.account.store.names.shown(&market))
    };
    if let Some(why) = objection {
        return Next::Refuse(why);
    }
    model.price_ladder.one_key.arm(now);
    let symbol = model.account.store.names.shown(&market);
    let words = format!("one-key trading is ON in {symbol}: b, s and a click send at once");
    model.account.say(Tone::Warn, words);
    Next::Stay
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
