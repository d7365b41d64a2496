use crate::{
    app::{
        account::poll::Answer,
        activity::notice::Event,
        core::effect::Effect,
        desk::{model::Model, msg::Msg},
        testing::{self, *},
        update::router::update,
    },
    model::{
        CancelResult, Command, ExitBatch, ExitOperation, Failure, FailureKind, ModifyOrder, Order,
        Page, Position, Progress, Proof, Receipt, Risk, Ticket,
    },
};
use std::time::Duration;

const STOP: &str = "ord-5";

fn exit(id: &str, kind: &str, price: &str) -> Order {
    let json = format!(
        r#""type":"{kind}","mode":"{kind}","side":"sell","size":0.5,"filled_size":0,"trigger_price":{price},
        "target_position_id":"pos-1","status":"resting""#
    );
    Order {
        reduce_only: true,
        ..testing::order(id, "BTC", &json)
    }
}

fn stop(price: &str) -> Order {
    exit(STOP, "stop_market", price)
}

fn target() -> Order {
    exit("ord-6", "take_market", "68000")
}

fn long(size: &str) -> Position {
    position("pos-1", "BTC", size, r#""leverage":10"#)
}

/// A long of 0.5 from 60,000 with a stop at 58,000 and a target; the mark is 64,000.
fn guarded() -> Model {
    let mut model = desk();
    list(&mut model, &long("0.5"), &[stop("58000"), target()]);
    model
}

/// Lists as they are requested a moment later.
fn list(model: &mut Model, open: &Position, working: &[Order]) -> Vec<Effect> {
    let mut effects = wait(model, 50);
    let open = Page::of(vec![open.clone()]);
    effects.extend(arrive(model, Answer::Positions(Ok(open))));
    let working = Page::of(working.to_vec());
    effects.extend(arrive(model, Answer::Orders(Ok(working))));
    effects
}

fn sent(effects: &[Effect]) -> Vec<(Ticket, Command)> {
    let sends = effects.iter().filter_map(|effect| {
        let Effect::Send(ticket, command) = effect else {
            return None;
        };
        Some((*ticket, command.clone()))
    });
    sends.collect()
}

/// The one batch that is sent.
fn batch(effects: &[Effect]) -> (Ticket, ExitBatch) {
    match sent(effects).as_slice() {
        [(ticket, Command::ExitBatch(batch))] => (*ticket, (**batch).clone()),
        other => panic!("{other:?}"),
    }
}

fn moves(batch: &ExitBatch) -> Vec<String> {
    let operations = batch.operations.iter();
    operations.map(ToString::to_string).collect()
}

fn refused(kind: FailureKind) -> Failure {
    Failure {
        proves: Proof::Refused,
        ..Failure::new(kind, "why")
    }
}

fn accepted() -> Receipt {
    Receipt::Position(Box::new(long("0.5")))
}

fn said(model: &Model) -> Option<String> {
    if let Event::Message(_, words) = &model.account.activity.toast(model.account.now)?.event {
        Some(words.clone())
    } else {
        None
    }
}

/// Whether nothing is in progress, and nothing is to follow.
fn is_over(model: &Model) -> bool {
    model
        .account
        .workflows
        .waiting(&model.account.store)
        .count()
        == 0
}

#[test]
fn a_stop_moves_as_one_batch_that_says_what_was_seen() {
    let mut model = guarded();
    let (ticket, batch) = batch(&press(&mut model, "}"));
    assert_eq!(batch.position_id, "pos-1".into());
    assert_eq!(batch.expected_position_size, num("0.5"));
    let expected = batch.expected_orders.iter();
    let expected: Vec<_> = expected
        .map(|exit| (exit.order_id.raw(), exit.price))
        .collect();
    assert_eq!(
        expected,
        [(STOP, num("58000")), ("ord-6", num("68000"))],
        "every exit, not only the moved one"
    );
    assert_eq!(moves(&batch), ["move ord-5 to 58,001"]);
    assert_eq!(batch.risk, Risk::Neutral);
    assert_eq!(sent(&settle(&mut model, ticket, Ok(accepted()))), []);
    assert!(is_over(&model));
}

#[test]
fn a_looser_stop_counts_as_new_risk() {
    let mut model = guarded();
    let (_, batch) = batch(&press(&mut model, "{"));
    assert_eq!(batch.risk, Risk::Increasing);
}

#[test]
fn a_batch_over_other_exits_is_read_again_and_sent_once_more() {
    let mut model = guarded();
    let (ticket, _) = batch(&press(&mut model, "}"));
    let conflict = || Err(refused(FailureKind::Conflict));
    let effects = settle(&mut model, ticket, conflict());
    assert_eq!(sent(&effects), [], "not before lists show what is so");
    let early = arrive(
        &mut model,
        Answer::Orders(Ok(Page::of(vec![stop("58000")]))),
    );
    assert_eq!(sent(&early), [], "asked for before the answer");
    let effects = list(&mut model, &long("0.4"), &[stop("57000")]);
    let (second, again) = batch(&effects);
    assert_eq!(again.expected_position_size, num("0.4"));
    assert_eq!(again.expected_orders.len(), 1);
    assert_eq!(moves(&again), ["move ord-5 to 58,001"]);

    let effects = settle(&mut model, second, conflict());
    assert_eq!(sent(&effects), []);
    assert_eq!(sent(&list(&mut model, &long("0.4"), &[stop("57000")])), []);
    assert!(is_over(&model));
}

#[test]
fn a_stop_that_another_desk_has_moved_nearer_meanwhile_is_not_moved_back() {
    let mut model = guarded();
    let (ticket, _) = batch(&press(&mut model, "}"));
    settle(&mut model, ticket, Err(refused(FailureKind::Conflict)));
    let nearer = [stop("59000"), target()];
    assert_eq!(sent(&list(&mut model, &long("0.5"), &nearer)), []);
    let words = "ord-5 stays: it was moved nearer meanwhile";
    assert_eq!(said(&model).as_deref(), Some(words));
    assert!(is_over(&model));
    let (ticket, looser) = batch(&press(&mut model, "{"));
    assert_eq!(moves(&looser), ["move ord-5 to 58,999"]);
    settle(&mut model, ticket, Err(refused(FailureKind::Conflict)));
    let (_, again) = batch(&list(&mut model, &long("0.4"), &nearer));
    assert_eq!(moves(&again), ["move ord-5 to 58,999"], "meant looser");
}

#[test]
fn a_refused_batch_leaves_the_old_stop_and_says_so() {
    let mut model = guarded();
    let (ticket, _) = batch(&press(&mut model, "}"));
    let effects = settle(&mut model, ticket, Err(refused(FailureKind::Invalid)));
    assert_eq!(sent(&effects), []);
    let words = "not moved, ord-5 stays as it is: why";
    assert_eq!(said(&model).as_deref(), Some(words));
    assert!(is_over(&model));
}

#[test]
fn presses_during_a_move_lead_to_one_more_batch() {
    let mut model = guarded();
    let (ticket, _) = batch(&press(&mut model, "}"));
    assert_eq!(sent(&press(&mut model, "} } {")), [], "one at a time");
    let effects = settle(&mut model, ticket, Ok(accepted()));
    assert_eq!(sent(&effects), [], "its expectation would be out of date");
    let effects = list(&mut model, &long("0.5"), &[stop("58001"), target()]);
    let (_, next) = batch(&effects);
    assert_eq!(moves(&next), ["move ord-5 to 58,002"]);
    assert_eq!(next.expected_orders[0].price, num("58001"));
}

#[test]
fn a_position_that_is_gone_ends_the_move() {
    let mut model = guarded();
    let (ticket, _) = batch(&press(&mut model, "}"));
    settle(&mut model, ticket, Err(refused(FailureKind::Conflict)));
    let effects = list(
        &mut model,
        &position("pos-9", "SOL", "1", r#""leverage":1"#),
        &[],
    );
    assert_eq!(sent(&effects), []);
    let words = "not moved, ord-5 stays as it is: the position is closed";
    assert_eq!(said(&model).as_deref(), Some(words));
}

#[test]
fn lists_that_do_not_come_end_the_move() {
    let mut model = guarded();
    let (ticket, _) = batch(&press(&mut model, "}"));
    settle(&mut model, ticket, Err(refused(FailureKind::Conflict)));
    wait(&mut model, 10_100);
    assert!(is_over(&model));
    let words = "not moved, ord-5 stays as it is: positions and orders were not read within 10 s";
    assert_eq!(said(&model).as_deref(), Some(words));
}

#[test]
fn a_move_of_unknown_outcome_is_followed_by_nothing() {
    let mut model = guarded();
    let (ticket, _) = batch(&press(&mut model, "}"));
    press(&mut model, "}");
    let parked = Progress::Parked {
        why: Failure::new(FailureKind::Unknown, "no answer"),
        replay_until: model.account.now.plus(Duration::from_mins(15)),
    };
    let now = model.account.now;
    update(&mut model, now, Msg::Progress(ticket, parked));
    assert!(is_over(&model));
    assert_eq!(sent(&list(&mut model, &long("0.5"), &[stop("58001")])), []);
}

#[test]
fn nothing_follows_a_close_all() {
    let mut model = guarded();
    let (ticket, _) = batch(&press(&mut model, "}"));
    press(&mut model, "}");
    settle(&mut model, ticket, Err(refused(FailureKind::Conflict)));
    press(&mut model, "X");
    wait(&mut model, 2_000);
    assert!(is_over(&model));
}

fn resting() -> Order {
    let json = r#""type":"limit","mode":"limit","side":"buy","size":0.3,"filled_size":0.1,"initial_size":0.4,
        "limit_price":60000,"status":"resting""#;
    testing::order("ord-7", "BTC", json)
}

fn working(order: Order) -> Model {
    let mut model = desk();
    arrive(&mut model, Answer::Orders(Ok(Page::of(vec![order]))));
    press(&mut model, "2");
    model
}

fn modified(effects: &[Effect]) -> (Ticket, ModifyOrder) {
    match sent(effects).as_slice() {
        [(ticket, Command::Modify(modify))] => (*ticket, modify.clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_resting_order_moves_in_place() {
    let mut model = working(resting());
    let (_, modify) = modified(&press(&mut model, "m ctrl-u 61000 enter"));
    assert_eq!(
        (modify.order_id.raw(), modify.price),
        ("ord-7", num("61000"))
    );
    assert_eq!((modify.size, modify.risk), (None, Risk::Increasing));
}

#[test]
fn an_armed_entry_moves_its_trigger_in_place() {
    let json = r#""type":"stop_market","mode":"stop_market","side":"buy","size":2,"trigger_price":70000,
        "trigger_direction":"above","status":"resting""#;
    let mut model = working(testing::order("ord-8", "BTC", json));
    let (_, modify) = modified(&press(&mut model, "m ctrl-u 71000 enter"));
    assert_eq!((modify.price, modify.size), (num("71000"), None));
}

/// A 422 that names this rule.
fn ruled(rule: &str) -> Failure {
    Failure {
        rule_id: Some(rule.into()),
        ..refused(FailureKind::Invalid)
    }
}

#[test]
fn a_refusal_of_the_new_price_leaves_the_order_where_it_is() {
    for rule in ["trigger-crossed", "price-band", "marketable-limit"] {
        let mut model = working(resting());
        let (ticket, _) = modified(&press(&mut model, "m ctrl-u 61000 enter"));
        let effects = settle(&mut model, ticket, Err(ruled(rule)));
        assert_eq!(sent(&effects), [], "{rule}");
        let words = "not moved, ord-7 stays as it is: why";
        assert_eq!(said(&model).as_deref(), Some(words));
    }
}

#[test]
fn an_order_that_the_service_does_not_move_is_replaced() {
    replaces_after(refused(FailureKind::Conflict));
    replaces_after(ruled("order-not-modifiable"));
}

fn replaces_after(refusal: Failure) {
    let mut model = working(resting());
    let (ticket, _) = modified(&press(&mut model, "m ctrl-u 61000 enter"));
    let effects = settle(&mut model, ticket, Err(refusal));
    let [(second, cancel)] = sent(&effects).try_into().unwrap();
    assert_eq!(cancel.cancels(), Some(&"ord-7".into()));
    assert!(
        model.refused.is_empty(),
        "its form goes with the replacement"
    );
    let canceled = CancelResult {
        id: "ord-7".into(),
        canceled: true,
        queued: false,
    };
    settle(&mut model, second, Ok(Receipt::Cancel(canceled)));
    let ended = Order {
        status: crate::model::OrderStatus::Canceled.into(),
        ..resting()
    };
    let now = model.account.now;
    let effects = update(
        &mut model,
        now,
        Msg::Traced(vec!["ord-7".into()], vec![ended]),
    );
    let [(_, Command::Place(order))] = &sent(&effects)[..] else {
        panic!("{effects:?}");
    };
    assert_eq!(
        (order.limit_price, order.size),
        (Some(num("61000")), num("0.3"))
    );
}

#[test]
fn an_order_stays_where_its_replacement_could_not_be_placed_any_more() {
    let conflict = || Err(refused(FailureKind::Conflict));
    let closes_all: &dyn Fn(&mut Model) = &|model| {
        press(model, "X");
        wait(model, 1_500);
    };
    let waits: &dyn Fn(&mut Model) = &|model| drop(wait(model, 11_000));
    let disappears: &dyn Fn(&mut Model) =
        &|model| drop(arrive(model, Answer::Orders(Ok(Page::of(vec![])))));
    for (what, meanwhile) in [
        ("close-all", closes_all),
        ("an old price", waits),
        ("gone", disappears),
    ] {
        let mut model = working(resting());
        let (ticket, _) = modified(&press(&mut model, "m ctrl-u 61000 enter"));
        meanwhile(&mut model);
        let effects = settle(&mut model, ticket, conflict());
        assert_eq!(sent(&effects), [], "{what}");
        let words = said(&model).unwrap();
        assert!(
            words.starts_with("not moved, ord-7 stays as it is: "),
            "{what}: {words}"
        );
    }
}

#[test]
fn more_than_price_and_size_is_canceled_and_placed_anew() {
    let order = Order {
        limit_price: Some(num("69900")),
        ..testing::order(
            "ord-8",
            "BTC",
            r#""type":"stop_limit","mode":"stop_limit","side":"buy","size":2,"trigger_price":70000,
            "trigger_direction":"above","status":"resting""#,
        )
    };
    let mut model = working(order);
    let effects = press(&mut model, "m ctrl-u 71000 enter");
    assert!(
        matches!(sent(&effects).as_slice(), [(_, Command::Cancel(_))]),
        "it has two prices: {effects:?}"
    );
}

#[test]
fn a_stop_with_a_trigger_and_a_limit_is_never_canceled_first() {
    let two = Order {
        limit_price: Some(num("57900")),
        ..exit(STOP, "stop_limit", "58000")
    };
    let mut model = desk();
    list(&mut model, &long("0.5"), &[two]);
    assert_eq!(sent(&press(&mut model, "}")), []);
    assert_eq!(sent(&press(&mut model, "2 m ctrl-u 58500 enter")), []);
}

#[test]
fn break_even_moves_every_worse_stop_together() {
    let mut model = guarded();
    model.account.options.fees.taker_bps = Some(num("4.5"));
    let two = [stop("58000"), exit("ord-9", "stop_market", "57000")];
    list(&mut model, &long("0.5"), &two);
    let (_, batch) = batch(&press(&mut model, "Z"));
    let ids = batch.operations.iter().map(|operation| match operation {
        ExitOperation::Modify { order_id, .. } => order_id.raw(),
        ExitOperation::Cancel { .. } | ExitOperation::Place { .. } => {
            panic!("{operation:?}")
        }
    });
    assert_eq!(ids.collect::<Vec<_>>(), [STOP, "ord-9"]);
}
