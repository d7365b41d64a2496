//! What is warned of before it is sent.

use super::*;

fn of(model: &Model, label: &str) -> String {
    let found = preview(model)
        .into_iter()
        .find(|(known, _)| *known == label);
    found.map(|(_, text)| text).unwrap_or_default()
}

fn warnings(model: &Model) -> Vec<String> {
    let trouble = view(model).trouble.into_iter();
    trouble.map(|span| span.text).collect()
}

#[test]
fn nobody_is_called_flat_before_the_positions_are_known() {
    let mut model = bare_desk();
    let markets = vec![market("BTC", "63999", "64001", (5, 40))];
    arrive(&mut model, Answer::Markets(Ok(markets)));
    press(&mut model, "b 0.1");
    assert_eq!(of(&model, "position"), "–");
    arrive(&mut model, Answer::Positions(Ok(Page::default())));
    assert_eq!(of(&model, "position"), "flat → LONG 0.10000");
}

#[test]
fn what_reduces_takes_no_margin_and_what_turns_takes_it_for_the_rest() {
    let mut model = desk();
    press(&mut model, "s shift-tab shift-tab shift-tab 8");
    assert_eq!(of(&model, "initial margin"), "–", "no size yet");
    let mut model = desk();
    press(&mut model, "s 0.2");
    assert_eq!(of(&model, "initial margin"), "0.00 USD");
    press(&mut model, "ctrl-u 0.6");
    assert_eq!(of(&model, "initial margin"), "639.99 USD");
    assert_eq!(of(&model, "position"), "LONG 0.50000 → SHORT 0.10000");
}

/// A form for one more coin of a position of 200 at 160, `more` beside its 10×, at `leverage`.
fn one_more(more: &str, leverage: &str) -> Model {
    let mut model = desk();
    let held = position("pos-2", "SOL", "200", &format!(r#""leverage":10{more}"#));
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![held]))));
    let facts = AccountFacts {
        available_margin: Some(num("9000")),
        ..AccountFacts::default()
    };
    arrive(&mut model, Answer::Account(Ok(facts)));
    press(
        &mut model,
        &format!("b 1 tab tab tab tab ctrl-u {leverage}"),
    );
    model
}

#[test]
fn a_small_order_that_takes_the_position_to_another_leverage_is_priced_with_all_of_it() {
    let cross = one_more("", "2");
    // 200 at the mark of 150.01 post half of it and not a tenth, and 150.02 for the new one at 2×.
    assert_eq!(
        of(&cross, "initial margin"),
        "est. 12,075.81 USD, all at 2×"
    );
    let moved = "leverage of the position 10× → 2×";
    let short = "needs 12,075.81 USD of margin; 9,000.00 is available";
    assert_eq!(warnings(&cross), [short, moved]);
    let isolated = one_more(r#","isolated_margin_extra":0"#, "2");
    // At its entry of 160.
    assert_eq!(
        of(&isolated, "initial margin"),
        "est. 12,875.01 USD, all at 2×"
    );
    let up = one_more("", "20");
    assert_eq!(
        of(&up, "initial margin"),
        "est. frees 1,492.60 USD, all at 20×"
    );
    assert_eq!(warnings(&up), ["leverage of the position 10× → 20×"]);
    let same = one_more("", "10");
    assert_eq!(of(&same, "initial margin"), "15.00 USD");
    assert_eq!(warnings(&same), [""; 0]);
}

#[test]
fn an_order_that_turns_a_position_tells_where_the_new_one_is_liquidated() {
    let mut model = desk();
    let facts = AccountFacts {
        cash: Some(num("20000")),
        ..AccountFacts::default()
    };
    arrive(&mut model, Answer::Account(Ok(facts)));
    press(&mut model, "s 0.6");
    // 0.1 short at 63,999: 20,000 and the 1,999.50 that the long has made, less 3,320.50 of the isolated short.
    assert_eq!(of(&model, "liquidation"), "est. 247,693");
    let flips = "flips the position to SHORT 0.10000";
    assert_eq!(warnings(&model), [flips]);
    press(&mut model, "ctrl-u 0.5");
    assert_eq!(warnings(&model), [""; 0]);
}

#[test]
fn what_may_be_lost_at_a_stop_is_no_size_of_a_reducing_order() {
    let mut model = desk();
    press(&mut model, "s r25 tab tab 65000 enter");
    let size = view(&model).fields.into_iter().find(|f| f.label == "size");
    let fault = size.and_then(|field| field.fault).unwrap();
    assert!(fault.contains("a close has none"), "{fault}");
}

#[test]
fn a_scaled_order_says_how_much_of_it_fills_at_once() {
    let mut model = desk();
    press(&mut model, "l 0.4 tab 63000 tab 66000 tab 4");
    assert_eq!(
        of(&model, "execution"),
        "2 of 4 rungs (50%) fill now (taker)"
    );
}

#[test]
fn the_rungs_of_a_scaled_order_that_are_through_the_market_are_computed_at_the_book() {
    let mut model = desk();
    press(&mut model, "l 0.4 tab 66000 tab 63000 tab 4");
    assert_eq!(of(&model, "average"), "at worst 64,500");
    assert_eq!(of(&model, "notional"), "25,800.00 USD");
    let asks = [("64001", "0.1"), ("64011", "5")];
    let asks = asks.map(|(price, size)| Level {
        price: num(price),
        size: num(size),
    });
    let known = Book::new(vec![], asks.to_vec());
    arrive_book(&mut model, "BTC", known);
    // 0.1 each at 64,001, at 64,011, and resting at 64,000 and 63,000.
    assert_eq!(of(&model, "average"), "est. 63,753, from a book 0s old");
    assert_eq!(of(&model, "notional"), "25,501.20 USD");
    press(&mut model, "shift-tab shift-tab ctrl-u 64000");
    assert_eq!(of(&model, "average"), "est. 63,500");
}

#[test]
fn a_conditional_close_past_its_trigger_says_that_it_fires_at_once() {
    let mut model = desk();
    press(&mut model, "c tab tab cond tab tab right right tab 65000");
    let past = "a stop of a LONG is below the mark, 64,000: the trigger is already crossed";
    assert_eq!(warnings(&model), [past]);
    press(&mut model, "ctrl-u 60000");
    assert_eq!(warnings(&model), [""; 0]);
}

#[test]
fn less_margin_is_said_to_bring_the_liquidation_nearer() {
    let mut model = desk();
    press(&mut model, "j m 100");
    let line = view(&model)
        .preview
        .into_iter()
        .find(|(label, _)| *label == "extra margin");
    let (_, line) = line.unwrap();
    assert_eq!(
        (&*line.text, line.tone),
        ("120.50 → 100.00 USD", Tone::Warn)
    );
    let less = "removes 20.50 USD of margin: the liquidation price comes closer; + adds";
    assert_eq!(warnings(&model), [less]);
    press(&mut model, "ctrl-u +100");
    assert_eq!(warnings(&model), [""; 0]);
}

#[test]
fn a_size_of_a_close_that_is_none_says_why_before_it_is_sent() {
    let mut model = desk();
    press(&mut model, "c tab 50");
    assert_eq!(of(&model, "size"), "more than the position, 0.5");
    press(&mut model, "%");
    assert_eq!(of(&model, "size"), "0.25000 BTC");
}

#[test]
fn a_slip_of_the_fingers_is_told() {
    let model = limit_buy("0.1", "69000");
    let through =
        "the limit is 7.8 % through the market, 64,001 (limit 1 %): is every digit meant?";
    assert_eq!(warnings(&model), [through]);
    let model = limit_buy("5.1", "60000");
    let large = "more than 10 times the largest recent size here, 0.50000: is every digit meant?";
    assert_eq!(warnings(&model), [large]);
    let mut model = limit_buy("0.5", "60000");
    let facts = AccountFacts {
        equity: Some(num("2000")),
        ..AccountFacts::default()
    };
    arrive(&mut model, Answer::Account(Ok(facts)));
    let risks = [
        "worth 30,000.00 USD, 1500 % of the account's equity (limit 100 %)",
        "worth 30,000.00 USD, 38 % of the equity × 40, the highest leverage (limit 25 %)",
        "everything open would be worth 37.5 × the account's equity (limit 5 ×)",
    ];
    assert_eq!(warnings(&model), risks);
    assert_eq!(press(&mut model, "enter"), vec![]);
}

#[test]
fn a_chase_that_its_cap_holds_back_says_that_it_rests_fixed() {
    for (opens, cap, follows) in [
        ("b", "63000", true),
        ("b", "64500", false),
        ("s", "65000", true),
    ] {
        let mut model = desk();
        let keys =
            format!("{opens} 0.1 shift-tab shift-tab shift-tab chase tab tab tab tab 1 tab {cap}");
        press(&mut model, &keys);
        let told = warnings(&model).concat();
        let is_told = told.contains("rests fixed at its cap and does not chase");
        assert_eq!(is_told, follows, "{opens} {cap}: {told}");
    }
}

#[test]
fn what_looks_like_a_slip_is_asked_about_once_and_sent_by_the_same_key() {
    let again = "Enter again sends it as it is".to_owned();
    let mut model = limit_buy("0.1", "69000");
    assert_eq!(press(&mut model, "enter"), vec![]);
    // A key that is not heard yet is not named yet.
    assert!(!warnings(&model).contains(&again), "{:?}", warnings(&model));
    assert_eq!(press(&mut model, "enter"), vec![], "the same press");
    let listens = model
        .account
        .now
        .plus(std::time::Duration::from_millis(150));
    assert_eq!(crate::app::redraw(&model), Some(listens));
    wait(&mut model, 150);
    assert!(warnings(&model).contains(&again), "{:?}", warnings(&model));
    press(&mut model, "ctrl-u 69001");
    assert!(!warnings(&model).contains(&again), "another price");
    assert_eq!(press(&mut model, "enter"), vec![]);
    wait(&mut model, 200);
    assert_eq!(press(&mut model, "enter").len(), 1);
}

#[test]
fn what_reduces_is_never_asked_about() {
    let mut model = desk();
    press(
        &mut model,
        "s shift-tab shift-tab shift-tab right shift-tab shift-tab right tab tab tab tab tab 0.1 tab 30000",
    );
    let sent = press(&mut model, "enter");
    assert_eq!(sent.len(), 1, "{:?}", warnings(&model));
}

#[test]
fn an_order_on_old_prices_is_asked_about_once() {
    let mut model = desk();
    model.account.options.intervals = [(Source::Positions, Duration::from_secs(1))].into();
    press(&mut model, "b 0.1");
    wait(&mut model, 4_000);
    assert_eq!(
        warnings(&model),
        ["the positions are 4s old and may have changed since"]
    );
    assert_eq!(press(&mut model, "enter"), vec![]);
    wait(&mut model, 200);
    let position = position("pos-1", "BTC", "0.5", r#""leverage":10"#);
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![position]))));
    let words = ["no question is left: Enter sends it"];
    assert_eq!(warnings(&model), words, "what was late has arrived");
    assert_eq!(press(&mut model, "enter").len(), 1);
}

#[test]
fn a_number_typed_at_a_choice_is_in_no_field_and_is_asked_about() {
    let mut model = limit_buy("0.1", "60000");
    press(&mut model, "tab tab");
    let before = view(&model).fields;
    press(&mut model, "1200");
    let after = view(&model).fields;
    assert_eq!(before, after, "no digit of it has chosen anything");
    let asked = "time in force is a choice: the number that you typed is in no field";
    assert!(
        warnings(&model).contains(&asked.to_owned()),
        "{:?}",
        warnings(&model)
    );
    assert_eq!(press(&mut model, "tab enter"), vec![]);
    press(&mut model, "shift-tab 1");
    assert_eq!(warnings(&model), [""; 0]);
}

#[test]
fn an_exit_on_another_scale_than_the_market_is_asked_about_and_one_near_it_is_not() {
    let digits = "the take profit is more than twice the mark, 64,000: is every digit meant?";
    for (price, said) in [("630000", &[digits][..]), ("63000", &[])] {
        let mut model = limit_buy("0.1", "60000");
        while !matches!(model.overlays.last(), Some(Overlay::Form(form)) if form.focus == Field::TakeProfit)
        {
            press(&mut model, "tab");
        }
        press(&mut model, price);
        assert_eq!(warnings(&model), said);
    }
}

#[test]
fn a_stop_beside_another_is_called_one_more_and_a_first_one_is_not() {
    let mut model = desk();
    press(&mut model, "c tab tab 3 tab tab tab 60000");
    assert_eq!(view(&model).trouble, []);
    let stop = r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,
        "trigger_price":59000,"status":"pending""#;
    let stop = crate::model::Order {
        reduce_only: true,
        ..order("ord-5", "BTC", stop)
    };
    let orders = Page::of(vec![stop]);
    arrive(&mut model, Answer::Orders(Ok(orders)));
    let words =
        "a stop is already there, 59,000: this adds another; move that one in the working orders";
    let trouble = view(&model).trouble;
    assert_eq!(trouble.first().map(|line| &*line.text), Some(words));
}

#[test]
fn a_scaled_order_at_the_prices_of_another_market_is_told_like_a_limit_is() {
    let mut model = desk();
    press(&mut model, "l 0.4 tab 66000 tab 68000 tab 4");
    let through = "a rung is 6.2 % through the market, 64,001 (limit 1 %): is every digit meant?";
    assert_eq!(warnings(&model), [through]);
    press(&mut model, "shift-tab ctrl-u 65000");
    assert_eq!(
        warnings(&model),
        ["a rung is 3.1 % through the market, 64,001 (limit 1 %): is every digit meant?"]
    );
    press(&mut model, "ctrl-u 63000 shift-tab ctrl-u 64000");
    assert_eq!(warnings(&model), [""; 0]);
}

#[test]
fn a_stop_that_comes_after_the_liquidation_is_no_stop_and_the_form_says_so() {
    let mut model = desk();
    press(
        &mut model,
        "2 j s 2 tab tab 3300 tab tab ctrl-u 10 tab right",
    );
    assert_eq!(of(&model, "liquidation"), "est. 3,235.2");
    assert_eq!(of(&model, "at stop"), "liquidated first, est. -470.57 USD");
    assert_eq!(of(&model, "R:R"), "–");
    let late = "liquidated at est. 3,235.2, before the stop: a nearer stop or less leverage";
    assert_eq!(warnings(&model), [late]);
    press(&mut model, "shift-tab shift-tab shift-tab ctrl-u 3200");
    assert_eq!(of(&model, "at stop"), "est. -400.20 USD before fees");
    assert_eq!(warnings(&model), [""; 0]);
}

#[test]
fn a_stop_moved_past_the_liquidation_is_named_where_it_is_moved() {
    let mut model = desk();
    let facts = AccountFacts {
        cash: Some(num("15000")),
        ..AccountFacts::default()
    };
    arrive(&mut model, Answer::Account(Ok(facts)));
    press(&mut model, "2 e tab ctrl-u 40000");
    // 0.6 BTC at 60,000 on average; 15,000 less the 3,320.50 that the isolated short holds stand behind it.
    assert_eq!(of(&model, "liquidation"), "est. 41,047");
    assert_eq!(
        of(&model, "at stop"),
        "liquidated first, est. -1,895.27 USD"
    );
    let late = "liquidated at est. 41,047, before the stop: a nearer stop or less leverage";
    assert_eq!(warnings(&model), [late]);
    press(&mut model, "ctrl-u 59000");
    assert_eq!(of(&model, "at stop"), "est. -100.00 USD before fees");
    assert_eq!(warnings(&model), [""; 0]);
}

#[test]
fn exits_on_the_wrong_side_of_the_entry_are_named_where_they_are_moved() {
    let mut model = desk();
    press(&mut model, "2 e ctrl-u 59000 tab ctrl-u 61000");
    assert_eq!(
        warnings(&model),
        [
            "a long's target must be above its entry (a short's below)",
            "a long's stop must be below its entry (a short's above)",
        ]
    );
}

#[test]
fn a_size_by_a_stop_that_comes_after_the_liquidation_is_refused_beside_the_size() {
    let mut model = desk();
    press(
        &mut model,
        "2 j s r25 tab tab 3300 tab tab ctrl-u 10 tab right",
    );
    let fault = |model: &Model| {
        let size = view(model).fields.into_iter().find(|f| f.label == "size");
        size.and_then(|field| field.fault)
    };
    let why = "liquidated at est. 3235.2, before the stop: r cannot size it; a nearer stop or less leverage";
    assert_eq!(fault(&model).as_deref(), Some(why));
    assert_eq!(of(&model, "size"), "–");
    assert_eq!(press(&mut model, "enter"), vec![]);
    press(&mut model, "tab tab ctrl-u 3200");
    assert_eq!(fault(&model), None);
}

#[test]
fn a_trigger_that_an_open_position_does_not_live_to_see_is_named_in_every_form() {
    let late = "the position is liquidated at 45,000, before this can fire";
    let mut model = desk();
    press(&mut model, "c tab tab cond tab tab tab 44000");
    assert_eq!(warnings(&model), [late]);
    press(&mut model, "ctrl-u 46000");
    assert_eq!(warnings(&model), [""; 0]);
}

#[test]
fn leaving_a_form_that_was_written_in_says_what_the_second_press_does() {
    let mut model = desk();
    press(&mut model, "b 0.1 esc");
    let words = "Esc again leaves, and drops what is written here; any other key stays";
    assert_eq!(warnings(&model), [words]);
}

const MADE: Timestamp = Timestamp(1_789_999_900_000);

/// A stop and a target of the BTC long, the target of `at`.
fn guarded(at: Timestamp) -> Model {
    let leg = |id: &str, kind: &str, price: &str, at: Timestamp| {
        let json = format!(
            r#""type":"{kind}","mode":"{kind}","side":"sell","size":0.4,"trigger_price":{price},
            "target_position_id":"pos-1","status":"pending""#
        );
        crate::model::Order {
            reduce_only: true,
            requested_at: at,
            ..order(id, "BTC", &json)
        }
    };
    let legs = vec![
        leg("ord-5", "stop_market", "58000", MADE),
        leg("ord-6", "take_profit", "70000", at),
    ];
    let mut model = desk();
    arrive(&mut model, Answer::Orders(Ok(Page::of(legs))));
    model
}

#[test]
fn a_leg_that_is_moved_says_that_the_other_no_longer_falls_with_it() {
    let loses = |keys: &str, at: Timestamp| {
        let mut model = guarded(at);
        press(&mut model, keys);
        let lines = warnings(&model);
        lines.into_iter().find(|line| line.contains("falls with"))
    };
    let (pair, later) = (MADE, MADE.plus(Duration::from_mins(7)));
    assert_eq!(
        loses("2 / stop enter e", pair).unwrap(),
        "the target 70,000 stays, and no longer falls with this stop"
    );
    assert_eq!(
        loses("2 / take enter j e", pair).unwrap(),
        "the stop 58,000 stays, and no longer falls with this target"
    );
    assert_eq!(loses("2 / stop enter e", later), None, "they are no pair");
}

#[test]
fn a_stop_that_is_moved_says_what_the_position_loses_at_its_trigger() {
    let mut model = guarded(MADE);
    press(&mut model, "2 / stop enter e");
    let held = model.account.store.position(&"pos-1".into()).unwrap();
    assert_eq!(held.entry_price, Some(num("60000")));
    assert_eq!(of(&model, "gross profit"), "est. -800.00 USD");
    press(&mut model, "ctrl-u 61000");
    assert_eq!(of(&model, "gross profit"), "est. +400.00 USD");
    press(&mut model, "ctrl-u");
    assert_eq!(of(&model, "gross profit"), "–");
}

#[test]
fn what_opens_something_has_no_gross_profit() {
    let mut model = desk();
    press(&mut model, "b 0.1");
    assert_eq!(of(&model, "gross profit"), "");
}

#[test]
fn a_take_profit_on_the_wrong_side_is_told_why() {
    let mut model = desk();
    press(&mut model, "b 0.1 shift-tab shift-tab shift-tab 8");
    let other = "the open position is LONG: a buy does not reduce it, a sell does";
    assert_eq!(warnings(&model), [other]);
    let mut model = desk();
    press(&mut model, "s 0.1 shift-tab shift-tab shift-tab 8");
    press(&mut model, "tab tab tab tab tab 63000");
    let below = "a target of a LONG is above the mark, 64,000: the trigger is already crossed";
    assert_eq!(warnings(&model), [below]);
    press(&mut model, "ctrl-u 65000");
    assert_eq!(warnings(&model), [""; 0]);
}

#[test]
fn an_entry_with_exits_names_those_of_the_position_that_it_replaces() {
    let mut model = desk();
    let exit = |kind, price| {
        format!(
            r#""type":"{kind}","mode":"{kind}","side":"sell","size":0.5,"target_position_id":"pos-1",
            "trigger_price":{price},"status":"pending""#
        )
    };
    let orders = vec![
        order("ord-8", "BTC", &exit("stop_market", 60_000)),
        order("ord-9", "BTC", &exit("take_profit", 70_000)),
    ];
    arrive(&mut model, Answer::Orders(Ok(Page::of(orders))));
    press(&mut model, "b 0.1 tab 71000 tab 58000");
    let words =
        "this order replaces the position's stop at 60,000 and target at 70,000 when it fills";
    assert!(
        warnings(&model).contains(&words.to_owned()),
        "{:?}",
        warnings(&model)
    );
}
