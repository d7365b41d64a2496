//! The tour on the paper desk.

use super::*;
use crate::app::{
    account::identity::Identity,
    activity::notice,
    core::effect::Effect,
    desk::msg::Msg,
    testing::{bare_desk, desk, press, wait},
    update::router::update,
};

fn shown_around() -> Model {
    let mut model = desk();
    press(&mut model, ": tour enter");
    model
}

fn at(model: &Model) -> Option<Step> {
    model.tour.as_ref().map(|tour| tour.step)
}

#[test]
fn doing_each_thing_leads_through_all_of_it() {
    let mut model = shown_around();
    let steps = [
        (Step::Move, "j"),
        (Step::Detail, "enter"),
        (Step::Orders, "esc 2"),
        (Step::Buy, "b"),
        (Step::Twaps, "esc 3"),
        (Step::History, "6"),
        (Step::CloseAll, "X"),
        (Step::Help, "esc ?"),
    ];
    for (step, keys) in steps {
        assert_eq!(at(&model), Some(step));
        press(&mut model, keys);
    }
    assert_eq!(at(&model), None);
}

#[test]
fn a_key_goes_on_without_doing_it() {
    let mut model = shown_around();
    for step in Step::iter() {
        assert_eq!(at(&model), Some(step));
        press(&mut model, "n");
    }
    assert_eq!(at(&model), None);
    assert_eq!(
        press(&mut model, "n"),
        vec![],
        "there is no step after the last"
    );
}

#[test]
fn what_was_so_before_it_was_asked_for_has_to_be_done_again() {
    let mut model = shown_around();
    press(&mut model, "2 n n");
    assert_eq!(at(&model), Some(Step::Orders), "in the orders already");
    press(&mut model, "1");
    assert_eq!(at(&model), Some(Step::Orders));
    press(&mut model, "2");
    assert_eq!(at(&model), Some(Step::Buy));
}

#[test]
fn esc_ends_it_for_good_after_the_toast_and_before_the_zoom() {
    let mut model = shown_around();
    let now = model.account.now;
    update(
        &mut model,
        now,
        Msg::Notify(notice::Tone::Alert, "lost".to_owned()),
    );
    press(&mut model, "z esc");
    assert_eq!((at(&model), model.focus.zoomed), (Some(Step::Move), true));
    press(&mut model, "esc");
    assert_eq!((at(&model), model.focus.zoomed), (None, true));
    press(&mut model, "esc j enter");
    assert_eq!((at(&model), model.focus.zoomed), (None, false));
}

#[test]
fn it_takes_no_trading_key() {
    let mut model = shown_around();
    press(&mut model, "X");
    let sent = wait(&mut model, 1_500);
    assert!(matches!(
        sent.as_slice(),
        [Effect::Send(_, Command::CloseAll(_))]
    ));
}

#[test]
fn a_service_is_no_place_for_it() {
    let mut model = bare_desk();
    model.tour = Some(Tour::default());
    let identity = Identity {
        mode: Mode::LiveApi,
        account_id: "chal-9".into(),
        base_url: "https://example.test".to_owned(),
        profile: crate::app::account::identity::Profile::default(),
    };
    let now = model.account.now;
    update(&mut model, now, Msg::Opened(identity));
    assert_eq!(at(&model), None);
    press(&mut model, ": tour enter");
    assert_eq!(at(&model), None);
}
