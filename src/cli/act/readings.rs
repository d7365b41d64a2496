//! What orders need to know of the service and the account, read once however many orders there are.

use super::consent::ActingService;
use crate::{
    app::{
        Store,
        account::poll::{Answer, Poll},
    },
    cli::service::{Service, arrive},
    model::{Failure, FailureKind, MarketId},
};
use std::collections::{BTreeMap, BTreeSet};
use tokio::sync::{Mutex, OnceCell};

pub(super) struct Readings<'a> {
    pub(super) service: &'a ActingService,
    /// By the markets that have prices in it.
    prices: Mutex<BTreeMap<BTreeSet<MarketId>, Poll>>,
    positions: OnceCell<Poll>,
    figures: OnceCell<Poll>,
}

impl<'a> Readings<'a> {
    pub(super) fn new(service: &'a ActingService) -> Self {
        Self {
            service,
            prices: Mutex::default(),
            positions: OnceCell::new(),
            figures: OnceCell::new(),
        }
    }

    /// The prices of these markets, by id or name.
    pub(super) async fn take_prices(&self, store: &mut Store, named: &[MarketId]) {
        let wanted = self.service.listed_ids(named).await;
        let mut known = self.prices.lock().await;
        if let Some(poll) = known.get(&wanted) {
            store.arrive(poll.clone());
            return;
        }
        let poll = self.service.read_prices(&wanted).await;
        known.insert(wanted, poll.clone());
        store.arrive(poll);
    }

    pub(super) async fn take_positions(&self, store: &mut Store) {
        let read = self.positions.get_or_init(|| self.service.read_positions());
        store.arrive(read.await.clone());
    }

    pub(super) async fn take_figures(&self, store: &mut Store) {
        let read = self.figures.get_or_init(|| self.service.read_figures());
        store.arrive(read.await.clone());
    }
}

/// A row of a list, or why there is none: the list could not be read, or does not have it.
pub(super) fn listed<'a, T>(
    trouble: Option<&Failure>,
    row: Option<&'a T>,
    missing: impl FnOnce() -> String,
) -> Result<&'a T, Failure> {
    match trouble {
        Some(why) => Err(why.clone()),
        None => row.ok_or_else(|| Failure::new(FailureKind::NotFound, missing())),
    }
}

/// Positions, working orders and prices.
pub(super) async fn read_rows(service: &Service) -> Store {
    let mut store = Store::default();
    let (positions, orders) = tokio::join!(service.read_positions(), service.working_orders());
    store.arrive(positions);
    arrive(&mut store, Answer::Orders(orders));
    store.clocks = service.clocks().await;
    service.take_prices(&mut store, &[]).await;
    store
}
