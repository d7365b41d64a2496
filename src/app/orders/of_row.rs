//! The command that ends a row, and the form that replaces an order.

use crate::{
    app::{account::row_id::RowId, desk::model::Model, forms::form::Form, workflows::limit_beside},
    model::{Command, Num, Order, draft::Field},
};

/// The command that ends this row, or why there is none.
pub(crate) fn cancel_of(model: &Model, row: &RowId) -> Result<Command, String> {
    let is_done = |order: &Order| order.is_over() || model.account.store.is_over(order);
    match row {
        RowId::Order(id) if model.account.store.order(id).is_some_and(is_done) => {
            Err("this order is not working any more".to_owned())
        }
        RowId::Order(id) => Ok(match model.account.store.order(id) {
            Some(order) => order.cancel(model.account.store.positions.rows()),
            None => Command::Cancel(id.clone()),
        }),
        RowId::Twap(id) if model.account.store.active_twaps().any(|t| t.id == *id) => {
            Ok(Command::StopTwap(id.clone()))
        }
        RowId::Twap(_) => Err("this TWAP has ended".to_owned()),
        RowId::Scaled(id) | RowId::Rung(id, _) => match model.account.store.ladder(id) {
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
    let words = "an order of this type cannot be replaced: cancel it and place a new one";
    Form::instead(order, &model.account.form_context()).ok_or_else(|| words.to_owned())
}

/// The form that moves an order, or why it cannot be moved.
pub(crate) fn moved(model: &Model, order: &Order) -> Result<Form, String> {
    if order.is_armed() {
        return instead(model, order);
    }
    Form::moved(order, &model.account.form_context()).map_err(str::to_owned)
}

/// The same with its price set: its trigger if it waits for one, otherwise its limit.
pub(crate) fn moved_to(model: &Model, order: &Order, price: Num) -> Result<Form, String> {
    let mut form = moved(model, order)?;
    let field = form.focus;
    form.draft.write(field, &price.to_string());
    let prices = order.trigger_price.zip(order.limit_price);
    if let Some((trigger, limit)) = prices.filter(|_| order.is_armed()) {
        let limit = limit_beside(limit, (trigger, price))?;
        form.draft.write(Field::LimitPrice, &limit.to_string());
    }
    Ok(form)
}
