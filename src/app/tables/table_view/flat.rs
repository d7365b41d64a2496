//! Filters and sorts a list without children. It is read once, a long one in portions, so that no key waits. Later
//! changes are inserted in place, so that a new row among a hundred thousand costs no more than among a hundred.

use super::{
    Fact, Picked, Sort, TableView,
    arrange::{Reader, compare},
};
use crate::app::account::feed::Shift;
use std::{cmp::Ordering, collections::VecDeque, ops::Range};

/// The order of the shown rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Order {
    /// The pane's own.
    Own,
    By(Keys),
    /// Families by a column: rows cannot be found directly.
    Families,
}

/// The sort value of each shown row, in the pane's own order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Keys {
    facts: VecDeque<Fact>,
    sort: Sort,
}

impl Keys {
    /// Equal rows keep their own order.
    fn order(&self, a: u32, b: u32) -> Ordering {
        let fact = |at: u32| self.facts.get(usize::try_from(at).ok()?);
        let said = match (fact(a), fact(b)) {
            (Some(a), Some(b)) => compare(a, b, self.sort.direction),
            (None, _) | (_, None) => Ordering::Equal,
        };
        said.then(a.cmp(&b))
    }

    fn read(&mut self, reader: &Reader<'_>, at: u32) {
        let place = usize::try_from(at).unwrap_or(usize::MAX);
        if let Some(fact) = self.facts.get_mut(place) {
            *fact = reader.key(place, self.sort.column);
        }
    }

    fn shift(&mut self, shift: Shift) {
        match shift {
            Shift::Top { left, came, kept } => {
                self.facts.drain(..left.min(self.facts.len()));
                for _ in 0..came {
                    self.facts.push_front(Fact::Unknown);
                }
                self.facts.truncate(kept);
            }
            Shift::Below { came } => {
                let count = self.facts.len() + came;
                self.facts.resize(count, Fact::Unknown);
            }
        }
    }
}

impl Picked {
    /// The display index of the row at this index of the pane's own order.
    pub(crate) fn find(&self, at: u32) -> Option<usize> {
        match &self.order {
            Order::Own => self.places.binary_search(&at).ok(),
            Order::By(keys) => {
                let found = self.places.binary_search_by(|place| keys.order(*place, at));
                found.ok()
            }
            Order::Families => self.places.iter().position(|place| *place == at),
        }
    }
}

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
        let unread = || std::iter::repeat_n(Fact::Unknown, count).collect();
        Self {
            places: vec![],
            keys: sort.map(|sort| Keys {
                facts: unread(),
                sort,
            }),
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
    pub(crate) fn go_on(&mut self, reader: &Reader<'_>, table_view: &TableView, rows: usize) {
        let end = self.read.saturating_add(rows).min(self.count);
        let mut fresh = wanted(reader, table_view, self.read..end);
        if let Some(keys) = &mut self.keys {
            for at in &fresh {
                keys.read(reader, *at);
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
pub(crate) fn picked(reader: &Reader<'_>, table_view: &TableView, version: u64) -> Picked {
    let mut sifting = Filtering::begin(reader.all.len(), table_view.sort, version);
    sifting.go_on(reader, table_view, usize::MAX);
    sifting.end()
}

/// The previous result, updated with later changes.
pub(crate) fn again(
    reader: &Reader<'_>,
    table_view: &TableView,
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
    let wanted = wanted(reader, table_view, fresh);
    match (&mut order, shift) {
        (Order::By(keys), _) => {
            keys.shift(shift);
            for at in wanted {
                keys.read(reader, at);
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

fn wanted(reader: &Reader<'_>, table_view: &TableView, places: Range<usize>) -> Vec<u32> {
    let takes = |at: &usize| {
        let filter = table_view.filter.as_ref();
        filter.is_none_or(|filter| reader.takes(filter, *at))
    };
    places.filter(takes).flat_map(u32::try_from).collect()
}
