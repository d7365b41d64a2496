//! The channel between the loop and one account.

use crate::{
    app::{Effect, Msg, activity::notice::Tone},
    client::Client,
    model::Failure,
    runtime::base::{in_flight::InFlight, inboxes::AccountInbox},
};
use tokio::sync::mpsc::{Sender, UnboundedReceiver, channel, unbounded_channel};

/// Messages of one account that wait for the loop. A full channel delays polls, never keys.
const MAIL: usize = 256;

/// The account's ends of the channel.
#[derive(Debug)]
pub(crate) struct AccountChannel {
    pub(crate) inbox: Sender<Msg>,
    pub(crate) wanted: UnboundedReceiver<Effect>,
    pub(crate) in_flight: InFlight,
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

    pub(super) async fn say(&self, msg: Msg) {
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

/// Accounts with the same key share one request budget.
pub(crate) fn with_budget<'a>(client: Client, others: impl Iterator<Item = &'a Client>) -> Client {
    let mut others = others;
    match others.find(|other| other.has_key_of(&client)) {
        Some(other) => client.within_budget_of(other),
        None => client,
    }
}
