//! An order in full.

use super::{DetailView, Fields, failure};
use crate::{
    model::{Num, Order, OrderStatus, Text, Yardstick},
    view::{Scene, Span, Tone, format, orders, words},
};

pub(super) fn detail(order: &Order, scene: &Scene<'_>) -> DetailView {
    let mut fields = Fields::default();
    if order.status.is(&OrderStatus::Rejected) {
        let why = Span::new(refusal(order, scene), Tone::Alert);
        fields.push("rejected", vec![why]);
    }
    what(&mut fields, order);
    fields.section("Price and size");
    numbers(&mut fields, order);
    fields.section("What follows");
    fields.text("filled", orders::filled_share(order).map(format::percent));
    let quality = order.yardstick().zip(order.fill_bps());
    if let Some((against, bps)) = quality {
        let (label, name) = match against {
            Yardstick::Expected(_) => ("fill against expected", "expected"),
            Yardstick::Trigger(_) => ("fill against trigger", "its trigger"),
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
        Span::plain(words::order(order, scene.store.market(&order.market_id))),
        Span::plain("  "),
        orders::status(order, scene),
    ])
}

/// Why, in a sentence: as the service said when it refused it, which names what was asked and what is allowed; else the
/// reason of the row, and the rule with its limit, where that is told among the facts of the account.
fn refusal(order: &Order, scene: &Scene<'_>) -> String {
    if let Some(said) = said(order, scene) {
        return said;
    }
    let reason = order.reject_reason.as_ref().map(words::spaced);
    let rule = order.reject_rule_id.as_ref();
    let mut parts: Vec<_> = reason.iter().cloned().collect();
    let named = rule.map(|rule| format!("by the rule {}", words::spaced(rule)));
    parts.extend(named.filter(|_| rule.map(words::spaced) != reason));
    parts.extend(rule.and_then(|rule| limit(rule, scene)));
    if parts.is_empty() {
        return "the service does not say why".to_owned();
    }
    parts.join(", ")
}

/// The answer to the request for it, as long as this desk remembers that.
fn said(order: &Order, scene: &Scene<'_>) -> Option<String> {
    let mut newest = scene.activity.lines.iter().rev();
    let told = newest.find_map(|notice| {
        let why = failure(notice)?;
        (why.order_id.as_ref() == Some(&order.id)).then_some(why)
    })?;
    (!told.message.is_empty()).then(|| told.message.to_string())
}

/// What the rule allows and where the account is, both of now.
fn limit(rule: &Text, scene: &Scene<'_>) -> Option<String> {
    let mut facts = scene.store.account.value()?.rules.iter();
    let fact = facts.find(|fact| fact.id == *rule)?;
    let [limit, value] = [fact.limit, fact.value].map(format::grouped);
    Some(format!("whose limit is {limit}, now at {value}"))
}

/// `+4.1 bps, better than expected`: the sign is the trader's, whichever the side.
fn quality_words(bps: Num, against: &str) -> String {
    let words = match bps.rounded(1) {
        shown if shown.is_positive() => "better than",
        shown if shown.is_negative() => "worse than",
        _ => "as",
    };
    format!("{} bps, {words} {against}", format::signed_bps(bps))
}

fn what(fields: &mut Fields, order: &Order) {
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

fn numbers(fields: &mut Fields, order: &Order) {
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

fn links(fields: &mut Fields, order: &Order) {
    fields.text("target_position_id", order.target_position_id.as_ref());
    fields.text("partial_of_order_id", order.partial_of_order_id.as_ref());
    let root = order.partial_fill_root_order_id.as_ref();
    fields.text("partial_fill_root_order_id", root);
    fields.text("twap_order_id", order.twap_order_id.as_ref());
    fields.text("scaled_order_id", order.scaled_order_id.as_ref());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{Model, notice::Event, poll::Answer, testing::*},
        model::{AccountFacts, Command, Failure, FailureKind, RuleFact},
        view::{detail::DetailLine, format::Zone},
    };

    /// The first line of the detail of a rejected order, and the names of its sections.
    fn told(model: &Model, why: &str) -> (String, Vec<&'static str>) {
        let json = format!(
            r#""type":"limit","mode":"limit","side":"buy","size":9,"limit_price":64000,"status":"rejected"{why}"#
        );
        let zone = Zone::utc();
        let scene = Scene::of(model, &zone);
        let view = detail(&order("ord-9", "BTC", &json), &scene);
        let first = match view.lines.first() {
            Some(DetailLine::Field { label, value }) => {
                let words: String = value.iter().map(|span| span.text.as_str()).collect();
                format!("{label}: {words}")
            }
            other => panic!("{other:?}"),
        };
        let sections = view.lines.iter().filter_map(|line| match line {
            DetailLine::Section(name) => Some(*name),
            DetailLine::Field { .. } | DetailLine::Cells { .. } | DetailLine::Link { .. } => None,
        });
        (first, sections.collect())
    }

    const RULE: &str =
        r#","reject_reason":"max_position","reject_rule_id":"max_position_notional""#;

    #[test]
    fn a_rejected_order_begins_with_why_and_the_limit_as_far_as_that_is_told() {
        let mut model = desk();
        let first = |model: &Model, why| told(model, why).0;
        assert_eq!(
            first(&model, RULE),
            "rejected: max position, by the rule max position notional"
        );
        assert_eq!(first(&model, ""), "rejected: the service does not say why");
        let fact = RuleFact {
            id: "max_position_notional".into(),
            value: num("12000"),
            limit: num("500000"),
            from: None,
        };
        let facts = AccountFacts {
            rules: vec![fact],
            ..AccountFacts::default()
        };
        arrive(&mut model, Answer::Account(Ok(facts)));
        assert_eq!(
            first(&model, RULE),
            "rejected: max position, by the rule max position notional, whose limit is 500,000, now at 12,000"
        );
        let why = Failure {
            order_id: Some("ord-9".into()),
            ..Failure::new(
                FailureKind::Invalid,
                "the position would be worth 576000 USD, more than 500000",
            )
        };
        let command = Command::Cancel("any".into());
        let now = model.now;
        model
            .activity
            .note(None, Event::Settled(command, Err(why)), now);
        assert_eq!(
            first(&model, RULE),
            "rejected: the position would be worth 576000 USD, more than 500000"
        );
    }

    #[test]
    fn a_section_that_has_nothing_has_no_heading() {
        let model = desk();
        let sections = |more| told(&model, more).1;
        assert_eq!(sections(""), ["Price and size", "Times"]);
        let linked = r#","target_position_id":"pos-1""#;
        assert_eq!(sections(linked), ["Price and size", "Times", "Links"]);
    }
}
