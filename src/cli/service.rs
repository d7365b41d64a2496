//! The service that a headless verb uses, and its reads with retries.

use super::{
    call_log::CallLog, exit::UsageError, options::options, paths::state_dir, voice::Output,
};
use crate::{
    app::{
        Clocks, Identity, Mode, Profile, Store,
        account::poll::{Answer, Poll},
        core::account::Account as DeskAccount,
    },
    client::{Client, lock::locked},
    config::{Connection, FarEnd, Loaded, SettingOrigin, Settings, Sources, load},
    model::{
        Account, AccountFacts, AccountId, Call, Failure, Market, MarketId, MarketNames, Order,
        Page, Position, ServiceAbout, Timestamp,
    },
    runtime::{AccountAddress, Clock},
};
use color_eyre::Result;
use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{Mutex, MutexGuard},
    time::Duration,
};
use tokio::{
    sync::mpsc::{UnboundedSender, unbounded_channel},
    time::{Instant, sleep, timeout},
};

const NOWHERE: &str = "no service is configured: set base_url and the key (PERPDECK_BASE_URL, PERPDECK_API_KEY, or a settings file), or start a paper exchange with \"perpdeck serve\", which prints both";

/// Attempts per read, so that one lost packet is no failure.
const TRIES: u32 = 3;
const BACKOFF: Duration = Duration::from_millis(250);
/// Quotes that one verb requests.
const MOST_QUOTES: usize = 20;
/// A read that would wait longer than this fails.
const RETRY_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a verb waits to learn the service's clock.
const CLOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// Whether commands are only shown, and which source says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DryRunSource {
    No,
    /// The command line.
    CommandLine,
    /// A file or the environment.
    Set(SettingOrigin),
}

#[derive(Debug)]
pub(super) struct Service {
    pub(super) client: Client,
    /// The one clock of this verb: a wall clock that is set meanwhile lengthens no wait.
    pub(super) clock: Clock,
    pub(super) account: AccountId,
    pub(super) journal_dir: PathBuf,
    pub(super) dry_run: DryRunSource,
    /// How many days settled rows stay in the journal; zero keeps all.
    pub(super) journal_days: u32,
    settings: Box<Settings>,
    /// The other configured accounts, which share the journal.
    pub(super) others: Vec<AccountAddress>,
    /// A proxy variable of the environment, which is not used.
    pub(super) idle_proxy: Option<&'static str>,
    calls: Mutex<CallLog>,
    /// Where its requests are reported, and what the verb says.
    pub(super) voice: Output,
}

/// What a verb reads for the columns, the checks and the forms of a desk.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reading {
    /// The markets, with the prices of these.
    Prices(BTreeSet<MarketId>),
    Positions,
    /// Of the account.
    Figures,
}

/// Reports the requests.
impl Drop for Service {
    fn drop(&mut self) {
        self.tell_requests();
    }
}

impl Service {
    /// The configured service. No request is sent yet, unless its account is to be found.
    pub(super) async fn open(sources: &Sources, voice: Output) -> Result<Self> {
        let (settings, others, dry_run) = {
            let loaded = load(sources)?;
            let others = loaded.accounts().skip(1).filter_map(account_address);
            let (others, dry_run) = (others.collect(), dry_run_source(&loaded));
            (Box::new(loaded.settings), others, dry_run)
        };
        let connection = connection(&settings)?;
        let (sender, calls) = unbounded_channel();
        let clock = Clock::start();
        let connection = with_account(connection, &sender).await?;
        Ok(Self {
            clock,
            account: connection.account_id.clone(),
            client: Client::new(connection, sender, move || clock.now())?,
            journal_dir: state_dir(&settings),
            dry_run,
            journal_days: settings.journal_days,
            others,
            idle_proxy: sources.idle_proxy(),
            calls: Mutex::new(CallLog::new(calls)),
            voice,
            settings,
        })
    }

    /// Whether everything but the sending is done.
    pub(super) fn is_dry_run(&self) -> bool {
        self.dry_run != DryRunSource::No
    }

    /// The number of requests since the last call, and of 429 responses.
    pub(super) fn calls(&self) -> (usize, usize) {
        let calls = self.call_log().take();
        let limited = calls.iter().filter(|call| call.outcome == Ok(429));
        (calls.len(), limited.count())
    }

    /// Reports the requests since the last call, if they are wanted. A verb that runs for days calls it in between.
    pub(super) fn tell_requests(&self) {
        self.voice.requests(self.call_log().take().into_iter());
    }

    fn call_log(&self) -> MutexGuard<'_, CallLog> {
        locked(&self.calls)
    }

    /// The service's clock, from the account's figures, otherwise from the date of an answer. A list is read for one if
    /// nothing was read before.
    pub(super) async fn clocks(&self) -> Clocks {
        // Without an answer the clock stays unknown.
        let has_figures = self.client.is_simulator().await == Ok(true);
        if has_figures && !self.call_log().clocks().knows_figures() {
            let _told = timeout(CLOCK_TIMEOUT, self.figures()).await;
        }
        if self.call_log().is_silent() {
            let read = self.client.working_orders();
            let _told = timeout(CLOCK_TIMEOUT, read).await;
        }
        self.call_log().clocks().clone()
    }

    /// The instant of the service's clock.
    pub(super) async fn now(&self) -> Timestamp {
        let clocks = self.clocks().await;
        let own = Clock::start().now();
        clocks.at(own, own)
    }

    /// What a paper exchange of perpdeck on this machine says of itself; `None` for every other service.
    pub(super) async fn about_paper(&self) -> Option<ServiceAbout> {
        let base_url = &self.client.connection().base_url;
        if !base_url.starts_with("http://") {
            return None;
        }
        let about = self.client.known_about().await.ok()?;
        about.is_paper_at(base_url).then(|| about.clone())
    }

    /// The account as a desk names it, in its files.
    pub(super) fn identity(&self) -> Identity {
        Identity {
            mode: Mode::LiveApi,
            account_id: self.account.clone(),
            base_url: self.client.connection().base_url.clone(),
            profile: Profile::default(),
        }
    }

    /// The account as the checks and the forms of a desk take it, with nothing read yet.
    pub(super) fn desk_account(&self) -> Box<DeskAccount> {
        let account = DeskAccount::new(options(&self.settings), self.clock.now());
        // It is large, and the futures of verbs hold it.
        Box::new(account)
    }

    /// New orders within a second, whoever gives them; 0: no limit.
    pub(super) fn orders_per_second(&self) -> u32 {
        self.settings.checks.orders_per_second
    }

    /// `chal-1 at http://127.0.0.1:8080`.
    pub(super) fn place(&self) -> String {
        format!("{} at {}", self.account, self.client.connection().base_url)
    }

    pub(super) async fn open_positions(&self) -> Result<Page<Position>, Failure> {
        patiently(|| self.client.open_positions()).await
    }

    pub(super) async fn working_orders(&self) -> Result<Page<Order>, Failure> {
        patiently(|| self.client.working_orders()).await
    }

    /// Reads the markets, with the prices of those that `store` holds and of `named`, by id or name; they stay unknown
    /// if it fails.
    pub(super) async fn take_prices(&self, store: &mut Store, named: &[MarketId]) {
        let held = store.positions.rows().iter().map(|row| &row.market_id);
        let working = store.orders.rows().iter().map(|row| &row.market_id);
        let wanted: Vec<_> = held.chain(working).chain(named).cloned().collect();
        let wanted = self.listed_ids(&wanted).await;
        store.arrive(self.read(&Reading::Prices(wanted)).await);
    }

    pub(super) async fn read(&self, reading: &Reading) -> Poll {
        arrived(match reading {
            Reading::Prices(wanted) => {
                Answer::Markets(self.markets(wanted).await.map(|page| page.rows))
            }
            Reading::Positions => Answer::Positions(self.open_positions().await),
            // The figures report a simulator's clock, too.
            Reading::Figures => Answer::Account(patiently(|| self.figures()).await),
        })
    }

    /// Every market, those of `wanted` with prices.
    pub(super) async fn markets(
        &self,
        wanted: &BTreeSet<MarketId>,
    ) -> Result<Page<Market>, Failure> {
        patiently(|| self.client.markets(wanted, MOST_QUOTES)).await
    }

    /// The ids of markets that are named by id, symbol or coin. A simulator prices all of them.
    pub(super) async fn listed_ids(&self, named: &[MarketId]) -> BTreeSet<MarketId> {
        if named.is_empty() || self.client.is_simulator().await != Ok(false) {
            return BTreeSet::new();
        }
        let Ok(listed) = patiently(|| self.client.listed()).await else {
            return BTreeSet::new();
        };
        let mut listing = MarketNames::default();
        listing.list(
            listed
                .rows
                .iter()
                .map(|row| (&row.market_id, &row.symbol, &row.coin)),
        );
        let ids = || listed.rows.iter().map(|row| row.market_id.clone());
        let called = |name: &MarketId| listing.called(name.raw(), ids());
        named.iter().flat_map(called).collect()
    }

    pub(super) async fn take_positions(&self, store: &mut Store) {
        store.arrive(self.read(&Reading::Positions).await);
    }

    /// Reads the account's figures; they stay unknown if it fails.
    pub(super) async fn take_figures(&self, store: &mut Store) {
        store.arrive(self.read(&Reading::Figures).await);
    }

    async fn figures(&self) -> Result<AccountFacts, Failure> {
        let sent = Clock::start().now();
        let facts = self.client.account_facts().await?;
        if let Some(answered_at) = facts.answered_at {
            let now = Clock::start().now();
            self.call_log().clocks().figures(answered_at, sent, now);
        }
        Ok(facts)
    }

    pub(super) async fn take_orders(&self, store: &mut Store) {
        arrive(store, Answer::Orders(self.working_orders().await));
    }
}

fn dry_run_source(loaded: &Loaded) -> DryRunSource {
    match loaded.origin("dry_run") {
        _ if !loaded.settings.dry_run => DryRunSource::No,
        Some(SettingOrigin::Flag(_)) | None => DryRunSource::CommandLine,
        Some(
            by @ (SettingOrigin::Default | SettingOrigin::File(_) | SettingOrigin::Variable(_)),
        ) => DryRunSource::Set(by),
    }
}

/// The service of these settings.
pub(super) fn connection(settings: &Settings) -> Result<Connection> {
    match settings.far_end()? {
        FarEnd::LiveApi(connection) => Ok(*connection),
        FarEnd::Paper => Err(UsageError(NOWHERE.to_owned()).into()),
    }
}

/// The connection as the account of the key, if it has one account. A verb chooses none of several.
async fn with_account(connection: Connection, calls: &UnboundedSender<Call>) -> Result<Connection> {
    if !connection.needs_account() {
        return Ok(connection);
    }
    let found = patiently(|| found_accounts(connection.clone(), calls.clone())).await?;
    let [account] = found.as_slice() else {
        let found: Vec<_> = found.iter().map(ToString::to_string).collect();
        let words = format!(
            "the API key has {} accounts: choose one with --account-id or PERPDECK_ACCOUNT_ID: {}",
            found.len(),
            found.join(", ")
        );
        return Err(UsageError(words).into());
    };
    Ok(Connection {
        account_id: account.id.clone(),
        ..connection
    })
}

/// The accounts of the connection's key, those that are active first.
pub(super) async fn found_accounts(
    connection: Connection,
    calls: UnboundedSender<Call>,
) -> Result<Vec<Account>, Failure> {
    let clock = Clock::start();
    Client::accounts_of(connection, calls, move || clock.now()).await
}

/// A client of one configured account, for reads.
pub(super) async fn client(settings: &Settings) -> Result<Client> {
    let (sender, _calls) = unbounded_channel();
    let clock = Clock::start();
    let connection = with_account(connection(settings)?, &sender).await?;
    Ok(Client::new(connection, sender, move || clock.now())?)
}

/// The account that the settings name.
fn account_address(settings: &Settings) -> Option<AccountAddress> {
    Some(AccountAddress {
        base_url: settings
            .base_url
            .as_deref()?
            .trim_end_matches('/')
            .to_owned(),
        account_id: AccountId::from(settings.account_id.as_deref()?),
    })
}

pub(super) fn arrive(store: &mut Store, answer: Answer) {
    store.arrive(arrived(answer));
}

fn arrived(answer: Answer) -> Poll {
    let at = Clock::start().now();
    Poll { at, answer }
}

/// How long a close or a cancel waits for a read that it can do without.
const SHORT_READ_TIMEOUT: Duration = Duration::from_secs(1);

/// What was read within a second, for a command that must work even if the service answers nothing else.
pub(super) async fn in_time<T>(read: impl Future<Output = T>) -> Option<T> {
    timeout(SHORT_READ_TIMEOUT, read).await.ok()
}

/// Retries temporary failures, never before the service's `Retry-After`, and for at most [`RETRY_TIMEOUT`] in total.
pub(super) async fn patiently<T, F>(mut ask: impl FnMut() -> F) -> Result<T, Failure>
where
    F: Future<Output = Result<T, Failure>>,
{
    let began = Instant::now();
    for tried in 1..TRIES {
        let why = match ask().await {
            Ok(answer) => return Ok(answer),
            Err(why) => why,
        };
        let wait = wait(&why, tried).filter(|wait| began.elapsed() + *wait <= RETRY_TIMEOUT);
        let Some(wait) = wait else {
            return Err(why);
        };
        sleep(wait).await;
    }
    ask().await
}

/// How long until a retry makes sense; `None` if it does not.
fn wait(why: &Failure, tried: u32) -> Option<Duration> {
    let wait = why.retry_after.unwrap_or(BACKOFF * tried);
    (why.is_passing() && wait <= RETRY_TIMEOUT).then_some(wait)
}
