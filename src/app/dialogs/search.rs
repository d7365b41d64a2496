//! The search of a list in a panel: `/` begins it, letters extend it, Enter keeps what it finds, Esc shows all again.

use crate::app::keys::keymap::{Action, Chord, Context};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListSearch {
    pub text: String,
    keys: Keys,
}

/// What letters do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Keys {
    #[default]
    Act,
    Search,
}

impl ListSearch {
    /// Whether letters are searched for.
    pub fn is_typing(&self) -> bool {
        self.keys == Keys::Search
    }

    pub(crate) fn begin(&mut self) {
        self.keys = Keys::Search;
    }

    /// Whose keys apply to a list that has `own` ones.
    pub(crate) fn context(&self, own: Context) -> Context {
        match self.keys {
            Keys::Act => own,
            Keys::Search => Context::Prompt,
        }
    }

    /// Shows all again, if the list is searched: Esc goes back one step at a time.
    pub(crate) fn is_cleared(&mut self) -> bool {
        let was_searched = !self.text.is_empty();
        self.text.clear();
        self.keys = Keys::Act;
        was_searched
    }

    /// A key while letters search. What moves the choice is left to the list.
    pub(crate) fn press(&mut self, chord: Chord, action: Option<Action>) -> Option<Action> {
        match (chord.typed(), action) {
            (Some(c), _) => self.text.push(c),
            (None, Some(Action::Submit)) => self.keys = Keys::Act,
            (None, Some(Action::Dismiss)) => {
                self.is_cleared();
            }
            (None, Some(Action::Up | Action::Down)) => return action,
            (None, _) if chord.edits().is_some() => {
                self.text.pop();
            }
            (None, _) => {}
        }
        None
    }
}
