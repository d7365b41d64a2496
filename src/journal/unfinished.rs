//! An unfinished close-all, whose key the next close-all of its account reuses.
//!
//! Contract: a new key would begin a second operation. The key is reused only while the service still keeps it, by the
//! same account and API key. It is not reused if the service last answered with a conflict (409), because that
//! operation may never end and positions still have to be closed.

use super::{Claim, Intent, IntentRow, IntentState, Journal, JournalError, entry};
use crate::model::{AccountId, Timestamp};
use rusqlite::ToSql;

/// Rows that are searched: a person repeats a close-all a few times at most.
const ROWS: u32 = 20;

const CONDITION: &str = "WHERE i.target = ?2 AND i.base_url = ?3 AND i.account_id = ?4 AND i.key IS NOT NULL
    AND i.credential IN ('', ?5)
    AND 409 IS NOT (SELECT a.status FROM attempts a WHERE a.intent_id = i.id ORDER BY a.number DESC LIMIT 1)";

/// The sender: the account, and the API key as [`Journal::fingerprint`] names it.
#[derive(Debug, Clone, Copy)]
pub struct SenderIdentity<'a> {
    pub base_url: &'a str,
    pub account_id: &'a AccountId,
    pub credential: &'a str,
}

impl Journal {
    /// The newest intent with this target that the same sender has open and may resend.
    pub fn unfinished(
        &self,
        now: Timestamp,
        target: &str,
        sender: SenderIdentity<'_>,
    ) -> Result<Option<IntentRow>, JournalError> {
        let condition = format!("{CONDITION} AND i.state IN {}", IntentState::open_list());
        let values: [&dyn ToSql; 5] = [
            &ROWS,
            &target,
            &sender.base_url,
            &sender.account_id.raw(),
            &sender.credential,
        ];
        let rows = entry::select_by(self.database()?, &condition, "i.id DESC", &values)?;
        Ok(rows.into_iter().find(|entry| entry.is_replayable(now)))
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
}
