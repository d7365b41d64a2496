//! The detail of an order.

use super::{DetailFields, DetailView, refusal};
use crate::{
    model::{FillReference, Num, Order, OrderStatus},
    view::{
        tables::{evidence, order_words, orders},
        text::{Scene, Span, format, words},
    },
};

pub(crate) fn detail(order: &Order, scene: &Scene<'_>) -> DetailView {
    let mut fields = DetailFields::new(order, scene);
    if order.status.is(&OrderStatus::Rejected) {
        fields.push("rejected", Span::alert(refusal::why(order, scene)));
    }
    let doubts = order.contradictions();
    if !doubts.is_empty() {
        let words = Span::alert(doubts.join(", "));
        fields.push("the service contradicts itself", words);
    }
    what(&mut fields, order, scene);
    derived(&mut fields, order, scene);
    fields.section("Times");
    fields.sent([
        "requested_at",
        "settled_at",
        "canceled_at",
        "gtd_expires_at",
    ]);
    fields.section("Links");
    fields.sent([
        "target_position_id",
        "oco_sibling_order_id",
        "client_order_id",
        "partial_of_order_id",
        "partial_fill_root_order_id",
        "twap_order_id",
        "scaled_order_id",
    ]);
    fields.section("Ids");
    fields.names();
    let market = scene.store.market(&order.market_id);
    fields.titled([
        Span::plain(words::order(order, market, &scene.store.names)),
        Span::plain("  "),
        orders::status(order, scene),
    ])
}

fn what(fields: &mut DetailFields<'_>, order: &Order, scene: &Scene<'_>) {
    fields.push("side", words::order_side(&order.side));
    fields.push("status", orders::status(order, scene));
    fields.sent(["reject_reason", "reject_rule_id"]);
    fields.section("Price and size");
    fields.sent([
        "size",
        "initial_size",
        "filled_size",
        "expected_price",
        "fill_price",
        "limit_price",
        "trigger_price",
        "trigger_direction",
        "trigger_market_id",
        "attached_take_profit_price",
        "attached_stop_loss_price",
        "chase_offset",
        "chase_cap_price",
        "notional",
        "fee",
        "realized_pnl",
    ]);
    fields.section("Terms");
    fields.sent([
        "type",
        "mode",
        "reduce_only",
        "time_in_force",
        "margin_mode",
        "leverage",
        "liquidity_role",
    ]);
}

fn derived(fields: &mut DetailFields<'_>, order: &Order, scene: &Scene<'_>) {
    fields.section("Preview");
    let filled = order_words::filled_share(order);
    fields.text("filled", filled.map(format::percent));
    if orders::rests_at_cap(order, scene) {
        let words = "rests at its cap and does not follow the market beyond it";
        fields.push("chase", Span::warn(words));
    }
    if let Some((against, bps)) = order.yardstick().zip(order.fill_bps()) {
        let (label, name) = match against {
            FillReference::Expected(_) => ("fill against expected", "expected"),
            FillReference::Trigger(_) => ("fill against trigger", "its trigger"),
        };
        fields.text(label, Some(quality_words(bps, name)));
    }
    fields.text("settle time", order.settle_time().map(format::elapsed));
    let Some(known) = scene.store.evidence.of(order) else {
        return;
    };
    fields.text("booked–optimistic", evidence::bracket(known));
    fields.section("Evidence");
    for fill in &known.fills {
        fields.line(evidence::fill(fill));
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{app::testing::*, view::text::plain_text};

    #[test]
    fn an_order_that_waits_for_its_trigger_is_armed_in_its_title_and_among_its_fields() {
        let model = desk();
        let scene = Scene::of(&model, &model.account.options.zone);
        let waits = scene.store.order(&"ord-2".into()).unwrap();
        let view = detail(waits, &scene);
        assert!(plain_text(&view.title).ends_with("armed"), "{view:?}");
        let mut fields = view.lines.iter();
        let status = fields.find(|line| line.label == "status").unwrap();
        assert_eq!(plain_text(&status.value), "armed");
    }
}
