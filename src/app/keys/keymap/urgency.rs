//! Which waiting keys overtake others, and which may be overtaken; decided by the key alone.

use super::{Action, Chord, Keymap};

/// The urgency of a waiting key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// It closes, cancels or quits.
    AtOnce,
    /// It moves or does nothing: dropping it does not change what later keys mean.
    Motion,
    Other,
}

impl Keymap {
    /// Urgent letters are text where text is typed.
    pub fn urgency(&self, chord: Chord) -> Urgency {
        let mut meanings = self.meanings(chord).map(|(_, action)| action);
        if self.meanings(chord).any(|(_, action)| action.is_at_once()) {
            return Urgency::AtOnce;
        }
        let begins = |binding: &super::Binding| {
            let mut keys = binding.keys.iter();
            keys.any(|keys| keys.first == chord && keys.then.is_some())
        };
        let is_first = self.bindings.iter().any(begins);
        if !is_first && meanings.all(is_motion) {
            Urgency::Motion
        } else {
            Urgency::Other
        }
    }
}

fn is_motion(action: Action) -> bool {
    let is_step = matches!(
        action,
        Action::NextPane
            | Action::PreviousPane
            | Action::NextField
            | Action::PreviousField
            | Action::NextLink
            | Action::PreviousLink
            | Action::NextChoice
            | Action::PreviousChoice
            | Action::StepUp
            | Action::StepDown
            | Action::LeapUp
            | Action::LeapDown
    );
    is_step || action.moves(0, 0).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_out_are_urgent_motion_can_be_overtaken_and_what_begins_text_cannot() {
        let keymap = Keymap::default();
        let of = |text: &str| keymap.urgency(text.parse().unwrap());
        assert_eq!(["X", "F", "K", "ctrl-c"].map(of), [Urgency::AtOnce; 4]);
        assert_eq!(
            ["j", "k", "down", "pagedown", "tab"].map(of),
            [Urgency::Motion; 5]
        );
        let others = [":", "/", "b", "enter", "y", "g", "a", "esc"];
        assert_eq!(others.map(of), [Urgency::Other; 8]);
    }
}
