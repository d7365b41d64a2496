//! The API key in use, which is read again from its source when the service refuses it.
//!
//! Contract: one reading at a time, on a thread that may wait. A reading that began after a request was sent answers for
//! that request too.

use super::{Client, lock::locked};
use crate::{
    config::{ApiKeySource, Secret},
    model::{Failure, Fallible},
};
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, zeroize::Zeroizing};
use std::{sync::Mutex, time::Duration};
use tokio::{
    task::spawn_blocking,
    time::{Instant, timeout},
};

/// How long a refused request waits for another key; a slower source takes effect for the next one.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct Credentials {
    in_use: Mutex<KeyHeader>,
    source: ApiKeySource,
    /// When the last reading of the source began.
    last_reading: tokio::sync::Mutex<Option<Instant>>,
}

/// A key, and the header that carries it.
#[derive(Debug, Clone)]
pub(super) struct KeyHeader {
    key: Secret,
    pub(super) bearer: HeaderValue,
}

impl Credentials {
    pub(super) fn new(secret: Secret, source: ApiKeySource) -> Fallible<Self> {
        Ok(Self {
            in_use: Mutex::new(KeyHeader::new(secret)?),
            source,
            last_reading: tokio::sync::Mutex::default(),
        })
    }

    pub(super) fn in_use(&self) -> KeyHeader {
        locked(&self.in_use).clone()
    }

    /// Whether another key than `refused`, which was sent at `sent`, is in use now.
    async fn renew(&self, refused: &KeyHeader, sent: Instant) -> bool {
        let mut last_reading = self.last_reading.lock().await;
        let is_known = last_reading.is_some_and(|at| at > sent);
        if !is_known && self.is_in_use(refused) && self.source != ApiKeySource::Start {
            *last_reading = Some(Instant::now());
            self.read_again().await;
        }
        !self.is_in_use(refused)
    }

    fn is_in_use(&self, key: &KeyHeader) -> bool {
        locked(&self.in_use).bearer == key.bearer
    }

    async fn read_again(&self) {
        let source = self.source.clone();
        let Ok(Some(found)) = spawn_blocking(move || source.read_again()).await else {
            return;
        };
        let key = found.map_err(Failure::local).and_then(KeyHeader::new);
        match key {
            Ok(key) => *locked(&self.in_use) = key,
            Err(why) => tracing::warn!(%why, "the API key cannot be read again"),
        }
    }
}

impl KeyHeader {
    fn new(key: Secret) -> Fallible<Self> {
        let bearer = bearer(key.expose_secret())?;
        Ok(Self { key, bearer })
    }
}

impl Client {
    /// The key in use.
    pub fn api_key(&self) -> Secret {
        self.0.credentials.in_use().key
    }

    /// Reads the key's source again after a 401 to `refused`, which was sent at `sent`: whether there is another key.
    pub(super) async fn renew_key(&self, refused: KeyHeader, sent: Instant) -> bool {
        let client = self.clone();
        // Goes on after the timeout.
        let renewal = tokio::spawn(async move { client.0.credentials.renew(&refused, sent).await });
        matches!(timeout(READ_TIMEOUT, renewal).await, Ok(Ok(true)))
    }
}

fn bearer(key: &str) -> Fallible<HeaderValue> {
    if key.is_empty() {
        return Err(Failure::local("no API key is configured"));
    }
    let written = Zeroizing::new(format!("Bearer {key}"));
    let mut value = HeaderValue::from_str(&written)
        .map_err(|_| Failure::local("the API key contains characters that no header can carry"))?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::Request,
        client::{
            Attempt, RequestClass,
            testing::responder::{Reply, Responder, Seen, client, error, ok},
        },
        config::Connection,
        disk,
        model::{Command, FailureKind, KeyScope},
    };
    use std::path::Path;

    /// Accepts this key alone.
    fn accepts(key: &'static str, body: &'static str) -> impl Fn(&Seen) -> Reply + Send + Sync {
        move |seen| match seen.header("authorization") {
            Some(sent) if sent == format!("Bearer {key}") => ok(body),
            _ => error("401 Unauthorized", ""),
        }
    }

    fn with_key_in(responder: &Responder, path: &Path) -> Client {
        let source = ApiKeySource::File(path.to_owned());
        let connection = Connection {
            key_source: source,
            ..responder.connection()
        };
        client(connection).0
    }

    #[tokio::test]
    async fn a_replaced_key_is_used_for_the_read_that_was_refused_and_for_all_that_follow() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        let body = r#"{"data":[],"has_more":false}"#;
        let responder = Responder::playing(accepts("pd_live_new", body), || ()).await;
        let client = with_key_in(&responder, &path);
        let read = || client.open_positions();

        disk::replace(&path, b"pd_live_secret\n").unwrap();
        assert_eq!(read().await.unwrap_err().kind, FailureKind::Auth);
        assert!(client.key_refused());
        disk::replace(&path, b"pd_live_new\n").unwrap();
        assert!(read().await.is_ok());
        assert!(!client.key_refused());
        assert!(read().await.is_ok());
        assert_eq!(client.api_key().expose_secret(), "pd_live_new");
        assert_eq!(responder.seen().len(), 4, "refused twice, repeated once");
    }

    #[tokio::test]
    async fn an_exit_that_is_refused_goes_out_with_the_replaced_key_under_its_own_idempotency_key()
    {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        disk::replace(&path, b"pd_live_new\n").unwrap();
        let operation = r#"{"data":{"id":"op","operation":"close_all_positions","account_id":"chal-1",
            "status":"completed","total_count":0,"succeeded_count":0,"failed_count":0,"results":[],"created_at":0}}"#;
        let responder = Responder::playing(accepts("pd_live_new", operation), || ()).await;
        let client = with_key_in(&responder, &path).for_class(RequestClass::Exit);
        let command = Command::CloseAll("chal-1".into());
        let request = Request::encode(&command, "k-1".into()).unwrap();
        let attempt = client.send(&request, command.facts().mutation).await;
        assert!(matches!(attempt, Attempt::Done(_)), "{attempt:?}");
        let keys: Vec<_> = responder
            .seen()
            .iter()
            .map(|seen| seen.header("idempotency-key").map(str::to_owned))
            .collect();
        assert_eq!(keys, [Some("k-1".to_owned()), Some("k-1".to_owned())]);
    }

    #[tokio::test]
    async fn a_key_that_may_not_trade_is_replaced_by_the_one_of_its_source() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        disk::replace(&path, b"pd_live_new\n").unwrap();
        let canceled = r#"{"data":{"id":"o-1","canceled":true}}"#;
        let reply = move |seen: &Seen| match seen.header("authorization") {
            Some("Bearer pd_live_new") => ok(canceled),
            _ => error("403 Forbidden", ""),
        };
        let responder = Responder::playing(reply, || ()).await;
        let client = with_key_in(&responder, &path);
        let command = Command::Cancel("o-1".into());
        let request = Request::encode(&command, "k-1".into()).unwrap();
        let attempt = client.send(&request, command.facts().mutation).await;
        assert!(matches!(attempt, Attempt::Done(_)), "{attempt:?}");
        assert_eq!(client.key_scope(), KeyScope::Trade);
        assert_eq!(responder.seen().len(), 2);
    }
}
