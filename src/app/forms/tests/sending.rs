//! Commands in progress and their outcomes. A sent form closes; `U` reopens a refused one.

use super::*;

fn refused() -> Failure {
    Failure {
        code: Some("invalid_tick".into()),
        status: Some(400),
        ..Failure::new(
            FailureKind::Invalid,
            "limit_price 60000.5 is off the tick 1",
        )
    }
}

#[test]
fn enter_twice_sends_once_and_what_is_on_its_way_cannot_be_changed() {
    let mut model = desk();
    assert_eq!(press(&mut model, "b 0.1 enter").len(), 1);
    assert_eq!(press(&mut model, "enter 5 up enter"), vec![]);
    assert_eq!(model.account.store.pending.len(), 1);
    assert_eq!(
        model.account.store.pending[&Ticket(1)].command,
        place(market_buy("BTC", "0.1"))
    );
}

#[test]
fn a_failure_keeps_the_form_and_everything_in_it() {
    let mut model = desk();
    press(&mut model, "b 0.1");
    let before = form(&model).draft.clone();
    press(&mut model, "enter");
    settle(&mut model, Ticket(1), Err(refused()));
    press(&mut model, "U");
    assert_eq!(form(&model).draft, before);
    assert_eq!(form(&model).failure, Some(refused()));
    press(&mut model, "5");
    assert_eq!(form(&model).failure, None);
    assert_eq!(
        press(&mut model, "enter"),
        sent(2, place(market_buy("BTC", "0.15")))
    );
}

#[test]
fn success_closes_the_form_and_polls_again_at_once() {
    let mut model = desk();
    press(&mut model, "b 0.1 enter");
    let filled = order(
        "ord-9",
        "BTC",
        r#""type":"market","mode":"market","side":"buy","size":0.1,"status":"filled""#,
    );
    let receipt = Receipt::Order {
        order: Box::new(filled),
        queued: false,
    };
    let effects = settle(&mut model, Ticket(1), Ok(receipt));
    assert_eq!(model.overlays, vec![]);
    assert!(matches!(effects.as_slice(), [Effect::Poll(_)]));
}

#[test]
fn an_order_that_was_taken_and_rejected_keeps_the_form_with_the_reason() {
    let mut model = desk();
    press(&mut model, "b 0.1 enter");
    let rejected = order(
        "ord-9",
        "BTC",
        r#""type":"market","mode":"market","side":"buy","size":0.1,"status":"rejected",
           "reject_reason":"insufficient_margin","reject_rule_id":"insufficient_margin""#,
    );
    let receipt = Receipt::Order {
        order: Box::new(rejected),
        queued: false,
    };
    settle(&mut model, Ticket(1), Ok(receipt));
    press(&mut model, "U");
    let expected = Failure {
        proves: Proof::Refused,
        rule_id: Some("insufficient_margin".into()),
        order_id: Some("ord-9".into()),
        ..Failure::new(FailureKind::Invalid, "insufficient_margin")
    };
    assert_eq!(form(&model).failure, Some(expected));
}

#[test]
fn an_order_whose_fate_is_unknown_is_not_placed_a_second_time_from_the_same_form() {
    let mut model = desk();
    press(&mut model, "b 0.1 enter");
    let doubt = Failure::new(FailureKind::Unknown, "no answer in time");
    settle(&mut model, Ticket(1), Err(doubt.clone()));
    assert_eq!(press(&mut model, "U enter 5 enter"), vec![]);
    assert_eq!(form(&model).failure, Some(doubt));
}

#[test]
fn a_change_that_may_be_repeated_may_be_sent_again_after_doubt() {
    let mut model = desk();
    press(&mut model, "j m =200 enter");
    let doubt = Failure::new(FailureKind::Unknown, "no answer in time");
    settle(&mut model, Ticket(1), Err(doubt));
    wait(&mut model, 200);
    assert_eq!(press(&mut model, "U enter").len(), 1);
}

#[test]
fn the_form_closes_and_the_command_goes_on() {
    let mut model = desk();
    press(&mut model, "b 0.1 enter");
    assert_eq!(model.overlays, vec![]);
    assert_eq!(model.account.store.pending.len(), 1);
    settle(&mut model, Ticket(1), Err(refused()));
    assert_eq!(model.overlays, vec![]);
}

#[test]
fn the_outcome_of_one_form_does_not_touch_the_next() {
    let mut model = desk();
    press(&mut model, "b 0.1 enter s 0.2");
    settle(&mut model, Ticket(1), Err(refused()));
    assert_eq!(form(&model).failure, None);
    assert_eq!(form(&model).draft.text(Field::Size), Some("0.2"));
}
