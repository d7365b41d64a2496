//! Overflow journals: closes and cancels that were sent while another process held the journal.
//!
//! Contract: [`Journal::import_overflow`] moves their open rows and halts into the journal, where recovery handles
//! them. A row is recorded in the journal under its key before it is settled in the overflow journal, so a crash
//! between the two imports nothing twice. An overflow journal that another process holds is skipped. A row that was
//! sent with an unknown API key stays where it is: without the key, nobody can tell whose it is.

use super::{IntentId, IntentRow, IntentState, Journal, JournalError, StateUpdate, halt::Halts};
use crate::model::{AccountId, Timestamp};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

const DIR: &str = "aside";
/// The most overflow journals: more closes cannot be waiting at once.
const MOST_OVERFLOW_JOURNALS: u32 = 8;

/// The directories of the overflow journals of `dir`, in the order of use.
pub fn overflow_dirs(dir: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let overflow = dir.join(DIR);
    (1..=MOST_OVERFLOW_JOURNALS).map(move |number| overflow.join(number.to_string()))
}

/// An overflow journal, or why it does not open.
type OverflowJournal = (PathBuf, Result<Journal, JournalError>);

impl Journal {
    /// Opens the first free overflow journal that works, or returns why the first free one does not open; `None` if all
    /// are in use.
    pub fn open_overflow(dir: &Path) -> Option<OverflowJournal> {
        let mut broken = None;
        for dir in overflow_dirs(dir) {
            match Self::open(&dir) {
                Err(JournalError::Held { .. }) => {}
                Err(why) => broken = broken.or(Some((dir, Err(why)))),
                Ok(journal) => return Some((dir, Ok(journal))),
            }
        }
        broken
    }

    /// Moves the halts of an overflow journal here.
    pub fn take_halts_from(&mut self, overflow: &mut Self) {
        if let (Some(here), Some(there)) = (&mut self.halts, &mut overflow.halts) {
            // If this fails, the halt stays in the overflow journal for the next desk.
            let _kept = here.take_over(there);
        }
    }

    /// Why this account was halted through an overflow journal since this one was opened, if it was. A command that
    /// this process was stopped in the middle of must not be sent after such a flatten. Moves the halt into this
    /// journal.
    pub fn take_overflow_halt(&mut self, base_url: &str, account: &AccountId) -> Option<String> {
        let mut why = None;
        for dir in overflow_dirs(&self.dir) {
            let Some(halts) = Halts::read_file(&dir) else {
                continue;
            };
            let Some(found) = halts.of(base_url, account) else {
                continue;
            };
            why = Some(found.to_owned());
            // A journal in use is checked again at the next order.
            if let Ok(mut overflow) = Self::open(&dir) {
                self.take_halts_from(&mut overflow);
            }
        }
        why
    }

    /// Returns the overflow journals that nobody holds and that could not be imported, with the reason. `secrets` are
    /// the API keys of this session.
    pub fn import_overflow(
        &mut self,
        now: Timestamp,
        secrets: &[&str],
    ) -> Result<Vec<JournalError>, JournalError> {
        let mut left = vec![];
        // Opening would create a missing one.
        for dir in overflow_dirs(&self.dir).filter(|dir| dir.is_dir()) {
            let taken = Self::open(&dir)
                .and_then(|mut overflow| self.import_from(&mut overflow, now, secrets));
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
        overflow: &mut Self,
        now: Timestamp,
        secrets: &[&str],
    ) -> Result<(), JournalError> {
        let mut open = overflow.open_intents()?;
        open.reverse();
        let prints = secrets
            .iter()
            .map(|secret| Ok((overflow.fingerprint(secret)?, self.fingerprint(secret)?)));
        let prints = prints.collect::<Result<BTreeMap<_, _>, JournalError>>()?;
        let is_known = |entry: &IntentRow| {
            entry.intent.credential.is_empty() || prints.contains_key(&entry.intent.credential)
        };
        let (known, strange): (Vec<_>, Vec<_>) = open.into_iter().partition(is_known);
        let mut here = BTreeMap::new();
        for mut entry in known {
            // Each journal has its own salt.
            if let Some(here) = prints.get(&entry.intent.credential) {
                entry.intent.credential.clone_from(here);
            }
            entry.intent.parent = match entry.intent.parent {
                Some(parent) => self.parent_number(parent, overflow, &mut here)?,
                None => None,
            };
            here.insert(entry.id, self.adopt(&entry)?);
            let moved = StateUpdate::new(
                IntentState::Abandoned,
                "continues in the journal of the desk",
            );
            overflow.record_state(now, entry.id, &moved)?;
        }
        self.take_halts_from(overflow);
        if strange.is_empty() {
            return Ok(());
        }
        Err(JournalError::Strange {
            path: overflow.dir.clone(),
            rows: strange.len(),
        })
    }

    /// The number here of the row that this row is part of. A settled parent is imported too, so that its part is
    /// recognizable as one.
    fn parent_number(
        &mut self,
        parent: IntentId,
        overflow: &Self,
        here: &mut BTreeMap<IntentId, IntentId>,
    ) -> Result<Option<IntentId>, JournalError> {
        if let Some(known) = here.get(&parent) {
            return Ok(Some(*known));
        }
        let Some(deed) = overflow.entry(parent)? else {
            return Ok(None);
        };
        let adopted = self.adopt(&deed)?;
        here.insert(parent, adopted);
        Ok(Some(adopted))
    }

    /// Copies a row of another journal. If its key exists here, that row stands for it.
    fn adopt(&mut self, entry: &IntentRow) -> Result<IntentId, JournalError> {
        let key = entry.intent.key.as_ref();
        let known = key.and_then(|key| self.rows.as_ref()?.with_key(key));
        match known {
            Some(row) => Ok(row.id),
            None => self.insert(entry.clone()),
        }
    }
}
