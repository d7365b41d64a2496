//! The key that flips a position: what it asks, and the checks before it begins ([`FlipRun`] goes on).
//!
//! Contract: the desk's checks run before the close, and again before the other way is opened. A flip that could not
//! finish is not begun.

use super::send::begin as begin_workflow;
use crate::{
    app::{
        core::{account::Account, effect::Effect},
        desk::{model::Model, row_replacement},
        dialogs::{
            next::{Next, Reply},
            overlay::{Strip, StripAction},
        },
        keys::keymap::{Action, Context},
        rules::{guard, halt, objection::objection},
        workflows::{FlipRun, Workflow},
    },
    model::{Bps, Command, Flip, Market, PlaceKind, Position, Resource},
};

#[cfg(test)]
mod tests;

/// The strip that asks; or why this position cannot be flipped now.
pub(crate) fn ask(model: &Model, position: &Position) -> Reply {
    let flip = plan(model, position).map_err(|why| format!("flip: {why}"))?;
    let flip = StripAction::Flip(Box::new(flip));
    Ok(Next::open(Strip::confirm(flip, model.account.now)))
}

/// Without the question, where one key sends.
pub(crate) fn at_once(model: &mut Model, position: &Position) -> Reply {
    let flip = plan(model, position).map_err(|why| format!("flip: {why}"))?;
    begin(model, flip).map(Next::AskEach)
}

/// Both halves as they would be sent now. A flip that could not finish is not begun.
fn plan(model: &Model, position: &Position) -> Result<Flip, String> {
    let account_id = model.account.account_for("flip")?;
    if is_under_way(&model.account, position) {
        return Err(format!("{} is being closed already", position.id));
    }
    let (market, used) = (&position.market_id, model.account.form_context().used);
    let habit = used.habit(Some(market), PlaceKind::Market);
    let slippage = habit.slippage.parse().ok().map(Bps);
    let flip = Flip::new(position, account_id, slippage, model.account.now)?;
    match opening_objection(model) {
        Some(why) => Err(why),
        None => Ok(flip),
    }
}

/// Why the other way could not be opened now, if so.
fn opening_objection(model: &Model) -> Option<String> {
    let halted = halt::words(&model.account);
    let why = halted.or_else(|| guard::objection(&model.account))?;
    let key = model
        .keymap
        .chord(Context::Positions, Action::ClosePosition);
    let key = key.map_or_else(String::new, |key| format!("; {key} closes the position"));
    Some(format!("{why}{key}"))
}

fn is_under_way(account: &Account, position: &Position) -> bool {
    let resource = Resource::Position(position.id.clone());
    let mut commands = account.store.in_progress();
    commands.any(|command| command.facts().ends(&resource))
        || account.workflows.is_flipping(&position.id)
}

/// Sends the close.
pub(crate) fn begin(model: &mut Model, flip: Flip) -> Result<Vec<Effect>, String> {
    if is_under_way(&model.account, flip.position()) {
        return Err(format!("{} is being closed already", flip.position().id));
    }
    let market = model.account.store.market(&flip.position().market_id);
    let close = Command::Close(flip.close(market.and_then(Market::mid)));
    if let Some(why) = objection(&model.account, &close) {
        return Err(format!("{close}: {why}"));
    }
    if let Some(why) = opening_objection(model) {
        return Err(format!("flip: {why}"));
    }
    let flip = flip.agreed(model.account.now);
    row_replacement::flips(model, flip.position());
    let (_, effect) = begin_workflow(model, Workflow::Flip(FlipRun::new(flip)))?;
    Ok(vec![effect])
}
