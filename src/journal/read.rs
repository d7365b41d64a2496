//! Reading the journal: all from memory.

use super::{IntentId, IntentRow, Journal, JournalError};
use crate::model::{AccountId, IdempotencyKey, Timestamp};

/// The sender: the account, and the API key as [`Journal::fingerprint`] names it.
#[derive(Debug, Clone, Copy)]
pub struct SenderIdentity<'a> {
    pub base_url: &'a str,
    pub account_id: &'a AccountId,
    pub credential: &'a str,
}

/// The response of a close-all whose operation may never end.
const CONFLICT: u16 = 409;

impl Journal {
    /// The newest intents, newest first.
    pub fn recent(&self, limit: u32) -> Result<Vec<IntentRow>, JournalError> {
        self.newest(limit, |_| true)
    }

    /// The newest intents on this account of this service that had an effect or may have one, newest first.
    pub fn recent_on(
        &self,
        (base_url, account_id): (&str, &AccountId),
        limit: u32,
    ) -> Result<Vec<IntentRow>, JournalError> {
        self.newest(limit, |row| {
            is_on(row, base_url, account_id) && (row.maybe_executed || row.state.is_open())
        })
    }

    /// The newest intents before this one, newest first.
    pub fn recent_before(&self, id: IntentId, limit: u32) -> Result<Vec<IntentRow>, JournalError> {
        self.newest(limit, |row| row.id < id)
    }

    /// The intent that was recorded with this key, if any.
    pub fn by_key(&self, key: &IdempotencyKey) -> Result<Option<IntentRow>, JournalError> {
        Ok(self.rows()?.with_key(key).cloned())
    }

    /// One intent.
    pub fn entry(&self, id: IntentId) -> Result<Option<IntentRow>, JournalError> {
        Ok(self.rows()?.by_id.get(&id).cloned())
    }

    /// Intents that are in flight or of unknown outcome, newest first.
    pub fn open_intents(&self) -> Result<Vec<IntentRow>, JournalError> {
        self.newest(u32::MAX, |row| row.state.is_open())
    }

    /// The rows last settled on this account, latest first: at most `limit` rows before the row with that time and
    /// number in `before`.
    pub fn settled(
        &self,
        base_url: &str,
        account: &AccountId,
        before: (Timestamp, IntentId),
        limit: u32,
    ) -> Result<Vec<IntentRow>, JournalError> {
        let mut settled: Vec<_> = self
            .rows()?
            .by_id
            .values()
            .filter(|row| !row.state.is_open() && is_on(row, base_url, account))
            .filter_map(|row| Some(((row.outcome.as_ref()?.at, row.id), row)))
            .filter(|(told, _)| *told < before)
            .collect();
        settled.sort_unstable_by_key(|(told, _)| std::cmp::Reverse(*told));
        settled.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(settled.into_iter().map(|(_, row)| row.clone()).collect())
    }

    /// The newest intent with this target that the same sender has open and may resend: a close-all whose key the next
    /// one reuses, since a new key would begin a second operation. Not one whose last response was a conflict (409): that
    /// operation may never end, and positions still have to be closed.
    pub fn unfinished(
        &self,
        now: Timestamp,
        target: &str,
        sender: SenderIdentity<'_>,
    ) -> Result<Option<IntentRow>, JournalError> {
        let found = self.newest(1, |row| {
            let intent = &row.intent;
            let last = row.attempts.last().and_then(|attempt| attempt.status);
            row.state.is_open()
                && intent.target == target
                && is_on(row, sender.base_url, sender.account_id)
                && intent.key.is_some()
                && ["", sender.credential].contains(&intent.credential.as_str())
                && last != Some(CONFLICT)
                && row.is_replayable(now)
        });
        Ok(found?.pop())
    }

    fn newest(
        &self,
        limit: u32,
        is_meant: impl Fn(&IntentRow) -> bool,
    ) -> Result<Vec<IntentRow>, JournalError> {
        let rows = self.rows()?.by_id.values().rev();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(rows
            .filter(|row| is_meant(row))
            .take(limit)
            .cloned()
            .collect())
    }
}

fn is_on(row: &IntentRow, base_url: &str, account: &AccountId) -> bool {
    row.intent.base_url == base_url && row.intent.account_id == *account
}
