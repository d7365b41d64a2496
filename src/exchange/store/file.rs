//! The log of a data directory: its lock, how it is opened, appended to and written anew.

use super::{
    fault::{StoreFault, StoreResult},
    record::{Commit, StoreRecord},
    stored::Stored,
};
use crate::disk::{self, LockedLog, Log, LogDamage, LogError, Mark, Reserve};
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

pub(super) const LOG: &str = "exchange.jsonl";
const LOCK: &str = "exchange.lock";
/// The file with the secret that API keys derive from, unless they are fixed. It is written after the log.
pub(super) const SECRET: &str = "exchange.secret";

/// The format of the log and of what is in it. Raised with any change to a type that is stored, or to what one of its
/// fields means: those of the engine's rows, [`EngineInput`](super::super::recorder::EngineInput), the idempotency records and
/// the close-all and cancel-all operations.
pub(super) const FORMAT: &str = "perpdeck exchange 10";
const ANY_FORMAT: &str = "{\"log\":\"perpdeck exchange ";

/// A log is written anew once it is this long and twice as long as what counts of it, in bytes.
const SPARE: u64 = 32 << 20;

/// A log that belongs to this process.
#[derive(Debug)]
pub(super) struct StoreLog {
    log: Log,
    path: PathBuf,
    /// The length at which it is written anew.
    limit: u64,
    /// Held open to hold the lock.
    _claim: File,
}

/// Locks the directory, creates it if missing, and reads the log. Only a torn end is cut off.
pub(super) fn open(dir: &Path) -> StoreResult<(StoreLog, Stored)> {
    let place = |why: io::Error| StoreFault::Place {
        path: dir.to_owned(),
        why,
    };
    disk::private_dir(dir).map_err(place)?;
    let claim = disk::claim(&dir.join(LOCK)).map_err(place)?;
    let claim = claim.ok_or_else(|| StoreFault::Held(dir.to_owned()))?;
    let path = dir.join(LOG);
    refuse_emptied(&path, dir.join(SECRET))?;
    let mut stored = Stored::of(&path);
    let opened = Log::open(&path, FORMAT, &mut |text| stored.take(text));
    let (log, damage) = opened.map_err(|why| refusal(&path, why))?;
    if !damage.is_none() {
        let why = damage.to_string();
        return Err(StoreFault::Damaged { path, why });
    }
    stored.check()?;
    let counts = log.length().saturating_sub(stored.superseded as u64);
    let log = StoreLog {
        log,
        path,
        limit: limit_of(counts),
        _claim: claim,
    };
    Ok((log, stored))
}

fn limit_of(counts: u64) -> u64 {
    2 * counts + SPARE
}

/// Without its log, used keys are forgotten, and their owners have them.
fn refuse_emptied(path: &Path, secret: PathBuf) -> StoreResult<()> {
    let is_filled = |path: &Path| fs::metadata(path).is_ok_and(|found| found.len() > 0);
    if is_filled(path) || !is_filled(&secret) {
        return Ok(());
    }
    let path = path.to_owned();
    Err(StoreFault::Emptied { path, secret })
}

fn refusal(path: &Path, why: LogError) -> StoreFault {
    let path = path.to_owned();
    let LogError::Format(found) = why else {
        return StoreFault::Open { path, why };
    };
    match found.strip_prefix(ANY_FORMAT) {
        Some(found) => StoreFault::Format {
            path,
            found: found.trim_end_matches("\"}").to_owned(),
        },
        None => StoreFault::Foreign { path },
    }
}

/// What another process appended is damage: a directory has one exchange.
fn locked(log: &mut Log) -> Result<LockedLog<'_>, LogError> {
    let mut damage = LogDamage::default();
    let locked = log.lock(&mut |_| damage.strange += 1)?;
    if damage.is_none() {
        return Ok(locked);
    }
    Err(LogError::Damaged(damage))
}

impl StoreLog {
    /// Returns once the changes are on the disk, all or none of them.
    pub(super) fn append(&mut self, changes: Vec<StoreRecord>) -> Result<(), LogError> {
        let line = serde_json::to_string(&Commit { changes }).map_err(io::Error::other)?;
        locked(&mut self.log)?.append(&line, Reserve::Keep, Mark::Written)
    }

    /// Writes the log anew if most of it counts no more; appending waits for it.
    pub(super) fn trim(&mut self) -> Result<(), LogError> {
        self.trim_at(self.limit)
    }

    pub(super) fn trim_at(&mut self, limit: u64) -> Result<(), LogError> {
        if self.log.length() < limit {
            return Ok(());
        }
        let mut stored = Stored::of(&self.path);
        let mut locked = locked(&mut self.log)?;
        let damage = Log::read(&self.path, FORMAT, &mut |text| stored.take(text))?;
        if !damage.is_none() {
            return Err(LogError::Damaged(damage));
        }
        stored.check().map_err(io::Error::other)?;
        let lines: serde_json::Result<Vec<_>> = stored.lines().collect();
        let lines = lines.map_err(io::Error::other)?;
        let rewritten = locked.rewrite(lines);
        drop(locked);
        match rewritten {
            Err(LogError::Full) => tracing::warn!("no room to write the exchange's log anew"),
            written => written?,
        }
        self.limit = limit_of(self.log.length());
        Ok(())
    }
}
