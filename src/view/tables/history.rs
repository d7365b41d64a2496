//! The columns of the order history: outcome and execution quality of each order.

use super::{
    order_words::{reason, rule_name},
    orders,
};
use crate::{
    app::{
        Rows,
        tables::table_view::{Sums, TableView},
    },
    model::{Num, Order},
    view::text::{
        Align::{Left, Number, Words},
        Cell, Column, Scene, Span, format,
        words::{self, aside, known},
    },
};
use std::cmp::Reverse;

pub const HISTORY: &[Column<Order>] = &[
    Column::new("requested_at", "time", Left, 2, requested)
        .moment(|order| Some(order.requested_at)),
    Column::new("market", "market", Left, 0, orders::market),
    Column::new("side", "side", Left, 0, orders::side),
    Column::new("mode", "type", Left, 4, orders::mode),
    Column::new("status", "status", Left, 0, |order, scene| {
        orders::status(order, scene).into()
    }),
    Column::new("size", "size", Number, 2, orders::size),
    Column::new("limit_price", "price", Number, 6, orders::price),
    Column::new("fill_price", "filled at", Number, 1, fill),
    Column::new("slippage_bps", "bps", Number, 4, |order: &Order, _| {
        bps(order.fill_bps()).into()
    })
    .exact(|order, _| order.fill_bps()),
    Column::new("liquidity_role", "role", Left, 8, |order, _| {
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
    Column::new("realized_pnl", "PnL", Number, 3, realized),
    Column::new("settle_time", "settled", Number, 8, |order: &Order, _| {
        aside(order.settle_time().map(format::elapsed))
    })
    .span(|order, _| order.settle_time()),
    Column::new("reject_reason", "reason", Words, 1, |order, _| {
        Span::alert(reason(order)).into()
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

/// How much better (+) or worse (−) than expected, or than the trigger, in basis points.
pub(crate) fn bps(bps: Option<Num>) -> Span {
    bps.map_or_else(Span::unknown, |bps| {
        Span::new(format::signed_bps(bps), words::pnl_tone(bps.rounded(1)))
    })
}

/// Only orders that closed something have a realized profit.
fn realized(order: &Order, _: &Scene<'_>) -> Cell {
    match order.realized_pnl {
        Some(pnl) => words::pnl(Some(pnl)).into(),
        None => Cell::default(),
    }
}

/// Execution quality, and refusals by rule, most frequent first: of the orders that match the filter, otherwise of
/// those read so far.
pub(crate) fn foot(rows: &Rows<'_>, scene: &Scene<'_>) -> Vec<Vec<Span>> {
    let table_view = rows
        .table_view
        .filter(|table_view| table_view.filter.is_some());
    let shown = table_view.and_then(TableView::sums);
    let shown = shown.and_then(Sums::try_as_quality_ref);
    let quality = shown.unwrap_or(&scene.store.quality);
    let total = quality.total();
    if total.orders == 0 {
        return vec![];
    }
    let of = match shown {
        Some(_) => "shown",
        None if scene.store.history.has_more() => "last",
        None => "all",
    };
    let named = format!("{of} {}:", format::count(total.orders));
    // All orders need no count.
    let named = (of != "all" || table_view.is_some()).then(|| vec![Span::muted(named)]);
    let mut groups: Vec<_> = named.into_iter().collect();
    if total.executed().fills > 0 {
        groups.push(vec![
            Span::muted("fills "),
            bps(total.bps()),
            Span::muted(" bps"),
        ]);
        let makers = total.maker_share().map(format::rate);
        groups.push(vec![Span::muted("maker "), known(makers)]);
    }
    if total.rejected == 0 {
        return groups;
    }
    let rejected = format!("{} rejected", format::count(total.rejected));
    groups.push(vec![Span::alert(rejected)]);
    let mut rules: Vec<_> = quality.rules.iter().collect();
    rules.sort_by_key(|(_, rule)| Reverse(rule.count));
    // As many as fit: fewer would not add up.
    let named = rules.into_iter();
    groups.extend(
        named.map(|(name, rule)| vec![Span::muted(format!("{} {}", rule_name(name), rule.count))]),
    );
    groups
}
