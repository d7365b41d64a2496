use crate::{
    app::{
        account::poll::Answer,
        activity::notice::Event,
        core::effect::Effect,
        desk::{model::Model, msg::Msg},
        dialogs::overlay::{Overlay, StripAction},
        testing::{self, *},
        update::router::update,
    },
    config::Fees,
    model::{
        CancelResult, Command, ExitOperation, Failure, FailureKind, Num, Order, Page, Progress,
        Receipt, Side, Ticket,
    },
};
use std::time::Duration;

fn stop(id: &str, price: &str) -> Order {
    armed(id, "stop_market", price)
}

fn armed(id: &str, kind: &str, price: &str) -> Order {
    let json = format!(
        r#""type":"{kind}","mode":"{kind}","side":"sell","size":0.5,"filled_size":0,"trigger_price":{price},
        "target_position_id":"pos-1","status":"pending""#
    );
    Order {
        reduce_only: true,
        ..testing::order(id, "BTC", &json)
    }
}

/// A long of 0.5 from 60,000; the mark is 64,000, and each side costs 0.045 %.
fn charged(orders: Vec<Order>) -> Model {
    let mut model = desk();
    model.account.options.fees = Fees {
        taker_bps: Some(num("4.5")),
        ..Fees::default()
    };
    arrive(&mut model, Answer::Orders(Ok(Page::of(orders))));
    model
}

fn said(model: &Model) -> Option<String> {
    if let Event::Message(_, words) = &model.account.activity.toast(model.account.now)?.event {
        Some(words.clone())
    } else {
        None
    }
}

/// The prices that are placed or moved to.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only what is placed or moved has a price"
)]
fn placed_at(effects: &[Effect]) -> Vec<String> {
    let sends = effects.iter().filter_map(|effect| match effect {
        Effect::Send(_, command) => Some(prices(command)),
        _ => None,
    });
    let prices = sends.flatten();
    prices.map(|price| price.normalized().to_string()).collect()
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only what is placed or moved has a price"
)]
fn prices(command: &Command) -> Vec<Num> {
    let moved = |operation: &ExitOperation| match operation {
        ExitOperation::Modify { price, .. } | ExitOperation::Place { price, .. } => Some(*price),
        ExitOperation::Cancel { .. } => None,
    };
    match command {
        Command::ExitBatch(batch) => batch.operations.iter().filter_map(moved).collect(),
        Command::Modify(modify) => vec![modify.price],
        _ => vec![],
    }
}

#[test]
fn break_even_moves_the_stop_to_entry_and_both_fees() {
    let mut model = charged(vec![stop("ord-5", "58000")]);
    assert_eq!(placed_at(&press(&mut model, "Z")), ["60055"]);
    let mut extra = charged(vec![stop("ord-5", "58000")]);
    extra.account.options.be_extra_ticks = 3;
    assert_eq!(placed_at(&press(&mut extra, "Z")), ["60058"]);
}

#[test]
fn break_even_without_a_stop_places_one_for_all_of_the_position() {
    let mut model = charged(vec![]);
    let effects = press(&mut model, "Z");
    let [Effect::Send(_, command)] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    let words = "exits of position pos-1: stop loss at 60,055, size 0.5";
    assert_eq!(command.to_string(), words);
}

#[test]
fn break_even_moves_every_stop_that_guards_less_and_no_other() {
    let stops = vec![
        stop("ord-5", "58000"),
        stop("ord-6", "57000"),
        stop("ord-7", "61000"),
    ];
    let mut model = charged(stops);
    let effects = press(&mut model, "Z");
    assert_eq!(placed_at(&effects), ["60055", "60055"]);
}

#[test]
fn break_even_moves_the_other_stops_where_one_cannot_be_moved() {
    let odd = Order {
        limit_price: Some(num("56900")),
        ..armed("ord-6", "stop_limit", "57000")
    };
    let mut model = charged(vec![stop("ord-5", "58000"), odd]);
    let effects = press(&mut model, "Z");
    assert_eq!(placed_at(&effects), ["60055"]);
    assert_eq!(
        said(&model).as_deref(),
        Some(
            "the stop at 57,000 stays: ord-6 has a trigger and a limit: place another one, then cancel it"
        )
    );
}

#[test]
fn a_repeated_key_places_one_stop_until_that_is_listed() {
    let mut model = charged(vec![]);
    let sent = press(&mut model, "Z Z");
    assert_eq!(placed_at(&sent), ["60055"]);

    // Its response comes before a list does.
    let held = model
        .account
        .store
        .position(&"pos-1".into())
        .unwrap()
        .clone();
    let lists = |model: &mut Model, orders| {
        wait(model, 50);
        let open = Page::of(vec![held.clone()]);
        let mut effects = arrive(model, Answer::Positions(Ok(open)));
        effects.extend(arrive(model, Answer::Orders(Ok(Page::of(orders)))));
        placed_at(&effects)
    };
    let receipt = Receipt::Position(Box::new(held.clone()));
    settle(&mut model, Ticket(1), Ok(receipt));
    assert_eq!(
        placed_at(&press(&mut model, "Z")),
        [""; 0],
        "not listed yet"
    );
    let listed = vec![stop("ord-9", "60055")];
    assert_eq!(lists(&mut model, listed), [""; 0], "it is so already");
    assert_eq!(lists(&mut model, vec![]), [""; 0]);
    assert_eq!(placed_at(&press(&mut model, "Z")), ["60055"], "it is gone");
}

#[test]
fn a_stop_of_unknown_outcome_is_decided_before_another_is_placed() {
    let mut model = charged(vec![]);
    press(&mut model, "Z");
    let parked = Progress::Parked {
        why: Failure::new(FailureKind::Unknown, "no answer"),
        replay_until: model.account.now.plus(Duration::from_mins(15)),
    };
    let now = model.account.now;
    update(&mut model, now, Msg::Progress(Ticket(1), parked));
    press(&mut model, "esc");
    assert_eq!(press(&mut model, "Z"), vec![]);
    let words = "status unknown: the exits of this position may have changed: u decides";
    assert_eq!(said(&model).as_deref(), Some(words));
}

#[test]
fn break_even_is_refused_in_words_where_it_helps_nothing() {
    let mut better = charged(vec![stop("ord-5", "60100")]);
    assert_eq!(press(&mut better, "Z"), vec![]);
    let words = "the stop at 60,100 is already at break-even 60,055 or better: it stays";
    assert_eq!(said(&better).as_deref(), Some(words));

    let mut near = charged(vec![stop("ord-5", "58000")]);
    let market = market("BTC", "60019", "60021", (5, 40));
    arrive(&mut near, Answer::Markets(Ok(vec![market])));
    assert_eq!(press(&mut near, "Z"), vec![]);
    let words = "break-even is 60,055: the mark, 60,020, has not passed it, so a stop there would trigger at once";
    assert_eq!(said(&near).as_deref(), Some(words));

    let mut uncharged = desk();
    assert_eq!(press(&mut uncharged, "Z"), vec![]);
    let words = "the fee rate is not known: set it in [fees] of the settings";
    assert_eq!(said(&uncharged).as_deref(), Some(words));
}

#[test]
fn the_nearest_stop_goes_by_ticks_and_not_beyond_the_mark() {
    let stops = || vec![stop("ord-5", "58000"), stop("ord-6", "57000")];
    let mut model = charged(stops());
    assert_eq!(placed_at(&press(&mut model, "{")), ["57999"]);
    let mut up = charged(stops());
    assert_eq!(placed_at(&press(&mut up, "}")), ["58001"]);

    let mut at_mark = charged(vec![stop("ord-5", "63999")]);
    assert_eq!(press(&mut at_mark, "}"), vec![]);
    let words = "the mark 64,000 has reached 64,000: the stop would trigger at once";
    assert_eq!(said(&at_mark).as_deref(), Some(words));

    let mut bare = charged(vec![]);
    assert_eq!(press(&mut bare, "}"), vec![]);
    let words = "no stop of this position is known: e sets one";
    assert_eq!(said(&bare).as_deref(), Some(words));
}

fn canceled(model: &mut Model, id: &str) -> Vec<Effect> {
    let receipt = Receipt::Cancel(CancelResult {
        id: id.into(),
        canceled: true,
        queued: false,
    });
    settle(model, Ticket(1), Ok(receipt))
}

#[test]
fn a_target_moves_in_place_and_presses_meanwhile_change_where_it_leads() {
    let resting = r#""type":"limit","mode":"limit","side":"sell","size":0.5,"filled_size":0,"limit_price":68000,
        "status":"resting""#;
    let resting = Order {
        reduce_only: true,
        ..testing::order("ord-5", "BTC", resting)
    };
    let mut model = charged(vec![resting]);
    assert_eq!(placed_at(&press(&mut model, ")")), ["68001"]);
    assert_eq!(press(&mut model, ") )"), vec![]);
    let accepted = Receipt::Order {
        order: Box::new(testing::order(
            "ord-5",
            "BTC",
            r#""type":"limit","mode":"limit","side":"sell","size":0.5,"status":"resting""#,
        )),
        queued: false,
    };
    let effects = settle(&mut model, Ticket(1), Ok(accepted));
    assert_eq!(placed_at(&effects), ["68003"]);

    let mut armed = charged(vec![armed("ord-5", "take_market", "68000")]);
    assert_eq!(placed_at(&press(&mut armed, ")")), ["68001"]);
}

#[test]
fn a_target_with_a_limit_keeps_its_distance_on_every_press() {
    let target = |status: &str| {
        let json = format!(
            r#""type":"take_limit","mode":"take_limit","side":"sell","size":0.5,"filled_size":0,
            "trigger_price":68000,"limit_price":67900,"target_position_id":"pos-1","status":"{status}""#
        );
        Order {
            reduce_only: true,
            ..testing::order("ord-5", "BTC", &json)
        }
    };
    let mut model = charged(vec![target("pending")]);
    press(&mut model, ") )");
    canceled(&mut model, "ord-5");
    press(&mut model, ")");
    let now = model.account.now;
    let found = Msg::Traced(vec!["ord-5".into()], vec![target("canceled")]);
    let effects = update(&mut model, now, found);
    let [Effect::Send(_, Command::Place(order))] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert_eq!(
        (order.trigger_price, order.limit_price),
        (Some(num("68003")), Some(num("67903")))
    );
}

/// The one command of the strip.
fn asked(model: &Model) -> &Command {
    let Some(Overlay::Strip(strip)) = model.overlays.last() else {
        panic!("{:?}", model.overlays);
    };
    let StripAction::One(command) = &strip.proposal else {
        panic!("{:?}", strip.proposal);
    };
    command
}

/// The last order of the session in BTC was for this size.
fn used(size: &str) -> Model {
    let mut model = desk();
    let order = crate::model::PlaceOrder {
        leverage: num("10"),
        ..crate::model::PlaceOrder::market(
            "chal-1".into(),
            "paper|BTC".into(),
            Side::Buy,
            num(size),
        )
    };
    model.account.used.keep(&order);
    model
}

#[test]
fn more_and_less_of_a_position_is_asked_about_with_its_command() {
    let mut model = used("0.2");
    assert_eq!(press(&mut model, "+"), vec![]);
    let Command::Place(order) = asked(&model) else {
        panic!("{:?}", model.overlays);
    };
    assert_eq!((order.side, order.size), (Side::Buy, num("0.2")));
    assert_eq!((order.leverage, order.reduce_only), (num("10"), false));
    wait(&mut model, 200);
    let sent = press(&mut model, "y");
    assert!(
        matches!(sent.as_slice(), [Effect::Send(_, Command::Place(_))]),
        "{sent:?}"
    );

    for (size, part) in [("0.2", Some("0.2")), ("0.5", None), ("3", None)] {
        let mut model = used(size);
        press(&mut model, "-");
        let Command::Close(close) = asked(&model) else {
            panic!("{:?}", model.overlays);
        };
        assert_eq!(close.size, part.map(num), "{size}");
    }
    let mut none = desk();
    press(&mut none, "+");
    let words = "no size was used in BTC in this session: place one order with a size first";
    assert_eq!(said(&none).as_deref(), Some(words));
}

/// A long of 0.5 with these exits, sized.
fn sized(exits: &[[&str; 4]]) -> Model {
    let order = |[id, kind, price, size]: &[&str; 4]| Order {
        size: num(size),
        ..armed(id, kind, price)
    };
    charged(exits.iter().map(order).collect())
}

#[test]
fn one_key_covers_the_whole_position_with_its_stop_and_its_target() {
    let mut model = sized(&[
        ["ord-5", "stop_market", "58000", "0.2"],
        ["ord-6", "stop_market", "57000", "0.1"],
        ["ord-7", "take_profit", "70000", "0.3"],
    ]);
    let effects = press(&mut model, "=");
    let [Effect::Send(_, command)] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    let words =
        "exits of position pos-1: move ord-5 to 58,000, size 0.4, move ord-7 to 70,000, size 0.5";
    assert_eq!(command.to_string(), words);
}

#[test]
fn what_covers_the_whole_position_is_left_as_it_is() {
    let mut model = sized(&[["ord-5", "stop_market", "58000", "0.5"]]);
    assert_eq!(press(&mut model, "="), []);
    let words = "its stop and target cover all of it already";
    assert_eq!(said(&model).as_deref(), Some(words));
    let mut bare = charged(vec![]);
    assert_eq!(press(&mut bare, "="), []);
    assert!(said(&bare).unwrap().contains("e sets one"));
}
