//! The command that ends a row, and the form that replaces an order.

use crate::{
    app::{
        account::row_id::RowId, core::account::Account, forms::form::Form, workflows::limit_beside,
    },
    model::{Command, Num, Order, draft::Field},
};

/// The command that ends this row, or why there is none.
pub(crate) fn cancel_of(account: &Account, row: &RowId) -> Result<Command, String> {
    let is_done = |order: &Order| order.is_over() || account.store.is_over(order);
    match row {
        RowId::Order(id) if account.store.order(id).is_some_and(is_done) => {
            Err("this order is not working any more".to_owned())
        }
        RowId::Order(id) => Ok(match account.store.order(id) {
            Some(order) => order.cancel(account.store.positions.rows()),
            None => Command::Cancel(id.clone()),
        }),
        RowId::Twap(id) if account.store.active_twaps().any(|t| t.id == *id) => {
            Ok(Command::StopTwap(id.clone()))
        }
        RowId::Twap(_) => Err("this TWAP has ended".to_owned()),
        RowId::Scaled(id) | RowId::Rung(id, _) => match account.store.scaled_order(id) {
            Some(scaled) if scaled.ended_at().is_some() => {
                Err("this scaled order has ended".to_owned())
            }
            Some(_) | None => Ok(Command::CancelScaled(id.clone())),
        },
        RowId::Position(_) | RowId::Line(_) => Err("there is nothing to cancel here".to_owned()),
    }
}

pub(crate) fn replaced(account: &Account, order: &Order) -> Result<Form, String> {
    if !order.is_working() {
        return Err("this order is not working any more".to_owned());
    }
    let words = "an order of this type cannot be replaced: cancel it and place a new one";
    Form::replacing(order, &account.form_context()).ok_or_else(|| words.to_owned())
}

/// The form that moves an order, or why it cannot be moved.
pub(crate) fn moved(account: &Account, order: &Order) -> Result<Form, String> {
    if order.is_armed() {
        return replaced(account, order);
    }
    Form::moved(order, &account.form_context()).map_err(str::to_owned)
}

/// The same with its price set: its trigger if it waits for one, otherwise its limit.
pub(crate) fn moved_to(account: &Account, order: &Order, price: Num) -> Result<Form, String> {
    let mut form = moved(account, order)?;
    let field = form.focus;
    form.draft.write(field, &price.to_string());
    let prices = order.trigger_price.zip(order.limit_price);
    if let Some((trigger, limit)) = prices.filter(|_| order.is_armed()) {
        let limit = limit_beside(limit, (trigger, price))?;
        form.draft.write(Field::LimitPrice, &limit.to_string());
    }
    Ok(form)
}
