//! What orders need to know of the service and the account, read once however many orders there are.

use super::consent::ActingService;
use crate::{
    app::{
        Remote, Store,
        account::poll::{Answer, Poll},
    },
    cli::service::{Reading, Service, arrive},
    model::{Failure, FailureKind, MarketId, Page},
};
use std::collections::{BTreeMap, btree_map::Entry};
use tokio::sync::Mutex;

pub(super) struct Readings<'a> {
    pub(super) service: &'a ActingService,
    known: Mutex<BTreeMap<Reading, Poll>>,
}

impl<'a> Readings<'a> {
    pub(super) fn new(service: &'a ActingService) -> Self {
        let known = Mutex::default();
        Self { service, known }
    }

    /// The prices of these markets, by id or name.
    pub(super) async fn take_prices(&self, store: &mut Store, named: &[MarketId]) {
        let wanted = self.service.listed_ids(named).await;
        self.take(store, Reading::Prices(wanted)).await;
    }

    pub(super) async fn take(&self, store: &mut Store, reading: Reading) {
        let mut known = self.known.lock().await;
        let poll = match known.entry(reading) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let poll = self.service.read(entry.key()).await;
                entry.insert(poll)
            }
        };
        store.arrive(poll.clone());
    }
}

/// A row of a list, or why there is none: the list could not be read, or does not have it.
pub(super) fn listed<'a, T>(
    list: &Remote<Page<T>>,
    row: Option<&'a T>,
    missing: impl FnOnce() -> String,
) -> Result<&'a T, Failure> {
    match list.trouble() {
        Some(why) => Err(why.clone()),
        None => row.ok_or_else(|| {
            let absent = || Failure::new(FailureKind::NotFound, missing());
            list.gap().unwrap_or_else(absent)
        }),
    }
}

/// Positions, working orders and prices.
pub(super) async fn read_rows(service: &Service) -> Store {
    let mut store = Store::default();
    let (positions, orders) =
        tokio::join!(service.read(&Reading::Positions), service.working_orders());
    store.arrive(positions);
    arrive(&mut store, Answer::Orders(orders));
    store.clocks = service.clocks().await;
    service.take_prices(&mut store, &[]).await;
    store
}
