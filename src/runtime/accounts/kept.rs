//! What an account's desk keeps for the next session in small files of the state directory: the trader's alerts, the
//! watchlists, and what is known of trades.
//!
//! Contract: each file is written whole or not at all, by a thread of its own, the newest state last. A file that cannot be
//! understood is refused in words and kept under another name; one that cannot be read is left alone, and nothing is
//! written over it in this session. Nothing secret is in them. Several processes change the alerts, each under a lock on
//! the directory; a desk has what others changed within [`LOOK_INTERVAL`].
//! Known limit: of two desks on one account the last writer of notes and watchlists wins.

mod alerts;
mod file;

pub use alerts::{LockedAlerts, change_alerts, kept_alerts};
pub(super) use file::KeptAccess;

use crate::app::{
    Identity, Mode, Msg, account::trades::TradeLog, activity::user_alerts::KeptState,
};
use alerts::SharedAlerts;
use file::{KeptFile, loaded, say};
use std::{
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::Duration,
};
use tokio::sync::mpsc::Sender as Inbox;

/// No file system takes much longer names.
const LONGEST_NAME: usize = 120;

/// How often a desk looks whether another process has changed the alerts.
pub(crate) const LOOK_INTERVAL: Duration = Duration::from_secs(2);

/// How long a desk that exits waits for the last write.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// The way to the thread that writes; dropped, it waits for the thread.
#[derive(Debug)]
pub(super) struct KeptFiles {
    /// `None` when it is dropped.
    writes: Option<Sender<KeptState>>,
    ended: Receiver<()>,
}

impl KeptFiles {
    /// Reads what earlier sessions kept, beside everything else, and says it to the desk.
    pub(super) fn start(
        dir: PathBuf,
        identity: &Identity,
        access: KeptAccess,
        inbox: Inbox<Msg>,
    ) -> Self {
        let name = name(identity);
        let (writes, wanted) = channel();
        let (works, ended) = channel::<()>();
        thread::spawn(move || {
            serve(&dir, &name, access, &wanted, &inbox);
            drop(works);
        });
        Self {
            writes: Some(writes),
            ended,
        }
    }

    pub(super) fn write(&self, write: KeptState) {
        if let Some(writes) = &self.writes {
            // The thread lives as long as this end.
            drop(writes.send(write));
        }
    }
}

impl Drop for KeptFiles {
    fn drop(&mut self) {
        drop(self.writes.take());
        // Nothing is ever sent: the wait ends when the thread does.
        let _late = self.ended.recv_timeout(EXIT_TIMEOUT);
    }
}

/// Whose files these are. The port of a paper exchange of the desk's own changes: its accounts go by their id.
fn name(identity: &Identity) -> String {
    let service = match identity.mode {
        Mode::Paper => "paper",
        Mode::LiveApi => identity.base_url.as_str(),
    };
    let service = service.trim_start_matches("https://");
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "-.".contains(c) {
            c
        } else {
            '_'
        }
    };
    let whole = format!("{service}-{}", identity.account_id.raw());
    whole.chars().map(plain).take(LONGEST_NAME).collect()
}

fn trades_file(dir: &Path, name: &str) -> KeptFile {
    KeptFile::new(dir, "trades", name, "your notes on trades")
}

/// The notes on trades that desks on this account keep in `dir`.
pub fn kept_trades(dir: &Path, identity: &Identity) -> Result<TradeLog, String> {
    loaded(&trades_file(dir, &name(identity)))
}

fn serve(
    dir: &Path,
    name: &str,
    access: KeptAccess,
    wanted: &Receiver<KeptState>,
    inbox: &Inbox<Msg>,
) {
    let mut alerts = SharedAlerts::new(dir, name, access);
    let mut trades = trades_file(dir, name);
    let mut lists = KeptFile::new(dir, "watchlists", name, "your watchlists");
    trades.access = match access {
        // Notes are written unasked too, as marks are seen: only alerts are worth a word.
        KeptAccess::DryRun => KeptAccess::LeftAlone,
        KeptAccess::Writable | KeptAccess::LeftAlone => access,
    };
    lists.access = access;
    if let Some(kept) = alerts.read(inbox) {
        say(inbox, Msg::Kept(KeptState::Alerts(kept)));
    }
    if let Some(kept) = trades.read(inbox) {
        say(inbox, Msg::Kept(KeptState::Trades(kept)));
    }
    if let Some(kept) = lists.read(inbox) {
        say(inbox, Msg::Kept(KeptState::Watchlists(kept)));
    }
    loop {
        let first = match wanted.recv_timeout(LOOK_INTERVAL) {
            Ok(first) => first,
            Err(RecvTimeoutError::Timeout) => {
                alerts.look(inbox);
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let (mut newest_alerts, mut newest_trades, mut newest_lists) = (None, None, None);
        for write in std::iter::once(first).chain(wanted.try_iter()) {
            match write {
                KeptState::Alerts(kept) => newest_alerts = Some(kept),
                KeptState::Trades(kept) => newest_trades = Some(kept),
                KeptState::Watchlists(kept) => newest_lists = Some(kept),
            }
        }
        if let Some(kept) = newest_alerts {
            alerts.write(dir, *kept, inbox);
        }
        if let Some(kept) = newest_trades {
            trades.write(dir, &*kept, inbox);
        }
        if let Some(kept) = newest_lists {
            lists.write(dir, &*kept, inbox);
        }
    }
}

#[cfg(test)]
mod tests;
