//! One kept file: JSON with a version, written whole or not at all.

use crate::{
    app::{Identity, Mode, Msg, account::trades::ProcessLog, activity::notice::Tone},
    disk,
    journal::WriterId,
    runtime::journal::earlier::JournalAccess,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    collections::BTreeMap,
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::mpsc::channel,
    thread,
    time::Duration,
};
use tokio::sync::mpsc::Sender as Inbox;

/// The form of the files that this version writes.
const VERSION: u32 = 1;
/// How long a change waits for those of other processes, which take milliseconds.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
/// No file system takes much longer names.
const LONGEST_NAME: usize = 120;

/// A file as it stands on the disk.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptDocument<T> {
    version: u32,
    pub(super) kept: T,
    /// What depends on each process.
    #[serde(
        rename = "brackets",
        default,
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub(super) processes: BTreeMap<WriterId, ProcessLog>,
}

impl<T> From<T> for KeptDocument<T> {
    fn from(kept: T) -> Self {
        Self {
            version: VERSION,
            kept,
            processes: BTreeMap::new(),
        }
    }
}

/// One file, and whether it may be written.
#[derive(Debug)]
pub(super) struct KeptFile {
    pub(super) dir: PathBuf,
    pub(super) path: PathBuf,
    /// What it holds, for a person.
    what: &'static str,
    pub(super) access: KeptAccess,
}

/// Why a file is of no use.
pub(super) enum Unusable {
    Unreadable(io::Error),
    Damaged(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::runtime::accounts) enum KeptAccess {
    Writable,
    /// What is there could not be read: it stays as it is.
    LeftAlone,
    /// A dry run changes nothing: a desk that trades may have the file. The first change says so.
    DryRun,
}

impl KeptAccess {
    /// Only a dry run leaves the journal to others.
    pub(in crate::runtime::accounts) fn beside(journal_access: &JournalAccess) -> Self {
        match journal_access {
            JournalAccess::Writer(_) => Self::Writable,
            JournalAccess::ReadOnly(_) => Self::DryRun,
        }
    }
}

pub(super) fn loaded<T: DeserializeOwned + Default>(file: &KeptFile) -> Result<T, String> {
    let kept = file.load().map_err(|why| {
        let (what, path) = (file.what, file.path.display());
        match why {
            Unusable::Unreadable(why) => format!("{what} in {path} cannot be read: {why}"),
            Unusable::Damaged(why) => format!("{what} in {path} are damaged: {why}"),
        }
    })?;
    Ok(kept.map(|document| document.kept).unwrap_or_default())
}

impl KeptFile {
    pub(super) fn new(
        dir: &Path,
        kind: &str,
        name: &str,
        (what, access): (&'static str, KeptAccess),
    ) -> Self {
        Self {
            dir: dir.to_owned(),
            path: dir.join(format!("{kind}-{name}.json")),
            what,
            access,
        }
    }

    /// Waits for other processes that change it, if this one may.
    pub(super) fn lock(&self) -> Option<io::Result<File>> {
        (self.access == KeptAccess::Writable).then(|| lock(&self.dir))
    }

    /// As it is, to be compared; empty if there is none.
    pub(super) fn bytes(&self) -> Vec<u8> {
        disk::read_own(&self.path).unwrap_or_default()
    }

    /// What it holds; `None` where nothing was kept.
    pub(super) fn load<T: DeserializeOwned>(&self) -> Result<Option<KeptDocument<T>>, Unusable> {
        let bytes = match disk::read_own(&self.path) {
            Ok(bytes) => bytes,
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(why) => return Err(Unusable::Unreadable(why)),
        };
        match serde_json::from_slice::<KeptDocument<T>>(&bytes) {
            Ok(document) if document.version == VERSION => Ok(Some(document)),
            Ok(document) => {
                let why = format!("version {} is not known here", document.version);
                Err(Unusable::Damaged(why))
            }
            Err(why) => Err(Unusable::Damaged(why.to_string())),
        }
    }

    pub(super) fn save<T: Serialize>(&self, document: &KeptDocument<T>) -> io::Result<()> {
        let bytes = serde_json::to_vec_pretty(document)?;
        disk::private_dir(&self.dir)?;
        disk::replace(&self.path, &bytes)
    }

    /// `None` where nothing was kept, or it cannot be used, which is said.
    pub(super) fn read<T: DeserializeOwned>(
        &mut self,
        inbox: &Inbox<Msg>,
    ) -> Option<KeptDocument<T>> {
        let loaded = self.load();
        let (what, path) = (self.what, self.path.display());
        let why = match loaded {
            Ok(document) => return document,
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
    pub(super) fn write<T: Serialize>(&mut self, document: &KeptDocument<T>, inbox: &Inbox<Msg>) {
        match self.access {
            KeptAccess::Writable => {}
            KeptAccess::LeftAlone => return,
            KeptAccess::DryRun => {
                self.access = KeptAccess::LeftAlone;
                let words = format!("dry run: {} are not kept for the next session", self.what);
                return say(inbox, Msg::Notify(Tone::Plain, words));
            }
        }
        if let Err(why) = self.save(document) {
            let (what, path) = (self.what, self.path.display());
            let words = format!("{what} cannot be kept in {path}: {why}");
            say(inbox, Msg::Notify(Tone::Warn, words));
        }
    }
}

/// Waits until no other process changes what several share in `dir`; none does as long as it is open.
pub(super) fn lock(dir: &Path) -> io::Result<File> {
    lock_within(dir, LOCK_TIMEOUT)
}

/// A process that is stopped in the middle of a change keeps its lock until it goes on.
pub(super) fn lock_within(dir: &Path, timeout: Duration) -> io::Result<File> {
    disk::private_dir(dir)?;
    let file = File::open(dir)?;
    let (locked, lock) = channel();
    thread::spawn(move || {
        // Where nobody waits any more, the lock is given back.
        let _late = locked.send(file.lock().map(|()| file));
    });
    let held = || {
        let words = "another perpdeck has been changing files there for some time (is it stopped?)";
        Err(io::Error::new(io::ErrorKind::TimedOut, words))
    };
    lock.recv_timeout(timeout).unwrap_or_else(|_| held())
}

pub(super) fn say(inbox: &Inbox<Msg>, msg: Msg) {
    // A desk that has left need not receive it.
    drop(inbox.blocking_send(msg));
}

/// Whose files these are. The port of a paper exchange of the desk's own changes: its accounts go by their id.
pub(super) fn name(identity: &Identity) -> String {
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
