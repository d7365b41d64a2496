//! The command that moves an order to another price or size.

use super::{
    CommandArgs,
    fill::{texts, write},
};
use crate::{
    app::{desk::model::Model, dialogs::next::Next, orders::of_row, tables::table_view::Fault},
    model::spoken,
};

/// `ORDER_ID [PRICE]`: the price is the form's focused one, limit or trigger.
pub(super) fn amend(model: &mut Model, args: &CommandArgs) -> Result<Next, Fault> {
    args.at_most(2)?;
    let id = args.needed(0, "which order: an id")?;
    let order = model.account.store.order(&id.text.as_str().into());
    let order =
        order.ok_or_else(|| id.fault("no such order here; Tab lists those that can be moved"))?;
    let mut form = of_row::moved(&model.account, order).map_err(|why| id.fault(why))?;
    let price = args.word(1).or(args.flag("--price"));
    let price = price.map(|word| (form.focus, word));
    for (field, word) in price.into_iter().chain(texts(args)) {
        write(&mut form, field, word)?;
        form.touch();
    }
    Ok(Next::open(form))
}

/// `BTC SELL stop mkt 63291`: the description of the order with this id.
pub(super) fn about(model: &Model, id: &str) -> Option<String> {
    let order = model.account.store.order(&id.into())?;
    let price = order.working_price();
    let price = price.map(|price| format!(" {price}")).unwrap_or_default();
    let side = order.side.to_string().to_uppercase();
    let (symbol, mode) = (
        model.account.store.names.shown(&order.market_id),
        spoken(&order.mode),
    );
    Some(format!("{symbol} {side} {mode}{price}"))
}

/// The orders that can be moved.
pub(super) fn offers(model: &Model) -> Vec<String> {
    let orders = model.account.store.orders.rows().iter();
    let movable = orders.filter(|order| of_row::moved(&model.account, order).is_ok());
    movable.map(|order| order.id.to_string()).collect()
}
