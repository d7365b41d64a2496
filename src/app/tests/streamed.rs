//! What the streams of the service change on the desk.

use super::*;
use crate::{
    app::{MarketAnswer, StreamNews, StreamState, StreamedPrice, StreamedRows, VenueMarkets},
    model::{
        Book, Dated, Level, MarketId, Num, Order, Patch, PublicTrade, Receipt, Side, StreamKind,
        Timestamp,
    },
};

fn hear(model: &mut Model, news: StreamNews) -> Vec<Effect> {
    let now = model.account.now;
    update(model, now, Msg::Streamed(now, Box::new(news)))
}

fn orders(rows: Vec<Order>) -> StreamNews {
    StreamNews::Account(StreamedRows {
        orders: Some(Page::of(rows)),
        ..StreamedRows::default()
    })
}

fn resting(price: u32) -> Order {
    let more = format!(
        r#""type":"limit","mode":"limit","side":"buy","size":0.1,"limit_price":{price},"status":"resting""#
    );
    order("ord-1", "BTC", &more)
}

fn price_of(model: &Model, id: &str) -> Option<Num> {
    model.account.store.order(&id.into())?.limit_price
}

#[test]
fn an_order_that_is_moved_elsewhere_is_shown_at_once_and_its_age_is_that_of_the_stream() {
    let mut model = desk();
    hear(&mut model, StreamNews::Up(StreamKind::Account));
    wait(&mut model, 4_000);
    hear(&mut model, orders(vec![resting(59_000)]));
    assert_eq!(price_of(&model, "ord-1"), Some(59_000_u32.into()));
    assert_eq!(model.account.store.order(&"ord-2".into()), None);
    let age = |model: &Model| {
        model
            .account
            .age_of(Source::Orders, model.account.now)
            .unwrap()
            .0
    };
    assert_eq!(age(&model), Duration::ZERO);
    assert_eq!(model.account.store.orders.at(), Some(NOON), "the last read");
    wait(&mut model, 2_000);
    assert_eq!(age(&model), Duration::from_secs(2));
    hear(&mut model, StreamNews::Alive(StreamKind::Account));
    assert_eq!(age(&model), Duration::ZERO);
    hear(&mut model, StreamNews::Down(StreamKind::Account));
    assert_eq!(age(&model), Duration::from_secs(6), "of the last poll");
}

#[test]
fn a_stream_does_not_decide_what_a_command_did() {
    let mut model = desk();
    hear(&mut model, StreamNews::Up(StreamKind::Account));
    let ticket = model.account.store.begin(cancel(), model.account.now);
    let canceled = serde_json::from_str(r#"{"id":"ord-1","canceled":true}"#).unwrap();
    settle(&mut model, ticket, Ok(Receipt::Cancel(canceled)));
    assert_eq!(price_of(&model, "ord-1"), None);
    wait(&mut model, 1_000);
    // An event that was on its way when the answer came.
    hear(&mut model, orders(vec![resting(60_000)]));
    assert_eq!(price_of(&model, "ord-1"), None);
    arrive(
        &mut model,
        Answer::Orders(Ok(Page::of(vec![resting(60_000)]))),
    );
    assert_eq!(
        price_of(&model, "ord-1"),
        Some(60_000_u32.into()),
        "a read decides"
    );
}

#[test]
fn prices_of_a_stream_move_the_marks_and_their_age() {
    let mut model = desk();
    wait(&mut model, 500);
    let price = StreamedPrice {
        market_id: "paper|BTC".into(),
        mark: Patch::Is(Some(45_100_u32.into())),
        bid: Some(45_099_u32.into()),
        ask: Some(45_101_u32.into()),
        at: Some(model.account.now),
        ..StreamedPrice::default()
    };
    let prices = vec![price];
    hear(
        &mut model,
        StreamNews::Markets {
            answers: vec![],
            prices,
        },
    );
    let market = model.account.store.market(&"paper|BTC".into()).unwrap();
    assert_eq!(
        (market.mark, market.bid),
        (Some(45_100_u32.into()), Some(45_099_u32.into()))
    );
    let seen = model.account.store.prices[&MarketId::from("paper|BTC")]
        .marks
        .back();
    assert_eq!(seen, Some(&(model.account.now, 45_100_u32.into())));
    assert_eq!(
        model.account.store.polled_at(Source::Markets),
        Some(model.account.now)
    );
}

#[test]
fn a_stream_tells_that_the_exchange_misses_frames_and_that_it_has_them_again() {
    let mut model = desk();
    wait(&mut model, 500);
    let since = Timestamp(1_790_000_000_000);
    for (told, known) in [
        (Patch::Is(Some(since)), Some(since)),
        (Patch::Keep, Some(since)),
        (Patch::Is(None), None),
    ] {
        let price = StreamedPrice {
            market_id: "paper|BTC".into(),
            gap_since: told,
            ..StreamedPrice::default()
        };
        let news = StreamNews::Markets {
            answers: vec![],
            prices: vec![price],
        };
        hear(&mut model, news);
        let market = model.account.store.market(&"paper|BTC".into()).unwrap();
        assert_eq!(market.gap_since, known);
    }
}

#[test]
fn prices_of_a_stream_that_names_no_instants_are_of_when_they_came() {
    let mut model = desk();
    wait(&mut model, 14_000);
    let price = StreamedPrice {
        market_id: "paper|BTC".into(),
        mark: Patch::Is(Some(45_100_u32.into())),
        ..StreamedPrice::default()
    };
    let news = StreamNews::Markets {
        answers: vec![],
        prices: vec![price],
    };
    hear(&mut model, news);
    assert_eq!(
        model.account.store.polled_at(Source::Markets),
        Some(model.account.now)
    );
}

fn book(bid: i64) -> Vec<(MarketId, MarketAnswer)> {
    let level = |price: i64| Level {
        price: price.into(),
        size: Num::ONE,
    };
    let book = Dated {
        value: Book::new(vec![level(bid)], vec![level(bid + 2)]),
        made_at: Some(Timestamp(bid)),
    };
    vec![("paper|BTC".into(), MarketAnswer::Book(Ok(Some(book))))]
}

#[test]
fn a_book_of_a_stream_is_shown_and_a_frozen_display_shows_what_it_told_once_it_goes_on() {
    let mut model = desk();
    let news = |bid| StreamNews::Markets {
        answers: book(bid),
        prices: vec![],
    };
    let bid = |model: &Model| {
        model
            .account
            .store
            .books
            .of(&"paper|BTC".into())?
            .value()?
            .best(crate::model::Side::Buy)
    };
    hear(&mut model, StreamNews::Up(StreamKind::Account));
    hear(&mut model, news(100));
    assert_eq!(bid(&model), Some(100_u32.into()));
    press(&mut model, "f");
    hear(&mut model, news(200));
    hear(&mut model, orders(vec![]));
    assert_eq!(bid(&model), Some(100_u32.into()));
    assert!(model.account.store.order(&"ord-1".into()).is_some());
    press(&mut model, "f");
    assert!(model.account.store.order(&"ord-1".into()).is_none());
}

#[test]
fn a_stream_that_was_never_up_is_no_state_of_the_desk() {
    let mut model = desk();
    assert_eq!(model.account.store.streams.market, StreamState::None);
    hear(&mut model, StreamNews::Alive(StreamKind::Market));
    assert_eq!(model.account.store.streams.market, StreamState::None);
    hear(&mut model, StreamNews::Down(StreamKind::Market));
    assert_eq!(model.account.store.streams.market, StreamState::Down);
}

#[test]
fn trades_of_another_source_are_not_counted_with_those_of_the_one_before() {
    let mut model = desk();
    let trades = |at: i64| {
        let trade = PublicTrade {
            id: Some(7),
            price: 100_u32.into(),
            size: Num::ONE,
            aggressor: Side::Buy,
            at: Timestamp(at),
            is_own: None,
        };
        let page = Dated::undated(Page::of(vec![trade]));
        MarketAnswer::Trades(Ok(Some(page)))
    };
    let market = MarketId::from("paper|BTC");
    let count = |model: &Model| {
        let tape = model.account.market_data.tape(&market);
        tape.map(|tape| tape.trades().len())
    };
    let markets = |at| StreamNews::Markets {
        answers: vec![(market.clone(), trades(at))],
        prices: vec![],
    };
    hear(&mut model, markets(1));
    assert_eq!(count(&model), Some(1));
    let asked_before = model.account.now;
    wait(&mut model, 100);
    hear(&mut model, StreamNews::ByVenue(VenueMarkets::All));
    assert_eq!(count(&model), None);
    let late = Msg::MarketData(market.clone(), asked_before, trades(2));
    let now = model.account.now;
    update(&mut model, now, late);
    assert_eq!(count(&model), None, "it is of the source before");
    hear(&mut model, markets(2));
    assert_eq!(count(&model), Some(1));
}
