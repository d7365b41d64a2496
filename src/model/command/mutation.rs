//! The requests that change something: one row per endpoint.

use strum::VariantArray;

/// The request that a command is sent as; the meaning of its response depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray)]
pub enum Mutation {
    Place,
    PlaceTwap,
    PlaceScaled,
    Close,
    Cancel,
    Exits,
    Modify,
    ExitBatch,
    Margin,
    StopTwap,
    CancelScaled,
    CloseAll,
    CancelAll,
}

/// The type of a 2xx response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerKind {
    Order,
    Cancel,
    Position,
    Twap,
    Scaled,
    CloseAll,
    CancelAll,
}

/// What a repetition can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// The key executes once, and one read by the name of the order shows whether it has (docs/delivery.md 4.2).
    Named,
    /// The key executes once; no read shows whether it has.
    Keyed,
    /// The key executes once, slice by slice: a 409 may mean that a slice is in progress.
    Sliced,
    /// It sets an absolute state: sent late, it overwrites later changes.
    Put,
    /// It ends something: a repetition ends nothing more.
    Delete,
}

/// The facts of a mutation.
#[derive(Debug, Clone, Copy)]
pub struct MutationFacts {
    pub answer: AnswerKind,
    pub repetition: Repetition,
    /// What may have happened without a response.
    pub effect: &'static str,
    /// Where its effect would show.
    pub look_at: &'static str,
}

impl Mutation {
    /// The table.
    pub fn facts(self) -> MutationFacts {
        use AnswerKind::{Cancel, CancelAll, CloseAll, Order, Position, Scaled, Twap};
        use Repetition::{Delete, Keyed, Named, Put, Sliced};
        let sliced = |answer, effect, look_at| (answer, Sliced, effect, look_at);
        let (answer, repetition, effect, look_at) = match self {
            Self::Place => (
                Order,
                Named,
                "the order may have been placed",
                "working orders, positions and history",
            ),
            Self::PlaceTwap => (Twap, Keyed, "the TWAP may have started", "the TWAP list"),
            Self::PlaceScaled => (
                Scaled,
                Keyed,
                "the scaled order may have been placed",
                "scaled orders and working orders",
            ),
            Self::Close => (
                Order,
                Named,
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
            Self::Modify => (Order, Put, "the order may have changed", "the order"),
            Self::ExitBatch => (
                Position,
                Put,
                "the exits may have changed",
                "the exits of the position",
            ),
            Self::Margin => (Position, Put, "the margin may have changed", "the position"),
            Self::StopTwap => (Twap, Delete, "the TWAP may have stopped", "the TWAP list"),
            Self::CancelScaled => (
                Scaled,
                Delete,
                "the scaled order may be canceled",
                "its rungs and working orders",
            ),
            Self::CloseAll => sliced(CloseAll, "positions may have been closed", "open positions"),
            Self::CancelAll => sliced(CancelAll, "orders may have been canceled", "working orders"),
        };
        MutationFacts {
            answer,
            repetition,
            effect,
            look_at,
        }
    }

    /// An order that is found by its name.
    pub fn is_named(self) -> bool {
        self.facts().repetition == Repetition::Named
    }

    /// An operation that acts on many objects, one slice of them per request.
    pub fn is_sliced(self) -> bool {
        self.facts().repetition == Repetition::Sliced
    }

    pub fn is_put(self) -> bool {
        self.facts().repetition == Repetition::Put
    }

    pub fn is_delete(self) -> bool {
        self.facts().repetition == Repetition::Delete
    }
}
