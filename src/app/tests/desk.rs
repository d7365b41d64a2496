//! Panes, toasts, the clock and quitting.

use super::*;
use crate::{
    app::TerminalOut,
    model::{Drift, Timestamp},
};

#[test]
fn panes_are_reached_by_number_and_by_tab() {
    let mut model = desk();
    press(&mut model, "3 tab");
    assert_eq!(model.focus.pane, Pane::Scaled);
    press(&mut model, "8 tab");
    assert_eq!(model.context(), Context::PriceLadder);
    press(&mut model, "tab");
    assert_eq!(model.context(), Context::MarketChart);
    press(&mut model, "tab");
    assert_eq!(model.context(), Context::Positions);
    press(&mut model, "shift-tab shift-tab shift-tab");
    assert_eq!(model.context(), Context::Calls);
    press(&mut model, "1");
    assert_eq!(
        (model.focus.pane, model.focus.tab),
        (Pane::Positions, Pane::Calls)
    );
}

#[test]
fn refresh_polls_everything_and_quit_quits() {
    let mut model = desk();
    assert_eq!(
        press(&mut model, "r"),
        vec![Effect::Poll(Source::iter().collect()), REPAINT]
    );
    assert_eq!(press(&mut model, "q"), vec![Effect::Quit]);
    assert_eq!(press(&mut model, "b ctrl-c"), vec![Effect::Quit]);
}

#[test]
fn leaving_what_is_on_its_way_is_asked_once_and_ctrl_c_asks_nothing() {
    let mut model = desk();
    press(&mut model, "X");
    wait(&mut model, 1_600);
    assert_eq!(press(&mut model, "q"), vec![]);
    wait(&mut model, 200);
    assert_eq!(press(&mut model, "y"), vec![Effect::Quit]);
    assert_eq!(press(&mut model, "ctrl-c"), vec![Effect::Quit]);
}

#[test]
fn no_key_of_the_desk_acts_behind_help_or_detail() {
    let mut model = desk();
    assert_eq!(press(&mut model, "? X b c j"), vec![]);
    assert_eq!(model.overlays.len(), 1);
    press(&mut model, "esc enter");
    assert!(matches!(
        model.overlays.as_slice(),
        [Overlay::Detail(Detail { row: RowId::Position(id), .. })] if *id == "pos-1".into()
    ));
    assert_eq!(press(&mut model, "K c enter"), vec![]);
    assert_eq!(model.overlays, vec![]);
}

#[test]
fn good_news_leaves_by_itself_and_bad_news_waits() {
    let mut model = desk();
    let now = model.account.now;
    update(&mut model, now, Msg::Notify(Tone::Good, "ready".to_owned()));
    wait(&mut model, 5_000);
    assert_eq!(model.account.activity.toast(model.account.now), None);
    let now = model.account.now;
    update(&mut model, now, Msg::Notify(Tone::Alert, "lost".to_owned()));
    wait(&mut model, 60_000);
    assert!(model.account.activity.toast(model.account.now).is_some());
    press(&mut model, "esc");
    assert_eq!(model.account.activity.toast(model.account.now), None);
}

#[test]
fn once_the_toast_has_left_nothing_wakes_a_desk_that_shows_no_ages() {
    let mut model = bare_desk();
    let now = model.account.now;
    update(&mut model, now, Msg::Notify(Tone::Good, "ready".to_owned()));
    assert_eq!(wake(&model), Some(NOON.plus(Duration::from_secs(5))));
    wait(&mut model, 5_000);
    assert_eq!(wake(&model), None);
}

#[test]
fn escape_takes_the_toast_first_and_the_zoom_second() {
    let mut model = desk();
    let now = model.account.now;
    update(&mut model, now, Msg::Notify(Tone::Alert, "lost".to_owned()));
    press(&mut model, "z esc");
    assert!(model.focus.zoomed);
    press(&mut model, "esc");
    assert!(!model.focus.zoomed);
}

#[test]
fn an_outcome_nobody_waits_for_changes_nothing() {
    let mut model = desk();
    let down = Failure::new(FailureKind::Unavailable, "down");
    assert_eq!(settle(&mut model, Ticket(9), Err(down)), vec![]);
    assert_eq!(model.account.activity.lines.len(), 0);
}

#[test]
fn a_wall_clock_that_is_set_is_said_and_everything_is_asked_for_again() {
    let mut model = desk();
    press(&mut model, "X");
    wait(&mut model, 1_000);
    let now = model.account.now;
    let drift = Drift::between(now, Timestamp(now.0 - 120_000));
    let asked = update(&mut model, now, Msg::ClockSet(drift));
    assert_eq!(asked, [Effect::Poll(Source::iter().collect())]);
    let said = &model.account.activity.lines.back().unwrap().event;
    assert!(matches!(said, Event::Message(Tone::Warn, text) if text.contains("set by -120 s")));
    // The service's clock follows the wall clock; the countdown uses the desk's own.
    assert_eq!(model.account.wall_now(), Timestamp(now.0 - 120_000));
    assert_eq!(model.account.now, now);
    let sent = wait(&mut model, 500);
    assert!(matches!(sent[..], [Effect::Send(_, Command::CloseAll(_))]));
}

#[test]
fn a_clock_that_steps_back_does_not_take_time_back() {
    let mut model = desk();
    press(&mut model, "X");
    wait(&mut model, 1_000);
    let now = model.account.now;
    update(&mut model, NOON, Msg::Tick);
    assert_eq!(model.account.now, now);
    assert_eq!(model.overlays.len(), 1);
}

const REPAINT: Effect = Effect::Terminal(TerminalOut::Repaint);

#[test]
fn the_screen_is_drawn_again_from_everywhere_whatever_wrote_on_it() {
    for keys in ["", "b", "b 0.1", ":", "X", "?", "enter", "p"] {
        let mut model = desk();
        press(&mut model, keys);
        let before = model.overlays.clone();
        assert_eq!(press(&mut model, "ctrl-l"), vec![REPAINT], "{keys}");
        assert_eq!(model.overlays, before, "{keys}");
    }
}

/// A slow line delivers two keys as one.
#[test]
fn esc_and_the_way_out_behind_it_in_one_piece_are_the_way_out() {
    for keys in ["", "b", "b 0.1", ":", "?", "enter", "/"] {
        let opened = |key: &str| {
            let mut model = desk();
            press(&mut model, keys);
            press(&mut model, key);
            model.overlays.last().cloned()
        };
        assert_eq!(opened("alt-shift-x"), opened("ctrl-x"), "{keys}");
        assert_eq!(opened("alt-shift-f"), opened("ctrl-f"), "{keys}");
        assert!(opened("alt-shift-x").is_some(), "{keys}");
    }
}

#[test]
fn no_key_and_no_pasted_text_is_without_effect_and_without_a_word() {
    for key in ["]", "~", "f9", "alt-x", "ctrl-]"] {
        let mut model = desk();
        press(&mut model, key);
        let said = format!("{:?}", model.account.activity.toast(model.account.now));
        assert!(
            said.contains("does nothing here: ? lists the keys"),
            "{key}: {said}"
        );
    }
    let mut model = desk();
    update(&mut model, NOON, Msg::Paste("0.1".to_owned()));
    let said = format!("{:?}", model.account.activity.toast(model.account.now));
    assert!(said.contains("not pasted"), "{said}");
}

#[test]
fn quitting_asks_once_when_a_paper_exchange_ends_with_what_it_holds() {
    let mut model = desk();
    model.account.options.ends_with_desk = true;
    assert_eq!(press(&mut model, "q"), vec![]);
    wait(&mut model, 200);
    assert_eq!(press(&mut model, "q"), vec![Effect::Quit]);
    let mut empty = bare_desk();
    empty.account.options.ends_with_desk = true;
    assert_eq!(press(&mut empty, "q"), vec![Effect::Quit]);
}
