//! Letters in a choice.

use super::*;

#[test]
fn they_choose_what_begins_with_them() {
    let mut model = desk();
    press(&mut model, "b shift-tab shift-tab shift-tab lim");
    let chosen = |model: &Model, field| {
        let choice = form(model)
            .choice(field, &model.account.form_context())
            .unwrap();
        choice.options[choice.chosen.unwrap()].clone()
    };
    assert_eq!(chosen(&model, Field::Kind), "limit");
    press(&mut model, "stop_l");
    assert_eq!(chosen(&model, Field::Kind), "stop limit");
    press(&mut model, "take_market");
    let why = "the service's own word means the same";
    assert_eq!(chosen(&model, Field::Kind), "take mkt", "{why}");
    press(&mut model, "cond tab tab tab tab tab b");
    assert_eq!(form(&model).focus, Field::TriggerDirection);
    assert_eq!(chosen(&model, Field::TriggerDirection), "below");
    press(
        &mut model,
        "shift-tab shift-tab shift-tab shift-tab shift-tab l tab tab tab tab tab f",
    );
    assert_eq!(chosen(&model, Field::TimeInForce), "fok");
    press(&mut model, "gtd");
    assert_eq!(chosen(&model, Field::TimeInForce), "gtd");
    assert_eq!(form(&model).refusal, None);
}

#[test]
fn one_that_begins_nothing_says_so_and_changes_nothing() {
    let mut model = desk();
    press(&mut model, "b shift-tab z");
    assert_eq!(
        form(&model).refusal,
        Some("no choice begins with that letter")
    );
    assert_eq!(
        form(&model).side(&model.account.form_context()),
        Some(Side::Buy)
    );
    press(&mut model, "se");
    assert_eq!(form(&model).refusal, None);
    assert_eq!(
        form(&model).side(&model.account.form_context()),
        Some(Side::Sell)
    );
}
