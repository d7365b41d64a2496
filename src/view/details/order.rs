//! The detail of an order.

use super::{
    lines::{DetailFields, DetailView},
    refusal,
};
use crate::{
    model::{FillReference, Num, Order, OrderStatus},
    view::{
        tables::orders,
        text::{
            format,
            scene::Scene,
            span::{Span, Tone},
            words,
        },
    },
};

pub(crate) fn detail(order: &Order, scene: &Scene<'_>) -> DetailView {
    let mut fields = DetailFields::default();
    if order.status.is(&OrderStatus::Rejected) {
        let why = Span::new(refusal::why(order, scene), Tone::Alert);
        fields.push("rejected", vec![why]);
    }
    let doubts = order.contradictions();
    if !doubts.is_empty() {
        let words = Span::new(doubts.join(", "), Tone::Alert);
        fields.push("the service contradicts itself", vec![words]);
    }
    what(&mut fields, order);
    fields.section("Price and size");
    numbers(&mut fields, order);
    fields.section("Preview");
    fields.text(
        "filled",
        crate::view::tables::order_words::filled_share(order).map(format::percent),
    );
    if orders::rests_at_cap(order, scene) {
        let words = "rests at its cap and does not follow the market beyond it";
        fields.push("chase", vec![Span::new(words, Tone::Warn)]);
    }
    let quality = order.yardstick().zip(order.fill_bps());
    if let Some((against, bps)) = quality {
        let (label, name) = match against {
            FillReference::Expected(_) => ("fill against expected", "expected"),
            FillReference::Trigger(_) => ("fill against trigger", "its trigger"),
        };
        fields.text(label, Some(quality_words(bps, name)));
    }
    fields.text("settle time", order.settle_time().map(format::elapsed));
    fields.section("Times");
    fields.time("requested_at", Some(order.requested_at), scene);
    fields.time("settled_at", order.settled_at, scene);
    fields.time("canceled_at", order.canceled_at, scene);
    fields.time("gtd_expires_at", order.gtd_expires_at, scene);
    fields.section("Links");
    links(&mut fields, order);
    fields.titled(vec![
        Span::plain(words::order(
            order,
            scene.store.market(&order.market_id),
            &scene.store.names,
        )),
        Span::plain("  "),
        orders::status(order, scene),
    ])
}

/// `+4.1 bps, better than expected`: the sign is the trader's, on either side.
fn quality_words(bps: Num, against: &str) -> String {
    let words = match bps.rounded(1) {
        shown if shown.is_positive() => "better than",
        shown if shown.is_negative() => "worse than",
        _ => "as",
    };
    format!("{} bps, {words} {against}", format::signed_bps(bps))
}

fn what(fields: &mut DetailFields, order: &Order) {
    fields.text("id", Some(&order.id));
    fields.text("account_id", Some(&order.account_id));
    fields.market((
        &order.market_id,
        &order.provider,
        &order.symbol,
        &order.coin,
    ));
    fields.text("type", Some(&order.kind));
    fields.text("mode", Some(&order.mode));
    fields.push("side", vec![words::order_side(&order.side)]);
    fields.push("status", vec![words::status(&order.status)]);
    fields.text("reject_reason", order.reject_reason.as_ref());
    fields.text("reject_rule_id", order.reject_rule_id.as_ref());
    fields.flag("reduce_only", Some(order.reduce_only));
    fields.text("time_in_force", order.time_in_force.as_ref());
    fields.text("margin_mode", Some(&order.margin_mode));
    fields.number("leverage", Some(order.leverage));
    fields.text("liquidity_role", order.liquidity_role.as_ref());
}

fn numbers(fields: &mut DetailFields, order: &Order) {
    fields.number("size", Some(order.size));
    fields.number("initial_size", order.initial_size);
    fields.number("filled_size", order.filled_size);
    fields.number("expected_price", Some(order.expected_price));
    fields.number("fill_price", order.fill_price);
    fields.number("limit_price", order.limit_price);
    fields.number("trigger_price", order.trigger_price);
    fields.text("trigger_direction", order.trigger_direction.as_ref());
    fields.text("trigger_market_id", order.trigger_market_id.as_ref());
    fields.number(
        "attached_take_profit_price",
        order.attached_take_profit_price,
    );
    fields.number("attached_stop_loss_price", order.attached_stop_loss_price);
    fields.number("chase_offset", order.chase_offset);
    fields.number("chase_cap_price", order.chase_cap_price);
    fields.number("notional", order.notional);
    fields.number("fee", order.fee);
    fields.profit("realized_pnl", order.realized_pnl);
}

fn links(fields: &mut DetailFields, order: &Order) {
    fields.text("target_position_id", order.target_position_id.as_ref());
    let sibling = order.oco_sibling_order_id.as_ref();
    fields.text("oco_sibling_order_id", sibling);
    fields.text("client_order_id", order.client_order_id.as_ref());
    fields.text("partial_of_order_id", order.partial_of_order_id.as_ref());
    let root = order.partial_fill_root_order_id.as_ref();
    fields.text("partial_fill_root_order_id", root);
    fields.text("twap_order_id", order.twap_order_id.as_ref());
    fields.text("scaled_order_id", order.scaled_order_id.as_ref());
}
