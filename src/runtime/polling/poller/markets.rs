//! Requests about what is shown of the markets, within the budget of the key.
//!
//! Contract: a request that still waits for its turn is not queued a second time. Where a budget was learned from 429s,
//! the markets take a third of the room for reads: account and orders come first. A request whose turn is further away
//! than the desk waits for an answer takes no turn: by then another market may be on the screen.

use crate::{
    app::MarketRequest,
    model::{Interval, MarketId, Timestamp},
    runtime::base::lock::locked,
};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::{Instant, sleep_until};

const MINUTE: Duration = Duration::from_mins(1);
/// The desk takes a request for lost after this long, and asks again for what is still on the screen.
const LONGEST_WAIT: Duration = Duration::from_secs(15);
/// One of so many reads is about the markets.
const SHARE: u32 = 3;

/// The requests of one account that are not answered yet, and when the next one may leave.
#[derive(Debug, Clone, Default)]
pub(super) struct MarketQueue {
    waiting: Arc<Mutex<BTreeSet<QueuedRequest>>>,
    next: Arc<Mutex<Option<Instant>>>,
}

/// What makes two requests the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum QueuedRequest {
    Candles(MarketId, Interval, Option<Timestamp>),
    Book(MarketId),
    Trades(MarketId),
    Quote(MarketId),
}

impl QueuedRequest {
    fn new(market: MarketId, request: MarketRequest) -> Self {
        match request {
            MarketRequest::Candles {
                interval, before, ..
            } => Self::Candles(market, interval, before),
            MarketRequest::Book { .. } => Self::Book(market),
            MarketRequest::Trades { .. } => Self::Trades(market),
            MarketRequest::Quote { .. } => Self::Quote(market),
        }
    }
}

impl MarketQueue {
    /// Takes a place in the queue; `None` where the same request has one.
    pub(super) fn enter(&self, market: &MarketId, request: MarketRequest) -> Option<QueuedRequest> {
        let request = QueuedRequest::new(market.clone(), request);
        locked(&self.waiting)
            .insert(request.clone())
            .then_some(request)
    }

    pub(super) fn leave(&self, request: &QueuedRequest) {
        locked(&self.waiting).remove(request);
    }

    /// Returns when the share of the markets has room, where the key allows so many reads a minute. `false`, and no turn
    /// is taken, if that is too far away.
    pub(super) async fn turn(&self, polls_per_minute: Option<u32>) -> bool {
        let Some(room) = polls_per_minute else {
            return true;
        };
        let apart = MINUTE * SHARE / room.max(1);
        let turn = {
            let mut next = locked(&self.next);
            let now = Instant::now();
            let turn = next.map_or(now, |next| next.max(now));
            if turn > now + LONGEST_WAIT {
                return false;
            }
            *next = Some(turn + apart);
            turn
        };
        sleep_until(turn).await;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOK: MarketRequest = MarketRequest::Book { depth: None };

    #[test]
    fn a_request_that_waits_is_not_queued_again() {
        let queue = MarketQueue::default();
        let (btc, eth) = (MarketId::from("paper|BTC"), MarketId::from("paper|ETH"));
        let place = queue.enter(&btc, BOOK).unwrap();
        assert_eq!(
            queue.enter(&btc, MarketRequest::Book { depth: Some(5) }),
            None
        );
        assert!(queue.enter(&eth, BOOK).is_some());
        assert!(
            queue
                .enter(&btc, MarketRequest::Trades { limit: 5 })
                .is_some()
        );
        queue.leave(&place);
        assert_eq!(queue.enter(&btc, BOOK), Some(place));
    }

    #[tokio::test(start_paused = true)]
    async fn of_a_learned_budget_the_markets_take_a_third() {
        let queue = MarketQueue::default();
        let began = Instant::now();
        for _ in 0..100 {
            assert!(queue.turn(None).await);
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
        for _ in 0..21 {
            assert!(queue.turn(Some(60)).await);
        }
        assert_eq!(began.elapsed(), MINUTE);
    }

    /// Whoever runs through forty markets has the book of the last one after seconds, not after two minutes.
    #[tokio::test(start_paused = true)]
    async fn markets_that_were_run_through_reserve_no_turns_beyond_a_lost_request() {
        let queue = MarketQueue::default();
        let began = Instant::now();
        let mut waiting = tokio::task::JoinSet::new();
        for _ in 0..40 {
            let queue = queue.clone();
            waiting.spawn(async move { queue.turn(Some(60)).await });
        }
        let turns = waiting.join_all().await;
        assert_eq!(turns.iter().filter(|came| **came).count(), 6);
        assert_eq!(began.elapsed(), LONGEST_WAIT);
        assert!(queue.turn(Some(60)).await);
        assert_eq!(began.elapsed(), LONGEST_WAIT + MINUTE * SHARE / 60);
    }
}
