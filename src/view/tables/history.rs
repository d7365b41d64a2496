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
        Cell, Column, Scene, Span, Tone, format,
        words::{self, known},
    },
};
use std::cmp::Reverse;

pub const HISTORY: &[Column<Order>] = &[
    Column::time("requested_at", "time", 2, |order: &Order| {
        Some(order.requested_at)
    })
    .toned(Tone::Muted),
    Column::new("market", "market", Left, 0, orders::market),
    Column::new("side", "side", Left, 0, orders::side),
    Column::new("mode", "type", Left, 4, orders::mode),
    Column::new("status", "status", Left, 0, |order, scene| {
        orders::status(order, scene).into()
    }),
    Column::new("size", "size", Number, 2, orders::size),
    Column::new("limit_price", "price", Number, 6, orders::price),
    Column::new("fill_price", "filled at", Number, 1, |order, scene| {
        let market = scene.store.market(&order.market_id);
        known(order.fill_price.map(|p| format::fill(p, market))).into()
    }),
    Column::new("slippage_bps", "bps", Number, 4, |order, _| {
        bps(order.fill_bps()).into()
    }),
    Column::text("liquidity_role", "role", 8, |order: &Order| {
        order
            .liquidity_role
            .as_ref()
            .map_or_else(String::new, ToString::to_string)
    })
    .toned(Tone::Muted),
    Column::number("fee", "fee", 7, format::usd, |order: &Order| order.fee).toned(Tone::Muted),
    // Only orders that closed something have a realized profit.
    Column::new("realized_pnl", "PnL", Number, 3, |order, _| {
        order
            .realized_pnl
            .map(words::signed_pnl)
            .map(Cell::from)
            .unwrap_or_default()
    }),
    Column::known("settle_time", "settled", 8, |order: &Order| {
        order.settle_time().map(format::elapsed)
    })
    .aligned(Number)
    .toned(Tone::Muted)
    .span(|order, _| order.settle_time()),
    Column::text("reject_reason", "reason", 1, reason)
        .aligned(Words)
        .toned(Tone::Alert),
    Column::text("order_id", "id", 9, |order: &Order| order.id.to_string()).toned(Tone::Muted),
];

/// How much better (+) or worse (−) than expected, or than the trigger, in basis points.
pub(crate) fn bps(bps: Option<Num>) -> Span {
    bps.map_or_else(Span::unknown, |bps| {
        Span::new(format::signed_bps(bps), words::pnl_tone(bps.rounded(1)))
    })
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
