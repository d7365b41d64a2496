use crate::{
    app::{
        account::{poll::Answer, row_id::RowId},
        activity::notice::Event,
        core::effect::{Effect, ReadOnce},
        desk::{model::Model, msg::Msg},
        dialogs::overlay::Overlay,
        forms::form::Form,
        testing::{self, *},
        update::router::update,
    },
    model::{
        CancelResult, Command, Failure, FailureKind, Num, Order, Page, PlaceOrder, Progress,
        Receipt, Ticket, TimeInForce, draft::Field,
    },
};
use std::time::Duration;

const OLD: &str = "ord-5";

/// A buy of 0.3, of which 0.1 may have filled.
fn old(status: &str, more: &str) -> Order {
    let json = format!(
        r#""type":"limit","mode":"limit","side":"buy","limit_price":60000,"initial_size":0.4,
        "attached_take_profit_price":70000,"attached_stop_loss_price":58000,"time_in_force":"gtc",
        "status":"{status}",{more}"#
    );
    testing::order(OLD, "BTC", &json)
}

fn resting() -> Order {
    old("resting", r#""size":0.3,"filled_size":0.1"#)
}

fn desk() -> Model {
    let mut model = testing::desk();
    list(&mut model, resting());
    press(&mut model, "2");
    model
}

fn list(model: &mut Model, order: Order) {
    arrive(model, Answer::Orders(Ok(Page::of(vec![order]))));
}

/// Moves the order to another price, and its target: the service moves one price in place.
const MOVE: &str = "m ctrl-u 61000 tab tab ctrl-u 70001 enter";

fn cancel() -> Command {
    Command::Cancel(OLD.into())
}

fn canceled() -> Receipt {
    Receipt::Cancel(CancelResult {
        id: OLD.into(),
        canceled: true,
        queued: false,
    })
}

fn traced(model: &mut Model, found: Vec<Order>) -> Vec<Effect> {
    let now = model.account.now;
    update(model, now, Msg::Traced(vec![OLD.into()], found))
}

/// From `m` to the final row of the old order.
fn moved(model: &mut Model, end: Order) -> Vec<Effect> {
    press(model, MOVE);
    settle(model, Ticket(1), Ok(canceled()));
    traced(model, vec![end])
}

fn ended(filled: &str) -> Order {
    old("canceled", &format!(r#""size":0.3,"filled_size":{filled}"#))
}

fn placed(effects: &[Effect]) -> &PlaceOrder {
    match effects {
        [Effect::Send(_, Command::Place(order))] => order,
        other => panic!("{other:?}"),
    }
}

fn form(model: &Model) -> &Form {
    match model.overlays.last() {
        Some(Overlay::Form(form)) => form,
        other => panic!("no form but {other:?}"),
    }
}

fn said(model: &Model) -> Option<String> {
    if let Event::Message(_, words) = &model.account.activity.toast(model.account.now)?.event {
        Some(words.clone())
    } else {
        None
    }
}

fn failed(model: &Model) -> String {
    form(model).failure.as_ref().unwrap().message.to_string()
}

fn sends(effects: &[Effect]) -> bool {
    effects.iter().any(|e| matches!(e, Effect::Send(..)))
}

#[test]
fn the_old_order_is_canceled_first_and_the_new_one_has_all_that_it_had() {
    let mut model = desk();
    press(&mut model, "m");
    assert_eq!(form(&model).focus, Field::LimitPrice);
    assert_eq!(form(&model).draft.text(Field::Size), Some("0.3"));
    let sent = press(&mut model, "ctrl-u 61000 tab tab ctrl-u 70001 enter");
    assert_eq!(sent, vec![Effect::Send(Ticket(1), cancel())]);
    let asked = settle(&mut model, Ticket(1), Ok(canceled()));
    assert!(
        asked.contains(&Effect::Read(ReadOnce::Trace(vec![OLD.into()]))),
        "{asked:?}"
    );
    assert!(!sends(&asked), "not before reads tell what has filled");
    let effects = traced(&mut model, vec![ended("0.1")]);
    let order = placed(&effects);
    assert_eq!(
        (order.size, order.limit_price, order.leverage),
        (num("0.3"), Some(num("61000")), num("8"))
    );
    assert_eq!(
        (order.take_profit_price, order.stop_loss_price),
        (Some(num("70001")), Some(num("58000")))
    );
    assert!(
        order
            .time_in_force
            .is_none_or(|tif| tif == TimeInForce::Gtc)
    );
    let new = Receipt::Order {
        order: Box::new(testing::order(
            "ord-6",
            "BTC",
            r#""type":"limit","mode":"limit","side":"buy","size":0.3,"limit_price":61000,"status":"resting""#,
        )),
        queued: false,
    };
    settle(&mut model, Ticket(2), Ok(new));
    assert_eq!(model.overlays, vec![]);
}

#[test]
fn what_fills_before_the_cancel_is_not_bought_again() {
    let mut model = desk();
    let effects = moved(&mut model, ended("0.25"));
    assert_eq!(placed(&effects).size, num("0.15"));
    let words = "part of ord-5 filled before its cancel: the replacement is for the remaining 0.15";
    assert_eq!(said(&model).as_deref(), Some(words));
}

#[test]
fn nothing_is_placed_where_all_of_it_filled_or_nothing_tells_how_much() {
    let unknown = "ord-5 is canceled, but its filled size is not known: no replacement is placed";
    let cases = [
        (
            vec![ended("0.4")],
            "0.3 of ord-5 filled before it was canceled: no replacement is placed",
        ),
        (
            vec![old("filled", r#""size":0.3,"filled_size":0.4"#)],
            "ord-5 has filled: no replacement is placed",
        ),
        (vec![old("canceled", r#""size":0.3"#)], unknown),
    ];
    for (found, words) in cases {
        let mut model = desk();
        press(&mut model, MOVE);
        settle(&mut model, Ticket(1), Ok(canceled()));
        assert!(!sends(&traced(&mut model, found)), "{words}");
        assert_eq!(said(&model).as_deref(), Some(words));
        assert_eq!(model.overlays, vec![], "{words}");
        assert_eq!(
            model.account.workflows.under_way(&model.account.store),
            0,
            "{words}"
        );
    }
}

#[test]
fn a_row_that_may_be_older_than_the_cancel_is_read_again_until_the_price_is_too_old() {
    let cases = [
        (
            vec![resting()],
            "ord-5 is resting after its cancel: no replacement is placed",
        ),
        (
            vec![],
            "ord-5 is canceled, but its filled size is not known: no replacement is placed",
        ),
    ];
    for (found, words) in cases {
        let mut model = desk();
        press(&mut model, MOVE);
        settle(&mut model, Ticket(1), Ok(canceled()));
        assert!(!sends(&traced(&mut model, found.clone())), "{words}");
        let again = Effect::Read(ReadOnce::Trace(vec![OLD.into()]));
        assert!(wait(&mut model, 600).contains(&again), "{words}");
        assert!(!sends(&traced(&mut model, found.clone())), "{words}");
        wait(&mut model, 10_000);
        assert!(!sends(&traced(&mut model, found)), "{words}");
        assert_eq!(said(&model).as_deref(), Some(words));
        assert_eq!(
            model.account.workflows.under_way(&model.account.store),
            0,
            "{words}"
        );
    }
}

#[test]
fn a_cancel_that_is_refused_or_only_queued_places_nothing_and_the_form_says_so() {
    let filled = Failure::new(FailureKind::Conflict, "order ord-5 is filled");
    let queued = Receipt::Cancel(CancelResult {
        id: OLD.into(),
        canceled: false,
        queued: true,
    });
    let cases = [
        (Err(filled), "order ord-5 is filled; nothing was changed"),
        (
            Ok(queued),
            "the cancel of ord-5 is only queued, it may still fill: no replacement is placed",
        ),
    ];
    for (result, words) in cases {
        let mut model = desk();
        press(&mut model, MOVE);
        let effects = settle(&mut model, Ticket(1), result);
        assert!(
            !effects
                .iter()
                .any(|e| matches!(e, Effect::Read(ReadOnce::Trace(_))))
        );
        assert_eq!(said(&model).as_deref(), Some(words));
        press(&mut model, "U");
        assert_eq!(failed(&model), words);
        assert_eq!(form(&model).draft.text(Field::LimitPrice), Some("61000"));
    }
}

#[test]
fn a_cancel_in_doubt_is_followed_by_nothing_however_it_ends() {
    let mut model = desk();
    press(&mut model, MOVE);
    let parked = Progress::Parked {
        why: Failure::new(FailureKind::Unknown, "no answer"),
        replay_until: model.account.now.plus(Duration::from_mins(15)),
    };
    let now = model.account.now;
    update(&mut model, now, Msg::Progress(Ticket(1), parked));
    let words = "no replacement of ord-5 is placed".to_owned();
    assert_eq!(said(&model), Some(words));
    let effects = settle(&mut model, Ticket(1), Ok(canceled()));
    assert!(
        !effects
            .iter()
            .any(|e| matches!(e, Effect::Read(ReadOnce::Trace(_))))
    );
    assert!(!sends(&traced(&mut model, vec![ended("0.1")])));
}

#[test]
fn it_goes_on_though_the_form_was_left_and_the_same_order_is_not_moved_twice() {
    let mut model = desk();
    press(&mut model, MOVE);
    assert_eq!(press(&mut model, MOVE), vec![]);
    assert_eq!(failed(&model), "ord-5 is being canceled already");
    press(&mut model, "esc esc");
    settle(&mut model, Ticket(1), Ok(canceled()));
    assert_eq!(press(&mut model, "q"), vec![], "leaving is asked about");
    assert_eq!(model.overlays.len(), 1);
    let effects = traced(&mut model, vec![ended("0.1")]);
    assert_eq!(placed(&effects).size, num("0.3"));
}

#[test]
fn a_new_order_that_is_refused_stays_as_one_of_its_own_with_what_is_left() {
    let mut model = desk();
    moved(&mut model, ended("0.2"));
    let why = Failure::new(FailureKind::Invalid, "too little margin");
    settle(&mut model, Ticket(2), Err(why));
    press(&mut model, "U");
    let open = form(&model);
    assert_eq!(open.replaces, None);
    assert_eq!(open.draft.text(Field::Size), Some("0.2"));
    wait(&mut model, 200);
    let effects = press(&mut model, "enter");
    assert_eq!(placed(&effects).size, num("0.2"));
}

#[test]
fn what_gets_a_trader_out_is_not_followed_by_a_new_order() {
    for (keys, answered) in [("esc X", false), ("esc F", true), ("esc K", true)] {
        let mut model = desk();
        press(&mut model, MOVE);
        if answered {
            settle(&mut model, Ticket(1), Ok(canceled()));
        }
        press(&mut model, keys);
        wait(&mut model, 1_500);
        press(&mut model, "y");
        if !answered {
            settle(&mut model, Ticket(1), Ok(canceled()));
        }
        let effects = traced(&mut model, vec![ended("0.1")]);
        assert!(!sends(&effects), "{keys}: {effects:?}");
    }
}

#[test]
fn a_flatten_from_outside_takes_the_form_away_that_waits_for_the_second_half() {
    let mut model = desk();
    press(&mut model, MOVE);
    settle(&mut model, Ticket(1), Ok(canceled()));
    let now = model.account.now;
    update(&mut model, now, Msg::Flatten);
    assert_eq!(model.overlays, vec![]);
    assert!(!sends(&traced(&mut model, vec![ended("0.1")])));
    assert_eq!(
        model.account.workflows.under_way(&model.account.store),
        1,
        "the flatten"
    );
}

#[test]
fn a_halt_or_a_long_wait_between_the_two_leaves_the_new_one_to_the_trader() {
    let mut halted = desk();
    press(&mut halted, MOVE);
    settle(&mut halted, Ticket(1), Ok(canceled()));
    let now = halted.account.now;
    update(&mut halted, now, Msg::Halted(Some("flattened".to_owned())));
    assert!(!sends(&traced(&mut halted, vec![ended("0.1")])));
    let mut late = desk();
    press(&mut late, MOVE);
    wait(&mut late, 11_000);
    settle(&mut late, Ticket(1), Ok(canceled()));
    assert!(!sends(&traced(&mut late, vec![ended("0.1")])));
    for model in [&mut halted, &mut late] {
        press(model, "U");
        let words = "ord-5 is canceled, its replacement is not placed: ";
        assert!(failed(model).starts_with(words), "{}", failed(model));
    }
    let effects = press(&mut late, "enter");
    assert_eq!(placed(&effects).size, num("0.3"));
}

#[test]
fn only_a_resting_limit_order_that_stands_alone_is_moved() {
    let chase =
        r#""type":"limit","mode":"chase","side":"buy","size":1,"status":"resting","filled_size":0"#;
    let rung = r#""size":0.3,"filled_size":0,"scaled_order_id":"lad-1""#;
    let cases = [
        (
            testing::order(OLD, "BTC", chase),
            "only a resting limit order is moved: cancel it and place a new one",
        ),
        (
            old("pending", r#""size":0.3,"filled_size":0"#),
            "only a resting limit order is moved: cancel it and place a new one",
        ),
        (
            old("resting", rung),
            "an order of a TWAP or scaled order cannot be moved: the new order would not belong to it",
        ),
    ];
    for (order, words) in cases {
        let mut model = desk();
        list(&mut model, order);
        press(&mut model, "G m");
        assert_eq!(said(&model).as_deref(), Some(words));
        assert_eq!(model.overlays, vec![]);
    }
}

#[test]
fn an_order_that_would_stay_as_it_is_keeps_its_place() {
    let mut model = desk();
    assert_eq!(press(&mut model, "m enter"), vec![]);
    let words = "nothing is changed";
    assert_eq!(failed(&model), words);
}

#[test]
fn a_target_that_is_moved_stays_reduce_only() {
    let mut model = desk();
    let target = Order {
        reduce_only: true,
        ..resting()
    };
    list(&mut model, target);
    let effects = moved(&mut model, ended("0.1"));
    assert!(placed(&effects).reduce_only);
    assert_eq!(placed(&effects).size, Num::new(3, 1));
}

#[test]
fn in_a_dry_run_a_move_is_stopped_at_its_cancel_and_places_nothing() {
    let mut model = desk();
    model.account.options.dry_run = true;
    let sent = press(&mut model, MOVE);
    let [Effect::Send(ticket, command)] = sent.as_slice() else {
        panic!("{sent:?}");
    };
    assert_eq!(*command, cancel());
    let why = Failure::dry_run("DELETE /v1/orders/ord-5");
    assert!(!sends(&settle(&mut model, *ticket, Err(why))));
    let told = "DELETE /v1/orders/ord-5; nothing was changed";
    press(&mut model, "U");
    assert_eq!(failed(&model), told);
    // Not even when the old order ends in another way.
    assert!(!sends(&traced(&mut model, vec![ended("0.1")])));
    list(&mut model, ended("0.1"));
    assert!(!sends(&wait(&mut model, 11_000)));
}

#[test]
fn after_a_move_the_cursor_is_on_the_replacement_and_no_key_acts_on_the_row_in_between() {
    let mut model = testing::desk();
    let target = |id| {
        let json = r#""type":"take_profit","mode":"market","side":"sell","size":0.3,"status":"pending",
            "trigger_price":70000"#;
        testing::order(id, "BTC", json)
    };
    let others = || vec![target("ord-4"), target("ord-6")];
    let rows = |order: Order| [vec![order], others()].concat();
    arrive(&mut model, Answer::Orders(Ok(Page::of(rows(resting())))));
    press(&mut model, "2 g g");
    let order = |id: &str| Some(RowId::Order(id.into()));
    assert_eq!(model.selected(), order(OLD));
    press(&mut model, MOVE);
    settle(&mut model, Ticket(1), Ok(canceled()));
    arrive(&mut model, Answer::Orders(Ok(Page::of(others()))));
    press(&mut model, "x");
    assert_eq!(model.overlays, vec![], "no key acts on the row in between");
    traced(&mut model, vec![ended("0.1")]);
    let new = Order {
        id: "ord-9".into(),
        ..resting()
    };
    let receipt = Receipt::Order {
        order: Box::new(new.clone()),
        queued: false,
    };
    settle(&mut model, Ticket(2), Ok(receipt));
    arrive(&mut model, Answer::Orders(Ok(Page::of(rows(new)))));
    assert_eq!(model.selected(), order("ord-9"));
}

/// Without a filled size; less is left than was requested.
fn untold(status: &str) -> Order {
    old(status, r#""size":0.3"#)
}

#[test]
fn an_order_whose_fills_are_not_reported_is_moved_in_place_and_never_replaced() {
    let words =
        "the service does not report how much of it has filled: cancel it and place a new one";
    let mut model = desk();
    list(&mut model, untold("resting"));
    let sent = press(&mut model, "m ctrl-u 61000 enter");
    let [Effect::Send(ticket, Command::Modify(moved))] = sent.as_slice() else {
        panic!("{sent:?}");
    };
    assert_eq!((moved.price, moved.size), (num("61000"), None));
    let ticket = *ticket;
    let unmovable = Failure::new(FailureKind::Conflict, "it is not moved in place");
    let effects = settle(&mut model, ticket, Err(unmovable));
    assert!(!sends(&effects), "{effects:?}");
    let said = said(&model).unwrap();
    assert!(said.contains(words), "{said}");

    // A service may leave the requested size in `size`, whatever has filled.
    let as_requested = old("resting", r#""size":0.4"#);
    for order in [untold("resting"), as_requested] {
        let mut model = desk();
        list(&mut model, order);
        let sent = press(&mut model, MOVE);
        assert_eq!(sent, vec![], "more than its price changes");
        assert_eq!(failed(&model), words);
    }
}
