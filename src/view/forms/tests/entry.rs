//! What would come of a new order.

use super::*;

#[test]
fn the_title_says_what_is_done_to_what_on_which_account() {
    for (keys, title) in [
        ("b", "new order BUY BTC on chal-1"),
        ("c", "close LONG 0.50000 BTC (pos-1) on chal-1"),
        (
            "j m",
            "isolated margin of SHORT 100.00 SOL (pos-2) on chal-1",
        ),
        ("2 e", "exits of BUY 0.10000 BTC @ 60,000 (ord-1) on chal-1"),
    ] {
        let mut model = desk();
        press(&mut model, keys);
        assert_eq!(words(&view(&model).title).concat(), title);
    }
}

#[test]
fn a_limit_entry_shows_everything_that_would_come_of_it() {
    let mut model = limit_buy("r25", "60000");
    press(&mut model, "tab tab tab 63000 tab 59000");
    wait(&mut model, 3_000);
    assert_eq!(
        preview(&model),
        lines([
            ("size", "0.02500 BTC"),
            ("notional", "1,500.00 USD"),
            ("initial margin", "150.00 USD"),
            ("liquidation", "–"),
            ("fee", "–"),
            ("at stop", "est. -25.00 USD before fees"),
            ("R:R", "3.00 : 1"),
            ("execution", "rests (maker)"),
            ("position", "LONG 0.50000 → LONG 0.52500"),
            ("observed", "64,000, 3s old"),
        ])
    );
}

#[test]
fn an_isolated_entry_where_nothing_is_open_has_an_estimated_liquidation_price() {
    let mut model = desk();
    press(&mut model, "2 j s 2 tab tab tab tab ctrl-u 10 tab right");
    assert_eq!(
        preview(&model),
        lines([
            ("size", "2.0000 ETH"),
            ("notional", "5,999.80 USD"),
            ("initial margin", "599.98 USD"),
            ("liquidation", "est. 3,235.2"),
            ("fee", "–"),
            ("at stop", "–"),
            ("R:R", "–"),
            ("position", "flat → SHORT 2.0000"),
            ("observed", "3,000.0, 0s old"),
        ])
    );
}

#[test]
fn a_cross_entry_is_computed_with_the_whole_account_behind_it() {
    let mut model = desk();
    let liquidation = |model: &Model| preview(model)[3].1.clone();
    press(&mut model, "b 0.5");
    assert_eq!(liquidation(&model), "–");
    let facts = AccountFacts {
        cash: Some(num("20000")),
        ..AccountFacts::default()
    };
    arrive(&mut model, Answer::Account(Ok(facts)));
    // 1 BTC at 62,000.50 on average; 20,000 less the 3,320.50 that the isolated short holds stand behind it.
    assert_eq!(liquidation(&model), "est. 45,895");
    press(&mut model, "shift-tab right");
    assert_eq!(liquidation(&model), "–");
}

#[test]
fn what_is_not_known_is_a_dash_and_never_zero() {
    let mut model = bare_desk();
    press(&mut model, "b");
    assert_eq!(
        preview(&model),
        lines([
            ("size", "–"),
            ("notional", "–"),
            ("initial margin", "–"),
            ("liquidation", "–"),
            ("fee", "–"),
            ("at stop", "–"),
            ("R:R", "–"),
            ("position", "–"),
            ("observed", "–"),
        ])
    );
}

#[test]
fn a_limit_that_crosses_says_it_fills_now() {
    let model = limit_buy("0.1", "64001");
    let execution = view(&model)
        .preview
        .into_iter()
        .find(|(l, _)| *l == "execution");
    let (_, span) = execution.unwrap();
    assert_eq!(
        (span.text.as_str(), span.tone),
        ("fills now (taker)", Tone::Warn)
    );
}

fn pressed(keys: &str) -> Model {
    let mut model = desk();
    press(&mut model, keys);
    model
}

#[test]
fn a_fee_is_computed_by_how_the_order_would_trade() {
    let taker = "est. 2.88 USD (taker 4.5 bps, local)";
    assert_eq!(fee(pressed("b 0.1")), taker);
    assert_eq!(
        fee(limit_buy("0.1", "64001")),
        "est. 2.88 USD (taker 4.5 bps, local)"
    );
    assert_eq!(
        fee(limit_buy("0.1", "60000")),
        "est. 0.90 USD (maker 1.5 bps, local)"
    );
    assert_eq!(
        fee(pressed("c left left left")),
        "est. 3.60 USD (taker 4.5 bps, local)"
    );
    assert_eq!(fee(pressed("b")), "–");
}

#[test]
fn what_is_lost_at_the_stop_has_the_fees_in_it_once_they_are_known() {
    let mut model = limit_buy("r25", "60000");
    model.account.options.fees.taker_bps = Some(num("4.5"));
    model.account.options.fees.maker_bps = Some(num("1.5"));
    press(&mut model, "tab tab tab 63000 tab 59000");
    let lines = preview(&model);
    // 0.02414 × (1000 + 9 + 26.55) USD.
    assert_eq!(lines[0].1, "0.02414 BTC");
    assert_eq!(
        (lines[5].0, lines[5].1.as_str()),
        ("at stop", "est. -25.00 USD with fees 0.86")
    );
}

#[test]
fn a_fee_says_which_fill_of_the_service_it_is_computed_by() {
    let mut model = pressed("b 0.1");
    let filled = r#""type":"market","mode":"market","side":"buy","size":0.1,"status":"filled",
        "notional":6400,"fee":3.2,"liquidity_role":"taker""#;
    let page = Page::of(vec![order("ord-0", "BTC", filled)]);
    arrive(&mut model, Answer::History(Ok(page)));
    assert_eq!(fee(model), "est. 3.20 USD (taker 5 bps, by the last fill)");
}

#[test]
fn a_reduce_only_order_stops_at_flat() {
    let mut model = desk();
    press(
        &mut model,
        "s 0.8 shift-tab shift-tab shift-tab shift-tab shift-tab right",
    );
    assert!(preview(&model).contains(&("position", "LONG 0.50000 → flat".to_owned())));
    press(&mut model, "left");
    assert!(preview(&model).contains(&("position", "LONG 0.50000 → SHORT 0.30000".to_owned())));
}
