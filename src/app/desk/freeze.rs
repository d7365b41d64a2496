//! Pauses the display: polls wait until it continues.
//!
//! Contract: only ages, and the outcomes of this desk's own commands, keep changing. Anything that opens in order to
//! act ends the pause first: nobody acts on paused data.

use crate::{
    app::account::poll::{Answer, Poll},
    model::Timestamp,
};

#[derive(Debug, Clone, PartialEq)]
pub struct Frozen {
    pub since: Timestamp,
    held: Vec<Poll>,
}

impl Frozen {
    pub(crate) fn since(now: Timestamp) -> Self {
        Self {
            since: now,
            held: vec![],
        }
    }

    /// The polls that arrived meanwhile, oldest first.
    pub(crate) fn into_held(self) -> Vec<Poll> {
        self.held
    }

    /// Holds a poll back, unless it is a page that was requested by scrolling.
    pub(crate) fn hold(&mut self, poll: Box<Poll>) -> Option<Box<Poll>> {
        if matches!(
            poll.answer,
            Answer::MoreClosed(..) | Answer::MoreHistory(..)
        ) {
            return Some(poll);
        }
        // A failure does not replace the last answer with data.
        let is_older =
            |old: &Poll| old.answer.trouble().is_some() || poll.answer.trouble().is_none();
        self.held
            .retain(|old| !(is_same(&old.answer, &poll.answer) && is_older(old)));
        self.held.push(*poll);
        None
    }
}

fn is_same(a: &Answer, b: &Answer) -> bool {
    match (a, b) {
        (Answer::Scaled(a, _), Answer::Scaled(b, _)) => a == b,
        (a, b) => a.source() == b.source(),
    }
}
