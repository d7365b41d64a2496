use crate::{
    app::{
        account::poll::Answer,
        activity::notice::Event,
        desk::{model::Model, msg::Msg},
        dialogs::{
            caller::{CallerId, CallerRequest, Sending},
            effect::Effect,
        },
        testing::{self, *},
        update::router::update,
    },
    model::{
        CancelResult, Command, Failure, FailureKind, Num, Order, OrderId, Page, Position, Progress,
        Receipt, Ticket,
    },
};
use std::time::Duration;

const OLD: &str = "ord-5";
const NEW: &str = "ord-6";

fn stop(id: &str, price: &str) -> Order {
    let json = format!(
        r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,"trigger_price":{price},
        "target_position_id":"pos-1","status":"pending""#
    );
    Order {
        reduce_only: true,
        ..testing::order(id, "BTC", &json)
    }
}

fn long() -> Position {
    position(
        "pos-1",
        "BTC",
        "0.5",
        r#""leverage":10,"liquidation_price":45000"#,
    )
}

/// A long of 0.5 from 60,000 with a stop at 58,000; the mark is 64,000.
fn guarded() -> Model {
    let mut model = desk();
    list(&mut model, &[long()], &[stop(OLD, "58000")]);
    model
}

fn list(model: &mut Model, open: &[Position], working: &[Order]) -> Vec<Effect> {
    let mut effects = wait(model, 50);
    effects.extend(arrive(
        model,
        Answer::Positions(Ok(Page::of(open.to_vec()))),
    ));
    effects.extend(arrive(
        model,
        Answer::Orders(Ok(Page::of(working.to_vec()))),
    ));
    effects
}

fn said(model: &Model) -> Option<String> {
    if let Event::Message(_, words) = &model.activity.toast(model.now)?.event {
        Some(words.clone())
    } else {
        None
    }
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

/// The one stop that is placed, and where.
fn placed(effects: &[Effect]) -> (Ticket, Num) {
    match sent(effects).as_slice() {
        [(ticket, Command::Place(order))] => {
            assert!(order.reduce_only, "{order:?}");
            (*ticket, order.trigger.as_ref().unwrap().price)
        }
        other => panic!("{other:?}"),
    }
}

fn canceled(effects: &[Effect]) -> (Ticket, OrderId) {
    match sent(effects).as_slice() {
        [(ticket, command)] => (*ticket, command.cancels().unwrap().clone()),
        other => panic!("{other:?}"),
    }
}

fn accepted(price: &str) -> Receipt {
    Receipt::Order {
        order: Box::new(stop(NEW, price)),
        queued: false,
    }
}

fn gone(id: &str) -> Receipt {
    Receipt::Cancel(CancelResult {
        id: id.into(),
        canceled: true,
        queued: false,
    })
}

/// The new stop was accepted at 58,001.
fn standing() -> Model {
    let mut model = guarded();
    let (ticket, price) = placed(&press(&mut model, "}"));
    assert_eq!(price, num("58001"));
    assert_eq!(sent(&settle(&mut model, ticket, Ok(accepted("58001")))), []);
    model
}

fn both() -> [Order; 2] {
    [stop(OLD, "58000"), stop(NEW, "58001")]
}

#[test]
fn the_new_stop_is_read_back_as_armed_before_the_old_one_is_canceled() {
    let mut model = standing();
    assert_eq!(sent(&wait(&mut model, 600)), [], "no read has shown it");
    let effects = list(&mut model, &[long()], &both());
    let (ticket, id) = canceled(&effects);
    assert_eq!(id, OLD.into());
    assert_eq!(sent(&settle(&mut model, ticket, Ok(gone(OLD)))), []);
    assert_eq!(model.store.stop_moves, vec![]);
    assert_eq!(model.store.under_way(), 0);
}

#[test]
fn a_position_is_never_without_a_stop_on_the_way() {
    let mut model = guarded();
    let (ticket, _) = placed(&press(&mut model, "}"));
    // Whatever the lists say before the new one is accepted, nothing is canceled.
    for working in [vec![stop(OLD, "58000")], both().to_vec()] {
        assert_eq!(sent(&list(&mut model, &[long()], &working)), []);
    }
    settle(&mut model, ticket, Ok(accepted("58001")));
    // An old list, a cut one, and one without the new stop cancel nothing.
    let now = model.now;
    let early = arrive(&mut model, Answer::Orders(Ok(Page::of(both().to_vec()))));
    assert_eq!((sent(&early), model.now), (vec![], now));
    wait(&mut model, 50);
    let cut = Page {
        incomplete: true,
        ..Page::of(both().to_vec())
    };
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![long()]))));
    assert_eq!(sent(&arrive(&mut model, Answer::Orders(Ok(cut)))), []);
    assert!(!sent(&list(&mut model, &[long()], &both())).is_empty());
}

// docs/delivery.md 3.6, row by row.

#[test]
fn a_new_stop_that_is_refused_leaves_the_old_one() {
    let mut model = guarded();
    let (ticket, _) = placed(&press(&mut model, "}"));
    let why = Failure::new(FailureKind::Invalid, "too many stops");
    assert_eq!(sent(&settle(&mut model, ticket, Err(why))), []);
    let words = "the stop is not moved, ord-5 stands: too many stops";
    assert_eq!(said(&model).as_deref(), Some(words));
    assert_eq!(sent(&list(&mut model, &[long()], &both())), []);
}

#[test]
fn while_the_new_stop_is_in_doubt_nothing_is_canceled_even_if_it_is_done_later() {
    let mut model = guarded();
    let (ticket, _) = placed(&press(&mut model, "}"));
    let parked = Progress::Parked {
        why: Failure::new(FailureKind::Unknown, "no answer"),
        replay_until: model.now.plus(Duration::from_mins(15)),
    };
    let now = model.now;
    update(&mut model, now, Msg::Progress(ticket, parked));
    let words = "whether the new stop stands is not known: ord-5 is not canceled";
    assert_eq!(said(&model).as_deref(), Some(words));
    assert_eq!(sent(&settle(&mut model, ticket, Ok(accepted("58001")))), []);
    assert_eq!(sent(&list(&mut model, &[long()], &both())), []);
}

#[test]
fn a_new_stop_that_is_not_armed_cancels_nothing() {
    let mut model = standing();
    assert_eq!(
        sent(&list(&mut model, &[long()], &[stop(OLD, "58000")])),
        []
    );
    let words = "the new stop ord-6 is not armed: ord-5 is not canceled";
    assert_eq!(said(&model).as_deref(), Some(words));
    assert_eq!(model.store.stop_moves, vec![]);
}

fn stop_cell(model: &Model) -> String {
    let zone = crate::model::Zone::utc();
    let scene = crate::view::Scene::of(model, &zone);
    let position = model.store.position(&"pos-1".into()).unwrap();
    crate::view::tables::protection::stop(position, &scene).text
}

fn status_cell(model: &Model, id: &str) -> String {
    let zone = crate::model::Zone::utc();
    let scene = crate::view::Scene::of(model, &zone);
    let order = model.store.order(&id.into()).unwrap();
    let spans = crate::view::tables::orders::state(order, &scene).spans;
    spans.into_iter().map(|span| span.text).collect()
}

#[test]
fn while_both_stand_the_row_says_so() {
    let mut model = standing();
    list(&mut model, &[long()], &both());
    assert_eq!(stop_cell(&model), "58,001 200% of size +1");
}

#[test]
fn a_queued_cancel_of_the_old_stop_is_shown_until_it_ends() {
    let mut model = standing();
    let (ticket, _) = canceled(&list(&mut model, &[long()], &both()));
    let queued = Receipt::Cancel(CancelResult {
        id: OLD.into(),
        canceled: false,
        queued: true,
    });
    settle(&mut model, ticket, Ok(queued));
    list(&mut model, &[long()], &both());
    assert_eq!(stop_cell(&model), "58,001 200% of size +1");
    assert_eq!(status_cell(&model, OLD), "cancel queued");
    assert_eq!(status_cell(&model, NEW), "armed");

    let now = model.now;
    update(&mut model, now, Msg::Ended(OLD.into(), Ok(gone(OLD))));
    list(&mut model, &[long()], &[stop(NEW, "58001")]);
    assert_eq!(stop_cell(&model), "58,001");
}

#[test]
fn a_new_stop_that_no_list_shows_within_ten_seconds_ends_the_move_with_both() {
    let mut model = standing();
    assert_eq!(sent(&press(&mut model, "}")), [], "a further wish");
    wait(&mut model, 10_000);
    assert_eq!(model.store.stop_moves.len(), 1);
    assert_eq!(sent(&wait(&mut model, 1)), []);
    let words = "both stops stand: the new one was not read within 10 s; x on ord-5 cancels it; no stop is moved to \
                 58,002";
    assert_eq!(said(&model).as_deref(), Some(words));
    assert_eq!(model.store.stop_moves, vec![]);
    assert_eq!(sent(&list(&mut model, &[long()], &both())), []);

    // The same where the cancel of the old one failed.
    let mut later = standing();
    let (ticket, _) = canceled(&list(&mut later, &[long()], &both()));
    let why = Failure::new(FailureKind::Unavailable, "down");
    settle(&mut later, ticket, Err(why));
    wait(&mut later, 10_001);
    let words =
        "whether ord-5 is canceled was not read within 10 s: look at the stops of this position";
    assert_eq!(said(&later).as_deref(), Some(words));
    assert_eq!(later.store.stop_moves, vec![]);
}

#[test]
fn a_new_stop_that_is_canceled_by_hand_leaves_the_old_one() {
    let mut model = standing();
    let waiting = [stop(OLD, "58000"), stop(NEW, "58001")];
    let cut = Page {
        incomplete: true,
        ..Page::of(waiting.to_vec())
    };
    wait(&mut model, 50);
    arrive(&mut model, Answer::Orders(Ok(cut)));
    let now = model.now;
    let wish = CallerRequest::Send {
        command: Command::Unprotect(NEW.into()),
        key: "mine".into(),
        sending: Sending::First,
    };
    update(&mut model, now, Msg::Asked(CallerId(7), wish));
    let words = "the stop is not moved: ord-5 still works, its replacement is canceled";
    let lines = model.activity.lines.iter();
    let mut events = lines.map(|line| &line.event);
    let is_said = events.any(|event| matches!(event, Event::Message(_, said) if said == words));
    assert!(is_said);
    assert_eq!(model.store.stop_moves, vec![]);
    // Even if a list still has both.
    assert_eq!(sent(&list(&mut model, &[long()], &both())), []);
}

#[test]
fn an_old_stop_that_fired_meanwhile_takes_the_new_one_with_it() {
    let mut model = standing();
    let effects = list(&mut model, &[], &[stop(NEW, "58001")]);
    assert_eq!(canceled(&effects).1, NEW.into());
    assert_eq!(model.store.stop_moves, vec![]);

    let mut later = standing();
    let (ticket, _) = canceled(&list(&mut later, &[long()], &both()));
    let filled = Failure::new(FailureKind::Conflict, "order ord-5 is filled");
    assert_eq!(sent(&settle(&mut later, ticket, Err(filled))), []);
    let effects = list(&mut later, &[], &[stop(NEW, "58001")]);
    assert_eq!(canceled(&effects).1, NEW.into());

    // The service has ended it by itself.
    let mut flat = standing();
    assert_eq!(sent(&list(&mut flat, &[], &[])), []);
    assert_eq!(flat.store.stop_moves, vec![]);
}

#[test]
fn a_cancel_that_fails_leaves_both_and_says_so() {
    let mut model = standing();
    let (ticket, _) = canceled(&list(&mut model, &[long()], &both()));
    let why = Failure::new(FailureKind::Unavailable, "down");
    settle(&mut model, ticket, Err(why));
    assert_eq!(sent(&list(&mut model, &[long()], &both())), []);
    let words = "both stops stand, ord-6 and ord-5; x on ord-5 cancels it";
    assert_eq!(said(&model).as_deref(), Some(words));
}

#[test]
fn a_looser_stop_is_held_back_where_new_risk_is_and_a_tighter_one_is_not() {
    for (keys, goes) in [("{", false), ("}", true)] {
        let mut model = guarded();
        let now = model.now;
        let why = Msg::Halted(Some("flattened".to_owned()));
        update(&mut model, now, why);
        let effects = press(&mut model, keys);
        assert_eq!(!sent(&effects).is_empty(), goes, "{keys}");
    }
    let mut model = guarded();
    let (ticket, price) = placed(&press(&mut model, "{"));
    assert_eq!(price, num("57999"));
    settle(&mut model, ticket, Ok(accepted("57999")));
    let both = [stop(OLD, "58000"), stop(NEW, "57999")];
    let effects = list(&mut model, &[long()], &both);
    let expected = Command::Unprotect(OLD.into());
    assert_eq!(sent(&effects)[0].1, expected, "more can be lost after it");
}

#[test]
fn presses_during_a_move_become_one_move_to_the_latest_price() {
    let mut model = guarded();
    let (ticket, price) = placed(&press(&mut model, "}"));
    assert_eq!(price, num("58001"));
    assert_eq!(sent(&press(&mut model, "} } }")), []);
    settle(&mut model, ticket, Ok(accepted("58001")));
    assert_eq!(sent(&press(&mut model, "}")), [], "while it is read back");
    let (ticket, _) = canceled(&list(&mut model, &[long()], &both()));
    assert_eq!(sent(&press(&mut model, "{")), [], "while the old one goes");
    // The list still has the old one, whose cancel was answered.
    let (_, price) = placed(&settle(&mut model, ticket, Ok(gone(OLD))));
    assert_eq!(price, num("58004"), "five up, one down");
    assert_eq!(model.store.stop_moves.len(), 1);
}

#[test]
fn a_wish_that_comes_back_to_where_the_new_stop_stands_moves_it_no_more() {
    let mut model = guarded();
    let (ticket, _) = placed(&press(&mut model, "}"));
    assert_eq!(sent(&press(&mut model, "} {")), []);
    settle(&mut model, ticket, Ok(accepted("58001")));
    let (ticket, _) = canceled(&list(&mut model, &[long()], &both()));
    assert_eq!(sent(&settle(&mut model, ticket, Ok(gone(OLD)))), []);
    assert_eq!(model.store.stop_moves, vec![]);
}

#[test]
fn a_way_out_ends_the_move_and_cancels_no_stop() {
    let mut model = standing();
    press(&mut model, "X");
    wait(&mut model, 1_500);
    assert_eq!(sent(&list(&mut model, &[long()], &both())), []);
}

#[test]
fn a_stop_limit_keeps_the_distance_of_its_limit() {
    let mut model = guarded();
    let json = r#""type":"stop_limit","mode":"stop_limit","side":"sell","size":0.5,"trigger_price":58000,
        "limit_price":57900,"target_position_id":"pos-1","status":"pending""#;
    let limit = Order {
        reduce_only: true,
        ..testing::order(OLD, "BTC", json)
    };
    list(&mut model, &[long()], &[limit]);
    let effects = press(&mut model, "}");
    let [(_, Command::Place(order))] = &sent(&effects)[..] else {
        panic!("{effects:?}");
    };
    assert_eq!(order.limit_price, Some(num("57901")));
}

#[test]
fn a_stop_moved_by_its_form_goes_the_same_way() {
    let mut model = guarded();
    let (ticket, price) = placed(&press(&mut model, "2 e ctrl-u 59000 enter"));
    assert_eq!((price, model.overlays.len()), (num("59000"), 0));
    settle(&mut model, ticket, Ok(accepted("59000")));
    let both = [stop(OLD, "58000"), stop(NEW, "59000")];
    assert_eq!(canceled(&list(&mut model, &[long()], &both)).1, OLD.into());
}
