//! What an account's desk keeps for the next session in small files of the state directory: the trader's alerts, and what
//! is known of trades.
//!
//! Contract: each file is written whole or not at all, by a thread of its own, the newest state last. A file that cannot be
//! understood is refused in words and kept under another name; one that cannot be read is left alone, and nothing is
//! written over it in this session. Nothing secret is in them.
//! Known limit: of two desks on one account the last writer wins.

use crate::{
    app::{
        Identity, Mode, Msg,
        activity::{notice::Tone, user_alerts::KeptState},
    },
    disk,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    io,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};
use tokio::sync::mpsc::Sender as Inbox;

/// The form of the files that this version writes.
const VERSION: u32 = 1;
/// No file system takes much longer names.
const LONGEST_NAME: usize = 120;

/// The way to the thread that writes.
#[derive(Debug)]
pub(super) struct KeptFiles {
    writes: Sender<KeptState>,
}

/// A file as it stands on the disk.
#[derive(Debug, Serialize, Deserialize)]
struct KeptDocument<T> {
    version: u32,
    kept: T,
}

/// One file, and whether it may be written.
#[derive(Debug)]
struct KeptFile {
    path: PathBuf,
    /// What it holds, for a person.
    what: &'static str,
    access: KeptAccess,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeptAccess {
    Writable,
    /// What is there could not be read: it stays as it is.
    LeftAlone,
}

impl KeptFiles {
    /// Reads what earlier sessions kept, beside everything else, and says it to the desk.
    pub(super) fn start(dir: PathBuf, identity: &Identity, inbox: Inbox<Msg>) -> Self {
        let name = name(identity);
        let (writes, wanted) = channel();
        thread::spawn(move || serve(&dir, &name, &wanted, &inbox));
        Self { writes }
    }

    pub(super) fn write(&self, write: KeptState) {
        // The thread lives as long as this end.
        drop(self.writes.send(write));
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

fn serve(dir: &Path, name: &str, wanted: &Receiver<KeptState>, inbox: &Inbox<Msg>) {
    let file = |kind: &str, what| KeptFile {
        path: dir.join(format!("{kind}-{name}.json")),
        what,
        access: KeptAccess::Writable,
    };
    let mut alerts = file("alerts", "your alerts");
    let mut trades = file("trades", "your notes on trades");
    if let Some(kept) = alerts.read(inbox) {
        say(inbox, Msg::Kept(KeptState::Alerts(kept)));
    }
    if let Some(kept) = trades.read(inbox) {
        say(inbox, Msg::Kept(KeptState::Trades(kept)));
    }
    while let Ok(first) = wanted.recv() {
        let (mut newest_alerts, mut newest_trades) = (None, None);
        for write in std::iter::once(first).chain(wanted.try_iter()) {
            match write {
                KeptState::Alerts(kept) => newest_alerts = Some(kept),
                KeptState::Trades(kept) => newest_trades = Some(kept),
            }
        }
        if let Some(kept) = newest_alerts {
            alerts.write(dir, &*kept, inbox);
        }
        if let Some(kept) = newest_trades {
            trades.write(dir, &*kept, inbox);
        }
    }
}

impl KeptFile {
    /// `None` where nothing was kept, or it cannot be used, which is said.
    fn read<T: DeserializeOwned>(&mut self, inbox: &Inbox<Msg>) -> Option<T> {
        let (what, path) = (self.what, self.path.display());
        let bytes = match disk::read_own(&self.path) {
            Ok(bytes) => bytes,
            Err(why) if why.kind() == io::ErrorKind::NotFound => return None,
            Err(why) => {
                self.access = KeptAccess::LeftAlone;
                let words = format!(
                    "{what} in {path} cannot be read: {why}. They are not kept in this session"
                );
                say(inbox, Msg::Said(Tone::Alert, words));
                return None;
            }
        };
        let why = match serde_json::from_slice::<KeptDocument<T>>(&bytes) {
            Ok(document) if document.version == VERSION => return Some(document.kept),
            Ok(document) => format!("version {} is not known here", document.version),
            Err(why) => why.to_string(),
        };
        let words = match disk::set_aside(&self.path) {
            Ok(aside) => format!(
                "{what} in {path} are damaged ({why}): the file is kept as {}, and none of it is in force",
                aside.display()
            ),
            Err(rename) => {
                self.access = KeptAccess::LeftAlone;
                format!("{what} in {path} are damaged ({why}) and stay there: {rename}")
            }
        };
        say(inbox, Msg::Said(Tone::Alert, words));
        None
    }

    /// The first failure in a row is said.
    fn write<T: Serialize>(&mut self, dir: &Path, kept: T, inbox: &Inbox<Msg>) {
        if self.access == KeptAccess::LeftAlone {
            return;
        }
        let document = KeptDocument {
            version: VERSION,
            kept,
        };
        let written = serde_json::to_vec_pretty(&document)
            .map_err(io::Error::from)
            .and_then(|bytes| {
                disk::private_dir(dir)?;
                disk::replace(&self.path, &bytes)
            });
        if let Err(why) = written {
            let (what, path) = (self.what, self.path.display());
            let words = format!("{what} cannot be kept in {path}: {why}");
            say(inbox, Msg::Said(Tone::Warn, words));
        }
    }
}

fn say(inbox: &Inbox<Msg>, msg: Msg) {
    // A desk that has left need not hear it.
    drop(inbox.blocking_send(msg));
}

#[cfg(test)]
mod tests;
