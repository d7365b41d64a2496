//! The verbs that flip a position and set its stop to break-even.

use super::{CommandArgs, trade::position};
use crate::app::{
    desk::model::Model,
    dialogs::next::{Next, PositionControl},
    orders,
    tables::table_view::Fault,
};

/// `[MARKET|POSITION_ID]`: the strip asks, as the key does.
pub(super) fn flip(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(1)?;
    let position = position(model, args)?;
    Ok(orders::flip::ask(model, position))
}

pub(super) fn break_even(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(1)?;
    let position = position(model, args)?;
    Ok(Next::Control(PositionControl::BreakEven(
        position.id.clone(),
    )))
}
