//! Alerts: events on the account that no key of this desk caused, found in the polls.
//!
//! Contract: pure; each event is reported once. What the desk finds at its start is no alert, and the effect of its own
//! command is reported as that command's outcome; an event that may be either waits until it is known.
//!
//! Known limits: a fill is reported when the newest page of history shows it, or when an order has left the working
//! ones and is found on an older page. Of orders that were never seen working, the oldest are missed if more than a
//! page settles between two polls. Children of a TWAP are reported through the TWAP only.

mod alert;
mod awaited;
pub(crate) mod gone;

pub use alert::Alert;
pub(crate) use alert::{ended, liquidation_distance, partials};

use crate::{
    app::account::store::Store,
    model::{OrderId, PositionId, Timestamp, TwapId},
};
use awaited::Awaited;
use gone::Gone;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

#[cfg(test)]
mod tests;

/// A slice this late is stalled, not just delayed in transit.
pub(crate) const STALLED: Duration = Duration::from_secs(30);
/// Failed attempts before the connection counts as down: one is normal.
pub(crate) const DOWN: u32 = 3;

/// What was reported already.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    pub(crate) awaited: Awaited,
    pub(crate) ending: Ending,
    pub(crate) gone: Gone,
    /// The ended orders that a search has reported before the newest page of history showed them, and when they ended.
    pub(crate) found: BTreeMap<OrderId, Timestamp>,
    /// The slice that each stalled TWAP waits for.
    pub(crate) stalled: BTreeMap<TwapId, Timestamp>,
    pub(crate) near: BTreeSet<PositionId>,
    pub(crate) is_down: bool,
}

/// Readings of the order history that it waits for.
const HISTORY_READS: u32 = 2;

/// The waiting TWAPs, and how often the history was read since.
#[derive(Debug, Default)]
pub(crate) struct Ending(BTreeMap<TwapId, u32>);

impl Ending {
    /// Adds those that are not among the `known` ended ones and that this desk did not stop; returns alerts for those that
    /// need no further data.
    pub(crate) fn left(
        &mut self,
        store: &Store,
        awaited: &mut Awaited,
        known: &[TwapId],
    ) -> Vec<Alert> {
        let gone = store.ended_twaps.iter().map(|ended| &ended.twap.id);
        for id in gone.filter(|id| !known.contains(id)) {
            if !awaited.stops(store, id) {
                self.0.insert(id.clone(), 0);
            }
        }
        self.tell(store)
    }

    /// The history was read, or the read failed.
    pub(crate) fn looked(&mut self, store: &Store) -> Vec<Alert> {
        for looks in self.0.values_mut() {
            *looks += 1;
        }
        self.tell(store)
    }

    /// A TWAP that is listed again has not ended.
    fn tell(&mut self, store: &Store) -> Vec<Alert> {
        let mut news = vec![];
        self.0.retain(|id, looks| {
            let Some(ended) = store.ended_twap(id) else {
                return false;
            };
            let is_told = ended.twap.ended_at().is_some() || ended.twap.total_size.is_none();
            let may_grow = !ended.is_whole() && !is_told;
            let waits = may_grow && *looks < HISTORY_READS;
            if !waits {
                news.push(Alert::TwapEnded(Box::new(ended.clone())));
            }
            waits
        });
        news
    }
}
