//! Reading the journal.

use super::{IntentId, IntentRow, IntentState, Journal, JournalError, entry};
use crate::model::{AccountId, IdempotencyKey};
use rusqlite::ToSql;

impl Journal {
    /// The newest intents, newest first.
    pub fn recent(&self, limit: u32) -> Result<Vec<IntentRow>, JournalError> {
        entry::select(self.database()?, "", limit)
    }

    /// The newest intents on this account of this service that had an effect or may have one, newest first.
    pub fn recent_on(
        &self,
        (base_url, account_id): (&str, &AccountId),
        limit: u32,
    ) -> Result<Vec<IntentRow>, JournalError> {
        let on = format!(
            "WHERE i.base_url = ?2 AND i.account_id = ?3 AND (i.maybe_executed OR i.state IN {})",
            IntentState::open_list()
        );
        let values: [&dyn ToSql; 3] = [&limit, &base_url, &account_id.raw()];
        entry::select_by(self.database()?, &on, "i.id DESC", &values)
    }

    /// The newest intents before this one, newest first.
    pub fn recent_before(&self, id: IntentId, limit: u32) -> Result<Vec<IntentRow>, JournalError> {
        entry::select(self.database()?, &format!("WHERE i.id < {}", id.0), limit)
    }

    /// The intent that was recorded with this key, if any.
    pub fn by_key(&self, key: &IdempotencyKey) -> Result<Option<IntentRow>, JournalError> {
        entry::with_key(self.database()?, key)
    }

    /// One intent.
    pub fn entry(&self, id: IntentId) -> Result<Option<IntentRow>, JournalError> {
        let found = entry::select(self.database()?, &format!("WHERE i.id = {}", id.0), 1)?;
        Ok(found.into_iter().next())
    }

    /// Intents that are in flight or of unknown outcome, newest first.
    pub fn open_intents(&self) -> Result<Vec<IntentRow>, JournalError> {
        let open = format!("WHERE i.state IN {}", IntentState::open_list());
        entry::select(self.database()?, &open, u32::MAX)
    }
}
