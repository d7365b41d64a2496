//! Holding the display: what polls bring waits until it goes on.
//!
//! Contract: nothing shown changes but ages, which go on counting, and what became of this desk's own commands.
//! Whatever opens in order to act lets the display go on first: nobody acts on what is held.

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
        since: model.now,
        held: vec![],
    });
}

/// What has come meanwhile, oldest first.
pub(crate) fn end(model: &mut Model) -> Vec<Poll> {
    model.frozen.take().map_or(vec![], |frozen| frozen.held)
}

/// Keeps a poll back while the display is held; pages a person asked for by scrolling come through.
pub(crate) fn hold(model: &mut Model, poll: Box<Poll>) -> Option<Box<Poll>> {
    let is_asked = matches!(
        poll.answer,
        Answer::MoreClosed(..) | Answer::MoreHistory(..)
    );
    let Some(frozen) = model.frozen.as_mut().filter(|_| !is_asked) else {
        return Some(poll);
    };
    // A failure does not push out the last answer that had something in it.
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
