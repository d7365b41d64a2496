//! The markets of the service and their prices.
//!
//! Contract: the list is read once and every [`LIST_AGE`]. A simulator reports the prices of all markets in one document
//! (`GET /v1` says that it is one); another service quotes one market per request, so that only those are priced that
//! somebody wants, the one that was requested longest ago first. A price is as old as the quote's own time; one that can
//! be no price is left out and counted ([`Market::believed`]).

use super::{Client, lock::locked};
use crate::{
    api::QuoteSize,
    config::ServiceKind,
    model::{
        Failure, FailureKind, Fallible, Listing, Market, MarketId, Num, Page, Quote, ServiceAbout,
        Side, Timestamp,
    },
};
use futures_util::future::join_all;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    sync::{Mutex as AsyncMutex, OnceCell},
    time::Instant,
};

/// So many markets without a quote are asked for together.
const FIRST_QUOTES: usize = 8;
/// The list of markets changes rarely.
const LIST_AGE: Duration = Duration::from_mins(10);
/// Where only names depend on it, a list that failed is requested again after this long.
const LIST_RETRY: Duration = Duration::from_mins(1);
/// A price of its own time this far behind the answer shows a market that stands, not what it would trade at.
const STALE_PRICE: Duration = Duration::from_hours(2);

/// What is known of the service's markets.
#[derive(Debug, Default)]
pub(super) struct KnownMarkets {
    about: OnceCell<ServiceAbout>,
    list: AsyncMutex<Option<KnownList>>,
    quotes: Mutex<BTreeMap<MarketId, KnownQuote>>,
}

#[derive(Debug)]
struct KnownList {
    requested_at: Instant,
    /// `None` if it could not be read.
    page: Option<Arc<Page<Listing>>>,
}

#[derive(Debug, Clone)]
struct KnownQuote {
    requested_at: Instant,
    /// The last one, or why there is none.
    quote: Fallible<Quote>,
}

impl KnownMarkets {
    /// Those of `wanted` to request now, at most `most` or those never requested; the others' quotes are forgotten.
    fn due(&self, wanted: &BTreeSet<MarketId>, most: usize) -> Vec<MarketId> {
        let mut quotes = locked(&self.quotes);
        quotes.retain(|id, _| wanted.contains(id));
        let new = wanted.iter().filter(|id| !quotes.contains_key(*id)).count();
        let mut by_age: Vec<_> = wanted.iter().collect();
        by_age.sort_by_key(|id| quotes.get(*id).map(|known| known.requested_at));
        let most = new.min(FIRST_QUOTES).max(most);
        by_age.into_iter().take(most).cloned().collect()
    }

    /// A market without a fresh book keeps the quote it had, which has its own age.
    fn learn(&self, id: MarketId, quote: Fallible<Quote>) {
        let mut quotes = locked(&self.quotes);
        let requested_at = Instant::now();
        match (quotes.get_mut(&id), quote) {
            (Some(known), Err(why)) if known.quote.is_ok() && !is_unbelieved(&why) => {
                known.requested_at = requested_at;
            }
            (_, quote) => {
                quotes.insert(
                    id,
                    KnownQuote {
                        requested_at,
                        quote,
                    },
                );
            }
        }
    }

    /// `market` with its quote, if it has one.
    fn priced(&self, market: Market) -> Result<Market, String> {
        let known = locked(&self.quotes).get(&market.id).cloned();
        match known.map(|known| known.quote) {
            Some(Ok(quote)) => market.priced(&quote).believed(),
            Some(Err(why)) if is_unbelieved(&why) => Err(why.message.to_string()),
            Some(Err(_)) | None => Ok(market),
        }
    }
}

impl Client {
    /// What the service says of itself, read once. A service that answers anything else says nothing.
    pub async fn known_about(&self) -> Fallible<&ServiceAbout> {
        let read = || async {
            match self.about().await {
                Err(why) if why.status.is_some_and(|status| status < 500) => {
                    Ok(ServiceAbout::default())
                }
                about => about,
            }
        };
        self.0.markets.about.get_or_try_init(read).await
    }

    /// Whether the service is perpdeck's own exchange with its controls: it reports all prices at once, and has no request
    /// budget.
    pub async fn is_simulator(&self) -> Fallible<bool> {
        if self.connection().kind == ServiceKind::Simulator {
            return Ok(true);
        }
        Ok(self.known_about().await?.is_simulator())
    }

    /// Whether it is known by now to be a simulator.
    pub fn is_known_simulator(&self) -> bool {
        self.connection().kind == ServiceKind::Simulator
            || self
                .0
                .markets
                .about
                .get()
                .is_some_and(ServiceAbout::is_simulator)
    }

    /// Every market. Where the service quotes them one by one, those of `wanted` have prices, and at most `most` of
    /// these are requested now.
    pub async fn markets(
        &self,
        wanted: &BTreeSet<MarketId>,
        most: usize,
    ) -> Fallible<Page<Market>> {
        if self.is_simulator().await? {
            let page = believed(self.sim_markets().await?, Market::believed);
            return Ok(self.described(page).await);
        }
        self.quoted(wanted, most).await
    }

    /// With what the service lists of these markets, if that can be read: a source knows them by their ids alone.
    async fn described(&self, mut page: Page<Market>) -> Page<Market> {
        let Some(listed) = self.names().await else {
            return page;
        };
        let by_id: BTreeMap<_, _> = listed
            .rows
            .iter()
            .map(|row| (&row.market_id, row))
            .collect();
        for market in &mut page.rows {
            if let Some(listing) = by_id.get(&market.id) {
                *market = named(market, listing);
            }
        }
        page
    }

    async fn quoted(&self, wanted: &BTreeSet<MarketId>, most: usize) -> Fallible<Page<Market>> {
        let listed = self.listed().await?;
        let known = &self.0.markets;
        let due = known.due(wanted, most);
        let decimals = |id: &MarketId| {
            let mut rows = listed.rows.iter();
            rows.find(|row| row.market_id == *id)?.size_decimals
        };
        let due: Vec<_> = due.into_iter().map(|id| (decimals(&id), id)).collect();
        let read = due.into_iter().map(|(decimals, id)| async move {
            let quote = self.marked_quote(&id, decimals).await;
            let trouble = quote.as_ref().err().cloned();
            known.learn(id, quote);
            trouble
        });
        let troubles = join_all(read).await;
        if let Some(why) = unreached(&troubles) {
            return Err(why);
        }
        let page = Page {
            rows: listed.rows.iter().cloned().map(Market::from).collect(),
            unreadable: listed.unreadable.clone(),
            ..Page::default()
        };
        Ok(believed(page, |market| known.priced(market)))
    }

    /// The prices of a market now. Where they have no middle, the market is priced by its mark, which the service reports
    /// of a size only: the middle of bid and ask is none. The smallest size is as good as any.
    async fn marked_quote(&self, market: &MarketId, decimals: Option<u32>) -> Fallible<Quote> {
        let quote = self.quote(market, None).await?;
        let Some(decimals) = decimals.filter(|_| quote.mark().is_none()) else {
            return Ok(quote);
        };
        let size = QuoteSize {
            side: Side::Buy,
            size: Num::new(1, decimals),
        };
        Ok(match self.quote(market, Some(size)).await {
            Ok(sized) => Quote {
                reference_price: sized.reference_price,
                reference_kind: sized.reference_kind,
                ..quote
            },
            Err(_) => quote,
        })
    }

    /// The list of markets, as it was read last.
    pub async fn listed(&self) -> Fallible<Arc<Page<Listing>>> {
        let mut known = self.0.markets.list.lock().await;
        if let Some(KnownList {
            requested_at,
            page: Some(page),
        }) = known.as_ref()
            && requested_at.elapsed() < LIST_AGE
        {
            return Ok(Arc::clone(page));
        }
        let read = self.listings().await.map(Arc::new);
        *known = Some(KnownList {
            requested_at: Instant::now(),
            page: read.as_ref().ok().map(Arc::clone),
        });
        read
    }

    /// The same for names alone: prices from elsewhere do not wait for a service that has just failed.
    async fn names(&self) -> Option<Arc<Page<Listing>>> {
        let has_failed = self
            .0
            .markets
            .list
            .lock()
            .await
            .as_ref()
            .is_some_and(|known| known.page.is_none() && known.requested_at.elapsed() < LIST_RETRY);
        if has_failed {
            return None;
        }
        self.listed().await.ok()
    }

    /// The prices of a market now, and what an order of that side and size would meet. Prices that are long past are
    /// none.
    pub async fn quote(&self, market: &MarketId, size: Option<QuoteSize>) -> Fallible<Quote> {
        let (quote, date) = self.quote_at(market, size).await?;
        let priced = Market::new(market.clone()).priced(&quote);
        fresh(priced, date).map_err(|why| Failure::new(FailureKind::Unreadable, why))?;
        Ok(quote)
    }
}

/// The service answered with prices that can be none.
fn is_unbelieved(why: &Failure) -> bool {
    why.kind == FailureKind::Unreadable
}

/// Every request failed, none of them by an answer: the service cannot be reached.
fn unreached(troubles: &[Option<Failure>]) -> Option<Failure> {
    let of_way = |why: &Failure| {
        why.status.is_none() && !is_unbelieved(why)
            || matches!(why.kind, FailureKind::Auth | FailureKind::Limited)
    };
    let whys: Option<Vec<_>> = troubles.iter().map(|why| why.as_ref()).collect();
    let whys = whys.filter(|whys| whys.iter().all(|why| of_way(why)))?;
    whys.first().map(|why| (*why).clone())
}

/// A price that is [`STALE_PRICE`] older than the answer is none.
fn fresh(market: Market, answered: Option<Timestamp>) -> Result<Market, String> {
    let market = market.believed()?;
    let age = market
        .updated_at
        .zip(answered)
        .map(|(made, answered)| answered.since(made));
    match age.filter(|age| *age >= STALE_PRICE) {
        Some(age) => Err(format!(
            "the prices of {} are {} h old",
            market.id,
            age.as_secs() / 3_600
        )),
        None => Ok(market),
    }
}

/// The rows whose prices `check` takes; of the others the market stays, without prices, and the reason is counted.
fn believed(page: Page<Market>, check: impl Fn(Market) -> Result<Market, String>) -> Page<Market> {
    let mut checked = Page {
        rows: vec![],
        ..page
    };
    for market in page.rows {
        let bare = Market {
            mark: None,
            bid: None,
            ask: None,
            updated_at: None,
            ..market.clone()
        };
        checked.rows.push(check(market).unwrap_or_else(|why| {
            checked.unreadable.push(why.into());
            bare
        }));
    }
    checked
}

/// The market with the names and terms that the service lists, and all that its source of prices says.
fn named(market: &Market, listing: &Listing) -> Market {
    let listed = Market::from(listing.clone());
    Market {
        id: listed.id,
        provider: listed.provider,
        symbol: listed.symbol,
        coin: listed.coin,
        category: listed.category,
        trading_enabled: listed.trading_enabled,
        reduce_only: listed.reduce_only,
        size_decimals: market.size_decimals.or(listed.size_decimals),
        max_leverage: market.max_leverage.or(listed.max_leverage),
        ..market.clone()
    }
}

#[cfg(test)]
mod tests;
