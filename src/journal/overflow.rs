//! Journals beside the journal: of what closed or canceled while another process had it.
//!
//! Contract: [`Journal::import_overflow`] moves what is open in them, and why they were halted, into the journal itself,
//! where it is found out like anything else that an earlier session left open. A row is in the journal before it is
//! settled beside it, and goes there under its key: dying between the two takes nothing in twice that would be done
//! twice. One that another process has is left to it. What was sent with a key that is not known here stays where it is,
//! for whoever has that key: only with both can it be told whose it is.

use super::{
    IntentId, IntentRow, IntentState, Journal, JournalError, StateUpdate,
    halt::Halts,
    insert::{KnownKey, NewRow},
};
use crate::model::{AccountId, IdempotencyKey, Timestamp};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

const DIR: &str = "aside";
/// So many exits cannot wait for each other.
const MOST: u32 = 8;

/// Where the journals beside the one in `dir` are, the first to be used first.
pub fn overflow_dirs(dir: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let beside = dir.join(DIR);
    (1..=MOST).map(move |number| beside.join(number.to_string()))
}

/// One of them, or why it does not open.
type OverflowJournal = (PathBuf, Result<Journal, JournalError>);

impl Journal {
    /// Opens the first journal beside the one in `dir` that nobody has and that works, or says why the first that nobody
    /// has does not open; `None` when every one is in use.
    pub fn open_overflow(dir: &Path) -> Option<OverflowJournal> {
        let mut broken = None;
        for dir in overflow_dirs(dir) {
            match Self::open(&dir) {
                Err(JournalError::Held { .. }) => {}
                Err(why)
                | Ok(Self {
                    failed: Some(why @ JournalError::Damaged { .. }),
                    ..
                }) => broken = broken.or(Some((dir, Err(why)))),
                Ok(journal) => return Some((dir, Ok(journal))),
            }
        }
        broken
    }

    /// Why `beside` is halted, this one is from now on in its place.
    pub fn take_halts_from(&mut self, beside: &mut Self) {
        if let (Some(here), Some(there)) = (&mut self.halts, &mut beside.halts) {
            // As it was halted beside it, should this fail: the next desk looks again.
            let _kept = here.take_over(there);
        }
    }

    /// Why this account was halted beside this journal since it was opened, if it was: what this process was stopped in
    /// the middle of must not go out after a flatten that went beside it. From then on this journal says so itself.
    pub fn take_overflow_halt(&mut self, base_url: &str, account: &AccountId) -> Option<String> {
        let mut why = None;
        for dir in overflow_dirs(&self.dir) {
            let Some(halts) = Halts::look(&dir) else {
                continue;
            };
            let Some(found) = halts.of(base_url, account) else {
                continue;
            };
            why = Some(found.to_owned());
            // Whoever has it is not done: it is looked at again at the next order.
            if let Ok(mut beside) = Self::open(&dir) {
                self.take_halts_from(&mut beside);
            }
        }
        why
    }

    /// What stays beside it although nobody has it, and why; `secrets` are the API keys of this session.
    pub fn import_overflow(
        &mut self,
        now: Timestamp,
        secrets: &[&str],
    ) -> Result<Vec<JournalError>, JournalError> {
        let mut left = vec![];
        // Opening makes what is not there.
        for dir in overflow_dirs(&self.dir).filter(|dir| dir.is_dir()) {
            let taken =
                Self::open(&dir).and_then(|mut beside| self.import_from(&mut beside, now, secrets));
            match taken {
                Ok(()) | Err(JournalError::Held { .. }) => {}
                Err(why) if self.failed.is_some() => return Err(why),
                Err(why) => left.push(why),
            }
        }
        Ok(left)
    }

    fn import_from(
        &mut self,
        beside: &mut Self,
        now: Timestamp,
        secrets: &[&str],
    ) -> Result<(), JournalError> {
        let mut open = beside.open_intents()?;
        open.reverse();
        let prints = secrets
            .iter()
            .map(|secret| Ok((beside.fingerprint(secret)?, self.fingerprint(secret)?)));
        let prints = prints.collect::<Result<BTreeMap<_, _>, JournalError>>()?;
        let is_known = |entry: &IntentRow| {
            entry.intent.credential.is_empty() || prints.contains_key(&entry.intent.credential)
        };
        let (known, strange): (Vec<_>, Vec<_>) = open.into_iter().partition(is_known);
        let mut here = BTreeMap::new();
        for mut entry in known {
            // Each journal has a salt of its own.
            if let Some(here) = prints.get(&entry.intent.credential) {
                entry.intent.credential.clone_from(here);
            }
            entry.intent.parent = match entry.intent.parent {
                Some(parent) => self.deed(parent, beside, &mut here)?,
                None => None,
            };
            here.insert(entry.id, self.adopt(&entry)?);
            let moved =
                StateUpdate::new(IntentState::Abandoned, "goes on in the journal of the desk");
            beside.record_state(now, entry.id, &moved)?;
        }
        self.take_halts_from(beside);
        if strange.is_empty() {
            return Ok(());
        }
        Err(JournalError::Strange {
            path: beside.dir.clone(),
            rows: strange.len(),
        })
    }

    /// What a row is a part of, under its number here. One that is over comes along, so that its part can be told apart
    /// from what was asked for by itself.
    fn deed(
        &mut self,
        parent: IntentId,
        beside: &Self,
        here: &mut BTreeMap<IntentId, IntentId>,
    ) -> Result<Option<IntentId>, JournalError> {
        if let Some(known) = here.get(&parent) {
            return Ok(Some(*known));
        }
        let Some(deed) = beside.entry(parent)? else {
            return Ok(None);
        };
        let adopted = self.adopt(&deed)?;
        here.insert(parent, adopted);
        Ok(Some(adopted))
    }

    /// The row of another journal, as it stands; under a key that is known here it is the row that is here.
    fn adopt(&mut self, entry: &IntentRow) -> Result<IntentId, JournalError> {
        let row = NewRow {
            state: entry.state,
            maybe_executed: entry.maybe_executed,
            outcome: entry.outcome.as_ref(),
            known_key: KnownKey::Skip,
            ..NewRow::inflight(entry.created_at, &entry.intent)
        };
        self.write(|transaction| {
            if let Some(id) = transaction.insert(&row)? {
                return Ok(id);
            }
            let key = entry.intent.key.as_ref().map(IdempotencyKey::raw);
            let known = "SELECT id FROM intents WHERE key = ?1";
            transaction
                .connection()
                .query_row(known, [key], |row| row.get(0).map(IntentId))
        })
    }
}
