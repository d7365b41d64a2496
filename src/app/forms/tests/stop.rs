//! Stops: their purpose, and how one is moved.

use super::*;

fn reduces(model: &Model) -> Option<String> {
    let choice = form(model).choice(Field::ReduceOnly, &model.form_context())?;
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

/// The cancel of `ord-2` has taken effect, and a read shows its last row.
fn ends(model: &mut Model) -> Vec<Effect> {
    let canceled = Receipt::Cancel(crate::model::CancelResult {
        id: "ord-2".into(),
        canceled: true,
        queued: false,
    });
    let effects = settle(model, Ticket(1), Ok(canceled));
    assert!(effects.contains(&Effect::Trace(vec!["ord-2".into()])));
    let now = model.now;
    let found = Msg::Traced(vec!["ord-2".into()], vec![armed("canceled")]);
    update(model, now, found)
}

#[test]
fn an_armed_entry_is_canceled_first_and_placed_anew_once_a_read_shows_its_end() {
    let mut model = desk();
    press(&mut model, "2 j e");
    let open = form(&model);
    assert_eq!(open.focus, Field::TriggerPrice);
    assert_eq!(open.draft.text(Field::TriggerPrice), Some("2800"));
    let effects = press(
        &mut model,
        "backspace backspace backspace backspace 2850 enter",
    );
    // Both could open a position.
    let cancel = Command::Cancel("ord-2".into());
    assert_eq!(effects, vec![Effect::Send(Ticket(1), cancel)]);
    let effects = ends(&mut model);
    let [Effect::Send(_, Command::Place(order))] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    assert_eq!(
        (order.kind, order.side, order.size, order.reduce_only),
        (PlaceKind::StopMarket, Side::Sell, num("2"), false)
    );
    assert_eq!(order.trigger.as_ref().map(|t| t.price), Some(num("2850")));
}

#[test]
fn an_armed_entry_that_is_moved_keeps_its_exits() {
    let mut model = desk();
    let armed = |status: &str| {
        let json = format!(
            r#""type":"stop_market","mode":"stop_market","side":"buy","size":0.5,"filled_size":0,"trigger_price":66000,
            "attached_take_profit_price":70000,"attached_stop_loss_price":65000,"status":"{status}""#
        );
        super::order("ord-2", "BTC", &json)
    };
    let orders = crate::model::Page::of(vec![armed("pending")]);
    arrive(&mut model, Answer::Orders(Ok(orders)));
    press(&mut model, "2 e ctrl-u 66500 enter");
    let effects = ends(&mut model);
    let [Effect::Send(_, Command::Place(order))] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    assert_eq!(
        (order.take_profit_price, order.stop_loss_price),
        (Some(num("70000")), Some(num("65000")))
    );
}

#[test]
fn an_armed_order_is_not_canceled_while_it_may_stop_a_position_that_is_not_listed() {
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

#[test]
fn an_armed_entry_whose_cancel_is_refused_is_left_alone_and_its_form_kept() {
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
