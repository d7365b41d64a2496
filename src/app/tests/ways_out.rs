//! The keys that close everything, wherever they are pressed.

use super::*;
use crate::app::dialogs::overlay::Strip;

fn asks(model: &Model) -> Option<Command> {
    let Some(Overlay::Strip(strip)) = model.overlays.last() else {
        return None;
    };
    let crate::app::dialogs::overlay::StripAction::One(command) = &strip.proposal else {
        return None;
    };
    Some(command.clone())
}

#[test]
fn they_work_over_everything_that_takes_no_text() {
    for keys in ["enter", "L", "i", "E", "2 x", "K", "* c"] {
        let mut model = desk();
        press(&mut model, keys);
        wait(&mut model, 200);
        assert_ne!(model.overlays, vec![], "{keys}");
        press(&mut model, "X");
        assert_eq!(asks(&model), Some(close_all()), "{keys}");
        let effects = wait(&mut model, 1_500);
        assert_eq!(effects, sent(1, close_all()), "{keys}");
    }
}

#[test]
fn where_text_is_taken_they_are_letters() {
    for keys in [":", "/", "?"] {
        let mut model = desk();
        press(&mut model, keys);
        press(&mut model, "X F");
        assert_eq!(asks(&model), None, "{keys}");
    }
}

#[test]
fn a_question_in_doubt_is_put_off_and_a_second_yes_does_not_answer_it() {
    let mut model = desk();
    let ticket = Ticket(1_000_007);
    let now = model.account.now;
    update(&mut model, now, Msg::Resumed(ticket, cancel()));
    let parked = Progress::Parked {
        why: Failure::new(FailureKind::Unknown, "no answer"),
        replay_until: now.plus(Duration::from_mins(15)),
    };
    update(&mut model, now, Msg::Progress(ticket, parked));
    wait(&mut model, 200);
    press(&mut model, "X");
    wait(&mut model, 200);
    assert_eq!(press(&mut model, "y"), sent(1, close_all()));
    assert_eq!(model.overlays, vec![], "the next yes answers nothing");
}

#[test]
fn pressed_again_they_do_not_begin_anew_and_flatten_is_the_more() {
    let mut model = desk();
    press(&mut model, "X");
    wait(&mut model, 1_000);
    press(&mut model, "X");
    let drawn_at = |model: &Model| match model.overlays.last() {
        Some(Overlay::Strip(Strip { drawn_at, .. })) => Some(*drawn_at),
        _ => None,
    };
    assert_ne!(drawn_at(&model), Some(model.account.now));
    press(&mut model, "F X");
    assert_eq!(model.overlays.len(), 1);
    assert_eq!(asks(&model), Some(Command::Flatten("chal-1".into())));
}

#[test]
fn without_a_delay_it_goes_at_once_and_leaves_what_was_open() {
    let mut model = desk();
    model.account.options.close_all = CloseAllRule::After(Duration::ZERO);
    press(&mut model, "enter");
    assert_eq!(press(&mut model, "X"), sent(1, close_all()));
    assert!(matches!(model.overlays.as_slice(), [Overlay::Detail(_)]));
}

#[test]
fn closing_all_is_never_refused_for_a_list_that_may_be_behind() {
    let mut model = desk();
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![]))));
    press(&mut model, "X");
    assert_eq!(asks(&model), Some(close_all()));
}
