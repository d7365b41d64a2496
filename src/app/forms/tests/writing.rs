//! Typing and pasting.

use super::*;

fn paste(model: &mut Model, text: &str) {
    assert_eq!(
        update(model, model.account.now, Msg::Paste(text.to_owned())),
        vec![]
    );
}

#[test]
fn pasted_text_goes_into_the_field_and_acts_on_nothing() {
    let mut model = desk();
    press(&mut model, "b");
    paste(&mut model, "0.25");
    assert_eq!(form(&model).draft.text(Field::Size), Some("0.25"));
    assert_eq!(form(&model).refusal, None);
}

#[test]
fn one_line_end_after_pasted_text_is_dropped() {
    for text in ["0.1\n", "0.1\r\n", "0.1\r"] {
        let mut model = desk();
        press(&mut model, "b");
        paste(&mut model, text);
        assert_eq!(form(&model).draft.text(Field::Size), Some("0.1"));
    }
}

#[test]
fn a_paste_that_does_not_fit_is_refused_whole() {
    for (text, words) in [
        ("0.1\n0.2", "not pasted: more than one line"),
        ("0.1\n\n", "not pasted: more than one line"),
        (
            "\u{1b}[31m1",
            "not pasted: it has characters that cannot be shown",
        ),
        (
            "1\u{202e}2",
            "not pasted: it has characters that cannot be shown",
        ),
        (&"1".repeat(257), "not pasted: longer than 256 characters"),
    ] {
        let mut model = desk();
        press(&mut model, "b");
        paste(&mut model, text);
        assert_eq!(form(&model).draft.text(Field::Size), Some(""));
        assert_eq!(form(&model).refusal, Some(words));
    }
}

proptest::proptest! {
    #[test]
    fn any_paste_is_taken_whole_or_not_at_all(text: String) {
        let mut model = desk();
        press(&mut model, "b");
        paste(&mut model, &text);
        let there = form(&model).draft.text(Field::Size).unwrap();
        proptest::prop_assert!(there.is_empty() || there == text);
    }
}

#[test]
fn a_choice_takes_no_paste() {
    let mut model = desk();
    press(&mut model, "c");
    paste(&mut model, "1");
    assert_eq!(
        form(&model).refusal,
        Some("not pasted: this field is a choice")
    );
}

#[test]
fn a_paste_on_the_desk_presses_no_keys() {
    let mut model = desk();
    paste(&mut model, "Xyq");
    assert_eq!(model.overlays, vec![]);
}

#[test]
fn a_line_is_edited_where_the_cursor_is() {
    let mut model = desk();
    press(&mut model, "b 123 left left 9 home delete end backspace 5");
    assert_eq!(form(&model).draft.text(Field::Size), Some("925"));
    press(&mut model, "ctrl-w 7 ctrl-u 8");
    assert_eq!(form(&model).draft.text(Field::Size), Some("8"));
    assert_eq!(form(&model).cursor(), 1);
}

#[test]
fn tab_goes_round_and_back_and_the_texts_stay() {
    let mut model = desk();
    press(
        &mut model,
        "b 0.1 tab tab tab tab tab tab tab tab tab tab tab",
    );
    assert_eq!(form(&model).focus, Field::Size);
    press(&mut model, "shift-tab tab end 5");
    assert_eq!(form(&model).draft.text(Field::Size), Some("0.15"));
}

#[test]
fn a_number_that_stood_there_is_replaced_by_the_one_that_is_typed_and_edited_by_whoever_moves_in_it()
 {
    for (keys, text) in [
        ("7", "7"),
        ("7 8", "78"),
        ("backspace", ""),
        ("backspace 7", "7"),
        ("left 7", "0.71"),
        ("end 7", "0.17"),
        ("up", "0.10001"),
    ] {
        let mut model = desk();
        press(&mut model, "b 0.1 shift-tab tab");
        assert!(form(&model).is_selected());
        press(&mut model, keys);
        assert_eq!(form(&model).draft.text(Field::Size), Some(text), "{keys}");
    }
    let mut model = desk();
    press(&mut model, "b 0.1 shift-tab tab");
    let now = model.account.now;
    update(&mut model, now, Msg::Paste("0.25".to_owned()));
    assert_eq!(form(&model).draft.text(Field::Size), Some("0.25"));
}

#[test]
fn the_json_is_shown_and_hidden_by_one_key() {
    let mut model = desk();
    press(&mut model, "b ctrl-j");
    assert!(form(&model).shows_json);
    press(&mut model, "ctrl-j");
    assert!(!form(&model).shows_json);
}

// The type is chosen by a key, from any field.
#[test]
fn a_capital_letter_chooses_the_type_and_what_is_typed_stays() {
    let mut model = desk();
    press(&mut model, "b 0 . 0 1");
    for (key, kind) in [
        ("L", crate::model::PlaceKind::Limit),
        ("S", crate::model::PlaceKind::StopMarket),
        ("T", crate::model::PlaceKind::TakeMarket),
        ("C", crate::model::PlaceKind::Chase),
        ("M", crate::model::PlaceKind::Market),
    ] {
        press(&mut model, key);
        let crate::model::draft::Draft::Entry(draft) = &form(&model).draft else {
            panic!("no entry");
        };
        assert_eq!(draft.shape, crate::model::draft::DraftShape::Order(kind));
        assert_eq!(form(&model).draft.text(Field::Size), Some("0.01"), "{key}");
    }
    press(&mut model, "esc esc");
    press(&mut model, "2 j m");
    press(&mut model, "L");
    let crate::model::draft::Draft::Entry(draft) = &form(&model).draft else {
        panic!("no entry");
    };
    let kind = crate::model::draft::DraftShape::Order(crate::model::PlaceKind::StopMarket);
    assert_eq!(draft.shape, kind, "a moved order keeps its type");
}
