//! What the desk does with a key, a poll, an outcome and the passing of time.

use super::{
    CloseAllRule, Effect, Model, Motion, Msg,
    notice::{Event, Tone},
    overlay::{Arm, Detail, Overlay},
    pane::{Pane, RowId},
    poll::{Answer, Source},
    testing::*,
    update, wake,
};
use crate::model::{
    CloseAll, Command, Cursor, Failure, FailureKind, Page, Progress, Receipt, Ticket,
};
use std::time::Duration;
use strum::IntoEnumIterator;

fn close_all() -> Command {
    Command::CloseAll("chal-1".into())
}

fn cancel() -> Command {
    Command::Cancel("ord-1".into())
}

fn sent(ticket: u64, command: Command) -> Vec<Effect> {
    vec![Effect::Send(Ticket(ticket), command)]
}

fn last_said(model: &Model) -> (Tone, &str) {
    match model.activity.lines.back().map(|line| &line.event) {
        Some(Event::Said(tone, words)) => (*tone, words),
        other => panic!("nothing was said but {other:?}"),
    }
}

mod strip {
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
        assert_eq!(model.store.flights.len(), 0);
    }

    #[test]
    fn a_press_that_comes_before_the_late_wake_up_finds_the_strip_disarmed() {
        let mut model = desk();
        press(&mut model, "2 x");
        let late = model.now.plus(Duration::from_secs(6));
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
}

mod one_key {
    use super::*;

    #[test]
    fn close_all_goes_by_time_alone() {
        let mut model = desk();
        assert_eq!(press(&mut model, "X"), vec![]);
        assert_eq!(wait(&mut model, 1_499), vec![]);
        assert_eq!(wait(&mut model, 1), sent(1, close_all()));
        assert_eq!(model.overlays, vec![]);
        assert_eq!(wait(&mut model, 10_000), vec![]);
    }

    #[test]
    fn the_desk_wakes_in_tenths_while_it_counts_down_and_at_the_end() {
        let mut model = desk();
        press(&mut model, "X");
        assert_eq!(wake(&model), Some(NOON.plus(Duration::from_millis(100))));
        wait(&mut model, 1_450);
        assert_eq!(wake(&model), Some(NOON.plus(Duration::from_millis(1_500))));
    }

    #[test]
    fn where_motion_is_reduced_it_wakes_as_the_whole_seconds_go_and_at_the_end() {
        let mut model = bare_desk();
        model.options.motion = Motion::Reduced;
        press(&mut model, "X");
        let after = |ms| Some(NOON.plus(Duration::from_millis(ms)));
        assert_eq!(wake(&model), after(500));
        wait(&mut model, 500);
        assert_eq!(wake(&model), after(1_500));
        assert_eq!(wait(&mut model, 1_000), sent(1, close_all()));
    }

    #[test]
    fn escape_stops_it_even_when_the_wake_up_is_late() {
        let mut model = desk();
        press(&mut model, "X");
        let late = model.now.plus(Duration::from_millis(1_600));
        let escape = "esc".parse().unwrap();
        assert_eq!(update(&mut model, late, Msg::Key(escape)), vec![]);
        assert_eq!(wait(&mut model, 5_000), vec![]);
    }

    #[test]
    fn yes_sends_it_now() {
        let mut model = desk();
        press(&mut model, "X");
        wait(&mut model, 150);
        assert_eq!(press(&mut model, "y"), sent(1, close_all()));
        assert_eq!(wait(&mut model, 5_000), vec![]);
    }

    #[test]
    fn with_no_delay_it_goes_at_once() {
        let mut model = desk();
        model.options.close_all = CloseAllRule::After(Duration::ZERO);
        assert_eq!(press(&mut model, "X"), sent(1, close_all()));
    }

    #[test]
    fn where_it_must_be_confirmed_time_alone_does_nothing() {
        let mut model = desk();
        model.options.close_all = CloseAllRule::Confirmed;
        press(&mut model, "X");
        assert!(matches!(
            model.overlays.last(),
            Some(Overlay::Strip(strip)) if strip.arm == Arm::Confirm
        ));
        assert_eq!(wait(&mut model, 5_000), vec![]);
        press(&mut model, "X");
        wait(&mut model, 200);
        assert_eq!(press(&mut model, "y"), sent(1, close_all()));
    }

    #[test]
    fn a_second_one_does_not_start_while_the_first_is_on_its_way() {
        let mut model = desk();
        press(&mut model, "X X X");
        assert_eq!(model.overlays.len(), 1);
        wait(&mut model, 1_500);
        assert_eq!(press(&mut model, "X"), vec![]);
        assert_eq!(
            last_said(&model),
            (Tone::Warn, "a close-all is already on its way")
        );
        assert_eq!(model.overlays, vec![]);
    }

    #[test]
    fn in_a_form_it_is_a_letter() {
        let mut model = desk();
        model.options.close_all = CloseAllRule::After(Duration::ZERO);
        assert_eq!(press(&mut model, "b X"), vec![]);
        assert_eq!(model.store.flights.len(), 0);
    }

    #[test]
    fn a_round_of_it_is_told_and_the_positions_are_looked_at_again() {
        let mut model = desk();
        model.options.close_all = CloseAllRule::After(Duration::ZERO);
        press(&mut model, "X");
        let operation: CloseAll = serde_json::from_str(
            r#"{"id":"op","operation":"close_all_positions","account_id":"chal-1","status":"running",
            "total_count":2,"succeeded_count":1,"failed_count":0,"results":[],"created_at":1790000000000}"#,
        )
        .unwrap();
        let running = Progress::Running {
            operation: operation.clone(),
            retry_at: model.now.plus(Duration::from_secs(1)),
        };
        let now = model.now;
        assert_eq!(
            update(&mut model, now, Msg::Progress(Ticket(1), running)),
            vec![Effect::Poll(vec![Source::Positions])]
        );
        let (_, shown) = model.store.closing_all().unwrap();
        assert_eq!(shown, Some(&operation));
        settle(&mut model, Ticket(1), Ok(Receipt::CloseAll(operation)));
        assert!(model.store.closing_all().is_none());
    }

    #[test]
    fn before_the_account_is_known_it_says_so() {
        let mut model = bare_desk();
        model.identity = None;
        assert_eq!(press(&mut model, "X"), vec![]);
        assert_eq!(
            last_said(&model),
            (Tone::Warn, "close all: the account is not known yet")
        );
    }
}

mod rows {
    use super::*;

    #[test]
    fn the_selection_is_a_thing_not_a_place() {
        let mut model = desk();
        press(&mut model, "j");
        assert_eq!(model.selected(), Some(RowId::Position("pos-2".into())));
        let reordered = vec![
            position("pos-2", "SOL", "-100", r#""leverage":5"#),
            position("pos-1", "BTC", "0.5", r#""leverage":10"#),
        ];
        arrive(&mut model, Answer::Positions(Ok(Page::of(reordered))));
        assert_eq!(model.selected(), Some(RowId::Position("pos-2".into())));
    }

    #[test]
    fn when_the_selected_row_is_gone_the_first_is_meant_until_it_comes_back() {
        let mut model = desk();
        press(&mut model, "j");
        let only = vec![position("pos-1", "BTC", "0.5", r#""leverage":10"#)];
        arrive(&mut model, Answer::Positions(Ok(Page::of(only))));
        assert_eq!(model.selected(), Some(RowId::Position("pos-1".into())));
    }

    #[test]
    fn the_keys_stop_at_both_ends() {
        let mut model = desk();
        press(&mut model, "k k");
        assert_eq!(model.selected(), Some(RowId::Position("pos-1".into())));
        press(&mut model, "j j j");
        assert_eq!(model.selected(), Some(RowId::Position("pos-2".into())));
        press(&mut model, "g g G");
        assert_eq!(model.selected(), Some(RowId::Position("pos-2".into())));
    }

    fn history(first: usize, next: Option<&str>) -> Page<crate::model::Order> {
        let done = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"filled""#;
        let rows = (first..first + 50).map(|n| order(&format!("h-{n:03}"), "BTC", done));
        Page {
            next: next.map(|c| Cursor::from(c.to_owned())),
            ..Page::of(rows.collect())
        }
    }

    #[test]
    fn the_next_page_is_asked_for_once_when_the_end_comes_near() {
        let mut model = desk();
        arrive(&mut model, Answer::History(Ok(history(0, Some("p2")))));
        assert_eq!(press(&mut model, "6"), vec![]);
        let cursor = Cursor::from("p2".to_owned());
        assert_eq!(
            press(&mut model, "ctrl-d ctrl-d j j"),
            vec![Effect::MoreHistory(cursor.clone())]
        );
        arrive(
            &mut model,
            Answer::MoreHistory(cursor.clone(), Ok(history(50, None))),
        );
        assert_eq!(model.store.history.rows().len(), 100);
        assert_eq!(press(&mut model, "G j"), vec![]);
    }

    #[test]
    fn a_ladder_that_was_just_placed_is_watched_from_its_receipt_on() {
        let mut model = desk();
        let sent = super::super::flight::send(&mut model, Command::CancelScaled("lad-7".into()));
        let ladder = serde_json::from_str(r#"{"id":"lad-7","market_id":"paper|BTC"}"#).unwrap();
        let now = model.now;
        let receipt = Receipt::Scaled(Box::new(ladder));
        let effects = update(&mut model, now, Msg::Settled(sent.0, Ok(receipt)));
        assert_eq!(effects.first(), Some(&Effect::Watch(vec!["lad-7".into()])));
        let rung = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"resting",
            "scaled_order_id":"lad-7""#;
        let page = Page::of(vec![order("ord-5", "SOL", rung)]);
        assert_eq!(arrive(&mut model, Answer::Orders(Ok(page))), vec![]);
    }

    #[test]
    fn a_page_that_failed_is_asked_for_again_by_the_next_move() {
        let mut model = desk();
        arrive(&mut model, Answer::History(Ok(history(0, Some("p2")))));
        let cursor = Cursor::from("p2".to_owned());
        assert_eq!(
            press(&mut model, "6 G"),
            vec![Effect::MoreHistory(cursor.clone())]
        );
        let down = Failure::new(FailureKind::Unavailable, "down");
        arrive(&mut model, Answer::MoreHistory(cursor.clone(), Err(down)));
        assert_eq!(
            press(&mut model, "k"),
            vec![Effect::MoreHistory(cursor.clone())]
        );
    }

    #[test]
    fn an_answer_about_running_twaps_that_was_overtaken_ends_none_of_them() {
        let mut model = desk();
        let twap = serde_json::from_str(r#"{"id":"twap-1","market_id":"paper|BTC"}"#).unwrap();
        let before = model.now;
        wait(&mut model, 2_000);
        arrive(&mut model, Answer::Twaps(Ok(Page::of(vec![twap]))));
        let late = super::super::poll::Poll {
            at: before,
            answer: Answer::Twaps(Ok(Page::default())),
        };
        let now = model.now;
        update(&mut model, now, Msg::Polled(Box::new(late)));
        assert_eq!(model.store.ended_twaps, vec![]);
        assert_eq!(model.store.twaps.rows().len(), 1);
    }

    #[test]
    fn a_ladder_met_on_an_order_is_watched_from_then_on_once() {
        let mut model = desk();
        let rung = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"resting",
            "scaled_order_id":"lad-1""#;
        let page = || Page::of(vec![order("ord-5", "SOL", rung)]);
        assert_eq!(
            arrive(&mut model, Answer::Orders(Ok(page()))),
            vec![Effect::Watch(vec!["lad-1".into()])]
        );
        assert_eq!(arrive(&mut model, Answer::Orders(Ok(page()))), vec![]);
        press(&mut model, "2 x");
        wait(&mut model, 200);
        assert_eq!(
            press(&mut model, "y"),
            sent(1, Command::CancelScaled("lad-1".into()))
        );
    }
}

mod ladders {
    use super::*;

    fn rung(order: &str) -> Answer {
        let json = format!(
            r#"{{"id":"lad-1","market_id":"paper|SOL","rungs":[{{"price":150,"size":1,"order_id":"{order}"}}]}}"#
        );
        Answer::Scaled("lad-1".into(), Ok(serde_json::from_str(&json).unwrap()))
    }

    fn page(ids: &[&str], next: Option<&str>) -> Page<crate::model::Order> {
        let done = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"filled""#;
        Page {
            next: next.map(|c| Cursor::from(c.to_owned())),
            ..Page::of(ids.iter().map(|id| order(id, "SOL", done)).collect())
        }
    }

    #[test]
    fn a_rung_whose_order_is_done_is_looked_for_in_older_pages_until_it_is_found() {
        let mut model = desk();
        arrive(&mut model, Answer::History(Ok(page(&["h-1"], Some("p2")))));
        let second = Cursor::from("p2".to_owned());
        let asked = vec![Effect::MoreHistory(second.clone())];
        assert_eq!(arrive(&mut model, rung("deep")), asked);
        let found = Answer::MoreHistory(second, Ok(page(&["deep"], Some("p3"))));
        assert_eq!(arrive(&mut model, found), vec![]);
    }

    #[test]
    fn a_working_rung_needs_no_looking_for() {
        let mut model = desk();
        arrive(&mut model, Answer::History(Ok(page(&["h-1"], Some("p2")))));
        assert_eq!(arrive(&mut model, rung("ord-1")), vec![]);
    }
}

mod any_keys {
    use super::*;
    use crate::model::Num;
    use proptest::prelude::*;

    const KEYS: &[&str] = &[
        "b",
        "s",
        "c",
        "x",
        "e",
        "m",
        "X",
        "y",
        "q",
        "r",
        "z",
        "?",
        "j",
        "k",
        "g",
        "G",
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "7",
        "8",
        "0",
        "9",
        ".",
        "$",
        "%",
        "-",
        "+",
        "=",
        ",",
        "tab",
        "shift-tab",
        "enter",
        "enter",
        "esc",
        "up",
        "down",
        "left",
        "right",
        "space",
        "pageup",
        "pagedown",
        "shift-up",
        "ctrl-j",
        "ctrl-u",
        "ctrl-w",
        "ctrl-d",
        "backspace",
        "delete",
        "home",
        "end",
    ];

    /// What would be a wrong order whatever the trader meant by the keys.
    fn makes_sense(effect: &Effect) -> bool {
        match effect {
            Effect::Send(_, Command::Place(order)) => {
                order.size.is_positive()
                    && order.leverage.is_positive()
                    && order.limit_price.is_none_or(Num::is_positive)
            }
            Effect::Send(_, Command::Close(close)) => close.size.is_none_or(Num::is_positive),
            Effect::Send(_, Command::Margin { extra, .. }) => !extra.is_negative(),
            Effect::Send(..)
            | Effect::Again(_)
            | Effect::GiveUp(_)
            | Effect::Show(_)
            | Effect::Glance(_)
            | Effect::Poll(_)
            | Effect::MoreClosed(_)
            | Effect::MoreHistory(_)
            | Effect::Watch(_)
            | Effect::Book(_)
            | Effect::SendAs(..)
            | Effect::Attend(..)
            | Effect::TurnAway(..)
            | Effect::Rearm
            | Effect::Signal(_)
            | Effect::Write(_)
            | Effect::Pace(_)
            | Effect::HoldBack
            | Effect::LetThrough
            | Effect::Reread
            | Effect::Wear(_)
            | Effect::KeepColumns(..)
            | Effect::Quit => true,
        }
    }

    /// A desk that may only look, with a question of its last session and an offer on its screen.
    fn read_only_desk() -> Model {
        let mut model = desk();
        model.options.read_only = true;
        let (now, ticket) = (model.now, Ticket(1_000_001));
        update(&mut model, now, Msg::Resumed(ticket, cancel()));
        let parked = Progress::Parked {
            why: Failure::new(FailureKind::Unknown, "no answer"),
            replay_until: now.plus(Duration::from_mins(15)),
        };
        update(&mut model, now, Msg::Progress(ticket, parked));
        let text = "order ord-2 is not as asked: size 2 instead of 1".to_owned();
        update(&mut model, now, Msg::Offered(text, cancel()));
        model
    }

    fn sends(effect: &Effect) -> bool {
        matches!(
            effect,
            Effect::Send(..) | Effect::SendAs(..) | Effect::Again(_)
        )
    }

    /// Every key that has a meaning, and every other that can be typed.
    fn any_key() -> impl Strategy<Value = String> {
        let typed = (b'!'..=b'~').prop_map(|byte| char::from(byte).to_string());
        prop_oneof![prop::sample::select(KEYS).prop_map(str::to_owned), typed]
    }

    proptest! {
        #[test]
        fn change_nothing_on_a_desk_that_is_read_only(
            presses in prop::collection::vec((any_key(), 0_u64..3_000), 0..120)
        ) {
            let mut model = read_only_desk();
            for (key, millis) in presses {
                let mut effects = press(&mut model, &key);
                effects.extend(wait(&mut model, millis));
                let now = model.now;
                effects.extend(update(&mut model, now, Msg::Flatten));
                prop_assert!(!effects.iter().any(sends), "{effects:?}");
            }
        }

        #[test]
        fn never_make_nonsense_and_escape_always_leads_back_to_the_desk(
            presses in prop::collection::vec((0..KEYS.len(), 0_u64..3_000), 0..120)
        ) {
            let mut model = desk();
            for (key, millis) in presses {
                let mut effects = press(&mut model, KEYS[key]);
                effects.extend(wait(&mut model, millis));
                prop_assert!(effects.iter().all(makes_sense), "{effects:?}");
            }
            press(&mut model, "esc esc esc");
            prop_assert_eq!(&model.overlays, &vec![]);
        }
    }
}

mod desk {
    use super::*;
    use crate::model::{Drift, Timestamp};

    #[test]
    fn panes_are_reached_by_number_and_by_tab() {
        let mut model = desk();
        press(&mut model, "3 tab");
        assert_eq!(model.focus.pane, Pane::Scaled);
        press(&mut model, "1 shift-tab");
        assert_eq!(model.focus.pane, Pane::Calls);
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
            vec![Effect::Poll(Source::iter().collect())]
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
        let now = model.now;
        update(&mut model, now, Msg::Said(Tone::Good, "ready".to_owned()));
        wait(&mut model, 5_000);
        assert_eq!(model.activity.toast(model.now), None);
        let now = model.now;
        update(&mut model, now, Msg::Said(Tone::Alert, "lost".to_owned()));
        wait(&mut model, 60_000);
        assert!(model.activity.toast(model.now).is_some());
        press(&mut model, "esc");
        assert_eq!(model.activity.toast(model.now), None);
    }

    #[test]
    fn once_the_toast_has_left_nothing_wakes_a_desk_that_shows_no_ages() {
        let mut model = bare_desk();
        let now = model.now;
        update(&mut model, now, Msg::Said(Tone::Good, "ready".to_owned()));
        assert_eq!(wake(&model), Some(NOON.plus(Duration::from_secs(5))));
        wait(&mut model, 5_000);
        assert_eq!(wake(&model), None);
    }

    #[test]
    fn escape_takes_the_toast_first_and_the_zoom_second() {
        let mut model = desk();
        let now = model.now;
        update(&mut model, now, Msg::Said(Tone::Alert, "lost".to_owned()));
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
        assert_eq!(model.activity.lines.len(), 0);
    }

    #[test]
    fn a_wall_clock_that_is_set_is_said_and_everything_is_asked_for_again() {
        let mut model = desk();
        press(&mut model, "X");
        wait(&mut model, 1_000);
        let now = model.now;
        let drift = Drift::between(now, Timestamp(now.0 - 120_000));
        let asked = update(&mut model, now, Msg::ClockSet(drift));
        assert_eq!(asked, [Effect::Poll(Source::iter().collect())]);
        let said = &model.activity.lines.back().unwrap().event;
        assert!(matches!(said, Event::Said(Tone::Warn, text) if text.contains("set by -120 s")));
        // The service dates by a clock like the wall's; the countdown goes on by the desk's own.
        assert_eq!(model.wall_now(), Timestamp(now.0 - 120_000));
        assert_eq!(model.now, now);
        let sent = update(&mut model, now.plus(Duration::from_secs(2)), Msg::Tick);
        assert!(matches!(sent[..], [Effect::Send(_, Command::CloseAll(_))]));
    }

    #[test]
    fn a_clock_that_steps_back_does_not_take_time_back() {
        let mut model = desk();
        press(&mut model, "X");
        wait(&mut model, 1_000);
        let now = model.now;
        update(&mut model, NOON, Msg::Tick);
        assert_eq!(model.now, now);
        assert_eq!(model.overlays.len(), 1);
    }
}

mod ways_out {
    use super::*;
    use crate::app::overlay::Strip;

    fn asks(model: &Model) -> Option<Command> {
        let Some(Overlay::Strip(strip)) = model.overlays.last() else {
            return None;
        };
        let crate::app::overlay::Deed::One(command) = &strip.deed else {
            return None;
        };
        Some(command.clone())
    }

    #[test]
    fn they_work_over_everything_that_takes_no_text() {
        for keys in ["enter", "L", "i", "p", "E", "2 x", "K", "* c"] {
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
        for keys in ["b", ":", "/", "?"] {
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
        let now = model.now;
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
        assert_ne!(drawn_at(&model), Some(model.now));
        press(&mut model, "F X");
        assert_eq!(model.overlays.len(), 1);
        assert_eq!(asks(&model), Some(Command::Flatten("chal-1".into())));
    }

    #[test]
    fn without_a_delay_it_goes_at_once_and_leaves_what_was_open() {
        let mut model = desk();
        model.options.close_all = CloseAllRule::After(Duration::ZERO);
        press(&mut model, "enter");
        assert_eq!(press(&mut model, "X"), sent(1, close_all()));
        assert!(matches!(model.overlays.as_slice(), [Overlay::Detail(_)]));
    }
}
