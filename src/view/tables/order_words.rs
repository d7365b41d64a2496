//! Words about an order, shared by the tables of orders, scaled orders and events.

use crate::{
    model::{Market, Num, Order, Text},
    view::text::{
        format,
        words::{self},
    },
};

/// Why it was refused: reason and rule.
pub(crate) fn reason(order: &Order) -> String {
    let words = [&order.reject_reason, &order.reject_rule_id]
        .into_iter()
        .flatten();
    let words: Vec<_> = words.map(ToString::to_string).collect();
    words.join(" · ")
}

/// The name of a rule; some refusals have none.
pub(crate) fn rule_name(name: &Text) -> String {
    if name.is_empty() {
        return "no rule named".to_owned();
    }
    name.to_string()
}

pub(crate) fn filled_share(order: &Order) -> Option<Num> {
    order.filled_size?.abs().over(order.asked_size().abs())
}

/// The order after its command: with its fill, or why it was refused.
pub(crate) fn order_words(order: &Order, market: Option<&Market>) -> String {
    let mut words = vec![words::order(order, market)];
    if order.status.known().is_none() {
        words.push(words::known_or_quoted("status", &order.status, |known| {
            known.to_string()
        }));
    }
    words.extend(
        order
            .fill_price
            .map(|price| format!("filled at {}", format::fill(price, market))),
    );
    words.extend(
        Some(crate::view::tables::order_words::reason(order)).filter(|reason| !reason.is_empty()),
    );
    words.join(": ")
}
