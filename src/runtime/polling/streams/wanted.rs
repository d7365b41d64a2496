//! What is requested of the market stream.

use crate::{
    app::{ShownMarkets, VenueMarkets},
    feed::{
        topic::{Channel, StreamedMarket, Topic},
        venue::VenueSocket,
    },
    model::{Market, MarketId, Venue},
};
use std::collections::{BTreeMap, BTreeSet};
use tokio::sync::watch;

/// Prices of so many listed markets, beside those that somebody looks at or holds.
const MOST_PRICED: usize = 128;

/// The markets of one account that somebody wants to see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::runtime::polling) struct MarketsWanted {
    pub(in crate::runtime::polling) shown: ShownMarkets,
    /// Those of positions, orders and the screen.
    pub(in crate::runtime::polling) held: BTreeSet<MarketId>,
    /// What the service lists, and what it calls each.
    pub(in crate::runtime::polling) listed: BTreeMap<MarketId, StreamedMarket>,
    /// Those that the venues serve.
    pub(in crate::runtime::polling) by_venue: VenueMarkets,
    /// An account in the background needs no prices at once.
    pub(in crate::runtime::polling) is_hidden: bool,
}

impl MarketsWanted {
    pub(in crate::runtime::polling) fn list(&mut self, markets: &[Market]) {
        let named = markets.iter();
        let named = named.map(|market| (market.id.clone(), StreamedMarket::from(market)));
        self.listed = named.collect();
    }

    pub(in crate::runtime::polling) fn named(&self, id: &MarketId) -> StreamedMarket {
        let listed = self.listed.get(id).cloned();
        listed.unwrap_or_else(|| StreamedMarket::new(id.clone()))
    }

    /// What a socket of a venue reports: the markets of this venue that somebody looks at or holds.
    pub(super) fn venue_topics(&self, socket: VenueSocket) -> BTreeSet<Topic> {
        if self.is_hidden {
            return BTreeSet::new();
        }
        let is_of = |market: &StreamedMarket| {
            Venue::of(&market.provider) == Some(socket.venue())
                && self.by_venue.includes(&market.id)
        };
        let held = self.held.iter().map(|id| self.named(id));
        // Prices that come are polled less: of all markets, or of none.
        let has_venues = held
            .clone()
            .all(|market| Venue::of(&market.provider).is_some());
        let held: Vec<_> = held.filter(is_of).collect();
        let ticks = held.iter().filter(|_| has_venues);
        let ticks = ticks.map(|market| Topic::of(Channel::Ticks, market.clone()));
        let stats = held
            .iter()
            .map(|market| Topic::of(Channel::Stats, market.clone()));
        self.shown_topics()
            .filter(|topic| topic.markets.iter().all(is_of))
            .chain(ticks)
            .chain(stats)
            .filter(|topic| socket.carries(topic.channel))
            .collect()
    }

    /// What is drawn of single markets.
    fn shown_topics(&self) -> impl Iterator<Item = Topic> {
        let shown = &self.shown;
        let of = |channel, id| Topic::of(channel, self.named(id));
        let books = shown.books.iter().map(move |id| of(Channel::Book, id));
        let trades = shown.trades.iter();
        let trades = trades.map(move |id| of(Channel::Trades, id));
        let candles = shown.candles.iter();
        let candles = candles.map(move |(id, interval)| of(Channel::Candles(*interval), id));
        books.chain(trades).chain(candles)
    }

    pub(super) fn topics(&self) -> BTreeSet<Topic> {
        if self.is_hidden {
            return BTreeSet::new();
        }
        let listed: BTreeSet<_> = self.listed.keys().take(MOST_PRICED).collect();
        let others = self.held.iter().filter(|id| !listed.contains(id));
        // In lists of their own: the others come and go, and a list that changes is subscribed to anew.
        let lists = [listed.iter().copied().collect(), others.collect::<Vec<_>>()];
        let lists = lists.map(|ids: Vec<_>| ids.into_iter().map(|id| self.named(id)).collect());
        let prices = lists.iter().flat_map(|list: &Vec<_>| {
            let channels = [Channel::Ticks, Channel::Stats].into_iter();
            channels.flat_map(|channel| Topic::of_all(channel, list.clone()))
        });
        self.shown_topics().chain(prices).collect()
    }
}

/// Keeps `topics` with what `pick` takes of what is wanted.
pub(super) async fn choose(
    mut wanted: watch::Receiver<MarketsWanted>,
    topics: watch::Sender<BTreeSet<Topic>>,
    pick: impl Fn(&MarketsWanted) -> BTreeSet<Topic>,
) {
    loop {
        let now = pick(&wanted.borrow_and_update());
        topics.send_if_modified(|known| {
            let is_new = *known != now;
            *known = now;
            is_new
        });
        if wanted.changed().await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_thousand_markets_the_one_that_somebody_looks_at_changes_no_other_subscription() {
        let mut wanted = MarketsWanted::default();
        let ids = (0..1_000).map(|n| MarketId::from(format!("venue|M{n:04}").as_str()));
        wanted.listed = ids
            .map(|id| (id.clone(), StreamedMarket::new(id)))
            .collect();
        let before = wanted.topics();
        let markets: usize = before.iter().map(|topic| topic.markets.len()).sum();
        assert_eq!(markets, 2 * MOST_PRICED);
        wanted.held = [MarketId::from("venue|A"), MarketId::from("venue|M0001")].into();
        let after = wanted.topics();
        assert!(after.is_superset(&before));
        assert_eq!(after.len(), before.len() + 2, "ticks and statistics of one");
    }
}
