//! The queue of input that the desk has not taken yet.
//!
//! Contract: order is kept, and a key never changes its meaning because another was dropped. A key that closes, cancels
//! or quits waits for at most [`IN_ORDER`] others; if more wait, they are dropped, so that old keys do not act late. A
//! letter does so only if everything before it is movement: after a `:` it may be text. On overflow the newest input is
//! dropped, and everything until a pause: text without its beginning must not act.

use super::event::TerminalInput;
use crate::app::keys::keymap::{Chord, Keymap, Urgency};
use std::{collections::VecDeque, mem, time::Duration};
use tokio::time::Instant;

/// The most inputs that wait.
const MOST: usize = 256;
/// The most inputs that an urgent key waits for: they cost milliseconds.
const IN_ORDER: usize = 16;
/// A pause this long ends the dropping.
const PAUSE: Duration = Duration::from_millis(150);

/// Whether letters are text in the current focus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Letters {
    #[default]
    AreKeys,
    AreText,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    pub(super) keymap: Keymap,
    pub(super) letters: Letters,
    waiting: VecDeque<TerminalInput>,
    /// When input was dropped that can change what the next key means.
    lost: Option<Instant>,
    /// Whether the bell for dropped input is due.
    bell: Bell,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Bell {
    #[default]
    Silent,
    Due,
    Rung,
}

impl Queue {
    /// Not by [`Default`], which reads the built-in keys once more: a twentieth of what the first frame takes.
    pub(super) fn new(keymap: Keymap) -> Self {
        Self {
            keymap,
            letters: Letters::default(),
            waiting: VecDeque::new(),
            lost: None,
            bell: Bell::default(),
        }
    }

    pub(super) fn put(&mut self, input: TerminalInput, now: Instant) {
        if self
            .lost
            .is_some_and(|at| now.saturating_duration_since(at) >= PAUSE)
        {
            self.lost = None;
        }
        match input {
            TerminalInput::Wheel(at, notches) => self.turn(at, notches),
            TerminalInput::Drag(at) => self.drag(at),
            TerminalInput::Key(chord) if self.is_urgent(chord) => self.overtake(chord),
            TerminalInput::Lost => self.ring(),
            TerminalInput::Key(_)
            | TerminalInput::Paste(_)
            | TerminalInput::DroppedPaste
            | TerminalInput::Click(_)
            | TerminalInput::OtherButton
            | TerminalInput::Release(_)
            | TerminalInput::Resize(_) => self.follow(input, now),
        }
    }

    pub(super) fn take(&mut self) -> Option<TerminalInput> {
        if self.bell == Bell::Due {
            self.bell = Bell::Rung;
            return Some(TerminalInput::Lost);
        }
        let next = self.waiting.pop_front();
        if next.is_none() {
            self.bell = Bell::Silent;
        }
        next
    }

    fn follow(&mut self, input: TerminalInput, now: Instant) {
        if self.lost.is_some() || self.waiting.len() >= MOST {
            self.lose(&input, now);
        } else {
            self.waiting.push_back(input);
        }
    }

    fn is_urgent(&self, chord: Chord) -> bool {
        if self.keymap.urgency(chord) != Urgency::AtOnce {
            return false;
        }
        let is_plain = chord.typed().is_none();
        let is_key = || {
            let moves = |input: &TerminalInput| self.moves(input) || self.is_kept(input);
            let all_move = self.lost.is_none() && self.waiting.iter().all(moves);
            self.letters == Letters::AreKeys && all_move
        };
        is_plain || is_key()
    }

    fn overtake(&mut self, chord: Chord) {
        if self.waiting.len() >= IN_ORDER {
            let mut waiting = mem::take(&mut self.waiting);
            waiting.retain(|input| self.is_kept(input) && *input != TerminalInput::Key(chord));
            self.waiting = waiting;
        }
        self.waiting.push_back(TerminalInput::Key(chord));
    }

    /// Whether it is never dropped.
    fn is_kept(&self, input: &TerminalInput) -> bool {
        matches!(input, TerminalInput::Key(chord) if self.keymap.urgency(*chord) == Urgency::AtOnce)
    }

    fn moves(&self, input: &TerminalInput) -> bool {
        match input {
            TerminalInput::Key(chord) => self.keymap.urgency(*chord) == Urgency::Motion,
            TerminalInput::Wheel(..) | TerminalInput::Drag(_) | TerminalInput::DroppedPaste => true,
            TerminalInput::Paste(_)
            | TerminalInput::Click(_)
            | TerminalInput::OtherButton
            | TerminalInput::Release(_)
            | TerminalInput::Resize(_)
            | TerminalInput::Lost => false,
        }
    }

    /// Adds up notches; the last position counts.
    fn turn(&mut self, at: ratatui::layout::Position, notches: i32) {
        if let Some(TerminalInput::Wheel(place, sum)) = self.waiting.back_mut() {
            *place = at;
            *sum = sum.saturating_add(notches);
        } else if self.waiting.len() < MOST {
            self.waiting.push_back(TerminalInput::Wheel(at, notches));
        }
    }

    /// Only where the mouse is now counts.
    fn drag(&mut self, at: ratatui::layout::Position) {
        if let Some(TerminalInput::Drag(place)) = self.waiting.back_mut() {
            *place = at;
        } else if self.waiting.len() < MOST {
            self.waiting.push_back(TerminalInput::Drag(at));
        }
    }

    fn lose(&mut self, input: &TerminalInput, now: Instant) {
        // A close or quit key that is pressed repeatedly works once the pause is over.
        if !self.moves(input) && !self.is_kept(input) {
            self.lost = Some(now);
        }
        self.ring();
    }

    fn ring(&mut self) {
        if self.bell == Bell::Silent {
            self.bell = Bell::Due;
        }
    }
}

#[cfg(test)]
mod tests;
