//! Fields, their faults and their hints.

use super::*;

#[test]
fn a_fault_stands_beside_its_field_until_it_is_mended() {
    let mut model = desk();
    press(&mut model, "b 1,5");
    let fault = |model: &Model| view(model).fields[3].fault.clone();
    let said = Some("no commas: write 1.5 or 1000".to_owned());
    assert_eq!(fault(&model), said);
    assert_eq!(press(&mut model, "enter"), vec![]);
    assert_eq!(fault(&model), said);
    press(&mut model, "left backspace .");
    assert_eq!(fault(&model), None);
}

#[test]
fn what_no_further_digit_makes_right_is_told_while_it_is_typed_and_the_rest_once_it_is_left() {
    let told = |keys: &str| {
        let mut model = desk();
        press(&mut model, &format!("b {keys}"));
        let mut faults = view(&model).fields.into_iter().map(|field| field.fault);
        faults.find_map(|fault| fault)
    };
    for right_yet in ["0", "0.", "$", "$1"] {
        assert_eq!(told(right_yet), None, "{right_yet}");
    }
    for wrong in ["0.5R", "1%", "$1k"] {
        assert!(told(wrong).is_some(), "{wrong}");
    }
    assert_eq!(told("0 tab").as_deref(), Some("must be above 0"));
    assert_eq!(
        told("tab"),
        None,
        "what is not written yet is not wrong yet"
    );
}

#[test]
fn only_the_focused_field_shows_where_the_cursor_is_and_choices_show_their_options() {
    let mut model = desk();
    press(&mut model, "b 12 left");
    let fields = view(&model).fields;
    let labels: Vec<_> = fields.iter().map(|f| (f.label, f.focused)).collect();
    assert_eq!(
        labels[..4],
        [
            ("type", false),
            ("market", false),
            ("side", false),
            ("size", true)
        ]
    );
    assert_eq!(
        fields[3].value,
        ValueView::Text {
            text: "12".to_owned(),
            cursor: 1,
            selected: false,
        }
    );
    let kinds = "market, limit, chase, stop mkt, stop limit, take mkt, take limit, take profit, conditional";
    assert_eq!(
        fields[0].value,
        ValueView::Choice {
            options: kinds.split(", ").map(str::to_owned).collect(),
            chosen: 0
        }
    );
    assert_eq!(fields[3].hint, "0.5 · $1000 · r25 at the stop");
}

#[test]
fn the_footer_offers_a_choice_where_there_is_one() {
    let mut model = desk();
    let offers = |model: &Model| {
        let hints = crate::view::footer(model);
        ["choice", "tick"].map(|what| hints.iter().any(|hint| hint.label == what))
    };
    press(&mut model, "b");
    assert_eq!(offers(&model), [false, true]);
    press(&mut model, "shift-tab");
    assert_eq!(offers(&model), [true, false]);
    press(
        &mut model,
        "shift-tab shift-tab 2 tab tab tab tab tab 4 tab",
    );
    assert_eq!(offers(&model), [false, false], "a date has neither");
}

#[test]
fn hints_name_the_keys_that_are_bound() {
    let model = limit_buy("0.1", "60000");
    let fields = view(&model).fields;
    assert_eq!(fields[4].hint, "= mid · bid · +1% · ↑↓ one tick");
    assert_eq!(fields[0].hint, "←→ or a letter choose");
}
