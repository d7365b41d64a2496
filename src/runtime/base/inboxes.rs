//! The channels between the loop and its accounts. Each account has its own, so that many messages from one do not
//! delay another.

use super::in_flight::InFlight;
use crate::{
    app::{AccountScope, Effect, Msg, Options, activity::notice::Tone},
    model::Failure,
};
use std::{
    future::poll_fn,
    task::{Context, Poll},
};
use tokio::sync::mpsc::{
    Receiver, Sender, UnboundedReceiver, UnboundedSender, channel, unbounded_channel,
};

/// Messages of one account that wait for the loop. A full channel delays polls, never keys.
const MAIL: usize = 256;

/// The loop's ends of all channels.
#[derive(Debug)]
pub(crate) struct Inboxes {
    /// Messages for the desk itself: the account on the screen takes them.
    common: Receiver<Msg>,
    newcomers: Receiver<AddedAccount>,
    accounts: Vec<AccountInbox>,
    /// The account that is polled first next time.
    turn: usize,
}

/// The loop's ends of one account's channels.
#[derive(Debug)]
pub(crate) struct AccountInbox {
    pub(crate) mail: Receiver<Msg>,
    pub(crate) effects: UnboundedSender<Effect>,
    /// Reads of the account whose answers are still to come.
    pub(crate) in_flight: InFlight,
}

/// The account's ends of the channel.
#[derive(Debug)]
pub(crate) struct AccountChannel {
    pub(crate) inbox: Sender<Msg>,
    pub(crate) wanted: UnboundedReceiver<Effect>,
    pub(crate) in_flight: InFlight,
}

/// An account added to a running desk.
#[derive(Debug)]
pub(crate) struct AddedAccount {
    pub(crate) options: Options,
    pub(crate) channel: AccountInbox,
}

/// A message from any channel.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every one is a message, and goes straight on"
)]
#[derive(Debug)]
pub(crate) enum Incoming {
    Msg(AccountScope, Msg),
    /// A new account, placed after all others.
    AddedAccount(Box<Options>),
}

impl AccountChannel {
    /// The service cannot be reached: the desk stays open, says why, and fails every command at once.
    pub(crate) async fn report_lost(mut self, why: Failure) {
        self.say(Msg::Notify(Tone::Alert, why.to_string())).await;
        while let Some(effect) = self.wanted.recv().await {
            if let Effect::Send(ticket, _) = effect {
                self.say(Msg::Settled(ticket, Err(why.clone()))).await;
            } else if let Effect::Write(_) = effect {
                self.say(Msg::Written(Err(why.to_string()))).await;
            }
        }
    }

    pub(crate) async fn say(&self, msg: Msg) {
        // The loop has ended: nobody receives it.
        drop(self.inbox.send(msg).await);
    }
}

/// A new channel: the loop's end, and the account's.
pub(crate) fn account_channel() -> (AccountInbox, AccountChannel) {
    let (inbox, mail) = channel(MAIL);
    let (effects, wanted) = unbounded_channel();
    let in_flight = InFlight::default();
    let account_side = AccountChannel {
        inbox,
        wanted,
        in_flight: in_flight.clone(),
    };
    let loop_side = AccountInbox {
        mail,
        effects,
        in_flight,
    };
    (loop_side, account_side)
}

impl Inboxes {
    pub(crate) fn new(
        common: Receiver<Msg>,
        newcomers: Receiver<AddedAccount>,
        first: AccountInbox,
    ) -> Self {
        Self {
            common,
            newcomers,
            accounts: vec![first],
            turn: 0,
        }
    }

    /// Waits for the next message; for ever once all senders are gone.
    pub(crate) async fn next(&mut self) -> Incoming {
        poll_fn(|context| self.poll(context)).await
    }

    /// Round robin, so that a busy account does not starve the others.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Incoming> {
        if let Poll::Ready(Some(msg)) = self.common.poll_recv(context) {
            return Poll::Ready(Incoming::Msg(AccountScope::Shown, msg));
        }
        if let Poll::Ready(Some(newcomer)) = self.newcomers.poll_recv(context) {
            self.accounts.push(newcomer.channel);
            return Poll::Ready(Incoming::AddedAccount(Box::new(newcomer.options)));
        }
        let count = self.accounts.len();
        for at in (self.turn..self.turn + count).map(|number| number % count) {
            let Some(channel) = self.accounts.get_mut(at) else {
                continue;
            };
            if let Poll::Ready(Some(msg)) = channel.mail.poll_recv(context) {
                self.turn = at + 1;
                return Poll::Ready(Incoming::Msg(AccountScope::Account(at), msg));
            }
        }
        Poll::Pending
    }

    /// Whether no message of this account waits, and no read is in flight that will bring one. Those of the others are
    /// not on the screen.
    pub(crate) fn is_settled(&self, at: usize) -> bool {
        let is_settled =
            |channel: &AccountInbox| channel.mail.is_empty() && channel.in_flight.is_none();
        self.accounts.get(at).is_none_or(is_settled)
    }

    /// Sends an effect to the services of this account.
    pub(crate) fn send(&self, at: usize, effect: Effect) {
        if let Some(channel) = self.accounts.get(at) {
            // The services live as long as the loop; if they are gone, the desk is shutting down.
            drop(channel.effects.send(effect));
        }
    }
}
