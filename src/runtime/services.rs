//! The far side of the loop: opens the service, then carries effects out, one after another.

use super::{Clock, Outbox, Poller, door::Host, export, guests::Guests};
use crate::{
    app::{Effect, Identity, Msg, export::Sheet, notice::Tone, poll::Source},
    client::Client,
    config::{Connection, memory},
    model::Failure,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::sync::{
    mpsc::{Sender, UnboundedReceiver, channel, unbounded_channel},
    oneshot,
};
use tokio::task::spawn_blocking;

/// A burst of news the desk has not taken yet; past it the outbox waits.
const OUTBOX_MAIL: usize = 64;

/// A service that is ready to be spoken to.
#[derive(Debug)]
pub struct Far {
    pub identity: Identity,
    pub connection: Connection,
    /// Where the journal of this account lives.
    pub journal_dir: PathBuf,
}

/// What reaches the desk from outside its terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// SIGUSR1 flattens it, and its journal's lock says so.
    Signal,
    Nothing,
}

/// What the far side is made of, whichever desk it serves.
#[derive(Debug)]
pub(super) struct Services {
    pub(super) clock: Clock,
    pub(super) reach: Reach,
    pub(super) read_only: bool,
    /// Where exports go.
    pub(super) export_dir: PathBuf,
    pub(super) intervals: BTreeMap<Source, Duration>,
    pub(super) inbox: Sender<Msg>,
}

/// Formats and writes beside everything else; says where it is.
fn write(inbox: &Sender<Msg>, sheet: Box<Sheet>, dir: PathBuf) {
    let inbox = inbox.clone();
    tokio::task::spawn_blocking(move || {
        let written = export::write(&sheet, &dir);
        // The desk has left: nobody is there to be told.
        drop(inbox.blocking_send(Msg::Written(written)));
    });
}

impl Services {
    /// Runs until the loop hangs up. Effects that come before the service is open wait for it.
    pub(super) async fn serve(
        self,
        opening: impl Future<Output = Result<Far, Failure>>,
        mut effects: UnboundedReceiver<Effect>,
    ) {
        let guests = Guests::default();
        let joined = match opening.await {
            Ok(far) => self.join(far, &guests).await,
            Err(why) => Err(why),
        };
        let (inbox, export_dir) = (self.inbox.clone(), self.export_dir.clone());
        let (client, mut outbox, mut poller) = match joined {
            Ok(joined) => joined,
            Err(why) => return self.mourn(why, effects).await,
        };
        while let Some(effect) = effects.recv().await {
            match effect {
                Effect::Send(ticket, command) => outbox.send(ticket, command),
                Effect::SendAs(ticket, command, key) => outbox.send_as(ticket, command, key),
                Effect::Attend(guest, ticket) => guests.attend(guest, ticket),
                Effect::TurnAway(guest, why) => guests.turn_away(guest, why),
                Effect::Again(ticket) => outbox.again(ticket),
                Effect::GiveUp(ticket) => outbox.give_up(ticket),
                Effect::Rearm => outbox.rearm(),
                Effect::Poll(sources) => poller.poll(&sources),
                Effect::MoreClosed(cursor) => poller.more_closed(cursor),
                Effect::MoreHistory(cursor) => poller.more_history(cursor),
                Effect::Book(market) => poller.book(market),
                Effect::Watch(ladders) => poller.watch(ladders),
                Effect::Pace(intervals) => poller.pace(&intervals),
                Effect::HoldBack => client.hold_back(),
                Effect::LetThrough => client.let_through(),
                // The loop keeps these to itself.
                Effect::Write(sheet) => write(&inbox, sheet, export_dir.clone()),
                Effect::Signal(_) | Effect::Reread | Effect::Quit => {}
            }
        }
    }

    async fn join(
        &self,
        mut far: Far,
        guests: &Guests,
    ) -> Result<(Client, Outbox, Poller), Failure> {
        let (calls, mut finished) = unbounded_channel();
        let clock = self.clock;
        far.connection.read_only |= self.read_only;
        let client = Client::new(far.connection, calls, move || clock.now())?;
        self.take_lessons(&client, &far.journal_dir);
        let inbox = self.inbox.clone();
        tokio::spawn(async move {
            while let Some(call) = finished.recv().await {
                if inbox.send(Msg::Called(call)).await.is_err() {
                    return;
                }
            }
        });
        self.say(Msg::Opened(far.identity)).await;
        let (mine, door) = oneshot::channel();
        let (reach, dir) = (self.reach, far.journal_dir.clone());
        let open = move || {
            let journal = super::scribe::open(&far.journal_dir)?;
            if reach == Reach::Signal && journal.failure().is_none() {
                journal.announce();
                // Nobody waits for it any more when the desk is leaving.
                let _leaving = mine.send(());
            }
            Ok(journal)
        };
        let host = Host {
            client: client.clone(),
            guests: guests.clone(),
            inbox: self.inbox.clone(),
        };
        tokio::spawn(async move {
            if door.await.is_ok() {
                host.receive(dir).await;
            }
        });
        let outbox = Outbox::spawn(client.clone(), clock, open, self.overheard(guests));
        let seed = u64::from(std::process::id());
        let inbox = self.inbox.clone();
        let poller = Poller::spawn(client.clone(), clock, &self.intervals, seed, inbox);
        Ok((client, outbox, poller))
    }

    /// What the service teaches of its dialect is told, and kept for the next session.
    fn take_lessons(&self, client: &Client, dir: &Path) {
        let (mut terms, inbox) = (client.terms(), self.inbox.clone());
        let (dir, base_url) = (dir.to_owned(), client.connection().base_url.clone());
        tokio::spawn(async move {
            let mut known = terms.borrow_and_update().sentences();
            while terms.changed().await.is_ok() {
                let (now, learned) = {
                    let terms = terms.borrow_and_update();
                    (terms.sentences(), terms.learned().clone())
                };
                for (term, sentence) in now
                    .iter()
                    .filter(|(term, now)| known.get(term) != Some(now))
                {
                    let text = format!(
                        "learned of the service: {sentence}; {} decides otherwise",
                        term.setting()
                    );
                    // Nobody listens while the desk shuts down.
                    drop(inbox.send(Msg::Said(Tone::Plain, text)).await);
                }
                known = now;
                let (dir, base_url) = (dir.clone(), base_url.clone());
                let kept = move || memory::remember(&dir, &base_url, &learned);
                if let Ok(Err(why)) = spawn_blocking(kept).await {
                    tracing::warn!(%why, "what was learned of the service is not kept");
                }
            }
        });
    }

    /// The way of the outbox to the desk, past those who wait at the door.
    fn overheard(&self, guests: &Guests) -> Sender<Msg> {
        let (sender, mut mail) = channel(OUTBOX_MAIL);
        let (guests, inbox) = (guests.clone(), self.inbox.clone());
        tokio::spawn(async move {
            while let Some(msg) = mail.recv().await {
                guests.hear(&msg);
                if inbox.send(msg).await.is_err() {
                    return;
                }
            }
        });
        sender
    }

    /// Nothing can be reached: the desk stays, says why, and fails every command at once.
    async fn mourn(self, why: Failure, mut effects: UnboundedReceiver<Effect>) {
        self.say(Msg::Said(Tone::Alert, why.to_string())).await;
        while let Some(effect) = effects.recv().await {
            if let Effect::Send(ticket, _) = effect {
                self.say(Msg::Settled(ticket, Err(why.clone()))).await;
            }
        }
    }

    async fn say(&self, msg: Msg) {
        // The loop that would have listened has ended: nobody is left to tell.
        drop(self.inbox.send(msg).await);
    }
}
