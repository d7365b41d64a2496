use super::*;
use crate::{
    app::{
        Identity,
        account::{
            identity::{Mode, Profile},
            poll::Answer,
        },
        activity::{alerts::Alert, notice::Tone},
        keys::keymap::Chord,
        testing,
    },
    config::{AlertChannel, Alerts, Checks, Tint},
    model::{Call, Command, Failure, FailureKind, Page, Progress, Receipt, Ticket},
};
use std::time::Duration;

/// `chal-1` on the screen, as in [`testing::desk`], and `chal-2` of profile `swing` beside it.
fn account_set() -> AccountSet {
    let mut first = testing::desk();
    let tell = |ways: &[AlertChannel]| ways.iter().copied().collect();
    first.account.options.alerts = Alerts {
        fill: tell(&[AlertChannel::Toast, AlertChannel::Desktop]),
        connection: tell(&[AlertChannel::Toast]),
        ..Alerts::default()
    };
    let options = first.account.options.clone();
    let mut account_set = AccountSet::of(first);
    account_set.join(options, testing::NOON);
    let identity = Identity {
        mode: Mode::LiveApi,
        account_id: "chal-2".into(),
        base_url: "https://paper.example".to_owned(),
        profile: Profile {
            name: Some("swing".to_owned()),
            tint: Some(Tint::Orange),
        },
    };
    let opened = Msg::Opened(identity);
    assert_eq!(
        account_set.update(testing::NOON, AccountScope::Account(1), opened),
        []
    );
    account_set
}

fn press(account_set: &mut AccountSet, keys: &str) -> Vec<(usize, Effect)> {
    let chords = keys.split_whitespace().flat_map(|word| match word.parse() {
        Ok(chord) => vec![chord],
        Err(_) => word.chars().map(Chord::from).collect(),
    });
    let mut effects = vec![];
    for chord in chords {
        let now = account_set.shown().account.now;
        effects.extend(account_set.update(now, AccountScope::Shown, Msg::Key(chord)));
    }
    effects
}

fn later(
    account_set: &mut AccountSet,
    millis: u64,
    whose: AccountScope,
    msg: Msg,
) -> Vec<(usize, Effect)> {
    let now = account_set
        .shown()
        .account
        .now
        .plus(Duration::from_millis(millis));
    account_set.update(now, whose, msg)
}

fn polled(account_set: &mut AccountSet, at: usize, answer: Answer) -> Vec<(usize, Effect)> {
    let now = account_set.shown().account.now;
    let poll = crate::app::account::poll::Poll { at: now, answer };
    account_set.update(now, AccountScope::Account(at), Msg::Polled(Box::new(poll)))
}

fn account(account_set: &AccountSet) -> &str {
    account_set
        .shown()
        .account
        .identity
        .as_ref()
        .unwrap()
        .account_id
        .raw()
}

/// The toast if it is about another account: the account and the event.
fn elsewhere(account_set: &AccountSet) -> Option<(&str, &Event)> {
    let toast = account_set
        .shown()
        .account
        .activity
        .toast(account_set.shown().account.now)?;
    let Event::Elsewhere(told) = &toast.event else {
        return None;
    };
    Some((told.account.as_str(), &told.notice.event))
}

#[test]
fn the_next_account_comes_on_the_screen_as_it_was_left_and_is_asked_about_at_once() {
    let mut account_set = account_set();
    press(&mut account_set, "j");
    let selected = account_set.shown().focus.clone();
    let effects = press(&mut account_set, "a");
    assert_eq!(account(&account_set), "chal-2");
    assert_eq!(account_set.shown().account.store.positions.value(), None);
    let expected = [
        (0, Effect::Visibility(Visibility::Background)),
        (1, Effect::Visibility(Visibility::OnScreen)),
        (1, Effect::Poll(Source::iter().collect())),
    ];
    assert_eq!(effects, expected);
    press(&mut account_set, "3");
    press(&mut account_set, "a");
    assert_eq!(account(&account_set), "chal-1");
    assert_eq!(account_set.shown().focus, selected);
    assert_eq!(account_set.shown().account.store.positions.rows().len(), 2);
}

#[test]
fn what_a_key_sends_goes_to_the_account_on_the_screen() {
    let mut account_set = account_set();
    press(&mut account_set, "a F");
    for _ in 0..3 {
        later(&mut account_set, 400, AccountScope::Shown, Msg::Tick);
    }
    let effects = later(&mut account_set, 300, AccountScope::Shown, Msg::Tick);
    let flatten = Command::Flatten("chal-2".into());
    assert_eq!(effects, [(1, Effect::Send(Ticket(1), flatten))]);
    press(&mut account_set, "a");
    let flatten = Command::Flatten("chal-1".into());
    let effects = later(&mut account_set, 0, AccountScope::Shown, Msg::Flatten);
    assert_eq!(
        effects,
        [(0, Effect::Send(Ticket(1), flatten))],
        "a signal too"
    );
}

#[test]
fn no_account_is_left_while_something_asks() {
    for open in ["X", "b", ":", "/", "?", "enter", "2 x", "E"] {
        let mut account_set = account_set();
        press(&mut account_set, open);
        press(&mut account_set, "a");
        assert_eq!(account(&account_set), "chal-1", "{open}");
    }
}

#[test]
fn a_flip_of_an_account_left_behind_goes_on_by_time() {
    let mut account_set = account_set();
    press(&mut account_set, "1 I");
    let key = Msg::Key('y'.into());
    let sent = later(&mut account_set, 200, AccountScope::Shown, key);
    assert!(
        matches!(sent.as_slice(), [(0, Effect::Send(Ticket(1), _)), ..]),
        "{sent:?}"
    );
    press(&mut account_set, "a");
    assert_eq!(account(&account_set), "chal-2");
    let json = r#""type":"market","mode":"market","side":"sell","size":0.5,"initial_size":0.5,
        "filled_size":0.5,"target_position_id":"pos-1","status":"filled""#;
    let order = crate::model::Order {
        reduce_only: true,
        ..testing::order("ord-9", "BTC", json)
    };
    let closed = Receipt::Order {
        order: Box::new(order),
        queued: false,
    };
    let settled = Msg::Settled(Ticket(1), Ok(closed));
    later(&mut account_set, 10, AccountScope::Account(0), settled);
    let wake = account_set.wake();
    let (due, whose) = wake.expect("it asks for lists again");
    assert_eq!(whose, AccountScope::Account(0));
    let reads = account_set.update(due, whose, Msg::Tick);
    let lists = Effect::Poll(vec![Source::Positions, Source::Orders]);
    assert!(reads.contains(&(0, lists)), "{reads:?}");
}

#[test]
fn what_came_of_a_command_on_an_account_left_behind_is_told_with_its_name() {
    let mut account_set = account_set();
    press(&mut account_set, "2 x");
    let effects = later(
        &mut account_set,
        200,
        AccountScope::Shown,
        Msg::Key('y'.into()),
    );
    let cancel = Command::Cancel("ord-1".into());
    assert_eq!(effects, [(0, Effect::Send(Ticket(1), cancel.clone()))]);
    press(&mut account_set, "a");
    let why = Failure::new(FailureKind::Conflict, "the order is filled");
    let settled = Msg::Settled(Ticket(1), Err(why.clone()));
    later(&mut account_set, 10, AccountScope::Account(0), settled);
    let expected = Event::Settled(cancel, Err(why));
    assert_eq!(elsewhere(&account_set), Some(("chal-1", &expected)));
    // It stays until it is dismissed, like any bad news, and is in both accounts' activity.
    later(&mut account_set, 60_000, AccountScope::Shown, Msg::Tick);
    assert!(elsewhere(&account_set).is_some());
    press(&mut account_set, "esc a");
    let line = account_set.shown().account.activity.lines.back().unwrap();
    assert_eq!(line.event, expected);
}

#[test]
fn a_fill_on_an_account_that_is_not_shown_is_told_by_toast_and_desktop_with_its_name() {
    let mut account_set = account_set();
    let filled = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"filled""#;
    let order = testing::order("ord-9", "BTC", filled);
    polled(&mut account_set, 1, Answer::History(Ok(Page::default())));
    let effects = polled(
        &mut account_set,
        1,
        Answer::History(Ok(Page::of(vec![order]))),
    );
    let Some(("swing", Event::Alert(Alert::Filled(told)))) = elsewhere(&account_set) else {
        panic!("{:?}", account_set.shown().account.activity.lines.back())
    };
    assert_eq!(told.id.raw(), "ord-9");
    let [(1, Effect::Terminal(TerminalOut::Notify(notice)))] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    assert!(matches!(&notice.event, Event::Elsewhere(told) if told.account == "swing"));
}

/// Calls of the account at this index, each with this outcome.
fn called(
    account_set: &mut AccountSet,
    at: usize,
    outcome: Result<u16, FailureKind>,
    times: usize,
) {
    for _ in 0..times {
        let call = Call {
            at: account_set.shown().account.now,
            method: "GET",
            target: "/v1/orders".into(),
            outcome,
            elapsed: Duration::from_millis(4),
            request_id: None,
            pause: None,
            date: None,
            budget: None,
        };
        later(
            account_set,
            10,
            AccountScope::Account(at),
            Msg::CallEnded(call),
        );
    }
}

#[test]
fn a_connection_that_is_back_takes_away_that_it_was_down_whichever_account_is_shown() {
    let down = Event::Alert(Alert::Down);
    for keys in ["", "a"] {
        let mut account_set = account_set();
        called(&mut account_set, 0, Err(FailureKind::Unreachable), 3);
        called(&mut account_set, 1, Err(FailureKind::Unreachable), 3);
        assert_eq!(elsewhere(&account_set), Some(("swing", &down)));
        press(&mut account_set, keys);
        called(&mut account_set, 0, Ok(200), 1);
        called(&mut account_set, 1, Ok(200), 1);
        for model in account_set.accounts() {
            assert_eq!(
                model.account.activity.toast(model.account.now),
                None,
                "{keys}"
            );
        }
    }
}

#[test]
fn one_account_that_is_back_says_nothing_of_another_that_is_down() {
    let mut account_set = account_set();
    called(&mut account_set, 0, Err(FailureKind::Unreachable), 3);
    called(&mut account_set, 1, Err(FailureKind::Unreachable), 3);
    called(&mut account_set, 0, Ok(200), 1);
    let down = Event::Alert(Alert::Down);
    assert_eq!(elsewhere(&account_set), Some(("swing", &down)));
}

#[test]
fn good_news_from_elsewhere_hides_no_bad_news_here() {
    let mut account_set = account_set();
    let bad = Msg::Notify(Tone::Alert, "the journal is down".to_owned());
    later(&mut account_set, 0, AccountScope::Shown, bad);
    account_set.beside(1, |model| {
        let receipt = Receipt::AlreadySo("gone".into());
        let event = Event::Settled(Command::Cancel("ord-7".into()), Ok(receipt));
        model.account.activity.note(None, event, model.account.now);
        vec![]
    });
    assert_eq!(elsewhere(&account_set), None);
    let newest = account_set.shown().account.activity.lines.back().unwrap();
    assert!(matches!(newest.event, Event::Elsewhere(_)));
}

#[test]
fn a_question_that_opened_unseen_is_read_before_a_key_answers_it() {
    let mut account_set = account_set();
    let command = Command::Cancel("ord-1".into());
    later(
        &mut account_set,
        0,
        AccountScope::Account(1),
        Msg::Resumed(Ticket(1_000_001), command),
    );
    let parked = Progress::Parked {
        why: Failure::new(FailureKind::Unknown, "no answer"),
        replay_until: testing::NOON.plus(Duration::from_mins(15)),
    };
    let parked = Msg::Progress(Ticket(1_000_001), parked);
    later(&mut account_set, 0, AccountScope::Account(1), parked);
    assert!(matches!(
        elsewhere(&account_set),
        Some(("swing", Event::Progress(..)))
    ));
    later(&mut account_set, 5_000, AccountScope::Shown, Msg::Tick);
    press(&mut account_set, "a");
    assert_eq!(
        press(&mut account_set, "y"),
        [],
        "the strip is deaf at first"
    );
    let again = later(
        &mut account_set,
        200,
        AccountScope::Shown,
        Msg::Key('y'.into()),
    );
    assert_eq!(again, [(1, Effect::Resend(Ticket(1_000_001)))]);
}

#[test]
fn a_display_that_is_held_goes_on_when_its_account_is_left() {
    let mut account_set = account_set();
    press(&mut account_set, "f");
    polled(&mut account_set, 0, Answer::Positions(Ok(Page::default())));
    assert_eq!(account_set.shown().account.store.positions.rows().len(), 2);
    press(&mut account_set, "a a");
    assert!(account_set.shown().frozen.is_none());
    assert_eq!(account_set.shown().account.store.positions.rows().len(), 0);
}

#[test]
fn the_list_of_accounts_and_the_command_line_go_to_one_by_place_and_by_name() {
    let mut account_set = account_set();
    press(&mut account_set, "A j enter");
    assert_eq!(
        (account(&account_set), account_set.shown().overlays.len()),
        ("chal-2", 0)
    );
    press(&mut account_set, "A k esc");
    assert_eq!(account(&account_set), "chal-2");
    let say = |account_set: &mut AccountSet, line: &str| {
        press(account_set, ":");
        for c in line.chars() {
            let now = account_set.shown().account.now;
            account_set.update(now, AccountScope::Shown, Msg::Key(Chord::from(c)));
        }
        press(account_set, "enter");
    };
    say(&mut account_set, "account chal-1");
    assert_eq!(account(&account_set), "chal-1");
    say(&mut account_set, "account swing");
    assert_eq!(account(&account_set), "chal-2");
    say(&mut account_set, "account nobody");
    let Some(Overlay::Prompt(prompt)) = account_set.shown().overlays.last() else {
        panic!("the line stays with its fault")
    };
    let fault = prompt.fault.as_ref().map(|fault| fault.what.as_str());
    assert_eq!(fault, Some("no account nobody: the desk has chal-1, swing"));
}

#[test]
fn a_desk_with_one_account_says_so() {
    let mut account_set = AccountSet::of(testing::desk());
    assert_eq!(press(&mut account_set, "a"), []);
    let said = account_set
        .shown()
        .account
        .activity
        .toast(account_set.shown().account.now)
        .unwrap();
    assert!(
        matches!(&said.event, Event::Message(Tone::Warn, text) if text.contains("one account"))
    );
}

#[test]
fn settings_that_read_otherwise_reach_each_account_as_its_profile_has_them() {
    let mut account_set = account_set();
    let now = testing::NOON;
    let paper = Identity {
        profile: Profile::default(),
        ..account_set.shown().account.identity.clone().unwrap()
    };
    account_set.join(account_set.shown().account.options.clone(), now);
    account_set.update(now, AccountScope::Account(2), Msg::Opened(paper));
    let options = account_set.shown().account.options.clone();
    let held = Options {
        checks: Checks {
            max_size: Some(testing::num("1")),
            ..options.checks.clone()
        },
        ..options.clone()
    };
    let reload = crate::app::desk::reload::Renewal {
        options: options.clone(),
        others: vec![("swing".to_owned(), held)],
        keymap: account_set.shown().keymap.clone(),
        changes: vec![],
        waiting: vec![],
        files: vec![],
    };
    press(&mut account_set, "a");
    let reread = Msg::Reload(Reload::Good(Box::new(reload.clone())));
    let effects = account_set.update(now, AccountScope::Shown, reread);
    assert_eq!(effects, []);
    let is_limited = |model: &Model| model.account.options.checks.max_size.is_some();
    let limited: Vec<_> = account_set.accounts().map(is_limited).collect();
    assert_eq!(limited, [false, true, false]);
    // A profile that was removed from the files keeps its settings.
    let gone = crate::app::desk::reload::Renewal {
        others: vec![],
        ..reload
    };
    let reread = Msg::Reload(Reload::Good(Box::new(gone)));
    assert_eq!(account_set.update(now, AccountScope::Shown, reread), []);
    assert!(is_limited(account_set.shown()));
}

#[test]
fn chosen_columns_are_those_of_every_account_and_of_one_that_comes_later() {
    let mut account_set = account_set();
    let effects = press(&mut account_set, "C space J enter");
    let [(0, Effect::Settings(SettingsRequest::Keep(Pane::Positions, Some(columns))))] =
        effects.as_slice()
    else {
        panic!("{effects:?}")
    };
    let options = account_set.shown().account.options.clone();
    account_set.join(options, testing::NOON);
    for model in account_set.accounts() {
        let table_view = model.table_views.of(Pane::Positions).unwrap();
        assert_eq!(table_view.columns.as_ref(), Some(columns));
    }
}
