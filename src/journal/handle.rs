//! The open journal: how it opens, its halts, and what happens when it fails.

use super::{Holder, JournalError, halt::Halts, lock, record::Record, rows::Rows};
use crate::{
    disk::{self, Log, LogDamage, LogError, Mark, Reserve},
    model::AccountId,
};
use sha2::{Digest as _, Sha256};
use std::{
    fmt::Write as _,
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};
use uuid::Uuid;

const FILE: &str = "journal.jsonl";
const FORMAT: &str = "perpdeck journal 1";

/// The open journal; dropping it releases the lock.
#[derive(Debug)]
pub struct Journal {
    pub(super) dir: PathBuf,
    /// `None` if it is read-only, or if the disk is full and there is none yet.
    pub(super) log: Option<Log>,
    /// `None` if there is no room for a log.
    pub(super) rows: Option<Rows>,
    /// Damage that no person has seen yet, in a log that is only read.
    looked: Option<String>,
    pub(super) failed: Option<JournalError>,
    /// Writes that still succeed on a disk that is about to fail.
    #[cfg(test)]
    pub(crate) breaks: Option<u32>,
    /// `None` if the journal is read-only, or if they could not be created.
    pub(super) halts: Option<Halts>,
    /// Held open to hold the lock.
    lock: Option<File>,
}

/// What a journal opens, and as much again for connections: without a journal exits still leave, without a connection
/// they do not.
const FILES: usize = 16;

impl Journal {
    /// Opens the journal in `dir`, or creates both (mode 0700).
    pub fn open(dir: &Path) -> Result<Self, JournalError> {
        Self::on(dir, |dir, rows| {
            Log::open(&dir.join(FILE), FORMAT, &mut |text| rows.take(text))
        })
    }

    pub(super) fn on(
        dir: &Path,
        open: impl FnOnce(&Path, &mut Rows) -> Result<(Log, LogDamage), LogError>,
    ) -> Result<Self, JournalError> {
        let place = |why| JournalError::place(dir, why);
        disk::room_for(FILES).map_err(place)?;
        let mut journal = Self {
            dir: dir.to_owned(),
            lock: Some(lock::lock(dir)?),
            ..Self::closed(dir)
        };
        // Read before the first write, which may fail.
        journal.halts = halts(dir)?;
        let mut rows = Rows::new();
        match open(dir, &mut rows).map_err(|why| JournalError::opening(&dir.join(FILE), why)) {
            Ok((log, damage)) => journal.begin(log, rows, &damage)?,
            Err(why @ JournalError::Full { .. }) => journal.failed = Some(why),
            Err(why) => return Err(why),
        }
        if let Some(damage) = journal.damage().map(str::to_owned) {
            journal.halts(|halts| halts.halt_everywhere(&damage))?;
        }
        Ok(journal)
    }

    fn closed(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            log: None,
            rows: None,
            looked: None,
            failed: None,
            #[cfg(test)]
            breaks: None,
            halts: None,
            lock: None,
        }
    }

    /// Mends a damaged log, and begins a new one.
    fn begin(&mut self, log: Log, rows: Rows, damage: &LogDamage) -> Result<(), JournalError> {
        refuse_newer(&self.dir, &rows)?;
        let is_new = rows.salt.is_empty();
        (self.log, self.rows) = (Some(log), Some(rows));
        let salt = Uuid::new_v4().to_string();
        if !damage.is_none() {
            return self.mend(damage, salt);
        }
        if is_new {
            let begin = Record::Begin { salt, next: 1 };
            match self.append(begin, Reserve::Use, Mark::Synced) {
                // It works as far as a full disk lets it.
                Ok(()) | Err(JournalError::Full { .. }) => {}
                Err(why) => return Err(why),
            }
        }
        Ok(())
    }

    /// Keeps a copy of a damaged log and writes it anew with what can be read of it.
    fn mend(&mut self, damage: &LogDamage, salt: String) -> Result<(), JournalError> {
        let path = self.dir.join(FILE);
        let is_there = path.metadata().is_ok_and(|found| found.len() > 0);
        let copy = match is_there.then(|| disk::copy_aside(&path)) {
            Some(Ok(copy)) => format!("a copy of it is {}", copy.display()),
            Some(Err(why)) => format!("no copy of it could be made ({why})"),
            None => "there is no copy of it".to_owned(),
        };
        let words = format!(
            "the journal was damaged on the disk: {damage}; {copy}. Compare your orders and positions with the service"
        );
        tracing::error!("{words}");
        if let Some(rows) = &mut self.rows {
            rows.doubt();
            rows.damage = Some(words);
            if rows.salt.is_empty() {
                rows.salt = salt;
            }
        }
        match self.rewrite() {
            // The next start finds the damage again.
            Err(JournalError::Full { .. }) => self.failed = Some(JournalError::Full { path }),
            written => written?,
        }
        Ok(())
    }

    /// Writes the log anew, with the rows as they are.
    pub(super) fn rewrite(&mut self) -> Result<(), JournalError> {
        let (Some(log), Some(rows)) = (&mut self.log, &mut self.rows) else {
            return Err(JournalError::Stopped);
        };
        let lines: serde_json::Result<Vec<_>> = rows.lines().collect();
        let lines = lines.map_err(io::Error::other);
        let written = lines.map_err(LogError::from).and_then(|lines| {
            let mut locked = log.lock(&mut |text| rows.take(text))?;
            locked.rewrite(lines)
        });
        match written {
            Ok(()) => {
                rows.is_rewritten();
                Ok(())
            }
            Err(why) => Err(self.refuse(why)),
        }
    }

    /// Opens a journal that another process writes, as it is at this moment; writes are refused.
    pub fn open_read_only(dir: &Path) -> Result<Self, JournalError> {
        let (path, mut rows) = (dir.join(FILE), Rows::new());
        let damage = Log::read(&path, FORMAT, &mut |text| rows.take(text));
        let damage = damage.map_err(|why| JournalError::opening(&path, why))?;
        refuse_newer(dir, &rows)?;
        let words = || {
            format!(
                "the journal is damaged on the disk: {damage}. The next desk keeps a copy of it, goes on with what can be \
                 read, and halts"
            )
        };
        Ok(Self {
            looked: (!damage.is_none()).then(words),
            rows: Some(rows),
            failed: Some(JournalError::Held(Holder {
                dir: dir.to_owned(),
                process: lock::lock_holder(dir).map(|holder| holder.process),
            })),
            ..Self::closed(dir)
        })
    }

    /// Whether `dir` has a journal.
    pub fn is_there(dir: &Path) -> bool {
        Log::is_there(&dir.join(FILE))
    }

    /// Why new entries are halted on this account, if they are.
    pub fn halted(&self, base_url: &str, account: &AccountId) -> Option<&str> {
        self.halts.as_ref()?.of(base_url, account)
    }

    /// The same of the journal in `dir`, whoever writes it.
    pub fn halted_in(dir: &Path, base_url: &str, account: &AccountId) -> Option<String> {
        Some(Halts::read_file(dir)?.of(base_url, account)?.to_owned())
    }

    /// Halts the account ([`Self::halted`]), over restarts too. Works on a failed journal and on a full disk.
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
        let unseen = || self.rows.as_ref()?.damage.as_deref();
        self.looked.as_deref().or_else(unseen)
    }

    fn damage_is_seen(&mut self) -> Result<(), JournalError> {
        if self.failed.is_some() || self.damage().is_none() {
            return Ok(());
        }
        self.append(Record::Damage(None), Reserve::Use, Mark::Written)
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
        let _unfound = self.lock.as_ref().map(lock::announce);
    }

    /// A salted fingerprint of an API key: equal for equal keys, useless to anybody else.
    pub fn fingerprint(&self, secret: &str) -> Result<String, JournalError> {
        let digest = Sha256::new()
            .chain_update(&self.rows()?.salt)
            .chain_update(secret)
            .finalize();
        let mut hex = String::new();
        for byte in digest.iter().take(FINGERPRINT_BYTES) {
            // Writing to a string cannot fail.
            let _written = write!(hex, "{byte:02x}");
        }
        Ok(hex)
    }

    /// Why this journal refuses writes, if it does.
    pub fn failure(&self) -> Option<&JournalError> {
        self.failed.as_ref()
    }

    pub(super) fn rows(&self) -> Result<&Rows, JournalError> {
        let none = || self.failed.clone().unwrap_or(JournalError::Stopped);
        self.rows.as_ref().ok_or_else(none)
    }

    /// What a write came to. After anything but a full disk, which refuses entries alone, nothing more is written.
    pub(super) fn refuse(&mut self, why: LogError) -> JournalError {
        let path = self.dir.join(FILE);
        match why {
            LogError::Full => JournalError::Full { path },
            LogError::Gone(path) => self.fail(JournalError::Gone { path }),
            LogError::Io(_) | LogError::Format(_) | LogError::Damaged(_) | LogError::Failed => {
                self.fail(JournalError::Write(why))
            }
        }
    }

    /// Refuses all writes from now on.
    pub(super) fn fail(&mut self, why: JournalError) -> JournalError {
        self.failed = Some(why.clone());
        // If the halt cannot be recorded either, this session still knows it.
        let _unnoted = self.halts(|halts| halts.halt_everywhere(&why.to_string()));
        why
    }
}

fn refuse_newer(dir: &Path, rows: &Rows) -> Result<(), JournalError> {
    let newer = |found| JournalError::Newer {
        path: dir.join(FILE),
        found,
    };
    rows.unknown.clone().map(newer).map_or(Ok(()), Err)
}

/// Opens the halts. A full disk has none recorded; a file that is not ours is an error.
fn halts(dir: &Path) -> Result<Option<Halts>, JournalError> {
    match Halts::open(dir) {
        Ok(halts) => Ok(Some(halts)),
        Err(why) if why.kind() == io::ErrorKind::PermissionDenied => {
            Err(JournalError::place(dir, why))
        }
        Err(_) => Ok(None),
    }
}

const FINGERPRINT_BYTES: usize = 8;
