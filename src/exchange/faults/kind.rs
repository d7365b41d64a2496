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

impl FaultKind {
    pub(super) fn has_status(self) -> bool {
        matches!(self, Self::Before | Self::After)
    }

    pub(super) fn has_millis(self) -> bool {
        matches!(self, Self::Latency | Self::SlowBody)
    }

    pub(super) fn has_skew(self) -> bool {
        self == Self::ClockSkew
    }

    /// Whether it changes the response of that endpoint.
    pub(super) fn reaches(self, route: FaultTarget) -> bool {
        match self {
            Self::NotYet => matches!(route, FaultTarget::CloseAll | FaultTarget::CancelOrder),
            // The response has no instant.
            Self::ClockSkew => route != FaultTarget::CancelOrder,
            // Nor any of the words.
            Self::UnknownWords => !matches!(
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
            ),
            Self::Latency
            | Self::Before
            | Self::After
            | Self::DropReply
            | Self::CutBody
            | Self::SlowBody
            | Self::GarbageBody => true,
            Self::Close
            | Self::Stall
            | Self::Duplicate
            | Self::Reorder
            | Self::Drop
            | Self::LateAck
            | Self::WrongSymbol
            | Self::CrossedBook
            | Self::MalformedFrame
            | Self::Draining
            | Self::SnapshotMissing => false,
        }
    }

    pub(in crate::exchange) fn is_of_streams(self) -> bool {
        self.stream_scope().is_some()
    }

    /// Whether it changes a frame of that channel.
    pub(super) fn reaches_channel(self, channel: FaultChannel) -> bool {
        let scope = self.stream_scope();
        scope.is_some_and(|scope| (scope.reaches)(channel))
    }

    /// Whether it changes frames of this kind.
    pub(super) fn changes(self, kind: FrameKind) -> bool {
        let scope = self.stream_scope();
        scope.is_some_and(|scope| scope.frames.contains(&kind))
    }

    /// Whether it can be of one market: what it changes names its markets.
    pub(super) fn has_symbol(self) -> bool {
        self.changes(FrameKind::Events)
    }

    /// `None` for a fault of requests.
    fn stream_scope(self) -> Option<StreamScope> {
        let every: fn(FaultChannel) -> bool = |_| true;
        let of_markets: fn(FaultChannel) -> bool = |channel| channel != FaultChannel::Account;
        let (frames, reaches) = match self {
            Self::Duplicate
            | Self::Reorder
            | Self::Drop
            | Self::MalformedFrame
            | Self::Close
            | Self::Draining => (FrameKind::EVENTS, every),
            Self::WrongSymbol => (FrameKind::EVENTS, of_markets),
            Self::CrossedBook => {
                let of_books: fn(FaultChannel) -> bool = |channel| channel == FaultChannel::Books;
                (FrameKind::EVENTS, of_books)
            }
            Self::LateAck => (&[FrameKind::Acknowledgement][..], of_markets),
            Self::SnapshotMissing => (FrameKind::SNAPSHOT, every),
            Self::Stall => (FrameKind::VARIANTS, every),
            Self::Latency
            | Self::Before
            | Self::After
            | Self::DropReply
            | Self::CutBody
            | Self::SlowBody
            | Self::ClockSkew
            | Self::GarbageBody
            | Self::UnknownWords
            | Self::NotYet => return None,
        };
        Some(StreamScope { frames, reaches })
    }
}

/// What of streams a fault changes.
struct StreamScope {
    frames: &'static [FrameKind],
    reaches: fn(FaultChannel) -> bool,
}
