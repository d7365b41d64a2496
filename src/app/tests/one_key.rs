//! Close-all by one key.

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
    model.account.options.motion = Motion::Reduced;
    press(&mut model, "X");
    let after = |ms| Some(NOON.plus(Duration::from_millis(ms)));
    assert_eq!(wake(&model), after(500));
    wait(&mut model, 500);
    assert_eq!(wake(&model), after(1_500));
    assert_eq!(wait(&mut model, 1_000), sent(1, close_all()));
}

#[test]
fn a_countdown_that_did_not_run_on_the_screen_did_not_run() {
    for asleep in [2_000, 8 * 3_600_000] {
        for key in ["X", "F"] {
            let mut model = desk();
            press(&mut model, key);
            wait(&mut model, 1_400);
            assert_eq!(sleep(&mut model, asleep), vec![], "{key} after {asleep} ms");
            let woken = model.account.now;
            assert_eq!(wake(&model), Some(woken.plus(Duration::from_millis(100))));
            assert_eq!(wait(&mut model, 1_400), vec![]);
            if asleep == 2_000 {
                assert_eq!(wait(&mut model, 100).len(), 1, "{key}");
            } else {
                press(&mut model, "esc");
                assert_eq!(wait(&mut model, 60_000), vec![]);
            }
        }
    }
}

#[test]
fn escape_stops_it_even_when_the_wake_up_is_late() {
    let mut model = desk();
    press(&mut model, "X");
    let late = model.account.now.plus(Duration::from_millis(1_600));
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
    model.account.options.close_all = CloseAllRule::After(Duration::ZERO);
    assert_eq!(press(&mut model, "X"), sent(1, close_all()));
}

#[test]
fn where_it_must_be_confirmed_time_alone_does_nothing() {
    let mut model = desk();
    model.account.options.close_all = CloseAllRule::Confirmed;
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
        (Tone::Warn, "a close-all is already running")
    );
    assert_eq!(model.overlays, vec![]);
}

#[test]
fn while_a_flatten_runs_it_says_what_closes_the_positions() {
    let mut model = desk();
    model.account.options.close_all = CloseAllRule::After(Duration::ZERO);
    press(&mut model, "F");
    assert_eq!(press(&mut model, "X"), vec![]);
    let words = "a flatten is already running, and closes every position";
    assert_eq!(last_said(&model), (Tone::Warn, words));
}

#[test]
fn in_a_form_it_acts_too_and_the_form_stays() {
    let mut model = desk();
    model.account.options.close_all = CloseAllRule::After(Duration::ZERO);
    assert_eq!(press(&mut model, "b X"), sent(1, close_all()));
    assert!(matches!(model.overlays.as_slice(), [Overlay::Form(_)]));
}

#[test]
fn a_round_of_it_is_told_and_the_positions_are_looked_at_again() {
    let mut model = desk();
    model.account.options.close_all = CloseAllRule::After(Duration::ZERO);
    press(&mut model, "X");
    let operation: CloseAll = serde_json::from_str(
        r#"{"id":"op","operation":"close_all_positions","account_id":"chal-1","status":"running",
        "total_count":2,"succeeded_count":1,"failed_count":0,"results":[],"created_at":1790000000000}"#,
    )
    .unwrap();
    let running = Progress::Running {
        operation: crate::model::SlicedOperation::CloseAll(operation.clone()),
        retry_at: model.account.now.plus(Duration::from_secs(1)),
    };
    let now = model.account.now;
    assert_eq!(
        update(&mut model, now, Msg::Progress(Ticket(1), running)),
        vec![Effect::Poll(vec![Source::Positions])]
    );
    let (_, shown) = model.account.store.closing_all().unwrap();
    assert_eq!(shown, Some(&operation));
    settle(&mut model, Ticket(1), Ok(Receipt::CloseAll(operation)));
    assert!(model.account.store.closing_all().is_none());
}

#[test]
fn before_the_account_is_known_it_says_so() {
    let mut model = bare_desk();
    model.account.identity = None;
    assert_eq!(press(&mut model, "X"), vec![]);
    assert_eq!(
        last_said(&model),
        (
            Tone::Alert,
            "close-all waits: it starts as soon as the account is read; Esc stops it"
        )
    );
}
