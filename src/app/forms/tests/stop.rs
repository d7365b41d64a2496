//! Stops: their purpose, and how one is moved.

use super::*;

fn reduces(model: &Model) -> Option<String> {
    let choice = form(model).choice(Field::ReduceOnly, &model.account.form_context())?;
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

/// `ord-2`, as its last row shows it.
fn armed(status: &str) -> crate::model::Order {
    let json = format!(
        r#""type":"stop_market","mode":"stop_market","side":"sell","size":2,"filled_size":0,
        "trigger_price":2800,"status":"{status}""#
    );
    super::order("ord-2", "ETH", &json)
}

#[test]
fn an_armed_entry_is_moved_in_place() {
    let mut model = desk();
    press(&mut model, "2 j e");
    let open = form(&model);
    assert_eq!(open.focus, Field::TriggerPrice);
    assert_eq!(open.draft.text(Field::TriggerPrice), Some("2800"));
    let effects = press(
        &mut model,
        "backspace backspace backspace backspace 2850 enter",
    );
    let modify = crate::model::ModifyOrder {
        order_id: "ord-2".into(),
        price: num("2850"),
        size: None,
        risk: crate::model::Risk::Increasing,
    };
    assert_eq!(effects, sent(1, Command::Modify(modify)));
}

#[test]
fn an_armed_order_is_not_moved_while_it_may_stop_a_position_that_is_not_listed() {
    let mut model = desk();
    let stop = crate::model::Order {
        reduce_only: true,
        ..armed("pending")
    };
    let orders = crate::model::Page::of(vec![stop]);
    arrive(&mut model, Answer::Orders(Ok(orders)));
    let cut = crate::model::Page {
        incomplete: true,
        ..crate::model::Page::of(vec![])
    };
    arrive(&mut model, Answer::Positions(Ok(cut)));
    assert_eq!(press(&mut model, "2 e ctrl-u 2850 enter"), vec![]);
    let why = form(&model).failure.as_ref().unwrap().message.to_string();
    let words =
        "whether ord-2 stops an open position is not known: wait until all positions are listed";
    assert_eq!(why, words);
}

#[test]
fn an_armed_order_that_is_left_as_it_is_sends_nothing() {
    let mut model = desk();
    assert_eq!(press(&mut model, "2 j e enter"), vec![]);
    let why = form(&model).failure.as_ref().unwrap();
    assert_eq!(why.message.to_string(), "nothing is changed");
}

#[test]
fn an_armed_entry_whose_move_is_refused_is_left_alone_and_its_form_kept() {
    let mut model = desk();
    press(&mut model, "2 j e ctrl-u 2850 enter");
    let why = Failure::new(FailureKind::Invalid, "no");
    settle(&mut model, Ticket(1), Err(why));
    press(&mut model, "U");
    let open = form(&model);
    assert!(open.replaces.is_some(), "the form is still there");
    assert_eq!(open.draft.text(Field::TriggerPrice), Some("2850"));
    press(&mut model, "esc esc");
    assert_eq!(model.overlays, []);
}
