//! What a frozen display shows: the lists as they were.

use crate::{
    app::account::{store::Store, tracked::Tracked},
    model::Timestamp,
};

#[derive(Debug)]
pub struct Frozen {
    pub since: Timestamp,
    /// The lists that the account does not have: those of now, or the frozen ones.
    hidden: Box<Store>,
    in_use: Lists,
}

/// The lists that the account has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lists {
    Frozen,
    OfNow,
}

impl Frozen {
    pub(super) fn new(store: &Store, since: Timestamp) -> Self {
        Self {
            since,
            hidden: Box::new(Store::clone(store)),
            in_use: Lists::Frozen,
        }
    }

    /// Gives the account these lists.
    pub(super) fn turn(&mut self, store: &mut Tracked<Store>, to: Lists) {
        if self.in_use != to {
            store.swap_lists(&mut self.hidden);
            self.in_use = to;
        }
    }

    /// The lists as they are shown, while the account has those of now.
    pub(crate) fn shown(&mut self) -> Option<&mut Store> {
        (self.in_use == Lists::OfNow).then_some(&mut *self.hidden)
    }
}
