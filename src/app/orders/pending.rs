//! The life of a pending command: its progress and its outcome.

use super::{
    brackets, bulk, doubt,
    send::{tell, tell_some},
    submit::{learn, settle_form},
};
use crate::{
    app::{
        account::poll::Source,
        activity::notice::Event,
        core::{alerts, effect::Effect},
        desk::{model::Model, row_replacement},
        workflows::WorkflowEvent,
    },
    model::{Command, Failure, Order, OrderId, Progress, Receipt, Ticket},
};
use strum::IntoEnumIterator;

/// A command has progressed.
pub(crate) fn advance(model: &mut Model, ticket: Ticket, progress: &Progress) -> Vec<Effect> {
    let news = alerts::advanced(&mut model.account, ticket, progress);
    let Some(pending) = model.account.store.pending.get_mut(&ticket) else {
        return vec![];
    };
    pending.progress = progress.clone();
    let silent = matches!(progress, Progress::Queued | Progress::Sending { .. });
    let parked = matches!(progress, Progress::Parked { .. });
    let polls = matches!(progress, Progress::Running { .. } | Progress::Flattening(_));
    if !silent {
        let event = Event::Progress(pending.command.clone(), progress.clone());
        let about = pending.about.clone();
        model.account.note_of(about, Some(ticket), event);
    }
    let next = tell_some(model, Some(ticket), WorkflowEvent::Progressed(progress));
    if parked {
        doubt::park(model, ticket);
    } else {
        doubt::close_question(model, ticket);
    }
    let polls = polls.then(|| Effect::Poll(vec![Source::Positions]));
    let raised = alerts::raise(&mut model.account, news);
    polls.into_iter().chain(next).chain(raised).collect()
}

/// A command has settled.
pub(crate) fn settle(
    model: &mut Model,
    ticket: Ticket,
    result: &Result<Receipt, Failure>,
) -> Vec<Effect> {
    let Some(pending) = model.account.store.pending.remove(&ticket) else {
        return vec![];
    };
    // A close-all reports what still runs at its end; all others what they were sent for.
    let about = match pending.about.target {
        Some(_) => pending.about,
        None => model.account.store.object_of(&pending.command),
    };
    let mut placed = vec![];
    if let Ok(receipt) = result {
        placed = model
            .account
            .store
            .settle(&pending.command, receipt, model.account.now);
        row_replacement::settled(model, ticket, receipt);
    }
    model.account.store.learn_scope(result);
    let news = alerts::settled(&mut model.account, (ticket, &pending.command), result);
    learn(model, &pending.command, result);
    if let Command::ExitBatch(_) = pending.command {
        model.account.workflows.exits_answered = Some((model.account.now, ticket));
    }
    let is_of_bulk = bulk::settle(model, ticket, result);
    doubt::close_question(model, ticket);
    brackets::carry_over(&mut model.account, ticket, result);
    let outcome = WorkflowEvent::settled(&pending.command, result);
    let event = Event::Settled(pending.command, result.clone());
    model.account.note_of(about, Some(ticket), event);
    let next = tell_some(model, Some(ticket), outcome);
    // The form of a workflow stays with it until it ends.
    if model.account.workflows.owner(ticket).is_none() {
        let form = model.sent_forms.remove(&ticket);
        settle_form(model, form, result);
    }
    if is_of_bulk {
        model.account.activity.dismiss_toast(model.account.now);
    }
    let polls = Source::iter().filter(|s| *s != Source::Markets).collect();
    let watch = (!placed.is_empty()).then_some(Effect::Watch(placed));
    let raised = alerts::raise(&mut model.account, news);
    let wanted = watch.into_iter().chain([Effect::Poll(polls)]);
    wanted.chain(next).chain(raised).collect()
}

/// A search ended, with these orders found.
pub(crate) fn traced(model: &mut Model, requested: &[OrderId], found: &[Order]) -> Vec<Effect> {
    let mut effects = alerts::traced(&mut model.account, requested, found);
    effects.extend(tell(model, WorkflowEvent::Found(requested, found)));
    effects
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{
        activity::notice::Tone, desk::msg::Msg, dialogs::overlay::Overlay, testing::*,
        update::router::update,
    };

    #[test]
    fn a_dry_run_tells_only_that_it_was_not_sent_and_the_form_keeps_what_was_written() {
        let mut model = desk();
        model.account.options.dry_run = true;
        let sent = press(&mut model, "b 0 . 1 enter");
        let [Effect::Send(ticket, Command::Place(_))] = sent.as_slice() else {
            panic!("{sent:?}");
        };
        assert_eq!(
            model.account.activity.lines.len(),
            0,
            "nothing is called sent"
        );
        let why = Failure::dry_run("POST /v1/orders {}");
        let now = model.account.now;
        update(&mut model, now, Msg::Settled(*ticket, Err(why.clone())));
        let events = model.account.activity.lines.iter().map(|line| &line.event);
        let events: Vec<_> = events.collect();
        assert!(matches!(events.as_slice(), [Event::Settled(_, Err(raised))] if *raised == why));
        assert_eq!(events[0].tone(), Tone::Warn);
        press(&mut model, "U");
        let Some(Overlay::Form(form)) = model.overlays.last() else {
            panic!("the form is kept");
        };
        assert_eq!(form.failure.as_ref(), Some(&why));
        // Nothing was sent before: it is no repetition.
        model.account.options.checks.duplicate_within = std::time::Duration::from_mins(1);
        let again = press(&mut model, "enter");
        assert!(matches!(again.as_slice(), [Effect::Send(..)]), "{again:?}");
    }
}
