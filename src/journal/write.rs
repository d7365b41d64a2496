//! Writes: new intents, attempts, states, take-over, pruning.

use super::{
    AttemptRow, Claim, ClaimCheck, Intent, IntentId, IntentRow, IntentState, Journal, JournalError,
    Objection, Outcome, SenderIdentity, StateUpdate, WriterId, record::Record, row::Row,
    rows::Rows,
};
use crate::model::{AccountId, Failure, Risk, Timestamp};
use std::time::Duration;

impl Journal {
    /// Records an intent on disk, unless its key exists (the same key twice is one intent) or something else is in the way.
    /// Nothing of it may be sent before this returns `Ok`; after that it counts as sent. On a full disk only what closes or
    /// cancels is recorded.
    pub fn claim(
        &mut self,
        now: Timestamp,
        intent: &Intent,
        check: &ClaimCheck,
    ) -> Result<Claim, JournalError> {
        self.claim_unless(now, intent, check, |rows| {
            Some(rows.with_key(intent.key.as_ref()?)?.into_owned())
        })
    }

    /// [`Self::claim`], unless one like it is [`Self::unfinished`], which is resumed.
    pub fn claim_or_resume(
        &mut self,
        now: Timestamp,
        intent: &Intent,
        check: &ClaimCheck,
    ) -> Result<Claim, JournalError> {
        let sender = SenderIdentity {
            base_url: &intent.base_url,
            account_id: &intent.account_id,
            credential: &intent.credential,
        };
        self.claim_unless(now, intent, check, |rows| {
            let unfinished = rows.unfinished(now, &intent.target, sender);
            unfinished.or_else(|| Some(rows.with_key(intent.key.as_ref()?)?.into_owned()))
        })
    }

    fn claim_unless(
        &mut self,
        now: Timestamp,
        intent: &Intent,
        check: &ClaimCheck,
        known: impl FnOnce(&Rows) -> Option<IntentRow>,
    ) -> Result<Claim, JournalError> {
        let (dir, halts) = (self.dir.clone(), self.halts.clone());
        let opened_at = self.opened_at;
        self.update(|rows, own| {
            let busy = || rows.busy(&dir, own, intent);
            if let Some(busy) = check.waits.then(busy).flatten() {
                return (Claim::Refused(busy), vec![]);
            }
            if let Some(row) = known(rows) {
                return (Claim::Known(Box::new(row)), vec![]);
            }
            let on = (intent.base_url.as_str(), &intent.account_id);
            let held_back = || {
                let halted = halts.of(on.0, on.1).map(Objection::Halted);
                let closed = || rows.closed_since((own, opened_at), on, check, now);
                let halted = halted.or_else(closed);
                halted.or_else(|| rows.rate_spent(now, intent, check.orders_per_second))
            };
            if intent.risk == Risk::Increasing
                && let Some(why) = held_back()
            {
                return (Claim::Refused(why), vec![]);
            }
            let (id, records) = new(rows, own, now, intent);
            (Claim::New(id), records)
        })
    }

    /// Why a new entry on this account that was given then must not be sent, if so: what other processes have recorded
    /// since.
    pub fn objection(
        &mut self,
        now: Timestamp,
        on: (&str, &AccountId),
        check: &ClaimCheck,
    ) -> Result<Option<Objection>, JournalError> {
        let opened_at = self.opened_at;
        let closed = self.look(|rows, own| rows.closed_since((own, opened_at), on, check, now))?;
        let halted = self.halts.of(on.0, on.1).map(Objection::Halted);
        Ok(halted.or(closed))
    }

    /// Makes open rows of dead writers this process's, and returns them, newest first. Each is taken over once.
    pub fn take_over(
        &mut self,
        is_wanted: impl Fn(&IntentRow) -> bool,
    ) -> Result<Vec<IntentRow>, JournalError> {
        let dir = self.dir.clone();
        self.update(|rows, own| {
            let left = rows.left_open(&dir, own).filter(|row| is_wanted(row));
            let mut left: Vec<_> = left.cloned().collect();
            let take = |row: &IntentRow| Record::TakeOver {
                id: row.id,
                by: own,
            };
            let records = left.iter().rev().map(take).collect();
            for row in &mut left {
                row.by = Some(own);
            }
            (left, records)
        })
    }

    /// Proof has come that no byte of it was sent.
    pub fn mark_prepared(&mut self, id: IntentId) -> Result<(), JournalError> {
        self.mark(id, IntentState::Prepared)
    }

    /// Marks it as in flight, by this process; it must not be sent before this returns `Ok`. A done intent stays done,
    /// whatever a repetition under its key returns.
    pub fn mark_inflight(&mut self, id: IntentId) -> Result<(), JournalError> {
        self.mark(id, IntentState::Inflight)
    }

    /// [`Self::mark_inflight`] for one of which no byte was sent yet, unless another living process has a request under its
    /// key or for its object on the wire by now.
    pub fn relaunch(&mut self, id: IntentId) -> Result<Option<Objection>, JournalError> {
        let dir = self.dir.clone();
        self.update(|rows, by| {
            let row = rows.by_id.get(&id).and_then(Row::open_or_recent);
            if let Some(busy) = row.and_then(|row| rows.busy(&dir, by, &row.intent)) {
                return (Some(busy), vec![]);
            }
            let state = IntentState::Inflight;
            (None, vec![Record::Mark { id, state, by }])
        })
    }

    fn mark(&mut self, id: IntentId, state: IntentState) -> Result<(), JournalError> {
        self.append(|by| Record::Mark { id, state, by })
    }

    /// Records the end of one more attempt; `why` is its failure, if it failed.
    pub fn attempt(
        &mut self,
        now: Timestamp,
        id: IntentId,
        why: Option<&Failure>,
    ) -> Result<(), JournalError> {
        let attempt = AttemptRow {
            ended_at: now,
            status: why.and_then(|why| why.status),
            detail: why.map(ToString::to_string),
        };
        self.append(|_| Record::Attempt { id, attempt })
    }

    /// Records a state. An open intent may change state again; a done one stays done, and its order stays its order.
    pub fn record_state(
        &mut self,
        now: Timestamp,
        id: IntentId,
        update: &StateUpdate,
    ) -> Result<(), JournalError> {
        let StateUpdate {
            state,
            detail,
            order_id,
            request_id,
        } = update.clone();
        let outcome = Outcome {
            at: now,
            detail,
            order_id,
            request_id,
        };
        self.append(|_| Record::State { id, state, outcome })
    }

    /// Settles the open parts of a flatten: reads have shown the account flat. So it settles earlier commands
    /// that were to close or change something on that account, including an older flatten.
    pub fn abandon_parts(&mut self, now: Timestamp, flatten: IntentId) -> Result<(), JournalError> {
        self.append(|_| Record::AbandonParts { flatten, at: now })
    }

    /// Deletes rows settled more than `keep` before the newest row, so that the journal does not grow without end;
    /// returns how many. The file is written anew for it, with one line for each row, and the next write waits: nothing
    /// is done while less than a tenth of the rows can go and the file is not much longer than its rows. Keeps open rows,
    /// their parents, and keys that may still be resent.
    pub fn prune(&mut self, now: Timestamp, keep: Duration) -> Result<usize, JournalError> {
        let pruned = self.rewrite(|rows| {
            let count = rows.prune(now, keep);
            (count > 0 || rows.is_long()).then_some(count)
        });
        match pruned {
            // The next start finds the rows again.
            Err(JournalError::Full { .. }) => Ok(0),
            pruned => Ok(pruned?.unwrap_or_default()),
        }
    }
}

/// A row under the next number.
pub(super) fn new(
    rows: &Rows,
    own: WriterId,
    now: Timestamp,
    intent: &Intent,
) -> (IntentId, Vec<Record>) {
    let id = IntentId(rows.next);
    let row = IntentRow {
        id,
        created_at: now,
        intent: intent.clone(),
        attempts: vec![],
        maybe_executed: true,
        state: IntentState::Inflight,
        by: Some(own),
        outcome: None,
    };
    (id, vec![Record::Intent(Box::new(row))])
}
