//! The ways between the loop and its accounts: each has its own, so that a flood of news from one holds up no other.

use crate::app::{Effect, Msg, Options, Whose};
use std::{
    future::poll_fn,
    task::{Context, Poll},
};
use tokio::sync::mpsc::{Receiver, UnboundedSender};

/// The loop's ends of them all.
#[derive(Debug)]
pub(crate) struct Inboxes {
    /// What concerns the desk: whichever account is on the screen takes it.
    common: Receiver<Msg>,
    newcomers: Receiver<Newcomer>,
    accounts: Vec<AccountInbox>,
    /// Whose turn it is to be heard first.
    turn: usize,
}

/// The loop's ends of the ways to one account.
#[derive(Debug)]
pub(crate) struct AccountInbox {
    pub(crate) mail: Receiver<Msg>,
    pub(crate) effects: UnboundedSender<Effect>,
}

/// An account that comes to a running desk.
#[derive(Debug)]
pub(crate) struct Newcomer {
    pub(crate) options: Options,
    pub(crate) post: AccountInbox,
}

/// What comes in.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every one is a message, and goes straight on"
)]
#[derive(Debug)]
pub(crate) enum Incoming {
    Msg(Whose, Msg),
    /// One more account, after all that are there.
    Newcomer(Box<Options>),
}

impl Inboxes {
    pub(crate) fn new(
        common: Receiver<Msg>,
        newcomers: Receiver<Newcomer>,
        first: AccountInbox,
    ) -> Self {
        Self {
            common,
            newcomers,
            accounts: vec![first],
            turn: 0,
        }
    }

    /// Waits for the next letter; for ever when nobody is left to write one.
    pub(crate) async fn next(&mut self) -> Incoming {
        poll_fn(|context| self.poll(context)).await
    }

    /// By turns, so that an account with much to say does not silence the others.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Incoming> {
        if let Poll::Ready(Some(msg)) = self.common.poll_recv(context) {
            return Poll::Ready(Incoming::Msg(Whose::Shown, msg));
        }
        if let Poll::Ready(Some(newcomer)) = self.newcomers.poll_recv(context) {
            self.accounts.push(newcomer.post);
            return Poll::Ready(Incoming::Newcomer(Box::new(newcomer.options)));
        }
        let count = self.accounts.len();
        for at in (self.turn..self.turn + count).map(|number| number % count) {
            let Some(post) = self.accounts.get_mut(at) else {
                continue;
            };
            if let Poll::Ready(Some(msg)) = post.mail.poll_recv(context) {
                self.turn = at + 1;
                return Poll::Ready(Incoming::Msg(Whose::Account(at), msg));
            }
        }
        Poll::Pending
    }

    /// To the far side of this account.
    pub(crate) fn send(&self, at: usize, effect: Effect) {
        if let Some(post) = self.accounts.get(at) {
            // The far side lives as long as the loop; if it is gone the desk is leaving.
            drop(post.effects.send(effect));
        }
    }
}
