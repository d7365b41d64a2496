//! What the market stream is asked for.

use crate::{
    app::ShownMarkets,
    feed::topic::{Channel, StreamedMarket, Topic},
    model::{Market, MarketId},
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
    /// An account in the background needs no prices at once.
    pub(in crate::runtime::polling) is_hidden: bool,
}

impl MarketsWanted {
    pub(in crate::runtime::polling) fn list(&mut self, markets: &[Market]) {
        let named = markets.iter().map(|market| {
            let named = StreamedMarket {
                id: market.id.clone(),
                provider: market.provider.raw().to_owned(),
                symbol: market.coin.raw().to_owned(),
            };
            (market.id.clone(), named)
        });
        self.listed = named.collect();
    }

    fn named(&self, id: &MarketId) -> StreamedMarket {
        let listed = self.listed.get(id).cloned();
        listed.unwrap_or_else(|| StreamedMarket::new(id.clone()))
    }

    pub(super) fn topics(&self) -> BTreeSet<Topic> {
        if self.is_hidden {
            return BTreeSet::new();
        }
        let shown = &self.shown;
        let of = |channel, id| Topic::of(channel, self.named(id));
        let books = shown.books.iter().map(|id| of(Channel::Book, id));
        let trades = shown.trades.iter().map(|id| of(Channel::Trades, id));
        let candles = shown.candles.iter();
        let candles = candles.map(|(id, interval)| of(Channel::Candles(*interval), id));
        let listed = self.listed.keys().take(MOST_PRICED).cloned();
        let with_price: BTreeSet<_> = self.held.iter().cloned().chain(listed).collect();
        let with_price: Vec<_> = with_price.iter().map(|id| self.named(id)).collect();
        let prices = [Channel::Ticks, Channel::Stats]
            .into_iter()
            .flat_map(|channel| Topic::of_all(channel, with_price.clone()));
        books.chain(trades).chain(candles).chain(prices).collect()
    }
}

/// Keeps `topics` with what is wanted.
pub(super) async fn choose(
    mut wanted: watch::Receiver<MarketsWanted>,
    topics: watch::Sender<BTreeSet<Topic>>,
) {
    loop {
        let now = wanted.borrow_and_update().topics();
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
