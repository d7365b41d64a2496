//! A new price, and perhaps a new size, for an order as it rests: `PATCH /v1/orders/{id}`.

use super::Risk;
use crate::model::{Num, Order, OrderId};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Its own body. Repeating it changes nothing: it holds the wanted price and size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModifyOrder {
    /// In the path.
    #[serde(skip)]
    pub order_id: OrderId,
    pub price: Num,
    /// In coin, above zero; absent keeps the size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Num>,
    /// Compared with the order at the time of the command. Not sent.
    #[serde(skip)]
    pub risk: Risk,
}

impl ModifyOrder {
    /// For an order as it was seen: one that reduces stays so; any other may cost more at another price or size.
    pub fn of(order: &Order, price: Num, size: Option<Num>) -> Self {
        let risk = if order.reduce_only {
            Risk::Neutral
        } else {
            Risk::Increasing
        };
        Self {
            order_id: order.id.clone(),
            price,
            size,
            risk,
        }
    }

    /// Whether `order` has the wanted price and size.
    pub fn is_done(&self, order: &Order) -> bool {
        let price = order.limit_price.or(order.trigger_price);
        let is_price = price == Some(self.price) || order.trigger_price == Some(self.price);
        is_price && self.size.is_none_or(|size| order.size.abs() == size)
    }
}

impl fmt::Display for ModifyOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "move order {} to {}",
            self.order_id,
            self.price.grouped()
        )?;
        match self.size {
            Some(size) => write!(f, ", size {}", size.grouped()),
            None => Ok(()),
        }
    }
}
