//! Stops: their purpose, and how one is moved.

use super::*;
use crate::app::{
    activity::notice::{Event, Tone},
    dialogs::overlay::Deed,
};

fn reduces(model: &Model) -> Option<String> {
    let choice = form(model).choice(Field::ReduceOnly, &model.around())?;
    choice.options.get(choice.chosen?).cloned()
}

/// Changes the type of the open form to a stop.
const STOP: &str = "shift-tab shift-tab shift-tab 4";

#[test]
fn a_stop_against_the_open_position_only_reduces_and_any_other_does_not() {
    let mut model = desk();
    press(&mut model, "s");
    assert_eq!(reduces(&model).as_deref(), Some("no"), "a market order");
    press(&mut model, STOP);
    assert_eq!(reduces(&model).as_deref(), Some("yes"));
    press(&mut model, "tab tab right");
    assert_eq!(reduces(&model).as_deref(), Some("no"), "with the position");
    press(&mut model, "right shift-tab e");
    assert_eq!(form(&model).market_id().unwrap().raw(), "paper|ETH");
    assert_eq!(reduces(&model).as_deref(), Some("no"), "nothing is open");
}

#[test]
fn what_a_person_chose_of_it_stays() {
    let mut model = desk();
    press(&mut model, "s");
    press(&mut model, STOP);
    press(&mut model, "tab tab tab tab tab");
    assert_eq!(form(&model).focus, Field::ReduceOnly, "after the price");
    press(&mut model, "1 shift-tab shift-tab shift-tab right right");
    assert_eq!(reduces(&model).as_deref(), Some("no"));
}

#[test]
fn an_armed_order_is_moved_by_another_in_its_stead_and_then_goes_by_itself() {
    let mut model = desk();
    press(&mut model, "2 j e");
    let open = form(&model);
    assert_eq!(open.focus, Field::TriggerPrice);
    assert_eq!(open.draft.text(Field::TriggerPrice), Some("2800"));
    let effects = press(
        &mut model,
        "backspace backspace backspace backspace 2850 enter",
    );
    let [Effect::Send(ticket, Command::Place(order))] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    assert_eq!(
        (order.kind, order.side, order.size, order.reduce_only),
        (PlaceKind::StopMarket, Side::Sell, num("2"), false)
    );
    assert_eq!(order.trigger.as_ref().map(|t| t.price), Some(num("2850")));
    let placed = super::order(
        "ord-9",
        "ETH",
        r#""type":"stop_market","mode":"stop_market","side":"sell",
        "size":2,"trigger_price":2850,"status":"pending""#,
    );
    let receipt = Receipt::Order {
        order: Box::new(placed),
        queued: false,
    };
    settle(&mut model, *ticket, Ok(receipt));
    let Some(Overlay::Strip(strip)) = model.overlays.last() else {
        panic!("{:?}", model.overlays)
    };
    let cancel = Command::Cancel("ord-2".into());
    assert_eq!(strip.deed, Deed::Replaced(cancel.clone()));
    // Both could open a position.
    let effects = wait(&mut model, 1_600);
    assert_eq!(effects, vec![Effect::Send(Ticket(2), cancel)]);
}

#[test]
fn what_ended_at_once_with_nothing_done_stands_in_for_nothing() {
    let mut model = desk();
    assert_eq!(press(&mut model, "2 j e ctrl-u 2850 enter").len(), 1);
    let expired = super::order(
        "ord-9",
        "ETH",
        r#""type":"limit","mode":"limit","side":"sell","size":2,"filled_size":0,"limit_price":2850,
        "status":"expired""#,
    );
    let receipt = Receipt::Order {
        order: Box::new(expired),
        queued: false,
    };
    settle(&mut model, Ticket(1), Ok(receipt));
    assert_eq!(
        wait(&mut model, 6_000),
        vec![],
        "the old one is left to work"
    );
}

#[test]
fn an_armed_entry_that_is_moved_keeps_its_exits() {
    let mut model = desk();
    let armed = super::order(
        "ord-5",
        "BTC",
        r#""type":"stop_market","mode":"stop_market","side":"buy","size":0.5,"trigger_price":66000,
        "attached_take_profit_price":70000,"attached_stop_loss_price":65000,"status":"pending""#,
    );
    let orders = crate::model::Page::of(vec![armed]);
    arrive(&mut model, Answer::Orders(Ok(orders)));
    let effects = press(&mut model, "2 e ctrl-u 66500 enter");
    let [Effect::Send(_, Command::Place(order))] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    assert_eq!(
        (order.take_profit_price, order.stop_loss_price),
        (Some(num("70000")), Some(num("65000")))
    );
}

#[test]
fn a_stop_that_protects_is_canceled_once_the_new_one_is_read_as_armed() {
    let mut model = desk();
    let guarding = |id: &str, price: u32| {
        let terms = format!(
            r#""type":"stop_market","mode":"stop_market","side":"sell",
            "size":0.5,"trigger_price":{price},"status":"pending""#
        );
        crate::model::Order {
            reduce_only: true,
            ..super::order(id, "BTC", &terms)
        }
    };
    let orders = crate::model::Page::of(vec![guarding("ord-5", 60_000)]);
    arrive(&mut model, Answer::Orders(Ok(orders)));
    press(&mut model, "2 e enter");
    let receipt = Receipt::Order {
        order: Box::new(guarding("ord-9", 60_000)),
        queued: false,
    };
    settle(&mut model, Ticket(1), Ok(receipt));
    let sent = |effects: Vec<Effect>| -> Vec<Effect> {
        let sends = effects.into_iter();
        sends
            .filter(|effect| matches!(effect, Effect::Send(..)))
            .collect()
    };
    assert_eq!(sent(wait(&mut model, 6_000)), vec![]);
    let open = model.store.positions.rows().to_vec();
    arrive(
        &mut model,
        Answer::Positions(Ok(crate::model::Page::of(open))),
    );
    let both = vec![guarding("ord-5", 60_000), guarding("ord-9", 60_000)];
    let effects = arrive(&mut model, Answer::Orders(Ok(crate::model::Page::of(both))));
    let cancel = Command::Cancel("ord-5".into());
    assert_eq!(sent(effects), vec![Effect::Send(Ticket(2), cancel)]);
}

/// The response to the order that replaces `ord-2`.
fn stands(model: &mut Model) {
    let placed = super::order(
        "ord-9",
        "ETH",
        r#""type":"stop_market","mode":"stop_market","side":"sell",
        "size":2,"trigger_price":2850,"status":"pending""#,
    );
    let receipt = Receipt::Order {
        order: Box::new(placed),
        queued: false,
    };
    settle(model, Ticket(1), Ok(receipt));
}

#[test]
fn what_was_moved_goes_though_its_form_was_closed_before_the_answer() {
    let mut model = desk();
    press(&mut model, "2 j e enter esc");
    assert_eq!(model.overlays, []);
    stands(&mut model);
    let sent = wait(&mut model, 1_600);
    let cancel = Command::Cancel("ord-2".into());
    assert_eq!(sent, vec![Effect::Send(Ticket(2), cancel)]);
}

#[test]
fn what_was_moved_goes_though_its_successor_was_in_doubt_before() {
    let mut model = desk();
    press(&mut model, "2 j e enter");
    let parked = Progress::Parked {
        why: Failure::new(FailureKind::Unknown, "no answer"),
        replay_until: model.now.plus(std::time::Duration::from_mins(15)),
    };
    let now = model.now;
    update(&mut model, now, Msg::Progress(Ticket(1), parked));
    wait(&mut model, 200);
    assert_eq!(press(&mut model, "y"), vec![Effect::Resend(Ticket(1))]);
    stands(&mut model);
    let sent = wait(&mut model, 1_600);
    let cancel = Command::Cancel("ord-2".into());
    assert_eq!(sent, vec![Effect::Send(Ticket(2), cancel)]);
}

#[test]
fn who_is_at_something_else_when_the_moved_order_stands_is_told_that_both_work() {
    for keys in ["esc b", "esc ?"] {
        let mut model = desk();
        press(&mut model, "2 j e enter");
        press(&mut model, keys);
        stands(&mut model);
        let told = model.activity.toast(model.now).map(|notice| &notice.event);
        let words = "both orders work now: cancel order ord-2 is left to do".to_owned();
        assert_eq!(told, Some(&Event::Said(Tone::Alert, words)), "{keys}");
    }
}

#[test]
fn a_way_out_that_takes_the_place_of_that_question_says_that_both_work() {
    let mut model = desk();
    press(&mut model, "2 j e enter");
    stands(&mut model);
    press(&mut model, "X");
    let told = model.activity.toast(model.now).map(|notice| &notice.event);
    let words = "both orders work now: cancel order ord-2 is left to do".to_owned();
    assert_eq!(told, Some(&Event::Said(Tone::Alert, words)));
}

#[test]
fn an_armed_stop_whose_successor_is_refused_is_left_alone() {
    let mut model = desk();
    press(&mut model, "2 j e enter");
    let why = Failure::new(FailureKind::Invalid, "no");
    settle(&mut model, Ticket(1), Err(why));
    press(&mut model, "U");
    assert!(form(&model).replaces.is_some(), "the form is still there");
    press(&mut model, "esc esc");
    assert_eq!(model.overlays, []);
}
