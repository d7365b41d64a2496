//! The detail of one row, and its links.

use super::next::Next;
use crate::app::{account::row_id::RowId, keys::keymap::Action};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    pub row: RowId,
    /// The first visible line.
    pub offset: usize,
    /// The link that Enter follows.
    pub link: usize,
}

impl Detail {
    pub fn of(row: RowId) -> Self {
        Self {
            row,
            offset: 0,
            link: 0,
        }
    }

    /// Enter opens the detail of the chosen link; Esc returns.
    pub(crate) fn act(&mut self, action: Action, links: &[RowId]) -> Next {
        let last = links.len().saturating_sub(1);
        match (action, links.get(self.link.min(last))) {
            (Action::Down, _) => self.offset += 1,
            (Action::Up, _) => self.offset = self.offset.saturating_sub(1),
            (Action::NextLink, _) => self.link = (self.link + 1) % (last + 1),
            (Action::PreviousLink, _) => self.link = self.link.checked_sub(1).unwrap_or(last),
            (Action::Follow, Some(row)) => {
                return Next::open(Self::of(row.clone()));
            }
            (Action::Follow | Action::Dismiss, _) => return Next::Close,
            _ => {}
        }
        Next::Stay
    }
}
