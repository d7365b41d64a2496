//! The encoded answers of reads, until the state changes: most of a read's cost is the encoding of its rows.
//!
//! An answer depends on the caller, the target as sent and the state alone, so the version of the state says whether it
//! is current. Virtual time is part of the state and so of its version. Every change makes all answers old at once.

use super::lock::locked;
use hyper::body::Bytes;
use std::{collections::HashMap, sync::Mutex};

/// What all answers together may take; another one above it replaces them all.
const MAX_BYTES: usize = 8 * 1024 * 1024;
const MAX_RESPONSES: usize = 4_096;
/// A larger answer is not kept: it would push out many small ones.
const MAX_RESPONSE_BYTES: usize = 256 * 1024;
/// Of an answer beside its bytes and its target: its place in the table, and two allocations.
const ENTRY_BYTES: usize = 128;

/// The state's version. Two states of one exchange with the same version are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct StateVersion(u64);

impl StateVersion {
    pub(super) fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Who reads what. Without a user: whoever has no key.
#[derive(Debug, Clone, Copy)]
pub(super) struct CachedRead<'a> {
    pub(super) user: Option<usize>,
    /// Path and query as sent.
    pub(super) target: &'a str,
}

#[derive(Debug, Default)]
pub(super) struct ResponseCache(Mutex<KeptResponses>);

type ResponseTable = HashMap<Option<usize>, HashMap<Box<str>, Bytes>>;

#[derive(Debug, Default)]
struct KeptResponses {
    /// Of all of them.
    version: StateVersion,
    by_user: ResponseTable,
    count: usize,
    bytes: usize,
}

impl ResponseCache {
    /// The body of the same read at the same version.
    pub(super) fn get(&self, version: StateVersion, read: CachedRead<'_>) -> Option<Bytes> {
        let kept = locked(&self.0);
        if kept.version != version {
            return None;
        }
        kept.by_user.get(&read.user)?.get(read.target).cloned()
    }

    /// Keeps the body that this read had at that version, unless it is large or already old.
    pub(super) fn keep(&self, version: StateVersion, read: CachedRead<'_>, body: &Bytes) {
        let size = body.len() + read.target.len() + ENTRY_BYTES;
        if size > MAX_RESPONSE_BYTES {
            return;
        }
        let mut kept = locked(&self.0);
        let old = kept.make_room(version, size);
        if kept.version == version {
            kept.insert(read, body, size);
        }
        drop(kept);
        // After the lock: requests wait for it.
        drop(old);
    }

    #[cfg(test)]
    pub(super) fn clear(&self) {
        *locked(&self.0) = KeptResponses::default();
    }
}

impl KeptResponses {
    /// Takes out everything that is older than `version`, or all if `size` more is too much.
    fn make_room(&mut self, version: StateVersion, size: usize) -> Option<ResponseTable> {
        let is_full = self.count >= MAX_RESPONSES || self.bytes + size > MAX_BYTES;
        if version < self.version || (version == self.version && !is_full) {
            return None;
        }
        let empty = Self {
            version,
            ..Self::default()
        };
        Some(std::mem::replace(self, empty).by_user)
    }

    fn insert(&mut self, read: CachedRead<'_>, body: &Bytes, size: usize) {
        let of_user = self.by_user.entry(read.user).or_default();
        // Two connections may have made the same answer at once.
        if of_user.insert(read.target.into(), body.clone()).is_none() {
            self.count += 1;
            self.bytes += size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(user: usize, target: &str) -> CachedRead<'_> {
        let user = Some(user);
        CachedRead { user, target }
    }

    fn body(len: usize) -> Bytes {
        vec![b'x'; len].into()
    }

    #[test]
    fn an_answer_is_given_to_its_own_user_for_its_own_target_and_version() {
        let cache = ResponseCache::default();
        let (old, new) = (StateVersion(6), StateVersion(7));
        cache.keep(new, read(1, "/v1/orders"), &body(3));
        assert_eq!(cache.get(new, read(1, "/v1/orders")), Some(body(3)));
        assert_eq!(cache.get(old, read(1, "/v1/orders")), None);
        assert_eq!(cache.get(new.next(), read(1, "/v1/orders")), None);
        assert_eq!(cache.get(new, read(2, "/v1/orders")), None);
        assert_eq!(cache.get(new, read(1, "/v1/orders?x=1")), None);
        let nobody = CachedRead {
            user: None,
            target: "/v1/orders",
        };
        assert_eq!(cache.get(new, nobody), None);
    }

    #[test]
    fn an_answer_of_an_older_state_that_was_encoded_late_is_not_kept() {
        let cache = ResponseCache::default();
        let (old, new) = (StateVersion(6), StateVersion(7));
        cache.keep(new, read(1, "/a"), &body(1));
        cache.keep(old, read(1, "/a"), &body(2));
        cache.keep(old, read(1, "/b"), &body(2));
        assert_eq!(cache.get(new, read(1, "/a")), Some(body(1)));
        assert_eq!(cache.get(old, read(1, "/b")), None);
        assert_eq!(cache.get(new, read(1, "/b")), None);
    }

    #[test]
    fn neither_many_answers_nor_large_ones_exceed_the_limits() {
        let cache = ResponseCache::default();
        let version = StateVersion::default();
        cache.keep(version, read(0, "/large"), &body(MAX_RESPONSE_BYTES));
        assert_eq!(cache.get(version, read(0, "/large")), None);
        for (size, many) in [(1, 3 * MAX_RESPONSES), (200 * 1024, 200)] {
            for n in 0..many {
                let target = format!("/{n}");
                cache.keep(version, read(n % 7, &target), &body(size));
                assert_eq!(cache.get(version, read(n % 7, &target)), Some(body(size)));
                let kept = locked(&cache.0);
                let bodies = kept.by_user.values().flat_map(HashMap::values);
                let bytes: usize = bodies.clone().map(Bytes::len).sum();
                assert!(bytes <= kept.bytes && kept.bytes <= MAX_BYTES);
                assert_eq!(bodies.count(), kept.count);
                assert!(kept.count <= MAX_RESPONSES);
            }
        }
    }

    #[test]
    fn the_same_answer_made_twice_counts_once() {
        let cache = ResponseCache::default();
        for _ in 0..9 {
            cache.keep(StateVersion::default(), read(0, "/a"), &body(1));
        }
        assert_eq!(locked(&cache.0).count, 1);
    }
}
