//! Sends commands, and does what workflows want.
//!
//! Contract: every command of the desk is sent here, after its checks. What a command ends of the workflows in progress
//! is ended before it is sent.

use super::{of_row, sent};
use crate::{
    app::{
        account::{poll::Source, row_id::RowId},
        activity::notice::{Event, Tone},
        core::{
            account::Account,
            effect::{Effect, ReadOnce},
        },
        desk::{model::Model, row_replacement},
        forms::form::Form,
        keys::keymap::{Action, Context},
        rules::objection::objection,
        workflows::{
            Known, OperationRun, Replacement, Running, Workflow, WorkflowEnd, WorkflowEvent,
            WorkflowRequest, remains_words,
        },
    },
    model::{Command, OrderId, Ticket},
};

pub(crate) fn send(model: &mut Model, command: Command) -> (Ticket, Effect) {
    // It ends some of them: that sends and reads nothing.
    drop(tell(model, WorkflowEvent::Sent(&command)));
    let ticket = model
        .account
        .store
        .begin(command.clone(), model.account.now);
    // A dry run has no progress, and is no first order for the repetition check.
    if !model.account.options.dry_run {
        model.account.session.sent(&command, model.account.now);
        let about = model.account.store.object_of(&command);
        let event = Event::Sent(command.clone());
        model.account.note_of(about, Some(ticket), event);
    }
    (ticket, Effect::Send(ticket, command))
}

/// Sends a command that a person gives, with what follows it.
pub(crate) fn give(model: &mut Model, command: Command) -> Effect {
    let run = OperationRun::of(&command, model.account.now);
    let (ticket, effect) = send(model, command);
    begin_operation(&mut model.account, ticket, run);
    effect
}

/// An earlier session has left it open: it goes on, with what follows it.
pub(crate) fn resume(account: &mut Account, ticket: Ticket, command: Command) {
    begin_operation(account, ticket, OperationRun::of(&command, account.now));
    account.store.resume(ticket, command, account.now);
}

fn begin_operation(account: &mut Account, ticket: Ticket, run: Option<OperationRun>) {
    if let Some(run) = run {
        account.workflows.begin(ticket, Workflow::Operation(run));
    }
}

/// Begins a workflow with its first command; or returns why not.
pub(crate) fn begin(model: &mut Model, mut workflow: Workflow) -> Result<(Ticket, Effect), String> {
    let command = workflow.first(known(&model.account))?;
    if let Some(why) = objection(&model.account, &command) {
        return Err(why);
    }
    if let Workflow::Replace(one) = &mut workflow {
        one.carry(model.account.workflows.bracket_of(one.old()).cloned());
        row_replacement::moves(model, one.old());
    }
    let (ticket, effect) = send(model, command);
    model.account.workflows.begin(ticket, workflow);
    Ok((ticket, effect))
}

fn known(account: &Account) -> Known<'_> {
    Known {
        store: &account.store,
        now: account.now,
        opened_at: account.session.opened_at(),
    }
}

/// Notifies every workflow of what has happened.
pub(crate) fn tell(model: &mut Model, event: WorkflowEvent) -> Vec<Effect> {
    tell_some(model, None, event)
}

/// Notifies the workflow of this command of what came of it, or every workflow. One that goes on keeps its form; so does one
/// that ends with its command, for the answer.
pub(crate) fn tell_some(
    model: &mut Model,
    whom: Option<Ticket>,
    event: WorkflowEvent,
) -> Vec<Effect> {
    let account = &mut model.account;
    let mut workflows = std::mem::take(&mut account.workflows);
    let requests = workflows.tell(whom, known(account), event);
    account.workflows = workflows;
    let mut effects = vec![];
    for (one, wanted) in requests {
        let ticket = one.ticket;
        effects.extend(fulfill(model, one, wanted));
        if whom.is_none() && model.account.workflows.owner(ticket).is_none() {
            model.sent_forms.remove(&ticket);
        }
    }
    effects
}

/// Does what a workflow wants; it goes on unless it ends or gives way to another one.
fn fulfill(model: &mut Model, mut one: Running, requests: Vec<WorkflowRequest>) -> Vec<Effect> {
    let mut effects = vec![];
    for request in requests {
        match request {
            WorkflowRequest::Send(command) => match send_next(model, &mut one, command) {
                Ok(effect) => effects.push(effect),
                Err(why) => {
                    effects.extend(refuse(model, one, &why));
                    return effects;
                }
            },
            WorkflowRequest::ReadLists => {
                effects.push(Effect::Poll(vec![Source::Positions, Source::Orders]));
            }
            WorkflowRequest::Find(order) => {
                effects.push(Effect::Read(ReadOnce::Trace(vec![order])));
            }
            WorkflowRequest::Say(tone, words) => model.account.say(tone, words),
            WorkflowRequest::ReadRemains(operation) => {
                effects.push(Effect::ReadRemains(one.ticket, operation));
            }
            WorkflowRequest::Report(end) => {
                let (tone, words) = remains_words(&end);
                model.account.say(tone, words);
            }
            WorkflowRequest::Offer {
                words,
                command,
                does,
            } => offer(model, &words, &command, does),
            WorkflowRequest::Remains(size) => {
                if let Some(form) = model.sent_forms.get_mut(&one.ticket) {
                    form.stand_alone(size);
                }
            }
            WorkflowRequest::Fail(why) => {
                model.account.say(Tone::Alert, why.message.to_string());
                if let Some(form) = model.sent_forms.remove(&one.ticket) {
                    sent::keep(model, form, why);
                }
            }
            WorkflowRequest::Follow(next) => {
                effects.extend(follow(model, one.ticket, *next));
                return effects;
            }
            WorkflowRequest::End(end) => {
                if let (WorkflowEnd::Half, Workflow::Bracket(run)) = (end, &one.workflow) {
                    let left = run.open().clone();
                    model.account.store.trades.leave_bracket(left);
                }
                return effects;
            }
        }
    }
    model.account.workflows.begin(one.ticket, one.workflow);
    effects
}

/// Says these words, and which key does the rest.
fn offer(model: &mut Model, words: &str, command: &Command, does: &str) {
    let action = if let Command::CancelAll(_) = command {
        Action::CancelAll
    } else {
        Action::CloseAll
    };
    let key = model.keymap.chord(Context::Desk, action);
    let key = key.map_or_else(String::new, |key| format!("; {key} {does}"));
    model.account.say(Tone::Alert, format!("{words}{key}"));
}

fn refuse(model: &mut Model, mut one: Running, why: &str) -> Vec<Effect> {
    let event = WorkflowEvent::Refused(why);
    let requests = one.workflow.tell(known(&model.account), event);
    fulfill(model, one, requests)
}

/// The next command of a workflow, which has its form from now on; or why it is not sent.
fn send_next(model: &mut Model, one: &mut Running, command: Command) -> Result<Effect, String> {
    if let Workflow::Bracket(_) = &one.workflow {
        // Its form wrote the entry, which has filled: sent again, it would buy twice.
        model.sent_forms.remove(&one.ticket);
    }
    if let Some(why) = objection(&model.account, &command) {
        return Err(why);
    }
    let (ticket, effect) = send(model, command);
    pass_form(model, one.ticket, ticket);
    one.ticket = ticket;
    if let Workflow::Replace(replacement) = &one.workflow {
        row_replacement::sent(model, replacement.old(), ticket);
    }
    Ok(effect)
}

/// Keeps a form with its command until that settles.
pub(super) fn keep_form(model: &mut Model, ticket: Ticket, form: Option<Box<Form>>) {
    model.sent_forms.extend(form.map(|form| (ticket, form)));
}

fn pass_form(model: &mut Model, from: Ticket, to: Ticket) {
    if model.sent_forms.contains_key(&from) {
        let form = model.sent_forms.remove(&from);
        keep_form(model, to, form);
    }
}

/// The service does not move an order in place: a replacement begins, unless something objects to it.
fn follow(model: &mut Model, ticket: Ticket, next: Workflow) -> Vec<Effect> {
    let held = match &next {
        Workflow::Replace(one) if model.account.store.order(one.old()).is_none() => {
            Err(format!("{} is not listed any more", one.old()))
        }
        Workflow::Replace(one) => replaceable(&model.account, one),
        Workflow::Flip(_) | Workflow::Move(_) | Workflow::Operation(_) | Workflow::Bracket(_) => {
            Ok(())
        }
    };
    match held.and_then(|()| begin(model, next.clone())) {
        Ok((second, effect)) => {
            pass_form(model, ticket, second);
            vec![effect]
        }
        Err(why) => {
            let workflow = next;
            refuse(model, Running { ticket, workflow }, &why)
        }
    }
}

/// Whether the old order can be canceled, and its replacement placed.
///
/// # Errors
/// Why not.
pub(super) fn replaceable(account: &Account, one: &Replacement) -> Result<(), String> {
    if is_ending(account, one.old()) {
        return Err(format!("{} is being canceled already", one.old()));
    }
    let cancel = of_row::cancel_of(account, &RowId::Order(one.old().clone()))?;
    let place = Command::from(one.order().clone());
    let held = objection(account, &cancel).or_else(|| objection(account, &place));
    held.map_or(Ok(()), Err)
}

fn is_ending(account: &Account, order: &OrderId) -> bool {
    let mut commands = account.store.in_progress();
    commands.any(|command| command.cancels() == Some(order))
        || account.workflows.replacement(order).is_some()
        || account.store.queued_cancels.contains(order)
}
