//! What an account's desk keeps for the next session in small files of the state directory: the trader's alerts, the
//! watchlists, and what is known of trades.
//!
//! Contract: each file is written whole or not at all, by a thread of its own, the newest state last. A file that cannot be
//! understood is refused in words and kept under another name; one that cannot be read is left alone, and nothing is
//! written over it in this session. Nothing secret is in them. Several processes change the alerts, each under a lock on
//! the directory; a desk has what others changed, or left when they ended, within
//! [`LOOK_INTERVAL`].
//! Known limit: of two desks on one account the last writer of watchlists wins.

mod alerts;
mod file;
mod trades;

pub use alerts::{LockedAlerts, change_alerts, kept_alerts};
pub use trades::{keep_bracket, kept_trades};

use crate::{
    app::{Identity, Msg, activity::user_alerts::KeptState},
    journal::WriterId,
    runtime::journal::earlier::JournalAccess,
};
use alerts::SharedAlerts;
use file::{KeptAccess, KeptDocument, KeptFile, name, say};
use std::{
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::Duration,
};
use tokio::sync::mpsc::Sender as Inbox;
use trades::SharedTrades;

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
        journal_access: &JournalAccess,
        inbox: Inbox<Msg>,
    ) -> Self {
        let access = KeptAccess::beside(journal_access);
        let own = match journal_access {
            JournalAccess::Writer(journal) => Some(journal.ask(|journal| Ok(journal.writer()))),
            JournalAccess::ReadOnly(_) => None,
        };
        let own = move || own?.blocking_recv().ok()?.ok()?;
        let name = name(identity);
        let (writes, wanted) = channel();
        let (works, ended) = channel::<()>();
        thread::spawn(move || {
            serve(&dir, &name, (access, own), &wanted, &inbox);
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

fn serve(
    dir: &Path,
    name: &str,
    (access, own): (KeptAccess, impl FnOnce() -> Option<WriterId>),
    wanted: &Receiver<KeptState>,
    inbox: &Inbox<Msg>,
) {
    let mut alerts = SharedAlerts::new(dir, name, access);
    let mut lists = KeptFile::new(dir, "watchlists", name, ("your watchlists", access));
    if let Some(kept) = alerts.read(inbox) {
        say(inbox, Msg::Kept(KeptState::Alerts(kept)));
    }
    if let Some(KeptDocument { kept, .. }) = lists.read(inbox) {
        say(inbox, Msg::Kept(KeptState::Watchlists(kept)));
    }
    // Last: the journal may take its time.
    let mut trades = SharedTrades::new(dir, name, access, own());
    if let Some(kept) = trades.read(inbox) {
        say(inbox, Msg::Kept(KeptState::Trades(kept)));
    }
    loop {
        let first = match wanted.recv_timeout(LOOK_INTERVAL) {
            Ok(first) => first,
            Err(RecvTimeoutError::Timeout) => {
                alerts.look(inbox);
                trades.look(inbox);
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
            alerts.write(*kept, inbox);
        }
        if let Some(kept) = newest_trades {
            trades.write(*kept, inbox);
        }
        if let Some(kept) = newest_lists {
            lists.write(&(&*kept).into(), inbox);
        }
    }
}

#[cfg(test)]
mod tests;
