//! What the records of the journal add up to.

use super::{
    IntentId, IntentRow, IntentState, Outcome, WriterId,
    record::Record,
    row::{Glance, Row},
};
use crate::{
    disk::LogDamage,
    model::{IdempotencyKey, Risk, Timestamp},
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Duration,
};

/// The file is written anew when one row of so many can go.
const WORTHWHILE: usize = 10;
/// It is also written anew when it has so many lines more than two for each row.
const SUPERSEDED: usize = 1_000;

#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    pub(super) salt: String,
    /// The number of the next intent.
    pub(super) next: i64,
    pub(super) by_id: BTreeMap<IntentId, Row>,
    by_key: HashMap<IdempotencyKey, IntentId>,
    pub(super) open: BTreeSet<IntentId>,
    /// Rows of which other processes have reported while this one had the journal open, and that nobody here has requested
    /// yet.
    pub(super) reported: BTreeSet<IntentId>,
    /// Requests about a whole account that were begun again, by the number that each took then: what came before it was
    /// given before.
    pub(super) restarted: BTreeMap<IntentId, IntentId>,
    /// Records that add up to these rows.
    records: usize,
    /// Damage that no person has seen yet.
    pub(super) damage: Option<String>,
    /// A record that this version does not know: a newer one wrote it.
    pub(super) unknown: Option<String>,
}

impl Rows {
    pub(super) fn new() -> Self {
        Self {
            next: 1,
            ..Self::default()
        }
    }

    /// Takes in the text of one record.
    pub(super) fn take(&mut self, text: &str) {
        if let Some((glance, row)) = Glance::at(text) {
            self.records += 1;
            return self.put(glance.id, glance.key(), Row::Settled(row));
        }
        match serde_json::from_str(text) {
            Ok(record) => {
                if let Record::State { id, .. } = &record {
                    self.reported.insert(*id);
                }
                self.apply(record);
            }
            Err(_) => self.unknown = Some(text.to_owned()),
        }
    }

    pub(super) fn apply(&mut self, record: Record) {
        self.records += 1;
        match record {
            Record::Begin { salt, next } => {
                *self = Self {
                    salt,
                    next: self.next.max(next),
                    records: 1,
                    reported: std::mem::take(&mut self.reported),
                    restarted: std::mem::take(&mut self.restarted),
                    ..Self::default()
                }
            }
            Record::Intent(row) => self.put(row.id, row.intent.key.clone(), Row::Whole(row)),
            Record::Mark { id, state, by } => self.mark(id, state, by),
            Record::TakeOver { id, by } => self.change(id, |row| row.by = Some(by)),
            Record::Attempt { id, attempt } => self.change(id, |row| row.attempts.push(attempt)),
            Record::State { id, state, outcome } => {
                self.change(id, |row| settle(row, state, outcome));
            }
            Record::AbandonParts { flatten, at } => self.abandon_parts(flatten, at),
            Record::Damage(words) => self.damage = words,
        }
    }

    fn put(&mut self, id: IntentId, key: Option<IdempotencyKey>, row: Row) {
        self.next = self.next.max(id.0.saturating_add(1));
        if let Some(key) = key {
            self.by_key.insert(key, id);
        }
        if row.is_open() {
            self.open.insert(id);
        }
        self.by_id.insert(id, row);
    }

    fn mark(&mut self, id: IntentId, state: IntentState, by: WriterId) {
        let row = self.by_id.get(&id).and_then(Row::open_or_recent);
        if row.is_some_and(|row| state == IntentState::Inflight && begins_again(row, by)) {
            self.restarted.insert(IntentId(self.next), id);
            self.next = self.next.saturating_add(1);
        }
        self.change(id, |row| {
            row.by = Some(by);
            // A done intent stays done, whatever a repetition under its key returns.
            if row.state != IntentState::Done {
                row.state = state;
                row.maybe_executed = state != IntentState::Prepared;
            }
        });
    }

    /// A row whose record was lost stays lost.
    fn change(&mut self, id: IntentId, change: impl FnOnce(&mut IntentRow)) {
        if let Some(row) = self.by_id.get_mut(&id).and_then(Row::whole_mut) {
            change(row);
            if row.state.is_open() {
                self.open.insert(id);
            } else {
                self.open.remove(&id);
            }
        }
    }

    /// Newest first.
    pub(super) fn open_rows(&self) -> impl Iterator<Item = &IntentRow> {
        let open = self.open.iter().rev();
        open.filter_map(|id| self.by_id.get(id)?.open_or_recent())
    }

    fn abandon_parts(&mut self, flatten: IntentId, at: Timestamp) {
        let Some(proved) = self.by_id.get(&flatten).and_then(Row::whole) else {
            return;
        };
        let intent = &proved.intent;
        let account = (intent.base_url.clone(), intent.account_id.clone());
        let rows = self.by_id.values_mut().filter(|row| row.is_open());
        for row in rows.filter_map(Row::open_or_recent_mut) {
            let of = &row.intent;
            let is_here = (&of.base_url, &of.account_id) == (&account.0, &account.1);
            let is_older = row.id < flatten && of.risk != Risk::Increasing && is_here;
            if of.parent == Some(flatten) || is_older {
                row.state = IntentState::Abandoned;
                row.outcome = Some(Outcome {
                    at,
                    detail: "its outcome no longer matters: the account was proved flat".to_owned(),
                    ..row.outcome.take().unwrap_or_default()
                });
                self.open.remove(&row.id);
            }
        }
    }

    pub(super) fn with_key(&self, key: &IdempotencyKey) -> Option<Cow<'_, IntentRow>> {
        self.by_id.get(self.by_key.get(key)?)?.whole()
    }

    /// A lost record may have said that a row was sent: none counts as not sent any more. It may also have been a row, of a
    /// process that still writes what comes of it: its number is not given again.
    pub(super) fn lost(&mut self, damage: &LogDamage) {
        let lost = damage.lost.iter();
        let lost = lost.fold(0_u64, |sum, run| {
            sum.saturating_add(run.end() - run.start())
                .saturating_add(1)
        });
        self.next = self
            .next
            .saturating_add(i64::try_from(lost).unwrap_or(i64::MAX));
        for row in self.by_id.values_mut().filter_map(Row::open_or_recent_mut) {
            if row.state == IntentState::Prepared {
                (row.state, row.maybe_executed) = (IntentState::Unknown, true);
            }
        }
    }

    /// Drops rows settled more than `keep` before the newest one, and returns how many: none while they are less than a
    /// tenth of all. Keeps open rows, their parents, and keys that may still be resent.
    pub(super) fn prune(&mut self, now: Timestamp, keep: Duration) -> usize {
        let Some(newest) = self.by_id.values().map(|row| row.created_at().0).max() else {
            return 0;
        };
        // A clock that is years ahead must not empty the journal.
        let keep = i64::try_from(keep.as_millis()).unwrap_or(i64::MAX);
        let before = Timestamp(newest.min(now.0).saturating_sub(keep));
        let kept = self.by_id.values().filter(|row| !row.is_past(before, now));
        let parents: BTreeSet<IntentId> = kept.filter_map(Row::parent).collect();
        let is_kept = |id: &IntentId, row: &Row| !row.is_past(before, now) || parents.contains(id);
        let all = self.by_id.len();
        let kept = self
            .by_id
            .iter()
            .filter(|(id, row)| is_kept(id, row))
            .count();
        if (all - kept) * WORTHWHILE < all {
            return 0;
        }
        self.by_id.retain(|id, row| is_kept(id, row));
        let by_id = &self.by_id;
        self.by_key.retain(|_, id| by_id.contains_key(id));
        all - kept
    }

    /// Whether fewer records would add up to the same.
    pub(super) fn is_long(&self) -> bool {
        self.records > 2 * self.by_id.len() + SUPERSEDED
    }

    /// The file was written anew.
    pub(super) fn is_rewritten(&mut self) {
        self.records = self.by_id.len();
    }

    /// The fewest lines that add up to these rows.
    pub(super) fn lines(&self) -> impl Iterator<Item = serde_json::Result<String>> {
        let begin = Record::Begin {
            salt: self.salt.clone(),
            next: self.next,
        };
        let damage = self.damage.clone().map(|words| Record::Damage(Some(words)));
        let line = |record| serde_json::to_string(&record);
        std::iter::once(begin)
            .map(line)
            .chain(self.by_id.values().map(Row::line))
            .chain(damage.into_iter().map(line))
    }
}

/// Whether this writer gives a request about the whole account again: not where it only tries it once more.
fn begins_again(row: &IntentRow, by: WriterId) -> bool {
    let is_of_account = row.intent.resource.as_deref() == Some(row.intent.account_id.raw());
    is_of_account && (row.by != Some(by) || row.state != IntentState::Inflight)
}

/// A done row stays done, and its order stays its order.
fn settle(row: &mut IntentRow, state: IntentState, mut outcome: Outcome) {
    if row.state == IntentState::Done && state != IntentState::Done {
        return;
    }
    row.state = state;
    if matches!(state, IntentState::Rejected | IntentState::Unsent) {
        row.maybe_executed = false;
    }
    if outcome.order_id.is_none() {
        outcome.order_id = row.outcome.take().and_then(|before| before.order_id);
    }
    row.outcome = Some(outcome);
}
