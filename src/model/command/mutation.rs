//! The requests that change something, and what is so of each: one row per endpoint.

use strum::VariantArray;

/// The request that a command is sent as; what its answer means depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray)]
pub enum Mutation {
    Place,
    PlaceTwap,
    PlaceScaled,
    Close,
    Cancel,
    Exits,
    Margin,
    StopTwap,
    CancelScaled,
    CloseAll,
}

/// What a 2xx answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerKind {
    Order,
    Cancel,
    Position,
    Twap,
    Scaled,
    CloseAll,
}

/// What sending it once more can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// Under its key it acts once, and a 409 may mean that its key is at work this moment: `api.md` names "an idempotency
    /// record" as a cause.
    KeyMayBeAtWork,
    /// Under its key it acts once. The paper exchange alone begins TWAPs and ladders, and does one thing after the
    /// other: its 409 is a conflict, and asking again would answer the same.
    Keyed,
    /// It sets an absolute state: sent late, it undoes what came after it.
    Put,
    /// It ends something: sent twice, it ends nothing more.
    Delete,
}

/// The row of a mutation.
#[derive(Debug, Clone, Copy)]
pub struct MutationFacts {
    pub answer: AnswerKind,
    pub repetition: Repetition,
    /// What may have happened when nobody answered.
    pub effect: &'static str,
    /// Where it would show.
    pub look_at: &'static str,
}

impl Mutation {
    /// The table.
    pub fn facts(self) -> MutationFacts {
        use AnswerKind::{Cancel, CloseAll, Order, Position, Scaled, Twap};
        use Repetition::{Delete, KeyMayBeAtWork, Keyed, Put};
        let (answer, repetition, effect, look_at) = match self {
            Self::Place => (
                Order,
                KeyMayBeAtWork,
                "the order may have been placed",
                "working orders, positions and history",
            ),
            Self::PlaceTwap => (Twap, Keyed, "the TWAP may have started", "the TWAP list"),
            Self::PlaceScaled => (
                Scaled,
                Keyed,
                "the ladder may have been placed",
                "ladders and working orders",
            ),
            Self::Close => (
                Order,
                KeyMayBeAtWork,
                "the close may have been placed",
                "positions and history",
            ),
            Self::Cancel => (
                Cancel,
                Delete,
                "the order may be canceled, filled or still working",
                "working orders and history",
            ),
            Self::Exits => (Order, Put, "the exits may have changed", "the order"),
            Self::Margin => (Position, Put, "the margin may have changed", "the position"),
            Self::StopTwap => (Twap, Delete, "the TWAP may have stopped", "the TWAP list"),
            Self::CancelScaled => (
                Scaled,
                Delete,
                "the ladder may be canceled",
                "its rungs and working orders",
            ),
            Self::CloseAll => (
                CloseAll,
                KeyMayBeAtWork,
                "positions may have been closed",
                "open positions",
            ),
        };
        MutationFacts {
            answer,
            repetition,
            effect,
            look_at,
        }
    }

    pub fn may_be_at_work(self) -> bool {
        self.facts().repetition == Repetition::KeyMayBeAtWork
    }

    pub fn is_put(self) -> bool {
        self.facts().repetition == Repetition::Put
    }

    pub fn is_delete(self) -> bool {
        self.facts().repetition == Repetition::Delete
    }
}
