//! What an order does to the account is asked about once, and so is a price that makes no sense.

use super::*;
use crate::{
    app::{
        account::poll::Answer, core::effect::Effect, desk::model::Model, dialogs::overlay::Overlay,
        testing::*,
    },
    model::{AccountFacts, PlaceKind},
};

/// A desk whose account has this equity.
fn with(equity: &str) -> Model {
    let mut model = desk();
    let facts = AccountFacts {
        equity: Some(num(equity)),
        ..AccountFacts::default()
    };
    arrive(&mut model, Answer::Account(Ok(facts)));
    model
}

/// Presses what sends, twice: what each sends.
fn sends_twice(model: &mut Model, keys: &str) -> [usize; 2] {
    let mut sent = |keys: &str| {
        let effects = press(model, keys);
        wait(model, 200);
        let is_send = |effect: &&Effect| matches!(effect, Effect::Send(..));
        effects.iter().filter(is_send).count()
    };
    [sent(keys), sent("enter")]
}

#[test]
fn an_order_worth_more_than_the_account_is_asked_about_once() {
    let mut model = with("100000");
    assert_eq!(sends_twice(&mut model, "b 2 enter"), [0, 1]);
    assert_eq!(press(&mut with("100000"), "b 0.2 enter").len(), 1);
}

/// What is asked about an order of `size` BTC at the limit 64,000 with this stop.
fn asked(model: &mut Model, size: &str, stop: &str) -> Vec<OrderWarning> {
    press(model, "b");
    let Some(Overlay::Form(mut form)) = model.overlays.pop() else {
        panic!("no form");
    };
    form.be(PlaceKind::Limit, &model.account.form_context());
    for (field, text) in [
        (Field::Size, size),
        (Field::LimitPrice, "64000"),
        (Field::StopLoss, stop),
    ] {
        form.draft.write(field, text);
    }
    form.warnings(&model.account)
}

#[test]
fn leverage_after_the_order_counts_all_that_is_open() {
    // 0.65 BTC at 64,000 and 100 SOL at 150.01, on 11,000.
    let warnings = asked(&mut with("11000"), "0.15", "");
    let [OrderWarning::Risk(RiskWarning::Leverage { times, .. })] = warnings.as_slice() else {
        panic!("{warnings:?}");
    };
    assert_eq!(times.rounded(2), num("5.15"));
    assert_eq!(asked(&mut with("12000"), "0.15", ""), []);
}

#[test]
fn a_loss_at_the_stop_is_held_against_the_equity() {
    let usd = num("6000");
    let warnings = asked(&mut with("100000"), "1", "58000");
    let [
        OrderWarning::Risk(RiskWarning::Loss {
            usd: lost, percent, ..
        }),
    ] = warnings.as_slice()
    else {
        panic!("{warnings:?}");
    };
    assert_eq!((*lost, *percent), (usd, num("6")));
    assert_eq!(asked(&mut with("100000"), "1", "63100"), []);
}

#[test]
fn a_liquidation_near_the_mark_is_asked_about() {
    let mut model = with("100000");
    press(&mut model, "2 j b 1 shift-tab shift-tab eth");
    let Some(Overlay::Form(mut form)) = model.overlays.pop() else {
        panic!("no form");
    };
    form.draft.write(Field::Leverage, "25");
    if let Draft::Entry(draft) = &mut form.draft {
        draft.margin_mode = crate::model::MarginMode::Isolated;
    }
    let warnings = form.warnings(&model.account);
    assert!(
        matches!(
            warnings.as_slice(),
            [OrderWarning::Risk(RiskWarning::Near { .. })]
        ),
        "{warnings:?}"
    );
    form.draft.write(Field::Leverage, "10");
    assert_eq!(form.warnings(&model.account), []);
}

#[test]
fn a_nonsense_trigger_is_asked_about_though_it_only_reduces_and_a_close_at_the_market_is_not() {
    let stop = "s 0.1 shift-tab shift-tab shift-tab stop_m tab tab tab tab 5 enter";
    assert_eq!(sends_twice(&mut desk(), stop), [0, 1]);
    assert_eq!(sends_twice(&mut desk(), "1 e 5 enter"), [0, 1]);
    assert_eq!(sends_twice(&mut desk(), "1 e 46000 enter"), [1, 0]);
    assert_eq!(sends_twice(&mut desk(), "c enter"), [1, 0]);
}

/// What is asked about a buy of 0.01 BTC at this limit.
fn limit_at(model: &mut Model, price: &str) -> Vec<OrderWarning> {
    press(model, "b 0 . 0 1");
    let Some(Overlay::Form(mut form)) = model.overlays.pop() else {
        panic!("no form");
    };
    form.be(PlaceKind::Limit, &model.account.form_context());
    form.draft.write(Field::LimitPrice, price);
    form.warnings(&model.account)
}

#[test]
fn a_limit_is_asked_about_one_percent_through_the_market_and_twenty_away_from_it() {
    let kind = |price| match limit_at(&mut desk(), price).as_slice() {
        [] => "fine",
        [OrderWarning::Through { .. }] => "through",
        [OrderWarning::Away { .. }] => "away",
        [OrderWarning::Far { .. }] => "far",
        other => panic!("{other:?}"),
    };
    // The ask is 64,001.
    let prices = ["64641", "64642", "51201", "51200", "31000"];
    assert_eq!(prices.map(kind), ["fine", "through", "fine", "away", "far"]);
}

#[test]
fn a_limit_five_percent_through_the_market_is_refused_and_one_that_only_reduces_is_not() {
    let mut model = desk();
    model.account.options.checks.refuse_through_market = Some(num("5"));
    model.account.options.checks.facts_within = std::time::Duration::from_secs(5);
    let limit = "shift-tab shift-tab shift-tab l tab tab tab tab";
    let buy = |price: &str| format!("b 0 . 0 1 {limit} {price} enter");
    assert_eq!(sends_twice(&mut model, &buy("67202")), [0, 0]);
    let Some(Overlay::Form(form)) = model.overlays.last() else {
        panic!("the form stays open");
    };
    let why = form.failure.as_ref().unwrap().message.to_string();
    let expected =
        "the limit 67202 is 5.0 % through the market, 64001; refuse_through_market is 5 %";
    assert_eq!(why, expected);
    press(&mut model, "esc esc");
    assert_eq!(sends_twice(&mut model, &buy("67200")), [0, 1]);
    // A close of the long with a limit far below the market.
    press(&mut model, "1 g g");
    let close = "c shift-tab l tab tab 60000 enter";
    let sent = press(&mut model, close);
    assert!(sent.len() <= 1, "{sent:?}");
}

#[test]
fn a_new_trigger_far_from_the_market_is_asked_about_like_a_limit() {
    let stop = |price: &str| {
        format!("b 0 . 0 1 shift-tab shift-tab shift-tab stop_m tab tab tab tab {price} enter")
    };
    assert_eq!(sends_twice(&mut desk(), &stop("77000")), [0, 1]);
    assert_eq!(sends_twice(&mut desk(), &stop("76000")), [1, 0]);
}

#[test]
fn the_notional_is_held_against_the_equity_times_the_highest_leverage() {
    let mut model = with("100000");
    model.account.options.checks.max_leverage = Some(num("10"));
    model.account.options.checks.ask_order_of_equity = None;
    let warnings = asked(&mut model, "3.91", "");
    let is_of_cap = |warning: &OrderWarning| matches!(warning, OrderWarning::Risk(RiskWarning::OfCap { cap, .. }) if *cap == num("10"));
    assert!(warnings.iter().any(is_of_cap), "{warnings:?}");
    let warnings = asked(&mut model, "3.9", "");
    assert!(!warnings.iter().any(is_of_cap), "{warnings:?}");
}

#[test]
fn a_stop_that_the_position_does_not_live_to_see_is_asked_about() {
    let mut model = with("100000");
    let warnings = asked(&mut model, "0.01", "30000");
    let is_first = |warning: &OrderWarning| {
        matches!(
            warning,
            OrderWarning::Risk(RiskWarning::LiquidatedFirst { .. })
        )
    };
    let liquidation = press(&mut model, "j b 1 shift-tab shift-tab eth").len();
    assert_eq!(liquidation, 0);
    let Some(Overlay::Form(mut form)) = model.overlays.pop() else {
        panic!("no form");
    };
    assert!(!warnings.iter().any(is_first), "{warnings:?}");
    form.draft.write(Field::Leverage, "10");
    form.draft.write(Field::StopLoss, "2500");
    if let Draft::Entry(draft) = &mut form.draft {
        draft.margin_mode = crate::model::MarginMode::Isolated;
    }
    let warnings = form.warnings(&model.account);
    assert!(warnings.iter().any(is_first), "{warnings:?}");
}

#[test]
fn an_order_in_a_market_without_a_price_is_asked_about_unless_the_settings_say_not_to() {
    let blind = |asks| {
        let mut model = bare_desk();
        let known = desk();
        model.account.store.positions = known.account.store.positions.clone();
        model.account.store.orders = known.account.store.orders.clone();
        model.account.options.checks.ask_without_price = asks;
        sends_twice(&mut model, "b 1 enter")
    };
    assert_eq!([blind(true), blind(false)], [[0, 1], [1, 0]]);
}

#[test]
fn no_limit_that_is_empty_asks() {
    let mut model = with("1000");
    model.account.options.checks = crate::config::Checks::default();
    assert_eq!(asked(&mut model, "3", "63000"), []);
}

#[test]
fn what_only_reduces_is_never_asked_about_for_what_it_is_worth() {
    let mut model = with("100");
    // A reduce-only sell of ten times the long.
    let stop = "s 5 shift-tab shift-tab shift-tab stop_m tab tab tab tab 60000 enter";
    assert_eq!(sends_twice(&mut model, stop), [1, 0]);
}
