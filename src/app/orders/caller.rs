//! Runs requests of other processes as if they had been typed on this desk.
//!
//! Contract: the same checks, ticket and activity line; the caller also receives the events. A flatten in progress is
//! joined, not started twice.

use crate::{
    app::{
        activity::{notice::Tone, user_alerts::AlertEdit},
        core::{
            caller::{CallerId, CallerRequest, Sending},
            effect::Effect,
            user_alerts,
        },
        desk::model::Model,
        rules::objection::{objection, objection_within},
    },
    model::{Command, IdempotencyKey, Progress, Ticket},
};

use super::{pending::advance, send::send};

pub(crate) fn asked(model: &mut Model, caller: CallerId, request: CallerRequest) -> Vec<Effect> {
    match request {
        CallerRequest::Flatten(account) => flatten(model, caller, Command::Flatten(account)),
        CallerRequest::Send {
            command,
            key,
            sending,
            key_origin,
        } => {
            let refused = match sending {
                // The first sending was checked.
                Sending::Again if !model.account.options.read_only => None,
                Sending::First | Sending::Again => {
                    let limits = key_origin.limits(&model.account.options.checks);
                    objection_within(&model.account, &limits, &command)
                }
            };
            match refused {
                Some(why) => turn_away(model, caller, &command, why),
                None => send_as(model, caller, command, (key, sending)),
            }
        }
        CallerRequest::EditAlerts(edit) => edit_alerts(model, caller, &edit),
    }
}

fn flatten(model: &mut Model, caller: CallerId, command: Command) -> Vec<Effect> {
    if let Some(ticket) = under_way(model, &command) {
        return vec![Effect::ReportTo(caller, ticket)];
    }
    if let Some(why) = objection(&model.account, &command) {
        return turn_away(model, caller, &command, why);
    }
    let (ticket, effect) = begin(model, command);
    vec![Effect::ReportTo(caller, ticket), effect]
}

fn send_as(
    model: &mut Model,
    caller: CallerId,
    command: Command,
    (key, sending): (IdempotencyKey, Sending),
) -> Vec<Effect> {
    let (ticket, _) = begin(model, command.clone());
    if sending == Sending::Again {
        // It may have been sent before, under the same key.
        advance(model, ticket, &Progress::Sending { attempt: 1 });
    }
    let effect = Effect::SendAs(ticket, command, key);
    vec![Effect::ReportTo(caller, ticket), effect]
}

/// The same lines and the same file as for an alert that is set or deleted on this desk.
fn edit_alerts(model: &mut Model, caller: CallerId, edit: &AlertEdit) -> Vec<Effect> {
    match user_alerts::edit(&mut model.account, edit) {
        Ok(keep) => vec![keep, Effect::ConfirmAlerts(caller)],
        Err(why) => vec![Effect::RefuseCaller(caller, why)],
    }
}

fn turn_away(model: &mut Model, caller: CallerId, command: &Command, why: String) -> Vec<Effect> {
    let words = format!("{}: {why}", command.words(&model.account.store.names));
    model.account.say(Tone::Warn, words);
    vec![Effect::RefuseCaller(caller, why)]
}

fn begin(model: &mut Model, command: Command) -> (Ticket, Effect) {
    let words = command.words(&model.account.store.names);
    let words = format!("from the command line: {words}");
    model.account.say(Tone::Plain, words);
    send(model, command)
}

/// The same command, already in progress.
fn under_way(model: &Model, command: &Command) -> Option<Ticket> {
    let flights = model.account.store.flights.iter();
    let mut same = flights.filter(|(_, flight)| flight.command == *command);
    same.next().map(|(ticket, _)| *ticket)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            KeyOrigin,
            activity::{
                notice::Event,
                user_alerts::{AlertRepeat, AlertSubject, AlertTrigger, LevelSide, UserAlert},
            },
            desk::msg::Msg,
            testing::*,
            update::router::update,
        },
        model::{Num, Timestamp},
    };

    fn ask(model: &mut Model, command: Command) -> Vec<Effect> {
        let now = model.account.now;
        let request = CallerRequest::Send {
            command,
            key: "mine".into(),
            sending: Sending::First,
            key_origin: KeyOrigin::Made,
        };
        update(model, now, Msg::Asked(CallerId(7), request))
    }

    #[test]
    fn what_the_command_line_asks_for_goes_out_under_its_own_key_and_shows_here() {
        let mut model = desk();
        let cancel = Command::Cancel("ord-1".into());
        let sent = ask(&mut model, cancel.clone());
        assert_eq!(
            sent,
            [
                Effect::ReportTo(CallerId(7), Ticket(1)),
                Effect::SendAs(Ticket(1), cancel.clone(), "mine".into()),
            ]
        );
        assert!(model.account.store.flights.contains_key(&Ticket(1)));
        let said = model
            .account
            .activity
            .lines
            .iter()
            .map(|line| line.event.clone());
        let words = "from the command line: cancel order ord-1".to_owned();
        assert!(said.eq([Event::Message(Tone::Plain, words), Event::Sent(cancel)]));
    }

    #[test]
    fn an_equal_order_under_a_key_that_was_chosen_is_another_order() {
        let place = |key_origin| {
            let mut model = desk();
            model.account.options.checks.duplicate_within = std::time::Duration::from_secs(2);
            let effects = press(&mut model, "b 0 . 1 enter");
            let [Effect::Send(_, command)] = effects.as_slice() else {
                panic!("{effects:?}");
            };
            let request = CallerRequest::Send {
                command: command.clone(),
                key: "another".into(),
                sending: Sending::First,
                key_origin,
            };
            let now = model.account.now;
            update(&mut model, now, Msg::Asked(CallerId(7), request))
        };
        let effects = place(KeyOrigin::Chosen);
        assert!(
            matches!(effects.as_slice(), [_, Effect::SendAs(..)]),
            "{effects:?}"
        );
        let effects = place(KeyOrigin::Made);
        assert!(
            matches!(effects.as_slice(), [Effect::RefuseCaller(..)]),
            "{effects:?}"
        );
    }

    fn edit(model: &mut Model, remove: Vec<UserAlert>, add: Option<UserAlert>) -> Vec<Effect> {
        let now = model.account.now;
        let request = CallerRequest::EditAlerts(AlertEdit { remove, add });
        update(model, now, Msg::Asked(CallerId(7), request))
    }

    #[test]
    fn the_command_line_sets_and_removes_alerts_of_the_desk_all_or_nothing() {
        let mut model = desk();
        let what = |level: u32| {
            let subject = AlertSubject::Price("paper|BTC".into());
            let trigger = (subject, AlertTrigger::Above, Num::from(level));
            UserAlert::new(trigger, AlertRepeat::Once, None, Timestamp(5))
        };
        let set = edit(&mut model, vec![], Some(what(66_000)));
        let kept = Effect::KeepUserAlerts(Box::new(model.account.user_alerts.kept()));
        assert_eq!(set, [kept, Effect::ConfirmAlerts(CallerId(7))]);
        assert_eq!(model.account.user_alerts.all().len(), 1);
        // Another process numbers it otherwise, and it has met a value since.
        let known = UserAlert {
            id: 40,
            side: Some(LevelSide::Below),
            ..what(66_000)
        };
        let refused = edit(&mut model, vec![known.clone(), what(70_000)], None);
        let why = "this desk has no alert btc > 70000".to_owned();
        assert_eq!(refused, [Effect::RefuseCaller(CallerId(7), why)]);
        assert_eq!(model.account.user_alerts.all().len(), 1);
        let replaced = edit(&mut model, vec![known], Some(what(70_000)));
        assert_eq!(replaced.last(), Some(&Effect::ConfirmAlerts(CallerId(7))));
        let levels = model
            .account
            .user_alerts
            .all()
            .iter()
            .map(|alert| alert.level);
        assert!(levels.eq([Num::from(70_000_u32)]));
    }

    #[test]
    fn a_desk_that_only_reads_turns_everybody_away() {
        let mut model = desk();
        model.account.options.read_only = true;
        let refused = ask(&mut model, Command::CloseAll("chal-1".into()));
        let why = "the desk is read-only and sends nothing".to_owned();
        assert_eq!(refused, [Effect::RefuseCaller(CallerId(7), why)]);
        assert!(model.account.store.flights.is_empty());
    }

    #[test]
    fn a_flatten_that_is_under_way_is_joined() {
        let mut model = desk();
        let flatten = Command::Flatten("chal-1".into());
        let asked = || Msg::Asked(CallerId(7), CallerRequest::Flatten("chal-1".into()));
        let now = model.account.now;
        let first = update(&mut model, now, asked());
        let send = Effect::Send(Ticket(1), flatten);
        assert_eq!(first, [Effect::ReportTo(CallerId(7), Ticket(1)), send]);
        let second = update(&mut model, now, asked());
        assert_eq!(second, [Effect::ReportTo(CallerId(7), Ticket(1))]);
    }
}
