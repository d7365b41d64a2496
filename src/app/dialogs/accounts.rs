//! The list of accounts, one line each.

use super::next::Next;
use crate::app::{account::labels::Switch, keys::keymap::Action};

/// The chosen line, by the account's index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accounts {
    pub chosen: usize,
}

impl Accounts {
    /// `count` accounts are there.
    pub(crate) fn act(&mut self, action: Action, count: usize) -> Next {
        match (action, count.saturating_sub(1)) {
            (Action::Down, last) => self.chosen = (self.chosen + 1).min(last),
            (Action::Up, _) => self.chosen = self.chosen.saturating_sub(1),
            (Action::ShowAccount, _) => return Next::Switch(Switch::To(self.chosen)),
            (Action::Dismiss, _) => return Next::Close,
            _ => {}
        }
        Next::Stay
    }
}
