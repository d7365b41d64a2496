//! The lists of an account, one pane of the desk each.

use super::poll::Source;
use strum::EnumIter;

/// A list of the desk, in the order of its focus keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, EnumIter)]
pub enum Pane {
    #[default]
    Positions,
    Orders,
    Twaps,
    Scaled,
    Closed,
    History,
    Activity,
    Calls,
}

impl Pane {
    /// The source of its rows; `None` for lists of the desk's own.
    pub fn source(self) -> Option<Source> {
        match self {
            Self::Positions => Some(Source::Positions),
            Self::Orders => Some(Source::Orders),
            Self::Twaps => Some(Source::Twaps),
            Self::Scaled => Some(Source::Scaled),
            Self::Closed => Some(Source::Closed),
            Self::History => Some(Source::History),
            Self::Activity | Self::Calls => None,
        }
    }

    /// The panes that share one place as tabs if the screen shows several.
    pub fn is_history(self) -> bool {
        matches!(
            self,
            Self::Closed | Self::History | Self::Activity | Self::Calls
        )
    }

    /// The panes of strategies, which share one place where there is no room for both.
    pub fn is_strategy(self) -> bool {
        matches!(self, Self::Twaps | Self::Scaled)
    }
}

/// Which way a sort goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

impl Direction {
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Self::Ascending => Self::Descending,
            Self::Descending => Self::Ascending,
        }
    }
}
