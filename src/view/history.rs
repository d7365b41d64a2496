//! The columns of the order history: what became of each order and how well it was filled.

use super::{
    Align::{Left, Number, Words},
    Cell, Column, Scene, Span, Tone, format, orders,
    words::{self, aside, known},
};
use crate::model::{Num, Order, OrderStatus, Side, Text};
use std::{cmp::Reverse, collections::BTreeMap};

/// How many rules the foot has room for.
const RULES_NAMED: usize = 3;

pub const HISTORY: &[Column<Order>] = &[
    Column::new("requested_at", "time", Left, 2, requested),
    Column::new("market", "market", Left, 0, orders::market),
    Column::new("side", "side", Left, 0, orders::side),
    Column::new("mode", "type", Left, 3, orders::mode),
    Column::new("status", "status", Left, 0, |order, scene| {
        orders::status(order, scene).into()
    }),
    Column::new("size", "size", Number, 2, orders::size),
    Column::new("limit_price", "price", Number, 6, orders::price),
    Column::new("fill_price", "filled at", Number, 1, fill),
    Column::new("slippage_bps", "bps", Number, 3, |order, _| {
        slippage(order).into()
    }),
    Column::new("liquidity_role", "role", Left, 7, |order, _| {
        Span::muted(
            order
                .liquidity_role
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
        )
        .into()
    }),
    Column::new("fee", "fee", Number, 7, |order, _| {
        aside(order.fee.map(format::usd))
    }),
    Column::new("realized_pnl", "PnL", Number, 4, realized),
    Column::new("settle_time", "settled", Number, 8, settle),
    Column::new("reject_reason", "reason", Words, 1, |order, _| {
        Span::new(reason(order), Tone::Alert).into()
    }),
    Column::new("order_id", "id", Left, 9, |order, _| {
        Span::muted(order.id.to_string()).into()
    }),
];

fn requested(order: &Order, scene: &Scene<'_>) -> Cell {
    Span::muted(scene.zone.moment(order.requested_at, scene.now)).into()
}

fn fill(order: &Order, scene: &Scene<'_>) -> Cell {
    let market = scene.store.market(&order.market_id);
    known(order.fill_price.map(|p| format::fill(p, market))).into()
}

/// How much better (+) or worse (−) than the expected price it was filled, in basis points of that price.
pub(super) fn fill_quality(order: &Order) -> Option<Num> {
    let expected = order.expected_price;
    let paid_less = expected.minus(order.fill_price?)?;
    let better = match order.side.known()? {
        Side::Buy => paid_less,
        Side::Sell => paid_less.negated(),
    };
    better.over(expected)?.times(Num::from(10_000_u32))
}

fn slippage(order: &Order) -> Span {
    let Some(bps) = fill_quality(order) else {
        return Span::unknown();
    };
    Span::new(format::signed_bps(bps), words::pnl_tone(bps.rounded(1)))
}

/// Only orders that closed something have any.
fn realized(order: &Order, _: &Scene<'_>) -> Cell {
    match order.realized_pnl {
        Some(pnl) => words::pnl(Some(pnl)).into(),
        None => Cell::default(),
    }
}

fn settle(order: &Order, _: &Scene<'_>) -> Cell {
    aside(
        order
            .settled_at
            .map(|at| format::elapsed(at.since(order.requested_at))),
    )
}

/// Why it was refused: the reason and the rule that said so.
pub(super) fn reason(order: &Order) -> String {
    let words = [&order.reject_reason, &order.reject_rule_id]
        .into_iter()
        .flatten();
    let words: Vec<_> = words.map(ToString::to_string).collect();
    words.join(" · ")
}

/// How many of the orders read so far were rejected, by the rule that did it, the busiest rule first.
pub(super) fn foot(scene: &Scene<'_>) -> Vec<Span> {
    let rejects = scene.store.history.rows().iter();
    let rejects = rejects.filter(|order| order.status.is(&OrderStatus::Rejected));
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    let mut count = 0_usize;
    for order in rejects {
        count += 1;
        let rule = order
            .reject_rule_id
            .as_ref()
            .map_or("no rule named", Text::raw);
        *rules.entry(rule).or_default() += 1;
    }
    if count == 0 {
        return vec![];
    }
    let mut rules: Vec<_> = rules.into_iter().collect();
    rules.sort_by_key(|(_, count)| Reverse(*count));
    let named = rules.into_iter().take(RULES_NAMED);
    let named = named.map(|(rule, count)| Span::muted(format!("  {} {count}", Text::from(rule))));
    let total = Span::new(format!("{count} rejected"), Tone::Alert);
    std::iter::once(total).chain(named).collect()
}
