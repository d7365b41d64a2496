//! The steps of the tour, and where it is.

use crate::app::account::{pane::Pane, row_id::RowId};
use strum::{EnumCount, EnumIter, IntoEnumIterator};

#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, EnumCount)]
pub enum Step {
    Move,
    Detail,
    Orders,
    Buy,
    Twaps,
    History,
    CloseAll,
    Help,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tour {
    pub step: Step,
    /// The selected position at its start.
    pub(super) row: Option<RowId>,
    /// The step's goal was met before it began.
    pub(super) was_so: bool,
}

impl Default for Tour {
    fn default() -> Self {
        Self {
            step: Step::Move,
            row: None,
            was_so: false,
        }
    }
}

impl Step {
    /// Its pane.
    pub fn pane(self) -> Pane {
        match self {
            Self::Move | Self::Detail | Self::CloseAll => Pane::Positions,
            Self::Orders | Self::Buy | Self::Help => Pane::Orders,
            Self::Twaps => Pane::Twaps,
            Self::History => Pane::Closed,
        }
    }

    /// Its number from 1, and the number of steps.
    pub fn number(self) -> (usize, usize) {
        let before = Self::iter().take_while(|step| *step != self).count();
        (before + 1, Self::COUNT)
    }
}
