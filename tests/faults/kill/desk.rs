//! One life of a desk: an outbox on its journal, and the wire it has.

use super::{
    disk::{Stuck, left_behind},
    moment::{Gate, Place, Prelude},
    wire::{A_MOMENT, Port, Wire},
};
use crate::stage::{Stage, account};
use perpdeck::{
    app::Msg,
    client::{Client, Timeouts},
    config::{Connection, ServiceKind},
    journal::{IntentRow, IntentState, Journal},
    model::{Command, Progress, Receipt, Ticket},
    runtime::{Clock, Outbox},
};
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::{
    sync::mpsc::{Receiver, channel, unbounded_channel},
    time::{Instant, sleep, timeout},
};

/// How much faster than life a desk is here.
pub(crate) const HURRY: u32 = 10;
const TICKET: Ticket = Ticket(1);
const A_LOOK: Duration = Duration::from_millis(15);
/// Beyond any moment's coming.
const NEVER: Duration = Duration::from_secs(8);

pub(crate) struct Desk {
    pub(crate) dir: PathBuf,
    pub(crate) wire: Wire,
    outbox: Outbox,
    events: Receiver<Msg>,
    stuck: Option<Stuck>,
    place: Option<Place>,
    /// How the outbox said that it ended, if it did.
    pub(crate) told: Option<End>,
    /// Whether it said that it sent an exit before its disk had answered.
    went_ahead: bool,
}

/// What is left of a desk that died.
pub(crate) struct Left {
    pub(crate) dir: PathBuf,
    pub(crate) told: Option<End>,
    pub(crate) went_ahead: bool,
}

/// What a desk was told of a command in the end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum End {
    Done(Receipt),
    Failed,
    Asked,
}

impl Desk {
    /// On the journal in `dir`, which is taken over from a dead one or made. It is to die at `place`.
    pub(crate) fn open(
        (stage, exchange): (&Stage, &Path),
        dir: PathBuf,
        (prelude, place): (Prelude, Option<Place>),
        port: &Port,
    ) -> Self {
        let exchange = (stage.addr(), exchange.to_owned());
        let wire = port.wire(exchange, dir.clone(), (prelude, gate(place)));
        let (sender, events) = match place {
            Some(Place::Telling(after)) => {
                let (sender, events) = channel(after + 1);
                sender.try_send(Msg::Tick).unwrap();
                (sender, events)
            }
            Some(Place::BeforeCommit | Place::Wire(_) | Place::Told) | None => channel(1024),
        };
        let connection = Connection {
            base_url: format!("http://{}", port.addr),
            api_key: stage.key(0).into(),
            key_source: perpdeck::config::ApiKeySource::Start,
            account_id: account(0).into(),
            kind: ServiceKind::Unknown,
            venues: None,
            streams: perpdeck::config::StreamUrls::default(),
            proxy: None,
            ca_file: None,
            read_only: false,
            dry_run: false,
        };
        let (calls, _) = unbounded_channel();
        let now = || Clock::start().now();
        let client =
            Client::with_timeouts(connection, calls, now, Timeouts::divided_by(HURRY)).unwrap();
        let journal = dir.clone();
        let open = move || Journal::open(&journal);
        Self {
            outbox: Outbox::spawn(client, Clock::start(), &dir, open, sender),
            dir,
            wire,
            events,
            stuck: None,
            place,
            told: None,
            went_ahead: false,
        }
    }

    /// When the desk is ready: a journal that is still being made would be one thing more to tell. To die before its
    /// commit, the journal's disk stands still from then on.
    pub(crate) async fn send(&mut self, command: Command) {
        while Journal::open_read_only(&self.dir).is_err() {
            sleep(A_LOOK).await;
        }
        sleep(A_MOMENT).await;
        if self.place == Some(Place::BeforeCommit) {
            self.stuck = Some(Stuck::journal(&self.dir));
        }
        self.outbox.send(TICKET, command);
        self.wire.give();
    }

    /// Whether it came to its place; it may come to an end before.
    pub(crate) async fn reached(&mut self) -> bool {
        match self.place {
            None => false,
            Some(Place::BeforeCommit) => {
                sleep(A_MOMENT).await;
                true
            }
            Some(Place::Wire(_)) => {
                let is_over = |entry: &IntentRow| {
                    entry.state == IntentState::Parked || !entry.state.is_open()
                };
                let over =
                    |entries: &[IntentRow]| !entries.is_empty() && entries.iter().all(is_over);
                tokio::select! {
                    () = self.wire.reached() => true,
                    _ = until(&self.dir, over) => false,
                    () = sleep(NEVER) => false,
                }
            }
            Some(Place::Telling(after)) => {
                let wanted = usize::from(after > 0);
                let noted =
                    |entries: &[IntentRow]| entries.iter().any(|one| one.attempts.len() >= wanted);
                let came = timeout(NEVER, until(&self.dir, noted)).await.is_ok();
                // Time to wait for the second attempt, and to stand before what is not heard.
                sleep(A_MOMENT * if after == 2 { 3 } else { 1 }).await;
                came
            }
            Some(Place::Told) => {
                self.end(NEVER).await;
                self.told.is_some()
            }
        }
    }

    /// The exchange has died and is there again; so goes life on, to the next of its deaths.
    pub(crate) fn go_on(
        &mut self,
        exchange: (SocketAddr, PathBuf),
        place: Option<Place>,
        port: &Port,
    ) {
        self.stuck = None;
        let before = port.wire(exchange, self.dir.clone(), (Prelude::Nothing, gate(place)));
        std::mem::replace(&mut self.wire, before).go_on();
        self.place = place;
    }

    /// Its files, and what it had said.
    pub(crate) fn die(mut self) -> Left {
        self.hear();
        Left {
            dir: left_behind(&self.dir),
            told: self.told,
            went_ahead: self.went_ahead,
        }
    }

    /// Everything said so far.
    fn hear(&mut self) {
        while let Ok(msg) = self.events.try_recv() {
            if let Msg::Notify(_, text) = &msg {
                self.went_ahead |= text.contains("sent before the");
            }
            self.told = end(msg).or(self.told.take());
        }
    }

    /// Until it said how it ended, or asks.
    async fn end(&mut self, patience: Duration) {
        self.told = None;
        let over = Instant::now() + patience;
        while self.told.is_none() && Instant::now() < over {
            self.hear();
            sleep(A_LOOK).await;
        }
    }

    /// Until nothing is in doubt, but for what a person is asked about now; `None` if that takes too long.
    pub(crate) async fn settle(&mut self, patience: Duration) -> Option<Duration> {
        let began = Instant::now();
        let is_over = |entry: &IntentRow, told: Option<&End>| match entry.state {
            // What never left and only gets out is offered.
            IntentState::Parked | IntentState::Prepared => told == Some(&End::Asked),
            state => !state.is_open(),
        };
        while began.elapsed() < patience {
            self.hear();
            let entries = entries(&self.dir);
            let told = self.told.as_ref();
            if !entries.is_empty() && entries.iter().all(|entry| is_over(entry, told)) {
                return Some(began.elapsed());
            }
            sleep(A_LOOK).await;
        }
        None
    }

    /// A person has looked and sends it again.
    pub(crate) async fn again(&mut self, entry: &IntentRow, patience: Duration) {
        self.hear();
        self.outbox.again(TICKET);
        let earlier = 1_000_000 + entry.id.0.unsigned_abs();
        self.outbox.again(Ticket(earlier));
        self.end(patience).await;
    }
}

fn gate(place: Option<Place>) -> Option<Gate> {
    match place {
        Some(Place::Wire(gate)) => Some(gate),
        Some(Place::BeforeCommit | Place::Telling(_) | Place::Told) | None => None,
    }
}

/// Only what this command's own ticket says: notes are for people.
fn end(msg: Msg) -> Option<End> {
    match msg {
        Msg::Settled(_, Ok(receipt)) => Some(End::Done(receipt)),
        Msg::Settled(_, Err(_)) => Some(End::Failed),
        Msg::Progress(_, Progress::Parked { .. }) => Some(End::Asked),
        _ => None,
    }
}

pub(crate) fn entries(dir: &Path) -> Vec<IntentRow> {
    // Not made yet, or just being made.
    let journal = Journal::open_read_only(dir);
    journal.map_or_else(|_| vec![], |journal| journal.recent(9).unwrap_or_default())
}

async fn until(dir: &Path, is: impl Fn(&[IntentRow]) -> bool) -> Vec<IntentRow> {
    loop {
        let entries = entries(dir);
        if is(&entries) {
            return entries;
        }
        sleep(A_LOOK).await;
    }
}
