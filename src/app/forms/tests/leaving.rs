//! Closing a form.

use super::*;

#[test]
fn escape_goes_back_from_the_json_to_the_form() {
    let mut model = desk();
    press(&mut model, "b 0.1 ctrl-j esc");
    assert!(!form(&model).shows_json);
    assert_eq!(form(&model).draft.text(Field::Size), Some("0.1"));
    assert_ne!(form(&model).hand, FormInput::Leaving);
}

#[test]
fn a_form_that_was_written_in_asks_once_and_one_that_was_not_goes() {
    let mut model = desk();
    press(&mut model, "b esc");
    assert_eq!(model.overlays, []);
    press(&mut model, "b 0.1 esc");
    assert_eq!(form(&model).hand, FormInput::Leaving);
    press(&mut model, "2 esc");
    assert_eq!(
        form(&model).draft.text(Field::Size),
        Some("0.12"),
        "it stays and asks anew"
    );
    press(&mut model, "esc");
    assert_eq!(model.overlays, []);
}
