use super::*;
use crate::{
    app::{
        desk::msg::Msg,
        market::wanted_data::MarketRequest,
        testing::*,
        update::{router::update, wake::wake},
    },
    model::{Book, Candle, Dated, Failure, FailureKind, Interval, Level, Page},
};

fn asked(effects: &[Effect]) -> Vec<&Effect> {
    let is_market = |effect: &&Effect| matches!(effect, Effect::Read(ReadOnce::Market(..)));
    effects.iter().filter(is_market).collect()
}

fn book_of(coin: &str) -> Effect {
    let market = format!("paper|{coin}").into();
    Effect::Read(ReadOnce::Market(
        market,
        MarketRequest::Book { depth: None },
    ))
}

fn book(bid: &str, ask: &str) -> Book {
    let level = |price| Level {
        price: num(price),
        size: num("1"),
    };
    Book::new(vec![level(bid)], vec![level(ask)])
}

fn down() -> Failure {
    Failure::new(FailureKind::Unavailable, "down")
}

#[test]
fn a_book_is_asked_for_while_a_form_is_open_in_its_market_and_not_otherwise() {
    let mut model = desk();
    assert!(asked(&wait(&mut model, 5_000)).is_empty());
    assert_eq!(due(&model), None, "nothing shown, no timer");
    press(&mut model, "b");
    let effects = wait(&mut model, 1);
    assert_eq!(asked(&effects), [&book_of("BTC")]);
    arrive_book(&mut model, "BTC", book("63999", "64001"));
    assert!(asked(&wait(&mut model, 500)).is_empty(), "not all the time");
    let effects = wait(&mut model, 1_500);
    assert_eq!(asked(&effects), [&book_of("BTC")]);
    press(&mut model, "shift-tab shift-tab eth");
    let effects = wait(&mut model, 1);
    assert_eq!(asked(&effects), [&book_of("ETH")]);
    press(&mut model, "esc esc");
    assert!(asked(&wait(&mut model, 5_000)).is_empty());
    assert_eq!(due(&model), None);
}

#[test]
fn the_desk_wakes_when_the_next_book_is_due() {
    let mut model = desk();
    press(&mut model, "b");
    assert_eq!(
        wake(&model),
        Some(model.account.now.plus(Duration::from_millis(1)))
    );
    wait(&mut model, 1);
    let requested_at = model.account.now;
    arrive_book(&mut model, "BTC", book("63999", "64001"));
    assert_eq!(due(&model), Some(requested_at.plus(Duration::from_secs(2))));
}

#[test]
fn an_unanswered_request_is_not_repeated_until_it_is_lost_and_a_failing_one_less_and_less_often() {
    let mut model = desk();
    press(&mut model, "b");
    assert_eq!(asked(&wait(&mut model, 1)).len(), 1);
    for _ in 0..14 {
        assert!(asked(&wait(&mut model, 1_000)).is_empty());
    }
    let mut waits = vec![];
    assert_eq!(asked(&wait(&mut model, 1_000)).len(), 1, "lost after 15 s");
    for _ in 0..6 {
        arrive_market(&mut model, "BTC", MarketAnswer::Book(Err(down())));
        let due = due(&model).unwrap();
        waits.push(due.since(model.account.now).as_secs());
        let now = due;
        assert_eq!(asked(&update(&mut model, now, Msg::Tick)).len(), 1);
    }
    assert_eq!(waits, [4, 8, 16, 30, 30, 30]);
    arrive_book(&mut model, "BTC", book("63999", "64001"));
    let wait = due(&model).unwrap().since(model.account.now);
    assert_eq!(
        wait,
        Duration::from_secs(2),
        "and as usual once it is told again"
    );
}

#[test]
fn what_the_service_does_not_offer_is_asked_for_once() {
    let mut model = desk();
    press(&mut model, "b");
    wait(&mut model, 1);
    arrive_market(&mut model, "BTC", MarketAnswer::Book(Ok(None)));
    assert_eq!(due(&model), None);
    assert!(asked(&wait(&mut model, 60_000)).is_empty());
    press(&mut model, "esc esc r");
    press(&mut model, "b");
    assert!(
        asked(&wait(&mut model, 1)).is_empty(),
        "a refresh does not ask either"
    );
}

#[test]
fn an_account_in_the_background_asks_for_nothing_of_the_markets() {
    let mut model = desk();
    press(&mut model, "b");
    model.account.visibility = Visibility::Background;
    assert!(asked(&wait(&mut model, 5_000)).is_empty());
    assert_eq!(due(&model), None);
}

#[test]
fn a_failed_or_crossed_book_keeps_the_last_one_which_grows_old() {
    let mut model = desk();
    arrive_book(&mut model, "BTC", book("63999", "64001"));
    let market = "paper|BTC".into();
    let version = model.account.store.books.version();
    arrive_book(&mut model, "BTC", book("63999", "64001"));
    assert_eq!(
        model.account.store.books.version(),
        version,
        "the same book is no change"
    );
    wait(&mut model, 3_000);
    let crossed = Failure::new(FailureKind::Unreadable, "the book is crossed");
    let answer = MarketAnswer::Book(Err(crossed.clone()));
    arrive_market(&mut model, "BTC", answer);
    assert!(model.account.store.books.version() > version);
    let known = model.account.store.books.of(&market).unwrap();
    assert_eq!(known.value(), Some(&book("63999", "64001")));
    assert_eq!(known.trouble(), Some(&crossed));
    let age = model.account.store.books.age(&market, model.account.now);
    assert_eq!(age, Some(Duration::from_secs(3)));
}

#[test]
fn a_book_whose_own_time_stands_still_grows_old_although_it_is_polled() {
    let mut model = desk();
    for _ in 0..4 {
        let answer = Dated {
            value: book("63999", "64001"),
            made_at: Some(Timestamp(77)),
        };
        arrive_market(&mut model, "BTC", MarketAnswer::Book(Ok(Some(answer))));
        wait(&mut model, 1_000);
    }
    let age = model
        .account
        .store
        .books
        .age(&"paper|BTC".into(), model.account.now);
    assert_eq!(age, Some(Duration::from_secs(4)));
}

#[test]
fn while_the_display_is_held_no_candle_changes_but_an_older_page_comes() {
    let candle = |open_time| Candle {
        open_time: Timestamp(open_time),
        open: num("1"),
        high: num("1"),
        low: num("1"),
        close: num("1"),
        volume: None,
        turnover: None,
        trades: None,
        is_closed: true,
        is_synthetic: false,
    };
    let page = |before, rows: [i64; 2]| {
        let rows = Page::of(rows.map(|row| candle(row * 60_000)).to_vec());
        MarketAnswer::Candles(Interval::Minute1, before, Ok(Some(Dated::undated(rows))))
    };
    let mut model = desk();
    arrive_market(&mut model, "BTC", page(None, [10, 11]));
    press(&mut model, "f");
    arrive_market(&mut model, "BTC", page(None, [11, 12]));
    arrive_market(&mut model, "BTC", page(Some(Timestamp(600_000)), [8, 9]));
    let market = "paper|BTC".into();
    let series = model
        .account
        .market_data
        .candles(&market, Interval::Minute1)
        .unwrap();
    let minutes: Vec<_> = series
        .rows()
        .iter()
        .map(|row| row.open_time.0 / 60_000)
        .collect();
    assert_eq!(minutes, [8, 9, 10, 11]);
}

#[test]
fn while_the_display_is_held_nothing_newer_is_asked_for() {
    let mut model = desk();
    press(&mut model, "b");
    press(&mut model, "esc esc f");
    assert!(model.frozen.is_some());
    assert!(wanted_data(&model).is_held);
    assert_eq!(due(&model), None);
}

#[test]
fn the_ladder_asks_for_book_and_trades_while_it_is_on_the_screen_and_not_otherwise() {
    let mut model = desk();
    press(&mut model, "9");
    let effects = wait(&mut model, 1);
    let market: MarketId = "paper|BTC".into();
    let request = |request| Effect::Read(ReadOnce::Market(market.clone(), request));
    let book_and_trades = [
        request(MarketRequest::Book { depth: Some(200) }),
        request(MarketRequest::Trades { limit: 1_000 }),
    ];
    assert_eq!(asked(&effects), book_and_trades.iter().collect::<Vec<_>>());
    arrive_book(&mut model, "BTC", book("63999", "64001"));
    let half = Duration::from_millis(500);
    assert_eq!(due(&model), Some(model.account.now.plus(half)));
    press(&mut model, "1");
    assert_eq!(due(&model), None);
    assert!(asked(&wait(&mut model, 60_000)).is_empty());
}

#[test]
fn a_terminal_that_is_too_small_for_the_desk_asks_for_nothing_of_the_markets() {
    let mut model = desk();
    let now = model.account.now;
    update(&mut model, now, Msg::Resized(160, 48));
    press(&mut model, "9");
    assert!(!wanted_data(&model).books.is_empty());
    press(&mut model, "b");
    update(&mut model, now, Msg::Resized(50, 10));
    assert_eq!(wanted_data(&model), WantedMarketData::default());
    assert!(asked(&wait(&mut model, 60_000)).is_empty());
    assert_eq!(due(&model), None);
    let now = model.account.now;
    let effects = update(&mut model, now, Msg::Resized(160, 48));
    assert!(!asked(&effects).is_empty() || due(&model).is_some());
}
