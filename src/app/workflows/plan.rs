//! Whether an order is moved in place, and with which command.

use super::goals::{ExitGoals, Moved, NewTerms};
use crate::{
    app::account::store::Store,
    model::{Num, Order, Page, PlaceOrder, Position, Protection},
};

/// How an order is moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MovePlan {
    InPlace(Moved),
    /// More changes than price and size: it is canceled, and what is left is placed anew.
    Replace,
}

/// Compares the order as its form first showed it with what is wanted.
///
/// # Errors
/// If it protects a position, or may, and cannot be moved without leaving that bare.
pub fn plan(
    store: &Store,
    order: &Order,
    (shown, wanted): (&PlaceOrder, &PlaceOrder),
) -> Result<MovePlan, String> {
    if may_stop(store, order) {
        return Err(format!(
            "whether {} stops an open position is not known: wait until all positions are listed",
            order.id
        ));
    }
    let terms = terms(order, (shown, wanted));
    match (exit_of(store, order), terms) {
        (Some(position), Some(terms)) => {
            let goals = ExitGoals::moving(position.id.clone(), vec![terms]);
            Ok(MovePlan::InPlace(Moved::Exits(goals)))
        }
        (Some(position), None) if order.protects(position) == Some(Protection::Stop) => {
            Err(only_terms(order))
        }
        (None, Some(terms)) => Ok(MovePlan::InPlace(Moved::Order(terms))),
        (_, None) => Ok(MovePlan::Replace),
    }
}

/// Without the positions a stop cannot be told from another armed order.
fn may_stop(store: &Store, order: &Order) -> bool {
    let is_read = store.positions.value().is_some_and(Page::is_whole);
    !is_read && order.is_armed() && order.may_close()
}

fn only_terms(order: &Order) -> String {
    let id = &order.id;
    if order.has_two_prices() {
        return format!("{id} has a trigger and a limit: place another one, then cancel it");
    }
    format!("{id} protects a position: only its price and size can be changed")
}

/// The open position that this order stops, or takes the profit of.
pub(crate) fn exit_of<'a>(store: &'a Store, order: &Order) -> Option<&'a Position> {
    let mut open = store.positions.rows().iter();
    open.find(|position| order.protects(position).is_some())
}

/// The new price and size, if nothing else changes.
fn terms(order: &Order, (shown, wanted): (&PlaceOrder, &PlaceOrder)) -> Option<NewTerms> {
    if order.has_two_prices() {
        return None;
    }
    let moved = PlaceOrder {
        size: wanted.size,
        limit_price: wanted.limit_price,
        trigger_price: (shown.trigger_price).map(|own| wanted.trigger_price.unwrap_or(own)),
        expected_price: wanted.expected_price,
        ..shown.clone()
    };
    (moved == *wanted).then_some(NewTerms {
        order: order.id.clone(),
        price: wanted.trigger_price.or(wanted.limit_price)?,
        size: (wanted.size != shown.size).then_some(wanted.size),
    })
}

/// The same order at another price.
///
/// # Errors
/// If a move cannot say what it becomes.
pub(crate) fn terms_at(order: &Order, price: Num) -> Result<NewTerms, String> {
    if order.has_two_prices() {
        return Err(only_terms(order));
    }
    let (order, size) = (order.id.clone(), None);
    Ok(NewTerms { order, price, size })
}
