//! Commands on many rows: builds the list, and sends the commands one by one.

use super::send::{send, tell};
use crate::{
    app::{
        account::{row_id::RowId, store::Store},
        core::{account::Account, effect::Effect},
        desk::model::Model,
        dialogs::{
            next::{Next, Reply},
            overlay::{Bulk, Overlay, Stage, Strip, StripAction},
        },
        forms::form::Form,
        keys::keymap::Action,
        orders::of_row,
        rules::objection::objection,
        tables::{marks::Marks, rows},
        workflows::{BulkRun, CancelAllPlan, Item, State, StopReason, WorkflowEvent},
    },
    model::{Command, Failure, Progress, Receipt, Ticket},
};

#[cfg(test)]
mod tests;

/// The keys that mark rows; `None` for other keys.
pub(crate) fn mark(model: &mut Model, action: Action) -> Result<Option<Next>, String> {
    if !matches!(action, Action::Mark | Action::MarkRange | Action::MarkAll) {
        return Ok(None);
    }
    let pane = model.focus.pane;
    if !Marks::reach(pane) {
        return Err("only rows that can be closed, canceled or stopped can be marked".to_owned());
    }
    let rows = rows::rows(
        &model.account.store,
        &model.account.activity,
        &model.table_views,
        pane,
    );
    let Some((at, row)) = model.focus.selected(pane, &rows) else {
        return Ok(None);
    };
    if action == Action::MarkAll {
        model.marks.all(pane, &rows);
    } else if action == Action::MarkRange {
        model.marks.range(pane, &rows, row);
    } else {
        model.marks.toggle(pane, row);
        if let Some(next) = rows.get(at + 1) {
            model.focus.select(pane, next);
        }
    }
    Ok(Some(Next::Stay))
}

/// The marked rows of the focused pane.
pub fn marked(model: &Model) -> Vec<RowId> {
    let pane = model.focus.pane;
    let rows = model.rows(pane);
    let selected = model.focus.selected(pane, &rows).map(|(at, _)| at);
    model.marks.rows(pane, &rows, selected)
}

/// The command of a key for one row; `None` if it does not apply.
type OfRow = fn(&Model, &RowId) -> Option<Result<Command, String>>;

/// The keys that act on all marked rows.
const ACTING: &[(Action, OfRow)] = &[
    (Action::Cancel, |model, row| {
        Some(of_row::cancel_of(&model.account, row))
    }),
    (Action::ClosePosition, close_of),
];

/// The list of commands for the marked rows; `None` if none is marked, or if the key does not act on many. If the
/// marked rows are gone, the key must not act on the row under the cursor.
pub(crate) fn act(model: &mut Model, action: Action) -> Result<Option<Next>, String> {
    let Some(command) = action.entry(ACTING) else {
        return Ok(None);
    };
    let marked = marked(model);
    if marked.is_empty() {
        return unshown(model).map_or(Ok(None), |why| Err(why.to_owned()));
    }
    let (mut commands, mut left_out): (Vec<Command>, Vec<String>) = (vec![], vec![]);
    for row in &marked {
        match command(model, row) {
            Some(Ok(command)) if !commands.contains(&command) => commands.push(command),
            Some(Err(why)) if !left_out.contains(&why) => left_out.push(why),
            Some(_) | None => {}
        }
    }
    drop_rungs(model, &mut commands);
    if commands.is_empty() {
        let why = left_out.join("; ");
        return Err(format!("none of {} marked rows: {why}", marked.len()));
    }
    let bulk = Bulk::asking(commands, left_out, &model.account.store, model.account.now);
    Ok(Some(Next::open(bulk)))
}

/// There are marks, and no marked row is visible.
fn unshown(model: &mut Model) -> Option<&'static str> {
    let pane = model.focus.pane;
    if !model.marks.any(pane) {
        return None;
    }
    let mut all = rows::rows(
        &model.account.store,
        &model.account.activity,
        &model.table_views,
        pane,
    );
    all.table_view = None;
    model.marks.prune(pane, &all);
    Some(if model.marks.any(pane) {
        "the filter hides every row that is marked"
    } else {
        "every marked row is gone; the marks are removed"
    })
}

/// Canceling a scaled order includes its rungs: cancels of their own would only fail.
fn drop_rungs(model: &Model, commands: &mut Vec<Command>) {
    let canceled: Vec<_> = commands
        .iter()
        .filter_map(|command| {
            let Command::CancelScaled(id) = command else {
                return None;
            };
            Some(id.clone())
        })
        .collect();
    let goes_anyway = |command: &Command| {
        let Command::Cancel(id) = command else {
            return false;
        };
        let order = model.account.store.order(id);
        let parent = order.and_then(|order| order.scaled_order_id.as_ref());
        parent.is_some_and(|id| canceled.contains(id))
    };
    commands.retain(|command| !goes_anyway(command));
}

/// As the untouched close form: all of it, at market.
fn close_of(model: &Model, row: &RowId) -> Option<Result<Command, String>> {
    let RowId::Position(id) = row else {
        return None;
    };
    let form = Form::close(model.account.store.position(id)?);
    let command = form.command(&model.account.form_context());
    Some(command.map_err(|faults| format!("{id}: {faults}")))
}

/// The strip that cancels every working order with one operation of the service. While entries are blocked, orders that
/// protect an open position stay: then, and where there are too many for one operation, each cancel is a request of its
/// own, and the list says which stay. To end them, close the position or flatten.
pub(crate) fn cancel_all(model: &mut Model) -> Reply {
    let account = model.account.account_for("cancel all")?;
    // Cancel-all also drops replacements that wait.
    let stopped = WorkflowEvent::Stopped(StopReason::CancelAllRequested);
    drop(tell(model, stopped));
    if model.account.store.orders.value().is_none() {
        return Err("the working orders are not known yet (F still flattens)".to_owned());
    }
    let orders = model.account.store.orders.rows().iter();
    let working = orders.filter(|order| order.is_working());
    let open = model.account.store.positions.rows();
    let commands: Vec<_> = working.map(|order| order.cancel(open)).collect();
    if commands.is_empty() {
        return Err("there is no working order".to_owned());
    }
    let stays = |command: &Command| objection(&model.account, command).is_some();
    let action = match CancelAllPlan::of(commands, stays) {
        CancelAllPlan::AtOnce => StripAction::One(Command::CancelAll(account)),
        CancelAllPlan::Each(commands) => StripAction::CancelAll(account, commands),
    };
    Ok(Next::open(Strip::confirm(action, model.account.now)))
}

/// Sends the next commands of the open list. One with an unknown outcome does not stop the others.
pub(crate) fn proceed(model: &mut Model) -> Vec<Effect> {
    let Some(at) = model
        .overlays
        .iter()
        .position(|o| matches!(o, Overlay::Bulk(_)))
    else {
        return vec![];
    };
    let Overlay::Bulk(mut bulk) = model.overlays.remove(at) else {
        return vec![];
    };
    let mut effects = vec![];
    if bulk.stage == Stage::Going {
        refuse(&mut bulk.run, &model.account);
        while let Some(item) = due(&mut bulk.run, &model.account.store) {
            let (ticket, effect) = send(model, item.command.clone());
            effects.push(effect);
            item.state = State::Sent(ticket);
        }
    }
    if !effects.is_empty() {
        model.marks.clear(model.focus.pane);
    }
    model.overlays.insert(at, Overlay::Bulk(bulk));
    effects
}

/// What something objects to is not sent, and says so at once.
fn refuse(run: &mut BulkRun, account: &Account) {
    let listed = run
        .items
        .iter_mut()
        .filter(|item| item.state == State::Listed);
    for item in listed {
        if let Some(why) = objection(account, &item.command) {
            item.state = State::Settled(Err(Failure::local(why)));
        }
    }
}

/// The next command to send. One that waits for a person is not in flight.
fn due<'a>(run: &'a mut BulkRun, store: &Store) -> Option<&'a mut Item> {
    let at = run.due(|ticket| {
        let pending = store.pending.get(&ticket);
        pending.is_some_and(|pending| !matches!(pending.progress, Progress::Parked { .. }))
    })?;
    run.items.get_mut(at)
}

/// Whether an open list reports this command's outcome.
pub(crate) fn settle(model: &mut Model, ticket: Ticket, result: &Result<Receipt, Failure>) -> bool {
    let mut lists = model
        .overlays
        .iter_mut()
        .filter_map(Overlay::try_as_bulk_mut);
    lists.any(|bulk| bulk.run.note(ticket, result))
}
