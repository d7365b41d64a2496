//! All reads of the examination, before any conclusion.

use crate::{
    api::{PageQuery, PositionSelector, PositionsQuery, Route},
    cli::service::Service,
    client::{Client, Probe},
    config::Connection,
    model::{Account, Failure, Listing, Page, ServiceAbout},
};
use std::{cell::Cell, time::Duration};
use tokio::time::sleep;

/// Reads of the open positions for the latency.
const LATENCY_READS: usize = 5;
/// The longest `Retry-After` that is waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Reads the open positions, and waits once in the whole examination if the service asks for it.
struct PacedReader<'a> {
    client: &'a Client,
    target: String,
    waited: Cell<bool>,
}

impl PacedReader<'_> {
    async fn probe(&self) -> Probe {
        let probe = self.client.probe(&self.target).await;
        let wanted = probe.list.as_ref().err().and_then(|why| why.retry_after);
        match wanted.filter(|wait| *wait <= LONGEST_WAIT) {
            Some(wait) if !self.waited.replace(true) => {
                sleep(wait).await;
                self.client.probe(&self.target).await
            }
            Some(_) | None => probe,
        }
    }
}

/// The service's responses. All but the open positions are absent if these could not be read.
#[derive(Debug)]
pub(super) struct DoctorAnswers {
    pub(super) connection: Connection,
    /// A proxy variable of other programs.
    pub(super) idle_proxy: Option<&'static str>,
    /// Repeated reads of the open positions.
    pub(super) open: Vec<Probe>,
    pub(super) rest: Option<Rest>,
    /// The number of requests, and of 429 responses.
    pub(super) calls: usize,
    pub(super) limited: usize,
}

#[derive(Debug)]
pub(super) struct Rest {
    pub(super) about: Result<ServiceAbout, Failure>,
    pub(super) accounts: Result<Page<Account>, Failure>,
    pub(super) listings: Result<Page<Listing>, Failure>,
}

impl DoctorAnswers {
    pub(super) async fn of(service: &Service) -> Self {
        let client = &service.client;
        let reader = PacedReader {
            client,
            target: open_positions(client),
            waited: Cell::new(false),
        };
        let mut open = vec![reader.probe().await];
        let reached = open.iter().all(|probe| probe.list.is_ok());
        let rest = if reached {
            for _ in 1..LATENCY_READS {
                open.push(reader.probe().await);
            }
            Some(Rest {
                about: client.about().await,
                accounts: client.accounts().await,
                listings: client.listings().await,
            })
        } else {
            None
        };
        let (calls, limited) = service.calls();
        Self {
            connection: client.connection().clone(),
            idle_proxy: service.idle_proxy,
            open,
            rest,
            calls,
            limited,
        }
    }

    /// Why nothing could be read, if so.
    pub(super) fn trouble(&self) -> Option<&Failure> {
        self.open.first()?.list.as_ref().err()
    }

    pub(super) fn first(&self) -> Option<&Probe> {
        self.open.first()
    }

    /// Fastest first.
    pub(super) fn latencies(&self) -> Vec<Duration> {
        let mut times: Vec<_> = self.open.iter().map(|probe| probe.elapsed).collect();
        times.sort();
        times
    }
}

fn open_positions(client: &Client) -> String {
    let route = Route::Positions(PositionsQuery {
        page: PageQuery::first(client.connection().account_id.clone()),
        selector: PositionSelector::Open,
    });
    route.target()
}
