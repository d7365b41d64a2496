//! The connection limit, and which connection is evicted for a new one.
//!
//! One address has at most [`MAX_PER_ADDRESS`] of [`MAX_CONNECTIONS`] connections. At a limit a new connection evicts
//! one that waits for its own client, in this order:
//! 1. a head, body or response read that the client has not finished for [`REQUEST_OVERDUE_AFTER`];
//! 2. of the address with the most connections, the one that has waited longest for a head, a body or a reader;
//! 3. of that address, an idle one between two requests.
//!
//! A connection whose request is being answered is never evicted; a request that arrives during eviction has a second
//! to be answered. If all are being answered, the new connection is rejected.
//!
//! Known limit: a client with many addresses gets the limit of each.

use super::timeout_stream::{ConnectionPhase, WaitingFor};
use crate::exchange::lock::locked;
use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// All addresses together.
const MAX_CONNECTIONS: usize = 192;
/// Per address: a desk and many bots on one machine share one.
const MAX_PER_ADDRESS: usize = 128;
/// A client that takes longer to finish a request is slow on purpose or has a bad connection.
const REQUEST_OVERDUE_AFTER: Duration = Duration::from_secs(1);

/// Hands out connection permits.
#[derive(Debug, Default)]
pub(super) struct ConnectionLimiter(Mutex<OpenConnections>);

#[derive(Debug, Default)]
struct OpenConnections {
    /// Number of the next connection; lower is earlier.
    next: u64,
    slots: BTreeMap<u64, ConnectionSlot>,
}

#[derive(Debug)]
struct ConnectionSlot {
    address: IpAddr,
    phase: Arc<ConnectionPhase>,
    evict: CancellationToken,
}

/// The right to hold one connection; returned when dropped.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    limiter: Arc<ConnectionLimiter>,
    number: u64,
    pub(super) phase: Arc<ConnectionPhase>,
    /// Fires when the connection must close for a new one.
    pub(super) evict: CancellationToken,
}

impl ConnectionLimiter {
    /// `None` at the limit, if every connection that could be evicted is answering a request.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionPermit> {
        let address = address.to_canonical();
        let mut taken = self.open();
        if !taken.make_room(address) {
            return None;
        }
        let slot = ConnectionSlot {
            address,
            phase: Arc::default(),
            evict: CancellationToken::new(),
        };
        let number = taken.next;
        taken.next += 1;
        let permit = ConnectionPermit {
            limiter: Arc::clone(self),
            number,
            phase: Arc::clone(&slot.phase),
            evict: slot.evict.clone(),
        };
        taken.slots.insert(number, slot);
        Some(permit)
    }

    fn open(&self) -> MutexGuard<'_, OpenConnections> {
        locked(&self.0)
    }
}

impl OpenConnections {
    fn make_room(&mut self, address: IpAddr) -> bool {
        if self.held_by(address) >= MAX_PER_ADDRESS {
            return self.evict_one(|slot| slot.address == address);
        }
        self.slots.len() < MAX_CONNECTIONS || self.evict_one(|_| true)
    }

    fn held_by(&self, address: IpAddr) -> usize {
        let slots = self.slots.values();
        slots.filter(|slot| slot.address == address).count()
    }

    /// Evicts the first eligible connection that waits for its client; false if there is none.
    fn evict_one(&mut self, eligible: impl Fn(&ConnectionSlot) -> bool) -> bool {
        let mut held: BTreeMap<IpAddr, usize> = BTreeMap::new();
        for slot in self.slots.values() {
            *held.entry(slot.address).or_default() += 1;
        }
        let slots = self.slots.iter().filter(|(_, slot)| eligible(slot));
        let waiting = slots.filter_map(|(number, slot)| {
            let fewer = usize::MAX - held.get(&slot.address).copied().unwrap_or(0);
            let (in_time, between, since) = slot.eviction_rank()?;
            Some((in_time, fewer, between, since, *number))
        });
        let Some((.., number)) = waiting.min() else {
            return false;
        };
        if let Some(slot) = self.slots.remove(&number) {
            slot.evict.cancel();
        }
        true
    }
}

impl ConnectionSlot {
    /// Eviction order, lowest first; `None` while a request is being answered.
    fn eviction_rank(&self) -> Option<(bool, bool, Instant)> {
        let (waits, since) = self.phase.waiting()?;
        let (unfinished, between) = match waits {
            WaitingFor::Body | WaitingFor::Reader => (true, false),
            WaitingFor::Head => (self.phase.has_started(), false),
            WaitingFor::NextRequest => (false, true),
        };
        let overdue = unfinished && since.elapsed() >= REQUEST_OVERDUE_AFTER;
        Some((!overdue, between, since))
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.limiter.open().slots.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::http::timeout_stream::Phase;
    use std::net::Ipv4Addr;
    use tokio::time::advance;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    fn other(number: u8) -> IpAddr {
        Ipv4Addr::new(192, 0, 2, number).into()
    }

    fn taken(
        limiter: &Arc<ConnectionLimiter>,
        address: IpAddr,
        count: usize,
    ) -> Vec<ConnectionPermit> {
        let take = |_| limiter.take(address).unwrap();
        (0..count).map(take).collect()
    }

    /// The permits that were evicted.
    fn gone(held: &[ConnectionPermit]) -> Vec<usize> {
        let asked = |permit: &&ConnectionPermit| permit.evict.is_cancelled();
        let numbered = held.iter().enumerate();
        numbered
            .filter(|(_, permit)| asked(permit))
            .map(|(number, _)| number)
            .collect()
    }

    #[tokio::test(start_paused = true)]
    async fn one_address_with_every_place_it_may_have_takes_none_from_another() {
        let limiter = Arc::default();
        let held = taken(&limiter, HERE, MAX_PER_ADDRESS);
        let others = taken(&limiter, other(1), MAX_CONNECTIONS - MAX_PER_ADDRESS);
        assert_eq!((gone(&held), gone(&others)), (vec![], vec![]));
        let third = limiter.take(other(2)).unwrap();
        assert_eq!(gone(&held), [0], "who has most gives way");
        assert_eq!((gone(&others), third.evict.is_cancelled()), (vec![], false));
        drop(third);
        let mapped = Ipv4Addr::LOCALHOST.to_ipv6_mapped().into();
        let _same = taken(&limiter, mapped, 2);
        assert_eq!(gone(&held), [0, 1], "the same address in other words");
    }

    #[tokio::test(start_paused = true)]
    async fn who_sends_half_a_head_gives_way_before_who_has_been_served_and_the_oldest_first() {
        let limiter = Arc::default();
        let held = taken(&limiter, HERE, MAX_PER_ADDRESS);
        for permit in &held[..MAX_PER_ADDRESS - 2] {
            permit.phase.enter(Phase::Busy);
        }
        held[0].phase.enter(Phase::Idle);
        advance(Duration::from_secs(1)).await;
        held[MAX_PER_ADDRESS - 2].phase.head_begins();
        let mut news = vec![];
        for expected in [
            vec![MAX_PER_ADDRESS - 1],
            vec![MAX_PER_ADDRESS - 2, MAX_PER_ADDRESS - 1],
            vec![0, MAX_PER_ADDRESS - 2, MAX_PER_ADDRESS - 1],
        ] {
            news.push(limiter.take(HERE).unwrap());
            news[news.len() - 1].phase.enter(Phase::Busy);
            assert_eq!(gone(&held), expected);
        }
        assert!(limiter.take(HERE).is_none(), "all are being answered");
        news.pop();
        assert!(limiter.take(HERE).is_some(), "a place was given back");
    }

    #[tokio::test(start_paused = true)]
    async fn who_sends_a_body_slowly_gives_way_and_an_idle_client_stays() {
        let limiter = Arc::default();
        let idle = taken(&limiter, HERE, 1);
        idle[0].phase.enter(Phase::Idle);
        advance(Duration::from_millis(100)).await;
        let slow = taken(&limiter, HERE, MAX_PER_ADDRESS - 1);
        for permit in &slow {
            permit.phase.enter(Phase::Busy);
            permit.phase.enter(Phase::Body);
        }
        let mut news = vec![];
        for number in 0..600 {
            let permit = limiter.take(HERE).expect("somebody gives way");
            permit.phase.enter(Phase::Busy);
            permit.phase.enter(Phase::Body);
            news.push(permit);
            advance(Duration::from_millis(number % 20)).await;
        }
        assert!(gone(&idle).is_empty(), "the idle one");
        assert_eq!(gone(&slow).len(), slow.len());
        let last = news.len() - (MAX_PER_ADDRESS - 1);
        assert_eq!(
            gone(&news),
            (0..last).collect::<Vec<_>>(),
            "the oldest first"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn an_overdue_request_of_any_address_goes_before_the_idle_ones_of_the_largest() {
        let limiter = Arc::default();
        let idle = taken(&limiter, HERE, MAX_PER_ADDRESS);
        for permit in &idle {
            permit.phase.enter(Phase::Idle);
        }
        let slow: Vec<ConnectionPermit> = (0..64)
            .map(|number| limiter.take(other(number)).unwrap())
            .collect();
        for permit in &slow {
            permit.phase.enter(Phase::Body);
        }
        let first = limiter.take(other(100)).unwrap();
        assert_eq!(
            (gone(&idle), gone(&slow)),
            (vec![0], vec![]),
            "who has most"
        );
        advance(REQUEST_OVERDUE_AFTER).await;
        first.phase.enter(Phase::Busy);
        let _second = limiter.take(other(101)).unwrap();
        assert_eq!(
            (gone(&idle), gone(&slow)),
            (vec![0], vec![0]),
            "who is overdue"
        );
    }
}
