//! Storage addressed by its own ids. A row that has ended may be dropped; its id is never given to another row.
//!
//! All rows are in one vector, in the order of their ids. While none was dropped, a row's id is its index; after that it
//! is searched in a second vector, of the ids alone.
//!
//! It tracks which chunks of rows were touched, so that a checkpoint writes only those.

use std::marker::PhantomData;

/// Rows per chunk, the unit of storage on disk.
pub(super) const ROWS_PER_CHUNK: usize = 128;

#[derive(Debug)]
pub(crate) struct Arena<Id, Row> {
    rows: Vec<Row>,
    /// The id of each row; `None` while no row was dropped, so that it is the index.
    ids: Option<Vec<usize>>,
    /// The id of the next row.
    next: usize,
    /// By chunk: whether it was written to since the last [`Arena::touched`].
    touched: Vec<bool>,
    id: PhantomData<Id>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ArenaSize {
    /// How many rows there were, with those that were dropped.
    pub(crate) len: usize,
    pub(crate) dropped: usize,
}

impl<Id, Row> Default for Arena<Id, Row> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            ids: None,
            next: 0,
            touched: Vec::new(),
            id: PhantomData,
        }
    }
}

impl<Id: From<usize> + Copy, Row> Arena<Id, Row>
where
    usize: From<Id>,
{
    /// The id the next row will have.
    pub(crate) fn next_id(&self) -> Id {
        Id::from(self.next)
    }

    pub(crate) fn push(&mut self, row: Row) -> Id {
        let id = self.next_id();
        self.append(row);
        self.touch(id);
        id
    }

    /// For ids from outside, and of rows that may have been dropped.
    pub(crate) fn get(&self, id: Id) -> Option<&Row> {
        self.rows.get(self.index_of(id))
    }

    /// Of an arena whose rows are never dropped.
    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = Id> + use<Id, Row> {
        (0..self.next).map(Id::from)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "ids inside the engine come from push, and a row that another one refers to is not dropped"
    )]
    pub(crate) fn at(&self, id: Id) -> &Row {
        &self.rows[self.index_of(id)]
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "ids inside the engine come from push, and a row that another one refers to is not dropped"
    )]
    pub(crate) fn at_mut(&mut self, id: Id) -> &mut Row {
        self.touch(id);
        let index = self.index_of(id);
        &mut self.rows[index]
    }

    /// Of a row that was dropped: an index behind all rows.
    #[inline]
    fn index_of(&self, id: Id) -> usize {
        match &self.ids {
            None => usize::from(id),
            Some(ids) => ids.binary_search(&usize::from(id)).unwrap_or(usize::MAX),
        }
    }

    fn touch(&mut self, id: Id) {
        if let Some(touched) = self.touched.get_mut(usize::from(id) / ROWS_PER_CHUNK) {
            *touched = true;
        }
    }

    /// Every row, the oldest first.
    pub(crate) fn each(&self) -> impl DoubleEndedIterator<Item = &Row> {
        self.rows.iter()
    }

    /// Every row, to change it.
    pub(crate) fn each_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.touch_all();
        self.rows.iter_mut()
    }

    /// How many rows there were, with those that were dropped.
    pub(crate) fn len(&self) -> usize {
        self.next
    }

    pub(crate) fn size(&self) -> ArenaSize {
        ArenaSize {
            len: self.next,
            dropped: self.next - self.rows.len(),
        }
    }

    /// Drops the other rows.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&Row) -> bool) {
        if self.rows.iter().all(&is_kept) {
            return;
        }
        let rows = self.rows.len();
        let ids = self.ids.get_or_insert_with(|| (0..rows).collect());
        let mut rows = self.rows.iter();
        ids.retain(|id| {
            let is_kept = rows.next().is_some_and(&is_kept);
            if let Some(touched) = self.touched.get_mut(id / ROWS_PER_CHUNK) {
                *touched |= !is_kept;
            }
            is_kept
        });
        self.rows.retain(is_kept);
        self.rows.shrink_to_fit();
    }

    /// The chunks touched since the last call, by index; resets the marks.
    pub(crate) fn touched(&mut self) -> impl Iterator<Item = (usize, &[Row])> {
        let (rows, ids) = (&self.rows, &self.ids);
        let flags = self.touched.iter_mut().map(std::mem::take).enumerate();
        let touched = flags.filter(|(_, is_touched)| *is_touched);
        touched.map(move |(chunk, _)| {
            let index = |id: usize| match ids {
                None => id.min(rows.len()),
                Some(ids) => ids.partition_point(|known| *known < id),
            };
            let first = chunk * ROWS_PER_CHUNK;
            let range = index(first)..index(first + ROWS_PER_CHUNK);
            (chunk, rows.get(range).unwrap_or_default())
        })
    }

    /// Marks every chunk as touched.
    pub(crate) fn touch_all(&mut self) {
        self.touched.fill(true);
    }

    /// Restores the next row from a checkpoint.
    pub(crate) fn append(&mut self, row: Row) {
        if let Some(ids) = &mut self.ids {
            ids.push(self.next);
        }
        if self.rows.len() == self.rows.capacity() {
            // Not twice as many: rows are most of the memory, and the allocator moves pages, not bytes.
            let more = (self.rows.len() / 8).max(ROWS_PER_CHUNK);
            self.rows.reserve_exact(more);
        }
        self.rows.push(row);
        self.reach(self.next + 1);
    }

    /// Restores that the rows before `next` were dropped, from the one after the last.
    pub(crate) fn skip_to(&mut self, next: Id) {
        let next = usize::from(next);
        if next <= self.next {
            return;
        }
        let rows = self.rows.len();
        self.ids.get_or_insert_with(|| (0..rows).collect());
        self.reach(next);
    }

    fn reach(&mut self, next: usize) {
        self.next = next;
        self.touched.resize(next.div_ceil(ROWS_PER_CHUNK), false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::engine::state::OrderId;
    use proptest::prelude::*;

    type Numbers = Arena<OrderId, usize>;

    fn rows(arena: &Numbers) -> Vec<(usize, Option<usize>)> {
        let row = |index| (index, arena.get(OrderId::from(index)).copied());
        (0..arena.len()).map(row).collect()
    }

    /// As a restart reads it: the newest rows of every chunk, and how many rows there were.
    fn read_back(stored: &[Vec<usize>], len: usize) -> Numbers {
        let mut again = Numbers::default();
        for row in stored.iter().flatten() {
            again.skip_to(OrderId::from(*row));
            again.append(*row);
        }
        again.skip_to(OrderId::from(len));
        again
    }

    proptest! {
        #[test]
        fn dropped_rows_are_gone_and_the_others_keep_their_ids_also_after_a_restart(
            steps in prop::collection::vec((0..300_usize, 1..5_usize), 1..8)
        ) {
            let mut arena = Numbers::default();
            let (mut expected, mut stored) = (Vec::new(), Vec::new());
            for (pushes, nth) in steps {
                for _ in 0..pushes {
                    let row = arena.len();
                    prop_assert_eq!(usize::from(arena.push(row)), row);
                    expected.push(Some(row));
                }
                arena.retain(|row| row % nth == 0);
                for row in &mut expected {
                    *row = row.filter(|row| row % nth == 0);
                }
                prop_assert_eq!(rows(&arena), expected.iter().copied().enumerate().collect::<Vec<_>>());
                let kept: Vec<usize> = expected.iter().flatten().copied().collect();
                prop_assert_eq!(arena.each().copied().collect::<Vec<_>>(), kept.clone());
                prop_assert_eq!(arena.size().dropped, arena.len() - kept.len());
                stored.resize(arena.len().div_ceil(ROWS_PER_CHUNK), Vec::new());
                for (place, rows) in arena.touched() {
                    stored[place] = rows.to_vec();
                }
                let mut again = read_back(&stored, arena.len());
                prop_assert_eq!(rows(&again), rows(&arena));
                prop_assert_eq!(again.size().dropped, arena.size().dropped);
                prop_assert_eq!(again.push(7), arena.next_id());
            }
        }
    }
}
