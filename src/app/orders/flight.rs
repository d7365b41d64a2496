//! The life of a command on the desk: checks, sending, progress, outcome.

use super::{
    amend, bulk, doubt, flip, moves,
    submit::{learn, settle_form},
};
use crate::{
    app::{
        account::{about::About, poll::Source, store::Then},
        activity::notice::Event,
        desk::{alerts, model::Model, row_replacement},
        dialogs::effect::Effect,
        rules::{checks, guard, halt, second},
    },
    config::Checks,
    model::{Command, Failure, Order, OrderId, Progress, READ_ONLY, Receipt, Ticket},
};
use strum::IntoEnumIterator;

/// Why the desk does not send this command, if so.
pub(crate) fn objection(model: &Model, command: &Command) -> Option<String> {
    objection_within(model, &model.account.options.checks, command)
}

/// [`objection`] by other limits than the settings'.
pub(crate) fn objection_within(
    model: &Model,
    limits: &Checks,
    command: &Command,
) -> Option<String> {
    if model.account.options.read_only {
        return Some(READ_ONLY.to_owned());
    }
    let held = second::objection(model, command).or_else(|| halt::objection(model, command));
    if held.is_some() {
        return held;
    }
    let held = checks::objection(
        limits,
        &model.account.store,
        &model.account.session,
        model.account.now,
        command,
    );
    held.or_else(|| guard::objection(model, command))
}

pub(crate) fn send(model: &mut Model, command: Command) -> (Ticket, Effect) {
    amend::overtake(model, &command);
    flip::overtake(model, &command);
    moves::overtake(model, &command);
    let ticket = model
        .account
        .store
        .begin(command.clone(), model.account.now);
    // A dry run has no progress, and is no first order for the repetition check.
    if !model.account.options.dry_run {
        model.account.session.sent(&command, model.account.now);
        let about = About::of(&command, &model.account.store);
        let event = Event::Sent(command.clone());
        model
            .account
            .activity
            .note_of(about, Some(ticket), event, model.account.now);
    }
    (ticket, Effect::Send(ticket, command))
}

/// A command has progressed.
pub(crate) fn advance(model: &mut Model, ticket: Ticket, progress: Progress) -> Vec<Effect> {
    let news = alerts::advanced(model, ticket, &progress);
    let Some(flight) = model.account.store.flights.get_mut(&ticket) else {
        return vec![];
    };
    flight.progress = progress.clone();
    let silent = matches!(progress, Progress::Queued | Progress::Sending { .. });
    let parked = matches!(progress, Progress::Parked { .. });
    let doubtful = parked || matches!(progress, Progress::Unknown { .. });
    let polls = matches!(progress, Progress::Running { .. } | Progress::Flattening(_));
    if !silent {
        let event = Event::Progress(flight.command.clone(), progress);
        let about = flight.about.clone();
        model
            .account
            .activity
            .note_of(about, Some(ticket), event, model.account.now);
    }
    if doubtful {
        flip::doubt(model, ticket);
    }
    if parked {
        amend::park(model, ticket);
        moves::park(model, ticket);
        doubt::park(model, ticket);
    } else {
        doubt::unask(model, ticket);
    }
    let polls = polls.then(|| Effect::Poll(vec![Source::Positions]));
    let told = alerts::raise(model, news);
    polls.into_iter().chain(told).collect()
}

/// A command has settled.
pub(crate) fn settle(
    model: &mut Model,
    ticket: Ticket,
    result: &Result<Receipt, Failure>,
) -> Vec<Effect> {
    let Some(flight) = model.account.store.flights.remove(&ticket) else {
        return vec![];
    };
    // A close-all reports what still runs at its end; all others what they were sent for.
    let about = match flight.about.target {
        Some(_) => flight.about,
        None => About::of(&flight.command, &model.account.store),
    };
    let mut placed = vec![];
    if let Ok(receipt) = result {
        placed = model
            .account
            .store
            .settle(&flight.command, receipt, model.account.now);
        row_replacement::settled(model, ticket, receipt);
    }
    model.account.store.learn_scope(result);
    let news = alerts::settled(model, (ticket, &flight.command), result);
    learn(model, &flight.command, result);
    // A form for both halves of a move stays open after the first.
    let mut form = match flight.then {
        Some(Then::Place(_)) => None,
        Some(Then::Open(_) | Then::EndFlip) | None => model.sent_forms.remove(&ticket),
    };
    let is_told = bulk::settle(model, ticket, result);
    doubt::unask(model, ticket);
    let event = Event::Settled(flight.command, result.clone());
    model
        .account
        .activity
        .note_of(about, Some(ticket), event, model.account.now);
    let moved = moves::settled(model, ticket, result, &mut form);
    settle_form(model, form, result);
    if is_told {
        model.account.activity.dismiss_toast(model.account.now);
    }
    let half = flight.then;
    let half = half.and_then(|then| go_on(model, ticket, (then, result)));
    let polls = Source::iter().filter(|s| *s != Source::Markets).collect();
    let watch = (!placed.is_empty()).then_some(Effect::Watch(placed));
    let told = alerts::raise(model, news);
    let wanted = watch.into_iter().chain([Effect::Poll(polls)]);
    wanted.chain(half).chain(moved).chain(told).collect()
}

/// The first of two commands has settled: starts the second, or drops it.
fn go_on(
    model: &mut Model,
    ticket: Ticket,
    (then, result): (Then, &Result<Receipt, Failure>),
) -> Option<Effect> {
    match then {
        Then::Place(successor) => amend::answered(model, (ticket, successor), result),
        Then::Open(flip) => flip::answered(model, flip, result),
        Then::EndFlip => {
            flip::opened(model, result);
            None
        }
    }
}

/// A search ended, with these orders found.
pub(crate) fn traced(model: &mut Model, asked: &[OrderId], found: &[Order]) -> Vec<Effect> {
    let mut effects = alerts::traced(model, asked, found);
    effects.extend(amend::traced(model, asked, found));
    flip::traced(model, asked, found);
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
        assert!(matches!(events.as_slice(), [Event::Settled(_, Err(told))] if *told == why));
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
