//! Any keys in any order.

use super::*;
use crate::{app::tables::click_target::ClickTarget, model::Num};
use proptest::prelude::*;

const KEYS: &[&str] = &[
    "b",
    "s",
    "c",
    "x",
    "e",
    "m",
    "X",
    "F",
    "U",
    "ctrl-x",
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

/// Effects that would be a wrong order whatever the trader meant.
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
        | Effect::Resend(_)
        | Effect::ReadRemains(..)
        | Effect::GiveUp(_)
        | Effect::SwitchAccount(_)
        | Effect::Visibility(_)
        | Effect::Poll(_)
        | Effect::Earlier(_)
        | Effect::Watch(_)
        | Effect::ReadOften(_)
        | Effect::Attend
        | Effect::ShowMarkets(_)
        | Effect::Rearm
        | Effect::Terminal(_)
        | Effect::Write(_)
        | Effect::Settings(_)
        | Effect::Read(_)
        | Effect::SetTheme(_)
        | Effect::Keep(_)
        | Effect::RunAlertCommand(_)
        | Effect::Quit => true,
    }
}

/// A read-only desk with a question of its last session and an offer on its screen.
fn read_only_desk() -> Model {
    let mut model = desk();
    model.account.options.read_only = true;
    let (now, ticket) = (model.account.now, Ticket(1_000_001));
    update(&mut model, now, Msg::Resumed(ticket, cancel()));
    let parked = Progress::Parked {
        why: Failure::new(FailureKind::Unknown, "no answer"),
        replay_until: now.plus(Duration::from_mins(15)),
    };
    update(&mut model, now, Msg::Progress(ticket, parked));
    let text = "order ord-2 differs from the request: size 2 instead of 1".to_owned();
    update(&mut model, now, Msg::Offered(text, cancel()));
    model
}

fn sends(effect: &Effect) -> bool {
    matches!(effect, Effect::Send(..) | Effect::Resend(_))
}

/// Every key with a meaning, and every other that can be typed.
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
            let now = model.account.now;
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
        // A strip over the exact JSON of a form with typed text.
        press(&mut model, "esc esc esc esc");
        prop_assert_eq!(&model.overlays, &vec![]);
    }
}

/// The keys that lead to every pane, panel, form and dialog.
const PLACES: &[&str] = &[
    "", "1", "2", "3", "4", "5", "6", "7", "8", "9", "b", "s", "c", "2 m", "2 e", "x", "X", "F",
    "q", ":", "/", "?", "enter", "2 enter", "i", "#", "A", "V", "l", "o", "w", "v", "E", "* c",
    "C", "p", "t", "T", "M",
];

/// Every key that a keyboard has, with and without Ctrl.
fn all_keys() -> Vec<String> {
    let typed = (b'!'..=b'~').map(|byte| char::from(byte).to_string());
    let held = (b'a'..=b'z').map(|byte| format!("ctrl-{}", char::from(byte)));
    let named = KEYS
        .iter()
        .filter(|key| key.len() > 1)
        .map(|key| (*key).to_owned());
    typed.chain(held).chain(named).collect()
}

/// The desk there, and long enough after that no dialog is deaf any more.
fn desk_at(place: &str) -> Model {
    let mut model = desk();
    press(&mut model, place);
    wait(&mut model, 1_000);
    model
}

#[test]
fn no_key_click_or_wheel_is_without_an_effect_or_an_answer() {
    let targets = [ClickTarget::Nothing, ClickTarget::Over];
    let clicks = targets.iter().cloned().map(Msg::Click);
    let wheel = Msg::Scrolled(ClickTarget::Nothing, 0..0);
    let keys = all_keys().into_iter().flat_map(|key| {
        let chord = key.parse().unwrap();
        [Msg::Key(chord), Msg::Unseen(chord)]
    });
    let inputs: Vec<_> = keys.chain(clicks).chain([wheel]).collect();
    std::thread::scope(|scope| {
        for places in PLACES.chunks(PLACES.len().div_ceil(4)) {
            let inputs = &inputs;
            scope.spawn(move || {
                for place in places {
                    answers_everything(place, inputs);
                }
            });
        }
    });
}

#[track_caller]
fn answers_everything(place: &str, inputs: &[Msg]) {
    let before = format!("{:?}", desk_at(place));
    assert_eq!(before, format!("{:?}", desk_at(place)), "{place:?}");
    for input in inputs {
        let mut model = desk_at(place);
        let now = model.account.now;
        let effects = update(&mut model, now, input.clone());
        let is_answered = !effects.is_empty() || format!("{model:?}") != before;
        assert!(
            is_answered,
            "{place:?}: {input:?} has no effect and no answer"
        );
    }
}
