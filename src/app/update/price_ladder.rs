//! The keys and the mouse on the price ladder, and how it follows the market.
//!
//! Contract: a key acts at the price that the cursor is on, a click at the price that was drawn there. A click on a row
//! that has another price by now sends nothing. One-key trading needs the setting and a person who arms it; it ends by
//! itself after a minute, on another market or account, and when the order book is not live.

use crate::{
    app::{
        account::labels::Visibility,
        activity::notice::Tone,
        desk::model::Model,
        dialogs::next::Next,
        keys::keymap::Action,
        market::{
            book_state::BookState,
            own_orders::{own_orders, own_position},
            price_ladder::{LadderColumn, LadderHold, LadderQuote, LadderSpot, WHEEL_HOME},
        },
        orders::at_price::{self, PricePoint, SendMode},
        orders::of_row,
    },
    model::{MarketId, Num, Protection, READ_ONLY, Side, Tick},
};

#[cfg(test)]
mod tests;

const NO_PRICE: &str = "no price is chosen: j and k choose one, or a click";
const JUST_MOVED: &str = "the rows have just moved: look at the price, then press again";
const ROW_MOVED: &str = "row moved: nothing was sent";

/// Keys that move the cursor, and by how many rows up.
const MOVES: &[(Action, i64)] = &[
    (Action::Up, 1),
    (Action::Down, -1),
    (Action::LeapUp, 10),
    (Action::LeapDown, -10),
    (Action::PageUp, 10),
    (Action::PageDown, -10),
];

/// What a key does on the ladder; `None` where it is for the desk.
pub(crate) fn act(model: &mut Model, action: Action) -> Option<Next> {
    let now = model.now;
    model.price_ladder.touch(now);
    if let Some((_, up)) = MOVES.iter().find(|(of, _)| *of == action) {
        return Some(step(model, *up));
    }
    match action {
        Action::Top => Some(edge(model, Side::Sell)),
        Action::Bottom => Some(edge(model, Side::Buy)),
        Action::Centre => Some(centre(model)),
        Action::NextMark => Some(next_mark(model)),
        Action::FinerRows => Some(group(model, -1)),
        Action::CoarserRows => Some(group(model, 1)),
        Action::NextSize => Some(turn_size(model, 1)),
        Action::PreviousSize => Some(turn_size(model, -1)),
        Action::OneKey => Some(turn_one_key(model)),
        Action::Dismiss => put_back(model),
        Action::CancelBids => Some(cancel_side(model, Side::Buy)),
        Action::CancelAsks => Some(cancel_side(model, Side::Sell)),
        action => at_cursor(model, action),
    }
}

/// The acts that need a price.
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
    );
    if !acts {
        return None;
    }
    if model.price_ladder.is_deaf_to_keys(model.now) {
        return Some(Next::Refuse(JUST_MOVED.to_owned()));
    }
    let Some((at, spacing)) = point(model) else {
        return Some(Next::Refuse(NO_PRICE.to_owned()));
    };
    let mode = mode(model);
    if mode == SendMode::AtOnce && !is_new_press(model, action, at.price) {
        return Some(Next::Stay);
    }
    match action {
        Action::Amend if model.price_ladder.carried().is_none() => {
            Some(pick_up(model, &at, spacing))
        }
        Action::Amend | Action::Drop => Some(drop_carried(model, &at, mode)),
        action => act_at(model, action, (&at, spacing), mode),
    }
}

/// One act at a price, from the ladder or the chart.
pub(crate) fn act_at(
    model: &mut Model,
    action: Action,
    (at, spacing): (&PricePoint, Tick),
    mode: SendMode,
) -> Option<Next> {
    Some(match action {
        Action::Buy => at_price::limit(model, Side::Buy, at, mode),
        Action::Sell => at_price::limit(model, Side::Sell, at, mode),
        Action::StopBuy => at_price::stop_entry(model, Side::Buy, at, mode),
        Action::StopSell => at_price::stop_entry(model, Side::Sell, at, mode),
        Action::StopHere => at_price::protect(model, Protection::Stop, at, mode),
        Action::TargetHere => at_price::protect(model, Protection::Target, at, mode),
        Action::Cancel => at_price::cancel_here(model, at, spacing),
        _ => return None,
    })
}

/// The price under the cursor, and the distance between rows.
fn point(model: &Model) -> Option<(PricePoint, Tick)> {
    let ladder = &model.price_ladder;
    let at = PricePoint {
        market_id: ladder.market()?.clone(),
        price: ladder.cursor()?,
    };
    Some((at, ladder.spacing()?))
}

/// Whether one key sends.
fn mode(model: &Model) -> SendMode {
    if model.options.ladder_one_key && model.price_ladder.is_armed(model.now) {
        SendMode::AtOnce
    } else {
        SendMode::InForm
    }
}

/// A key that is held down acts once.
fn is_new_press(model: &mut Model, action: Action, price: Num) -> bool {
    let now = model.now;
    let press = format!("{action} {price}");
    model.price_ladder.takes_press(press, now)
}

fn step(model: &mut Model, up: i64) -> Next {
    let side = if up > 0 { Side::Sell } else { Side::Buy };
    match from(model, side) {
        Some(from) => model.price_ladder.step_cursor(up, from),
        None => return Next::Refuse("no price of this market is known".to_owned()),
    }
    Next::Stay
}

/// Where the cursor goes from home: the best price of a side, else the middle of the view.
fn from(model: &Model, side: Side) -> Option<Num> {
    let market = model.price_ladder.market()?;
    let book = model.store.books.of(market).and_then(|known| known.value());
    let best = book.and_then(|book| book.best(side));
    best.or_else(|| model.store.market(market)?.mid())
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
    let now = model.now;
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

/// The next size preset of the market, or the one before.
fn turn_size(model: &mut Model, steps: isize) -> Next {
    let Some(market) = model.price_ladder.market().cloned() else {
        return Next::Refuse("no market is shown".to_owned());
    };
    if model.size_preset(&market).is_none() {
        let symbol = market.symbol();
        return Next::Refuse(format!(
            "{symbol} has no size presets: size_presets in the settings"
        ));
    }
    model.turn_size_preset(&market, steps);
    Next::Stay
}

/// The next price below the cursor where the account has something, then from the top again.
fn next_mark(model: &mut Model) -> Next {
    let Some((market, spacing)) = model
        .price_ladder
        .market()
        .zip(model.price_ladder.spacing())
    else {
        return Next::Refuse("no price of this market is known".to_owned());
    };
    let position = own_position(&model.store, market);
    let entry = position.and_then(|position| position.entry_price);
    let liquidation = position.and_then(|position| position.liquidation_price);
    let own = own_orders(&model.store, market, spacing).map(|own| own.row);
    let of_position = entry.into_iter().chain(liquidation);
    let mut marks: Vec<_> = own
        .chain(of_position.map(|price| spacing.near(price)))
        .collect();
    marks.sort_unstable_by(|one, other| other.cmp(one));
    let cursor = model.price_ladder.cursor();
    let below = |mark: &&Num| cursor.is_none_or(|cursor| **mark < cursor);
    match marks.iter().find(below).or(marks.first()) {
        Some(mark) => model.price_ladder.put_cursor(*mark),
        None => return Next::Refuse(format!("nothing of yours in {}", market.symbol())),
    }
    Next::Stay
}

fn cancel_side(model: &mut Model, side: Side) -> Next {
    let ladder = &model.price_ladder;
    let Some((market, spacing)) = ladder.market().cloned().zip(ladder.spacing()) else {
        return Next::Refuse("no price of this market is known".to_owned());
    };
    at_price::cancel_side(model, side, &market, spacing)
}

/// Picks up the newest own order of the row.
fn pick_up(model: &mut Model, at: &PricePoint, spacing: Tick) -> Next {
    let own = at_price::at_row(model, at, spacing);
    let Some(own) = own.max_by_key(|own| own.order.requested_at) else {
        return Next::Refuse(format!("no order of yours at {}", at.price));
    };
    if let Err(why) = of_row::moved(model, own.order) {
        return Next::Refuse(why);
    }
    let id = own.order.id.clone();
    model.price_ladder.pick_up(id);
    Next::Stay
}

fn drop_carried(model: &mut Model, at: &PricePoint, mode: SendMode) -> Next {
    match model.price_ladder.put_back() {
        Some(id) => at_price::drop_order(model, &id, at, mode),
        None => Next::Refuse("m picks up an order of yours; Enter drops it".to_owned()),
    }
}

/// Esc: the order that is carried goes back, then the cursor home.
fn put_back(model: &mut Model) -> Option<Next> {
    let ladder = &mut model.price_ladder;
    if ladder.put_back().is_none() {
        ladder.cursor()?;
        ladder.send_cursor_home();
    }
    Some(Next::Stay)
}

fn turn_one_key(model: &mut Model) -> Next {
    let now = model.now;
    if model.price_ladder.disarm() {
        model.say(Tone::Plain, "one-key trading is off");
        return Next::Stay;
    }
    let Some(market) = model.price_ladder.market().cloned() else {
        return Next::Refuse("no market is shown".to_owned());
    };
    let state = BookState::new(&model.store, &market, now);
    let objection = if !model.options.ladder_one_key {
        Some("one-key trading is off: ladder_one_key = true in the settings allows it".to_owned())
    } else if model.options.read_only {
        Some(READ_ONLY.to_owned())
    } else {
        state.objection(&market)
    };
    if let Some(why) = objection {
        return Next::Refuse(why);
    }
    model.price_ladder.arm(now);
    let symbol = market.symbol();
    let words = format!("one-key trading is ON in {symbol}: b, s and a click send at once");
    model.say(Tone::Warn, words);
    Next::Stay
}

/// Keeps the ladder with the market shown, after whatever has happened.
pub(crate) fn follow(model: &mut Model) {
    let market = model.market_screen.market().cloned();
    if model.price_ladder.show(market.as_ref()) {
        tell_off(model, "another market is shown");
    }
    let Some(market) = market else {
        return;
    };
    let hold = if model.overlays.is_empty() {
        LadderHold::Free
    } else {
        LadderHold::Held
    };
    if let Some(quote) = quote(model, &market) {
        let now = model.now;
        model.price_ladder.follow(quote, hold, now);
    }
    if let Some(why) = ends_one_key(model, &market)
        && model.price_ladder.disarm()
    {
        tell_off(model, why);
    }
}

fn tell_off(model: &mut Model, why: &str) {
    model.say(Tone::Warn, format!("one-key trading is off: {why}"));
}

/// Why one key does not send any more.
fn ends_one_key(model: &Model, market: &MarketId) -> Option<&'static str> {
    let end = model.price_ladder.disarms_at()?;
    if model.now >= end {
        return Some("60 s without a key");
    }
    if !model.options.ladder_one_key {
        return Some("the settings do not allow it any more");
    }
    if model.visibility != Visibility::OnScreen {
        return Some("another account is shown");
    }
    BookState::new(&model.store, market, model.now).word()
}

/// The middle of the market: of a live book, else of the price source.
fn quote(model: &Model, market: &MarketId) -> Option<LadderQuote> {
    let store = &model.store;
    let is_live = BookState::new(store, market, model.now) == BookState::Live;
    let of_book = || {
        let known = store.books.of(market).filter(|_| is_live)?;
        Some((known.value()?.mid()?, known.at()?))
    };
    let of_source = || Some((store.market(market)?.mid()?, store.markets.at()?));
    let (middle, at) = of_book().or_else(of_source)?;
    let told = store.market(market).and_then(|market| market.tick(middle));
    Some(LadderQuote {
        middle,
        tick: told.unwrap_or_else(|| Tick::guessed(middle)),
        at,
    })
}

/// A press of the left button on a cell as it was drawn.
pub(crate) fn click(model: &mut Model, spot: &LadderSpot) -> Next {
    let now = model.now;
    model.price_ladder.touch(now);
    model.price_ladder.point(now);
    if let Some(why) = moved_since(model, spot) {
        return Next::Refuse(why.to_owned());
    }
    model.price_ladder.choose(spot.price);
    let Some((at, spacing)) = point(model) else {
        return Next::Stay;
    };
    match spot.column {
        LadderColumn::Bids => click_size(model, (Side::Buy, Action::Buy), &at),
        LadderColumn::Asks => click_size(model, (Side::Sell, Action::Sell), &at),
        LadderColumn::MyBids => grab(model, (&at, spacing), Side::Buy),
        LadderColumn::MyAsks => grab(model, (&at, spacing), Side::Sell),
        LadderColumn::Price => Next::Stay,
    }
}

/// Where one key sends, so does a click.
fn click_size(model: &mut Model, (side, action): (Side, Action), at: &PricePoint) -> Next {
    let mode = mode(model);
    if mode == SendMode::AtOnce && is_new_press(model, action, at.price) {
        return at_price::limit(model, side, at, mode);
    }
    Next::Stay
}

fn moved_since(model: &Model, spot: &LadderSpot) -> Option<&'static str> {
    let ladder = &model.price_ladder;
    let account = model.identity.as_ref().map(|known| &known.account_id);
    let is_same = ladder.market() == Some(&spot.market_id)
        && ladder.generation() == spot.generation
        && account == Some(&spot.account_id);
    if !is_same {
        return Some(ROW_MOVED);
    }
    ladder.is_deaf_to_clicks(model.now).then_some(JUST_MOVED)
}

/// The button went down on an own order: moved with the button down, it goes along.
fn grab(model: &mut Model, (at, spacing): (&PricePoint, Tick), side: Side) -> Next {
    let own = at_price::at_row(model, at, spacing).filter(|own| own.side == side);
    let newest = own.max_by_key(|own| own.order.requested_at);
    let grabbed = newest.map(|own| own.order.id.clone());
    model.price_ladder.grab(grabbed);
    Next::Stay
}

/// The mouse moved to another row with the left button down.
pub(crate) fn drag(model: &mut Model, spot: &LadderSpot) -> Next {
    let now = model.now;
    model.price_ladder.point(now);
    if !model.overlays.is_empty() || moved_since(model, spot) == Some(ROW_MOVED) {
        return Next::Stay;
    }
    if let Some(id) = model.price_ladder.grabbed() {
        let order = model.store.order(id);
        let order = order.ok_or_else(|| "that order is not known any more".to_owned());
        if let Err(why) = order.and_then(|order| of_row::moved(model, order)) {
            model.price_ladder.grab(None);
            return Next::Refuse(why);
        }
    }
    model.price_ladder.drag(spot.price);
    Next::Stay
}

/// The left button went up after a drag: on a row the order is dropped, elsewhere it goes back.
pub(crate) fn release(model: &mut Model, spot: Option<&LadderSpot>) -> Next {
    if !model.price_ladder.ends_drag() {
        return Next::Stay;
    }
    let is_row = spot.is_some_and(|spot| moved_since(model, spot).is_none());
    match point(model).filter(|_| is_row) {
        Some((at, _)) => {
            let mode = mode(model);
            drop_carried(model, &at, mode)
        }
        None => {
            model.price_ladder.put_back();
            Next::Refuse(ROW_MOVED.to_owned())
        }
    }
}

/// The wheel moves the view, which stays there until the market is centred. `first` counts from [`WHEEL_HOME`].
pub(crate) fn turn(model: &mut Model, first: usize) {
    let now = model.now;
    let up = i64::try_from(WHEEL_HOME).unwrap_or(0) - i64::try_from(first).unwrap_or(0);
    model.price_ladder.point(now);
    model.price_ladder.scroll(up);
}
