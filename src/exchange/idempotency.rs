//! The requests and results that each user's `Idempotency-Key`s identify.
//!
//! A key belongs to one user and one request: endpoint, target and the parsed body, so that other spelling is still the
//! same request. Only effects are recorded: a placed order, an order row recorded as rejected, a TWAP, a scaled order,
//! a close-all or cancel-all operation. Validation errors, 401, 404 and 429 leave no record.
//!
//! A record lives for thirty days of virtual time and is never dropped early. A user at the limit
//! ([`MAX_KEYS_PER_USER`], unless the scenario sets another) gets 429 for new keys until the oldest expires.

use super::{
    api_error::{ApiError, ApiResult, ServiceCode},
    engine::{AccountIx, Millis, OrderId, PositionId, ScaledId, TwapId},
    store::{EncodeFault, StoreRecord},
};
use crate::model::{ClosePosition, PlaceOrder, PlaceScaled, PlaceTwap};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use std::collections::{BTreeMap, VecDeque};

/// How long a key is kept (`docs/engine.md 11.2`).
const KEY_RETENTION: Millis = Millis(30 * Millis::DAY.0);
/// Records per user: 23 new orders a minute for all of thirty days. At this limit the records take about as much memory
/// as the rows of those orders.
const MAX_KEYS_PER_USER: u32 = 1_000_000;

/// What a key was first used for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum IdempotentRequest {
    Place(Box<PlaceOrder>),
    PlaceTwap(Box<PlaceTwap>),
    PlaceScaled(Box<PlaceScaled>),
    Close(PositionId, Box<ClosePosition>),
    CloseAll(AccountIx),
    CancelAll(AccountIx),
}

/// A request under an `Idempotency-Key`, or without one where it is optional.
#[derive(Debug)]
pub(super) struct KeyedRequest<'a> {
    pub(super) user: usize,
    pub(super) key: Option<&'a str>,
    pub(super) request: IdempotentRequest,
}

/// What the first request did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum IdempotentResult {
    Order(AccountIx, OrderId),
    Twap(AccountIx, TwapId),
    Scaled(AccountIx, ScaledId),
    /// A rejected order row exists; the refusal is returned again.
    Refused(ApiError),
    /// By index.
    Operation(usize),
}

#[derive(Debug)]
pub(super) struct IdempotencyRecords {
    users: BTreeMap<usize, UserKeys>,
    /// The most records of a user.
    most: usize,
    /// Not yet written to the store.
    changes: Vec<KeyChange>,
}

#[derive(Debug)]
enum KeyChange {
    Recorded(usize, String),
    Forgotten(usize, String),
}

/// The time, the request and the result. Its JSON is on disk.
type KeyRecord = (Millis, IdempotentRequest, IdempotentResult);

#[derive(Debug, Default)]
struct UserKeys {
    records: BTreeMap<String, KeyRecord>,
    oldest_first: VecDeque<(Millis, String)>,
}

impl UserKeys {
    /// Removes and returns the keys of `at` and before.
    fn forget_before(&mut self, at: Millis) -> Vec<String> {
        let mut forgotten = vec![];
        while let Some((_, key)) = self.oldest_first.pop_front_if(|(made, _)| *made <= at) {
            self.records.remove(&key);
            forgotten.push(key);
        }
        forgotten
    }
}

impl Default for IdempotencyRecords {
    fn default() -> Self {
        Self {
            users: BTreeMap::new(),
            most: MAX_KEYS_PER_USER as usize,
            changes: vec![],
        }
    }
}

impl IdempotencyRecords {
    /// Replaces [`MAX_KEYS_PER_USER`] if a limit is given.
    pub(super) fn with_key_limit(self, most: Option<u32>) -> Self {
        Self {
            most: most.map_or(self.most, |most| most as usize),
            ..self
        }
    }

    /// The earlier result of a key; `None` for a new key or none, 409 if it was used for another request.
    pub(super) fn recall(&self, keyed: &KeyedRequest<'_>) -> ApiResult<Option<IdempotentResult>> {
        let keys = self.users.get(&keyed.user);
        let record = keyed.key.and_then(|key| keys?.records.get(key));
        match record {
            None => Ok(None),
            Some((_, recorded, result)) if *recorded == keyed.request => Ok(Some(result.clone())),
            Some(_) => Err(ApiError::service(
                ServiceCode::IdempotencyConflict,
                "this Idempotency-Key was used for another request",
            )),
        }
    }

    /// Removes expired keys. The error, for a user at the limit, is the time until the oldest key expires.
    pub(super) fn make_room(&mut self, user: usize, now: Millis) -> Result<(), Millis> {
        self.forget_expired(user, now);
        let Some(keys) = self.users.get(&user) else {
            return Ok(());
        };
        match keys.oldest_first.front() {
            Some((oldest, _)) if keys.oldest_first.len() >= self.most => {
                Err(*oldest + KEY_RETENTION - now)
            }
            Some(_) | None => Ok(()),
        }
    }

    fn forget_expired(&mut self, user: usize, now: Millis) {
        let Some(keys) = self.users.get_mut(&user) else {
            return;
        };
        let forgotten = keys.forget_before(now - KEY_RETENTION);
        let forgotten = forgotten
            .into_iter()
            .map(|key| KeyChange::Forgotten(user, key));
        self.changes.extend(forgotten);
    }

    /// Removes the expired keys of users who make no new ones, too.
    pub(super) fn drop_expired(&mut self, now: Millis) {
        let users: Vec<usize> = self.users.keys().copied().collect();
        for user in users {
            self.forget_expired(user, now);
        }
    }

    /// Records the result of a key at `now`; without one there is nothing to repeat.
    pub(super) fn record(
        &mut self,
        keyed: KeyedRequest<'_>,
        result: IdempotentResult,
        now: Millis,
    ) {
        let Some(key) = keyed.key else { return };
        let (user, key) = (keyed.user, key.to_owned());
        self.changes.push(KeyChange::Recorded(user, key.clone()));
        self.keep(user, key, (now, keyed.request, result));
    }

    fn keep(&mut self, user: usize, key: String, record: KeyRecord) {
        let keys = self.users.entry(user).or_default();
        keys.oldest_first.push_back((record.0, key.clone()));
        keys.records.insert(key, record);
    }

    /// Changes since the last call, encoded for the store (JSON, because the bodies are).
    pub(super) fn changes(&mut self) -> Result<Vec<StoreRecord>, EncodeFault> {
        let changes = std::mem::take(&mut self.changes);
        let written = |change| match change {
            KeyChange::Forgotten(user, key) => Ok(Some(StoreRecord::KeyForgotten { user, key })),
            KeyChange::Recorded(user, key) => {
                let kept = self
                    .users
                    .get(&user)
                    .and_then(|keys| keys.records.get(&key));
                let record = kept.map(to_raw_value).transpose()?;
                Ok(record.map(|record| StoreRecord::Key { user, key, record }))
            }
        };
        changes
            .into_iter()
            .filter_map(|change| written(change).transpose())
            .collect()
    }

    pub(super) fn discard_changes(&mut self) {
        self.changes.clear();
    }

    /// Loads a stored record; call it oldest first.
    pub(super) fn restore(
        &mut self,
        user: usize,
        key: String,
        record: &RawValue,
    ) -> Result<(), EncodeFault> {
        self.keep(user, key, serde_json::from_str(record.get())?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyed_request() -> KeyedRequest<'static> {
        KeyedRequest {
            user: 0,
            key: Some("k"),
            request: IdempotentRequest::CloseAll(AccountIx::from(0)),
        }
    }

    fn day(count: i64) -> Millis {
        Millis(count * Millis::DAY.0)
    }

    #[test]
    fn a_key_stands_for_its_request_for_thirty_days() {
        let mut keys = IdempotencyRecords::default();
        keys.record(keyed_request(), IdempotentResult::Operation(3), day(1));
        for (today, remembered) in [(1, true), (30, true), (31, false)] {
            assert_eq!(keys.make_room(0, day(today)), Ok(()));
            let recalled = keys.recall(&keyed_request()).unwrap();
            assert_eq!(recalled.is_some(), remembered, "day {today}");
        }
    }

    #[test]
    fn too_many_keys_are_refused_rather_than_an_old_one_forgotten() {
        let mut keys = IdempotencyRecords::default();
        keys.record(keyed_request(), IdempotentResult::Operation(3), day(1));
        let others = std::iter::repeat_n((day(1), String::new()), MAX_KEYS_PER_USER as usize - 1);
        keys.users.get_mut(&0).unwrap().oldest_first.extend(others);
        assert_eq!(keys.make_room(0, day(11)), Err(day(20)));
        assert_eq!(keys.make_room(1, day(11)), Ok(()), "another user");
        assert_eq!(
            keys.recall(&keyed_request()),
            Ok(Some(IdempotentResult::Operation(3)))
        );
        assert_eq!(keys.make_room(0, day(31)), Ok(()));
    }
}
