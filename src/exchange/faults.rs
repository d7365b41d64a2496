//! Fault injection: rules from `POST /sim/faults` or a scenario's `[[faults]]`, and the requests each applies to.
//!
//! A rule names an endpoint, a count and a probability. Draws come from a random stream of their own, seeded with the
//! exchange: the same requests in the same order get the same faults. The control routes of `/sim` are exempt.

mod altered;
mod kind;
mod of_streams;

pub(super) use altered::{unknown_enums, with_clock_skew};
pub(super) use kind::{FaultKind, FaultTarget};
use of_streams::FaultChannel;
pub(super) use of_streams::StreamFrame;

use super::wire::{integral, optional_integral};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One rule, as posted and as listed.
#[serde_with::apply(Option<u32> => #[serde(default, deserialize_with = "optional_integral")])]
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FaultRule {
    pub(super) kind: FaultKind,
    /// Absent: every endpoint.
    pub(super) route: Option<FaultTarget>,
    /// How many requests it applies to; absent: until removed.
    pub(super) count: Option<u32>,
    /// Chance in percent that it applies to a matching request.
    #[serde(default = "always", deserialize_with = "integral")]
    pub(super) percent: u32,
    /// The error status of `before` and `after`.
    #[serde(default, deserialize_with = "optional_integral")]
    status: Option<u16>,
    /// Sent with 429 and 503, seconds.
    retry_after: Option<u32>,
    /// How long `latency` holds a request, and over how long `slow_body` spreads a response.
    millis: Option<u32>,
    /// How far `clock_skew` is ahead of the exchange's own clock; negative is behind.
    #[serde(default, deserialize_with = "optional_integral")]
    skew_millis: Option<i32>,
    /// Of a fault of streams; absent: every channel of both.
    channel: Option<FaultChannel>,
    /// Of a fault of the market stream's events; absent: every market.
    pub(super) symbol: Option<String>,
}

/// Largest `millis`: ten minutes, longer than any client waits.
const MAX_FAULT_MILLIS: u32 = 600_000;
/// Default of `before` and `after`.
const DEFAULT_STATUS: u16 = 503;
/// Default of `latency` and `slow_body`.
const DEFAULT_MILLIS: u32 = 1_000;
/// Default of `clock_skew`.
const DEFAULT_SKEW_MILLIS: i32 = 60_000;

impl FaultRule {
    /// The field that is out of range or has no effect on this kind of fault, and why.
    pub(super) fn invalid_field(&self) -> Option<(&'static str, String)> {
        self.out_of_range().or_else(|| self.without_effect())
    }

    fn out_of_range(&self) -> Option<(&'static str, String)> {
        let ranges = [
            ("count", self.count.unwrap_or(1), 1..=u32::MAX),
            ("percent", self.percent, 0..=100),
            ("status", self.status().into(), 400..=599),
            ("retry_after", self.retry_after.unwrap_or(1), 1..=u32::MAX),
            ("millis", self.millis.unwrap_or(0), 0..=MAX_FAULT_MILLIS),
        ];
        let wrong = ranges
            .into_iter()
            .find(|(_, given, allowed)| !allowed.contains(given));
        wrong.map(|(field, given, allowed)| {
            let (least, most) = allowed.into_inner();
            (
                field,
                format!("{field} must be {least} to {most}, not {given}"),
            )
        })
    }

    fn without_effect(&self) -> Option<(&'static str, String)> {
        let kind = self.kind;
        if let Some(route) = self.route.filter(|route| !kind.reaches(*route)) {
            let message = format!("route {route} has no effect with kind {kind}");
            return Some(("route", message));
        }
        if let Some(channel) = self
            .channel
            .filter(|channel| !kind.reaches_channel(*channel))
        {
            let message = format!("channel {channel} has no effect with kind {kind}");
            return Some(("channel", message));
        }
        let given = [
            (
                "symbol",
                self.symbol.is_some(),
                kind.has_symbol() && self.channel != Some(FaultChannel::Account),
            ),
            ("status", self.status.is_some(), kind.reads("status")),
            (
                "retry_after",
                self.retry_after.is_some(),
                self.has_retry_after(),
            ),
            ("millis", self.millis.is_some(), kind.reads("millis")),
            (
                "skew_millis",
                self.skew_millis.is_some(),
                kind.reads("skew_millis"),
            ),
        ];
        let idle = given.into_iter().find(|(_, given, used)| *given && !used);
        idle.map(|(field, ..)| match field {
            "retry_after" if kind.reads("status") => {
                let message = "retry_after has no effect with a status other than 429 and 503";
                (field, message.to_owned())
            }
            _ => (field, format!("{field} has no effect with kind {kind}")),
        })
    }

    /// Whether its response has `Retry-After`.
    fn has_retry_after(&self) -> bool {
        self.kind.reads("status") && [429, 503].contains(&self.status())
    }

    /// The same rule with its defaults written out.
    fn completed(self) -> Self {
        let kind = self.kind;
        Self {
            status: kind.reads("status").then_some(self.status()),
            retry_after: self.has_retry_after().then_some(self.retry_after()),
            millis: kind.reads("millis").then_some(self.millis()),
            skew_millis: kind.reads("skew_millis").then_some(self.skew_millis()),
            ..self
        }
    }

    pub(super) fn status(&self) -> u16 {
        self.status.unwrap_or(DEFAULT_STATUS)
    }

    pub(super) fn retry_after(&self) -> u32 {
        self.retry_after.unwrap_or(1)
    }

    pub(super) fn millis(&self) -> u32 {
        self.millis.unwrap_or(DEFAULT_MILLIS)
    }

    pub(super) fn skew_millis(&self) -> i32 {
        self.skew_millis.unwrap_or(DEFAULT_SKEW_MILLIS)
    }
}

fn always() -> u32 {
    100
}

/// The faults of one request: at most one delay and one other; the oldest rule first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct DrawnFaults {
    pub(super) wait: Option<Duration>,
    pub(super) disturbance: Option<FaultRule>,
}

#[derive(Debug)]
pub(super) struct FaultInjector {
    rules: Vec<FaultRule>,
    draws: SplitMix,
}

impl FaultInjector {
    pub(super) fn new(seed: u64, rules: &[FaultRule]) -> Self {
        Self {
            rules: rules.iter().cloned().map(FaultRule::completed).collect(),
            draws: SplitMix(seed ^ 0x0c4a_0500),
        }
    }

    pub(super) fn add(&mut self, rule: FaultRule) {
        self.rules.push(rule.completed());
    }

    pub(super) fn clear(&mut self) {
        self.rules.clear();
    }

    pub(super) fn rules(&self) -> &[FaultRule] {
        &self.rules
    }

    /// Whether any rule is about streams: otherwise no frame need be read again.
    pub(super) fn has_stream_rules(&self) -> bool {
        self.rules.iter().any(|rule| rule.kind.is_of_streams())
    }

    /// Draws the fault of a frame, the oldest rule first, and counts the rule down.
    pub(super) fn draw_frame(&mut self, frame: &StreamFrame) -> Option<FaultRule> {
        let mut drawn = None;
        for rule in &mut self.rules {
            let is_of_channel = rule.channel.is_none() || rule.channel == frame.channel;
            let symbol = rule.symbol.as_ref();
            let is_of_symbol = symbol.is_none_or(|named| frame.symbols.contains(named));
            let applies = rule.kind.changes(frame.kind) && is_of_channel && is_of_symbol;
            if !applies || self.draws.percent() >= rule.percent {
                continue;
            }
            rule.count = rule.count.map(|left| left.saturating_sub(1));
            drawn = Some(rule.clone());
            break;
        }
        self.rules.retain(|rule| rule.count != Some(0));
        drawn
    }

    /// Draws the faults of a request to `endpoint`, and counts down the rules it used.
    pub(super) fn draw(&mut self, endpoint: FaultTarget) -> DrawnFaults {
        let mut drawn = DrawnFaults::default();
        for rule in &mut self.rules {
            let addressed =
                !rule.kind.is_of_streams() && rule.route.is_none_or(|route| route == endpoint);
            let latency = rule.kind == FaultKind::Latency;
            let free = if latency {
                drawn.wait.is_none()
            } else {
                drawn.disturbance.is_none()
            };
            if !addressed || !free || self.draws.percent() >= rule.percent {
                continue;
            }
            rule.count = rule.count.map(|left| left.saturating_sub(1));
            if latency {
                drawn.wait = Some(Duration::from_millis(rule.millis().into()));
            } else {
                drawn.disturbance = Some(rule.clone());
            }
        }
        self.rules.retain(|rule| rule.count != Some(0));
        drawn
    }
}

/// The splitmix64 sequence: good enough for probabilities, not cryptographic.
#[derive(Debug)]
struct SplitMix(u64);

impl SplitMix {
    fn percent(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u32::try_from((mixed ^ (mixed >> 31)) % 100).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Route;
    use strum::VariantNames;

    fn rule(json: &str) -> FaultRule {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_fault_meets_its_endpoint_as_often_as_asked_and_no_more() {
        let mut faults = FaultInjector::new(1, &[]);
        faults.add(rule(
            r#"{"route":"orders","count":2,"kind":"before","status":503}"#,
        ));
        let hits: Vec<bool> = [
            FaultTarget::Positions,
            FaultTarget::Orders,
            FaultTarget::Orders,
            FaultTarget::Orders,
        ]
        .into_iter()
        .map(|endpoint| faults.draw(endpoint).disturbance.is_some())
        .collect();
        assert_eq!(hits, [false, true, true, false]);
    }

    #[test]
    fn what_has_no_effect_is_refused_by_its_field_and_what_is_planted_says_all_it_does() {
        for (json, expected) in [
            (r#"{"kind":"before","millis":5}"#, Some("millis")),
            (r#"{"kind":"not_yet","route":"orders"}"#, Some("route")),
            (r#"{"kind":"not_yet","route":"close_all"}"#, None),
            (r#"{"kind":"not_yet","status":500}"#, Some("status")),
            (r#"{"kind":"latency","retry_after":5}"#, Some("retry_after")),
            (
                r#"{"kind":"after","status":500,"retry_after":5}"#,
                Some("retry_after"),
            ),
            (r#"{"kind":"after","status":429,"retry_after":5}"#, None),
            (
                r#"{"kind":"drop_reply","skew_millis":5}"#,
                Some("skew_millis"),
            ),
            (
                r#"{"kind":"clock_skew","route":"cancel_order"}"#,
                Some("route"),
            ),
            (
                r#"{"kind":"unknown_words","route":"markets"}"#,
                Some("route"),
            ),
            (r#"{"kind":"slow_body","millis":5,"route":"book"}"#, None),
            (r#"{"kind":"drop","symbol":"BTC"}"#, None),
            (
                r#"{"kind":"drop","symbol":"BTC","channel":"account"}"#,
                Some("symbol"),
            ),
            (r#"{"kind":"late_ack","symbol":"BTC"}"#, Some("symbol")),
            (
                r#"{"kind":"snapshot_missing","symbol":"BTC"}"#,
                Some("symbol"),
            ),
            (
                r#"{"kind":"crossed_book","channel":"trades"}"#,
                Some("channel"),
            ),
            (r#"{"kind":"latency","channel":"trades"}"#, Some("channel")),
        ] {
            let invalid_field = rule(json).invalid_field();
            assert_eq!(
                invalid_field.as_ref().map(|(field, _)| *field),
                expected,
                "{json}"
            );
            let told = invalid_field.is_none_or(|(field, why)| why.starts_with(field));
            assert!(told, "{json}");
        }
        let listed = |json| serde_json::to_value(rule(json).completed()).unwrap();
        assert_eq!(
            listed(r#"{"kind":"before"}"#),
            serde_json::json!({"kind": "before", "percent": 100, "status": 503, "retry_after": 1})
        );
        assert_eq!(
            listed(r#"{"kind":"latency"}"#),
            serde_json::json!({"kind": "latency", "percent": 100, "millis": 1000})
        );
    }

    #[test]
    fn every_documented_endpoint_can_be_named_by_a_rule() {
        for route in Route::VARIANTS {
            assert!(route.parse::<FaultTarget>().is_ok(), "{route}");
        }
    }

    #[test]
    fn chances_are_the_same_for_the_same_seed() {
        let run = |seed| -> Vec<bool> {
            let mut faults = FaultInjector::new(seed, &[]);
            faults.add(rule(r#"{"percent":50,"kind":"drop_reply"}"#));
            (0..64)
                .map(|_| faults.draw(FaultTarget::Orders).disturbance.is_some())
                .collect()
        };
        assert_eq!(run(3), run(3));
        assert_ne!(run(3), run(4));
        assert!(run(3).contains(&true) && run(3).contains(&false));
    }
}
