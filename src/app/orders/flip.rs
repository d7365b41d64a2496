//! The key that flips a position: what it asks, and the checks before it begins ([`FlipRun`] goes on).
//!
//! Contract: the desk's checks run before the close, and again before the other way is opened. A flip that could not
//! finish is not begun.

use super::send::begin as begin_workflow;
use crate::{
    app::{
        core::effect::Effect,
        desk::{model::Model, row_replacement},
        dialogs::{
            next::Next,
            overlay::{Overlay, Strip, StripAction},
        },
        forms::open::terms,
        keys::keymap::{Action, Context},
        rules::{guard, halt, objection::objection},
        workflows::{FlipRun, Workflow},
    },
    model::{Command, Flip, Market, PlaceKind, PlaceOrder, Position, Resource},
};

#[cfg(test)]
mod tests;

/// The strip that asks; or why this position cannot be flipped now.
pub(crate) fn ask(model: &Model, position: &Position) -> Next {
    match plan(model, position) {
        Ok(flip) => {
            let strip = Strip::confirm(StripAction::Flip(Box::new(flip)), model.account.now);
            Next::Open(Box::new(Overlay::Strip(strip)))
        }
        Err(why) => Next::Refuse(format!("flip: {why}")),
    }
}

/// Both halves as they would be sent now. A flip that could not finish is not begun.
fn plan(model: &Model, position: &Position) -> Result<Flip, String> {
    let account_id = model.account.account_for("flip")?;
    if is_under_way(model, position) {
        return Err(format!("{} is being closed already", position.id));
    }
    let (market, side) = (&position.market_id, position.side());
    let side = side.ok_or("the side of this position is not known")?;
    let form_context = model.account.form_context();
    let terms = terms(Some(market), &form_context);
    let leverage = terms.leverage.parse();
    let habit = form_context.used.habit(Some(market), PlaceKind::Market);
    let slippage = habit.slippage.parse().ok();
    let order = PlaceOrder::market(
        account_id,
        market.clone(),
        side.opposite(),
        position.quantity(),
    );
    let order = PlaceOrder {
        leverage: leverage.map_err(|_| "the leverage of this position is not known")?,
        margin_mode: terms.margin_mode,
        slippage_tolerance: slippage.map(crate::model::Bps),
        ..order
    };
    let flip = Flip::new(position, order, model.account.now)?;
    match opening_objection(model, &flip) {
        Some(why) => Err(why),
        None => Ok(flip),
    }
}

/// Why the other way could not be opened now, if so.
fn opening_objection(model: &Model, flip: &Flip) -> Option<String> {
    let size = flip.position().quantity();
    let opening = Command::Place(Box::new(flip.opening(size, None)));
    let held = halt::objection(&model.account, &opening);
    let why = held.or_else(|| guard::objection(&model.account, &opening))?;
    let key = model
        .keymap
        .chord(Context::Positions, Action::ClosePosition);
    let key = key.map_or_else(String::new, |key| format!("; {key} closes the position"));
    Some(format!("{why}{key}"))
}

fn is_under_way(model: &Model, position: &Position) -> bool {
    let resource = Resource::Position(position.id.clone());
    let mut flights = model.account.store.flights.values();
    flights.any(|flight| flight.command.facts().ends(&resource))
        || model.account.workflows.is_flipping(&position.id)
}

/// The strip is confirmed: sends the close.
pub(crate) fn begin(model: &mut Model, flip: Flip) -> Result<Vec<Effect>, String> {
    if is_under_way(model, flip.position()) {
        return Err(format!("{} is being closed already", flip.position().id));
    }
    let market = model.account.store.market(&flip.position().market_id);
    let close = Command::Close(flip.close(market.and_then(Market::mid)));
    if let Some(why) = objection(&model.account, &close) {
        return Err(format!("{close}: {why}"));
    }
    if let Some(why) = opening_objection(model, &flip) {
        return Err(format!("flip: {why}"));
    }
    let flip = flip.agreed(model.account.now);
    row_replacement::flips(model, flip.position());
    let (_, effect) = begin_workflow(model, Workflow::Flip(FlipRun::new(flip)))?;
    Ok(vec![effect])
}
