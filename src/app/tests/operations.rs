//! What follows a close-all and a cancel-all, and what is said at their ends.

use super::*;
use crate::model::{
    CancelAll, CloseCheck, FlatProof, OperationEnd, Order, SlicedOperation, Timestamp,
};

fn operation(kind: &str) -> String {
    format!(
        r#"{{"id":"op","operation":"{kind}","account_id":"chal-1","status":"completed","total_count":0,
        "succeeded_count":0,"failed_count":0,"results":[],"created_at":1790000000000}}"#
    )
}

fn closed_all() -> CloseAll {
    serde_json::from_str(&operation("close_all_positions")).unwrap()
}

fn canceled_all() -> CancelAll {
    serde_json::from_str(&operation("cancel_all_orders")).unwrap()
}

/// `X` is sent, and goes on with an unfinished close-all where `continues` says so.
fn closing(continues: &[Msg]) -> Model {
    let mut model = desk();
    press(&mut model, "X");
    assert_eq!(wait(&mut model, 1_500), sent(1, close_all()));
    for msg in continues {
        take(&mut model, msg.clone());
    }
    model
}

fn take(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let now = model.account.now;
    update(model, now, msg)
}

/// The close-all is answered: perpdeck reads what it has left.
fn answered(model: &mut Model) {
    let effects = settle(model, Ticket(1), Ok(Receipt::CloseAll(closed_all())));
    let operation = Box::new(SlicedOperation::CloseAll(closed_all()));
    assert!(effects.contains(&Effect::ReadRemains(Ticket(1), operation)));
}

fn closed(model: &mut Model, check: CloseCheck) -> Vec<Effect> {
    let end = OperationEnd::CloseAll(closed_all(), Ok(check));
    take(model, Msg::OperationEnded(Ticket(1), Box::new(end)))
}

fn still_open() -> CloseCheck {
    CloseCheck::Open(vec![position("pos-9", "ETH", "1", r#""status":"open""#)])
}

const CONTINUES: Msg = Msg::Continues(Ticket(1));

#[test]
fn what_a_continued_close_all_did_not_know_goes_with_a_new_one() {
    let mut model = closing(&[CONTINUES]);
    answered(&mut model);
    assert_eq!(closed(&mut model, still_open()), sent(2, close_all()));
    let words = "the close-all on chal-1 continued an earlier one; positions opened since then are still open: \
                 a new close-all follows";
    let said = model
        .account
        .activity
        .lines
        .iter()
        .any(|line| line.event == Event::Message(Tone::Warn, words.to_owned()));
    assert!(said);
    // The second one knows everything: what it leaves is only said.
    settle(&mut model, Ticket(2), Ok(Receipt::CloseAll(closed_all())));
    let end = OperationEnd::CloseAll(closed_all(), Ok(still_open()));
    let effects = take(&mut model, Msg::OperationEnded(Ticket(2), Box::new(end)));
    assert_eq!(effects, vec![]);
    let left = "close all is complete but not flat, still open: ETH 1";
    assert_eq!(last_said(&model), (Tone::Alert, left));
}

#[test]
fn a_close_all_that_is_the_first_says_what_is_left_and_sends_nothing() {
    let proof = FlatProof {
        first: Timestamp(1_000),
        second: Timestamp(3_500),
    };
    let flat = "no position is open, on two reads 2.5 s apart";
    let may_open = format!("{flat}; an order sent before is still unanswered, and may open one");
    for (check, tone, words) in [
        (CloseCheck::Closed(proof), Tone::Good, flat),
        (CloseCheck::MayOpen(proof), Tone::Alert, may_open.as_str()),
        (
            still_open(),
            Tone::Alert,
            "close all is complete but not flat, still open: ETH 1",
        ),
    ] {
        let mut model = closing(&[]);
        answered(&mut model);
        assert_eq!(closed(&mut model, check), vec![]);
        assert_eq!(last_said(&model), (tone, words));
    }
}

#[test]
fn what_was_opened_on_purpose_after_the_key_is_left_open_and_said() {
    let mut model = closing(&[CONTINUES]);
    press(&mut model, "b 0 . 0 1 enter");
    answered(&mut model);
    assert_eq!(closed(&mut model, still_open()), vec![]);
    let (tone, words) = last_said(&model);
    assert!(
        tone == Tone::Alert && words.ends_with("are still open; X closes them"),
        "{words}"
    );
}

#[test]
fn a_close_all_that_is_given_meanwhile_is_the_new_one() {
    let mut model = closing(&[CONTINUES]);
    answered(&mut model);
    press(&mut model, "X");
    assert_eq!(wait(&mut model, 1_500), sent(2, close_all()));
    assert_eq!(closed(&mut model, still_open()), vec![]);
}

#[test]
fn a_desk_made_read_only_meanwhile_closes_nothing_more_and_says_so() {
    let mut model = closing(&[CONTINUES]);
    answered(&mut model);
    model.account.options.read_only = true;
    assert_eq!(closed(&mut model, still_open()), vec![]);
    let (tone, words) = last_said(&model);
    assert!(
        tone == Tone::Alert && words.contains("are still open: the desk is read-only"),
        "{words}"
    );
}

#[test]
fn a_close_all_of_an_earlier_session_says_what_it_has_left_too() {
    let mut model = desk();
    take(&mut model, Msg::Resumed(Ticket(1), close_all()));
    answered(&mut model);
    assert_eq!(closed(&mut model, still_open()), vec![]);
    let left = "close all is complete but not flat, still open: ETH 1";
    assert_eq!(last_said(&model), (Tone::Alert, left));
}

fn resting(id: &str) -> Order {
    let resting = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"resting""#;
    order(id, "ETH", resting)
}

fn canceled(model: &mut Model, working: &[&str]) -> Vec<Effect> {
    let page = Page::of(working.iter().map(|id| resting(id)).collect());
    let end = OperationEnd::CancelAll(canceled_all(), Ok(page));
    take(model, Msg::OperationEnded(Ticket(1), Box::new(end)))
}

/// `K` is sent and answered.
fn canceling(continues: &[Msg]) -> Model {
    let mut model = desk();
    let orders = Page::of(vec![resting("o1")]);
    arrive(&mut model, Answer::Orders(Ok(orders)));
    press(&mut model, "K");
    wait(&mut model, 200);
    let cancel_all = Command::CancelAll("chal-1".into());
    assert_eq!(press(&mut model, "y"), sent(1, cancel_all));
    for msg in continues {
        take(&mut model, msg.clone());
    }
    settle(
        &mut model,
        Ticket(1),
        Ok(Receipt::CancelAll(canceled_all())),
    );
    model
}

#[test]
fn what_a_continued_cancel_all_did_not_know_goes_with_a_new_one() {
    let mut model = canceling(&[CONTINUES]);
    let cancel_all = Command::CancelAll("chal-1".into());
    assert_eq!(canceled(&mut model, &["o9"]), sent(2, cancel_all));
}

#[test]
fn a_cancel_all_says_which_orders_still_work() {
    let mut model = canceling(&[]);
    assert_eq!(canceled(&mut model, &["o8", "o9"]), vec![]);
    let left = "cancel all is complete, still working: o8, o9";
    assert_eq!(last_said(&model), (Tone::Alert, left));
    let mut model = canceling(&[]);
    canceled(&mut model, &vec!["o9"; 10_000]);
    let (_, words) = last_said(&model);
    assert!(words.ends_with("o9, o9, 9980 more"), "{words}");
    let mut model = canceling(&[]);
    canceled(&mut model, &[]);
    assert_eq!(last_said(&model), (Tone::Good, "no order works any more"));
}

/// One operation takes at most 200 orders.
#[test]
fn more_orders_than_one_cancel_all_takes_are_canceled_one_by_one() {
    for (count, first) in [
        (200, Command::CancelAll("chal-1".into())),
        (201, Command::Cancel("o0".into())),
    ] {
        let mut model = desk();
        let orders = (0..count).map(|number| resting(&format!("o{number}")));
        let orders = Page::of(orders.collect());
        arrive(&mut model, Answer::Orders(Ok(orders)));
        press(&mut model, "K");
        wait(&mut model, 200);
        let effects = press(&mut model, "y");
        assert_eq!(effects.first(), Some(&Effect::Send(Ticket(1), first)));
    }
}
