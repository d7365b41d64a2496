//! What orders need to know of the service and the account, read once however many orders there are.

use crate::{
    app::{Store, account::poll::Poll},
    cli::service::Service,
};
use tokio::sync::OnceCell;

pub(super) struct Readings<'a> {
    pub(super) service: &'a Service,
    prices: OnceCell<Option<Poll>>,
    positions: OnceCell<Poll>,
    figures: OnceCell<Option<Poll>>,
}

impl<'a> Readings<'a> {
    pub(super) fn new(service: &'a Service) -> Self {
        Self {
            service,
            prices: OnceCell::new(),
            positions: OnceCell::new(),
            figures: OnceCell::new(),
        }
    }

    pub(super) async fn take_prices(&self, store: &mut Store) {
        let read = self.prices.get_or_init(|| self.service.read_prices());
        if let Some(poll) = read.await {
            store.arrive(poll.clone());
        }
    }

    pub(super) async fn take_positions(&self, store: &mut Store) {
        let read = self.positions.get_or_init(|| self.service.read_positions());
        store.arrive(read.await.clone());
    }

    pub(super) async fn take_figures(&self, store: &mut Store) {
        let read = self.figures.get_or_init(|| self.service.read_figures());
        if let Some(poll) = read.await {
            store.arrive(poll.clone());
        }
    }
}
