//! The verbs that flip a position and set its stop to break-even.

use super::{Said, trade::position};
use crate::app::{
    desk::model::Model,
    dialogs::next::{Next, PositionControl},
    orders,
    tables::lens::Fault,
};

/// `[MARKET|POSITION_ID]`: the strip asks, as the key does.
pub(super) fn flip(model: &mut Model, said: &Said) -> Result<Next, Fault> {
    said.at_most(1)?;
    let position = position(model, said)?;
    Ok(orders::flip::ask(model, position))
}

pub(super) fn break_even(model: &mut Model, said: &Said) -> Result<Next, Fault> {
    said.at_most(1)?;
    let position = position(model, said)?;
    Ok(Next::Control(PositionControl::BreakEven(
        position.id.clone(),
    )))
}
