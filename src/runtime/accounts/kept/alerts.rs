//! The trader's alerts, which several processes change: each desk on the account, and the command line.
//!
//! Contract: the file is changed under a lock on its directory. A desk says what others have changed, and writes nothing
//! over what it has not seen.

use super::file::{KeptAccess, KeptDocument, KeptFile, loaded, lock, name, say};
use crate::app::{
    Identity, Msg,
    activity::user_alerts::{AlertEdit, KeptAlerts},
};
use std::{fs::File, io, path::Path};
use tokio::sync::mpsc::Sender as Inbox;

fn alerts_file(dir: &Path, name: &str, access: KeptAccess) -> KeptFile {
    KeptFile::new(dir, "alerts", name, ("your alerts", access))
}

/// The alerts that desks on this account keep in `dir`, for a reader that is no desk.
pub fn kept_alerts(dir: &Path, identity: &Identity) -> Result<KeptAlerts, String> {
    loaded(&alerts_file(dir, &name(identity), KeptAccess::Writable))
}

/// The alerts of an account while no other process changes them.
#[derive(Debug)]
pub struct LockedAlerts {
    pub kept: KeptAlerts,
    file: KeptFile,
    _lock: File,
}

/// The alerts that desks on this account keep in `dir`, to be changed. Waits for a process that
/// changes them, for 10 s at most.
pub fn change_alerts(dir: &Path, identity: &Identity) -> Result<LockedAlerts, String> {
    let lock = lock(dir);
    let lock = lock.map_err(|why| format!("{} cannot be locked: {why}", dir.display()))?;
    let file = alerts_file(dir, &name(identity), KeptAccess::Writable);
    Ok(LockedAlerts {
        kept: loaded(&file)?,
        file,
        _lock: lock,
    })
}

impl LockedAlerts {
    /// Every desk on this account has them from now on, an open one within 2 s.
    pub fn save(self) -> io::Result<()> {
        self.file.save(&self.kept.into())
    }
}

/// The trader's alerts, which other processes change, too.
#[derive(Debug)]
pub(super) struct SharedAlerts {
    file: KeptFile,
    /// As they were last read or written here.
    known: KeptAlerts,
    /// The file as it was then.
    bytes: Vec<u8>,
}

impl SharedAlerts {
    pub(super) fn new(dir: &Path, name: &str, access: KeptAccess) -> Self {
        Self {
            file: alerts_file(dir, name, access),
            known: KeptAlerts::default(),
            bytes: vec![],
        }
    }

    /// What earlier sessions and other processes have set.
    pub(super) fn read(&mut self, inbox: &Inbox<Msg>) -> Option<Box<KeptAlerts>> {
        self.bytes = self.file.bytes();
        self.known = self.file.read(inbox)?.kept;
        Some(Box::new(self.known.clone()))
    }

    /// Whether another process has changed the alerts since, which is said to the desk.
    pub(super) fn look(&mut self, inbox: &Inbox<Msg>) -> bool {
        let bytes = self.file.bytes();
        if bytes == self.bytes || self.file.access == KeptAccess::LeftAlone {
            return false;
        }
        self.bytes = bytes;
        // What cannot be used is said and kept under another name at the next start.
        let Ok(Some(KeptDocument { kept, .. })) = self.file.load() else {
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

    pub(super) fn write(&mut self, kept: KeptAlerts, inbox: &Inbox<Msg>) {
        // Without the lock it is written all the same: a process that is stopped must not take the alerts from this one. Where
        // the lock fails for want of a place, the write says so.
        let _lock = self.file.lock();
        // The desk answers what another process changed with a state that has both.
        if self.look(inbox) {
            return;
        }
        self.file.write(&(&kept).into(), inbox);
        if self.file.access == KeptAccess::Writable {
            self.known = kept;
            self.bytes = self.file.bytes();
        }
    }
}
