//! The replacement of a canceled order.

use crate::model::{Num, Order, OrderId, OrderMode, OrderStatus, PlaceOrder, Timestamp};
use std::time::Duration;

/// A replacement is not placed later than this after its price was decided on: an older price must be confirmed again.
pub(crate) const REPLACE_WITHIN: Duration = Duration::from_secs(10);

/// The replacement of a canceled order.
#[derive(Debug, Clone, PartialEq)]
pub struct Successor {
    pub(crate) old: OrderId,
    /// With the whole requested size.
    pub(crate) order: Box<PlaceOrder>,
    /// How much of the old order had filled when that size was read.
    pub(crate) filled: Num,
    pub(crate) since: Timestamp,
}

impl Successor {
    /// The order that it replaces.
    pub fn old(&self) -> &OrderId {
        &self.old
    }
}

/// Why an order is not replaced that was decided on so long ago.
pub(crate) fn too_late(age: Duration) -> Option<String> {
    let (most, age) = (REPLACE_WITHIN.as_secs(), age.as_secs_f64());
    (age > REPLACE_WITHIN.as_secs_f64()).then(|| {
        format!("prices and orders are {age:.1} s old, and the limit is {most} s: check the price, then run it again")
    })
}

/// How much of a movable order has filled; or why it cannot be moved.
pub(crate) fn filled_of(order: &Order) -> Result<Num, &'static str> {
    let is_limit = order.mode.is(&OrderMode::Limit);
    if !is_limit || !order.status.is(&OrderStatus::Resting) {
        return Err("only a resting limit order is moved: cancel it and place a new one");
    }
    if order.scaled_order_id.is_some() || order.twap_order_id.is_some() {
        return Err(
            "an order of a ladder or TWAP cannot be moved: the new order would not belong to it",
        );
    }
    let filled = order.filled_size.map(Num::abs);
    filled.ok_or(
        "the service does not report how much of it has filled: cancel it and place a new one",
    )
}

impl Successor {
    /// The size left to place, from the final row of the old order.
    pub(crate) fn left(&self, row: Option<&Order>) -> Result<Num, String> {
        let (old, asked) = (&self.old, self.order.size);
        let unknown = || {
            format!("{old} is canceled, but its filled size is not known: no replacement is placed")
        };
        let row = row.ok_or_else(unknown)?;
        match row.status.known() {
            Some(OrderStatus::Canceled) => {}
            Some(OrderStatus::Filled) => {
                return Err(format!("{old} has filled: no replacement is placed"));
            }
            Some(
                OrderStatus::Pending
                | OrderStatus::Resting
                | OrderStatus::Rejected
                | OrderStatus::Expired,
            )
            | None => {
                let status = &row.status;
                return Err(format!(
                    "{old} is {status} after its cancel: no replacement is placed"
                ));
            }
        }
        let filled = row.filled_size.map(Num::abs).ok_or_else(unknown)?;
        let meanwhile = filled.minus(self.filled).ok_or_else(unknown)?;
        let left = asked.minus(meanwhile.max(Num::ZERO)).ok_or_else(unknown)?;
        if left.is_positive() {
            Ok(left)
        } else {
            Err(format!(
                "{meanwhile} of {old} filled before it was canceled: no replacement is placed"
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_replaced_within_the_ten_seconds_that_the_desk_allows() {
        assert_eq!(too_late(Duration::from_secs(10)), None);
        let words = "prices and orders are 10.2 s old, and the limit is 10 s: check the price, then run it again";
        assert_eq!(
            too_late(Duration::from_millis(10_200)).as_deref(),
            Some(words)
        );
    }
}
