//! Why an order was rejected, in one line.

use crate::{
    app::activity::notice::{Event, Notice},
    model::{Failure, Order, Text},
    view::text::{Scene, format, words},
};

/// The paper exchange's reasons in plain words. Another service's are shown unchanged.
const REASONS: &[(&str, &str)] = &[
    ("insufficient_margin", "not enough margin was free for it"),
    (
        "reduce_only_no_position",
        "it was reduce-only, and no position was open",
    ),
    (
        "reduce_only_would_increase",
        "it was reduce-only, and would have made the position larger",
    ),
    (
        "post_only_would_cross",
        "it was post-only, and would have filled at once",
    ),
    ("ioc_no_match", "no order in the book matched its price"),
    (
        "fok_unfillable",
        "the book could not fill all of it at once",
    ),
    (
        "trigger_would_fire",
        "the mark had reached its trigger already",
    ),
    ("no_liquidity", "the book had no orders within its slippage"),
    ("price_out_of_band", "its price is too far from the market"),
    ("below_min_notional", "its value is below the minimum"),
    ("leverage_too_high", "more leverage than is allowed"),
    ("max_position", "a larger position than is allowed"),
    ("max_open_positions", "more open positions than are allowed"),
    (
        "margin_mode_conflict",
        "the open position has the other margin mode",
    ),
    ("market_unavailable", "its market could not be traded"),
    (
        "account_breached",
        "the account broke a rule and may only reduce",
    ),
    (
        "too_many_chase_orders",
        "too many chase orders were working",
    ),
    ("too_many_working_orders", "too many orders were working"),
    ("order_cooldown", "it came too soon after the one before"),
];

fn plain(reason: &Text) -> String {
    let mut known = REASONS.iter().filter(|(word, _)| *word == reason.raw());
    let known = known.next().map(|(_, plain)| (*plain).to_owned());
    known.unwrap_or_else(|| words::spaced(reason))
}

/// The reason as a sentence: the service's message, which names the request and the limit; otherwise the row's reason,
/// and the rule with its limit if the account figures have it.
pub(crate) fn why(order: &Order, scene: &Scene<'_>) -> String {
    if let Some(text) = response_text(order, scene) {
        return text;
    }
    let reason = order.reject_reason.as_ref().map(plain);
    let rule = order.reject_rule_id.as_ref();
    let mut parts: Vec<_> = reason.into_iter().collect();
    parts.extend(rule.map(|rule| format!("by the rule {}", words::spaced(rule))));
    parts.extend(rule.and_then(|rule| limit(rule, scene)));
    if parts.is_empty() {
        return "the service does not say why".to_owned();
    }
    parts.join(", ")
}

/// The response to its request, as long as this desk keeps it.
fn response_text(order: &Order, scene: &Scene<'_>) -> Option<String> {
    let mut newest = scene.activity.lines.iter().rev();
    let refused = newest.find_map(|notice| {
        let why = failure(notice)?;
        (why.order_id.as_ref() == Some(&order.id)).then_some(why)
    })?;
    (!refused.message.is_empty()).then(|| refused.message.to_string())
}

/// The rule's limit and the account's value, both current.
fn limit(rule: &Text, scene: &Scene<'_>) -> Option<String> {
    let mut facts = scene.store.account.value()?.rules.iter();
    let fact = facts.find(|fact| fact.id == *rule)?;
    let limit = format::grouped(fact.limit);
    let value = fact.value.map(format::grouped);
    let now = value.map_or_else(String::new, |value| format!(", now at {value}"));
    Some(format!("whose limit is {limit}{now}"))
}

pub(super) fn failure(notice: &Notice) -> Option<&Failure> {
    match &notice.event {
        Event::Settled(_, Err(why)) => Some(why),
        Event::Past(past) => past.result.as_ref().err(),
        Event::Sent(_)
        | Event::Progress(..)
        | Event::Settled(_, Ok(_))
        | Event::Message(..)
        | Event::Alert(_)
        | Event::Elsewhere(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Model;
    use crate::app::account::poll::Answer;
    use crate::app::activity::notice::Event;
    use crate::app::testing::*;
    use crate::model::AccountFacts;
    use crate::model::Command;
    use crate::model::Failure;
    use crate::model::FailureKind;
    use crate::model::RuleFact;
    use crate::model::Zone;

    /// The first line of a rejected order's detail, and the titles of its sections.
    fn detail_lines(model: &Model, why: &str) -> (String, Vec<String>) {
        let json = format!(
            r#""type":"limit","mode":"limit","side":"buy","size":9,"limit_price":64000,"status":"rejected"{why}"#
        );
        let zone = Zone::utc();
        let scene = Scene::of(model, &zone);
        let view = super::super::order::detail(&order("ord-9", "BTC", &json), &scene);
        let first = &view.lines[0];
        let words = crate::view::text::plain_text(&first.value);
        let sections = view.lines.iter().filter(|line| line.is_section());
        let sections = sections.map(|line| line.label.clone());
        (format!("{}: {words}", first.label), sections.collect())
    }

    const RULE: &str =
        r#","reject_reason":"max_position","reject_rule_id":"max_position_notional""#;

    #[test]
    fn a_rejected_order_begins_with_why_and_the_limit_as_far_as_that_is_told() {
        let mut model = desk();
        let first = |model: &Model, why| detail_lines(model, why).0;
        assert_eq!(
            first(&model, RULE),
            "rejected: a larger position than is allowed, by the rule max position notional"
        );
        assert_eq!(
            first(&model, r#","reject_reason":"ioc_no_match""#),
            "rejected: no order in the book matched its price"
        );
        assert_eq!(
            first(&model, r#","reject_reason":"moon_phase""#),
            "rejected: moon phase"
        );
        assert_eq!(first(&model, ""), "rejected: the service does not say why");
        let fact = RuleFact {
            id: "max_position_notional".into(),
            value: Some(num("12000")),
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
            "rejected: a larger position than is allowed, by the rule max position notional, whose limit is 500,000, \
             now at 12,000"
        );
        let why = Failure {
            order_id: Some("ord-9".into()),
            ..Failure::new(
                FailureKind::Invalid,
                "the position would be worth 576000 USD, more than 500000",
            )
        };
        let command = Command::Cancel("any".into());
        let now = model.account.now;
        model
            .account
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
        let sections = |more| detail_lines(&model, more).1;
        assert_eq!(sections(""), ["Price and size", "Terms", "Times", "Ids"]);
        let linked = r#","target_position_id":"pos-1""#;
        assert_eq!(
            sections(linked),
            ["Price and size", "Terms", "Times", "Links", "Ids"]
        );
    }
}
