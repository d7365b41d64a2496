//! The streams of one account: a task for each socket, and one that tells the desk what came.
//!
//! Contract: nothing waits for a stream. Between a socket and the desk a bounded channel stands; while the desk does not
//! keep up, the socket is not read, and of books and prices the newest wins.

mod account;
pub(crate) mod door;
mod market;
pub(crate) mod socket;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod venue_tests;
mod venues;
mod wanted;

pub(super) use wanted::MarketsWanted;

use super::cover::StreamCover;
use crate::{
    app::{Msg, StreamNews},
    client::Client,
    feed::{account::AccountStream, market::MarketStream},
    model::StreamKind,
    runtime::base::{clock::Clock, jitter::Jitter},
};
use door::StreamDoor;
use socket::{Signal, StreamLink};
use std::{collections::BTreeSet, sync::Arc};
use tokio::{
    sync::{
        Notify,
        mpsc::{Sender, channel},
        watch,
    },
    task::JoinSet,
};

/// Signals of a socket that the desk has not taken yet.
const SIGNALS: usize = 64;

/// What the streams of an account share with its polls.
#[derive(Debug, Clone)]
pub(super) struct StreamContext {
    pub(super) client: Client,
    pub(super) clock: Clock,
    pub(super) events: Sender<Msg>,
    pub(super) cover: StreamCover,
    /// Polls of what the account's stream tells: all of them, at once, when it is gone.
    pub(super) nudges: Vec<Arc<Notify>>,
    pub(super) wanted: watch::Sender<MarketsWanted>,
    pub(super) seed: u64,
}

impl StreamContext {
    async fn say(&self, news: StreamNews) {
        let msg = Msg::Streamed(self.clock.now(), Box::new(news));
        // The desk is shutting down: nobody receives it.
        let _closed = self.events.send(msg).await;
    }
}

/// Begins the streams that the settings name; while time stands still, none.
pub(super) fn spawn(context: &StreamContext, tasks: &mut JoinSet<()>) {
    if context.clock.is_frozen() {
        return;
    }
    let client = &context.client;
    if client.has_stream(StreamKind::Market) {
        let (signals, told) = channel(SIGNALS);
        let topics = watch::Sender::new(BTreeSet::new());
        let link = StreamLink {
            door: StreamDoor::Service(client.clone(), StreamKind::Market),
            clock: context.clock,
            topics: Some(topics.subscribe()),
            signals,
            draws: Jitter::seeded(context.seed),
        };
        tasks.spawn(link.run(MarketStream::default()));
        tasks.spawn(wanted::choose(
            context.wanted.subscribe(),
            topics,
            MarketsWanted::topics,
        ));
        tasks.spawn(market::tell(context.clone(), told));
    } else if let Some(venues) = client.venues() {
        venues::spawn(context, &venues, tasks);
    }
    if client.has_stream(StreamKind::Account) {
        let (signals, told) = channel::<Signal<_>>(SIGNALS);
        let link = StreamLink {
            door: StreamDoor::Service(client.clone(), StreamKind::Account),
            clock: context.clock,
            topics: None,
            signals,
            draws: Jitter::seeded(!context.seed),
        };
        let account = client.connection().account_id.clone();
        tasks.spawn(link.run(AccountStream::new(account)));
        tasks.spawn(account::tell(context.clone(), told));
    }
}
