//! Authentication: bearer keys, the accounts they open, and the routes that need one.
//!
//! Only the SHA-256 of a key is kept. It is found by a hash with a random seed and compared in constant time, so neither
//! memory nor timing reveals a key, and a request takes as long with a thousand users as with one. `secret` says where keys come from. The exchange is for loopback.

use super::{
    api_error::{ApiError, ApiResult, ErrorHeader, ServiceCode},
    bytes::same_bytes,
    engine::AccountIx,
    scenario::UserCredentials,
};
use hyper::{HeaderMap, header::AUTHORIZATION};
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    hash::{Hash, Hasher},
};

/// An authenticated user; endpoints check ownership by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AuthenticatedUser {
    pub(super) user: usize,
    pub(super) scope: KeyRights,
    pub(super) accounts: Vec<AccountIx>,
}

/// What a key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyRights {
    Trade,
    Read,
}

impl AuthenticatedUser {
    /// 403 for a key that only reads.
    pub(super) fn check_may_write(&self) -> ApiResult<()> {
        match self.scope {
            KeyRights::Trade => Ok(()),
            KeyRights::Read => Err(ApiError::service(
                ServiceCode::InsufficientScope,
                "this API key has no trade scope: it can read, and nothing else",
            )),
        }
    }
}

#[derive(Debug)]
pub(super) struct Authenticator {
    users: HashMap<KeyHash, AuthenticatedUser>,
}

#[derive(Debug, Eq)]
struct KeyHash([u8; 32]);

impl PartialEq for KeyHash {
    fn eq(&self, other: &Self) -> bool {
        same_bytes(&self.0, &other.0)
    }
}

impl Hash for KeyHash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl KeyHash {
    fn new(key: &str) -> Self {
        Self(Sha256::digest(key).into())
    }
}

impl Authenticator {
    pub(super) fn new(users: &[UserCredentials]) -> Self {
        let keys = users.iter().enumerate().flat_map(|(user, credentials)| {
            let read_only = credentials.read_only_key.as_ref();
            let read_only = read_only.map(|key| (key, KeyRights::Read));
            let keys = [(&credentials.key, KeyRights::Trade)]
                .into_iter()
                .chain(read_only);
            keys.map(move |(key, scope)| {
                let accounts = credentials.accounts.iter().map(|(_, ix)| *ix).collect();
                let user = AuthenticatedUser {
                    user,
                    scope,
                    accounts,
                };
                (KeyHash::new(key.reveal()), user)
            })
        });
        Self {
            users: keys.collect(),
        }
    }

    /// The user of `Authorization: Bearer <key>`, or 401. Looks up nothing else.
    pub(super) fn authenticate(&self, headers: &HeaderMap) -> ApiResult<&AuthenticatedUser> {
        let mut given = headers.get_all(AUTHORIZATION).iter();
        let presented = given
            .next()
            .filter(|_| given.next().is_none())
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map(|(_, key)| KeyHash::new(key.trim()));
        let Some(presented) = presented else {
            return Err(unauthorized("Authorization: Bearer <API key> is required"));
        };
        let known = self.users.get(&presented);
        known.ok_or_else(|| unauthorized("this API key is not valid"))
    }
}

fn unauthorized(message: &str) -> ApiError {
    ApiError {
        header: Some(ErrorHeader::Challenge),
        ..ApiError::service(ServiceCode::Unauthorized, message)
    }
}

/// Whether the controls of the simulation, below `/sim`, are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SimulatorAccess {
    #[default]
    Served,
    /// `/v1` alone, as a service has it.
    Hidden,
}

impl SimulatorAccess {
    /// Where the controls are.
    pub(super) fn root(self) -> Option<&'static str> {
        match self {
            Self::Served => Some("/sim"),
            Self::Hidden => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RouteAccess {
    Public,
    /// Public. A key is optional, but must be valid; with one, the answer marks the rows of its accounts.
    PublicOrKey,
    Key,
}

impl RouteAccess {
    /// What the service is, its markets and market data are public; everything else needs a key. The query does not
    /// count: a bad query of a public route is a 400, not a 401. Routes of a hidden simulator are missing for everybody.
    pub(super) fn from_path(method: &str, path: &str, simulator: SimulatorAccess) -> Self {
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        match (method, segments.as_slice()) {
            (_, ["sim", ..]) if simulator == SimulatorAccess::Hidden => Self::Public,
            (
                "GET" | "HEAD",
                ["v1"]
                | ["v1", "markets" | "market-data"]
                | ["v1", "markets", _]
                | ["sim", "openapi.yaml" | "markets"]
                | ["sim", "markets", _, "book" | "candles"],
            ) => Self::Public,
            ("GET" | "HEAD", ["sim", "markets", _, "trades"]) => Self::PublicOrKey,
            _ => Self::Key,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::secret::{ApiKey, KeySource, ServerSecret};
    use hyper::{StatusCode, header::HeaderValue};

    fn key(user: &str) -> ApiKey {
        ServerSecret::new(KeySource::Seed, 7).api_key(user)
    }

    fn with(authorization: &str) -> HeaderMap {
        let value = HeaderValue::from_str(authorization).unwrap();
        HeaderMap::from_iter([(AUTHORIZATION, value)])
    }

    fn user(key: &ApiKey, read_only: Option<&ApiKey>, id: &str, ix: usize) -> UserCredentials {
        UserCredentials {
            key: key.clone(),
            read_only_key: read_only.cloned(),
            accounts: vec![(id.into(), AccountIx::from(ix))],
        }
    }

    #[test]
    fn a_read_only_key_opens_the_same_accounts_and_may_not_write() {
        let secret = ServerSecret::new(KeySource::Seed, 7);
        let (trade, read) = (secret.api_key("ann"), secret.read_only_api_key("ann"));
        let auth = Authenticator::new(&[user(&trade, Some(&read), "a", 0)]);
        let caller = |key: &ApiKey| {
            let headers = with(&format!("Bearer {}", key.reveal()));
            auth.authenticate(&headers).unwrap().clone()
        };
        assert_eq!(caller(&trade).accounts, caller(&read).accounts);
        assert_eq!(caller(&trade).user, caller(&read).user);
        assert_eq!(caller(&trade).check_may_write(), Ok(()));
        assert_eq!(
            caller(&read).check_may_write().unwrap_err().status,
            StatusCode::FORBIDDEN
        );
    }

    #[test]
    fn only_the_exact_key_opens_its_own_accounts() {
        let (ann, ben) = (key("ann"), key("ben"));
        let auth = Authenticator::new(&[user(&ann, None, "a", 0), user(&ben, None, "b", 1)]);
        let accounts = |authorization: &str| {
            let admitted = auth.authenticate(&with(authorization));
            admitted.map(|caller| caller.accounts.clone()).ok()
        };
        let key = ben.reveal();
        assert_eq!(
            accounts(&format!("Bearer {key}")),
            Some(vec![AccountIx::from(1)])
        );
        assert_eq!(accounts(&format!("Bearer {key}x")), None);
        assert_eq!(accounts(&format!("Basic {key}")), None);
        assert_eq!(accounts(key), None);
        assert!(auth.authenticate(&HeaderMap::new()).is_err());
    }

    #[test]
    fn a_key_has_its_prefix_and_is_never_printed() {
        let key = key("ann");
        assert!(key.reveal().starts_with("paper_live_"));
        assert_eq!(format!("{key:?}"), "ApiKey(…)");
    }
}
