//! Words about an order, shared by the tables of orders, scaled orders and events.

use crate::{
    app::About,
    model::{Num, Order, OrderStatus, Text},
    view::text::{format, words},
};

/// Why it was refused: reason and rule.
pub(crate) fn reason(order: &Order) -> String {
    let parts = [&order.reject_reason, &order.reject_rule_id];
    words::listed(
        parts.map(|part| part.as_ref().map(ToString::to_string)),
        " · ",
    )
}

/// The name of a rule; some refusals have none.
pub(crate) fn rule_name(name: &Text) -> String {
    if name.is_empty() {
        return "no rule named".to_owned();
    }
    name.to_string()
}

pub(crate) fn filled_share(order: &Order) -> Option<Num> {
    order.filled_size?.abs().over(due_size(order).abs())
}

/// The size that was requested; of a filled reduce-only order what it has filled, since its position may have been smaller.
pub(crate) fn due_size(order: &Order) -> Num {
    let is_filled = order.reduce_only && order.status.is(&OrderStatus::Filled);
    let filled = order
        .filled_size
        .filter(|size| is_filled && !size.is_zero());
    filled.unwrap_or_else(|| order.requested_size())
}

/// The order after its command: with its fill, or why it was refused.
pub(crate) fn order_words(order: &Order, about: &About) -> String {
    let market = about.market.as_ref();
    let status = words::known_or_quoted("status", &order.status, |known| known.to_string());
    let filled = order
        .fill_price
        .map(|price| format!("filled at {}", format::fill(price, market)));
    let parts = [
        Some(words::order(order, market, &about.names)),
        Some(status).filter(|_| order.status.known().is_none()),
        filled,
        Some(reason(order)).filter(|reason| !reason.is_empty()),
    ];
    words::listed(parts, ": ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::{num, order};

    #[test]
    fn a_reduce_only_order_that_was_cut_is_shown_with_what_it_filled() {
        let ended = |reduce_only: bool, status: &str| {
            let more = format!(
                r#""type":"limit","mode":"limit","side":"sell","size":20,"initial_size":40,"filled_size":20,
                "status":"{status}""#
            );
            let order = Order {
                reduce_only,
                ..order("o", "SOL", &more)
            };
            (due_size(&order), filled_share(&order))
        };
        assert_eq!(ended(true, "filled"), (num("20"), Some(num("1"))));
        for (reduce_only, status) in [(true, "canceled"), (false, "filled")] {
            assert_eq!(ended(reduce_only, status), (num("40"), Some(num("0.5"))));
        }
    }
}
