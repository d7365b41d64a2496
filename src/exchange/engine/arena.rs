//! Append-only storage addressed by the ids it hands out. Rows are never removed, so such an id always resolves.

use std::marker::PhantomData;

#[derive(Debug)]
pub(super) struct Arena<Id, Row> {
    rows: Vec<Row>,
    id: PhantomData<Id>,
}

impl<Id, Row> Default for Arena<Id, Row> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            id: PhantomData,
        }
    }
}

impl<Id: From<usize> + Copy, Row> Arena<Id, Row>
where
    usize: From<Id>,
{
    /// The id the next row will have.
    pub(super) fn next_id(&self) -> Id {
        Id::from(self.rows.len())
    }

    pub(super) fn push(&mut self, row: Row) -> Id {
        let id = self.next_id();
        self.rows.push(row);
        id
    }

    /// For ids that came from outside.
    pub(super) fn get(&self, id: Id) -> Option<&Row> {
        self.rows.get(usize::from(id))
    }

    pub(super) fn ids(&self) -> impl DoubleEndedIterator<Item = Id> + use<Id, Row> {
        (0..self.rows.len()).map(Id::from)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "ids inside the engine come from push, and nothing is removed"
    )]
    pub(super) fn at(&self, id: Id) -> &Row {
        &self.rows[usize::from(id)]
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "ids inside the engine come from push, and nothing is removed"
    )]
    pub(super) fn at_mut(&mut self, id: Id) -> &mut Row {
        &mut self.rows[usize::from(id)]
    }
}
