//! A new order: its focus, its sizes, its market and its prices.

use super::*;
use crate::model::Page;

#[test]
fn a_market_buy_is_three_presses_and_a_size() {
    let mut model = desk();
    assert_eq!(
        press(&mut model, "b 0.1 enter"),
        sent(1, place(market_buy("BTC", "0.1")))
    );
}

#[test]
fn the_focus_waits_on_the_size_and_the_market_is_the_selected_rows() {
    let mut model = desk();
    press(&mut model, "j s");
    let form = form(&model);
    assert_eq!(form.focus, Field::Size);
    assert_eq!(form.market_id().unwrap().raw(), "paper|SOL");
    assert_eq!(form.side(&model.account.form_context()), Some(Side::Sell));
}

#[test]
fn a_limit_entry_with_both_exits_carries_every_digit_typed() {
    let mut model = desk();
    press(&mut model, "b 0.10 shift-tab shift-tab shift-tab right");
    press(
        &mut model,
        "tab tab tab tab 60000.0 tab right tab 70000 tab 58000.0",
    );
    let expected = PlaceOrder {
        kind: PlaceKind::Limit,
        limit_price: Some(num("60000.0")),
        time_in_force: Some(TimeInForce::Ioc),
        take_profit_price: Some(num("70000")),
        stop_loss_price: Some(num("58000.0")),
        ..market_buy("BTC", "0.10")
    };
    let effects = press(&mut model, "enter");
    assert_eq!(effects, sent(1, place(expected)));
    let Effect::Send(_, Command::Place(order)) = &effects[0] else {
        panic!()
    };
    assert_eq!(order.size.to_string(), "0.10");
    assert_eq!(order.stop_loss_price.unwrap().to_string(), "58000.0");
}

#[test]
fn what_loses_25_at_the_stop_is_worked_out_and_cut_to_lots() {
    let mut model = desk();
    press(&mut model, "b r25 shift-tab shift-tab shift-tab right");
    press(&mut model, "tab tab tab tab 60000 tab tab tab 59000");
    let expected = PlaceOrder {
        kind: PlaceKind::Limit,
        limit_price: Some(num("60000")),
        stop_loss_price: Some(num("59000")),
        ..market_buy("BTC", "0.025")
    };
    assert_eq!(press(&mut model, "enter"), sent(1, place(expected)));
}

#[test]
fn a_thousand_dollars_buy_what_they_would_at_the_price_of_the_moment() {
    let mut model = desk();
    press(&mut model, "b $1000");
    let cheaper = vec![market("BTC", "49999", "50001", (5, 40))];
    wait(&mut model, 1_000);
    arrive(&mut model, Answer::Markets(Ok(cheaper)));
    let expected = PlaceOrder {
        expected_price: Some(num("50000")),
        ..market_buy("BTC", "0.01999")
    };
    assert_eq!(press(&mut model, "enter"), sent(1, place(expected)));
}

#[test]
fn nonsense_is_never_sent_and_is_told_beside_its_field() {
    for (typed, fault_there) in [
        ("1,5", DraftFault::Comma),
        ("1e5", DraftFault::Exponent),
        ("\u{661}", DraftFault::ForeignDigits),
        ("\u{2212}1", DraftFault::ForeignMinus),
        ("0", DraftFault::NotPositive),
        ("-1", DraftFault::NotPositive),
        ("50%", DraftFault::UnknownMargin),
        ("r25", DraftFault::RiskWithoutStop),
        ("ten", DraftFault::NotANumber),
    ] {
        let mut model = desk();
        let keys = format!("b {typed} enter");
        assert_eq!(press(&mut model, &keys), vec![], "{typed}");
        assert!(form(&model).tried);
        assert_eq!(fault(&model, Field::Size), Some(fault_there), "{typed}");
    }
}

#[test]
fn five_hundred_typed_zeros_are_no_number() {
    let mut model = desk();
    let keys = format!("b {}1 enter", "0".repeat(500));
    assert_eq!(press(&mut model, &keys), vec![]);
    assert_eq!(fault(&model, Field::Size), Some(DraftFault::TooManyDigits));
}

#[test]
fn an_attempt_with_faults_goes_to_the_first_of_them() {
    let mut model = desk();
    press(
        &mut model,
        "b 0.1 shift-tab shift-tab shift-tab right enter",
    );
    assert_eq!(form(&model).focus, Field::LimitPrice);
    assert_eq!(fault(&model, Field::LimitPrice), Some(DraftFault::Missing));
}

#[test]
fn letters_typed_into_a_field_never_act() {
    let mut model = desk();
    assert_eq!(press(&mut model, "b y q c x ? :"), vec![]);
    assert_eq!(form(&model).draft.text(Field::Size), Some("yqcx?:"));
    assert_eq!(model.overlays.len(), 1);
}

#[test]
fn another_market_brings_its_own_terms_and_takes_the_old_prices_away() {
    let mut model = desk();
    press(&mut model, "b 0.1 shift-tab shift-tab shift-tab right");
    press(
        &mut model,
        "tab tab tab tab 60000 shift-tab shift-tab shift-tab right",
    );
    let form = form(&model);
    assert_eq!(form.market_id().unwrap().raw(), "paper|ETH");
    assert_eq!(form.draft.text(Field::LimitPrice), Some(""));
    assert_eq!(form.draft.text(Field::Size), Some("0.1"));
    assert_eq!(form.draft.text(Field::Leverage), Some("8"));
}

#[test]
fn terms_changed_by_hand_stay_when_the_market_changes() {
    let mut model = desk();
    press(
        &mut model,
        "b 0.1 tab tab tab tab ctrl-u 3 shift-tab shift-tab shift-tab shift-tab shift-tab shift-tab right",
    );
    let form = form(&model);
    assert_eq!(form.market_id().unwrap().raw(), "paper|ETH");
    assert_eq!(form.draft.text(Field::Leverage), Some("3"));
}

#[test]
fn the_terms_are_those_of_the_open_position_else_of_the_newest_order_there() {
    let mut model = desk();
    press(&mut model, "j b 3 enter");
    let isolated = PlaceOrder {
        leverage: num("5"),
        margin_mode: MarginMode::Isolated,
        expected_price: Some(num("150.01")),
        ..market_buy("SOL", "3")
    };
    assert_eq!(
        model
            .account
            .store
            .pending
            .values()
            .next()
            .map(|f| &f.command),
        Some(&place(isolated))
    );
    let mut model = desk();
    press(&mut model, "2 j b");
    assert_eq!(form(&model).draft.text(Field::Leverage), Some("8"));
}

#[test]
fn an_order_into_a_cross_position_is_cross_however_much_extra_margin_its_row_reports() {
    let mut model = desk();
    let cross = position(
        "pos-2",
        "SOL",
        "100",
        r#""side":"short","margin_mode":"cross","isolated_margin_extra":0,"leverage":5"#,
    );
    arrive(
        &mut model,
        Answer::Positions(Ok(crate::model::Page::of(vec![cross]))),
    );
    let sent = press(&mut model, "b 3 enter");
    let [Effect::Send(_, Command::Place(order))] = sent.as_slice() else {
        panic!("{sent:?}");
    };
    assert_eq!(order.margin_mode, MarginMode::Cross);
}

#[test]
fn without_position_or_order_a_market_starts_at_five_times_cross_or_less() {
    let mut model = bare_desk();
    let markets = vec![market("DOGE", "0.1", "0.2", (0, 3))];
    arrive(&mut model, Answer::Markets(Ok(markets)));
    press(&mut model, "b");
    assert_eq!(form(&model).draft.text(Field::Leverage), Some("3"));
}

#[test]
fn the_equals_key_fills_the_observed_price_on_the_resting_side() {
    let mut model = desk();
    let markets = vec![market("BTC", "63999", "64000", (5, 40))];
    arrive(&mut model, Answer::Markets(Ok(markets)));
    press(&mut model, "s 0.1 =");
    assert_eq!(said(&model), "there is no price field to fill");
    press(
        &mut model,
        "shift-tab shift-tab shift-tab right tab tab tab =",
    );
    assert_eq!(form(&model).draft.text(Field::LimitPrice), Some("64000"));
    assert_eq!(form(&model).focus, Field::LimitPrice);
    assert_eq!(form(&model).draft.text(Field::Size), Some("0.1"));
}

#[test]
fn the_arrows_step_a_price_by_its_tick_and_shift_by_ten() {
    let mut model = desk();
    press(&mut model, "b 0.1 shift-tab shift-tab shift-tab right");
    press(
        &mut model,
        "tab tab tab tab 60000 up up shift-down pageup down",
    );
    let price = form(&model).draft.text(Field::LimitPrice);
    assert_eq!(price, Some("60001"));
}

#[test]
fn without_an_account_or_a_market_there_is_nothing_to_order() {
    let mut model = bare_desk();
    assert_eq!(press(&mut model, "b 1 enter"), vec![]);
    assert_eq!(fault(&model, Field::Market), Some(DraftFault::Missing));
    let mut model = bare_desk();
    model.account.identity = None;
    press(&mut model, "b");
    assert_eq!(model.overlays, vec![]);
    assert_eq!(said(&model), "new order: the account is not known yet");
}

#[test]
fn without_prices_the_markets_are_those_that_positions_and_orders_name() {
    let mut model = bare_desk();
    let known = desk();
    model.account.store.positions = known.account.store.positions.clone();
    model.account.store.orders = known.account.store.orders.clone();
    press(&mut model, "b");
    let choice = form(&model)
        .choice(Field::Market, &model.account.form_context())
        .unwrap();
    assert_eq!(choice.options, ["paper|BTC", "paper|ETH", "paper|SOL"]);
    let expected = PlaceOrder {
        expected_price: None,
        ..market_buy("BTC", "1")
    };
    // What it is worth is not known: that is asked about first.
    assert_eq!(press(&mut model, "1 enter"), vec![]);
    wait(&mut model, 200);
    assert_eq!(press(&mut model, "enter"), sent(1, place(expected)));
}

#[test]
fn exits_on_top_of_exits_replace_them_after_a_question() {
    let mut model = desk();
    let stop = r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,
        "target_position_id":"pos-1","trigger_price":60000,"status":"pending""#;
    let orders = vec![order("ord-9", "BTC", stop)];
    arrive(&mut model, Answer::Orders(Ok(Page::of(orders))));
    press(&mut model, "b 0.1 tab tab 58000");
    assert_eq!(press(&mut model, "enter"), vec![], "the form asks");
    wait(&mut model, 200);
    let replacing = PlaceOrder {
        stop_loss_price: Some(num("58000")),
        replace_overlapping_exits: true,
        ..market_buy("BTC", "0.1")
    };
    assert_eq!(press(&mut model, "enter"), sent(1, place(replacing)));

    let mut model = desk();
    let target = PlaceOrder {
        take_profit_price: Some(num("70000")),
        ..market_buy("BTC", "0.2")
    };
    let effects = press(&mut model, "b 0.2 tab 70000 enter");
    assert_eq!(effects, sent(1, place(target)), "it has no target");
}
