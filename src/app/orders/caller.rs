//! Requests of other processes to this desk.
//!
//! Contract: a flatten has the same checks, ticket and activity line as one that is typed here. One in progress is not
//! started twice.

use crate::{
    app::{
        activity::{notice::Tone, user_alerts::AlertEdit},
        core::{
            caller::{CallerId, CallerRequest},
            effect::Effect,
            user_alerts,
        },
        desk::model::Model,
        rules::objection::objection,
    },
    model::Command,
};

use super::send::send;

pub(crate) fn asked(model: &mut Model, caller: CallerId, request: CallerRequest) -> Vec<Effect> {
    let done = match request {
        CallerRequest::Flatten(account) => flatten(model, Command::Flatten(account)),
        CallerRequest::EditAlerts(edit) => edit_alerts(model, &edit),
    };
    let (answer, effect) = match done {
        Ok(effect) => (Ok(()), effect),
        Err(why) => (Err(why), None),
    };
    let answer = Effect::AnswerCaller(caller, answer);
    effect.into_iter().chain([answer]).collect()
}

/// Answers the effect, if one is needed, or why it is not done.
fn flatten(model: &mut Model, command: Command) -> Result<Option<Effect>, String> {
    if model.account.store.is_in_progress(&command) {
        return Ok(None);
    }
    let words = command.words(&model.account.store.names);
    if let Some(why) = objection(&model.account, &command) {
        model.account.say(Tone::Warn, format!("{words}: {why}"));
        return Err(why);
    }
    model
        .account
        .say(Tone::Plain, format!("from the command line: {words}"));
    let (_, effect) = send(model, command);
    Ok(Some(effect))
}

/// The same lines and the same file as for an alert that is set or deleted on this desk.
fn edit_alerts(model: &mut Model, edit: &AlertEdit) -> Result<Option<Effect>, String> {
    user_alerts::edit(&mut model.account, edit).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            activity::{
                notice::Event,
                user_alerts::{AlertRepeat, AlertSubject, AlertTrigger, LevelSide, UserAlert},
            },
            desk::msg::Msg,
            testing::*,
            update::router::update,
        },
        model::{Num, Ticket, Timestamp},
    };

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
        assert_eq!(set, [kept, answer(Ok(()))]);
        assert_eq!(model.account.user_alerts.all().len(), 1);
        // Another process numbers it otherwise, and it has met a value since.
        let known = UserAlert {
            id: 40,
            side: Some(LevelSide::Below),
            ..what(66_000)
        };
        let refused = edit(&mut model, vec![known.clone(), what(70_000)], None);
        let why = "this desk has no alert btc > 70000".to_owned();
        assert_eq!(refused, [answer(Err(why))]);
        assert_eq!(model.account.user_alerts.all().len(), 1);
        let replaced = edit(&mut model, vec![known], Some(what(70_000)));
        assert_eq!(replaced.last(), Some(&answer(Ok(()))));
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
        let why = "the desk is read-only and sends nothing".to_owned();
        assert_eq!(ask_flatten(&mut model), [answer(Err(why))]);
        assert!(model.account.store.pending.is_empty());
    }

    #[test]
    fn a_flatten_that_is_asked_for_goes_out_once_and_shows_here() {
        let mut model = desk();
        let flatten = Command::Flatten("chal-1".into());
        let send = Effect::Send(Ticket(1), flatten.clone());
        assert_eq!(ask_flatten(&mut model), [send, answer(Ok(()))]);
        let said = model
            .account
            .activity
            .lines
            .iter()
            .map(|line| line.event.clone());
        let words = format!("from the command line: {flatten}");
        assert!(said.eq([Event::Message(Tone::Plain, words), Event::Sent(flatten)]));
        assert_eq!(ask_flatten(&mut model), [answer(Ok(()))]);
    }

    fn ask_flatten(model: &mut Model) -> Vec<Effect> {
        let now = model.account.now;
        let request = CallerRequest::Flatten("chal-1".into());
        update(model, now, Msg::Asked(CallerId(7), request))
    }

    fn answer(answer: Result<(), String>) -> Effect {
        Effect::AnswerCaller(CallerId(7), answer)
    }
}
