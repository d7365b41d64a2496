//! What goes wrong, and what is being done when it does.

use strum::{Display, VariantArray};

/// The 24 kinds of `docs/delivery.md 11.1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, VariantArray)]
pub(crate) enum Kind {
    DnsFails,
    Refused,
    ConnectTimesOut,
    TlsFails,
    ResetBeforeBytes,
    ResetMidRequest,
    ResetAfterRequest,
    ResetAfterEffect,
    ReplyLate,
    BlackHole,
    HeadCut,
    BodyCut,
    ByteByByte,
    TenBytesASecond,
    Twice,
    Reordered,
    ErrorBeforeEffect,
    ErrorAfterEffect,
    Limited,
    Unavailable,
    GarbageJson,
    WebPage,
    Redirect,
    Oversized,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, VariantArray)]
pub(crate) enum Mutation {
    Place,
    PlaceTwap,
    PlaceScaled,
    Close,
    CloseAll,
    Cancel,
    StopTwap,
    CancelScaled,
    Exits,
    Margin,
    Modify,
    ExitBatch,
    CancelAll,
}

impl Kind {
    /// Names and certificates stay wrong for a whole run.
    pub(crate) fn heals(self) -> bool {
        !matches!(self, Self::DnsFails | Self::TlsFails)
    }
}

impl Mutation {
    /// Those a headless verb makes: what a process of its own is killed in.
    pub(crate) const VERBS: [Self; 8] = [
        Self::Place,
        Self::Close,
        Self::CloseAll,
        Self::Cancel,
        Self::StopTwap,
        Self::CancelScaled,
        Self::Exits,
        Self::Margin,
    ];
}

/// How a kind is dealt in one run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) kind: Kind,
    /// Mutations it meets before it is over.
    pub(crate) times: u32,
    /// Whether it meets reads as well.
    pub(crate) reads: Reads,
    pub(crate) seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    Spared,
    Hit,
}

impl Plan {
    pub(crate) fn of(kind: Kind, seed: u64) -> Self {
        Self {
            kind,
            times: match seed % 5 {
                0 => 1,
                1 => 2,
                2 => 3,
                3 => 1,
                _ => u32::MAX,
            },
            reads: if seed % 4 == 3 {
                Reads::Hit
            } else {
                Reads::Spared
            },
            seed,
        }
    }
}
