//! All reads of the examination, before any conclusion.

use super::{markets::MarketReads, rows::RawRow};
use crate::{
    api::{
        Dialect, OrderFilter, OrdersQuery, PAGE_LIMIT, PositionSelector, PositionsQuery, Route,
        TwapsQuery,
    },
    cli::service::Service,
    client::{Client, Negotiation, Probe},
    config::Connection,
    model::{AccountFacts, AccountId, Cursor, Failure, FailureKind, Market, Page},
};
use std::{cell::Cell, time::Duration};
use tokio::time::sleep;

/// Reads of the open positions for the latency.
const LATENCY_READS: usize = 5;
/// The longest `Retry-After` that is waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// A parameter that no service knows: whether it is refused shows what accepting one means.
const NONSENSE: &str = "perpdeck_doctor";

/// Reads, and waits once in the whole examination if the service asks for it.
struct PacedReader<'a> {
    client: &'a Client,
    waited: Cell<bool>,
}

impl PacedReader<'_> {
    async fn probe(&self, target: &str) -> Probe {
        let ask = || self.client.probe(target);
        self.patiently(ask, |probe| probe.list.as_ref().err()).await
    }

    /// If there is a source of prices.
    async fn prices(&self) -> Option<Result<Page<Market>, Failure>> {
        self.client.connection().prices.as_ref()?;
        let read = self.patiently(|| self.client.markets(), |read| read.as_ref().err());
        Some(read.await)
    }

    async fn facts(&self) -> Option<Result<AccountFacts, Failure>> {
        self.client.connection().facts.as_ref()?;
        let account = account(self.client);
        let ask = || self.client.account_facts(&account);
        Some(self.patiently(ask, |read| read.as_ref().err()).await)
    }

    async fn patiently<T, F>(
        &self,
        ask: impl Fn() -> F,
        trouble: impl Fn(&T) -> Option<&Failure>,
    ) -> T
    where
        F: Future<Output = T>,
    {
        let answer = ask().await;
        let wanted = trouble(&answer).and_then(|why| why.retry_after);
        match wanted.filter(|wait| *wait <= LONGEST_WAIT) {
            Some(wait) if !self.waited.replace(true) => {
                sleep(wait).await;
                ask().await
            }
            Some(_) | None => answer,
        }
    }
}

/// The service's responses. Lists after a failed first read are absent.
#[derive(Debug)]
pub(super) struct DoctorAnswers {
    /// With the dialect in use now.
    pub(super) connection: Connection,
    pub(super) terms: Negotiation,
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
    pub(super) working: Probe,
    pub(super) history: Probe,
    /// The page after a history page of one row; absent if there is none.
    pub(super) second: Option<Probe>,
    pub(super) closed: Probe,
    pub(super) twaps: Probe,
    /// Orders requested with [`NONSENSE`].
    pub(super) nonsense: Probe,
    pub(super) prices: Option<Result<Page<Market>, Failure>>,
    pub(super) markets: MarketReads,
    pub(super) facts: Option<Result<AccountFacts, Failure>>,
}

impl DoctorAnswers {
    pub(super) async fn of(service: &Service) -> Result<Self, Failure> {
        let client = &service.client;
        let reader = PacedReader {
            client,
            waited: Cell::new(false),
        };
        let target = positions(client, PositionSelector::Open);
        let mut open = vec![reader.probe(&target).await];
        let reached = open.iter().all(|probe| unreachable(probe).is_none());
        let rest = if reached {
            learn(client).await;
            // Some may have used a spelling that the service refuses.
            open.retain(|probe| probe.list.is_ok());
            for _ in 1..LATENCY_READS {
                let target = positions(client, PositionSelector::Open);
                open.push(reader.probe(&target).await);
            }
            Some(Rest::of(&reader).await)
        } else {
            None
        };
        let (calls, limited) = service.calls();
        let terms = client.negotiation().borrow().clone();
        Ok(Self {
            connection: Connection {
                dialect: terms.dialect(),
                ..client.connection().clone()
            },
            terms,
            idle_proxy: service.idle_proxy,
            open,
            rest,
            calls,
            limited,
        })
    }

    pub(super) fn dialect(&self) -> &Dialect {
        &self.connection.dialect
    }

    /// Why nothing could be read, if so.
    pub(super) fn trouble(&self) -> Option<&Failure> {
        unreachable(self.open.first()?)
    }

    pub(super) fn first(&self) -> Option<&Probe> {
        self.open.first()
    }

    /// Every response.
    pub(super) fn probes(&self) -> impl Iterator<Item = &Probe> {
        let rest = self.rest.iter().flat_map(|rest| {
            [
                &rest.working,
                &rest.history,
                &rest.closed,
                &rest.twaps,
                &rest.nonsense,
            ]
        });
        self.open.iter().chain(rest)
    }

    /// Fastest first.
    pub(super) fn latencies(&self) -> Vec<Duration> {
        let mut times: Vec<_> = self.open.iter().map(|probe| probe.elapsed).collect();
        times.sort();
        times
    }
}

impl Rest {
    async fn of(reader: &PacedReader<'_>) -> Self {
        let client = reader.client;
        let dialect = client.dialect();
        let first = reader
            .probe(&orders(client, OrderFilter::All, 1, None))
            .await;
        let cursor = first
            .list
            .as_ref()
            .ok()
            .and_then(|list| list.next_cursor.clone());
        let second = match cursor {
            Some(cursor) => {
                let target = orders(client, OrderFilter::All, 1, Some(cursor));
                Some(reader.probe(&target).await)
            }
            None => None,
        };
        let all = orders(client, OrderFilter::All, PAGE_LIMIT, None);
        let working = orders(client, OrderFilter::Working, PAGE_LIMIT, None);
        let twaps = Route::Twaps(TwapsQuery {
            account_id: Some(account(client)),
        });
        let working = reader.probe(&working).await;
        let history = reader.probe(&all).await;
        let closed = positions(client, PositionSelector::Closed);
        let closed = reader.probe(&closed).await;
        let twaps = reader.probe(&twaps.target(&dialect)).await;
        let nonsense = reader.probe(&format!("{all}&{NONSENSE}=1")).await;
        let prices = reader.prices().await;
        let facts = reader.facts().await;
        let markets = MarketReads::of(client, prices.as_ref()).await;
        Self {
            working,
            history,
            second,
            closed,
            twaps,
            nonsense,
            prices,
            markets,
            facts,
        }
    }

    /// The service refuses unknown parameters, so it knows those it accepts.
    pub(super) fn is_strict(&self) -> bool {
        let refused = self.nonsense.list.as_ref().err();
        refused.is_some_and(|why| why.kind == FailureKind::Invalid)
    }

    /// Every row of every list that could be read.
    pub(super) fn rows(&self) -> Vec<RawRow> {
        [&self.working, &self.history, &self.closed]
            .into_iter()
            .flat_map(RawRow::all)
            .collect()
    }
}

/// Why further requests are pointless. Refusing our spelling does not count: that is what the examination is for.
fn unreachable(probe: &Probe) -> Option<&Failure> {
    let why = probe.list.as_ref().err();
    why.filter(|why| why.kind != FailureKind::Invalid)
}

fn account(client: &Client) -> AccountId {
    client.connection().account_id.clone()
}

fn orders(client: &Client, filter: OrderFilter, limit: u32, cursor: Option<Cursor>) -> String {
    let route = Route::Orders(OrdersQuery {
        account_id: account(client),
        filter,
        limit: Some(limit),
        cursor,
    });
    route.target(&client.dialect())
}

fn positions(client: &Client, selector: PositionSelector) -> String {
    let route = Route::Positions(PositionsQuery {
        account_id: account(client),
        selector,
        limit: Some(PAGE_LIMIT),
        cursor: None,
    });
    route.target(&client.dialect())
}

/// The reads of the desk, which learn the service's spelling. The probes report their errors.
async fn learn(client: &Client) {
    let account = account(client);
    let _open = client.open_positions(&account).await;
    let _closed = client.closed_positions(&account, None).await;
    let _working = client.working_orders(&account).await;
    let _twaps = client.twaps(&account).await;
}
