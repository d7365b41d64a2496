//! Faults of streams: which frames a rule is about.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::{Display, VariantArray};

/// A channel that a rule can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Display)]
#[serde(rename_all = "camelCase")]
#[strum(serialize_all = "camelCase")]
pub(in crate::exchange) enum FaultChannel {
    Ticks,
    Books,
    Trades,
    Candles,
    MarketStats,
    Status,
    /// The whole stream of accounts.
    Account,
}

impl FaultChannel {
    /// The channel that a client's message requests.
    fn subscribed(text: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Subscribe {
            channel: FaultChannel,
        }
        let subscribe: Subscribe = serde_json::from_str(text).ok()?;
        Some(subscribe.channel)
    }
}

/// What a frame is, as far as a rule can tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::exchange) struct StreamFrame {
    /// `None` for what is of no channel, or of one that does not show.
    pub(super) channel: Option<FaultChannel>,
    pub(super) symbols: Vec<String>,
    pub(super) kind: FrameKind,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, VariantArray)]
pub(super) enum FrameKind {
    Events,
    /// Those that a subscription begins with.
    FirstEvents,
    /// `sub_ok`.
    Acknowledgement,
    /// Of accounts; and what ends a snapshot.
    Snapshot,
    #[default]
    Other,
}

impl FrameKind {
    pub(super) const EVENTS: &[Self] = &[Self::Events, Self::FirstEvents];
    pub(super) const SNAPSHOT: &[Self] = &[Self::FirstEvents, Self::Snapshot];
}

impl StreamFrame {
    /// Frames that go out together: what answers a subscription is of its channel, whether or not it has events.
    pub(in crate::exchange) fn of_all(texts: &[String], subscribe: Option<&str>) -> Vec<Self> {
        let mut frames: Vec<_> = texts.iter().map(|text| Self::of(text)).collect();
        let channel = subscribe.and_then(FaultChannel::subscribed);
        let begins = |frame: &Self| frame.kind == FrameKind::Acknowledgement;
        let is_first = frames.iter().any(begins);
        for frame in &mut frames {
            frame.channel = frame.channel.or(channel);
            if is_first && frame.kind == FrameKind::Events {
                frame.kind = FrameKind::FirstEvents;
            }
        }
        frames
    }

    pub(in crate::exchange) fn is_of_snapshot(&self) -> bool {
        FrameKind::SNAPSHOT.contains(&self.kind)
    }

    fn of(text: &str) -> Self {
        let frame: Value = serde_json::from_str(text).unwrap_or_default();
        if let Some(event) = frame.get("event").and_then(Value::as_str) {
            return Self {
                channel: Some(FaultChannel::Account),
                symbols: vec![],
                kind: match event {
                    "snapshot" | "snapshot_end" => FrameKind::Snapshot,
                    "account" | "position" | "order" | "fill" => FrameKind::Events,
                    _ => FrameKind::Other,
                },
            };
        }
        let events = frame.get("events").and_then(Value::as_array);
        let events = events.map_or(&[][..], Vec::as_slice);
        let word = |event: &Value, name: &str| Some(event.get(name)?.as_str()?.to_owned());
        let kind = events.first().and_then(|event| word(event, "type"));
        Self {
            channel: match kind.as_deref() {
                Some("tick") => Some(FaultChannel::Ticks),
                Some("book") => Some(FaultChannel::Books),
                Some("trade") => Some(FaultChannel::Trades),
                Some("candle") => Some(FaultChannel::Candles),
                Some("marketStats") => Some(FaultChannel::MarketStats),
                Some("status") => Some(FaultChannel::Status),
                Some(_) | None => None,
            },
            symbols: events
                .iter()
                .filter_map(|event| word(event, "symbol"))
                .collect(),
            kind: match frame.get("op").and_then(Value::as_str) {
                Some("events") => FrameKind::Events,
                Some("sub_ok") => FrameKind::Acknowledgement,
                Some("snapshot_end") => FrameKind::Snapshot,
                Some(_) | None => FrameKind::Other,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_a_subscription_without_events_is_of_its_channel() {
        let subscribe = r#"{"op":"sub","id":1,"channel":"trades","payload":{}}"#;
        let texts = [
            r#"{"op":"sub_ok","id":1}"#,
            r#"{"op":"snapshot_end","id":1}"#,
        ];
        let frames = StreamFrame::of_all(&texts.map(str::to_owned), Some(subscribe));
        let trades = Some(FaultChannel::Trades);
        assert!(
            frames.iter().all(|frame| frame.channel == trades),
            "{frames:?}"
        );
    }
}
