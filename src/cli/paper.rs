//! The desk's own paper exchange: started beside the first frame, stored between runs with `--data-dir`.

use super::exchange_args::{World, listen};
use crate::{
    app::{Identity, Mode, Options, Profile},
    config::{Connection, Secret, StreamUrls},
    disk,
    exchange::{AccountKey, ClockMode, ExchangeFailure, ExchangeHandle},
    model::{Failure, FailureKind, Timestamp},
    runtime::{OpenAccount, Opened, OtherAccount},
};
use color_eyre::{Result, eyre::Context as _};
use std::{
    env, fs,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    process,
    sync::{Arc, OnceLock},
    thread,
};
use tokio::{net::TcpListener, runtime::Builder, sync::oneshot};
use tokio_util::sync::CancellationToken;

/// A desk on its own paper exchange, and what it must clean up.
#[derive(Debug)]
pub(super) struct Paper {
    world: World,
    journal: PaperJournal,
    exchange: Arc<OnceLock<ExchangeThread>>,
}

/// An exchange and the thread it runs on, which ends when this is dropped.
#[derive(Debug)]
struct ExchangeThread {
    exchange: ExchangeHandle,
    _runs: oneshot::Sender<()>,
}

impl ExchangeThread {
    /// On a thread of its own, so that no step of the market delays a key.
    async fn start<F>(opening: F) -> Result<Self>
    where
        F: Future<Output = Result<ExchangeHandle>> + Send + 'static,
    {
        let (tell, receiver) = oneshot::channel();
        let (runs, ran) = oneshot::channel::<()>();
        thread::Builder::new()
            .name("exchange".into())
            .spawn(move || run_exchange(opening, tell, ran))?;
        let exchange = receiver
            .await
            .wrap_err("the exchange's thread has ended")??;
        Ok(Self {
            exchange,
            _runs: runs,
        })
    }
}

/// Opens the exchange, and runs it until the other end of `ran` is dropped.
fn run_exchange(
    opening: impl Future<Output = Result<ExchangeHandle>>,
    tell: oneshot::Sender<Result<ExchangeHandle>>,
    ran: oneshot::Receiver<()>,
) {
    let runtime = match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        // A desk that has left need not receive it, here and below.
        Err(why) => return drop(tell.send(Err(why.into()))),
    };
    runtime.block_on(async {
        drop(tell.send(opening.await));
        drop(ran.await);
    });
    runtime.shutdown_background();
}

impl Paper {
    pub(super) fn new(world: World) -> Self {
        Self {
            journal: PaperJournal::new(world.data_dir.as_deref()),
            world,
            exchange: Arc::default(),
        }
    }

    /// Starts the exchange on a loopback port beside the first frame; it runs until `stop`. The desk shows all of its
    /// accounts, the others with `options` like the first.
    pub(super) fn open(
        &self,
        start: Timestamp,
        pace: Option<ClockMode>,
        options: Options,
        stop: CancellationToken,
    ) -> impl Future<Output = Result<Opened, Failure>> + Send + use<> {
        let (world, journal_dir) = (self.world.clone(), self.journal.path());
        let running = Arc::clone(&self.exchange);
        async move {
            let thread = ExchangeThread::start(opened(world, start, pace, stop)).await;
            let thread =
                thread.map_err(|why| Failure::new(FailureKind::Unreachable, format!("{why:#}")))?;
            let exchange = &thread.exchange;
            let mut accounts = accounts(exchange, &journal_dir, &options);
            if let Ok(opened) = &mut accounts {
                opened.lost = Some(lost(exchange.failed()));
            }
            // This is the only opening, so there is no exchange yet.
            drop(running.set(thread));
            accounts
        }
    }

    /// Waits until a stored exchange has written its state; one in memory writes nothing.
    pub(super) async fn ended(mut self) {
        let thread = Arc::get_mut(&mut self.exchange).and_then(OnceLock::take);
        if let (Some(thread), Some(_)) = (thread, &self.world.data_dir) {
            let ExchangeThread { exchange, _runs } = thread;
            exchange.stopped().await;
        }
    }
}

/// Reports why the exchange stopped trading.
fn lost(
    failed: impl Future<Output = ExchangeFailure> + Send + 'static,
) -> oneshot::Receiver<String> {
    let (tell, receiver) = oneshot::channel();
    tokio::spawn(async move {
        let why = color_eyre::eyre::Report::new(failed.await);
        let words = format!("{why:#}; restart the desk to trade again");
        // A desk that has left need not receive it.
        drop(tell.send(words));
    });
    receiver
}

async fn opened(
    world: World,
    start: Timestamp,
    pace: Option<ClockMode>,
    stop: CancellationToken,
) -> Result<ExchangeHandle> {
    let Some(dir) = &world.data_dir else {
        let listener = listen((Ipv4Addr::LOCALHOST, 0).into()).await?;
        return world.open(listener, start, pace, stop).await;
    };
    let listener = usual(dir).await?;
    let exchange = world.open(listener, start, pace, stop).await?;
    let port = exchange.addr.port().to_string();
    disk::replace(&dir.join(PORT), port.as_bytes())
        .wrap_err_with(|| format!("{} cannot be written to", dir.display()))?;
    Ok(exchange)
}

/// The file with the last port.
const PORT: &str = "port";

/// The journal identifies a service by its address: a stored exchange listens on its last port, unless another process
/// uses it.
async fn usual(dir: &Path) -> Result<TcpListener> {
    let kept = disk::read_own(&dir.join(PORT)).ok();
    let kept = kept.and_then(|port| String::from_utf8(port).ok());
    let port = kept.and_then(|port| port.trim().parse().ok());
    let usual = (Ipv4Addr::LOCALHOST, port.unwrap_or(0)).into();
    match listen(usual).await {
        Ok(listener) => Ok(listener),
        Err(_) => listen((Ipv4Addr::LOCALHOST, 0).into()).await,
    }
}

fn accounts(exchange: &ExchangeHandle, dir: &Path, options: &Options) -> Result<Opened, Failure> {
    let mut fars = exchange
        .accounts
        .iter()
        .map(|account| far(exchange, account, dir.to_owned()));
    let Some(first) = fars.next() else {
        return Err(Failure::local("the scenario has no account to trade on"));
    };
    let others = fars.map(|far| OtherAccount {
        options: options.clone(),
        far,
    });
    Ok(Opened {
        first,
        others: others.collect(),
        lost: None,
    })
}

fn far(exchange: &ExchangeHandle, account: &AccountKey, journal_dir: PathBuf) -> OpenAccount {
    let base_url = exchange.base_url();
    let key = Secret::from(account.api_key.reveal().to_owned());
    OpenAccount {
        identity: Identity {
            mode: Mode::Paper,
            account_id: account.account_id.clone(),
            base_url: base_url.clone(),
            profile: Profile::default(),
        },
        connection: Connection {
            streams: StreamUrls {
                market: Some(exchange.market_stream_url()),
                account: Some(exchange.account_stream_url()),
            },
            ..Connection::paper(base_url, key, account.account_id.clone())
        },
        journal_dir,
    }
}

/// Where a paper desk keeps its journal: beside a stored exchange. An exchange in memory takes its intents with it, and
/// any number of such desks may run side by side.
#[derive(Debug)]
enum PaperJournal {
    Kept(PathBuf),
    Passing(PathBuf),
}

/// The name prefix of a temporary paper journal's directory.
pub(super) const PAPER_JOURNAL: &str = "perpdeck-paper-";

impl PaperJournal {
    fn new(data_dir: Option<&Path>) -> Self {
        let name = || {
            format!(
                "{PAPER_JOURNAL}{}-{}",
                process::id(),
                uuid::Uuid::new_v4().simple()
            )
        };
        match data_dir {
            Some(dir) => Self::Kept(dir.join("journal")),
            None => Self::Passing(env::temp_dir().join(name())),
        }
    }

    fn path(&self) -> PathBuf {
        match self {
            Self::Kept(path) | Self::Passing(path) => path.clone(),
        }
    }
}

impl Drop for PaperJournal {
    fn drop(&mut self) {
        if let Self::Passing(path) = self {
            // A directory that cannot be removed stays in the temporary directory for the system to clean up.
            drop(fs::remove_dir_all(path));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp(1_790_000_000_000);

    async fn opened_and_ended(data_dir: Option<PathBuf>) -> (String, PathBuf) {
        let stop = CancellationToken::new();
        let paper = Paper::new(World {
            data_dir,
            ..World::default()
        });
        let far = paper
            .open(
                START,
                Some(ClockMode::Paused),
                crate::app::testing::bare_desk().account.options,
                stop.clone(),
            )
            .await
            .unwrap();
        stop.cancel();
        paper.ended().await;
        (far.first.connection.base_url, far.first.journal_dir)
    }

    #[tokio::test]
    async fn a_kept_paper_account_is_found_at_its_address_with_its_journal() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("mine");
        let first = opened_and_ended(Some(dir.clone())).await;
        assert_eq!(first.1, dir.join("journal"));
        assert_eq!(opened_and_ended(Some(dir)).await, first);
    }

    #[tokio::test]
    async fn a_desk_is_told_when_its_own_exchange_has_stopped() {
        let receiver = lost(std::future::ready(ExchangeFailure::Engine))
            .await
            .unwrap();
        assert_eq!(
            receiver,
            "the paper exchange has stopped after an internal error; restart the desk to trade again"
        );
    }

    #[tokio::test]
    async fn two_passing_paper_desks_share_nothing() {
        let (first, second) = (opened_and_ended(None).await, opened_and_ended(None).await);
        assert_ne!(first.1, second.1);
    }
}
