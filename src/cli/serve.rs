//! `perpdeck serve`: the paper exchange alone, until it is interrupted.
//!
//! Contract: prints its address, accounts and keys once, and then only serves. Ctrl-C and SIGTERM end it with code 0
//! after the responses in progress; an internal error of the exchange ends it with code 1.

use super::{
    Exit,
    exchange_args::{FIXED_KEYS, World, listen},
    log, out,
    paths::state_dir,
    voice::{Output, ReportFormat},
};
use crate::{
    config::{Sources, load},
    exchange::{AccountKey, ApiKey, ExchangeFailure, ExchangeHandle, KeySource, SimulatorAccess},
};
use color_eyre::{Result, eyre::Context as _};
use serde::Serialize;
use std::{fmt::Write as _, io, net::SocketAddr, sync::Arc};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse()
        .map_err(|_| "write an IP address and a port, as in 127.0.0.1:8080")
}

#[derive(Debug, clap::Args)]
pub(super) struct ServeArgs {
    /// The address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0", value_parser = address)]
    listen: SocketAddr,
    #[command(flatten)]
    world: World,
    /// Serves /v1 alone, as a service does: no clock, no faults, no market history
    #[arg(long)]
    no_sim: bool,
    /// The format [default: table on a terminal, json elsewhere]
    #[arg(long, short, value_enum)]
    output: Option<ReportFormat>,
}

/// The one line of `--output json`.
#[derive(Serialize)]
struct Served<'a> {
    base_url: &'a str,
    market_stream_url: String,
    account_stream_url: String,
    accounts: Vec<ServedAccount<'a>>,
}

#[derive(Serialize)]
struct ServedAccount<'a> {
    account_id: &'a str,
    api_key: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_only_api_key: Option<&'a str>,
}

pub(super) async fn run(args: ServeArgs, sources: &Sources) -> Result<Exit> {
    let settings = load(sources)?.settings;
    let dir = state_dir(&settings);
    log::start(&dir, settings.log_level)
        .wrap_err_with(|| format!("the log in {} cannot be written", dir.display()))?;
    let stop = CancellationToken::new();
    let world = World {
        simulator: if args.no_sim {
            SimulatorAccess::Hidden
        } else {
            SimulatorAccess::Served
        },
        settings: Some(Arc::new(settings)),
        ..args.world
    };
    let exchange = world
        .open(
            listen(args.listen).await?,
            world.start(),
            world.pace(),
            stop.clone(),
        )
        .await?;
    // Whoever reads the address may end it at once.
    let interrupted = interrupted()?;
    out::say(&announcement(&exchange, args.output)?)?;
    if let Some(warning) = warning(args.listen) {
        Output::from_command_line().note(&warning);
    }
    if exchange.key_source == KeySource::Seed {
        Output::from_command_line().note(FIXED_KEYS);
    }
    let exit = watched(interrupted, exchange.failed()).await;
    stop.cancel();
    exchange.stopped().await;
    Ok(exit)
}

/// The warning before others can reach it.
fn warning(listen: SocketAddr) -> Option<String> {
    (!listen.ip().is_loopback()).then(|| {
        format!(
            "listening on {listen}, reachable from other machines: anyone with a key can trade, and keys are sent unencrypted"
        )
    })
}

/// Runs until it is interrupted. If records cannot be written, it reports that at once and answers 503; if the engine
/// has stopped, it ends.
async fn watched(
    interrupted: impl Future<Output = ()>,
    failed: impl Future<Output = ExchangeFailure>,
) -> Exit {
    let mut interrupted = std::pin::pin!(interrupted);
    let why = tokio::select! {
        () = &mut interrupted => return Exit::Ok,
        why = failed => why,
    };
    let serves_on = matches!(why, ExchangeFailure::Store(_));
    let why = color_eyre::eyre::Report::new(why);
    let why = why.wrap_err("the exchange has stopped; start it again");
    let exit = Output::from_command_line().explain(&why);
    if serves_on {
        interrupted.await;
    }
    exit
}

/// Listens from this call on, not only from the first poll of the future.
pub(super) fn interrupted() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

fn announcement(exchange: &ExchangeHandle, output: Option<ReportFormat>) -> Result<String> {
    let base_url = exchange.base_url();
    match output.unwrap_or_else(ReportFormat::usual) {
        ReportFormat::Json => json(&base_url, exchange),
        ReportFormat::Table => Ok(table(&base_url, &exchange.accounts)),
    }
}

fn json(base_url: &str, exchange: &ExchangeHandle) -> Result<String> {
    let served = Served {
        base_url,
        market_stream_url: exchange.market_stream_url(),
        account_stream_url: exchange.account_stream_url(),
        accounts: exchange
            .accounts
            .iter()
            .map(|account| ServedAccount {
                account_id: account.account_id.raw(),
                api_key: account.api_key.reveal(),
                read_only_api_key: account.read_only_api_key.as_ref().map(ApiKey::reveal),
            })
            .collect(),
    };
    Ok(format!("{}\n", serde_json::to_string(&served)?))
}

fn table(base_url: &str, accounts: &[AccountKey]) -> String {
    let mut text = format!(
        "paper exchange on {base_url}\n\n{:<12} api_key\n",
        "account_id"
    );
    for account in accounts {
        let read_only = account
            .read_only_api_key
            .iter()
            .map(|key| (key, " (read-only)"));
        for (key, scope) in [(&account.api_key, "")].into_iter().chain(read_only) {
            let line = writeln!(text, "{:<12} {}{scope}", account.account_id, key.reveal());
            debug_assert!(line.is_ok(), "a string takes every line");
        }
    }
    if let Some(first) = accounts.first() {
        let _ = write!(
            text,
            "\nA desk for it, in another terminal:\n\n  export PERPDECK_BASE_URL={base_url}\n  \
             export PERPDECK_ACCOUNT_ID={}\n  export PERPDECK_API_KEY={}\n  perpdeck\n\n\
             Ctrl-C ends the exchange.\n",
            first.account_id,
            first.api_key.reveal()
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_exchange_whose_engine_has_stopped_ends_by_itself_and_says_that_it_failed() {
        let failed = std::future::ready(ExchangeFailure::Engine);
        let ended = watched(std::future::pending(), failed).await;
        assert_eq!(ended, Exit::Failed);
    }

    #[test]
    fn who_listens_beyond_this_machine_is_told_what_that_means() {
        let warned = |listen: &str| warning(listen.parse().unwrap());
        assert_eq!(warned("127.0.0.1:8080"), None);
        assert_eq!(warned("[::1]:0"), None);
        for beyond in ["0.0.0.0:8080", "192.168.0.7:8080", "[::]:8080"] {
            let said = warned(beyond).unwrap();
            assert!(said.contains(beyond), "{said}");
            assert!(said.contains("anyone with a key can trade"));
        }
    }
}
