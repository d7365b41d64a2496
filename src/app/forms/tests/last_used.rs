//! The terms that a form takes from the last order in its market: never the type.

use super::*;

#[test]
fn the_next_order_in_a_market_starts_with_the_terms_of_the_last_one_but_at_the_market_with_no_size_and_no_price()
 {
    let mut model = desk();
    press(
        &mut model,
        "2 j b shift-tab shift-tab shift-tab 2 tab tab tab 0.2 tab 2900 tab 2",
    );
    press(&mut model, "tab tab tab ctrl-u 12 tab right");
    assert_eq!(press(&mut model, "enter").len(), 1);
    settle(&mut model, Ticket(1), Ok(accepted()));
    press(&mut model, "s");
    let chosen = |model: &Model, field| {
        let choice = form(model)
            .choice(field, &model.account.form_context())
            .unwrap();
        choice.options[choice.chosen.unwrap()].clone()
    };
    let begins = [Field::Kind, Field::MarginMode].map(|field| chosen(&model, field));
    assert_eq!(begins, ["market", "isolated"]);
    press(&mut model, "up");
    assert_eq!(form(&model).draft.text(Field::Size), Some("0.2"));
    press(&mut model, "ctrl-u shift-tab shift-tab shift-tab 2");
    let texts = [Field::Size, Field::LimitPrice, Field::Leverage];
    let texts = texts.map(|field| form(&model).draft.text(field));
    assert_eq!(texts, [Some(""), Some(""), Some("12")]);
    let limit = [Field::Kind, Field::TimeInForce].map(|field| chosen(&model, field));
    assert_eq!(limit, ["limit", "ioc"]);
}

#[test]
fn another_market_and_another_type_are_not_touched_by_them() {
    let mut model = desk();
    press(&mut model, "b 0.1 tab tab tab 40 enter");
    settle(&mut model, Ticket(1), Ok(accepted()));
    press(&mut model, "j b");
    let market = form(&model).market_id().unwrap();
    assert_eq!(market.raw(), "paper|SOL");
    assert_eq!(form(&model).draft.text(Field::Slippage), Some(""));
    press(&mut model, "esc k b");
    assert_eq!(form(&model).draft.text(Field::Slippage), Some("40"));
    press(&mut model, "shift-tab shift-tab shift-tab stop_m");
    assert_eq!(form(&model).draft.text(Field::Slippage), Some(""));
    press(&mut model, "market");
    assert_eq!(form(&model).draft.text(Field::Slippage), Some("40"));
}

#[test]
fn neither_what_was_not_sent_nor_what_was_refused_is_remembered() {
    let refused = Failure::new(FailureKind::Invalid, "slippage_tolerance_bps is too large");
    let rejected = order(
        "ord-9",
        "BTC",
        r#""type":"market","mode":"market","side":"buy","size":0.1,"status":"rejected""#,
    );
    let rejected = Receipt::Order {
        order: Box::new(rejected),
        queued: false,
    };
    for outcome in [None, Some(Err(refused)), Some(Ok(rejected))] {
        let mut model = desk();
        press(&mut model, "b 0.1 tab tab tab 64000 tab ctrl-u 20");
        if let Some(outcome) = outcome {
            assert_eq!(press(&mut model, "enter").len(), 1);
            settle(&mut model, Ticket(1), outcome);
        }
        press(&mut model, "esc esc b");
        let texts = [Field::Slippage, Field::Leverage].map(|f| form(&model).draft.text(f));
        assert_eq!(texts, [Some(""), Some("10")]);
    }
}

#[test]
fn a_tolerance_that_wide_is_of_one_order_and_a_stop_is_of_its_position() {
    let mut model = desk();
    press(&mut model, "b 0.1 tab tab tab 900 enter");
    settle(&mut model, Ticket(1), Ok(accepted()));
    press(&mut model, "b");
    assert_eq!(form(&model).draft.text(Field::Slippage), Some(""));
    press(
        &mut model,
        "esc s 0.1 shift-tab shift-tab shift-tab stop_m tab tab tab tab 50000 enter",
    );
    settle(&mut model, Ticket(2), Ok(accepted()));
    press(&mut model, "b");
    let choice = form(&model)
        .choice(Field::Kind, &model.account.form_context())
        .unwrap();
    assert_eq!(choice.options[choice.chosen.unwrap()], "market");
}
