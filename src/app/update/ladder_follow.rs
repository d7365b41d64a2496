//! How the price ladder follows the market, and when one-key trading ends by itself.

use crate::{
    app::{
        account::{books::KnownBook, labels::Visibility},
        activity::notice::Tone,
        core::account::Account,
        desk::model::Model,
        market::{
            book_state::BookState,
            own_orders::priced_orders,
            price_ladder::{LadderHold, LadderQuote},
            queue_place::QueueScene,
            tape::Tape,
        },
    },
    model::{MarketId, Tick},
};

/// Keeps the ladder with the market shown, after whatever has happened.
pub(crate) fn follow(model: &mut Model) {
    let market = model.market_screen.market().cloned();
    if model.price_ladder.show(market.as_ref()) {
        tell_off(&mut model.account, "another market is shown");
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
        let now = model.account.now;
        model.price_ladder.follow(quote, hold, now);
    }
    watch_queue(model, &market);
    if let Some(why) = ends_one_key(model, &market)
        && model.price_ladder.one_key.disarm()
    {
        tell_off(&mut model.account, why);
    }
}

/// What rests before the own orders.
fn watch_queue(model: &mut Model, market: &MarketId) {
    let tape = model.account.market_data.tape(market).map(Tape::version);
    let version = (model.account.store.orders.at(), tape);
    if !model.price_ladder.queue.is_outdated(version) {
        return;
    }
    let mut queue = std::mem::take(&mut model.price_ladder.queue);
    let store = &model.account.store;
    let is_live = BookState::new(store, market, model.account.now) == BookState::Live;
    let book = store.books.of(market).filter(|_| is_live);
    let scene = QueueScene {
        book: book.and_then(KnownBook::value),
        tape: model.account.market_data.tape(market),
        service_now: model.account.service_now(),
    };
    queue.watch(priced_orders(store, market), scene);
    model.price_ladder.queue = queue;
}

fn tell_off(account: &mut Account, why: &str) {
    account.say(Tone::Warn, format!("one-key trading is off: {why}"));
}

/// Why one key does not send any more.
fn ends_one_key(model: &Model, market: &MarketId) -> Option<&'static str> {
    let end = model.price_ladder.disarms_at()?;
    if model.account.now >= end {
        return Some("60 s without a key");
    }
    if !model.account.options.ladder_one_key {
        return Some("the settings do not allow it any more");
    }
    if model.account.visibility != Visibility::OnScreen {
        return Some("another account is shown");
    }
    BookState::new(&model.account.store, market, model.account.now).word()
}

/// The middle of the market: of a live book, else of the prices.
pub(super) fn quote(model: &Model, market: &MarketId) -> Option<LadderQuote> {
    let store = &model.account.store;
    let is_live = BookState::new(store, market, model.account.now) == BookState::Live;
    let of_book = || {
        let known = store.books.of(market).filter(|_| is_live)?;
        Some((known.value()?.mid()?, known.at()?))
    };
    let of_source = || Some((store.market(market)?.mid()?, store.markets.at()?));
    let (middle, at) = of_book().or_else(of_source)?;
    Some(LadderQuote {
        middle,
        tick: Tick::at(store.market(market), middle),
        at,
    })
}
