//! What backs a cross position.

use super::store::Store;
use crate::model::{Num, Page, Position, estimate};

impl Store {
    /// For `position`, or for one that is not open yet: the account's cash less the needs of all others, USD. `None` if
    /// a list is incomplete.
    pub fn cross_backing(&self, position: Option<&Position>) -> Option<Num> {
        let cash = self.account.value()?.cash?;
        let open = self.positions.value().filter(|page| Page::is_whole(page))?;
        let is_other = |other: &&Position| position.is_none_or(|held| held.id != other.id);
        let others = open.rows.iter().filter(is_other);
        estimate::cross_backing(cash, others.map(|p| (p, self.market(&p.market_id))))
    }
}
