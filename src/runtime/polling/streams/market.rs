//! From the market streams to the desk: at most ten times a second, the newest of each.
//!
//! Contract: one source serves a market at a time. The service's own stream comes first. The venue of a market takes over
//! once that stream is down for [`FALL_BACK_AFTER`], or while it refuses the market, and gives way as soon as it serves
//! the market again.

use super::{
    super::cover::StreamUse,
    batch::Batch,
    context::{Gathering, StreamContext, reached},
    socket::Signal,
    wanted::MarketsWanted,
};
use crate::{
    app::{StreamNews, VenueMarkets},
    feed::event::MarketEvent,
    model::{MarketId, StreamKind},
};
use std::{collections::BTreeSet, time::Duration};
use tokio::{sync::mpsc::Receiver, time::Instant};

/// The desk is notified at most this often.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);
/// Without a tick for so long, prices are polled as ever.
const TICKS_WITHIN: Duration = Duration::from_millis(2_500);
/// A stream that is back within this is not replaced: before the data is said to be late.
pub(super) const FALL_BACK_AFTER: Duration = Duration::from_secs(2);

type MarketSignals = Receiver<Signal<MarketEvent>>;

/// The sources that the settings name.
#[derive(Debug)]
pub(super) struct MarketSources {
    pub(super) service: Option<MarketSignals>,
    pub(super) venues: Option<MarketSignals>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarketSource {
    Service,
    Venues,
}

/// How one source is, and what of it the desk has not received yet.
#[derive(Debug, Default)]
struct SourceState {
    is_up: bool,
    batch: Batch,
}

/// What the sources report, and which of them is believed.
struct MarketFeed {
    context: StreamContext,
    has_venues: bool,
    service: SourceState,
    venues: SourceState,
    by_venue: VenueMarkets,
    /// By the service's stream, as it last said.
    refused: BTreeSet<MarketId>,
    /// When the venues take over.
    fall_back_at: Option<Instant>,
    /// When the desk is notified of what is new.
    due: Option<Gathering>,
    reported_at: Instant,
    ticks_end: Option<Instant>,
}

/// Runs until a source or the desk is gone.
pub(super) async fn tell(context: StreamContext, mut sources: MarketSources) {
    let mut feed = MarketFeed::new(context, &sources);
    if sources.service.is_none() {
        feed.serve_by_venue(VenueMarkets::All).await;
    }
    loop {
        let (source, signal) = tokio::select! {
            signal = signal_of(&mut sources.service) => (MarketSource::Service, signal),
            signal = signal_of(&mut sources.venues) => (MarketSource::Venues, signal),
            () = Gathering::ends(feed.due.as_ref()) => {
                feed.tell_news().await;
                continue;
            }
            () = reached(feed.ticks_end) => {
                feed.prices_end();
                continue;
            }
            () = reached(feed.fall_back_at) => {
                feed.fall_back_at = None;
                feed.serve_by_venue(VenueMarkets::All).await;
                continue;
            }
        };
        let Some(signal) = signal else {
            return;
        };
        feed.take(source, signal).await;
    }
}

/// Never without a source.
async fn signal_of(source: &mut Option<MarketSignals>) -> Option<Signal<MarketEvent>> {
    match source {
        Some(signals) => signals.recv().await,
        None => std::future::pending().await,
    }
}

impl MarketFeed {
    fn new(context: StreamContext, sources: &MarketSources) -> Self {
        let now = Instant::now();
        let has_both = sources.service.is_some() && sources.venues.is_some();
        Self {
            context,
            has_venues: sources.venues.is_some(),
            service: SourceState::default(),
            venues: SourceState::default(),
            by_venue: VenueMarkets::default(),
            refused: BTreeSet::new(),
            fall_back_at: has_both.then(|| now + FALL_BACK_AFTER),
            due: None,
            reported_at: now,
            ticks_end: None,
        }
    }

    async fn take(&mut self, source: MarketSource, signal: Signal<MarketEvent>) {
        match signal {
            Signal::Up => self.up(source).await,
            Signal::Down(_) => self.down(source).await,
            Signal::Alive => {}
            Signal::Events(events) => {
                for event in events {
                    self.event(source, event).await;
                }
            }
        }
    }

    /// The source that reports all markets but those that it refuses.
    fn main_source(&self) -> MarketSource {
        match self.by_venue {
            VenueMarkets::Only(_) => MarketSource::Service,
            VenueMarkets::All => MarketSource::Venues,
        }
    }

    fn state_mut(&mut self, source: MarketSource) -> &mut SourceState {
        match source {
            MarketSource::Service => &mut self.service,
            MarketSource::Venues => &mut self.venues,
        }
    }

    async fn up(&mut self, source: MarketSource) {
        self.state_mut(source).is_up = true;
        if source == MarketSource::Service {
            self.fall_back_at = None;
            let refused = self.refused_markets();
            self.serve_by_venue(refused).await;
        }
        if source == self.main_source() {
            self.context.say(StreamNews::Up(StreamKind::Market)).await;
        }
    }

    async fn down(&mut self, source: MarketSource) {
        *self.state_mut(source) = SourceState::default();
        if source == MarketSource::Service && self.has_venues && self.by_venue != VenueMarkets::All
        {
            let at = Instant::now() + FALL_BACK_AFTER;
            self.fall_back_at = self.fall_back_at.or(Some(at));
        }
        if source == self.main_source() {
            self.prices_end();
            self.context.say(StreamNews::Down(StreamKind::Market)).await;
        }
    }

    async fn event(&mut self, source: MarketSource, event: MarketEvent) {
        if let MarketEvent::Refused { markets } = event {
            self.refused = markets;
            if source == MarketSource::Service && self.main_source() == source {
                let refused = self.refused_markets();
                self.serve_by_venue(refused).await;
            }
            return;
        }
        let batch = &mut self.state_mut(source).batch;
        batch.take(event, Instant::now());
        self.gather();
    }

    /// What is new is reported soon.
    fn gather(&mut self) {
        let begin = || self.context.gather(self.reported_at + REPORT_INTERVAL);
        self.due.get_or_insert_with(begin);
    }

    /// What the venues serve while the service's stream is up.
    fn refused_markets(&self) -> VenueMarkets {
        if self.has_venues {
            VenueMarkets::Only(self.refused.clone())
        } else {
            VenueMarkets::default()
        }
    }

    /// From now on the venues serve these markets.
    async fn serve_by_venue(&mut self, markets: VenueMarkets) {
        if self.by_venue == markets {
            return;
        }
        self.by_venue = markets.clone();
        self.prices_end();
        // What the new source has said already was kept.
        self.gather();
        self.context
            .wanted
            .send_modify(|wanted: &mut MarketsWanted| {
                wanted.by_venue = markets.clone();
            });
        self.context.say(StreamNews::ByVenue(markets)).await;
    }

    /// Prices come no more, as far as is known.
    fn prices_end(&mut self) {
        self.ticks_end = None;
        self.context.cover.prices(StreamUse::Uncovered);
    }

    /// Passes on to the desk what is new of each source's markets. What the service reports before its stream is up again is kept
    /// until then; what the venues still report of others is dropped.
    async fn tell_news(&mut self) {
        let now = Instant::now();
        let _gathered = self.due.take();
        self.reported_at = now;
        let by_venue = &self.by_venue;
        let of_service = self
            .service
            .batch
            .news(|market| !by_venue.includes(market), now);
        let of_venues = self
            .venues
            .batch
            .news(|market| by_venue.includes(market), now);
        self.venues.batch.news(|_| true, now);
        for news in [of_service, of_venues] {
            let StreamNews::Markets { answers, prices } = &news else {
                continue;
            };
            if prices
                .iter()
                .any(|price| price.bid.is_some() && price.ask.is_some())
            {
                self.ticks_end = Some(now + TICKS_WITHIN);
                self.context.cover.prices(StreamUse::Covered);
            }
            if !answers.is_empty() || !prices.is_empty() {
                self.context.say(news).await;
            }
        }
    }
}
