//! The open journal: opening it, its halts, and what happens when it fails.

use super::{
    IntentState, JournalError, UsedKey, checksum, file,
    file::OpenedDatabase,
    halt::Halts,
    insert::{KnownKey, NewRow},
    inspection::{self, CheckDepth},
    repair,
    reserved_keys::ReservedKeys,
    transaction::{Database, WriteTransaction},
};
use crate::model::{AccountId, IdempotencyKey};
use rusqlite::Connection;
use sha2::{Digest as _, Sha256};
use std::{
    fmt::Write as _,
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The open journal; dropping it frees the lock.
#[derive(Debug)]
pub struct Journal {
    pub(super) dir: PathBuf,
    /// `None` where it cannot be opened, for want of room or because it is damaged.
    pub(super) database: Option<Database>,
    /// What was found damaged, and no person has seen yet.
    pub(super) damage: Option<String>,
    pub(super) failed: Option<JournalError>,
    /// Writes that still succeed on a disk that is about to break.
    #[cfg(test)]
    pub(crate) breaks: Option<u32>,
    /// `None` where it is only looked at, or where there is no place for them.
    pub(super) reserved_keys: Option<ReservedKeys>,
    /// As [`Self::reserved_keys`].
    pub(super) halts: Option<Halts>,
    /// Holding it open holds the lock.
    pub(super) lock: Option<File>,
}

impl Journal {
    /// Opens or creates the journal in `dir`, which is created (mode 0700) if it is not there.
    pub fn open(dir: &Path) -> Result<Self, JournalError> {
        Self::on(dir, file::database)
    }

    pub(super) fn on(
        dir: &Path,
        database: impl FnOnce(&Path) -> Result<OpenedDatabase, JournalError>,
    ) -> Result<Self, JournalError> {
        let lock = file::lock(dir)?;
        let (database, damage, failed) = match database(dir) {
            Ok(opened) => (Some(opened.database), opened.damage, None),
            Err(why @ JournalError::Full { .. }) => (None, None, Some(why)),
            Err(why @ JournalError::Damaged { .. }) => (None, Some(why.to_string()), Some(why)),
            Err(why) => return Err(why),
        };
        let mut journal = Self {
            dir: dir.to_owned(),
            database,
            damage,
            failed,
            #[cfg(test)]
            breaks: None,
            reserved_keys: None,
            // Before the first write, which may fail.
            halts: halts(dir)?,
            lock: Some(lock),
        };
        if let Some(damage) = journal.damage.clone() {
            journal.halts(|halts| halts.halt_everywhere(&damage))?;
        }
        journal.open_reserved_keys(dir);
        Ok(journal)
    }

    /// Opens the journal that another process writes: everything can be read, every write is refused.
    pub fn open_read_only(dir: &Path) -> Result<Self, JournalError> {
        Self::look(dir, CheckDepth::Newest)
    }

    /// The same, with every row looked at: of a large journal that takes a second.
    pub fn check(dir: &Path) -> Result<Self, JournalError> {
        Self::look(dir, CheckDepth::Whole)
    }

    fn look(dir: &Path, depth: CheckDepth) -> Result<Self, JournalError> {
        let OpenedDatabase { database, damage } = file::readable(dir, depth)?;
        Ok(Self {
            dir: dir.to_owned(),
            database: Some(database),
            damage,
            failed: Some(JournalError::Held {
                path: dir.to_owned(),
                holder: file::lock_holder(dir).map(|holder| holder.process),
            }),
            #[cfg(test)]
            breaks: None,
            reserved_keys: None,
            halts: None,
            lock: None,
        })
    }

    /// Whether one was ever begun in `dir`.
    pub fn is_there(dir: &Path) -> bool {
        file::is_there(dir)
    }

    /// Why exposure may only go down on this account until a person says otherwise, if so.
    pub fn halted(&self, base_url: &str, account: &AccountId) -> Option<&str> {
        self.halts.as_ref()?.of(base_url, account)
    }

    /// From now on [`Self::halted`], over restarts. Works with a journal that has failed.
    pub fn halt(
        &mut self,
        base_url: &str,
        account: &AccountId,
        why: &str,
    ) -> Result<(), JournalError> {
        self.halts(|halts| halts.halt(base_url, account, why))
    }

    /// A person has seen why it was halted.
    pub fn rearm(&mut self, base_url: &str, account: &AccountId) -> Result<(), JournalError> {
        self.halts(|halts| halts.rearm(base_url, account))?;
        self.damage_is_seen()
    }

    /// A person has seen why any account was halted; these are the reasons.
    pub fn rearm_all(&mut self) -> Result<Vec<String>, JournalError> {
        let reasons = self.halts(Halts::rearm_all)?;
        self.damage_is_seen()?;
        Ok(reasons)
    }

    /// What was found damaged on the disk, in words, until a person has re-armed the journal.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// What a [`Self::check`] has found meanwhile, if it is news: nothing more is taken, and the next one who opens the
    /// journal looks at all of it and restores what it can.
    pub fn stop_for_damage(&mut self, found: &str) -> Result<(), JournalError> {
        if self.damage.is_some() {
            return Ok(());
        }
        let forgotten = inspection::forget_checked(self.database()?);
        forgotten.map_err(|why| self.fail(JournalError::Write(Arc::new(why))))?;
        self.damage = Some(found.to_owned());
        Err(self.fail(JournalError::Found(found.to_owned())))
    }

    /// One that does not open is said again when it does.
    fn damage_is_seen(&mut self) -> Result<(), JournalError> {
        let (None, Some(database)) = (&self.failed, &self.database) else {
            return Ok(());
        };
        repair::seen(&database.connection)
            .map_err(|why| self.fail(JournalError::Write(Arc::new(why))))?;
        self.damage = None;
        Ok(())
    }

    fn halts<T>(
        &mut self,
        change: impl FnOnce(&mut Halts) -> io::Result<T>,
    ) -> Result<T, JournalError> {
        let none = || io::Error::other("there is no place for it");
        let changed = self.halts.as_mut().ok_or_else(none).and_then(change);
        changed.map_err(|why| JournalError::Halt(Arc::new(why)))
    }

    /// Lets others find this process to flatten it: from now on it must do so on SIGUSR1.
    pub fn announce(&self) {
        // It can still be flattened by its own key.
        let _unfound = self.lock.as_ref().map(file::announce);
    }

    /// What stands for an API key in the journal: equal for equal keys, and of no use to anybody else.
    pub fn fingerprint(&self, secret: &str) -> Result<String, JournalError> {
        let salt = checksum::fact(self.database()?, "salt");
        let salt = salt.map_err(|why| JournalError::Read(Arc::new(why)))?;
        let digest = Sha256::new()
            .chain_update(salt.unwrap_or_default())
            .chain_update(secret.as_bytes())
            .finalize();
        let mut hex = String::new();
        for byte in digest.iter().take(FINGERPRINT_BYTES) {
            // A string takes every character.
            let _written = write!(hex, "{byte:02x}");
        }
        Ok(hex)
    }

    /// Used keys become intents of unknown outcome, and fresh keys take their places. Without them trading goes on, only
    /// without reserved keys.
    fn open_reserved_keys(&mut self, dir: &Path) {
        let Ok((mut keys, used)) = ReservedKeys::open(dir) else {
            return;
        };
        if self.failed.is_some() {
            // The used ones wait for a journal that works.
            self.reserved_keys = Some(keys);
            return;
        }
        let imported = used.iter().all(|used| self.import_used_key(used).is_ok());
        if imported && keys.refill().is_ok() {
            self.reserved_keys = Some(keys);
        }
    }

    fn import_used_key(&mut self, used: &UsedKey) -> Result<(), JournalError> {
        let intent = used.intent();
        let row = NewRow {
            state: IntentState::Unknown,
            known_key: KnownKey::Skip,
            ..NewRow::inflight(used.at, &intent)
        };
        self.write(|transaction| transaction.insert(&row).map(drop))
    }

    /// A key for a close-all that needs no new disk space, marked as used.
    pub fn take_reserved_key(
        &mut self,
        used: impl FnOnce(IdempotencyKey) -> UsedKey,
    ) -> Option<UsedKey> {
        self.reserved_keys.as_mut()?.take(used)
    }

    /// Why this journal no longer takes anything, if so.
    pub fn failure(&self) -> Option<&JournalError> {
        self.failed.as_ref()
    }

    pub(super) fn database(&self) -> Result<&Connection, JournalError> {
        let closed = || self.failed.clone().unwrap_or(JournalError::Stopped);
        let open = self.database.as_ref().ok_or_else(closed)?;
        Ok(&open.connection)
    }

    pub(super) fn write<T>(
        &mut self,
        write: impl FnOnce(&mut WriteTransaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, JournalError> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        #[cfg(test)]
        let write = |transaction: &mut WriteTransaction<'_>| {
            super::tests::wear_out(&mut self.breaks)?;
            write(transaction)
        };
        let database = self.database.as_mut().ok_or(JournalError::Stopped)?;
        database.write(write).map_err(|why| self.fail(why))
    }

    /// Takes nothing more from now on.
    pub(super) fn fail(&mut self, why: JournalError) -> JournalError {
        self.failed = Some(why.clone());
        // Where even that cannot be noted, this session knows it.
        let _unnoted = self.halts(|halts| halts.halt_everywhere(&why.to_string()));
        why
    }
}

/// Why it is halted. A disk without room has none to note; what is no file of ours could say anything.
fn halts(dir: &Path) -> Result<Option<Halts>, JournalError> {
    match Halts::open(dir) {
        Ok(halts) => Ok(Some(halts)),
        Err(why) if why.kind() == io::ErrorKind::PermissionDenied => Err(JournalError::Place {
            path: dir.to_owned(),
            why: Arc::new(why),
        }),
        Err(_) => Ok(None),
    }
}

const FINGERPRINT_BYTES: usize = 8;
