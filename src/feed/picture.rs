//! An account as its stream has told it: the whole lists, as a read tells them.

use super::event::{AccountEvent, AccountRow};
use crate::model::{Account, Order, Position};

/// Rows of one list: an account with more is not told whole.
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
                let is_gone = row.is_closed() || row.size.is_zero();
                let known = self.positions.iter().position(|known| known.id == row.id);
                match known.and_then(|at| Some((at, self.positions.get_mut(at)?))) {
                    Some((at, _)) if is_gone => drop(self.positions.remove(at)),
                    Some((_, known)) => *known = *row,
                    None if is_gone => {}
                    None => self.positions.push(*row),
                }
            }
            AccountRow::Order(row) => {
                let known = self.orders.iter().position(|known| known.id == row.id);
                match known.and_then(|at| Some((at, self.orders.get_mut(at)?))) {
                    Some((at, _)) if row.is_over() => drop(self.orders.remove(at)),
                    Some((_, known)) => *known = *row,
                    None if row.is_over() => {}
                    None => self.orders.insert(0, *row),
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
