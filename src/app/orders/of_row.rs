//! The command that ends a row, and the form that moves an order.

use crate::{
    app::{account::row_id::RowId, desk::model::Model, forms::form::Form},
    model::{Command, Order},
};

/// The command that ends this row, or why there is none.
pub(crate) fn cancel_of(model: &Model, row: &RowId) -> Result<Command, String> {
    let is_done = |order: &Order| order.is_over() || model.store.is_over(order);
    match row {
        RowId::Order(id) if model.store.order(id).is_some_and(is_done) => {
            Err("this order is not working any more".to_owned())
        }
        RowId::Order(id) => Ok(match model.store.order(id) {
            Some(order) => order.cancel(model.store.positions.rows()),
            None => Command::Cancel(id.clone()),
        }),
        RowId::Twap(id) if model.store.active_twaps().any(|t| t.id == *id) => {
            Ok(Command::StopTwap(id.clone()))
        }
        RowId::Twap(_) => Err("this TWAP has ended".to_owned()),
        RowId::Scaled(id) | RowId::Rung(id, _) => match model.store.ladder(id) {
            Some(ladder) if ladder.ended_at().is_some() => Err("this ladder has ended".to_owned()),
            Some(_) | None => Ok(Command::CancelScaled(id.clone())),
        },
        RowId::Position(_) | RowId::Line(_) => Err("there is nothing to cancel here".to_owned()),
    }
}

pub(crate) fn instead(model: &Model, order: &Order) -> Result<Form, String> {
    if !order.is_working() {
        return Err("this order is not working any more".to_owned());
    }
    let words = "an armed order cannot be moved: cancel it and place a new one";
    Form::instead(order, &model.around()).ok_or_else(|| words.to_owned())
}

/// The form that moves an order, or why it cannot be moved.
pub(crate) fn moved(model: &Model, order: &Order) -> Result<Form, String> {
    if order.is_armed() {
        return instead(model, order);
    }
    Form::moved(order, &model.around()).map_err(str::to_owned)
}
