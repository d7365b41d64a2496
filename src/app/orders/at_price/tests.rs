#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks for one variant and names no others"
)]
use super::*;
use crate::{
    app::{
        account::poll::Answer, core::effect::Effect, dialogs::overlay::OverlayKind,
        keys::keymap::Action, testing::*, update::router::follow,
    },
    model::{Book, Dated, Failure, Level, Page, PlaceOrder, Receipt, Timestamp},
};

fn btc() -> MarketId {
    "paper|BTC".into()
}

fn at(price: &str) -> PricePoint {
    PricePoint {
        market_id: btc(),
        price: num(price),
    }
}

fn book(bid: &str, ask: &str) -> Book {
    let level = |price| Level {
        price: num(price),
        size: num("3"),
    };
    Book::new(vec![level(bid)], vec![level(ask)])
}

fn told(model: &mut Model, book: Book, at: Timestamp) {
    model
        .account
        .store
        .books
        .arrive(btc(), Ok(Dated::undated(book)), at);
}

/// A desk with a live book of BTC, where the last order was 0.1.
fn traded() -> Model {
    let mut model = desk();
    let now = model.account.now;
    told(&mut model, book("63999", "64001"), now);
    let order = PlaceOrder {
        kind: PlaceKind::Limit,
        leverage: num("5"),
        ..PlaceOrder::market("chal-1".into(), btc(), Side::Buy, num("0.1"))
    };
    model.account.used.keep(&order);
    model
}

fn placed(reply: Reply) -> PlaceOrder {
    let next = reply.unwrap();
    let Next::AskEach(effects) = next else {
        panic!("{next:?}");
    };
    let [Effect::Send(_, Command::Place(order))] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    (**order).clone()
}

fn refused(reply: Reply) -> String {
    reply.unwrap_err()
}

#[test]
fn a_key_opens_the_form_with_price_and_size_and_enter_sends_it() {
    let mut model = traded();
    let next = limit(&mut model, Side::Buy, &at("63990"), SendMode::InForm).unwrap();
    assert!(follow(&mut model, next).is_empty(), "nothing is sent yet");
    let sent = press(&mut model, "enter");
    let [Effect::Send(_, Command::Place(order))] = sent.as_slice() else {
        panic!("{sent:?}");
    };
    assert_eq!(
        (order.kind, order.side, order.limit_price, order.size),
        (PlaceKind::Limit, Side::Buy, Some(num("63990")), num("0.1"))
    );
}

#[test]
fn without_a_size_the_form_waits_for_one_and_one_key_sends_nothing() {
    let mut model = traded();
    model.account.used = crate::app::account::used_terms::UsedTerms::default();
    let why = refused(limit(&mut model, Side::Buy, &at("63990"), SendMode::AtOnce));
    assert!(why.starts_with("not sent"), "{why}");
    let next = limit(&mut model, Side::Buy, &at("63990"), SendMode::InForm).unwrap();
    follow(&mut model, next);
    assert!(press(&mut model, "enter").is_empty());
    let sent = press(&mut model, "0.2 enter");
    assert!(matches!(sent.as_slice(), [Effect::Send(..)]), "{sent:?}");
}

#[test]
fn one_key_sends_what_the_form_would_send_and_says_what_takes_now() {
    let mut model = traded();
    let rests = placed(limit(
        &mut model,
        Side::Sell,
        &at("64010"),
        SendMode::AtOnce,
    ));
    assert_eq!(
        (rests.side, rests.limit_price),
        (Side::Sell, Some(num("64010")))
    );
    assert!(model.overlays.is_empty(), "no form stays");
    let takes = limit(&mut model, Side::Buy, &at("64005"), SendMode::AtOnce).unwrap();
    assert_eq!(placed(Ok(takes)).limit_price, Some(num("64005")));
    let toast = model.account.activity.toast(model.account.now).unwrap();
    let words = "fills now: buy BTC 64,005 takes 64,001";
    assert!(format!("{:?}", toast.event).contains(words), "{toast:?}");
}

#[test]
fn what_the_form_would_ask_about_is_refused_at_once() {
    let mut model = traded();
    let why = refused(limit(&mut model, Side::Buy, &at("70000"), SendMode::AtOnce));
    assert!(
        why.starts_with("not sent: the limit is 9.4 % through the market, 64,001"),
        "{why}"
    );
    assert!(why.contains("is every digit meant? End one-key trading"));
    assert!(model.overlays.is_empty() && model.account.store.pending.is_empty());
    model.account.options.checks.max_size = Some(num("0.05"));
    let why = refused(limit(&mut model, Side::Buy, &at("63990"), SendMode::AtOnce));
    assert_eq!(why, "size 0.1 is above max_size 0.05");
}

#[test]
fn a_stale_or_crossed_book_refuses_entries_and_lets_exits_and_cancels_through() {
    let tick = Tick::of(num("1")).unwrap();
    let now = desk().account.now;
    let old = Timestamp(now.0 - 6_000);
    let books = [
        (book("63999", "64001"), old, "stale"),
        (book("64001", "64001"), now, "crossed"),
        (Book::default(), now, "empty"),
    ];
    for (book, when, word) in books {
        for mode in [SendMode::InForm, SendMode::AtOnce] {
            let mut model = traded();
            model.account.store.books = crate::app::account::books::Books::default();
            told(&mut model, book.clone(), when);
            for side in [Side::Buy, Side::Sell] {
                let why = refused(limit(&mut model, side, &at("64000"), mode));
                assert!(why.contains(word), "{why}");
            }
            let why = refused(stop_entry(&mut model, Side::Buy, &at("64100"), mode));
            assert!(why.contains(word), "{why}");
            let cancels = cancel_here(&mut model, &at("60000"), tick).unwrap();
            assert!(matches!(&cancels, Next::AskEach(sent) if sent.len() == 1));
            let stop =
                protect(&mut model, Protection::Stop, &at("63000"), SendMode::InForm).unwrap();
            assert!(matches!(stop, Next::Open(_)), "{stop:?}");
        }
    }
}

#[test]
fn a_stop_entry_waits_for_its_price_on_the_far_side_of_the_mark_only() {
    let mut model = traded();
    let order = placed(stop_entry(
        &mut model,
        Side::Buy,
        &at("64100"),
        SendMode::AtOnce,
    ));
    assert_eq!(order.kind, PlaceKind::StopMarket);
    assert_eq!(order.trigger_price, Some(num("64100")));
    let why = refused(stop_entry(
        &mut model,
        Side::Buy,
        &at("63900"),
        SendMode::AtOnce,
    ));
    assert_eq!(
        why,
        "a buy stop is above the mark, 64,000: at 63,900 the trigger is already crossed"
    );
}

#[test]
fn a_stop_and_a_target_close_the_open_position_where_they_are_put() {
    let mut model = traded();
    for (purpose, price, wrong) in [
        (Protection::Stop, "63000", "65000"),
        (Protection::Target, "65000", "63000"),
    ] {
        let next = protect(&mut model, purpose, &at(price), SendMode::AtOnce).unwrap();
        let Next::AskEach(effects) = next else {
            panic!("{next:?}");
        };
        let [Effect::Send(ticket, Command::ExitBatch(batch))] = effects.as_slice() else {
            panic!("{effects:?}");
        };
        let words = format!("{batch:?}");
        assert!(words.contains(price) && words.contains("pos-1"), "{words}");
        let words = "its price is out of bounds";
        settle(&mut model, *ticket, Err(Failure::held_back(words)));
        wait(&mut model, 50);
        let orders = model.account.store.orders.rows().to_vec();
        arrive_orders(&mut model, orders);
        let why = refused(protect(&mut model, purpose, &at(wrong), SendMode::AtOnce));
        assert!(why.contains("the trigger is already crossed"), "{why}");
    }
    let none = PricePoint {
        market_id: "paper|ETH".into(),
        price: num("2900"),
    };
    let why = refused(protect(
        &mut model,
        Protection::Stop,
        &none,
        SendMode::InForm,
    ));
    assert_eq!(why, "no open position in ETH");
}

#[test]
fn a_stop_and_a_target_put_while_a_batch_is_sent_follow_it_as_one() {
    let mut model = traded();
    let first = protect(&mut model, Protection::Stop, &at("63000"), SendMode::AtOnce).unwrap();
    let Next::AskEach(sent) = first else {
        panic!("{first:?}");
    };
    let [Effect::Send(ticket, _)] = sent.as_slice() else {
        panic!("{sent:?}");
    };
    for (purpose, price) in [(Protection::Stop, "63100"), (Protection::Target, "65000")] {
        let next = protect(&mut model, purpose, &at(price), SendMode::AtOnce).unwrap();
        assert!(
            matches!(&next, Next::AskEach(none) if none.is_empty()),
            "{next:?}"
        );
    }
    let held = model
        .account
        .store
        .position(&"pos-1".into())
        .unwrap()
        .clone();
    settle(
        &mut model,
        *ticket,
        Ok(Receipt::Position(Box::new(held.clone()))),
    );
    wait(&mut model, 50);
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![held]))));
    let stop = r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,"trigger_price":63000,
        "target_position_id":"pos-1","status":"resting""#;
    let effects = arrive(
        &mut model,
        Answer::Orders(Ok(Page::of(vec![order("ord-9", "BTC", stop)]))),
    );
    let sent = effects.iter().filter_map(|effect| match effect {
        Effect::Send(_, command) => Some(command.to_string()),
        _ => None,
    });
    let words = "exits of position pos-1: take profit at 65,000, size 0.5, move ord-9 to 63,100";
    assert_eq!(sent.collect::<Vec<_>>(), [words]);
}

/// The service reports how much of `ord-1` has filled: it can be moved.
fn moved_desk() -> Model {
    let mut model = traded();
    let limit = r#""type":"limit","mode":"limit","side":"buy","size":0.1,"limit_price":60000,
        "filled_size":0,"status":"resting""#;
    arrive_orders(&mut model, vec![order("ord-1", "BTC", limit)]);
    model
}

#[test]
fn an_order_that_is_dropped_elsewhere_is_moved_in_place() {
    let mut model = moved_desk();
    let id = OrderId::from("ord-1");
    let next = drop_order(&mut model, &id, &at("60002"), SendMode::AtOnce).unwrap();
    let Next::AskEach(effects) = next else {
        panic!("{next:?}");
    };
    let [Effect::Send(_, Command::Modify(modify))] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert_eq!((&modify.order_id, modify.price), (&id, num("60002")));
    let mut model = moved_desk();
    let why = refused(drop_order(&mut model, &id, &at("60000"), SendMode::AtOnce));
    assert_eq!(why, "nothing changed: the order is already at this price");
    let next = drop_order(&mut model, &id, &at("60002"), SendMode::InForm).unwrap();
    follow(&mut model, next);
    let sent = press(&mut model, "enter");
    assert!(matches!(
        sent.as_slice(),
        [Effect::Send(_, Command::Modify(_))]
    ));
}

#[test]
fn a_cancel_takes_the_orders_of_its_row_and_a_stop_asks_first() {
    let tick = |step| Tick::of(num(step)).unwrap();
    let mut model = traded();
    let why = refused(cancel_here(&mut model, &at("60001"), tick("1")));
    assert_eq!(why, "no order of yours at 60,001");
    let next = cancel_here(&mut model, &at("60000"), tick("50")).unwrap();
    assert!(
        matches!(&next, Next::AskEach(sent) if sent.len() == 1),
        "{next:?}"
    );
    let stop = r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,
        "trigger_price":59000,"status":"pending""#;
    let mut stop = order("ord-9", "BTC", stop);
    stop.reduce_only = true;
    arrive_orders(&mut model, vec![stop]);
    let next = cancel_here(&mut model, &at("59000"), tick("1")).unwrap();
    follow(&mut model, next);
    assert!(press(&mut model, "y").is_empty(), "it is deaf at first");
    wait(&mut model, 200);
    let sent = press(&mut model, "y");
    assert!(
        matches!(sent.as_slice(), [Effect::Send(_, Command::Unprotect(_))]),
        "{sent:?}"
    );
}

fn arrive_orders(model: &mut Model, orders: Vec<Order>) {
    let answer = crate::app::account::poll::Answer::Orders(Ok(crate::model::Page::of(orders)));
    arrive(model, answer);
}

#[test]
fn canceling_all_bids_touches_the_bids_of_this_market_alone() {
    let limit = |id, coin, side, price| {
        let more = format!(
            r#""type":"limit","mode":"limit","side":"{side}","size":0.1,"limit_price":{price},"status":"resting""#
        );
        order(id, coin, &more)
    };
    let mut model = traded();
    let orders = vec![
        limit("bid-1", "BTC", "buy", 60_000),
        limit("bid-2", "BTC", "buy", 61_000),
        limit("ask-1", "BTC", "sell", 66_000),
        limit("eth-1", "ETH", "buy", 2_000),
    ];
    arrive_orders(&mut model, orders);
    let next = cancel_side(&model, Side::Buy, &btc()).unwrap();
    follow(&mut model, next);
    assert_eq!(
        model.overlays.last().map(OverlayKind::from),
        Some(OverlayKind::Strip)
    );
    wait(&mut model, 200);
    let sent = press(&mut model, "y");
    let canceled: Vec<_> = sent
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send(_, command) => command.cancels().map(ToString::to_string),
            _ => None,
        })
        .collect();
    assert_eq!(canceled, ["bid-1", "bid-2"]);
    model.overlays.clear();
    arrive_orders(&mut model, vec![]);
    let why = refused(cancel_side(&model, Side::Sell, &btc()));
    assert_eq!(why, "you have no resting asks in BTC");
    assert!(
        model
            .keymap
            .chord(model.context(), Action::Confirm)
            .is_none()
    );
}

#[test]
fn a_dropped_order_that_the_form_would_ask_about_is_shown_in_it_first() {
    let model = moved_desk();
    let mode = |price| drop_mode(&model, &"ord-1".into(), &at(price));
    assert_eq!(mode("60002"), SendMode::AtOnce);
    assert_eq!(mode("65000"), SendMode::InForm, "it is through the market");
}
