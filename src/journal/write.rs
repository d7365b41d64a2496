//! Writes: new intents, attempts, states, pruning.

use super::{
    Claim, Intent, IntentId, IntentState, Journal, JournalError, StateUpdate, insert::NewRow,
    prune, ring,
};
use crate::model::{Failure, OrderId, Risk, Text, Timestamp};
use rusqlite::params;
use std::{sync::Arc, time::Duration};

impl Journal {
    /// Records an intent on disk. Nothing of it may be sent before this returns `Ok`; after that it counts as sent.
    pub fn record(&mut self, now: Timestamp, intent: &Intent) -> Result<IntentId, JournalError> {
        self.refuse_crowd(intent.risk)?;
        let row = NewRow::inflight(now, intent);
        let made = self.write(|transaction| transaction.insert(&row))?;
        made.ok_or(JournalError::Stopped)
    }

    /// Refuses an entry when the ring is full of open intents: it could not be restored.
    fn refuse_crowd(&self, risk: Risk) -> Result<(), JournalError> {
        let ring = self.database.as_ref().and_then(|open| open.ring.as_ref());
        let is_full = ring.is_some_and(|ring| !ring.has_room());
        if is_full && risk == Risk::Increasing {
            let open = ring::SLOTS;
            return Err(JournalError::Crowded { open });
        }
        Ok(())
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

    /// Proof has come that no byte of it was sent.
    pub fn mark_unsent(&mut self, id: IntentId) -> Result<(), JournalError> {
        self.mark(id, IntentState::Prepared)
    }

    /// Marks it as in flight; it must not be sent before this returns `Ok`. A done intent stays done, whatever a
    /// repetition under its key returns.
    pub fn mark_inflight(&mut self, id: IntentId) -> Result<(), JournalError> {
        self.mark(id, IntentState::Inflight)
    }

    fn mark(&mut self, id: IntentId, state: IntentState) -> Result<(), JournalError> {
        self.write(|transaction| {
            transaction.update(
                "UPDATE intents SET state = ?2, maybe_executed = ?3
                 WHERE id = ?1 AND state <> 'done'",
                params![id.0, state.to_string(), state != IntentState::Prepared],
            )
        })
    }

    /// Records the end of one more attempt; `why` is its failure, if it failed.
    pub fn attempt(
        &mut self,
        now: Timestamp,
        id: IntentId,
        why: Option<&Failure>,
    ) -> Result<(), JournalError> {
        self.write(|transaction| {
            transaction.connection().execute(
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
            transaction.renew(id.0)
        })
    }

    /// Records a state. An open intent may change state again; a done one stays done, and its order stays its order.
    pub fn record_state(
        &mut self,
        now: Timestamp,
        id: IntentId,
        update: &StateUpdate,
    ) -> Result<(), JournalError> {
        let proved = matches!(update.state, IntentState::Rejected | IntentState::Unsent);
        self.write(|transaction| {
            transaction.update(
                "UPDATE intents SET state = ?2, told_at = ?3, detail = ?4,
                     order_id = coalesce(?5, order_id), request_id = ?6,
                     maybe_executed = maybe_executed AND NOT ?7
                 WHERE id = ?1 AND (state <> 'done' OR ?2 = 'done')",
                params![
                    id.0,
                    update.state.to_string(),
                    now.0,
                    update.detail,
                    update.order_id.as_ref().map(OrderId::raw),
                    update.request_id.as_ref().map(Text::raw),
                    proved,
                ],
            )
        })
    }

    /// Settles the open parts of the flatten `deed`: reads have shown the account flat. So it settles earlier commands
    /// that were to close or change something on that account, including an older flatten.
    pub fn abandon_parts(&mut self, now: Timestamp, deed: IntentId) -> Result<(), JournalError> {
        self.write(|transaction| {
            let moot = format!(
                "UPDATE intents SET state = 'abandoned', told_at = ?2,
                     detail = 'whatever became of it: the account was proved flat'
                 WHERE (parent = ?1
                     OR id < ?1 AND risk <> 'increasing' AND (base_url, account_id) =
                         (SELECT base_url, account_id FROM intents WHERE id = ?1))
                   AND state IN {}",
                IntentState::open_list()
            );
            transaction.update(&moot, params![deed.0, now.0])
        })
    }

    /// Deletes rows settled more than `keep` before the newest row, so that the journal does not grow without end.
    /// Deletes at most `most` rows at once, because the next write waits for it; returns how many. Keeps open rows,
    /// their parents, and keys that may still be resent.
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
}
