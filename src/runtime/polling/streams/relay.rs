//! One connection after the other of a market stream: when the service asks its clients to come back, the next connection
//! takes over before the last one ends.
//!
//! Contract: what both report is passed on once. History of the new connection is passed on as such.

use super::socket::{SIGNALS, Signal, StreamLink};
use crate::{
    feed::{
        Stream,
        event::{Liveness, MarketEvent},
    },
    model::{Interval, MarketId, PublicTrade, Timestamp},
};
use std::{
    collections::{BTreeSet, VecDeque},
    future::pending,
    sync::Arc,
};
use tokio::{
    sync::{
        Notify,
        mpsc::{Receiver, channel},
    },
    task::JoinSet,
};

/// Events of the next connection that are kept until it takes over, the newest.
const MOST_HELD: usize = 10_000;
/// Trades of the last connection that are remembered until then.
const MOST_TRADES: usize = 2_000;

/// Connections of one stream.
pub(crate) struct Relay<B> {
    /// For the first one; the others are like it.
    pub(crate) link: StreamLink<MarketEvent>,
    /// The protocol of a new connection.
    pub(crate) begin: B,
}

/// A connection, and the ones that follow its losses.
struct Connected {
    signals: Receiver<Signal<MarketEvent>>,
    leaving: Arc<Notify>,
    is_up: bool,
    _task: JoinSet<()>,
}

/// The connection that takes over, and what it has reported.
struct Next {
    connected: Connected,
    held: VecDeque<MarketEvent>,
    /// What the last connection reported meanwhile.
    trades: VecDeque<(MarketId, PublicTrade)>,
}

/// What an event replaces: the one before of the same key.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EventKey<'a> {
    Book(&'a MarketId),
    Candle(&'a MarketId, Interval, Timestamp),
    Tick(&'a MarketId),
    Stats(&'a MarketId),
}

impl<'a> EventKey<'a> {
    /// `None` for what is kept beside others.
    fn of(event: &'a MarketEvent) -> Option<Self> {
        match event {
            MarketEvent::Book { market, .. } => Some(Self::Book(market)),
            MarketEvent::Candle {
                market,
                interval,
                candle,
                ..
            } => Some(Self::Candle(market, *interval, candle.open_time)),
            MarketEvent::Tick { market, .. } => Some(Self::Tick(market)),
            MarketEvent::Stats { market, .. } => Some(Self::Stats(market)),
            MarketEvent::Trade { .. } | MarketEvent::Refused { .. } => None,
        }
    }
}

/// What a relay waits for.
enum Wake {
    /// Of the current connection; `None` at its end.
    Current(Option<Signal<MarketEvent>>),
    Leaving,
    TakenOver(Next),
    /// The next connection was asked to leave too.
    NextEnded,
}

impl<S, B> Relay<B>
where
    S: Stream<Event = MarketEvent> + Send + 'static,
    B: Fn() -> S,
{
    /// Runs until nobody takes its signals any more.
    pub(crate) async fn run(self) {
        let mut current = self.connect();
        let mut next = None::<Next>;
        loop {
            let wake = tokio::select! {
                biased;
                signal = current.signals.recv() => Wake::Current(signal),
                () = current.leaving.notified(), if next.is_none() => Wake::Leaving,
                taking = taken_over(&mut next) => taking.map_or(Wake::NextEnded, Wake::TakenOver),
            };
            let signals = match wake {
                Wake::Current(Some(signal)) => {
                    current.note(&signal);
                    if let Some(next) = &mut next {
                        next.note(&signal);
                    }
                    vec![signal]
                }
                // It ended before the next one was up.
                Wake::Current(None) => {
                    let taking = next.take().unwrap_or_else(|| Next::of(self.connect()));
                    let (connected, signal_receiver) = taking.take_over();
                    current = connected;
                    vec![
                        Signal::Down("another connection follows".to_owned()),
                        signal_receiver,
                    ]
                }
                Wake::Leaving | Wake::NextEnded => {
                    next = Some(Next::of(self.connect()));
                    vec![]
                }
                Wake::TakenOver(taking) => {
                    let (connected, signal_receiver) = taking.take_over();
                    let before = std::mem::replace(&mut current, connected);
                    let up = (!before.is_up).then_some(Signal::Up);
                    [signal_receiver].into_iter().chain(up).collect()
                }
            };
            for signal in signals {
                if self.link.signals.send(signal).await.is_err() {
                    return;
                }
            }
        }
    }

    fn connect(&self) -> Connected {
        let (signals, signal_receiver) = channel(SIGNALS);
        let leaving = Arc::<Notify>::default();
        let link = self.link.again(signals, Arc::clone(&leaving));
        let mut task = JoinSet::new();
        task.spawn(link.run((self.begin)()));
        Connected {
            signals: signal_receiver,
            leaving,
            is_up: false,
            _task: task,
        }
    }
}

impl Connected {
    fn note(&mut self, signal: &Signal<MarketEvent>) {
        match signal {
            Signal::Up => self.is_up = true,
            Signal::Down(_) => self.is_up = false,
            Signal::Events(_) | Signal::Alive => {}
        }
    }
}

/// Returns the next connection once it reports everything, or `None` at its end; never without one.
async fn taken_over(next: &mut Option<Next>) -> Option<Next> {
    loop {
        let Some(waiting) = next else {
            return pending().await;
        };
        let signal = waiting.connected.signals.recv().await?;
        if waiting.takes(signal) {
            return next.take();
        }
    }
}

impl Next {
    fn of(connected: Connected) -> Self {
        Self {
            connected,
            held: VecDeque::new(),
            trades: VecDeque::new(),
        }
    }

    /// Keeps what it reports; whether it reports everything from now on.
    fn takes(&mut self, signal: Signal<MarketEvent>) -> bool {
        self.connected.note(&signal);
        match signal {
            Signal::Up | Signal::Alive => {}
            Signal::Down(_) => self.held.clear(),
            Signal::Events(events) => {
                self.held.extend(events);
                let excess = self.held.len().saturating_sub(MOST_HELD);
                self.held.drain(..excess);
            }
        }
        self.connected.is_up
    }

    /// Remembers the trades that the connection before it reports, and forgets what that has reported anew.
    fn note(&mut self, signal: &Signal<MarketEvent>) {
        let Signal::Events(events) = signal else {
            return;
        };
        let renewed: BTreeSet<_> = events.iter().filter_map(EventKey::of).collect();
        self.held
            .retain(|held| EventKey::of(held).is_none_or(|key| !renewed.contains(&key)));
        let trades = events.iter().filter_map(|event| match event {
            MarketEvent::Trade { market, trade, .. } => Some((market.clone(), *trade)),
            MarketEvent::Book { .. }
            | MarketEvent::Candle { .. }
            | MarketEvent::Tick { .. }
            | MarketEvent::Stats { .. }
            | MarketEvent::Refused { .. } => None,
        });
        self.trades.extend(trades);
        let excess = self.trades.len().saturating_sub(MOST_TRADES);
        self.trades.drain(..excess);
    }

    /// The connection, and what of it is new.
    fn take_over(self) -> (Connected, Signal<MarketEvent>) {
        let Self {
            connected,
            held,
            trades,
        } = self;
        let is_known = |event: &MarketEvent| match event {
            MarketEvent::Trade {
                market,
                trade,
                liveness: Liveness::Live,
                ..
            } => trades.contains(&(market.clone(), *trade)),
            MarketEvent::Trade { .. }
            | MarketEvent::Book { .. }
            | MarketEvent::Candle { .. }
            | MarketEvent::Tick { .. }
            | MarketEvent::Stats { .. }
            | MarketEvent::Refused { .. } => false,
        };
        // What the connection before it was refused may be accepted now.
        let refused = MarketEvent::Refused {
            markets: BTreeSet::new(),
        };
        let held = held.into_iter().filter(|event| !is_known(event));
        (
            connected,
            Signal::Events([refused].into_iter().chain(held).collect()),
        )
    }
}
