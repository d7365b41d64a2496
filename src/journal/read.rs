//! Reading the journal: from memory, after what others have recorded was taken in.

use super::{
    ClaimCheck, Intent, IntentId, IntentRow, IntentState, Journal, JournalError, Objection,
    WriterId, row::Row, rows::Rows,
};
use crate::model::{AccountId, IdempotencyKey, Risk, Timestamp};
use std::{borrow::Cow, collections::BTreeMap, mem, path::Path, time::Duration};

/// The sender: the account, and the API key as [`Journal::fingerprint`] names it.
#[derive(Debug, Clone, Copy)]
pub struct SenderIdentity<'a> {
    pub base_url: &'a str,
    pub account_id: &'a AccountId,
    pub credential: &'a str,
}

const SECOND: Duration = Duration::from_secs(1);

/// A row of which another process has reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedRow {
    pub row: IntentRow,
    /// The number of that process, if it still runs.
    pub process: Option<u32>,
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
        Ok(self.rows()?.open_rows().cloned().collect())
    }

    /// Those of them that a dead writer has left. Looks under the lock: a writer that has ended meanwhile may have recorded
    /// what came of its own.
    pub fn left_open(&mut self) -> Result<Vec<IntentRow>, JournalError> {
        let dir = self.dir.clone();
        self.look(|rows, own| rows.left_open(&dir, own).cloned().collect())
    }

    /// Whether another living process has a new entry on this account on the wire.
    pub fn has_entry_inflight(&mut self, on: (&str, &AccountId)) -> Result<bool, JournalError> {
        let dir = self.dir.clone();
        self.look(|rows, own| rows.has_entry_inflight(&dir, own, on))
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
            .filter(|(when, _)| *when < before)
            .collect();
        settled.sort_unstable_by_key(|(when, _)| std::cmp::Reverse(*when));
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
        Ok(self.rows()?.unfinished(now, target, sender))
    }

    /// Whether others have recorded anything that nobody here has requested, or have died and left something open.
    pub fn has_news(&self) -> bool {
        let (Some(log), Some(rows), Some(own)) = (&self.log, &self.rows, self.writer()) else {
            return false;
        };
        self.failed.is_none()
            && (log.has_news()
                || !rows.reported.is_empty()
                || rows.left_open(&self.dir, own).next().is_some())
    }

    /// Takes in what other processes have recorded.
    pub fn refresh(&mut self) -> Result<(), JournalError> {
        self.look(|_, _| ())
    }

    /// The rows of which other processes have reported since the last call, oldest first.
    pub fn reported(&mut self) -> Result<Vec<ReportedRow>, JournalError> {
        self.refresh()?;
        let Some(rows) = &mut self.rows else {
            return Ok(vec![]);
        };
        let ids = mem::take(&mut rows.reported).into_iter();
        let reported = ids.filter_map(|id| {
            let row = rows.by_id.get(&id)?.whole()?.into_owned();
            let process = row.by.and_then(|by| by.process(&self.dir));
            Some(ReportedRow { row, process })
        });
        Ok(reported.collect())
    }

    fn newest(
        &self,
        limit: u32,
        is_wanted: impl Fn(&IntentRow) -> bool,
    ) -> Result<Vec<IntentRow>, JournalError> {
        let rows = self.rows()?.by_id.values().rev();
        Ok(first(rows.filter_map(Row::whole), limit, is_wanted))
    }
}

/// What is recorded by other processes.
impl Rows {
    pub(super) fn unfinished(
        &self,
        now: Timestamp,
        target: &str,
        sender: SenderIdentity<'_>,
    ) -> Option<IntentRow> {
        let mut open = self.open_rows();
        let found = open.find(|row| {
            let intent = &row.intent;
            let last = row.attempts.last().and_then(|attempt| attempt.status);
            intent.target == target
                && is_on(row, sender.base_url, sender.account_id)
                && intent.key.is_some()
                && ["", sender.credential].contains(&intent.credential.as_str())
                && last != Some(CONFLICT)
                && row.is_replayable(now)
        });
        found.cloned()
    }

    /// Open rows of writers that are dead, newest first.
    pub(super) fn left_open(&self, dir: &Path, own: WriterId) -> impl Iterator<Item = &IntentRow> {
        let mut known = BTreeMap::from([(own, true)]);
        self.open_rows().filter(move |row| {
            let is_alive = row
                .by
                .is_some_and(|by| *known.entry(by).or_insert_with(|| by.is_alive(dir)));
            !is_alive
        })
    }

    /// What another living process has on the wire that `intent` must wait for: the same key, or a request for the same
    /// object. A change does not hold up what ends something.
    pub(super) fn busy(&self, dir: &Path, own: WriterId, intent: &Intent) -> Option<Objection> {
        let is_change = |intent: &Intent| ["PUT", "PATCH"].contains(&intent.method.as_str());
        let is_same = |row: &&IntentRow| {
            let other = &row.intent;
            let has_key = other.key.is_some() && other.key == intent.key;
            let has_object = other.resource.is_some()
                && other.resource == intent.resource
                && is_on(row, &intent.base_url, &intent.account_id)
                && (is_change(intent) || !is_change(other));
            row.state == IntentState::Inflight && (has_key || has_object)
        };
        let found = self.open_rows().filter(is_same).find(|row| {
            let others = |by: &WriterId| *by != own && by.is_alive(dir);
            row.by.as_ref().is_some_and(others)
        })?;
        let process = found.by.and_then(|by| by.process(dir));
        Some(Objection::Busy(found.intent.command.clone(), process))
    }

    /// Whether another process than `own` has recorded a close-all or flatten on this account, or begun one again, since the
    /// command was given: by the order of the rows, and by the time for a command that was given before this process had
    /// opened the journal.
    /// A row that is dated after now has its date from another clock, which shows nothing.
    pub(super) fn closed_since(
        &self,
        (own, opened_at): (WriterId, IntentId),
        (base_url, account): (&str, &AccountId),
        check: &ClaimCheck,
        now: Timestamp,
    ) -> Option<Objection> {
        let unread = check.unread.max(opened_at);
        let closes = |row: &IntentRow| {
            let is_close = row.intent.is_flatten() || row.intent.target == check.close_all;
            is_close && row.by != Some(own) && is_on(row, base_url, account)
        };
        let rows = self.by_id.iter().rev();
        let rows = rows.take_while(|(id, row)| **id >= unread || row.created_at() > check.given_at);
        let mut since = rows.filter(|(id, row)| **id >= unread || row.created_at() <= now);
        let mut again = self.restarted.range(unread..);
        let is_closed = since.any(|(_, row)| row.whole().is_some_and(|row| closes(&row)))
            || again.any(|(_, id)| {
                let row = self.by_id.get(id).and_then(Row::whole);
                row.is_some_and(|row| closes(&row))
            });
        is_closed.then_some(Objection::ClosedSince)
    }

    /// Whether `intent` is one order too many within a second.
    pub(super) fn rate_spent(
        &self,
        now: Timestamp,
        intent: &Intent,
        most: u32,
    ) -> Option<Objection> {
        let is_order = |intent: &Intent| intent.method == "POST" && intent.risk == Risk::Increasing;
        let counts = |row: &IntentRow| {
            is_order(&row.intent)
                && (row.maybe_executed || row.state.is_open())
                && is_on(row, &intent.base_url, &intent.account_id)
        };
        let rows = self.by_id.values().rev();
        // What is dated a second ahead has its date from before the clock was set back.
        let rows = rows.skip_while(|row| row.created_at().since(now) >= SECOND);
        let rows = rows.take_while(|row| now.since(row.created_at()) < SECOND);
        let orders = rows.filter(|row| row.whole().is_some_and(|row| counts(&row)));
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let is_spent = most > 0 && is_order(intent) && orders.count() >= most;
        is_spent.then_some(Objection::RateSpent)
    }

    /// Whether another living process has a new entry on this account on the wire.
    pub(super) fn has_entry_inflight(
        &self,
        dir: &Path,
        own: WriterId,
        (base_url, account): (&str, &AccountId),
    ) -> bool {
        let is_entry = |row: &&IntentRow| {
            row.state == IntentState::Inflight
                && row.intent.risk == Risk::Increasing
                && is_on(row, base_url, account)
        };
        let others = |by: WriterId| by != own && by.is_alive(dir);
        let mut entries = self.open_rows().filter(is_entry);
        entries.any(|row| row.by.is_some_and(others))
    }
}

fn first<'a>(
    rows: impl Iterator<Item = Cow<'a, IntentRow>>,
    limit: u32,
    is_wanted: impl Fn(&IntentRow) -> bool,
) -> Vec<IntentRow> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let wanted = rows.filter(|row| is_wanted(row)).take(limit);
    wanted.map(Cow::into_owned).collect()
}

fn is_on(row: &IntentRow, base_url: &str, account: &AccountId) -> bool {
    row.intent.base_url == base_url && row.intent.account_id == *account
}
