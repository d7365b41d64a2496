//! The strip: when it accepts keys, and what it lets through.

use super::*;

#[test]
fn nothing_is_heard_while_the_strip_is_younger_than_150_ms() {
    let mut model = desk();
    press(&mut model, "2 x");
    wait(&mut model, 149);
    assert_eq!(press(&mut model, "y"), vec![]);
    wait(&mut model, 1);
    assert_eq!(press(&mut model, "y"), sent(1, cancel()));
    assert_eq!(model.overlays, vec![]);
}

#[test]
fn enter_never_confirms_and_neither_does_the_key_that_asked() {
    let mut model = desk();
    press(&mut model, "2 x");
    wait(&mut model, 200);
    assert_eq!(press(&mut model, "enter x space"), vec![]);
    assert_eq!(model.overlays.len(), 1);
}

#[test]
fn an_unanswered_strip_disarms_after_five_seconds() {
    let mut model = desk();
    press(&mut model, "2 x");
    assert_eq!(wait(&mut model, 4_999), vec![]);
    assert_eq!(model.overlays.len(), 1);
    assert_eq!(wait(&mut model, 1), vec![]);
    assert_eq!(model.overlays, vec![]);
    press(&mut model, "y");
    assert_eq!(model.account.store.pending.len(), 0);
}

#[test]
fn a_press_that_comes_before_the_late_wake_up_finds_the_strip_disarmed() {
    let mut model = desk();
    press(&mut model, "2 x");
    let late = model.account.now.plus(Duration::from_secs(6));
    assert_eq!(update(&mut model, late, Msg::Key('y'.into())), vec![]);
    assert_eq!(model.overlays, vec![]);
}

#[test]
fn escape_takes_the_question_back_at_any_time() {
    let mut model = desk();
    press(&mut model, "2 x esc");
    assert_eq!(model.overlays, vec![]);
    assert_eq!(wait(&mut model, 10_000), vec![]);
}

#[test]
fn what_was_asked_about_is_what_goes_whatever_polls_bring_meanwhile() {
    let mut model = desk();
    press(&mut model, "2 x");
    wait(&mut model, 300);
    let armed = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"resting""#;
    let other = Page::of(vec![order("ord-7", "ETH", armed)]);
    arrive(&mut model, Answer::Orders(Ok(other)));
    assert_eq!(press(&mut model, "y"), sent(1, cancel()));
}

#[test]
fn an_order_that_is_done_is_not_asked_about() {
    let mut model = desk();
    let done = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"filled""#;
    let page = Page::of(vec![order("ord-8", "ETH", done)]);
    arrive(&mut model, Answer::Orders(Ok(page)));
    press(&mut model, "2 x");
    assert_eq!(model.overlays, vec![]);
    assert_eq!(
        last_said(&model),
        (Tone::Warn, "this order is not working any more")
    );
}
