//! Reduced motion: what stands still while only time passes, and that nothing true is lost by it.

use crate::{
    desk,
    dump::{press, screen},
    words::{cell, header},
};
use perpdeck::{
    app::{
        AccountSet, Model, Motion, Msg,
        account::{pane::Pane, poll::Source},
        dialogs::overlay::Overlay,
        update,
    },
    model::{Call, FailureKind, Timestamp, Zone},
    view::{self, Scene},
};
use std::time::Duration;

pub(crate) fn full() -> Model {
    let mut model = desk::full();
    model.account.options.motion = Motion::Reduced;
    model
}

pub(crate) fn closing() -> Model {
    let mut model = full();
    press(&mut model, "X");
    model
}

fn pass(model: &mut Model, millis: u64) {
    let then = model.account.now.plus(Duration::from_millis(millis));
    update(model, then, Msg::Tick);
}

fn screens(model: &Model) -> [String; 4] {
    [(200, 60), (120, 40), (80, 24), (60, 16)].map(|(width, height)| screen(model, width, height))
}

#[test]
fn while_only_two_seconds_pass_nothing_moves() {
    let (mut calm, mut lively) = (full(), desk::full());
    let before = [screens(&calm), screens(&lively)];
    pass(&mut calm, 2_000);
    pass(&mut lively, 2_000);
    assert_eq!(screens(&calm), before[0]);
    assert_ne!(screens(&lively), before[1]);
}

#[test]
fn what_is_late_says_so_as_soon_as_ever() {
    let mut model = full();
    pass(&mut model, 4_000);
    assert!(
        header(&model).contains("orders late <10s"),
        "{}",
        header(&model)
    );
    pass(&mut model, 8_000);
    assert!(
        header(&model).contains("orders OLD 10s"),
        "{}",
        header(&model)
    );
}

#[test]
fn a_countdown_is_the_time_of_day_it_ends_at() {
    let mut model = full();
    let tif = cell(&model, Pane::Orders, 4, "tif");
    assert_eq!(tif, "gtd 16:18:20");
    let zone = Zone::utc();
    let scene = Scene::of(&model, &zone);
    let rows = model.rows(Pane::Twaps);
    let cards = view::cards(&scene, &rows.at(0..1));
    let state: String = cards[0].state.iter().map(|s| s.text.as_str()).collect();
    assert_eq!(state, "running  next at 14:15:32");
    let limited = Call {
        pause: Some(Duration::from_secs(40)),
        ..desk::call("GET", "/v1/orders", Ok(429), 0)
    };
    update(&mut model, desk::NOW, Msg::CallEnded(limited));
    assert!(
        header(&model).contains("LIMITED until 14:13:5"),
        "{}",
        header(&model)
    );
}

#[test]
fn a_far_end_that_is_down_says_when_it_is_tried_again() {
    let mut model = full();
    let call = desk::call("GET", "/v1/orders", Err(FailureKind::Unreachable), 2);
    update(&mut model, desk::NOW, Msg::CallEnded(call));
    let at = Timestamp(desk::NOW.0 + 4_000);
    update(&mut model, desk::NOW, Msg::TriesAgain(Source::Orders, at));
    assert!(
        header(&model).contains("DOWN, retry 1 at 14:13:24"),
        "{}",
        header(&model)
    );
}

#[test]
fn the_strip_says_whole_seconds_and_draws_no_bar() {
    let mut model = closing();
    let said = |model: &Model| {
        let Some(Overlay::Strip(strip)) = model.overlays.last() else {
            panic!("no strip");
        };
        let view = view::strip(model, &Scene::of(model, &Zone::utc()), strip);
        assert_eq!(view.left, None);
        let words: String = view.words.iter().map(|s| s.text.as_str()).collect();
        words
    };
    assert!(
        said(&model).contains(" in at most 2 s: "),
        "{}",
        said(&model)
    );
    pass(&mut model, 400);
    assert!(
        said(&model).contains(" in at most 2 s: "),
        "{}",
        said(&model)
    );
    pass(&mut model, 100);
    assert!(
        said(&model).contains(" in at most 1 s: "),
        "{}",
        said(&model)
    );
}

#[test]
fn the_pace_of_the_service_is_a_word() {
    assert!(header(&full()).ends_with("api OK"), "{}", header(&full()));
    let account_set = AccountSet::of(full());
    assert!(!screen(&account_set, 200, 60).contains("OK 4 ms"));
}
