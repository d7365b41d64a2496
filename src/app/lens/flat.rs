//! A list without branches through a lens. It is sifted once; what a later answer changes of it is put into its
//! place, so that a new row among a hundred thousand costs no more than among a hundred.

use super::{
    super::{Model, pane::Pane, remote::Shift},
    Fact, Lens, Picked, Sort,
    arrange::{Reader, compare},
};
use std::{cmp::Ordering, collections::VecDeque, ops::Range};

/// In which order the rows that are shown stand.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Order {
    /// The pane's own.
    Own,
    By(Keys),
    /// Families by a column: nothing is found in it at once.
    Families,
}

/// What each row that is shown says in the column it is sorted by, in the pane's own order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Keys {
    facts: VecDeque<Fact>,
    sort: Sort,
}

impl Keys {
    /// Rows that say the same stay in their own order.
    fn order(&self, a: u32, b: u32) -> Ordering {
        let fact = |at: u32| self.facts.get(usize::try_from(at).ok()?);
        let said = match (fact(a), fact(b)) {
            (Some(a), Some(b)) => compare(a, b, self.sort.direction),
            (None, _) | (_, None) => Ordering::Equal,
        };
        said.then(a.cmp(&b))
    }

    fn read(&mut self, reader: Reader<'_>, at: u32) {
        let place = usize::try_from(at).unwrap_or(usize::MAX);
        if let Some(fact) = self.facts.get_mut(place) {
            *fact = reader.fact(place, self.sort.column);
        }
    }

    fn shift(&mut self, shift: Shift) {
        match shift {
            Shift::Top { left, came } => {
                self.facts.drain(..left.min(self.facts.len()));
                for _ in 0..came {
                    self.facts.push_front(Fact::Unknown);
                }
            }
            Shift::Below { came } => {
                let count = self.facts.len() + came;
                self.facts.resize(count, Fact::Unknown);
            }
        }
    }
}

impl Picked {
    /// Where the row at this place of the pane's own order is shown.
    pub(super) fn find(&self, at: u32) -> Option<usize> {
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

/// The whole list.
pub(super) fn picked(model: &Model, pane: Pane, lens: &Lens, version: u64) -> Picked {
    let count = model.all_rows(pane).len();
    let reader = Reader { model, pane };
    let mut places = wanted(reader, lens, 0..count);
    let order = lens.sort.map_or(Order::Own, |sort| {
        let facts = std::iter::repeat_n(Fact::Unknown, count).collect();
        let mut keys = Keys { facts, sort };
        for at in &places {
            keys.read(reader, *at);
        }
        places.sort_unstable_by(|a, b| keys.order(*a, *b));
        Order::By(keys)
    });
    Picked {
        hits: places.len(),
        places,
        order,
        version,
    }
}

/// What was picked before, with what has changed since.
pub(super) fn again(
    model: &Model,
    (pane, lens): (Pane, &Lens),
    old: Picked,
    (shift, version): (Shift, u64),
) -> Picked {
    let count = model.all_rows(pane).len();
    let reader = Reader { model, pane };
    let Picked {
        mut places,
        mut order,
        ..
    } = old;
    let fresh = match shift {
        Shift::Top { left, came } => {
            moved(&mut places, left, came);
            0..came
        }
        Shift::Below { came } => count.saturating_sub(came)..count,
    };
    let wanted = wanted(reader, lens, fresh);
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

/// `left` rows at the top gave way to `came`: theirs are gone, the others stand lower or higher.
fn moved(places: &mut Vec<u32>, left: usize, came: usize) {
    let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
    let (left, came) = (number(left), number(came));
    places.retain(|at| *at >= left);
    for at in places {
        *at = (*at - left).saturating_add(came);
    }
}

fn wanted(reader: Reader<'_>, lens: &Lens, places: Range<usize>) -> Vec<u32> {
    let takes = |at: &usize| {
        let filter = lens.filter.as_ref();
        filter.is_none_or(|filter| reader.takes(filter, *at))
    };
    places.filter(takes).flat_map(u32::try_from).collect()
}
