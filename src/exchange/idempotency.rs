//! What each user's `Idempotency-Key`s stand for.
//!
//! A key belongs to one user and one deed: endpoint, target and the body as parsed, so that spelling the same
//! request differently is still the same request. Recorded is exactly what had an effect: a placed order, an order
//! row recorded as rejected, a close-all operation. Validation, 401, 404 and 429 leave no record.
//!
//! Known limit: past [`KEPT`] per user the oldest record is forgotten.

use super::{
    engine::{AccountIx, OrderId, PositionId},
    fault::Fault,
    store::{EncodeFault, Record},
};
use crate::api::{CloseBody, PlaceBody};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// Records per user; thirty days of a desk, a day of a busy bot.
const KEPT: usize = 50_000;

/// What a key was first used for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Deed {
    Place(Box<PlaceBody>),
    Close(PositionId, Box<CloseBody>),
    CloseAll(AccountIx),
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Effect {
    Order(AccountIx, OrderId),
    /// An order row exists, rejected; the same refusal again.
    Refused(Fault),
    /// By index.
    CloseAll(usize),
}

#[derive(Debug, Default)]
pub(super) struct Idempotency {
    users: BTreeMap<usize, Keys>,
    /// Since they were last asked for.
    changes: Vec<Change>,
}

#[derive(Debug)]
enum Change {
    Recorded(usize, String),
    Forgotten(usize, String),
}

#[derive(Debug, Default)]
struct Keys {
    records: BTreeMap<String, (Deed, Effect)>,
    oldest_first: VecDeque<String>,
}

impl Idempotency {
    /// What the key did before; `None` for a new key, 409 for one that was used for something else.
    pub(super) fn recall(
        &self,
        user: usize,
        key: &str,
        deed: &Deed,
    ) -> Result<Option<Effect>, Fault> {
        let record = self.users.get(&user).and_then(|keys| keys.records.get(key));
        match record {
            None => Ok(None),
            Some((recorded, effect)) if recorded == deed => Ok(Some(effect.clone())),
            Some(_) => Err(Fault::conflict(
                "idempotency_conflict",
                "this Idempotency-Key was used for another request",
            )),
        }
    }

    pub(super) fn record(&mut self, user: usize, key: &str, deed: Deed, effect: Effect) {
        self.changes.push(Change::Recorded(user, key.to_owned()));
        if let Some(oldest) = self.keep(user, key.to_owned(), (deed, effect)) {
            self.changes.push(Change::Forgotten(user, oldest));
        }
    }

    /// The key that had to go for it, if one had.
    fn keep(&mut self, user: usize, key: String, record: (Deed, Effect)) -> Option<String> {
        let keys = self.users.entry(user).or_default();
        keys.oldest_first.push_back(key.clone());
        keys.records.insert(key, record);
        if keys.oldest_first.len() <= KEPT {
            return None;
        }
        let oldest = keys.oldest_first.pop_front()?;
        keys.records.remove(&oldest);
        Some(oldest)
    }

    /// What changed since the last call, as it is written. In JSON, which the bodies are made for.
    pub(super) fn changes(&mut self) -> Result<Vec<Record>, EncodeFault> {
        let changes = std::mem::take(&mut self.changes);
        let written = |change| match change {
            Change::Forgotten(user, key) => Ok(Some(Record::KeyForgotten { user, key })),
            Change::Recorded(user, key) => {
                let kept = self
                    .users
                    .get(&user)
                    .and_then(|keys| keys.records.get(&key));
                let record = kept.map(serde_json::to_vec).transpose()?;
                Ok(record.map(|record| Record::Key { user, key, record }))
            }
        };
        changes
            .into_iter()
            .filter_map(|change| written(change).transpose())
            .collect()
    }

    pub(super) fn forget_changes(&mut self) {
        self.changes.clear();
    }

    /// Takes a written record back, oldest first.
    pub(super) fn restore(
        &mut self,
        user: usize,
        key: String,
        record: &[u8],
    ) -> Result<(), EncodeFault> {
        self.keep(user, key, serde_json::from_slice(record)?);
        Ok(())
    }
}
