//! An account as its stream has reported it: the whole lists, as a read returns them.

use super::event::{AccountEvent, AccountRow};
use crate::model::{Account, Order, Position};

/// Rows of one list: an account with more is not sent whole.
const MOST_ROWS: usize = 5_000;

/// What is known of the account now.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct AccountPicture {
    pub(crate) account: Option<Account>,
    /// The open ones, the oldest first.
    pub(crate) positions: Vec<Position>,
    /// The working ones, the newest first.
    pub(crate) orders: Vec<Order>,
    /// Whether rows were left out: the lists are not to be shown.
    pub(crate) is_cut: bool,
}

impl AccountPicture {
    /// The picture after this event.
    pub(crate) fn take(&mut self, event: AccountEvent) {
        match event.row {
            AccountRow::Account(row) => self.account = Some(*row),
            AccountRow::Position(row) => {
                if row.is_closed() || row.size.is_zero() {
                    self.positions.retain(|known| known.id != row.id);
                } else if let Some(known) = self.positions.iter_mut().find(|k| k.id == row.id) {
                    *known = *row;
                } else {
                    self.positions.push(*row);
                }
            }
            AccountRow::Order(row) => {
                if row.is_over() {
                    self.orders.retain(|known| known.id != row.id);
                } else if let Some(known) = self.orders.iter_mut().find(|k| k.id == row.id) {
                    *known = *row;
                } else {
                    self.orders.insert(0, *row);
                }
            }
            // The order's own event says what is left of it.
            AccountRow::Fill(_) => {}
        }
        self.is_cut |= self.orders.len() > MOST_ROWS || self.positions.len() > MOST_ROWS;
        self.orders.truncate(MOST_ROWS);
        self.positions.truncate(MOST_ROWS);
    }
}
