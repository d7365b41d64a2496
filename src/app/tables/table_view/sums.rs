//! Totals of the rows that match a filter, in panes that have totals.
//!
//! Known limit: none for more than `MOST` rows: adding them up after every change would delay keys.

use crate::app::account::{
    pane::Pane,
    store::Store,
    tally::{Quality, Results, Tally},
};
use strum::EnumTryAs;

/// As many as are filtered in one update.
const MOST: usize = super::PORTION;

#[derive(Debug, Clone, PartialEq, Eq, EnumTryAs)]
pub enum Sums {
    Results(Results),
    Quality(Quality),
}

impl Sums {
    pub(crate) fn of(store: &Store, pane: Pane, places: &[u32]) -> Option<Self> {
        if places.len() > MOST {
            return None;
        }
        let places = places.iter().flat_map(|at| usize::try_from(*at));
        match pane {
            Pane::Closed => {
                let rows = store.closed.rows();
                let shown = places.filter_map(|at| rows.get(at));
                Some(Self::Results(Results::of(shown)))
            }
            Pane::History => {
                let rows = store.history.rows();
                let shown = places.filter_map(|at| rows.get(at));
                Some(Self::Quality(Quality::of(shown)))
            }
            Pane::Positions
            | Pane::Orders
            | Pane::Twaps
            | Pane::Scaled
            | Pane::Activity
            | Pane::Calls => None,
        }
    }
}
