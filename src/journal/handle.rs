//! The open journal: how it opens, its halts, and what happens when it fails.

use super::{
    IntentId, JournalError, WriterId, halt::Halts, record::Record, rows::Rows, writers::Writer,
};
use crate::disk::{self, LockedLog, Log, LogDamage, LogError};
use sha2::{Digest as _, Sha256};
use std::{
    fmt::Write as _,
    io,
    path::{Path, PathBuf},
};
use uuid::Uuid;

const FILE: &str = "journal.jsonl";
const FORMAT: &str = "perpdeck journal 1";

/// The open journal. Nothing is locked between two calls.
#[derive(Debug)]
pub struct Journal {
    pub(super) dir: PathBuf,
    /// `None` if it is read-only, or if the disk is full and there is none yet.
    pub(super) log: Option<Log>,
    /// `None` if there is no room for a log.
    pub(super) rows: Option<Rows>,
    /// `None` as the log is.
    writer: Option<Writer>,
    /// Damage that no person has seen yet, in a log that is only read.
    unseen_damage: Option<String>,
    /// The lowest number that no row had when this process opened it.
    pub(super) opened_at: IntentId,
    pub(super) failed: Option<JournalError>,
    pub(super) halts: Halts,
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
        disk::private_dir(dir).map_err(place)?;
        let mut journal = Self::closed(dir);
        // Before the first write, which may fail.
        if let Err(why) = journal.halts.create()
            && why.kind() == io::ErrorKind::PermissionDenied
        {
            // It is not ours.
            return Err(place(why));
        }
        let mut rows = Rows::new();
        match open(dir, &mut rows).map_err(|why| JournalError::opening(&dir.join(FILE), why)) {
            Ok((log, damage)) => journal.begin(log, rows, &damage)?,
            Err(why @ JournalError::Full { .. }) => journal.failed = Some(why),
            Err(why) => return Err(why),
        }
        if let Some(damage) = journal.damage() {
            let halted = journal.halts.halt_everywhere(damage);
            halted.map_err(|why| journal.halts.error(why))?;
        }
        Ok(journal)
    }

    fn closed(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            log: None,
            rows: None,
            writer: None,
            unseen_damage: None,
            opened_at: IntentId::default(),
            failed: None,
            halts: Halts::of_journal(dir),
        }
    }

    /// Mends a damaged log, begins a new one, and enters this process among the writers: all under one lock, so that
    /// another process that opens it at the same time finds it done.
    fn begin(
        &mut self,
        mut log: Log,
        mut rows: Rows,
        damage: &LogDamage,
    ) -> Result<(), JournalError> {
        refuse_newer(&self.dir, &rows)?;
        let locked = log.lock(&mut |text| rows.take(text));
        let mut locked = locked.map_err(|why| JournalError::opening(&self.dir.join(FILE), why))?;
        refuse_newer(&self.dir, &rows)?;
        rows.reported.clear();
        let writer = Writer::register(&self.dir).map_err(|why| JournalError::place(&self.dir, why));
        let opened = writer.and_then(|writer| {
            self.writer = Some(writer);
            let opened = if locked.is_damaged() {
                mend(&self.dir, &mut locked, &mut rows, damage)
            } else {
                begin_new(&mut locked, &mut rows)
            };
            opened.map_err(|why| JournalError::opening(&self.dir.join(FILE), why))
        });
        let is_damaged = locked.is_damaged();
        drop(locked);
        self.opened_at = IntentId(rows.next);
        (self.log, self.rows) = (Some(log), Some(rows));
        match opened {
            // It works as far as a full disk lets it; a damaged log is mended by the next start.
            Err(why @ JournalError::Full { .. }) if is_damaged || self.writer.is_none() => {
                self.failed = Some(why);
                Ok(())
            }
            Err(JournalError::Full { .. }) => Ok(()),
            opened => opened,
        }
    }

    /// Writes the log anew if `choose` finds that worth while, with the rows as it leaves them.
    pub(super) fn rewrite<T>(
        &mut self,
        choose: impl FnOnce(&mut Rows) -> Option<T>,
    ) -> Result<Option<T>, JournalError> {
        self.under_lock(|locked, rows, _| {
            let chosen = choose(rows);
            if chosen.is_some() {
                rewrite(locked, rows)?;
            }
            Ok(chosen)
        })
    }

    /// Locks the log, takes in what other processes have recorded, and records what `decide` makes of it.
    pub(super) fn update<T>(
        &mut self,
        decide: impl FnOnce(&Rows, WriterId) -> (T, Vec<Record>),
    ) -> Result<T, JournalError> {
        self.under_lock(|locked, rows, own| {
            let (result, records) = decide(rows, own);
            for record in records {
                append(locked, rows, record)?;
            }
            Ok(result)
        })
    }

    /// Reads under the lock, after what other processes have recorded was taken in.
    pub(super) fn look<T>(
        &mut self,
        read: impl FnOnce(&Rows, WriterId) -> T,
    ) -> Result<T, JournalError> {
        self.update(|rows, own| (read(rows, own), vec![]))
    }

    /// Locks the log and takes in what other processes have recorded. What a newer version recorded ends it there: nothing
    /// is decided without it, and it is not written over.
    fn under_lock<T>(
        &mut self,
        act: impl FnOnce(&mut LockedLog<'_>, &mut Rows, WriterId) -> Result<T, LogError>,
    ) -> Result<T, JournalError> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        let (Some(log), Some(rows), Some(writer)) = (&mut self.log, &mut self.rows, &self.writer)
        else {
            return Err(JournalError::Stopped);
        };
        if writer.is_gone() {
            let path = self.dir.join(FILE);
            return Err(self.fail(JournalError::Gone { path }));
        }
        let done = match log.lock(&mut |text| rows.take(text)) {
            Ok(mut locked) => {
                refuse_newer(&self.dir, rows)?;
                act(&mut locked, rows, writer.id)
            }
            Err(why) => Err(why),
        };
        done.map_err(|why| self.refuse(why))
    }

    /// Records this, whatever others have recorded.
    pub(super) fn append(
        &mut self,
        record: impl FnOnce(WriterId) -> Record,
    ) -> Result<(), JournalError> {
        self.update(|_, own| ((), vec![record(own)]))
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
            unseen_damage: (!damage.is_none()).then(words),
            rows: Some(rows),
            failed: Some(JournalError::ReadOnly {
                dir: dir.to_owned(),
            }),
            ..Self::closed(dir)
        })
    }

    /// The lowest number that no row has, as far as this process has read.
    pub fn unread(&self) -> IntentId {
        self.rows
            .as_ref()
            .map_or(IntentId::default(), |rows| IntentId(rows.next))
    }

    /// Whether `dir` has a journal.
    pub fn is_there(dir: &Path) -> bool {
        Log::is_there(&dir.join(FILE))
    }

    /// The halts of this journal.
    pub fn halts(&self) -> &Halts {
        &self.halts
    }

    /// Ends all halts and returns their reasons.
    pub fn rearm_all(&mut self) -> Result<Vec<String>, JournalError> {
        let reasons = self.halts.rearm_all();
        let reasons = reasons.map_err(|why| self.halts.error(why))?;
        self.damage_is_seen()?;
        Ok(reasons)
    }

    /// Damage found on the disk, until a person resumes entries.
    pub fn damage(&self) -> Option<&str> {
        let unseen = || self.rows.as_ref()?.damage.as_deref();
        self.unseen_damage.as_deref().or_else(unseen)
    }

    /// A person has seen why it is halted.
    pub fn damage_is_seen(&mut self) -> Result<(), JournalError> {
        if self.failed.is_some() || self.damage().is_none() {
            return Ok(());
        }
        self.append(|_| Record::Damage(None))
    }

    /// Marks this process as one that flattens on SIGUSR1, from now on.
    pub fn announce(&self) {
        // If it fails, the flatten key of this process still works.
        let _unfound = self.writer.as_ref().map(Writer::announce);
    }

    /// The name under which this process writes.
    pub fn writer(&self) -> Option<WriterId> {
        Some(self.writer.as_ref()?.id)
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
        let _unnoted = self.halts.halt_everywhere(&why.to_string());
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

/// The first record of a new log.
fn begin_new(locked: &mut LockedLog<'_>, rows: &mut Rows) -> Result<(), LogError> {
    if !rows.salt.is_empty() {
        return Ok(());
    }
    let salt = Uuid::new_v4().to_string();
    let begin = Record::Begin { salt, next: 1 };
    append(locked, rows, begin)
}

/// Keeps a copy of a damaged log and writes it anew with what can be read of it.
fn mend(
    dir: &Path,
    locked: &mut LockedLog<'_>,
    rows: &mut Rows,
    damage: &LogDamage,
) -> Result<(), LogError> {
    let path = dir.join(FILE);
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
    rows.lost(damage);
    rows.damage = Some(words);
    if rows.salt.is_empty() {
        rows.salt = Uuid::new_v4().to_string();
    }
    rewrite(locked, rows)
}

fn rewrite(locked: &mut LockedLog<'_>, rows: &mut Rows) -> Result<(), LogError> {
    let lines: serde_json::Result<Vec<_>> = rows.lines().collect();
    locked.rewrite(lines.map_err(io::Error::other)?)?;
    rows.is_rewritten();
    Ok(())
}

fn append(locked: &mut LockedLog<'_>, rows: &mut Rows, record: Record) -> Result<(), LogError> {
    let text = serde_json::to_string(&record).map_err(io::Error::other)?;
    let (reserve, mark) = record.how();
    locked.append(&text, reserve, mark)?;
    rows.apply(record);
    Ok(())
}

const FINGERPRINT_BYTES: usize = 8;
