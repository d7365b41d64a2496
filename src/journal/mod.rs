//! What was asked of the service, with which key and which bytes, and what came of it: on disk before
//! the first byte leaves this machine.
//!
//! Contract: [`Journal::record`] returns after the intent is synced (`SQLite`, WAL, `synchronous=FULL`).
//! One process writes, held apart by a lock file that is never deleted; others may [`Journal::open_read_only`]. The
//! API key is in nothing that is stored, only a salted fingerprint of it; bodies and idempotency keys are,
//! so the files are readable by their owner only. After the first failed write the journal stays failed
//! until it is opened again: a commit that failed may be found on disk later, so what follows it could
//! not be trusted; that it failed, or that a desk was halted, is noted beside the database and outlives a
//! restart. On a disk without room the journal opens failed: its halts and spare keys, which need none, are there, and
//! nothing else. A damaged or newer file is refused and left as it is; before an older one is changed,
//! a copy is kept beside it.
//!
//! Known limit: not for network file systems, where neither the lock nor the sync is to be relied on.

mod aside;
mod entry;
mod error;
mod file;
mod halt;
mod inspect;
mod mend;
mod page;
mod prune;
mod ring;
mod schema;
mod seal;
mod settled;
mod spare;
mod unfinished;
mod verdict;
mod wal;
mod window;

pub use aside::asides;
pub use entry::{Claim, Entry, Intent, IntentId, Outcome, Standing, State};
pub use error::JournalError;
pub use file::{Holder, holder};
pub use settled::{Attempt, Settled};
pub use spare::Used;
pub use unfinished::Sender;
pub use window::Window;

use crate::model::{AccountId, Failure, IdempotencyKey, OrderId, Risk, Text, Timestamp};
use file::Opened;
use halt::Halts;
use inspect::Depth;
use page::{Database, Page};
use rusqlite::{Connection, ToSql, named_params, params};
use seal::Identity;
use sha2::{Digest as _, Sha256};
use spare::Spares;
use std::{
    fmt::Write as _,
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// The open journal; dropping it frees the lock.
#[derive(Debug)]
pub struct Journal {
    dir: PathBuf,
    /// `None` where it cannot be opened, for want of room or because it is damaged.
    database: Option<Database>,
    /// What was found damaged, and no person has seen yet.
    damage: Option<String>,
    failed: Option<JournalError>,
    /// Writes that still succeed on a disk that is about to break.
    #[cfg(test)]
    pub(crate) breaks: Option<u32>,
    /// `None` where it is only looked at, or where there is no place for them.
    spares: Option<Spares>,
    /// As [`Self::spares`].
    halts: Option<Halts>,
    /// Holding it open holds the lock.
    lock: Option<File>,
}

impl Journal {
    /// Opens or creates the journal in `dir`, which is created (mode 0700) if it is not there.
    pub fn open(dir: &Path) -> Result<Self, JournalError> {
        Self::on(dir, file::database)
    }

    fn on(
        dir: &Path,
        database: impl FnOnce(&Path) -> Result<Opened, JournalError>,
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
            spares: None,
            // Before the first write, which may fail.
            halts: halts(dir)?,
            lock: Some(lock),
        };
        if let Some(damage) = journal.damage.clone() {
            journal.halts(|halts| halts.halt_everywhere(&damage))?;
        }
        journal.open_spares(dir);
        Ok(journal)
    }

    /// Opens the journal that another process writes: everything can be read, every write is refused.
    pub fn open_read_only(dir: &Path) -> Result<Self, JournalError> {
        Self::look(dir, Depth::Newest)
    }

    /// The same, with every row looked at: of a large journal that takes a second.
    pub fn check(dir: &Path) -> Result<Self, JournalError> {
        Self::look(dir, Depth::Whole)
    }

    fn look(dir: &Path, depth: Depth) -> Result<Self, JournalError> {
        let Opened { database, damage } = file::readable(dir, depth)?;
        Ok(Self {
            dir: dir.to_owned(),
            database: Some(database),
            damage,
            failed: Some(JournalError::Held {
                path: dir.to_owned(),
                holder: file::holder(dir).map(|holder| holder.process),
            }),
            #[cfg(test)]
            breaks: None,
            spares: None,
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
    pub fn heed(&mut self, found: &str) -> Result<(), JournalError> {
        if self.damage.is_some() {
            return Ok(());
        }
        let forgotten = inspect::forget_checked(self.database()?);
        forgotten.map_err(|why| self.fail(JournalError::Write(Arc::new(why))))?;
        self.damage = Some(found.to_owned());
        Err(self.fail(JournalError::Found(found.to_owned())))
    }

    /// One that does not open is said again when it does.
    fn damage_is_seen(&mut self) -> Result<(), JournalError> {
        let (None, Some(database)) = (&self.failed, &self.database) else {
            return Ok(());
        };
        mend::seen(&database.connection)
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
        let salt = seal::fact(self.database()?, "salt");
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

    /// Puts an intent on disk. Until this has returned `Ok`, nothing of it may be sent; from then on it
    /// counts as sent.
    pub fn record(&mut self, now: Timestamp, intent: &Intent) -> Result<IntentId, JournalError> {
        self.refuse_crowd(intent.risk)?;
        let made = self.write(|page| {
            page.insert(
                "INSERT INTO intents (created_at, base_url, account_id, credential, method, target,
                     body, key, risk, command, resource, parent, deadline, replay_until)
                 VALUES (:at, :base_url, :account_id, :credential, :method, :target,
                     :body, :key, :risk, :command, :resource, :parent, :deadline, :replay_until)",
                named_params! {
                    ":at": now.0,
                    ":base_url": intent.base_url,
                    ":account_id": intent.account_id.raw(),
                    ":credential": intent.credential,
                    ":method": intent.method,
                    ":target": intent.target,
                    ":body": intent.body,
                    ":key": intent.key.as_ref().map(IdempotencyKey::raw),
                    ":risk": intent.risk.to_string(),
                    ":command": intent.command,
                    ":resource": intent.resource,
                    ":parent": intent.parent.map(|id| id.0),
                    ":deadline": intent.deadline.0,
                    ":replay_until": intent.replay_until.0,
                },
            )
        })?;
        made.ok_or(JournalError::Stopped)
    }

    /// Of what is open the ring holds so many: one more that it cannot restore must raise no exposure.
    fn refuse_crowd(&self, risk: Risk) -> Result<(), JournalError> {
        let ring = self.database.as_ref().and_then(|open| open.ring.as_ref());
        let is_full = ring.is_some_and(|ring| !ring.has_room());
        if is_full && risk == Risk::Increasing {
            let open = ring::SLOTS;
            return Err(JournalError::Crowded { open });
        }
        Ok(())
    }

    /// [`Self::record`], unless its key was used before: the same key twice at once is one intent.
    pub fn claim(&mut self, now: Timestamp, intent: &Intent) -> Result<Claim, JournalError> {
        let known = match &intent.key {
            Some(key) => self.by_key(key)?,
            None => None,
        };
        match known {
            Some(entry) => Ok(Claim::Known(Box::new(entry))),
            None => self.record(now, intent).map(Claim::New),
        }
    }

    /// Proof has come that no byte of it left: it is as good as never sent.
    pub fn mark_unsent(&mut self, id: IntentId) -> Result<(), JournalError> {
        self.mark(id, State::Prepared)
    }

    /// It is about to be sent: until this has returned `Ok`, nothing of it may be. What is done stays done, whatever a
    /// repetition under its key comes to.
    pub fn mark_inflight(&mut self, id: IntentId) -> Result<(), JournalError> {
        self.mark(id, State::Inflight)
    }

    fn mark(&mut self, id: IntentId, state: State) -> Result<(), JournalError> {
        self.write(|page| {
            page.update(
                "UPDATE intents SET state = ?2, maybe_executed = ?3
                 WHERE id = ?1 AND state <> 'done'",
                params![id.0, state.to_string(), state != State::Prepared],
            )
        })
    }

    /// Notes how one more attempt ended: `why` it did not answer as wished, if so.
    pub fn attempt(
        &mut self,
        now: Timestamp,
        id: IntentId,
        why: Option<&Failure>,
    ) -> Result<(), JournalError> {
        self.write(|page| {
            page.connection().execute(
                "INSERT INTO attempts (intent_id, number, ended_at, status, detail)
                 SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ?4
                 FROM attempts WHERE intent_id = ?1",
                params![
                    id.0,
                    now.0,
                    why.and_then(|why| why.status),
                    why.map(ToString::to_string)
                ],
            )?;
            page.renew(id.0)
        })
    }

    /// Notes where the intent stands. What is open may be told again and again; what is done stays done, and the order it
    /// made stays its order.
    pub fn set_standing(
        &mut self,
        now: Timestamp,
        id: IntentId,
        standing: &Standing,
    ) -> Result<(), JournalError> {
        let proved = matches!(standing.state, State::Rejected | State::Unsent);
        self.write(|page| {
            page.update(
                "UPDATE intents SET state = ?2, told_at = ?3, detail = ?4,
                     order_id = coalesce(?5, order_id), request_id = ?6,
                     maybe_executed = maybe_executed AND NOT ?7
                 WHERE id = ?1 AND (state <> 'done' OR ?2 = 'done')",
                params![
                    id.0,
                    standing.state.to_string(),
                    now.0,
                    standing.detail,
                    standing.order_id.as_ref().map(OrderId::raw),
                    standing.request_id.as_ref().map(Text::raw),
                    proved,
                ],
            )
        })
    }

    /// What was a part of `deed` and is still open is of no consequence any more: reads have shown it flat. Neither is what
    /// was to end or change something on that account before, an older flatten among it: nothing of that is left.
    pub fn abandon_parts(&mut self, now: Timestamp, deed: IntentId) -> Result<(), JournalError> {
        self.write(|page| {
            let moot = format!(
                "UPDATE intents SET state = 'abandoned', told_at = ?2,
                     detail = 'whatever became of it: the account was proved flat'
                 WHERE (parent = ?1
                     OR id < ?1 AND risk <> 'increasing' AND (base_url, account_id) =
                         (SELECT base_url, account_id FROM intents WHERE id = ?1))
                   AND state IN {}",
                State::open_list()
            );
            page.update(&moot, params![deed.0, now.0])
        })
    }

    /// Forgets what was settled more than `keep` before the newest row, so that the journal of a desk that is open for
    /// years does not grow without end: at most so many rows at once, for what is written next waits for it; how many it
    /// was. What is open stays, and what it is a part of, and a key that may still be sent again.
    pub fn prune(
        &mut self,
        now: Timestamp,
        keep: Duration,
        most: u32,
    ) -> Result<usize, JournalError> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        let database = self.database.as_mut().ok_or(JournalError::Stopped)?;
        let pruned = prune::prune(&database.connection, now, keep, most);
        let pruned = pruned.map_err(|why| JournalError::Write(Arc::new(why)));
        let gone = pruned.and_then(|gone| {
            let emptied = database.ring.as_mut().map(|ring| ring.forget(&gone));
            let unnoted = |why| JournalError::Ring(Arc::new(why));
            emptied.unwrap_or(Ok(())).map_err(unnoted)?;
            Ok(gone.len())
        });
        gone.map_err(|why| self.fail(why))
    }

    /// The newest intents, newest first.
    pub fn recent(&self, limit: u32) -> Result<Vec<Entry>, JournalError> {
        entry::select(self.database()?, "", limit)
    }

    /// The newest intents on this account of this service that may have had an effect, or may yet, newest first.
    pub fn recent_on(
        &self,
        (base_url, account_id): (&str, &AccountId),
        limit: u32,
    ) -> Result<Vec<Entry>, JournalError> {
        let on = format!(
            "WHERE i.base_url = ?2 AND i.account_id = ?3 AND (i.maybe_executed OR i.state IN {})",
            State::open_list()
        );
        let values: [&dyn ToSql; 3] = [&limit, &base_url, &account_id.raw()];
        entry::select_by(self.database()?, &on, "i.id DESC", &values)
    }

    /// The newest intents before this one, newest first.
    pub fn recent_before(&self, id: IntentId, limit: u32) -> Result<Vec<Entry>, JournalError> {
        entry::select(self.database()?, &format!("WHERE i.id < {}", id.0), limit)
    }

    /// The intent that was recorded with this key, if one was.
    pub fn by_key(&self, key: &IdempotencyKey) -> Result<Option<Entry>, JournalError> {
        entry::with_key(self.database()?, key)
    }

    /// One intent.
    pub fn entry(&self, id: IntentId) -> Result<Option<Entry>, JournalError> {
        let found = entry::select(self.database()?, &format!("WHERE i.id = {}", id.0), 1)?;
        Ok(found.into_iter().next())
    }

    /// Intents that may still be under way or whose effect is in doubt, newest first.
    pub fn open_intents(&self) -> Result<Vec<Entry>, JournalError> {
        let open = format!("WHERE i.state IN {}", State::open_list());
        entry::select(self.database()?, &open, u32::MAX)
    }

    /// Orders of this service that an intent is already known to have made; two services may use the same ids.
    pub fn linked_orders(&self, base_url: &str) -> Result<Vec<OrderId>, JournalError> {
        let database = self.database()?;
        let read = || -> rusqlite::Result<Vec<OrderId>> {
            database
                .prepare_cached(
                    "SELECT order_id FROM intents WHERE order_id IS NOT NULL
                     AND method = 'POST' AND base_url = ?1 ORDER BY id DESC LIMIT 1000",
                )?
                .query_map([base_url], |row| row.get::<_, String>(0).map(Into::into))?
                .collect()
        };
        read().map_err(|why| JournalError::Read(Arc::new(why)))
    }

    /// Why this journal no longer takes anything, if so.
    pub fn failure(&self) -> Option<&JournalError> {
        self.failed.as_ref()
    }

    fn database(&self) -> Result<&Connection, JournalError> {
        let closed = || self.failed.clone().unwrap_or(JournalError::Stopped);
        let open = self.database.as_ref().ok_or_else(closed)?;
        Ok(&open.connection)
    }

    fn write<T>(
        &mut self,
        write: impl FnOnce(&mut Page<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, JournalError> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        #[cfg(test)]
        let write = |page: &mut Page<'_>| {
            tests::wear_out(&mut self.breaks)?;
            write(page)
        };
        let database = self.database.as_mut().ok_or(JournalError::Stopped)?;
        database.write(write).map_err(|why| self.fail(why))
    }

    /// Takes nothing more from now on.
    fn fail(&mut self, why: JournalError) -> JournalError {
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

#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod tests;
