//! The open journal: how it opens, its halts, and what happens when it fails.

use super::{
    Holder, IntentState, JournalError, UsedKey, checksum, file,
    file::OpenedDatabase,
    halt::Halts,
    insert::{KnownKey, NewRow},
    inspection::{self, CheckDepth},
    repair,
    reserved_keys::ReservedKeys,
    transaction::{Database, WriteTransaction},
};
use crate::{
    disk,
    model::{AccountId, IdempotencyKey},
};
use rusqlite::Connection;
use sha2::{Digest as _, Sha256};
use std::{
    fmt::Write as _,
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The open journal; dropping it releases the lock.
#[derive(Debug)]
pub struct Journal {
    pub(super) dir: PathBuf,
    /// `None` if it cannot be opened: the disk is full or the database is damaged.
    pub(super) database: Option<Database>,
    /// Damage that no person has seen yet.
    pub(super) damage: Option<String>,
    pub(super) failed: Option<JournalError>,
    /// Writes that still succeed on a disk that is about to fail.
    #[cfg(test)]
    pub(crate) breaks: Option<u32>,
    /// `None` if the journal is read-only, or if they could not be created.
    pub(super) reserved_keys: Option<ReservedKeys>,
    /// As [`Self::reserved_keys`].
    pub(super) halts: Option<Halts>,
    /// Held open to hold the lock.
    pub(super) lock: Option<File>,
}

/// What a journal opens, and as much again for connections: without a journal exits still leave, without a connection
/// they do not.
const FILES: usize = 16;

impl Journal {
    /// Opens the journal in `dir`, or creates both (mode 0700).
    pub fn open(dir: &Path) -> Result<Self, JournalError> {
        Self::on(dir, file::database)
    }

    pub(super) fn on(
        dir: &Path,
        database: impl FnOnce(&Path) -> Result<OpenedDatabase, JournalError>,
    ) -> Result<Self, JournalError> {
        disk::room_for(FILES).map_err(|why| JournalError::Place {
            path: dir.to_owned(),
            why: Arc::new(why),
        })?;
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
            // Read before the first write, which may fail.
            halts: halts(dir)?,
            lock: Some(lock),
        };
        if let Some(damage) = journal.damage.clone() {
            journal.halts(|halts| halts.halt_everywhere(&damage))?;
        }
        journal.open_reserved_keys(dir);
        Ok(journal)
    }

    /// Opens a journal that another process writes: reads work, writes are refused.
    pub fn open_read_only(dir: &Path) -> Result<Self, JournalError> {
        Self::look(dir, CheckDepth::Newest)
    }

    /// The same, and checks every row: about a second for a large journal.
    pub fn check(dir: &Path) -> Result<Self, JournalError> {
        Self::look(dir, CheckDepth::Whole)
    }

    fn look(dir: &Path, depth: CheckDepth) -> Result<Self, JournalError> {
        let OpenedDatabase { database, damage } = file::readable(dir, depth)?;
        Ok(Self {
            dir: dir.to_owned(),
            database: Some(database),
            damage,
            failed: Some(JournalError::Held(Holder {
                dir: dir.to_owned(),
                process: file::lock_holder(dir).map(|holder| holder.process),
            })),
            #[cfg(test)]
            breaks: None,
            reserved_keys: None,
            halts: None,
            lock: None,
        })
    }

    /// Whether `dir` has a journal.
    pub fn is_there(dir: &Path) -> bool {
        file::is_there(dir)
    }

    /// Why new entries are halted on this account, if they are.
    pub fn halted(&self, base_url: &str, account: &AccountId) -> Option<&str> {
        self.halts.as_ref()?.of(base_url, account)
    }

    /// The same of the journal in `dir`, whoever writes it.
    pub fn halted_in(dir: &Path, base_url: &str, account: &AccountId) -> Option<String> {
        Some(Halts::read_file(dir)?.of(base_url, account)?.to_owned())
    }

    /// Halts the account ([`Self::halted`]), over restarts too. Works on a failed journal.
    pub fn halt(
        &mut self,
        base_url: &str,
        account: &AccountId,
        why: &str,
    ) -> Result<(), JournalError> {
        self.halts(|halts| halts.halt(base_url, account, why))
    }

    /// Ends the halt of an account: a person has seen why.
    pub fn rearm(&mut self, base_url: &str, account: &AccountId) -> Result<(), JournalError> {
        self.halts(|halts| halts.rearm(base_url, account))?;
        self.damage_is_seen()
    }

    /// Ends all halts and returns their reasons.
    pub fn rearm_all(&mut self) -> Result<Vec<String>, JournalError> {
        let reasons = self.halts(Halts::rearm_all)?;
        self.damage_is_seen()?;
        Ok(reasons)
    }

    /// Damage found on the disk, until a person re-arms.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Called when a [`Self::check`] of the open journal found new damage. The journal refuses further writes, and its
    /// next opening checks everything and restores what it can.
    pub fn stop_for_damage(&mut self, found: &str) -> Result<(), JournalError> {
        if self.damage.is_some() {
            return Ok(());
        }
        let forgotten = inspection::forget_checked(self.database()?);
        forgotten.map_err(|why| self.fail(JournalError::Write(Arc::new(why))))?;
        self.damage = Some(found.to_owned());
        Err(self.fail(JournalError::Found(found.to_owned())))
    }

    /// Damage that keeps the journal from opening is reported again once it opens.
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

    /// Marks this process as one that flattens on SIGUSR1. From now on it must handle the signal.
    pub fn announce(&self) {
        // If it fails, the flatten key of this process still works.
        let _unfound = self.lock.as_ref().map(file::announce);
    }

    /// A salted fingerprint of an API key: equal for equal keys, useless to anybody else.
    pub fn fingerprint(&self, secret: &str) -> Result<String, JournalError> {
        let salt = checksum::fact(self.database()?, "salt");
        let salt = salt.map_err(|why| JournalError::Read(Arc::new(why)))?;
        let digest = Sha256::new()
            .chain_update(salt.unwrap_or_default())
            .chain_update(secret.as_bytes())
            .finalize();
        let mut hex = String::new();
        for byte in digest.iter().take(FINGERPRINT_BYTES) {
            // Writing to a string cannot fail.
            let _written = write!(hex, "{byte:02x}");
        }
        Ok(hex)
    }

    /// Records used keys as intents of unknown outcome and replaces them with fresh keys. If this fails, trading goes
    /// on without reserved keys.
    fn open_reserved_keys(&mut self, dir: &Path) {
        let Ok((mut keys, used)) = ReservedKeys::open(dir) else {
            return;
        };
        if self.failed.is_some() {
            // Used keys stay in place until the journal works.
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

    /// Why this journal refuses writes, if it does.
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

    /// Refuses all writes from now on.
    pub(super) fn fail(&mut self, why: JournalError) -> JournalError {
        self.failed = Some(why.clone());
        // If the halt cannot be recorded either, this session still knows it.
        let _unnoted = self.halts(|halts| halts.halt_everywhere(&why.to_string()));
        why
    }
}

/// Opens the halts. A full disk has none recorded; a file that is not ours is an error.
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
