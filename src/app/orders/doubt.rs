//! Commands of unknown outcome, and flatten.
//!
//! A parked command stays in progress until a person or a response decides; its question is a strip bound to its
//! ticket.

use super::send::{send, tell};
use crate::{
    app::{
        account::row_id::RowId,
        activity::notice::{Event, Tone},
        core::{
            account::{Account, EarlyExit},
            effect::Effect,
        },
        desk::model::Model,
        dialogs::{
            next::{Next, Reply},
            overlay::{Arm, Overlay, Strip},
        },
        keys::keymap::{Action, Context},
        workflows::WorkflowEvent,
    },
    model::{Command, Failure, OrderId, Progress, READ_ONLY, Receipt, Ticket},
};

/// Why the key that sends a request again does not send this one.
pub(crate) fn reopens(model: &Model) -> String {
    let key = model.keymap.chord(Context::Strip, Action::Reopen);
    let key = key.map_or_else(String::new, |key| format!("; {key} sends it anyway"));
    format!("not sent again: a close-all was requested after this order{key}")
}

/// A command needs a person's decision. The form that sent it must not send another, so it is dropped. The question
/// opens unless the trader is busy with something else.
pub(crate) fn park(model: &mut Model, ticket: Ticket) {
    model.sent_forms.remove(&ticket);
    if model.overlays.is_empty() {
        ask(model, ticket);
    }
}

/// Opens the question about a parked command.
fn ask(model: &mut Model, ticket: Ticket) {
    if let Some(strip) = question(model, ticket) {
        model.overlays.push(Overlay::Strip(strip));
    }
}

fn question(model: &Model, ticket: Ticket) -> Option<Strip> {
    let pending = model.account.store.pending.get(&ticket)?;
    match &pending.progress {
        Progress::Parked { replay_until, .. } => Some(Strip {
            proposal: pending.command.clone().into(),
            arm: Arm::Question {
                ticket,
                replay_until: *replay_until,
            },
            drawn_at: model.account.now,
        }),
        Progress::Queued
        | Progress::Sending { .. }
        | Progress::Unknown { .. }
        | Progress::Waiting { .. }
        | Progress::Running { .. }
        | Progress::Flattening(_) => None,
    }
}

/// The key that opens the question: about the selected line's command, or the one that has waited longest.
pub(crate) fn decide(model: &Model, row: Option<&RowId>) -> Reply {
    let selected = row.and_then(|row| match row {
        RowId::Line(number) => model.account.activity.line(*number)?.ticket,
        RowId::Position(_)
        | RowId::Order(_)
        | RowId::Twap(_)
        | RowId::Scaled(_)
        | RowId::Rung(..) => None,
    });
    let strip = selected
        .into_iter()
        .chain(model.account.store.parked())
        .find_map(|ticket| question(model, ticket));
    let strip = strip.ok_or_else(|| undecided(&model.account))?;
    Ok(Next::open(strip))
}

/// Why there is nothing to decide.
fn undecided(account: &Account) -> String {
    match account.workflows.under_way(&account.store) {
        0 => "no command has an unknown status".to_owned(),
        1 => "1 command is pending: perpdeck is finding out its outcome".to_owned(),
        n => format!("{n} commands are pending: perpdeck is finding out their outcomes"),
    }
}

/// Closes the question of a command that settled or is resent.
pub(crate) fn close_question(model: &mut Model, ticket: Ticket) {
    let asks = |overlay: &Overlay| {
        let Overlay::Strip(strip) = overlay else {
            return false;
        };
        matches!(strip.arm, Arm::Question { ticket: doubted, .. } if doubted == ticket)
    };
    model.overlays.retain(|overlay| !asks(overlay));
}

/// Raises an alert, and opens the strip that undoes its cause unless the trader is busy.
pub(crate) fn offer(model: &mut Model, text: String, command: Command) -> Vec<Effect> {
    model.account.say(Tone::Alert, text);
    if model.overlays.is_empty() {
        let strip = Strip::confirm(command, model.account.now);
        model.overlays.push(Overlay::Strip(strip));
    }
    vec![]
}

/// A queued cancel has ended: the order is canceled, or had ended otherwise.
pub(crate) fn end(
    model: &mut Model,
    order: &OrderId,
    result: Result<Receipt, Failure>,
) -> Vec<Effect> {
    model.account.store.queued_cancels.remove(order);
    let cancel = Command::Cancel(order.clone());
    let about = model.account.store.object_of(&cancel);
    let next = tell(model, WorkflowEvent::CancelEnded(order, &result));
    let event = Event::Settled(cancel, result);
    model.account.note_of(about, None, event);
    next
}

/// Requested from outside the terminal: without a strip or question.
pub(crate) fn flatten_now(model: &mut Model) -> Vec<Effect> {
    let Some(identity) = &model.account.identity else {
        model.account.early_exit = model.account.early_exit.max(Some(EarlyExit::FlattenNow));
        let text = "flatten: the account is not known yet; flattening begins once it is";
        model.account.say(Tone::Alert, text);
        return vec![];
    };
    if model.account.options.read_only {
        model
            .account
            .say(Tone::Alert, format!("flatten: {READ_ONLY}"));
        return vec![];
    }
    let command = Command::Flatten(identity.account_id.clone());
    if model.account.store.is_in_progress(&command) {
        return vec![];
    }
    let (_, effect) = send(model, command);
    vec![effect]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{desk::msg::Msg, testing::*, update::router::update};
    use crate::model::{FailureKind, Timestamp};
    use std::time::Duration;

    const TICKET: Ticket = Ticket(1_000_007);

    fn parked(model: &mut Model) -> Timestamp {
        let replay_until = model.account.now.plus(Duration::from_mins(15));
        let command = Command::Cancel("ord-1".into());
        let now = model.account.now;
        update(model, now, Msg::Resumed(TICKET, command));
        let why = Failure::new(FailureKind::Unknown, "no answer");
        let progress = Progress::Parked { why, replay_until };
        update(model, now, Msg::Progress(TICKET, progress));
        replay_until
    }

    #[test]
    fn what_is_still_being_found_out_is_not_called_settled() {
        let mut model = desk();
        press(&mut model, "u");
        let told = |model: &Model| {
            let notice = model.account.activity.toast(model.account.now).unwrap();
            let Event::Message(_, words) = &notice.event else {
                panic!("{:?}", notice.event);
            };
            words.clone()
        };
        assert_eq!(told(&model), "no command has an unknown status");
        let now = model.account.now;
        update(
            &mut model,
            now,
            Msg::Resumed(TICKET, Command::Cancel("ord-1".into())),
        );
        update(
            &mut model,
            now,
            Msg::Progress(TICKET, Progress::Sending { attempt: 2 }),
        );
        press(&mut model, "u");
        let words = "1 command is pending: perpdeck is finding out its outcome";
        assert_eq!(told(&model), words);
    }

    #[test]
    fn a_command_in_doubt_asks_and_y_sends_the_same_request_again() {
        let mut model = desk();
        parked(&mut model);
        assert_eq!(press(&mut model, "y"), vec![], "the strip is still deaf");
        wait(&mut model, 200);
        assert_eq!(press(&mut model, "y"), vec![Effect::Resend(TICKET)]);
        assert_eq!(model.overlays, vec![]);
    }

    #[test]
    fn leaving_with_an_order_in_doubt_is_asked_about_once_and_names_it() {
        for yes in ["q", "y"] {
            let mut model = desk();
            parked(&mut model);
            press(&mut model, "esc");
            assert_eq!(press(&mut model, "q"), vec![]);
            let strip = model
                .overlays
                .last()
                .and_then(Overlay::try_as_strip_ref)
                .unwrap();
            let zone = crate::model::Zone::utc();
            let scene = crate::view::Scene::of(&model, &zone);
            let words = crate::view::strip(&model, &scene, strip).words.into_iter();
            let words: String = words.map(|span| span.text).collect();
            let named = "quit? status unknown: cancel BUY 0.10000 BTC limit @ 60,000 (ord-1) may or may not have \
                         executed";
            assert!(words.starts_with(named), "{words}");
            assert_eq!(press(&mut model, yes), vec![], "the strip is still deaf");
            wait(&mut model, 200);
            assert_eq!(press(&mut model, yes), vec![Effect::Quit]);
        }
    }

    #[test]
    fn a_question_put_off_is_asked_again_by_its_key_and_can_be_given_up() {
        let mut model = desk();
        parked(&mut model);
        press(&mut model, "esc");
        assert_eq!(model.overlays, vec![]);
        press(&mut model, "u");
        wait(&mut model, 200);
        assert_eq!(press(&mut model, "g"), vec![Effect::GiveUp(TICKET)]);
    }

    #[test]
    fn a_question_does_not_lapse_but_past_its_window_the_request_is_not_sent_again() {
        let mut model = desk();
        let replay_until = parked(&mut model);
        update(&mut model, replay_until, Msg::Tick);
        assert_eq!(model.overlays.len(), 1);
        assert_eq!(press(&mut model, "y"), vec![]);
        assert_eq!(model.overlays.len(), 1);
    }

    #[test]
    fn what_would_open_anew_after_a_close_all_is_sent_again_by_a_key_of_its_own_only() {
        let mut model = desk();
        let sent = press(&mut model, "b 0 . 1 enter");
        let [Effect::Send(ticket, Command::Place(_))] = sent.as_slice() else {
            panic!("{sent:?}");
        };
        press(&mut model, "esc X");
        wait(&mut model, 1_500);
        let progress = Progress::Parked {
            why: Failure::new(FailureKind::Unknown, "no answer"),
            replay_until: model.account.now.plus(Duration::from_mins(15)),
        };
        let now = model.account.now;
        update(&mut model, now, Msg::Progress(*ticket, progress));
        wait(&mut model, 200);
        assert_eq!(press(&mut model, "y"), vec![]);
        let told = model.account.activity.toast(model.account.now).unwrap();
        let words = "not sent again: a close-all was requested after this order; O sends it anyway";
        assert_eq!(told.event, Event::Message(Tone::Warn, words.to_owned()));
        assert_eq!(press(&mut model, "O"), vec![Effect::Resend(*ticket)]);
    }

    #[test]
    fn an_answer_that_comes_after_all_takes_the_question_away() {
        let mut model = desk();
        parked(&mut model);
        let why = Failure::new(FailureKind::Conflict, "the order is filled");
        let now = model.account.now;
        update(&mut model, now, Msg::Settled(TICKET, Err(why)));
        assert_eq!(model.overlays, vec![]);
        assert_eq!(model.account.store.parked().count(), 0);
    }

    #[test]
    fn flatten_counts_down_like_close_all_and_goes_once() {
        let mut model = desk();
        press(&mut model, "F");
        assert_eq!(model.overlays.len(), 1);
        let flatten = Command::Flatten("chal-1".into());
        let effects = wait(&mut model, 1_500);
        assert_eq!(effects, vec![Effect::Send(Ticket(1), flatten)]);
        press(&mut model, "F");
        assert_eq!(model.overlays, vec![], "one is on its way already");
    }

    #[test]
    fn a_signal_flattens_at_once_and_one_that_comes_early_is_not_lost() {
        let mut model = desk();
        let now = model.account.now;
        let flatten = Command::Flatten("chal-1".into());
        let sent = vec![Effect::Send(Ticket(1), flatten)];
        assert_eq!(update(&mut model, now, Msg::Flatten), sent);
        assert_eq!(update(&mut model, now, Msg::Flatten), vec![]);

        let mut early = desk();
        let identity = early.account.identity.take().unwrap();
        assert_eq!(update(&mut early, now, Msg::Flatten), vec![]);
        assert_eq!(update(&mut early, now, Msg::Opened(identity)), sent);
    }

    #[test]
    fn a_queued_cancel_is_marked_until_it_ends() {
        let mut model = desk();
        let now = model.account.now;
        let cancel = Command::Cancel("ord-1".into());
        let (ticket, _) = send(&mut model, cancel);
        let queued = Receipt::Cancel(crate::model::CancelResult {
            id: "ord-1".into(),
            canceled: false,
            queued: true,
        });
        update(&mut model, now, Msg::Settled(ticket, Ok(queued)));
        assert!(model.account.store.queued_cancels.contains(&"ord-1".into()));
        let why = Failure::new(FailureKind::Conflict, "order ord-1 is filled");
        update(&mut model, now, Msg::Ended("ord-1".into(), Err(why)));
        assert!(model.account.store.queued_cancels.is_empty());
    }
}
