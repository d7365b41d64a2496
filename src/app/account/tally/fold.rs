//! How totals follow a list.

use crate::app::account::feed::{AnswerDiff, RowChange};
use std::collections::VecDeque;

/// Totals of rows: each is added as it comes, and taken back as it goes.
pub(crate) trait Tally<Row> {
    fn count(&mut self, row: &Row, change: RowChange);

    fn take(&mut self, churn: &AnswerDiff<Row>, rows: &VecDeque<Row>) {
        for (row, change) in churn.changes(rows) {
            self.count(row, change);
        }
    }

    fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Self
    where
        Self: Default,
        Row: 'a,
    {
        let mut tally = Self::default();
        rows.for_each(|row| tally.count(row, RowChange::Added));
        tally
    }
}
