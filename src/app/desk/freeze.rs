//! Pauses the display: polls wait until it continues.
//!
//! Contract: only ages, and the outcomes of this desk's own commands, keep changing. Anything that opens in order to
//! act ends the pause first: nobody acts on paused data.

use super::model::Model;
use crate::{
    app::account::poll::{Answer, Poll},
    model::Timestamp,
};

#[derive(Debug, Clone, PartialEq)]
pub struct Frozen {
    pub since: Timestamp,
    held: Vec<Poll>,
}

pub(crate) fn start(model: &mut Model) {
    model.frozen = Some(Frozen {
        since: model.account.now,
        held: vec![],
    });
}

/// The polls that arrived meanwhile, oldest first.
pub(crate) fn end(model: &mut Model) -> Vec<Poll> {
    model.frozen.take().map_or(vec![], |frozen| frozen.held)
}

/// Holds a poll back while the display is paused; pages requested by scrolling pass.
pub(crate) fn hold(model: &mut Model, poll: Box<Poll>) -> Option<Box<Poll>> {
    let is_asked = matches!(
        poll.answer,
        Answer::MoreClosed(..) | Answer::MoreHistory(..)
    );
    let Some(frozen) = model.frozen.as_mut().filter(|_| !is_asked) else {
        return Some(poll);
    };
    // A failure does not replace the last answer with data.
    let is_older = |old: &Poll| old.answer.trouble().is_some() || poll.answer.trouble().is_none();
    frozen
        .held
        .retain(|old| !(is_same(&old.answer, &poll.answer) && is_older(old)));
    frozen.held.push(*poll);
    None
}

fn is_same(a: &Answer, b: &Answer) -> bool {
    match (a, b) {
        (Answer::Scaled(a, _), Answer::Scaled(b, _)) => a == b,
        (a, b) => a.source() == b.source(),
    }
}
