//! The streams of one account: a task for each socket, and one that tells the desk what came.
//!
//! Contract: nothing waits for a stream. Between a socket and the desk a bounded channel stands; while the desk does not
//! keep up, the socket is not read, and of books and prices the newest wins.

mod account;
mod batch;
pub(crate) mod door;
mod market;
pub(crate) mod relay;
pub(crate) mod socket;
#[cfg(test)]
mod tests;
mod venues;
mod wanted;

pub(super) use wanted::MarketsWanted;

use super::cover::StreamCover;
use crate::{
    app::{Msg, StreamNews, VenueMarkets},
    client::Client,
    feed::{account::AccountStream, event::MarketEvent, market::MarketStream},
    model::StreamKind,
    runtime::base::clock::Clock,
};
use door::StreamDoor;
use market::MarketSources;
use relay::Relay;
use socket::{Signal, StreamLink};
use std::{collections::BTreeSet, sync::Arc};
use tokio::{
    sync::{
        Notify,
        mpsc::{Receiver, Sender, channel},
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
    let client = &context.client;
    if client.venues_alone().is_some() {
        let by_venue = VenueMarkets::All;
        context
            .wanted
            .send_modify(|wanted| wanted.by_venue = by_venue);
    }
    if context.clock.is_frozen() {
        return;
    }
    let has_stream = client.has_stream(StreamKind::Market);
    let venues = client.venues();
    let sources = MarketSources {
        service: has_stream.then(|| spawn_market(context, tasks)),
        venues: venues.map(|venues| venues::spawn(context, &venues, tasks)),
    };
    if sources.service.is_some() || sources.venues.is_some() {
        tasks.spawn(market::tell(context.clone(), sources));
    }
    if client.has_stream(StreamKind::Account) {
        let (signals, told) = channel::<Signal<_>>(SIGNALS);
        let door = StreamDoor::Service(client.clone(), StreamKind::Account);
        let link = StreamLink::new(door, None, signals, !context.seed, context.clock);
        let account = client.connection().account_id.clone();
        tasks.spawn(link.run(AccountStream::new(account)));
        tasks.spawn(account::tell(context.clone(), told));
    }
}

/// Begins the service's market stream; returns what it says.
fn spawn_market(context: &StreamContext, tasks: &mut JoinSet<()>) -> Receiver<Signal<MarketEvent>> {
    let (signals, told) = channel(SIGNALS);
    let topics = watch::Sender::new(BTreeSet::new());
    let door = StreamDoor::Service(context.client.clone(), StreamKind::Market);
    let wanted_topics = Some(topics.subscribe());
    let link = StreamLink::new(door, wanted_topics, signals, context.seed, context.clock);
    let begin = MarketStream::default;
    tasks.spawn(Relay { link, begin }.run());
    let wanted = context.wanted.subscribe();
    tasks.spawn(wanted::choose(wanted, topics, MarketsWanted::topics));
    told
}
