//! What each user's `Idempotency-Key`s stand for.
//!
//! A key belongs to one user and one deed: endpoint, target and the body as parsed, so that spelling the same
//! request differently is still the same request. Recorded is exactly what had an effect: a placed order, an order
//! row recorded as rejected, a close-all operation. Validation, 401, 404 and 429 leave no record.
//!
//! Known limit: records live in memory with the orders they name; past [`KEPT`] per user the oldest is forgotten.

use super::{
    engine::{AccountIx, OrderId, PositionId},
    fault::Fault,
};
use crate::api::{CloseBody, PlaceBody};
use std::collections::{BTreeMap, VecDeque};

/// Records per user; thirty days of a desk, a day of a busy bot.
const KEPT: usize = 50_000;

/// What a key was first used for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Deed {
    Place(Box<PlaceBody>),
    Close(PositionId, Box<CloseBody>),
    CloseAll(AccountIx),
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
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
        let keys = self.users.entry(user).or_default();
        keys.records.insert(key.to_owned(), (deed, effect));
        keys.oldest_first.push_back(key.to_owned());
        if keys.oldest_first.len() > KEPT
            && let Some(oldest) = keys.oldest_first.pop_front()
        {
            keys.records.remove(&oldest);
        }
    }
}
