//! What an account's desk keeps for the next session in small files of the state directory: the trader's alerts, the
//! watchlists, and what is known of trades.
//!
//! Contract: each file is written whole or not at all, by a thread of its own, the newest state last. A file that cannot be
//! understood is refused in words and kept under another name; one that cannot be read is left alone, and nothing is
//! written over it in this session. Nothing secret is in them. Several processes change the alerts, each under a lock on
//! the directory; a desk has what others changed within [`LOOK_INTERVAL`].
//! Known limit: of two desks on one account the last writer of notes and watchlists wins.

use crate::{
    app::{
        Identity, Mode, Msg,
        account::trades::TradeLog,
        activity::{
            notice::Tone,
            user_alerts::{AlertEdit, KeptAlerts, KeptState},
        },
    },
    disk,
    runtime::journal::earlier::JournalAccess,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::Duration,
};
use tokio::sync::mpsc::Sender as Inbox;

/// The form of the files that this version writes.
const VERSION: u32 = 1;
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

/// Why a file is of no use.
enum Unusable {
    Unreadable(io::Error),
    Damaged(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeptAccess {
    Writable,
    /// What is there could not be read: it stays as it is.
    LeftAlone,
    /// A dry run changes nothing: a desk that trades may have the file. The first change says so.
    DryRun,
}

impl KeptAccess {
    /// Only a dry run leaves the journal to others.
    pub(super) fn beside(journal_access: &JournalAccess) -> Self {
        match journal_access {
            JournalAccess::Writer(_) => Self::Writable,
            JournalAccess::ReadOnly(_) => Self::DryRun,
        }
    }
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

/// `AccountScope` files these are. The port of a paper exchange of the desk's own changes: its accounts go by their id.
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

fn alerts_file(dir: &Path, name: &str) -> KeptFile {
    KeptFile::new(dir, "alerts", name, "your alerts")
}

fn trades_file(dir: &Path, name: &str) -> KeptFile {
    KeptFile::new(dir, "trades", name, "your notes on trades")
}

/// The alerts that desks on this account keep in `dir`, for a reader that is no desk.
pub fn kept_alerts(dir: &Path, identity: &Identity) -> Result<KeptAlerts, String> {
    loaded(&alerts_file(dir, &name(identity)))
}

/// The alerts of an account while no other process changes them.
#[derive(Debug)]
pub struct LockedAlerts {
    pub kept: KeptAlerts,
    dir: PathBuf,
    file: KeptFile,
    _lock: File,
}

/// The alerts that desks on this account keep in `dir`, to be changed. Waits for a process that changes them.
pub fn change_alerts(dir: &Path, identity: &Identity) -> Result<LockedAlerts, String> {
    let lock = lock(dir);
    let lock = lock.map_err(|why| format!("{} cannot be locked: {why}", dir.display()))?;
    let file = alerts_file(dir, &name(identity));
    Ok(LockedAlerts {
        kept: loaded(&file)?,
        dir: dir.to_owned(),
        file,
        _lock: lock,
    })
}

impl LockedAlerts {
    /// Every desk on this account has them from now on, an open one within [`LOOK_INTERVAL`].
    pub fn save(self) -> io::Result<()> {
        self.file.save(&self.dir, self.kept)
    }
}

/// Waits until no other process changes the alerts in `dir`; none does as long as it is open.
fn lock(dir: &Path) -> io::Result<File> {
    disk::private_dir(dir)?;
    let file = File::open(dir)?;
    file.lock()?;
    Ok(file)
}

/// The notes on trades that desks on this account keep in `dir`.
pub fn kept_trades(dir: &Path, identity: &Identity) -> Result<TradeLog, String> {
    loaded(&trades_file(dir, &name(identity)))
}

fn loaded<T: DeserializeOwned + Default>(file: &KeptFile) -> Result<T, String> {
    let kept = file.load().map_err(|why| {
        let (what, path) = (file.what, file.path.display());
        match why {
            Unusable::Unreadable(why) => format!("{what} in {path} cannot be read: {why}"),
            Unusable::Damaged(why) => format!("{what} in {path} are damaged: {why}"),
        }
    })?;
    Ok(kept.unwrap_or_default())
}

fn serve(
    dir: &Path,
    name: &str,
    access: KeptAccess,
    wanted: &Receiver<KeptState>,
    inbox: &Inbox<Msg>,
) {
    let mut alerts = SharedAlerts {
        file: alerts_file(dir, name),
        known: KeptAlerts::default(),
        bytes: vec![],
    };
    let mut trades = trades_file(dir, name);
    let mut lists = KeptFile::new(dir, "watchlists", name, "your watchlists");
    (alerts.file.access, trades.access) = match access {
        // Notes are written unasked too, as marks are seen: only alerts are worth a word.
        KeptAccess::DryRun => (access, KeptAccess::LeftAlone),
        KeptAccess::Writable | KeptAccess::LeftAlone => (access, access),
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

/// The trader's alerts, which other processes change, too.
#[derive(Debug)]
struct SharedAlerts {
    file: KeptFile,
    /// As they were last read or written here.
    known: KeptAlerts,
    /// The file as it was then.
    bytes: Vec<u8>,
}

impl SharedAlerts {
    /// What earlier sessions and other processes have set.
    fn read(&mut self, inbox: &Inbox<Msg>) -> Option<Box<KeptAlerts>> {
        self.bytes = self.file.bytes();
        self.known = self.file.read(inbox)?;
        Some(Box::new(self.known.clone()))
    }

    /// Whether another process has changed the alerts since, which is said to the desk.
    fn look(&mut self, inbox: &Inbox<Msg>) -> bool {
        let bytes = self.file.bytes();
        if bytes == self.bytes || self.file.access == KeptAccess::LeftAlone {
            return false;
        }
        self.bytes = bytes;
        // What cannot be used is said and kept under another name at the next start.
        let Ok(Some(kept)) = self.file.load() else {
            return false;
        };
        let edit = AlertEdit::between(&self.known, &kept);
        self.known = kept;
        let is_edited = edit.is_some();
        if let Some(edit) = edit {
            say(inbox, Msg::AlertsEdited(edit));
        }
        is_edited
    }

    fn write(&mut self, dir: &Path, kept: KeptAlerts, inbox: &Inbox<Msg>) {
        // Where there is no lock, there is no place to write to either, which the write says.
        let _lock = (self.file.access == KeptAccess::Writable).then(|| lock(dir));
        // The desk answers what another process changed with a state that has both.
        if self.look(inbox) {
            return;
        }
        self.file.write(dir, &kept, inbox);
        if self.file.access == KeptAccess::Writable {
            self.known = kept;
            self.bytes = self.file.bytes();
        }
    }
}

impl KeptFile {
    fn new(dir: &Path, kind: &str, name: &str, what: &'static str) -> Self {
        Self {
            path: dir.join(format!("{kind}-{name}.json")),
            what,
            access: KeptAccess::Writable,
        }
    }

    /// As it is, to be compared; empty if there is none.
    fn bytes(&self) -> Vec<u8> {
        disk::read_own(&self.path).unwrap_or_default()
    }

    /// What it holds; `None` where nothing was kept.
    fn load<T: DeserializeOwned>(&self) -> Result<Option<T>, Unusable> {
        let bytes = match disk::read_own(&self.path) {
            Ok(bytes) => bytes,
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(why) => return Err(Unusable::Unreadable(why)),
        };
        match serde_json::from_slice::<KeptDocument<T>>(&bytes) {
            Ok(document) if document.version == VERSION => Ok(Some(document.kept)),
            Ok(document) => {
                let why = format!("version {} is not known here", document.version);
                Err(Unusable::Damaged(why))
            }
            Err(why) => Err(Unusable::Damaged(why.to_string())),
        }
    }

    fn save<T: Serialize>(&self, dir: &Path, kept: T) -> io::Result<()> {
        let document = KeptDocument {
            version: VERSION,
            kept,
        };
        let bytes = serde_json::to_vec_pretty(&document)?;
        disk::private_dir(dir)?;
        disk::replace(&self.path, &bytes)
    }

    /// `None` where nothing was kept, or it cannot be used, which is said.
    fn read<T: DeserializeOwned>(&mut self, inbox: &Inbox<Msg>) -> Option<T> {
        let loaded = self.load();
        let (what, path) = (self.what, self.path.display());
        let why = match loaded {
            Ok(kept) => return kept,
            Err(Unusable::Unreadable(why)) => {
                self.access = KeptAccess::LeftAlone;
                let words = format!(
                    "{what} in {path} cannot be read: {why}. They are not kept in this session"
                );
                say(inbox, Msg::Notify(Tone::Alert, words));
                return None;
            }
            Err(Unusable::Damaged(why)) if self.access != KeptAccess::Writable => {
                let words = format!("{what} in {path} are damaged ({why}): none of it is in force");
                say(inbox, Msg::Notify(Tone::Alert, words));
                return None;
            }
            Err(Unusable::Damaged(why)) => why,
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
        say(inbox, Msg::Notify(Tone::Alert, words));
        None
    }

    /// The first failure in a row is said.
    fn write<T: Serialize>(&mut self, dir: &Path, kept: T, inbox: &Inbox<Msg>) {
        match self.access {
            KeptAccess::Writable => {}
            KeptAccess::LeftAlone => return,
            KeptAccess::DryRun => {
                self.access = KeptAccess::LeftAlone;
                let words = format!("dry run: {} are not kept for the next session", self.what);
                return say(inbox, Msg::Notify(Tone::Plain, words));
            }
        }
        if let Err(why) = self.save(dir, kept) {
            let (what, path) = (self.what, self.path.display());
            let words = format!("{what} cannot be kept in {path}: {why}");
            say(inbox, Msg::Notify(Tone::Warn, words));
        }
    }
}

fn say(inbox: &Inbox<Msg>, msg: Msg) {
    // A desk that has left need not hear it.
    drop(inbox.blocking_send(msg));
}

#[cfg(test)]
mod tests;
