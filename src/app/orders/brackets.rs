//! The brackets whose targets are not placed: what is kept of them, what is said of those that an earlier session has
//! left, and the key that places them (`docs/delivery.md 3.7`).

use super::send::tell;
use crate::{
    app::{
        account::{poll::Source, trades::OpenBracket},
        activity::{notice::Tone, user_alerts::Freshness},
        core::{account::Account, effect::Effect, user_alerts::keep_trades},
        desk::model::Model,
        keys::keymap::{Action, Context},
        workflows::{BracketRun, Workflow, WorkflowEvent, refusal},
    },
    model::{
        Command, Failure, Num, Order, OrderStatus, Page, Position, Receipt, Ticket, Timestamp,
    },
};
use std::time::Duration;

/// What others record in the journal is known here after this time at most.
const LEARNED_WITHIN: Duration = Duration::from_secs(3);

/// Places the targets that a position lacks, once its entry has filled.
pub(crate) fn place(model: &mut Model, position: &Position) -> Result<Vec<Effect>, String> {
    let account = &mut model.account;
    if is_unsure(account) {
        return Err("status unknown: the targets may be placed already".to_owned());
    }
    let orders = account.store.orders.rows();
    let left = account.store.trades.left_bracket(position, orders);
    let left = left.ok_or("no targets of a bracket are left to place here")?;
    let order = left.order.clone();
    let order = order.ok_or("the order of this bracket is not known: set the targets by hand")?;
    let targets = account.store.trades.missing_targets(left, position, orders);
    let left = left.clone();
    let symbol = account.store.names.shown(&left.market);
    account.say(
        Tone::Plain,
        format!("{symbol}: {} targets of {order} follow", targets.len()),
    );
    account.store.trades.take_up_bracket(&left);
    let run = BracketRun::resumed(OpenBracket { targets, ..left }, order, account.now);
    let ticket = account.store.number();
    account.workflows.begin(ticket, Workflow::Bracket(run));
    Ok(tell(model, WorkflowEvent::Passed))
}

/// The targets of an order that is replaced follow the fill of the new one.
pub(crate) fn carry_over(
    account: &mut Account,
    replacing: Ticket,
    result: &Result<Receipt, Failure>,
) {
    let owner = account.workflows.owner(replacing);
    let replacement = owner.and_then(Workflow::try_as_replace_ref);
    let bracket = replacement.and_then(|one| one.bracket().cloned());
    let Some((bracket, Ok(Receipt::Order { order, .. }))) = bracket.zip(Some(result)) else {
        return;
    };
    if refusal(result).is_some() {
        return;
    }
    let open = OpenBracket {
        order: Some(order.id.clone()),
        ..bracket
    };
    let run = BracketRun::resumed(open, order.id.clone(), account.now);
    let ticket = account.store.number();
    account.workflows.begin(ticket, Workflow::Bracket(run));
}

/// Keeps what has changed, and says what an earlier session has left.
pub(crate) fn proceed(model: &mut Model) -> Vec<Effect> {
    let account = &mut model.account;
    if account.options.dry_run {
        return vec![];
    }
    let before = account.store.trades.version();
    let running = || account.workflows.brackets();
    if !running().eq(account.store.trades.running_brackets()) {
        let running = running().cloned().collect();
        account.store.trades.run_brackets(running);
    }
    carry_left(account);
    forget_finished(account);
    let has_changed = account.store.trades.version() != before;
    tell_of_earlier(model);
    let kept = has_changed.then(|| keep_trades(&mut model.account));
    kept.into_iter().collect()
}

/// What is left of a bracket follows the order in the place of its entry, whoever of the journal's processes has put it
/// there. The history shows how much of the entry had filled.
fn carry_left(account: &mut Account) {
    if account.store.history.head().at().is_none() {
        return;
    }
    for (bracket, new) in account.store.trades.replaced_brackets() {
        let old = bracket.order.as_ref();
        let old = old.and_then(|id| account.store.order(id));
        let filled = old.map_or(Some(Num::ZERO), Order::filled);
        if account.workflows.bracket_of(&new).is_none() {
            let trades = &mut account.store.trades;
            trades.carry_left(&bracket, new, filled);
        }
    }
}

/// When the lists were requested that show what the account holds now.
fn lists_at(account: &Account) -> Option<Timestamp> {
    let is_fresh = |source| account.freshness(source) == Freshness::Fresh;
    let (positions, orders) = (&account.store.positions, &account.store.orders);
    let is_whole = positions.value().is_some_and(Page::is_whole)
        && orders.value().is_some_and(Page::is_whole)
        && [Source::Positions, Source::Orders]
            .into_iter()
            .all(is_fresh);
    positions.at().min(orders.at()).filter(|_| is_whole)
}

/// What has no position that lacks targets is over. Lists may show targets that another desk has placed for another entry
/// before the journal has said so: only later ones decide.
fn forget_finished(account: &mut Account) {
    let Some(at) = lists_at(account) else {
        return;
    };
    let lists = (account.store.positions.rows(), account.store.orders.rows());
    let finished = account.store.trades.finished_brackets(lists, account.now);
    // Only a change borrows the store to write: whatever shows it is drawn again.
    if *account.store.trades.known_finished() != finished {
        account.store.trades.note_finished(finished.clone());
    }
    for (bracket, _) in finished
        .iter()
        .filter(|(_, since)| at > since.plus(LEARNED_WITHIN))
    {
        account.store.trades.take_up_bracket(bracket);
        say_dropped(account, bracket);
    }
}

/// An entry that is canceled may have been replaced by another machine, which nobody here knows.
fn say_dropped(account: &mut Account, bracket: &OpenBracket) {
    let entry = bracket.order.as_ref();
    let entry = entry.and_then(|id| account.store.order(id));
    let is_unfilled = |entry: &&Order| {
        entry.status.is(&OrderStatus::Canceled) && entry.filled().is_some_and(Num::is_zero)
    };
    if entry.is_some_and(|entry| is_unfilled(&entry)) {
        let symbol = account.store.names.shown(&bracket.market);
        account.say(Tone::Warn, bracket.dropped(&symbol));
    }
}

/// Whether a batch may have placed them.
fn is_unsure(account: &Account) -> bool {
    let mut pending = account.store.pending.values();
    pending.any(|pending| {
        let places = matches!(&pending.command, Command::ExitBatch(batch) if batch.places());
        places && pending.progress.is_unknown()
    })
}

fn tell_of_earlier(model: &mut Model) {
    let account = &mut model.account;
    let Some(at) = lists_at(account).filter(|_| !is_unsure(account)) else {
        return;
    };
    let key = model.keymap.chord(Context::Positions, Action::PlaceTargets);
    let key = key.map_or_else(String::new, |key| {
        format!("; {key} on the position places them")
    });
    for bracket in account.store.trades.unreported_brackets(at) {
        account.store.trades.note_reported(&bracket);
        let symbol = account.store.names.shown(&bracket.market);
        let mut positions = account.store.positions.rows().iter();
        let position = positions.find(|position| bracket.is_of(position));
        let orders = account.store.orders.rows();
        let trades = &account.store.trades;
        let missing = position.map(|position| trades.missing_targets(&bracket, position, orders));
        let missing = missing.unwrap_or_else(|| bracket.targets.clone());
        let words = format!("{symbol}: {}{key}", bracket.words(missing.len()));
        account.say(Tone::Alert, words);
    }
}
