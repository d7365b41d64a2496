//! Moves orders by keys and forms: in place where the service can ([`OrderMove`] goes on), otherwise by cancel/replace
//! ([`Replacement`] goes on).
//!
//! Contract: one move at a time per object: the latest request during a move starts when that is answered. A move that
//! increases the possible loss is blocked when new entries are.

use super::{
    of_row,
    send::{begin as begin_workflow, keep_form, replaceable},
    sent,
};
use crate::{
    app::{
        core::{account::Account, effect::Effect},
        desk::model::Model,
        dialogs::overlay::Overlay,
        forms::form::{FormInput, Replaces},
        rules::objection::objection,
        workflows::{
            OrderMove, Replacement, Workflow,
            goals::{ExitGoals, Moved, NewTerms},
            is_without_effect,
            plan::{MovePlan, exit_of, plan, terms_at},
        },
    },
    model::{Command, Num, OrderId, PlaceOrder, PositionId, Protection, WantedExits},
};

#[cfg(test)]
mod replaced_tests;
#[cfg(test)]
mod tests;

/// Sends the topmost form as a move of its order; or returns why not.
pub(crate) fn begin(
    model: &mut Model,
    old: &Replaces,
    wanted: Box<PlaceOrder>,
) -> Result<Vec<Effect>, String> {
    if let Some(Overlay::Form(form)) = model.overlays.last()
        && form.hand == FormInput::Untouched
    {
        return Err("nothing is changed".to_owned());
    }
    let plan = planned(&model.account, &old.order, &wanted)?;
    let place = Command::Place(wanted.clone());
    let replacement = Replacement::new(old.order.clone(), wanted, old.filled, model.account.now);
    let workflow = match plan {
        MovePlan::InPlace(what) if model.account.workflows.move_beside(&what) => {
            return Err(format!("{} is being moved already", old.order));
        }
        MovePlan::InPlace(what) => {
            if let Some(why) = objection(&model.account, &place) {
                return Err(why);
            }
            let otherwise = replacement.map(Box::new).map_err(str::to_owned);
            Workflow::Move(OrderMove::new(what, otherwise))
        }
        MovePlan::Replace => {
            let replacement = replacement?;
            replaceable(&model.account, &replacement)?;
            Workflow::Replace(replacement)
        }
    };
    let (ticket, effect) = begin_workflow(model, workflow)?;
    let form = sent::take(model);
    keep_form(model, ticket, form);
    Ok(vec![effect])
}

/// Moves an order to `price`, or records that for after the move in progress; or returns why not.
pub(crate) fn to(model: &mut Model, id: &OrderId, price: Num) -> Result<Vec<Effect>, String> {
    if let Some(replacement) = model.account.workflows.replacement_mut(id) {
        replacement.reprice(price)?;
        return Ok(vec![]);
    }
    let order = model.account.store.order(id);
    let order = order.ok_or("this order is not listed any more")?;
    let exit_of = exit_of(&model.account.store, order);
    let is_stop = |position| order.protects(position) == Some(Protection::Stop);
    if order.has_two_prices() && !exit_of.is_some_and(is_stop) {
        let replacement = replacement_at(&model.account, id, price)?;
        replaceable(&model.account, &replacement)?;
        let (_, effect) = begin_workflow(model, Workflow::Replace(replacement))?;
        return Ok(vec![effect]);
    }
    let terms = terms_at(order, price)?;
    let what = match exit_of {
        Some(position) => Moved::Exits(ExitGoals::moving(position.id.clone(), vec![terms])),
        None => Moved::Order(terms),
    };
    apply(model, what)
}

/// Sends it, or records it for after the move in progress.
pub(crate) fn apply(model: &mut Model, what: Moved) -> Result<Vec<Effect>, String> {
    let Err(what) = model.account.workflows.add(what) else {
        return Ok(vec![]);
    };
    let one = match &what {
        Moved::Exits(_) => OrderMove::of_exits(what),
        Moved::Order(NewTerms { order, price, .. }) => {
            let replacement = replacement_at(&model.account, order, *price).map(Box::new);
            OrderMove::new(what, replacement)
        }
    };
    let unlisted = model.account.workflows.unlisted_exits(&model.account.store);
    if let (Moved::Exits(_), Some((since, ticket))) = (one.what(), unlisted) {
        let one = one.after_reads(since, model.account.now);
        model.account.workflows.begin(ticket, Workflow::Move(one));
        return Ok(vec![]);
    }
    let (_, effect) = begin_workflow(model, Workflow::Move(one))?;
    Ok(vec![effect])
}

/// Sends the topmost form as the exits of its position, or records that for after the batch in progress.
pub(crate) fn protect(
    model: &mut Model,
    position: PositionId,
    wanted: WantedExits,
) -> Result<Vec<Effect>, String> {
    let what = Moved::Exits(ExitGoals::setting(position, wanted));
    let is_reached = || {
        what.command(&model.account.store)
            .is_ok_and(|it| is_without_effect(&it))
    };
    if !model.account.workflows.move_beside(&what) && is_reached() {
        return Err("nothing is changed".to_owned());
    }
    let effects = apply(model, what)?;
    let form = sent::take(model);
    if let [Effect::Send(ticket, _)] = effects.as_slice() {
        keep_form(model, *ticket, form);
    }
    Ok(effects)
}

/// How a form moves its order.
///
/// # Errors
/// As [`plan`].
pub fn planned(account: &Account, old: &OrderId, wanted: &PlaceOrder) -> Result<MovePlan, String> {
    let Some(order) = account.store.order(old) else {
        return Ok(MovePlan::Replace);
    };
    let form = of_row::moved(account, order)?;
    match form.command(&account.form_context()) {
        Ok(Command::Place(shown)) => plan(&account.store, order, (&shown, wanted)),
        Ok(_) | Err(_) => Ok(MovePlan::Replace),
    }
}

/// The order at another price, in place of the old one.
fn replacement_at(account: &Account, id: &OrderId, price: Num) -> Result<Replacement, String> {
    let order = account.store.order(id);
    let order = order.ok_or("it is not listed any more")?;
    let moved = of_row::moved_to(account, order, price)?;
    let filled = moved.replaces.as_ref().and_then(|old| old.filled);
    let command = moved.command(&account.form_context());
    let Command::Place(order) = command.map_err(|faults| faults.to_string())? else {
        return Err("an order of this type cannot be replaced".to_owned());
    };
    Replacement::new(id.clone(), order, filled, account.now).map_err(str::to_owned)
}
