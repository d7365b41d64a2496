//! The streams of one account: a task for each socket, and one that passes on to the desk what came.
//!
//! Contract: nothing waits for a stream. Between a socket and the desk a bounded channel stands; while the desk does not
//! keep up, the socket is not read, and of books and prices the newest wins.

mod account;
mod batch;
mod context;
pub(crate) mod door;
mod market;
pub(crate) mod relay;
pub(crate) mod socket;
#[cfg(test)]
mod tests;
mod venues;
mod wanted;

pub(super) use context::{GatherTime, StreamContext};
pub(super) use wanted::MarketsWanted;

use crate::{
    app::VenueMarkets,
    feed::{account::AccountStream, event::MarketEvent, market::MarketStream},
    model::StreamKind,
};
use door::StreamDoor;
use market::MarketSources;
use relay::Relay;
use socket::{SIGNALS, Signal, StreamLink};
use std::collections::BTreeSet;
use tokio::{
    sync::{
        mpsc::{Receiver, channel},
        watch,
    },
    task::JoinSet,
};

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
        let (signals, received) = channel::<Signal<_>>(SIGNALS);
        let door = StreamDoor::Service(client.clone(), StreamKind::Account);
        let link = StreamLink::new(door, None, signals, !context.seed, context.clock);
        let account = client.connection().account_id.clone();
        tasks.spawn(link.run(AccountStream::new(account)));
        tasks.spawn(account::tell(context.clone(), received));
    }
}

/// Begins the service's market stream; returns what it says.
fn spawn_market(context: &StreamContext, tasks: &mut JoinSet<()>) -> Receiver<Signal<MarketEvent>> {
    let (signals, received) = channel(SIGNALS);
    let topics = watch::Sender::new(BTreeSet::new());
    let door = StreamDoor::Service(context.client.clone(), StreamKind::Market);
    let wanted_topics = Some(topics.subscribe());
    let link = StreamLink::new(door, wanted_topics, signals, context.seed, context.clock);
    let begin = MarketStream::default;
    tasks.spawn(Relay { link, begin }.run());
    let wanted = context.wanted.subscribe();
    tasks.spawn(wanted::choose(wanted, topics, MarketsWanted::topics));
    received
}
