//! Append-only storage addressed by its own ids. Rows are never removed, so an id always resolves.
//!
//! It tracks which chunks of rows were touched, so that a checkpoint writes only those.

use std::marker::PhantomData;

/// Rows per chunk, the unit of storage on disk.
pub(super) const ROWS_PER_CHUNK: usize = 128;

#[derive(Debug)]
pub(crate) struct Arena<Id, Row> {
    rows: Vec<Row>,
    /// By chunk: whether it was written to since the last [`Arena::touched`].
    touched: Vec<bool>,
    id: PhantomData<Id>,
}

impl<Id, Row> Default for Arena<Id, Row> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
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
        Id::from(self.rows.len())
    }

    pub(crate) fn push(&mut self, row: Row) -> Id {
        let id = self.next_id();
        self.rows.push(row);
        self.touched
            .resize(self.rows.len().div_ceil(ROWS_PER_CHUNK), false);
        self.touch(id);
        id
    }

    /// For ids from outside.
    pub(crate) fn get(&self, id: Id) -> Option<&Row> {
        self.rows.get(usize::from(id))
    }

    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = Id> + use<Id, Row> {
        (0..self.rows.len()).map(Id::from)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "ids inside the engine come from push, and nothing is removed"
    )]
    pub(crate) fn at(&self, id: Id) -> &Row {
        &self.rows[usize::from(id)]
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "ids inside the engine come from push, and nothing is removed"
    )]
    pub(crate) fn at_mut(&mut self, id: Id) -> &mut Row {
        self.touch(id);
        &mut self.rows[usize::from(id)]
    }

    fn touch(&mut self, id: Id) {
        if let Some(touched) = self.touched.get_mut(usize::from(id) / ROWS_PER_CHUNK) {
            *touched = true;
        }
    }

    /// Every row, to change it.
    pub(crate) fn each_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.touch_all();
        self.rows.iter_mut()
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The chunks touched since the last call, by index; resets the marks.
    pub(crate) fn touched(&mut self) -> impl Iterator<Item = (usize, &[Row])> {
        let flags = self.touched.iter_mut().map(std::mem::take);
        let chunks = self.rows.chunks(ROWS_PER_CHUNK).enumerate();
        chunks
            .zip(flags)
            .filter_map(|(chunk, touched)| touched.then_some(chunk))
    }

    /// Marks every chunk as touched.
    pub(crate) fn touch_all(&mut self) {
        self.touched.fill(true);
    }

    /// Restores rows from a checkpoint, in order.
    pub(crate) fn refill(&mut self, rows: Vec<Row>) {
        self.rows.extend(rows);
        self.touched
            .resize(self.rows.len().div_ceil(ROWS_PER_CHUNK), false);
    }
}
