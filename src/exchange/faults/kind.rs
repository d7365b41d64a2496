//! What a fault does, and the endpoints and frames it can be about.

use super::of_streams::{FaultChannel, FrameKind};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};

/// The endpoints a rule can name. Parsed from the name of a route; the controls of `/sim` are none of them.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Display, EnumString, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(in crate::exchange) enum FaultTarget {
    PlaceOrder,
    Orders,
    CancelOrder,
    AttachedExits,
    Positions,
    ClosePosition,
    IsolatedMargin,
    CloseAll,
    #[strum(to_string = "twap_orders", serialize = "twaps")]
    TwapOrders,
    StopTwap,
    #[strum(to_string = "scaled_order", serialize = "scaled")]
    ScaledOrder,
    CancelScaled,
    About,
    #[strum(to_string = "markets", serialize = "market_statistics")]
    Markets,
    Market,
    Quote,
    Book,
    Accounts,
    Account,
    TradingPolicy,
    Order,
    ModifyOrder,
    Position,
    ExitOrders,
    CancelAll,
    #[strum(to_string = "twap_order", serialize = "twap")]
    TwapOrder,
    PlaceTwap,
    ScaledOrders,
    PlaceScaled,
    Candles,
    Trades,
    Fills,
    Equity,
    Funding,
}

/// The kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(in crate::exchange) enum FaultKind {
    /// Holds the request before it is processed.
    Latency,
    /// Returns an error status without processing the request.
    Before,
    /// Processes the request, then returns an error status.
    After,
    /// Processes the request, then closes the connection without a response.
    DropReply,
    /// The correct response, cut in half.
    CutBody,
    /// The correct response in small pieces, the last one after `millis`.
    SlowBody,
    /// The correct response with every instant shifted by `skew_millis`.
    ClockSkew,
    /// 200 with a body that is not JSON.
    GarbageBody,
    /// The correct response with unknown types, modes and statuses.
    UnknownWords,
    /// Only begins what is usually done at once: close-all returns 202 and closes nothing, canceling a resting order is
    /// queued. Other endpoints are unaffected.
    NotYet,
    /// Of streams: ends the connection instead of a frame.
    Close,
    /// Of streams: sends nothing, and keeps the connection.
    Stall,
    /// Of streams: sends a frame of events twice.
    Duplicate,
    /// Of streams: sends a frame of events after the next one.
    Reorder,
    /// Of streams: leaves a frame of events out.
    Drop,
    /// Of the market stream: acknowledges a subscription after its snapshot.
    LateAck,
    /// Of the market stream: names another market.
    WrongSymbol,
    /// Of the books: bids for asks.
    CrossedBook,
    /// Of streams: half of a frame.
    MalformedFrame,
    /// Of streams: asks the client to come back, and ends the connection.
    Draining,
    /// Of streams: leaves the snapshot out, and its end.
    SnapshotMissing,
}

/// What a kind of fault is about.
struct FaultScope {
    /// The fields of a rule that it reads alone.
    fields: &'static [&'static str],
    /// The endpoints whose response it changes.
    endpoints: fn(FaultTarget) -> bool,
    /// The frames of streams that it changes.
    frames: &'static [FrameKind],
    channels: fn(FaultChannel) -> bool,
}

/// Of requests.
fn requests(fields: &'static [&'static str], endpoints: fn(FaultTarget) -> bool) -> FaultScope {
    FaultScope {
        fields,
        endpoints,
        frames: &[],
        channels: |_| false,
    }
}

fn streams(frames: &'static [FrameKind], channels: fn(FaultChannel) -> bool) -> FaultScope {
    FaultScope {
        fields: &[],
        endpoints: |_| false,
        frames,
        channels,
    }
}

impl FaultKind {
    fn scope(self) -> FaultScope {
        let of_markets: fn(FaultChannel) -> bool = |channel| channel != FaultChannel::Account;
        match self {
            Self::Before | Self::After => requests(&["status"], |_| true),
            Self::Latency | Self::SlowBody => requests(&["millis"], |_| true),
            Self::DropReply | Self::CutBody | Self::GarbageBody => requests(&[], |_| true),
            // The response has no instant.
            Self::ClockSkew => {
                requests(&["skew_millis"], |route| route != FaultTarget::CancelOrder)
            }
            // Nor any of the words.
            Self::UnknownWords => requests(&[], |route| {
                !matches!(
                    route,
                    FaultTarget::CancelOrder
                        | FaultTarget::Positions
                        | FaultTarget::IsolatedMargin
                        | FaultTarget::Markets
                        | FaultTarget::Book
                        | FaultTarget::Accounts
                        | FaultTarget::Candles
                        | FaultTarget::Trades
                        | FaultTarget::Fills
                        | FaultTarget::Equity
                        | FaultTarget::Funding
                )
            }),
            Self::NotYet => requests(&[], |route| {
                matches!(route, FaultTarget::CloseAll | FaultTarget::CancelOrder)
            }),
            Self::Duplicate
            | Self::Reorder
            | Self::Drop
            | Self::MalformedFrame
            | Self::Close
            | Self::Draining => streams(FrameKind::EVENTS, |_| true),
            Self::WrongSymbol => streams(FrameKind::EVENTS, of_markets),
            Self::CrossedBook => {
                streams(FrameKind::EVENTS, |channel| channel == FaultChannel::Books)
            }
            Self::LateAck => streams(&[FrameKind::Acknowledgement], of_markets),
            Self::SnapshotMissing => streams(FrameKind::SNAPSHOT, |_| true),
            Self::Stall => streams(FrameKind::VARIANTS, |_| true),
        }
    }

    /// Whether it reads this field of a rule.
    pub(super) fn reads(self, field: &str) -> bool {
        self.scope().fields.contains(&field)
    }

    /// Whether it changes the response of that endpoint.
    pub(super) fn reaches(self, route: FaultTarget) -> bool {
        (self.scope().endpoints)(route)
    }

    pub(in crate::exchange) fn is_of_streams(self) -> bool {
        !self.scope().frames.is_empty()
    }

    /// Whether it changes a frame of that channel.
    pub(super) fn reaches_channel(self, channel: FaultChannel) -> bool {
        (self.scope().channels)(channel)
    }

    /// Whether it changes frames of this kind.
    pub(super) fn changes(self, kind: FrameKind) -> bool {
        self.scope().frames.contains(&kind)
    }

    /// Whether it can be of one market: what it changes names its markets.
    pub(super) fn has_symbol(self) -> bool {
        self.changes(FrameKind::Events)
    }
}
