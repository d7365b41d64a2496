//! Writes: new intents, attempts, states, pruning.

use super::{
    AttemptRow, Claim, Intent, IntentId, IntentRow, IntentState, Journal, JournalError, Outcome,
    SenderIdentity, StateUpdate, record::Record,
};
use crate::{
    disk::{LogError, Mark, Reserve},
    model::{Failure, Risk, Timestamp},
};
use std::time::Duration;

impl Journal {
    /// Records an intent on disk. Nothing of it may be sent before this returns `Ok`; after that it counts as sent. On a
    /// full disk only what closes or cancels is recorded.
    pub fn record(&mut self, now: Timestamp, intent: &Intent) -> Result<IntentId, JournalError> {
        self.insert(IntentRow {
            id: IntentId(0),
            created_at: now,
            intent: intent.clone(),
            attempts: vec![],
            maybe_executed: true,
            state: IntentState::Inflight,
            outcome: None,
        })
    }

    /// Adds a row under the next number.
    pub(super) fn insert(&mut self, mut row: IntentRow) -> Result<IntentId, JournalError> {
        let rows = self.rows()?;
        if let Some(key) = &row.intent.key
            && rows.with_key(key).is_some()
        {
            return Err(JournalError::KeyUsed(key.clone()));
        }
        row.id = IntentId(rows.next);
        let reserve = match row.intent.risk {
            Risk::Increasing => Reserve::Keep,
            Risk::Neutral | Risk::Reducing => Reserve::Use,
        };
        let id = row.id;
        self.append(Record::Intent(Box::new(row)), reserve, Mark::Synced)?;
        Ok(id)
    }

    /// [`Self::record`], unless its key exists: the same key twice is one intent.
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

    /// [`Self::claim`], unless one like it is [`Self::unfinished`], which is resumed.
    pub fn claim_or_resume(
        &mut self,
        now: Timestamp,
        intent: &Intent,
    ) -> Result<Claim, JournalError> {
        let sender = SenderIdentity {
            base_url: &intent.base_url,
            account_id: &intent.account_id,
            credential: &intent.credential,
        };
        match self.unfinished(now, &intent.target, sender)? {
            Some(entry) => Ok(Claim::Known(Box::new(entry))),
            None => self.claim(now, intent),
        }
    }

    /// Proof has come that no byte of it was sent.
    pub fn mark_unsent(&mut self, id: IntentId) -> Result<(), JournalError> {
        let state = IntentState::Prepared;
        self.append(Record::Mark { id, state }, Reserve::Use, Mark::Written)
    }

    /// Marks it as in flight; it must not be sent before this returns `Ok`. A done intent stays done, whatever a
    /// repetition under its key returns.
    pub fn mark_inflight(&mut self, id: IntentId) -> Result<(), JournalError> {
        let state = IntentState::Inflight;
        self.append(Record::Mark { id, state }, Reserve::Use, Mark::Synced)
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
        self.append(Record::Attempt { id, attempt }, Reserve::Use, Mark::Written)
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
        let record = Record::State { id, state, outcome };
        self.append(record, Reserve::Use, Mark::Written)
    }

    /// Settles the open parts of the flatten `deed`: reads have shown the account flat. So it settles earlier commands
    /// that were to close or change something on that account, including an older flatten.
    pub fn abandon_parts(&mut self, now: Timestamp, deed: IntentId) -> Result<(), JournalError> {
        let record = Record::AbandonParts { deed, at: now };
        self.append(record, Reserve::Use, Mark::Written)
    }

    /// Deletes rows settled more than `keep` before the newest row, so that the journal does not grow without end;
    /// returns how many. The file is written anew for it, with one line for each row, and the next write waits: nothing
    /// is done while less than a tenth of the rows can go and the file is not much longer than its rows. Keeps open rows,
    /// their parents, and keys that may still be resent.
    pub fn prune(&mut self, now: Timestamp, keep: Duration) -> Result<usize, JournalError> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        let Some(rows) = &mut self.rows else {
            return Ok(0);
        };
        let count = rows.prune(now, keep);
        if count > 0 || rows.is_long() {
            match self.rewrite() {
                // The next start finds the rows again.
                Err(JournalError::Full { .. }) => return Ok(0),
                written => written?,
            }
        }
        Ok(count)
    }

    pub(super) fn append(
        &mut self,
        record: Record,
        reserve: Reserve,
        mark: Mark,
    ) -> Result<(), JournalError> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        #[cfg(test)]
        if self.breaks_now() {
            let worn = std::io::Error::other("the disk is worn out");
            return Err(self.fail(JournalError::Write(worn.into())));
        }
        let (Some(log), Some(rows)) = (&mut self.log, &mut self.rows) else {
            return Err(JournalError::Stopped);
        };
        let written = serde_json::to_string(&record).map_err(std::io::Error::other);
        let written = written.map_err(LogError::from).and_then(|text| {
            let mut locked = log.lock(&mut |text| rows.take(text))?;
            locked.append(&text, reserve, mark)
        });
        match written {
            Ok(()) => {
                rows.apply(record);
                Ok(())
            }
            Err(why) => Err(self.refuse(why)),
        }
    }
}
