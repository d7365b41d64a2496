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
pub(crate) mod ending;
pub(crate) mod gone;

pub use alert::Alert;
pub(crate) use alert::{ended, liquidation_distance, partials};

use crate::model::{OrderId, PositionId, Timestamp, TwapId};
use awaited::Awaited;
use ending::Ending;
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
