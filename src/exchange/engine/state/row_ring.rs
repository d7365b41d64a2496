//! A bounded list of rows with running numbers. A new row drives out the oldest one.
//!
//! Only the last row changes in place, so everything that a checkpoint must write again is a suffix. It is written in
//! chunks of neighbouring numbers; a chunk takes the place of the one that has left the list.

use std::collections::{BTreeMap, VecDeque};

use super::ROWS_PER_CHUNK;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowRing<Row> {
    rows: VecDeque<Row>,
    /// The number of the next row.
    next: i64,
    capacity: usize,
    /// The first row that changed since the last checkpoint.
    changed: i64,
}

/// The rows of a ring from some number on.
pub(crate) type RingChunks<Row> = BTreeMap<i64, Vec<Row>>;

/// Neighbouring rows from some number on.
pub(crate) type ChangedRows<'a, Row> = (i64, Vec<&'a Row>);

impl<Row> RowRing<Row> {
    /// An empty ring whose first row will have the number `next`.
    pub(crate) fn new(capacity: usize, next: i64) -> Self {
        Self {
            rows: VecDeque::new(),
            next,
            capacity,
            changed: next,
        }
    }

    /// The number of the oldest row.
    pub(crate) fn first(&self) -> i64 {
        self.next - count(self.rows.len())
    }

    /// The number that the next row will have.
    pub(crate) fn next(&self) -> i64 {
        self.next
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn push(&mut self, row: Row) {
        if self.rows.len() >= self.capacity {
            self.rows.pop_front();
        }
        if self.rows.len() == self.rows.capacity() {
            // Twice as much, but room for no row that is not kept.
            let most = self.capacity.saturating_sub(self.rows.len());
            self.rows.reserve_exact(self.rows.len().max(4).min(most));
        }
        self.rows.push_back(row);
        self.next += 1;
    }

    /// Forgets the oldest rows, up to the first that is kept.
    pub(crate) fn drop_oldest(&mut self, is_over: impl Fn(&Row) -> bool) {
        while self.rows.front().is_some_and(&is_over) {
            self.rows.pop_front();
        }
        if self.rows.is_empty() {
            self.rows.shrink_to_fit();
        }
    }

    /// Forgets every row; the next one has the number `next`.
    pub(crate) fn restart(&mut self, next: i64) {
        self.rows.clear();
        (self.next, self.changed) = (next, next);
    }

    /// Gives every row another number, `by` higher.
    pub(crate) fn renumber(&mut self, by: i64) {
        self.next += by;
        self.touch_all();
    }

    /// Every row, to change it.
    pub(crate) fn each_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.touch_all();
        self.rows.iter_mut()
    }

    /// Every row with its number, the oldest first.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (i64, &Row)> {
        (self.first()..).zip(&self.rows)
    }

    pub(crate) fn last(&self) -> Option<&Row> {
        self.rows.back()
    }

    pub(crate) fn last_mut(&mut self) -> Option<&mut Row> {
        self.changed = self.changed.min(self.next - 1);
        self.rows.back_mut()
    }

    pub(crate) fn get(&self, number: i64) -> Option<&Row> {
        let index = usize::try_from(number - self.first()).ok()?;
        self.rows.get(index)
    }

    /// The newest rows with numbers below `before`, the newest first, each with its number.
    pub(crate) fn before(&self, before: Option<i64>) -> impl Iterator<Item = (i64, &Row)> {
        let end = before.map_or(self.next, |before| before.clamp(self.first(), self.next));
        let kept = usize::try_from(end - self.first()).unwrap_or(0);
        let numbers = (self.first()..end).rev();
        numbers.zip(self.rows.range(..kept).rev())
    }

    /// How many places for chunks a ring of that capacity has: it may begin and end inside one.
    pub(crate) fn places(capacity: usize) -> usize {
        capacity.div_ceil(ROWS_PER_CHUNK) + 1
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// What changed since the last call: the place of each chunk, and its rows from a number on.
    pub(crate) fn changed(&mut self) -> impl Iterator<Item = (usize, ChangedRows<'_, Row>)> {
        let from = self.changed.max(self.first());
        self.changed = self.next;
        let ring = &*self;
        let (places, size) = (count(Self::places(ring.capacity)), count(ROWS_PER_CHUNK));
        let chunk = move |chunk: i64| {
            let first = (chunk * size).max(ring.first());
            let end = ((chunk + 1) * size).min(ring.next);
            let place = usize::try_from(chunk.rem_euclid(places)).unwrap_or(0);
            let rows = (first..end).filter_map(|number| ring.get(number));
            (place, (first, rows.collect()))
        };
        let last = (ring.next - 1).div_euclid(size);
        let chunks = (from.div_euclid(size)..=last).map(chunk);
        chunks.filter(move |_| from < ring.next)
    }

    /// Every row counts as changed, as if it had just been written.
    pub(crate) fn touch_all(&mut self) {
        self.changed = self.first();
    }

    /// The ring of the newest chunk of every place; chunks that had left it are left out. `None` without a row.
    pub(crate) fn restored(capacity: usize, chunks: RingChunks<Row>) -> Option<Self> {
        let kept = chunks.values().map(Vec::len).sum::<usize>().min(capacity);
        let mut ring: Option<Self> = None;
        for (first, rows) in chunks {
            let ring = ring.get_or_insert_with(|| Self {
                rows: VecDeque::with_capacity(kept),
                ..Self::new(capacity, first)
            });
            if ring.next != first {
                ring.restart(first);
            }
            for row in rows {
                ring.push(row);
            }
            ring.changed = ring.next;
        }
        ring
    }
}

fn count(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(ring: &RowRing<i64>) -> Vec<(i64, i64)> {
        ring.before(None).map(|(at, row)| (at, *row)).collect()
    }

    #[test]
    fn the_oldest_row_leaves_and_numbers_go_on() {
        let mut ring = RowRing::new(3, 10);
        (10..15).for_each(|row| ring.push(row));
        assert_eq!(numbers(&ring), [(14, 14), (13, 13), (12, 12)]);
        assert_eq!((ring.get(11), ring.get(12)), (None, Some(&12)));
        let page: Vec<_> = ring.before(Some(14)).map(|(at, _)| at).collect();
        assert_eq!(page, [13, 12]);
        assert_eq!(ring.before(Some(2)).count(), 0);
        assert_eq!(ring.before(Some(99)).count(), 3);
    }

    proptest! {
        #[test]
        fn a_ring_read_back_from_its_newest_chunks_is_the_ring(
            steps in prop::collection::vec((0..400_usize, prop::bool::ANY, 0..2_000_i64), 1..12)
        ) {
            let mut ring = RowRing::new(500, -70);
            let mut kept = BTreeMap::new();
            for (pushes, jump, ahead) in steps {
                if jump {
                    ring.restart(ring.next() + ahead);
                }
                for _ in 0..pushes {
                    ring.push(ring.next());
                }
                if let Some(last) = ring.last_mut() {
                    *last += 1;
                }
                for (place, (first, rows)) in ring.changed() {
                    let rows: Vec<i64> = rows.into_iter().copied().collect();
                    prop_assert!(place < RowRing::<i64>::places(500));
                    kept.insert(place, (first, rows));
                }
                let chunks: RingChunks<i64> = kept.values().cloned().collect();
                let Some(again) = RowRing::restored(500, chunks) else {
                    continue;
                };
                if ring.last().is_some() {
                    prop_assert_eq!(again.next(), ring.next());
                    let newest = ring.rows.len();
                    let again: Vec<_> = numbers(&again).into_iter().take(newest).collect();
                    prop_assert_eq!(again, numbers(&ring));
                }
                prop_assert!(ring.len() <= 500);
            }
        }
    }
}
