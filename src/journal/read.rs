//! Reading the journal: all from memory.

use super::{IntentId, IntentRow, Journal, JournalError, row::Row};
use crate::model::{AccountId, IdempotencyKey, Timestamp};
use std::borrow::Cow;

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
        let rows = self.rows()?.by_id.range(..id).rev();
        Ok(first(
            rows.filter_map(|(_, row)| row.whole()),
            limit,
            |_| true,
        ))
    }

    /// The intent that was recorded with this key, if any.
    pub fn by_key(&self, key: &IdempotencyKey) -> Result<Option<IntentRow>, JournalError> {
        Ok(self.rows()?.with_key(key).map(Cow::into_owned))
    }

    /// One intent.
    pub fn entry(&self, id: IntentId) -> Result<Option<IntentRow>, JournalError> {
        let found = self.rows()?.by_id.get(&id).and_then(Row::whole);
        Ok(found.map(Cow::into_owned))
    }

    /// Intents that are in flight or of unknown outcome, newest first.
    pub fn open_intents(&self) -> Result<Vec<IntentRow>, JournalError> {
        let rows = self.rows()?.by_id.values().rev();
        let open = rows.filter(|row| row.is_open());
        Ok(first(open.filter_map(Row::whole), u32::MAX, |_| true))
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
        let rows = self.rows()?.by_id.iter();
        let mut settled: Vec<_> = rows
            .filter_map(|(id, row)| Some(((row.settled_at()?, *id), row)))
            .filter(|(told, _)| *told < before)
            .collect();
        settled.sort_unstable_by_key(|(told, _)| std::cmp::Reverse(*told));
        let rows = settled.into_iter().filter_map(|(_, row)| row.whole());
        Ok(first(rows, limit, |row| is_on(row, base_url, account)))
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
        let rows = self.rows()?.by_id.values().rev();
        let open = rows.filter(|row| row.is_open());
        let found = first(open.filter_map(Row::whole), 1, |row| {
            let intent = &row.intent;
            let last = row.attempts.last().and_then(|attempt| attempt.status);
            intent.target == target
                && is_on(row, sender.base_url, sender.account_id)
                && intent.key.is_some()
                && ["", sender.credential].contains(&intent.credential.as_str())
                && last != Some(CONFLICT)
                && row.is_replayable(now)
        });
        Ok(found.into_iter().next())
    }

    fn newest(
        &self,
        limit: u32,
        is_meant: impl Fn(&IntentRow) -> bool,
    ) -> Result<Vec<IntentRow>, JournalError> {
        let rows = self.rows()?.by_id.values().rev();
        Ok(first(rows.filter_map(Row::whole), limit, is_meant))
    }
}

fn first<'a>(
    rows: impl Iterator<Item = Cow<'a, IntentRow>>,
    limit: u32,
    is_meant: impl Fn(&IntentRow) -> bool,
) -> Vec<IntentRow> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let meant = rows.filter(|row| is_meant(row)).take(limit);
    meant.map(Cow::into_owned).collect()
}

fn is_on(row: &IntentRow, base_url: &str, account: &AccountId) -> bool {
    row.intent.base_url == base_url && row.intent.account_id == *account
}
