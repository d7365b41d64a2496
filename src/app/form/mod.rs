//! Forms.

use super::{
    Next, Options, Store,
    keymap::{Action, Chord},
};
use crate::model::{Failure, Order, Position, Side, Ticket, Timestamp};

#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// The command on its way; the form stays until it settles.
    pub sending: Option<Ticket>,
    pub failure: Option<Failure>,
}

impl Form {
    pub fn order(
        _side: Side,
        _market: Option<&crate::model::MarketId>,
        _store: &Store,
        _options: &Options,
    ) -> Self {
        Self {
            sending: None,
            failure: None,
        }
    }
    pub fn close(_position: &Position, _store: &Store) -> Self {
        Self {
            sending: None,
            failure: None,
        }
    }
    pub fn exits(_order: &Order, _store: &Store) -> Self {
        Self {
            sending: None,
            failure: None,
        }
    }
    pub fn margin(_position: &Position, _store: &Store) -> Self {
        Self {
            sending: None,
            failure: None,
        }
    }
    /// One press: `action` is what the table says of it in a form, if anything.
    pub fn press(
        &mut self,
        _chord: Chord,
        _action: Option<Action>,
        _store: &Store,
        _now: Timestamp,
    ) -> Next {
        Next::Stay
    }
    pub fn paste(&mut self, _text: &str) {}
}
