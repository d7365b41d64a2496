//! The accounts that share one journal, and which of them takes over a command that an earlier session left open.
//!
//! Contract: exactly one account takes over each open command. First choice: the account with the same service, account
//! id and key. Second: one with the same service and account id, which asks a person because the key differs.
//! Otherwise: the first account, which shows the command as another service's.

use crate::{
    config::{Connection, Secret},
    journal::{Intent, IntentRow, Journal, JournalError},
    model::{AccountId, IdempotencyKey},
    runtime::base::process::ProcessKind,
};
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An account of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountAddress {
    pub base_url: String,
    pub account_id: AccountId,
}

impl From<&Connection> for AccountAddress {
    fn from(connection: &Connection) -> Self {
        Self {
            base_url: connection.base_url.clone(),
            account_id: connection.account_id.clone(),
        }
    }
}

/// An account that shares the journal.
#[derive(Debug, Clone)]
pub(crate) struct JournalAccount {
    address: AccountAddress,
    /// `None` for an account of another process, whose key is not needed.
    key: Option<Secret>,
}

impl From<&Connection> for JournalAccount {
    fn from(connection: &Connection) -> Self {
        Self {
            address: connection.into(),
            key: Some(connection.api_key.clone()),
        }
    }
}

impl From<AccountAddress> for JournalAccount {
    fn from(address: AccountAddress) -> Self {
        Self { address, key: None }
    }
}

/// The rows that earlier sessions left open on an account.
#[derive(Debug)]
pub(crate) struct OpenRows {
    pub(crate) open: Vec<IntentRow>,
    /// Newest first: what was recorded of this account, open or not; empty if nothing is open.
    pub(crate) recent: Vec<IntentRow>,
    /// Fingerprint of the API key of this desk.
    pub(crate) fingerprint: String,
}

/// The accounts that share a journal, and which of them is this one.
#[derive(Debug, Clone)]
pub(crate) struct JournalAccounts {
    all: Arc<[JournalAccount]>,
    own: usize,
    resumed: ResumedIntents,
}

/// Rows of earlier sessions that this command resumes itself. Recovery skips them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResumedIntents {
    /// Rows with these keys.
    Keys(Vec<IdempotencyKey>),
    /// A flatten, which also covers what an earlier flatten and its parts were to close.
    Flatten,
}

impl ResumedIntents {
    fn has(&self, intent: &Intent) -> bool {
        match self {
            Self::Keys(keys) => intent.key.as_ref().is_some_and(|key| keys.contains(key)),
            Self::Flatten => intent.is_flatten() || intent.parent.is_some(),
        }
    }
}

impl JournalAccounts {
    pub(crate) fn new(all: Arc<[JournalAccount]>, own: usize) -> Self {
        let resumed = ResumedIntents::Keys(vec![]);
        Self { all, own, resumed }
    }

    /// One account, and others that other processes take over.
    pub(crate) fn among(own: &Connection, others: Vec<AccountAddress>) -> Self {
        let others = others.into_iter().map(JournalAccount::from);
        Self::new(std::iter::once(own.into()).chain(others).collect(), 0)
    }

    pub(crate) fn apart_from(self, resumed: ResumedIntents) -> Self {
        Self { resumed, ..self }
    }

    /// The open rows of this account whose writers are dead: rows that earlier sessions left, and rows that it must ask a
    /// person about. A desk takes them over; a verb only reads what became of them.
    pub(crate) fn left(
        &self,
        journal: &mut Journal,
        process: ProcessKind,
    ) -> Result<OpenRows, JournalError> {
        if let Some(why) = journal.failure() {
            return Err(why.clone());
        }
        let fingerprints = self.all.iter().map(|account| {
            let key = account.key.as_ref();
            key.map(|key| journal.fingerprint(key.expose_secret()))
                .transpose()
        });
        let fingerprints = fingerprints.collect::<Result<Vec<_>, _>>()?;
        let is_own = |entry: &IntentRow| {
            self.taken_over_by(entry, &fingerprints) == self.own && !self.resumed.has(&entry.intent)
        };
        let open = match process {
            ProcessKind::Desk => journal.take_over(is_own)?,
            ProcessKind::Verb => journal.left_open()?.into_iter().filter(is_own).collect(),
        };
        let own = self.all.get(self.own);
        let recent = match own.filter(|_| !open.is_empty()) {
            Some(JournalAccount { address, .. }) => {
                journal.recent_on((&address.base_url, &address.account_id), RECENT)?
            }
            None => vec![],
        };
        Ok(OpenRows {
            open,
            recent,
            fingerprint: fingerprints
                .into_iter()
                .nth(self.own)
                .flatten()
                .unwrap_or_default(),
        })
    }

    fn taken_over_by(&self, entry: &IntentRow, fingerprints: &[Option<String>]) -> usize {
        let intent = &entry.intent;
        let is_here = |account: &JournalAccount| {
            let address = &account.address;
            intent.base_url == address.base_url && intent.account_id == address.account_id
        };
        let has_key = |fingerprint: &Option<String>| {
            intent.credential.is_empty() || fingerprint.as_ref() == Some(&intent.credential)
        };
        let mut exact = self.all.iter().zip(fingerprints);
        let exact =
            exact.position(|(account, fingerprint)| is_here(account) && has_key(fingerprint));
        let near = || self.all.iter().position(is_here);
        exact.or_else(near).unwrap_or_default()
    }
}

/// How many recent rows recovery knows: far more than are ever open.
const RECENT: u32 = 1_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Risk, Timestamp};

    const SERVICE: &str = "https://a.test";

    fn connection(base_url: &str, account: &str, key: &str) -> JournalAccount {
        let key = Secret::from(key.to_owned());
        let connection = Connection::paper(base_url.to_owned(), key, account.into());
        JournalAccount::from(&connection)
    }

    #[test]
    fn each_account_answers_for_its_own_and_the_first_for_what_is_nobodys() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(dir.path()).unwrap();
        let all: Arc<[JournalAccount]> = Arc::from([
            connection(SERVICE, "chal-1", "one"),
            connection(SERVICE, "chal-2", "two"),
            connection("https://b.test", "chal-1", "one"),
        ]);
        let left = [
            (SERVICE, "chal-2", "two"),
            (SERVICE, "chal-1", "one"),
            ("https://b.test", "chal-1", "one"),
            ("https://gone.test", "chal-1", "one"),
            (SERVICE, "chal-2", "an older key"),
        ];
        for (at, (base_url, account, key)) in (1..).zip(left) {
            let intent = Intent {
                base_url: base_url.to_owned(),
                account_id: account.into(),
                credential: journal.fingerprint(key).unwrap(),
                method: "DELETE".to_owned(),
                target: "/v1/orders/o-1".to_owned(),
                body: vec![],
                key: None,
                risk: Risk::Reducing,
                command: format!("{at}"),
                resource: None,
                parent: None,
                entry: None,
                replaces: None,
                deadline: Timestamp(at),
                replay_until: Timestamp(at),
            };
            journal.record(Timestamp(at), &intent).unwrap();
        }
        drop(journal);
        let mut journal = Journal::open(dir.path()).unwrap();
        let mut of = |own: usize| {
            let accounts = JournalAccounts::new(Arc::clone(&all), own);
            let left = accounts.left(&mut journal, ProcessKind::Desk).unwrap();
            let commands = left.open.into_iter().map(|entry| entry.intent.command);
            commands.collect::<Vec<_>>()
        };
        assert_eq!(of(0), ["4", "2"]);
        assert_eq!(of(1), ["5", "1"]);
        assert_eq!(of(2), ["3"]);
    }
}
