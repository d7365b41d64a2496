//! Issue 13, item 11: what an order does to the account is asked about once, and so is a price that makes no sense.

use super::*;
use crate::{
    app::{account::poll::Answer, dialogs::effect::Effect, testing::*},
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
fn asked(model: &mut Model, size: &str, stop: &str) -> Vec<Slip> {
    press(model, "b");
    let Some(Overlay::Form(mut form)) = model.overlays.pop() else {
        panic!("no form");
    };
    form.be(PlaceKind::Limit, &model.around());
    for (field, text) in [
        (Field::Size, size),
        (Field::LimitPrice, "64000"),
        (Field::StopLoss, stop),
    ] {
        form.draft.write(field, text);
    }
    of(&form, model)
}

#[test]
fn leverage_after_the_order_counts_all_that_is_open() {
    // 0.65 BTC at 64,000 and 100 SOL at 150.01, on 11,000.
    let slips = asked(&mut with("11000"), "0.15", "");
    let [Slip::Leverage { times }] = slips.as_slice() else {
        panic!("{slips:?}");
    };
    assert_eq!(times.rounded(2), num("5.15"));
    assert_eq!(asked(&mut with("12000"), "0.15", ""), []);
}

#[test]
fn a_loss_at_the_stop_is_held_against_the_equity() {
    let usd = num("6000");
    let slips = asked(&mut with("100000"), "1", "58000");
    let [Slip::Loss { usd: lost, percent }] = slips.as_slice() else {
        panic!("{slips:?}");
    };
    assert_eq!((*lost, *percent), (usd, num("6")));
    assert_eq!(asked(&mut with("100000"), "1", "60000"), []);
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
    let slips = of(&form, &model);
    assert!(matches!(slips.as_slice(), [Slip::Near { .. }]), "{slips:?}");
    form.draft.write(Field::Leverage, "10");
    assert_eq!(of(&form, &model), []);
}

#[test]
fn a_nonsense_trigger_is_asked_about_though_it_only_reduces_and_a_close_at_the_market_is_not() {
    let stop = "s 0.1 shift-tab shift-tab shift-tab stop_m tab tab tab tab 5 enter";
    assert_eq!(sends_twice(&mut desk(), stop), [0, 1]);
    assert_eq!(sends_twice(&mut desk(), "1 e 5 enter"), [0, 1]);
    assert_eq!(sends_twice(&mut desk(), "1 e 46000 enter"), [1, 0]);
    assert_eq!(sends_twice(&mut desk(), "c enter"), [1, 0]);
}
