//! The sockets of the venues, as one stream of market data.
//!
//! Contract: a socket of which nothing is wanted is not connected. The stream is up while every other socket is, and
//! down as soon as one of them is.

use super::{
    context::StreamContext,
    door::StreamDoor,
    relay::Relay,
    socket::{SIGNALS, Signal, StreamLink},
    wanted,
};
use crate::{
    client::VenueClient,
    feed::{
        event::MarketEvent,
        topic::Topic,
        venue::{VenueSocket, stream::VenueStream},
    },
    runtime::base::lock::locked,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};
use strum::IntoEnumIterator as _;
use tokio::{
    sync::{
        mpsc::{Receiver, Sender, channel},
        watch,
    },
    task::JoinSet,
};

/// How a socket is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SocketState {
    Up,
    Down,
}

/// The sockets of which something is wanted.
#[derive(Debug, Default)]
struct SocketStates(BTreeMap<VenueSocket, SocketState>);

impl SocketStates {
    fn is_up(&self) -> bool {
        let mut states = self.0.values();
        !self.0.is_empty() && states.all(|state| *state == SocketState::Up)
    }

    /// Takes a change in; returns what becomes of the whole, if anything.
    fn change<E>(
        &mut self,
        socket: VenueSocket,
        state: Option<SocketState>,
        why: String,
    ) -> Option<Signal<E>> {
        let was_up = self.is_up();
        match state {
            Some(state) => self.0.insert(socket, state),
            None => self.0.remove(&socket),
        };
        match (was_up, self.is_up()) {
            (false, true) => Some(Signal::Up),
            (true, false) => Some(Signal::Down(why)),
            (true, true) | (false, false) => None,
        }
    }
}

/// Begins the sockets of all venues; returns what they say.
pub(super) fn spawn(
    context: &StreamContext,
    venues: &VenueClient,
    tasks: &mut JoinSet<()>,
) -> Receiver<Signal<MarketEvent>> {
    let (merged, receiver) = channel(SIGNALS);
    let states = Arc::new(Mutex::new(SocketStates::default()));
    for (socket, number) in VenueSocket::iter().zip(1_u64..) {
        let topics = watch::Sender::new(BTreeSet::new());
        let (signals, of_socket) = channel(SIGNALS);
        let door = StreamDoor::Venue(venues.clone(), socket);
        let seed = context.seed.rotate_left(16) ^ number;
        let link = StreamLink::new(door, Some(topics.subscribe()), signals, seed, context.clock);
        let forward = Forward {
            socket,
            topics: topics.subscribe(),
            states: Arc::clone(&states),
            merged: merged.clone(),
        };
        let begin = move || VenueStream::new(socket);
        tasks.spawn(Relay { link, begin }.run());
        tasks.spawn(forward.run(of_socket));
        let pick = move |wanted: &wanted::MarketsWanted| wanted.venue_topics(socket);
        tasks.spawn(wanted::choose(context.wanted.subscribe(), topics, pick));
    }
    receiver
}

/// Passes on what one socket says.
struct Forward {
    socket: VenueSocket,
    topics: watch::Receiver<BTreeSet<Topic>>,
    states: Arc<Mutex<SocketStates>>,
    merged: Sender<Signal<MarketEvent>>,
}

impl Forward {
    async fn run(self, mut of_socket: Receiver<Signal<MarketEvent>>) {
        while let Some(signal) = of_socket.recv().await {
            let signal = match signal {
                Signal::Up => self.change(Some(SocketState::Up), String::new()),
                Signal::Down(why) => {
                    let is_wanted = !self.topics.borrow().is_empty();
                    self.change(is_wanted.then_some(SocketState::Down), why)
                }
                receiver @ (Signal::Events(_) | Signal::Alive) => Some(receiver),
            };
            if let Some(signal) = signal
                && self.merged.send(signal).await.is_err()
            {
                return;
            }
        }
    }

    fn change(&self, state: Option<SocketState>, why: String) -> Option<Signal<MarketEvent>> {
        locked(&self.states).change(self.socket, state, why)
    }
}
