//! What the service knows of an account: its figures and its rules, in one value.

use super::{Client, lock::locked};
use crate::{
    config::Connection,
    model::{
        Account, AccountFacts, AccountStatus, Call, Failure, FailureKind, Fallible, Timestamp,
        TradingPolicy,
    },
};
use std::{sync::Mutex, time::Duration};
use tokio::{
    join,
    sync::mpsc::UnboundedSender,
    time::{Instant, timeout},
};

/// The policy changes rarely: it is read again after this long, and after a refusal.
const POLICY_AGE: Duration = Duration::from_mins(1);

/// A desk does not open before its accounts are known: it waits no longer.
const FIND_TIMEOUT: Duration = Duration::from_secs(5);

/// The policy as last read.
#[derive(Debug, Default)]
pub(super) struct KnownPolicy(Mutex<LastPolicy>);

#[derive(Debug, Default)]
struct LastPolicy {
    policy: Option<TradingPolicy>,
    /// `None` where it may have changed since.
    read_at: Option<Instant>,
}

impl KnownPolicy {
    /// The policy as last read, and whether that is long ago.
    fn known(&self) -> (Option<TradingPolicy>, bool) {
        let known = locked(&self.0);
        let is_old = |read_at: Instant| read_at.elapsed() >= POLICY_AGE;
        (known.policy.clone(), known.read_at.is_none_or(is_old))
    }

    fn learn(&self, policy: &TradingPolicy) {
        *locked(&self.0) = LastPolicy {
            policy: Some(policy.clone()),
            read_at: Some(Instant::now()),
        };
    }

    /// The next read of the account reads the policy too; until then it counts as it was.
    pub(super) fn expire(&self) {
        locked(&self.0).read_at = None;
    }
}

impl Client {
    /// The accounts of a key whose settings name none, those that are active first.
    ///
    /// # Errors
    /// The list could not be read in time, or is empty.
    pub async fn accounts_of(
        connection: Connection,
        calls: UnboundedSender<Call>,
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Fallible<Vec<Account>> {
        let client = Self::new(connection, calls, now)?;
        let read = timeout(FIND_TIMEOUT, client.accounts()).await;
        let read = read.unwrap_or_else(|_| {
            let why = format!("no answer within {} s", FIND_TIMEOUT.as_secs());
            Err(Failure::new(FailureKind::TimedOut, why))
        });
        let mut accounts = read.map_err(unlisted)?.rows;
        accounts.retain(|account| !account.id.raw().is_empty());
        if accounts.is_empty() {
            let why = "the API key has no account";
            return Err(Failure::new(FailureKind::NotFound, why));
        }
        accounts.sort_by_key(|account| !is_active(account));
        Ok(accounts)
    }

    /// The figures and rules of the account. A policy that cannot be read is as it was, or unknown.
    pub async fn account_facts(&self) -> Fallible<AccountFacts> {
        let (row, policy) = join!(self.account(), self.policy());
        let facts = AccountFacts::of(row?, policy);
        let is_simulator = self.is_simulator().await?;
        Ok(AccountFacts {
            answered_at: facts.as_of.filter(|_| is_simulator),
            ..facts
        })
    }

    /// The account with its risk. A row of another account is no answer.
    pub async fn account(&self) -> Fallible<Account> {
        let account = &self.connection().account_id;
        let row: Account = self.account_row().await?;
        if row.id == *account {
            return Ok(row);
        }
        let why = format!("the service answers with account {} for {account}", row.id);
        Err(Failure::new(FailureKind::Unreadable, why))
    }

    async fn policy(&self) -> Option<TradingPolicy> {
        let (known, is_old) = self.0.policy.known();
        if !is_old {
            return known;
        }
        match self.trading_policy().await {
            Ok(policy) => {
                self.0.policy.learn(&policy);
                Some(policy)
            }
            Err(_) => known,
        }
    }
}

fn is_active(account: &Account) -> bool {
    let status = account.status.as_ref();
    status.is_none_or(|status| status.is(&AccountStatus::Active))
}

fn unlisted(why: Failure) -> Failure {
    Failure {
        message: format!(
            "account_id is not set, and the accounts of the key could not be read: {}",
            why.message
        )
        .into(),
        ..why
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        client::testing::responder::{Responder, Seen, client as client_of, error, ok},
        model::{Command, Num},
    };
    use std::sync::atomic::{AtomicBool, Ordering};

    const ACCOUNT: &str = r#"{"data":{"id":"chal-1","status":"active","starting_balance":100000,
        "balance":100250.55,"risk":{"equity":100300}}}"#;

    async fn service() -> Responder {
        let part = |seen: &Seen| match seen.line.as_str() {
            "GET /v1/accounts/chal-1 HTTP/1.1" => ok(ACCOUNT),
            "GET /v1/accounts/chal-1/trading-policy HTTP/1.1" => {
                ok(r#"{"data":{"limits":{"max_open_positions":3}}}"#)
            }
            _ => error("422 Unprocessable Entity", ""),
        };
        Responder::playing(part, || ()).await
    }

    fn policies(responder: &Responder) -> usize {
        let seen = responder.seen();
        let is_policy = |seen: &&Seen| seen.line.contains("trading-policy");
        seen.iter().filter(is_policy).count()
    }

    #[tokio::test]
    async fn figures_and_limits_are_those_of_our_account_and_the_policy_is_read_rarely() {
        let responder = service().await;
        let (client, _calls) = responder.client();
        for _ in 0..3 {
            let facts = client.account_facts().await.unwrap();
            assert_eq!(facts.cash, "100250.55".parse().ok());
            assert_eq!(facts.equity, Some(Num::from(100_300_u32)));
            let positions = facts.rule("max_open_positions").unwrap().limit;
            assert_eq!(positions, Num::from(3_u32));
        }
        assert_eq!(policies(&responder), 1);
    }

    #[tokio::test]
    async fn a_refused_command_has_the_policy_read_again() {
        let responder = service().await;
        let (client, _calls) = responder.client();
        client.account_facts().await.unwrap();
        let cancel = Command::Cancel("o-1".into());
        let request = crate::api::Request::encode(&cancel, "key-1".into()).unwrap();
        client.send(&request, cancel.facts().mutation).await;
        client.account_facts().await.unwrap();
        assert_eq!(policies(&responder), 2);
    }

    #[tokio::test]
    async fn a_policy_that_cannot_be_read_again_after_a_refusal_is_as_it_was() {
        let was_read = AtomicBool::new(false);
        let part = move |seen: &Seen| match seen.line.as_str() {
            "GET /v1/accounts/chal-1 HTTP/1.1" => ok(ACCOUNT),
            line if line.contains("trading-policy") && !was_read.swap(true, Ordering::Relaxed) => {
                ok(r#"{"data":{"limits":{"max_open_positions":3}}}"#)
            }
            _ => error("422 Unprocessable Entity", ""),
        };
        let responder = Responder::playing(part, || ()).await;
        let (client, _calls) = responder.client();
        let before = client.account_facts().await.unwrap().policy;
        assert!(before.is_some());
        client.0.policy.expire();
        assert_eq!(client.account_facts().await.unwrap().policy, before);
        assert_eq!(policies(&responder), 2);
    }

    #[tokio::test]
    async fn the_accounts_of_a_key_are_listed_the_active_ones_first() {
        let list = r#"{"data":[{"id":"a","status":"failed"},{"id":""},{"id":"b","status":"active"},{"id":"c"}]}"#;
        let found = |body: &'static str| async move {
            let responder = Responder::answering(vec![ok(body)]).await;
            let connection = crate::config::Connection {
                account_id: "".into(),
                ..responder.connection()
            };
            let (calls, _called) = tokio::sync::mpsc::unbounded_channel();
            Client::accounts_of(connection, calls, || Timestamp(0)).await
        };
        let ids = |accounts: Vec<Account>| {
            let ids = accounts.iter().map(|account| account.id.to_string());
            ids.collect::<Vec<_>>()
        };
        assert_eq!(ids(found(list).await.unwrap()), ["b", "c", "a"]);
        let none = found(r#"{"data":[]}"#).await.unwrap_err();
        assert_eq!(none.kind, FailureKind::NotFound);
    }

    #[tokio::test]
    async fn an_account_without_a_policy_has_its_figures_and_another_account_is_no_answer() {
        let part = |seen: &Seen| {
            if seen.line.contains("trading-policy") {
                error("404 Not Found", "")
            } else {
                ok(ACCOUNT)
            }
        };
        let responder = Responder::playing(part, || ()).await;
        let (client, _calls) = responder.client();
        let facts = client.account_facts().await.unwrap();
        assert_eq!((facts.policy, facts.rules), (None, vec![]));
        let (other, _calls) = client_of(Connection {
            account_id: "other".into(),
            ..responder.connection()
        });
        let why = other.account_facts().await.unwrap_err();
        assert_eq!(why.kind, FailureKind::Unreadable);
    }
}
