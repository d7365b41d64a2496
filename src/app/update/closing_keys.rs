//! Close-all and flatten by key.
//!
//! Contract: a key pressed before the account is known is not lost: the screen says that it waits, and it begins as soon as
//! the account is known, as if it were pressed then.

use crate::{
    app::{
        account::{identity::Identity, options::CloseAllRule},
        activity::notice::Tone,
        core::account::EarlyExit,
        desk::model::Model,
        dialogs::{
            next::Next,
            overlay::{Overlay, Strip},
        },
        keys::keymap::{Action, Context},
        orders::{doubt, send::tell},
        workflows::{StopReason, WorkflowEvent},
    },
    model::{Command, READ_ONLY},
};

pub(crate) fn close_all(model: &mut Model) -> Next {
    let Ok(account) = model.account.account_for("close all") else {
        return wait_for_account(model, EarlyExit::CloseAllKey);
    };
    if let Some((running, _)) = model.account.store.closing_all() {
        let words = if matches!(running.command, Command::Flatten(_)) {
            "a flatten is already running, and closes every position"
        } else {
            "a close-all is already running"
        };
        return Next::Refuse(words.to_owned());
    }
    begin(model, Command::CloseAll(account))
}

pub(crate) fn flatten(model: &mut Model) -> Next {
    let Ok(account) = model.account.account_for("flatten") else {
        return wait_for_account(model, EarlyExit::FlattenKey);
    };
    let command = Command::Flatten(account);
    if model.account.store.is_in_progress(&command) {
        return Next::Refuse("a flatten is already running".to_owned());
    }
    begin(model, command)
}

/// The strip of close-all or flatten: acts by itself or when confirmed, as configured (at once without a delay). An
/// open question is postponed, so that a second `y` does not answer it unseen.
fn begin(model: &mut Model, command: Command) -> Next {
    let stopped = WorkflowEvent::Stopped(StopReason::Requested(&command));
    drop(tell(model, stopped));
    if let Some(Overlay::Strip(open)) = model.overlays.last() {
        if open.is_at_least(&command) {
            return Next::Stay;
        }
        model.overlays.pop();
    }
    let strip = match model.account.options.close_all {
        CloseAllRule::After(delay) => Strip::countdown(command, delay, model.account.now),
        CloseAllRule::Confirmed => Strip::confirm(command, model.account.now),
    };
    Next::open(strip)
}

/// Until the account is known. A flatten includes a close-all, so it replaces one.
fn wait_for_account(model: &mut Model, wanted: EarlyExit) -> Next {
    if model.account.options.read_only {
        return Next::Refuse(READ_ONLY.to_owned());
    }
    model.account.early_exit = model.account.early_exit.max(Some(wanted));
    let name = model.account.early_exit.map_or("", EarlyExit::name);
    let stop = match model.account.early_exit {
        Some(EarlyExit::CloseAllKey | EarlyExit::FlattenKey) => stopping_key(model),
        Some(EarlyExit::FlattenNow) | None => String::new(),
    };
    let words = format!("{name} waits: it starts as soon as the account is read{stop}");
    model.account.say(Tone::Alert, words);
    Next::Stay
}

fn stopping_key(model: &Model) -> String {
    let key = model.keymap.chord(Context::Desk, Action::Dismiss);
    key.map_or_else(String::new, |key| format!("; {key} stops it"))
}

/// The key that dismisses stops what waits for the account; a signal's flatten is not stopped. Answers whether it did.
pub(crate) fn stop(model: &mut Model) -> bool {
    let Some(stopped @ (EarlyExit::CloseAllKey | EarlyExit::FlattenKey)) = model.account.early_exit
    else {
        return false;
    };
    model.account.early_exit = None;
    model.account.activity.dismiss_toast(model.account.now);
    let words = format!("{} stopped: nothing was sent", stopped.name());
    model.account.say(Tone::Plain, words);
    true
}

/// The account is known: what waited for it begins.
pub(crate) fn opened(model: &mut Model, identity: Identity) -> Next {
    model.account.identity = Some(identity);
    match model.account.early_exit.take() {
        None => Next::Stay,
        Some(EarlyExit::FlattenNow) => Next::AskEach(doubt::flatten_now(model)),
        Some(EarlyExit::CloseAllKey) => close_all(model),
        Some(EarlyExit::FlattenKey) => flatten(model),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            account::identity::Identity, core::effect::Effect, desk::msg::Msg, testing::*,
            update::router::update,
        },
        model::Ticket,
    };

    /// A desk in its first milliseconds, and the account that it is about to know.
    fn early() -> (Model, Identity) {
        let mut model = bare_desk();
        let identity = model.account.identity.take().unwrap();
        (model, identity)
    }

    fn open(model: &mut Model, identity: Identity) -> Vec<Effect> {
        update(model, model.account.now, Msg::Opened(identity))
    }

    fn toast(model: &Model) -> String {
        let line = model.account.activity.toast(model.account.now).unwrap();
        let crate::app::activity::notice::Event::Message(_, words) = &line.event else {
            panic!("{:?}", line.event);
        };
        words.clone()
    }

    fn sent(command: Command) -> Vec<Effect> {
        vec![Effect::Send(Ticket(1), command)]
    }

    #[test]
    fn a_key_pressed_before_the_account_is_known_waits_and_counts_down_once_it_is() {
        for (key, words, command) in [
            ("X", "close-all waits", Command::CloseAll("chal-1".into())),
            ("F", "flatten waits", Command::Flatten("chal-1".into())),
        ] {
            let (mut model, identity) = early();
            assert_eq!(press(&mut model, key), vec![]);
            let expected =
                format!("{words}: it starts as soon as the account is read; Esc stops it");
            assert_eq!(toast(&model), expected);
            assert_eq!(wait(&mut model, 60_000), vec![]);
            assert_eq!(open(&mut model, identity), vec![]);
            assert_eq!(model.overlays.len(), 1, "{key}");
            assert_eq!(wait(&mut model, 1_500), sent(command));
        }
    }

    #[test]
    fn without_a_delay_it_is_sent_with_the_account() {
        let (mut model, identity) = early();
        model.account.options.close_all = CloseAllRule::After(std::time::Duration::ZERO);
        press(&mut model, "X");
        let close_all = Command::CloseAll("chal-1".into());
        assert_eq!(open(&mut model, identity), sent(close_all));
    }

    #[test]
    fn of_several_early_keys_the_one_that_does_most_is_done_once() {
        for keys in ["X F", "F X", "F F X X"] {
            let (mut model, identity) = early();
            press(&mut model, keys);
            assert!(toast(&model).starts_with("flatten waits"), "{keys}");
            open(&mut model, identity);
            let flatten = Command::Flatten("chal-1".into());
            assert_eq!(wait(&mut model, 1_500), sent(flatten), "{keys}");
            assert_eq!(wait(&mut model, 60_000), vec![], "{keys}");
        }
    }

    #[test]
    fn esc_stops_what_waits_wherever_it_is_pressed_and_does_nothing_else() {
        for (keys, left) in [("F esc", 0), ("F ? esc", 1), (": F X ctrl-f esc", 1)] {
            let (mut model, identity) = early();
            press(&mut model, keys);
            assert_eq!(toast(&model), "flatten stopped: nothing was sent", "{keys}");
            open(&mut model, identity);
            assert_eq!(wait(&mut model, 60_000), vec![], "{keys}");
            assert_eq!(model.overlays.len(), left, "{keys}");
        }
    }

    #[test]
    fn a_screen_too_small_to_draw_stops_it_too() {
        let (mut model, identity) = early();
        let now = model.account.now;
        for key in ["X", "esc"] {
            update(&mut model, now, Msg::Unseen(key.parse().unwrap()));
        }
        open(&mut model, identity);
        assert_eq!(model.overlays, vec![]);
    }

    #[test]
    fn a_flatten_by_signal_is_not_stopped_by_a_key_and_not_asked_about() {
        let (mut model, identity) = early();
        let now = model.account.now;
        update(&mut model, now, Msg::Flatten);
        press(&mut model, "X esc esc");
        let flatten = Command::Flatten("chal-1".into());
        assert_eq!(open(&mut model, identity), sent(flatten));
    }

    #[test]
    fn a_read_only_desk_refuses_at_once() {
        let (mut model, identity) = early();
        model.account.options.read_only = true;
        press(&mut model, "X");
        assert_eq!(model.account.early_exit, None);
        assert_eq!(open(&mut model, identity), vec![]);
        assert_eq!(model.overlays, vec![]);
    }
}
