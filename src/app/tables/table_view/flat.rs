//! Filters and sorts a list without children. It is read once, a long one in portions, so that no key waits. Later
//! changes are inserted in place, so that a new row among a hundred thousand costs no more than among a hundred.

use super::{
    arrange::Reader,
    filter::Filter,
    picked::{Keys, Order, Picked, Sort},
};
use crate::app::account::feed::Shift;
use std::ops::Range;

/// A list that is being filtered and sorted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Filtering {
    /// The matching rows so far.
    places: Vec<u32>,
    keys: Option<Keys>,
    read: usize,
    count: usize,
    version: u64,
}

impl Filtering {
    pub(crate) fn begin(count: usize, sort: Option<Sort>, version: u64) -> Self {
        Self {
            places: vec![],
            keys: sort.map(|sort| Keys::unread(count, sort)),
            read: 0,
            count,
            version,
        }
    }

    /// Whether the rows are still those it began with.
    pub(crate) fn is_of(&self, version: u64) -> bool {
        self.version == version
    }

    /// How much of the list has been read.
    pub(crate) fn percent(&self) -> usize {
        self.read * 100 / self.count.max(1)
    }

    /// Reads this many more rows.
    pub(crate) fn go_on(&mut self, reader: &Reader<'_>, filter: Option<&Filter>, rows: usize) {
        let end = self.read.saturating_add(rows).min(self.count);
        let mut fresh = wanted(reader, filter, self.read..end);
        if let Some(keys) = &mut self.keys {
            for at in &fresh {
                keys.read(*at, |at, column| reader.key(at, column));
            }
            // The sorted rows are merged cheaply at the end.
            fresh.sort_unstable_by(|a, b| keys.order(*a, *b));
        }
        self.places.extend(fresh);
        self.read = end;
    }

    pub(crate) fn is_over(&self) -> bool {
        self.read >= self.count
    }

    pub(crate) fn end(self) -> Picked {
        let mut places = self.places;
        let order = self.keys.map_or(Order::Own, |keys| {
            places.sort_by(|a, b| keys.order(*a, *b));
            Order::By(keys)
        });
        Picked {
            hits: places.len(),
            places,
            order,
            version: self.version,
        }
    }
}

/// The whole list at once.
pub(crate) fn picked(
    reader: &Reader<'_>,
    filter: Option<&Filter>,
    sort: Option<Sort>,
    version: u64,
) -> Picked {
    let mut sifting = Filtering::begin(reader.all.len(), sort, version);
    sifting.go_on(reader, filter, usize::MAX);
    sifting.end()
}

/// The previous result, updated with later changes.
pub(crate) fn again(
    reader: &Reader<'_>,
    filter: Option<&Filter>,
    old: Picked,
    (shift, version): (Shift, u64),
) -> Picked {
    let count = reader.all.len();
    let Picked {
        mut places,
        mut order,
        ..
    } = old;
    let fresh = match shift {
        Shift::Top { left, came, kept } => {
            moved(&mut places, left, came);
            places.retain(|at| usize::try_from(*at).is_ok_and(|at| at < kept));
            0..came
        }
        Shift::Below { came } => count.saturating_sub(came)..count,
    };
    let wanted = wanted(reader, filter, fresh);
    match (&mut order, shift) {
        (Order::By(keys), _) => {
            keys.shift(shift);
            for at in wanted {
                keys.read(at, |at, column| reader.key(at, column));
                let before = places.partition_point(|place| keys.order(*place, at).is_lt());
                places.insert(before, at);
            }
        }
        (Order::Own | Order::Families, Shift::Top { .. }) => drop(places.splice(0..0, wanted)),
        (Order::Own | Order::Families, Shift::Below { .. }) => places.extend(wanted),
    }
    Picked {
        hits: places.len(),
        places,
        order,
        version,
    }
}

/// At the top `left` rows were replaced by `came`: removes theirs and shifts the others.
fn moved(places: &mut Vec<u32>, left: usize, came: usize) {
    let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
    let (left, came) = (number(left), number(came));
    places.retain(|at| *at >= left);
    for at in places {
        *at = (*at - left).saturating_add(came);
    }
}

fn wanted(reader: &Reader<'_>, filter: Option<&Filter>, places: Range<usize>) -> Vec<u32> {
    let takes = |at: &usize| filter.is_none_or(|filter| reader.takes(filter, *at));
    places.filter(takes).flat_map(u32::try_from).collect()
}
