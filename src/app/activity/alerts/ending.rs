//! TWAPs that left the list, until their orders show the result.
//!
//! Contract: the last slice ends the TWAP, so the list's last figures are incomplete. The alert waits for the TWAP's
//! orders, for at most two readings of the order history; after that it states the known minimum.

use super::{alert::Alert, awaited::Awaited};
use crate::{app::account::store::Store, model::TwapId};
use std::collections::BTreeMap;

/// Readings of the order history that it waits for.
const HISTORY_READS: u32 = 2;

/// The waiting TWAPs, and how often the history was read since.
#[derive(Debug, Default)]
pub(crate) struct Ending(BTreeMap<TwapId, u32>);

/// Adds those that are not among the `known` ended ones and that this desk did not stop; returns alerts for those that
/// need no further data.
pub(crate) fn left(
    store: &Store,
    ending: &mut Ending,
    awaited: &mut Awaited,
    known: &[TwapId],
) -> Vec<Alert> {
    let gone = store.ended_twaps.iter().map(|ended| &ended.twap.id);
    for id in gone.filter(|id| !known.contains(id)) {
        if !awaited.stops(store, id) {
            ending.0.insert(id.clone(), 0);
        }
    }
    tell(store, ending)
}

/// The history was read, or the read failed.
pub(crate) fn looked(store: &Store, ending: &mut Ending) -> Vec<Alert> {
    for looks in ending.0.values_mut() {
        *looks += 1;
    }
    tell(store, ending)
}

/// A TWAP that is listed again has not ended.
fn tell(store: &Store, ending: &mut Ending) -> Vec<Alert> {
    let mut news = vec![];
    ending.0.retain(|id, looks| {
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
