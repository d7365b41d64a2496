//! The far end of a desk: a configured service, or a paper exchange started for it.

use super::world::World;
use crate::{
    app::{CloseAllRule, Identity, Mode, Options, keymap::Keymap, poll::Source},
    config::{Connection, Secret, Settings},
    exchange::Pace,
    model::{Failure, FailureKind, Timestamp},
    runtime::{Far, Start},
    ui::Look,
};
use color_eyre::{Result, eyre::Context as _};
use std::{collections::BTreeMap, env, fs, net::Ipv4Addr, path::PathBuf, process};
use tokio_util::sync::CancellationToken;

/// What the settings decide about any desk.
pub(super) fn start(settings: &Settings) -> Result<Start> {
    Ok(Start {
        options: options(settings),
        keymap: keymap(settings)?,
        look: Look::of(
            settings.theme,
            settings.color,
            env::var_os("NO_COLOR").is_some(),
        ),
    })
}

fn options(settings: &Settings) -> Options {
    let poll = settings.poll;
    let intervals = [
        (Source::Positions, poll.positions),
        (Source::Orders, poll.orders),
        (Source::Twaps, poll.twaps),
        (Source::Scaled, poll.scaled),
        (Source::Closed, poll.closed),
        (Source::History, poll.history),
        (Source::Markets, poll.markets),
        (Source::Account, poll.account),
    ];
    Options {
        close_all: if settings.close_all_confirm {
            CloseAllRule::Confirmed
        } else {
            CloseAllRule::After(settings.close_all_delay)
        },
        intervals: BTreeMap::from(intervals),
    }
}

fn keymap(settings: &Settings) -> Result<Keymap> {
    let Some(path) = &settings.keys_file else {
        return Ok(Keymap::default());
    };
    let text = fs::read_to_string(path)
        .wrap_err_with(|| format!("keys_file {} cannot be read", path.display()))?;
    Keymap::with(&[&text]).wrap_err_with(|| format!("keys_file {}", path.display()))
}

/// A configured service, ready at once: nothing is asked of it before the desk is drawn.
pub(super) async fn service(connection: Connection, journal_dir: PathBuf) -> Result<Far, Failure> {
    Ok(Far {
        identity: Identity {
            mode: Mode::LiveApi,
            account_id: connection.account_id.clone(),
            base_url: connection.base_url.clone(),
        },
        connection,
        journal_dir,
    })
}

/// A paper exchange on a free loopback port, started beside the first frame.
pub(super) async fn paper(
    world: World,
    start: Timestamp,
    pace: Pace,
    journal_dir: PathBuf,
    stop: CancellationToken,
) -> Result<Far, Failure> {
    let opened = world
        .open((Ipv4Addr::LOCALHOST, 0).into(), start, pace, stop)
        .await;
    let exchange =
        opened.map_err(|why| Failure::new(FailureKind::Unreachable, format!("{why:#}")))?;
    let Some(account) = exchange.accounts.first() else {
        return Err(Failure::local("the scenario has no account to trade on"));
    };
    let base_url = exchange.base_url();
    let key = Secret::from(account.api_key.reveal().to_owned());
    Ok(Far {
        identity: Identity {
            mode: Mode::Paper,
            account_id: account.account_id.clone(),
            base_url: base_url.clone(),
        },
        connection: Connection::paper(base_url, key, account.account_id.clone()),
        journal_dir,
    })
}

/// Where a paper desk keeps its journal: the exchange ends with the process, so its intents do too, and
/// any number of paper desks may run beside each other.
#[derive(Debug)]
pub(super) struct PaperJournal(PathBuf);

impl PaperJournal {
    pub(super) fn new() -> Self {
        let name = format!(
            "perpdeck-paper-{}-{}",
            process::id(),
            uuid::Uuid::new_v4().simple()
        );
        Self(env::temp_dir().join(name))
    }

    pub(super) fn path(&self) -> PathBuf {
        self.0.clone()
    }
}

impl Drop for PaperJournal {
    fn drop(&mut self) {
        // What cannot be removed is in the temporary directory, for the machine to clear.
        drop(fs::remove_dir_all(&self.0));
    }
}
