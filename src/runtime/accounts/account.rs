//! The services of one account: its client, its outbox and its poller.

use super::trader_effects::{Reach, TraderEffects};
use crate::{
    app::{
        Effect, Identity, Msg, Options, Visibility, account::poll::Source, core::sheet::Sheet,
        rules::checks::read_by,
    },
    client::Client,
    config::Connection,
    model::{Failure, PastMark},
    runtime::{
        base::{clock::Clock, inboxes::AccountChannel},
        journal::{
            earlier::{self, JournalAccess},
            export,
            shared_journal::JournalAccounts,
        },
        polling::poller::Poller,
        recovery::dispatch::CommandSink,
    },
};
use std::{collections::BTreeMap, path::PathBuf, time::Duration};
use tokio::{
    sync::mpsc::{Sender, unbounded_channel},
    task::spawn_blocking,
};

/// Why nothing is read of a key beside the first.
const NO_ACCOUNT: &str =
    "account_id is not set, and the accounts of the key could not be read; a restart asks again";

/// Longer than any frozen picture takes.
const NEVER: Duration = Duration::from_hours(24);

/// An account to be opened.
#[derive(Debug)]
pub(crate) struct AccountSetup {
    pub(crate) clock: Clock,
    /// Where exports go.
    pub(crate) export_dir: PathBuf,
    pub(crate) options: Options,
    /// Which of the last session's commands belong to which account.
    pub(crate) sharing: JournalAccounts,
    /// Its visibility at the start.
    pub(crate) visibility: Visibility,
    /// Whether a person is at it: a picture keeps nothing and runs nothing.
    pub(crate) reach: Reach,
}

/// An account whose service can be reached.
#[derive(Debug)]
pub(crate) struct ReachableAccount {
    account: AccountSetup,
    pub(crate) client: Client,
    identity: Identity,
    channel: AccountChannel,
}

impl AccountSetup {
    /// The client of its service; every call is reported. Fails where nobody has said which account it is.
    pub(crate) fn client<'a>(
        &self,
        mut connection: Connection,
        channel: &AccountChannel,
        mut others: impl Iterator<Item = &'a Client>,
    ) -> Result<Client, Failure> {
        if connection.needs_account() {
            return Err(Failure::local(NO_ACCOUNT));
        }
        let (calls, mut finished) = unbounded_channel();
        let clock = self.clock;
        connection.read_only |= self.options.read_only;
        connection.dry_run |= self.options.dry_run;
        let client = Client::new(connection, calls, move || clock.now())?;
        let inbox = channel.inbox.clone();
        tokio::spawn(async move {
            while let Some(call) = finished.recv().await {
                if inbox.send(Msg::CallEnded(call)).await.is_err() {
                    return;
                }
            }
        });
        // Accounts with the same key share one request budget.
        Ok(match others.find(|other| other.has_key_of(&client)) {
            Some(other) => client.within_budget_of(other),
            None => client,
        })
    }

    pub(crate) fn member(
        self,
        client: Client,
        identity: Identity,
        channel: AccountChannel,
    ) -> ReachableAccount {
        ReachableAccount {
            account: self,
            client,
            identity,
            channel,
        }
    }

    /// With a frozen clock a source is polled only on request, never by time.
    fn intervals(&self) -> BTreeMap<Source, Duration> {
        let wanted = &self.options.intervals;
        match self.clock {
            Clock::Running(_) => wanted.clone(),
            Clock::Frozen(_) => wanted.keys().map(|source| (*source, NEVER)).collect(),
        }
    }
}

impl ReachableAccount {
    /// Runs until the loop ends; `dir` keeps what the trader has set. Some effects the loop carries out itself, and of those
    /// the poller sees the first.
    pub(crate) async fn serve(self, journal_access: JournalAccess, dir: PathBuf) {
        let Self {
            account,
            client,
            identity,
            mut channel,
        } = self;
        let inbox = channel.inbox.clone();
        let trader = TraderEffects::start(account.reach, dir, &identity, &journal_access, &inbox);
        channel.say(Msg::Opened(identity)).await;
        earlier::tell(&client, &journal_access, PastMark::END, &inbox);
        let intervals = account.intervals();
        let sharing = (account.clock, account.sharing);
        let mut sink = CommandSink::open(&journal_access, client.clone(), sharing, inbox.clone());
        let mut poller = Poller::spawn(
            client.clone(),
            account.clock,
            intervals,
            u64::from(std::process::id()),
            (inbox.clone(), channel.in_flight.clone()),
        );
        poller.visibility(account.visibility);
        poller.read_often(read_by(&account.options.checks));
        while let Some(effect) = channel.wanted.recv().await {
            poller.attend_to(&effect);
            match effect {
                Effect::Send(ticket, command) => sink.send(ticket, command),
                Effect::Resend(_) | Effect::GiveUp(_) | Effect::Rearm => sink.decide(&effect),
                Effect::ReadRemains(ticket, operation) => sink.read_remains(ticket, *operation),
                Effect::Visibility(visibility) => poller.visibility(visibility),
                Effect::Poll(sources) => poller.poll(&sources),
                Effect::Read(read) => poller.read_once(read),
                Effect::Earlier(mark) => earlier::tell(&client, &journal_access, mark, &inbox),
                Effect::ShowMarkets(markets) => poller.show_markets(markets),
                Effect::ReadOften(sources) => poller.read_often(sources),
                Effect::Watch(scaled) => poller.watch(scaled),
                effect @ (Effect::Keep(_) | Effect::RunAlertCommand(_)) => trader.carry_out(effect),
                Effect::Write(sheet) => write(&inbox, sheet, account.export_dir.clone()),
                Effect::Attend
                | Effect::Terminal(_)
                | Effect::SwitchAccount(_)
                | Effect::SetTheme(_)
                | Effect::Settings(_)
                | Effect::Quit => {}
            }
        }
    }
}

/// Formats and writes in the background, and reports the path.
fn write(inbox: &Sender<Msg>, sheet: Box<Sheet>, dir: PathBuf) {
    let inbox = inbox.clone();
    spawn_blocking(move || {
        let written = export::write(&sheet, &dir);
        // The desk is shutting down: nobody receives it.
        drop(inbox.blocking_send(Msg::Written(written)));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Command, FailureKind, Receipt, Ticket};
    use crate::runtime::base::inboxes::account_channel;

    #[tokio::test]
    async fn where_nothing_can_be_reached_every_command_fails_at_once() {
        let (mut post, channel) = account_channel();
        let why = Failure::new(FailureKind::Unreachable, "no such host");
        let cancel = Effect::Send(Ticket(1), Command::Cancel("o-1".into()));
        post.effects.send(cancel).unwrap();
        drop(post.effects);
        channel.report_lost(why.clone()).await;
        let mut ends = vec![];
        while let Some(msg) = post.mail.recv().await {
            if let Msg::Settled(ticket, result) = msg {
                ends.push((ticket, result));
            }
        }
        assert_eq!(ends, [(Ticket(1), Err::<Receipt, _>(why))]);
    }
}
