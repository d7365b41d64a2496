//! TWAPs that have left the list, until their orders tell what they came to.
//!
//! Contract: the last slice and the end coincide, so what the list said last is no news yet. It waits for the orders of
//! the TWAP, for two readings of the order history at most; what these do not tell is told as the least that it is.

use super::{Alert, Watch};
use crate::{app::account::store::Store, model::TwapId};
use std::collections::BTreeMap;

/// Readings of the order history that it waits for.
const LOOKS: u32 = 2;

/// Those that wait, and how often the history was read since.
#[derive(Debug, Default)]
pub(crate) struct Ending(BTreeMap<TwapId, u32>);

/// Takes note of those that are not among the `known` ended ones and that this desk has not stopped; tells those of
/// which nothing more can come.
pub(crate) fn left(store: &Store, watch: &mut Watch, known: &[TwapId]) -> Vec<Alert> {
    let gone = store.ended_twaps.iter().map(|ended| &ended.twap.id);
    for id in gone.filter(|id| !known.contains(id)) {
        if !watch.awaited.stops(store, id) {
            watch.ending.0.insert(id.clone(), 0);
        }
    }
    tell(store, &mut watch.ending)
}

/// The history was read, or could not be.
pub(crate) fn looked(store: &Store, ending: &mut Ending) -> Vec<Alert> {
    for looks in ending.0.values_mut() {
        *looks += 1;
    }
    tell(store, ending)
}

/// One that is listed again has not ended.
fn tell(store: &Store, ending: &mut Ending) -> Vec<Alert> {
    let mut news = vec![];
    ending.0.retain(|id, looks| {
        let Some(ended) = store.ended_twap(id) else {
            return false;
        };
        let is_told = ended.twap.ended_at().is_some() || ended.twap.total_size.is_none();
        let may_grow = !ended.is_whole() && !is_told;
        let waits = may_grow && *looks < LOOKS;
        if !waits {
            news.push(Alert::TwapEnded(Box::new(ended.clone())));
        }
        waits
    });
    news
}
