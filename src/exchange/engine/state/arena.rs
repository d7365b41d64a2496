//! Storage addressed by its own ids. A row that has ended may be dropped; its id is never given to another row.
//!
//! All rows are in one vector, in the order of their ids. While none was dropped, a row's id is its index; after that its
//! index is counted in the bits of its chunk. So a row costs no more than in a plain vector until the first is dropped.
//!
//! It tracks which chunks of rows were touched, so that a checkpoint writes only those.

use std::{marker::PhantomData, ops::Range};

/// Rows per chunk, the unit of storage on disk.
pub(super) const ROWS_PER_CHUNK: usize = 128;

#[derive(Debug)]
pub(crate) struct Arena<Id, Row> {
    rows: Vec<Row>,
    /// The index of each row; `None` while no row was dropped, so that it is the id.
    index: Option<SparseIndex>,
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

/// Which rows there are, by chunk.
#[derive(Debug, Default)]
struct SparseIndex(Vec<SparseChunk>);

#[derive(Debug, Clone, Copy)]
struct SparseChunk {
    /// The index of its first row.
    first: usize,
    /// A bit for each of its ids, the lowest for the first.
    present: u128,
}

impl SparseChunk {
    fn index(self, place: usize) -> Option<usize> {
        let bit = 1 << place;
        let before = self.present & (bit - 1);
        (self.present & bit != 0).then(|| self.first + rows_in(before))
    }

    fn range(self) -> Range<usize> {
        self.first..self.first + rows_in(self.present)
    }

    /// The places of its rows.
    fn places(self) -> impl Iterator<Item = usize> {
        (0..ROWS_PER_CHUNK).filter(move |place| self.present & (1 << place) != 0)
    }
}

fn rows_in(present: u128) -> usize {
    present.count_ones() as usize
}

impl SparseIndex {
    /// Of so many rows, none of which was dropped.
    fn complete(rows: usize) -> Self {
        let mut index = Self::default();
        for id in 0..rows {
            index.add(id, id);
        }
        index
    }

    fn get(&self, id: usize) -> Option<usize> {
        let chunk = self.0.get(id / ROWS_PER_CHUNK)?;
        chunk.index(id % ROWS_PER_CHUNK)
    }

    /// A row behind all others.
    fn add(&mut self, id: usize, index: usize) {
        self.extend_to(id + 1, index);
        if let Some(chunk) = self.0.last_mut() {
            chunk.present |= 1 << (id % ROWS_PER_CHUNK);
        }
    }

    /// Chunks for every id below `next`; `rows` is the number of rows.
    fn extend_to(&mut self, next: usize, rows: usize) {
        let empty = SparseChunk {
            first: rows,
            present: 0,
        };
        let chunks = next.div_ceil(ROWS_PER_CHUNK).max(self.0.len());
        self.0.resize(chunks, empty);
    }
}

impl<Id, Row> Default for Arena<Id, Row> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            index: None,
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
        match &self.index {
            None => usize::from(id),
            Some(index) => index.get(usize::from(id)).unwrap_or(usize::MAX),
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
        let rows = self.next;
        let index = self
            .index
            .get_or_insert_with(|| SparseIndex::complete(rows));
        let mut first = 0;
        for (chunk, touched) in index.0.iter_mut().zip(&mut self.touched) {
            let rows = self.rows.get(chunk.range()).unwrap_or_default();
            let kept = chunk.places().zip(rows).filter(|(_, row)| is_kept(row));
            let present = kept.fold(0, |present, (place, _)| present | 1 << place);
            *touched |= present != chunk.present;
            *chunk = SparseChunk { first, present };
            first += rows_in(present);
        }
        self.rows.retain(is_kept);
        self.rows.shrink_to_fit();
    }

    /// The chunks touched since the last call, by index; resets the marks.
    pub(crate) fn touched(&mut self) -> impl Iterator<Item = (usize, &[Row])> {
        let (rows, index) = (&self.rows, &self.index);
        let flags = self.touched.iter_mut().map(std::mem::take).enumerate();
        let touched = flags.filter(|(_, is_touched)| *is_touched);
        touched.map(move |(chunk, _)| {
            let range = match index {
                None => {
                    let first = chunk * ROWS_PER_CHUNK;
                    first..rows.len().min(first + ROWS_PER_CHUNK)
                }
                Some(index) => index.0.get(chunk).map_or(0..0, |chunk| chunk.range()),
            };
            (chunk, rows.get(range).unwrap_or_default())
        })
    }

    /// Marks every chunk as touched.
    pub(crate) fn touch_all(&mut self) {
        self.touched.fill(true);
    }

    /// Restores the next row from a checkpoint.
    pub(crate) fn append(&mut self, row: Row) {
        if let Some(index) = &mut self.index {
            index.add(self.next, self.rows.len());
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
        let index = self
            .index
            .get_or_insert_with(|| SparseIndex::complete(rows));
        index.extend_to(next, rows);
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
