//! Storage addressed by its own ids. A row that has ended may be dropped; its id is never given to another row.
//!
//! It tracks which chunks of rows were touched, so that a checkpoint writes only those.

use std::marker::PhantomData;

/// Rows per chunk, the unit of storage on disk.
pub(super) const ROWS_PER_CHUNK: usize = 128;

#[derive(Debug)]
pub(crate) struct Arena<Id, Row> {
    chunks: Vec<Chunk<Row>>,
    /// The index of the next row.
    next: usize,
    dropped: usize,
    id: PhantomData<Id>,
}

/// Rows with neighboring ids.
#[derive(Debug)]
struct Chunk<Row> {
    rows: Vec<Row>,
    /// The place in the chunk of each row; `None` while no row was dropped, so that the places are 0, 1, 2.
    places: Option<Vec<usize>>,
    /// Written to since the last [`Arena::touched`].
    is_touched: bool,
}

impl<Row> Chunk<Row> {
    fn index(&self, place: usize) -> Option<usize> {
        match &self.places {
            None => Some(place),
            Some(places) => places.binary_search(&place).ok(),
        }
    }

    fn get(&self, place: usize) -> Option<&Row> {
        self.rows.get(self.index(place)?)
    }

    fn push(&mut self, place: usize, row: Row) {
        self.rows.push(row);
        if let Some(places) = &mut self.places {
            places.push(place);
        }
    }

    /// From here on the places are listed, because some have no row.
    fn places_mut(&mut self) -> &mut Vec<usize> {
        let rows = self.rows.len();
        self.places.get_or_insert_with(|| (0..rows).collect())
    }

    /// Drops the other rows, and returns how many they were.
    fn retain(&mut self, is_kept: impl Fn(&Row) -> bool) -> usize {
        if self.rows.iter().all(&is_kept) {
            return 0;
        }
        let before = self.rows.len();
        let places = std::mem::take(self.places_mut());
        let rows = std::mem::take(&mut self.rows);
        let kept = rows.into_iter().zip(places).filter(|(row, _)| is_kept(row));
        let (mut rows, places): (Vec<_>, Vec<_>) = kept.unzip();
        rows.shrink_to_fit();
        (self.rows, self.places) = (rows, Some(places));
        self.is_touched = true;
        before - self.rows.len()
    }
}

impl<Row> Default for Chunk<Row> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            places: None,
            is_touched: false,
        }
    }
}

impl<Id, Row> Default for Arena<Id, Row> {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            next: 0,
            dropped: 0,
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
        let (chunk, place) = split(id);
        self.chunks.get(chunk)?.get(place)
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
        let (chunk, place) = split(id);
        let chunk = &self.chunks[chunk];
        &chunk.rows[chunk.index(place).unwrap_or(ROWS_PER_CHUNK)]
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "ids inside the engine come from push, and a row that another one refers to is not dropped"
    )]
    pub(crate) fn at_mut(&mut self, id: Id) -> &mut Row {
        let (chunk, place) = split(id);
        let chunk = &mut self.chunks[chunk];
        chunk.is_touched = true;
        let index = chunk.index(place).unwrap_or(ROWS_PER_CHUNK);
        &mut chunk.rows[index]
    }

    fn touch(&mut self, id: Id) {
        if let Some(chunk) = self.chunks.get_mut(split(id).0) {
            chunk.is_touched = true;
        }
    }

    /// Every row, the oldest first.
    pub(crate) fn each(&self) -> impl DoubleEndedIterator<Item = &Row> {
        self.chunks.iter().flat_map(|chunk| &chunk.rows)
    }

    /// Every row, to change it.
    pub(crate) fn each_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.touch_all();
        self.chunks.iter_mut().flat_map(|chunk| &mut chunk.rows)
    }

    /// How many rows there were, with those that were dropped.
    pub(crate) fn len(&self) -> usize {
        self.next
    }

    pub(crate) fn dropped(&self) -> usize {
        self.dropped
    }

    /// Drops the other rows.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&Row) -> bool) {
        let dropped = self.chunks.iter_mut().map(|chunk| chunk.retain(&is_kept));
        self.dropped += dropped.sum::<usize>();
    }

    /// The chunks touched since the last call, by index; resets the marks.
    pub(crate) fn touched(&mut self) -> impl Iterator<Item = (usize, &[Row])> {
        let chunks = self.chunks.iter_mut().enumerate();
        chunks.filter_map(|(place, chunk)| {
            std::mem::take(&mut chunk.is_touched).then_some((place, &*chunk.rows))
        })
    }

    /// Marks every chunk as touched.
    pub(crate) fn touch_all(&mut self) {
        for chunk in &mut self.chunks {
            chunk.is_touched = true;
        }
    }

    /// Restores the next row from a checkpoint.
    pub(crate) fn append(&mut self, row: Row) {
        let (chunk, place) = (self.next / ROWS_PER_CHUNK, self.next % ROWS_PER_CHUNK);
        if chunk >= self.chunks.len() {
            self.chunks.push(Chunk::default());
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.push(place, row);
        }
        self.next += 1;
    }

    /// Restores that the rows before `next` were dropped, from the one after the last.
    pub(crate) fn skip_to(&mut self, next: Id) {
        let next = usize::from(next);
        if next <= self.next {
            return;
        }
        let first = self.next / ROWS_PER_CHUNK;
        let chunks = next.div_ceil(ROWS_PER_CHUNK);
        self.chunks.resize_with(chunks, Chunk::default);
        for chunk in self.chunks.iter_mut().skip(first) {
            chunk.places_mut();
        }
        self.dropped += next - self.next;
        self.next = next;
    }
}

/// The chunk of an id, and its place there.
fn split<Id>(id: Id) -> (usize, usize)
where
    usize: From<Id>,
{
    let index = usize::from(id);
    (index / ROWS_PER_CHUNK, index % ROWS_PER_CHUNK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::engine::state::ids::OrderId;
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
                prop_assert_eq!(arena.dropped(), arena.len() - kept.len());
                stored.resize(arena.len().div_ceil(ROWS_PER_CHUNK), Vec::new());
                for (place, rows) in arena.touched() {
                    stored[place] = rows.to_vec();
                }
                let mut again = read_back(&stored, arena.len());
                prop_assert_eq!(rows(&again), rows(&arena));
                prop_assert_eq!(again.dropped(), arena.dropped());
                prop_assert_eq!(again.push(7), arena.next_id());
            }
        }
    }
}
