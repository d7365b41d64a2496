//! Faults on purpose: what `POST /sim/faults` or a scenario's `[[faults]]` plants, and which request steps on it.
//!
//! A disturbance is addressed by endpoint, count and probability; the draws come from a stream of their own, seeded
//! with the exchange, so the same requests in the same order meet the same trouble. The control routes of `/sim`
//! are never disturbed.

use super::wire::{integral, optional_integral};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;
use strum::{Display, EnumString};

/// The endpoints a disturbance can be addressed to.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(super) enum Endpoint {
    PlaceOrder,
    Orders,
    CancelOrder,
    AttachedExits,
    Positions,
    ClosePosition,
    IsolatedMargin,
    CloseAll,
    TwapOrders,
    StopTwap,
    ScaledOrder,
    CancelScaled,
    Markets,
    Book,
    Accounts,
    PlaceTwap,
    ScaledOrders,
    PlaceScaled,
}

/// One planted disturbance, as posted and as listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plant {
    pub(super) kind: Kind,
    /// Absent disturbs every endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) route: Option<Endpoint>,
    /// How many requests it meets before it is gone; absent: until removed.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "optional_integral"
    )]
    pub(super) count: Option<u32>,
    /// Chance in percent that a matching request meets it.
    #[serde(default = "always", deserialize_with = "integral")]
    pub(super) percent: u32,
    /// The error status of `before` and `after`.
    #[serde(default, deserialize_with = "integral")]
    pub(super) status: FaultStatus,
    /// Sent with 429 and 503, seconds.
    #[serde(default = "one", deserialize_with = "integral")]
    pub(super) retry_after: u32,
    /// How long `latency` holds a request, and over how long `slow_body` spreads an answer.
    #[serde(default = "second", deserialize_with = "integral")]
    pub(super) millis: u32,
    /// How far `clock_skew` is ahead of the exchange's own clock; negative is behind.
    #[serde(default = "minute", deserialize_with = "integral")]
    pub(super) skew_millis: i32,
}

/// Longest `millis`: ten minutes, longer than any client waits.
const LONGEST: u32 = 600_000;

impl Plant {
    /// The field that is out of its range, if one is, and what is wrong with it.
    pub(super) fn misfit(&self) -> Option<(&'static str, String)> {
        let ranges = [
            ("count", self.count.unwrap_or(1), 1..=u32::MAX),
            ("percent", self.percent, 0..=100),
            ("retry_after", self.retry_after, 1..=u32::MAX),
            ("millis", self.millis, 0..=LONGEST),
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
}

fn always() -> u32 {
    100
}

fn one() -> u32 {
    1
}

fn second() -> u32 {
    1_000
}

fn minute() -> i32 {
    60_000
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// Holds the request before it is carried out.
    Latency,
    /// An error status instead of carrying the request out.
    Before,
    /// Carries the request out, then answers with an error status all the same.
    After,
    /// Carries the request out, then closes the connection without an answer.
    DropReply,
    /// The right answer, cut in half.
    CutBody,
    /// The right answer in small pieces, the last of them after `millis`.
    SlowBody,
    /// The right answer by another clock: every instant in it is off by `skew_millis`.
    ClockSkew,
    /// 200 with a body that is no JSON.
    GarbageBody,
    /// The right answer with words no client knows as its types, modes and statuses.
    UnknownWords,
    /// What is usually done at once is only begun: close-all answers 202 and closes nothing, the cancellation of a
    /// resting order is queued. Nothing else is disturbed.
    NotYet,
}

/// 400 to 599.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "u16")]
pub(super) struct FaultStatus(u16);

impl Default for FaultStatus {
    fn default() -> Self {
        Self(503)
    }
}

impl TryFrom<i128> for FaultStatus {
    type Error = &'static str;

    fn try_from(status: i128) -> Result<Self, &'static str> {
        match u16::try_from(status) {
            Ok(status @ 400..=599) => Ok(Self(status)),
            Ok(_) | Err(_) => Err("an error status is 400 to 599"),
        }
    }
}

impl From<FaultStatus> for u16 {
    fn from(status: FaultStatus) -> Self {
        status.0
    }
}

/// What one request meets: at most one wait and one trouble, the first planted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Fate {
    pub(super) wait: Option<Duration>,
    pub(super) trouble: Option<Plant>,
}

#[derive(Debug)]
pub(super) struct Chaos {
    plants: Vec<Plant>,
    draws: SplitMix,
}

impl Chaos {
    pub(super) fn new(seed: u64, plants: &[Plant]) -> Self {
        Self {
            plants: plants.to_vec(),
            draws: SplitMix(seed ^ 0x0c4a_0500),
        }
    }

    pub(super) fn plant(&mut self, plant: Plant) {
        self.plants.push(plant);
    }

    pub(super) fn clear(&mut self) {
        self.plants.clear();
    }

    pub(super) fn plants(&self) -> &[Plant] {
        &self.plants
    }

    /// What a request to `endpoint` meets; counts down what it used up.
    pub(super) fn fate(&mut self, endpoint: Endpoint) -> Fate {
        let mut fate = Fate::default();
        for plant in &mut self.plants {
            let addressed = plant.route.is_none_or(|route| route == endpoint);
            let latency = plant.kind == Kind::Latency;
            let free = if latency {
                fate.wait.is_none()
            } else {
                fate.trouble.is_none()
            };
            if !addressed || !free || self.draws.percent() >= plant.percent {
                continue;
            }
            plant.count = plant.count.map(|left| left.saturating_sub(1));
            if latency {
                fate.wait = Some(Duration::from_millis(plant.millis.into()));
            } else {
                fate.trouble = Some(*plant);
            }
        }
        self.plants.retain(|plant| plant.count != Some(0));
        fate
    }
}

/// The splitmix64 sequence: enough for chances, no cryptography.
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

/// A JSON answer whose `type`, `mode` and `status` words nobody has heard of.
pub(super) fn estranged(body: &[u8]) -> Vec<u8> {
    let mut text = String::from_utf8_lossy(body).into_owned();
    for field in ["type", "mode", "status"] {
        let opening = format!("\"{field}\":\"");
        let mut parts = text.split(&opening);
        let mut changed = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let rest = part.split_once('"').map_or("", |(_, rest)| rest);
            changed.push_str(&opening);
            changed.push_str("never_heard_of\"");
            changed.push_str(rest);
        }
        text = changed;
    }
    text.into_bytes()
}

/// An answer told by a clock that is `by` milliseconds off.
pub(super) fn skewed(body: &[u8], by: i64) -> Vec<u8> {
    let Ok(mut answer) = serde_json::from_slice(body) else {
        return body.to_vec();
    };
    skew(&mut answer, by);
    serde_json::to_vec(&answer).unwrap_or_else(|_| body.to_vec())
}

fn skew(value: &mut Value, by: i64) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| skew(item, by)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_i64().filter(|_| is_instant(name)) {
                    Some(at) => *value = at.saturating_add(by).into(),
                    None => skew(value, by),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_instant(field: &str) -> bool {
    field.ends_with("_at") || ["now", "as_of", "cooldown_until"].contains(&field)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plant(json: &str) -> Plant {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_fault_meets_its_endpoint_as_often_as_asked_and_no_more() {
        let mut chaos = Chaos::new(1, &[]);
        chaos.plant(plant(
            r#"{"route":"orders","count":2,"kind":"before","status":503}"#,
        ));
        let hits: Vec<bool> = [
            Endpoint::Positions,
            Endpoint::Orders,
            Endpoint::Orders,
            Endpoint::Orders,
        ]
        .into_iter()
        .map(|endpoint| chaos.fate(endpoint).trouble.is_some())
        .collect();
        assert_eq!(hits, [false, true, true, false]);
    }

    #[test]
    fn chances_are_the_same_for_the_same_seed() {
        let run = |seed| -> Vec<bool> {
            let mut chaos = Chaos::new(seed, &[]);
            chaos.plant(plant(r#"{"percent":50,"kind":"drop_reply"}"#));
            (0..64)
                .map(|_| chaos.fate(Endpoint::Orders).trouble.is_some())
                .collect()
        };
        assert_eq!(run(3), run(3));
        assert_ne!(run(3), run(4));
        assert!(run(3).contains(&true) && run(3).contains(&false));
    }

    #[test]
    fn words_change_and_everything_else_stays() {
        let body = br#"{"data":{"type":"limit","size":0.10,"status":"resting"}}"#;
        assert_eq!(
            String::from_utf8(estranged(body)).unwrap(),
            r#"{"data":{"type":"never_heard_of","size":0.10,"status":"never_heard_of"}}"#
        );
    }

    #[test]
    fn a_skewed_clock_tells_every_instant_and_nothing_else_otherwise() {
        let body =
            br#"{"data":[{"requested_at":1000,"size":0.10,"settled_at":null}],"as_of":2000}"#;
        let told = String::from_utf8(skewed(body, -500)).unwrap();
        let told: Value = serde_json::from_str(&told).unwrap();
        let expected =
            r#"{"data":[{"requested_at":500,"size":0.10,"settled_at":null}],"as_of":1500}"#;
        assert_eq!(told, serde_json::from_str::<Value>(expected).unwrap());
        assert_eq!(skewed(b"no json", 1), b"no json");
    }
}
