//! Writing to the journal: new intents, attempts, states, pruning.

use super::{
    Claim, Intent, IntentId, IntentState, Journal, JournalError, StateUpdate, insert::NewRow,
    prune, ring,
};
use crate::model::{Failure, OrderId, Risk, Text, Timestamp};
use rusqlite::params;
use std::{sync::Arc, time::Duration};

impl Journal {
    /// Puts an intent on disk. Until this has returned `Ok`, nothing of it may be sent; from then on it
    /// counts as sent.
    pub fn record(&mut self, now: Timestamp, intent: &Intent) -> Result<IntentId, JournalError> {
        self.refuse_crowd(intent.risk)?;
        let row = NewRow::inflight(now, intent);
        let made = self.write(|transaction| transaction.insert(&row))?;
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
        self.mark(id, IntentState::Prepared)
    }

    /// It is about to be sent: until this has returned `Ok`, nothing of it may be. What is done stays done, whatever a
    /// repetition under its key comes to.
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

    /// Notes how one more attempt ended: `why` it did not answer as wished, if so.
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

    /// Notes where the intent stands. What is open may be told again and again; what is done stays done, and the order it
    /// made stays its order.
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

    /// What was a part of `deed` and is still open is of no consequence any more: reads have shown it flat. Neither is what
    /// was to end or change something on that account before, an older flatten among it: nothing of that is left.
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
}
