//! What the streams of an account share with its polls.

use super::{super::cover::StreamCover, wanted::MarketsWanted};
use crate::{
    app::{Msg, StreamNews},
    client::Client,
    runtime::base::{
        clock::Clock,
        in_flight::{InFlight, ReadGuard},
        lock::locked,
    },
};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    sync::{Notify, mpsc::Sender, watch},
    time::{Instant, sleep_until},
};

/// What belongs together comes within this, on all streams: one step of a market moves prices, positions and orders.
const GATHERED: Duration = Duration::from_millis(10);

#[derive(Debug, Clone)]
pub(in crate::runtime::polling) struct StreamContext {
    pub(in crate::runtime::polling) client: Client,
    pub(in crate::runtime::polling) clock: Clock,
    pub(in crate::runtime::polling) events: Sender<Msg>,
    pub(in crate::runtime::polling) cover: StreamCover,
    /// Polls of what the account's stream reports: all of them, at once, when it is gone.
    pub(in crate::runtime::polling) nudges: Vec<Arc<Notify>>,
    pub(in crate::runtime::polling) wanted: watch::Sender<MarketsWanted>,
    pub(in crate::runtime::polling) seed: u64,
    pub(in crate::runtime::polling) in_flight: InFlight,
    pub(in crate::runtime::polling) gathering: GatherTime,
}

/// When what is gathered now is reported: all streams of an account wait for the same timer.
#[derive(Debug, Clone)]
pub(in crate::runtime::polling) struct GatherTime(Arc<Mutex<Instant>>);

impl Default for GatherTime {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }
}

impl GatherTime {
    /// The end of what is gathered, unless it is near: then that of what is gathered next.
    fn end(&self) -> Instant {
        let mut end = locked(&self.0);
        let now = Instant::now();
        if *end < now + GATHERED / 2 {
            *end = now + GATHERED;
        }
        *end
    }
}

/// News of a stream that the desk receives at an instant. Until then they are in flight as an answer is, so that what
/// several streams report of one step is one frame.
#[derive(Debug)]
pub(super) struct Gathering {
    until: Instant,
    /// While they come soon: what comes later is a frame of its own.
    _in_flight: Option<ReadGuard>,
}

impl StreamContext {
    /// Gathers what is new from now on, at least until `earliest`.
    pub(super) fn gather(&self, earliest: Instant) -> Gathering {
        let soon = self.gathering.end();
        Gathering {
            until: earliest.max(soon),
            _in_flight: (earliest <= soon).then(|| self.in_flight.begin()),
        }
    }

    pub(super) async fn say(&self, news: StreamNews) {
        let msg = Msg::Streamed(self.clock.now(), Box::new(news));
        // The desk is shutting down: nobody receives it.
        let _closed = self.events.send(msg).await;
    }
}

impl Gathering {
    /// Returns when these news are reported; never without any.
    pub(super) async fn ends(gathering: Option<&Self>) {
        reached(gathering.map(|gathering| gathering.until)).await;
    }
}

/// Returns at this instant; never without one.
pub(super) async fn reached(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::polling::streams::tests::Desk;
    use tokio::time::advance;

    const MILLI: Duration = Duration::from_millis(1);

    #[tokio::test(start_paused = true)]
    async fn what_two_streams_tell_of_one_step_is_awaited_and_ends_together() {
        let context = Desk::at(None, None).context;
        let begun = Instant::now();
        let account = context.gather(begun);
        advance(MILLI).await;
        let market = context.gather(begun);
        assert!(!context.in_flight.is_none());
        Gathering::ends(Some(&account)).await;
        Gathering::ends(Some(&market)).await;
        assert_eq!(begun.elapsed(), GATHERED);
        drop((account, market));
        assert!(context.in_flight.is_none());
        // What is reported only after a pause holds up no frame, and begins no shorter time for others.
        let paused = context.gather(Instant::now() + 10 * GATHERED);
        assert!(context.in_flight.is_none());
        advance(9 * MILLI).await;
        let (later, next) = (context.gather(begun), Instant::now());
        Gathering::ends(Some(&later)).await;
        assert_eq!(next.elapsed(), GATHERED);
        Gathering::ends(Some(&paused)).await;
        assert_eq!(begun.elapsed(), 11 * GATHERED);
    }
}
