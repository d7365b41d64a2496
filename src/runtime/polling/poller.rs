//! Keeps the desk's picture of the account true: one task per source, each with its own interval.
//!
//! Contract: never two requests for one source on the wire; asked to, a source is polled at once (after
//! the request on the wire, which may be older than what the asker did); a `Retry-After` is never
//! undercut, a 429 silences every source of the key; a source that fails is asked less often, one whose
//! key is refused not at all until somebody asks. A budget learned from 429s is shared out: every interval grows by
//! as much as is missing, and what still has to wait is served in the order it came. Dropping the poller stops it.

mod ask;
mod backoff;
mod markets;

use crate::{
    app::{MarketRequest, Msg, Visibility, account::poll::Source},
    client::Client,
    model::{Cursor, Failure, FailureKind, MarketId, OrderId, ScaledId},
    runtime::base::{clock::Clock, jitter::Jitter},
};
use ask::{PollContext, PollRequest};
use backoff::{PollBackoff, Wait};
use markets::MarketQueue;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::{Notify, mpsc::Sender, watch},
    task::JoinSet,
    time::{sleep, timeout},
};

/// A ladder that is gone, or has just ended, is looked at once in this many rounds.
const FINISHED_EVERY: u32 = 10;

#[derive(Debug)]
pub struct Poller {
    context: PollContext,
    nudges: BTreeMap<Source, Arc<Notify>>,
    paces: BTreeMap<Source, watch::Sender<PollRate>>,
    ladders: watch::Sender<BTreeSet<ScaledId>>,
    /// Whether a person looks at what is asked for.
    visibility: watch::Sender<Visibility>,
    tasks: JoinSet<()>,
    pages: Jitter,
}

impl Poller {
    /// Starts polling every source that has an interval, at once; answers go out on `events`. The same
    /// `seed` spreads the polls in the same way.
    ///
    /// Must be called within a tokio runtime.
    pub fn spawn(
        client: Client,
        clock: Clock,
        intervals: &BTreeMap<Source, Duration>,
        seed: u64,
        events: Sender<Msg>,
    ) -> Self {
        let mut poller = Self {
            context: PollContext {
                client,
                clock,
                events,
                queue: Arc::default(),
                markets: MarketQueue::default(),
            },
            nudges: intervals.keys().map(|s| (*s, Arc::default())).collect(),
            paces: paces(intervals)
                .map(|(source, pace)| (source, watch::Sender::new(pace)))
                .collect(),
            ladders: watch::Sender::default(),
            visibility: watch::Sender::default(),
            tasks: JoinSet::new(),
            pages: Jitter::seeded(seed),
        };
        let recoveries = watch::Sender::default();
        for (((source, pace), nudge), number) in
            poller.paces.iter().zip(poller.nudges.values()).zip(1..)
        {
            let beat = SourceTask {
                source: *source,
                context: poller.context.clone(),
                nudge: Arc::clone(nudge),
                recoveries: recoveries.clone(),
                visibility: poller.visibility.subscribe(),
                backoff: PollBackoff::new(seed ^ number),
                pace: pace.subscribe(),
                jitter: Jitter::seeded(seed.rotate_left(32) ^ number),
            };
            match PollRequest::of(*source) {
                Some(question) => poller.tasks.spawn(beat.repeat(question)),
                None => poller.tasks.spawn(beat.ladders(poller.ladders.subscribe())),
            };
        }
        poller
    }

    /// From now on everything is asked for as often as it is looked at.
    pub fn visibility(&self, visibility: Visibility) {
        self.visibility.send_replace(visibility);
    }

    /// Polls these now, whatever their interval.
    pub fn poll(&self, sources: &[Source]) {
        for nudge in sources.iter().filter_map(|source| self.nudges.get(source)) {
            nudge.notify_one();
        }
    }

    /// From now on polls each of its sources this often, the first time at once.
    pub fn pace(&self, intervals: &BTreeMap<Source, Duration>) {
        for (source, new) in paces(intervals) {
            if let Some(pace) = self.paces.get(&source) {
                pace.send_replace(new);
            }
        }
        self.poll(&intervals.keys().copied().collect::<Vec<_>>());
    }

    /// From now on polls these ladders too.
    pub fn watch(&self, ids: Vec<ScaledId>) {
        self.ladders.send_modify(|known| known.extend(ids));
        self.poll(&[Source::Scaled]);
    }

    /// Asks once for an older page of closed positions.
    pub fn more_closed(&mut self, cursor: Cursor) {
        self.page(PollRequest::Closed(Some(cursor)));
    }

    /// Asks once for an older page of order history.
    pub fn more_history(&mut self, cursor: Cursor) {
        self.page(PollRequest::History(Some(cursor)));
    }

    /// Looks once for these orders, as far back as they can be expected.
    pub fn trace(&mut self, orders: Vec<OrderId>) {
        let (context, mut jitter) = self.once();
        self.tasks.spawn(async move {
            context.trace(orders, &mut jitter).await;
        });
    }

    /// Asks once about a market.
    pub fn market(&mut self, market: MarketId, request: MarketRequest) {
        let (context, mut jitter) = self.once();
        self.tasks.spawn(async move {
            context.market(market, request, &mut jitter).await;
        });
    }

    fn page(&mut self, question: PollRequest) {
        let (context, mut jitter) = self.once();
        self.tasks.spawn(async move {
            context.ask(question, &mut jitter).await;
        });
    }

    /// What a single question needs; those that have ended are let go.
    fn once(&mut self) -> (PollContext, Jitter) {
        while self.tasks.try_join_next().is_some() {}
        let jitter = Jitter::seeded(u64::from(self.pages.per_mille()));
        (self.context.clone(), jitter)
    }
}

/// How often a source is asked.
#[derive(Debug, Clone, Copy)]
struct PollRate {
    interval: Duration,
    /// Requests a minute that all sources together make when nothing holds them back.
    demand: u32,
}

fn paces(intervals: &BTreeMap<Source, Duration>) -> impl Iterator<Item = (Source, PollRate)> {
    let demand = a_minute(intervals);
    let pace = move |(source, interval): (&Source, &Duration)| {
        let interval = *interval;
        (*source, PollRate { interval, demand })
    };
    intervals.iter().map(pace)
}

/// One source's task.
struct SourceTask {
    source: Source,
    context: PollContext,
    nudge: Arc<Notify>,
    /// Counts the times a source that had failed was answered again.
    recoveries: watch::Sender<u64>,
    visibility: watch::Receiver<Visibility>,
    backoff: PollBackoff,
    pace: watch::Receiver<PollRate>,
    jitter: Jitter,
}

fn a_minute(intervals: &BTreeMap<Source, Duration>) -> u32 {
    let each = intervals
        .values()
        .map(|interval| 60_000 / interval.as_millis().max(1));
    u32::try_from(each.sum::<u128>()).unwrap_or(u32::MAX)
}

/// The ladders that are not expected to change any more.
#[derive(Debug, Default)]
struct Finals {
    /// Gone, or ended.
    seen: BTreeSet<ScaledId>,
    /// Seen more than once, and ended: what a rung did at the very end has been read.
    settled: BTreeSet<ScaledId>,
}

impl SourceTask {
    async fn repeat(mut self, question: PollRequest) {
        loop {
            let told = self.context.ask(question.clone(), &mut self.jitter).await;
            self.rest(told.trouble.as_ref()).await;
        }
    }

    /// Every known ladder, one after the other: one that is gone seldom, unless somebody asks; one that has ended once
    /// more, and then never again.
    async fn ladders(mut self, known: watch::Receiver<BTreeSet<ScaledId>>) {
        let mut finals = Finals::default();
        let mut asked = true;
        for round in 1_u32.. {
            let all = asked || round.is_multiple_of(FINISHED_EVERY);
            let mut due = &*known.borrow() - &finals.settled;
            due.retain(|id| all || !finals.seen.contains(id));
            let trouble = self.round(due, &mut finals).await;
            asked = self.rest(trouble.as_ref()).await;
        }
    }

    /// Asks for each of these ladders; trouble of the service ends the round.
    async fn round(&mut self, due: BTreeSet<ScaledId>, finals: &mut Finals) -> Option<Failure> {
        for id in due {
            let question = PollRequest::Scaled(id.clone());
            let told = self.context.ask(question, &mut self.jitter).await;
            let has_ended = told.trouble.is_none();
            if told.is_final && !finals.seen.insert(id.clone()) && has_ended {
                finals.settled.insert(id);
            }
            // A ladder that is gone is trouble of its own only.
            if let Some(why) = told.trouble
                && why.kind != FailureKind::NotFound
            {
                return Some(why);
            }
        }
        None
    }

    /// In trouble, the desk counts down to the next try.
    async fn announce(&self, trouble: Option<&Failure>, wait: Wait) {
        let wait = match wait {
            Wait::For(wait) => wait,
            Wait::AtLeast { asked, rest } => asked.saturating_add(rest),
            Wait::Asked => return,
        };
        if trouble.is_some() {
            let at = self.context.clock.now().plus(wait);
            self.context.say(Msg::TriesAgain(self.source, at)).await;
        }
    }

    /// Waits for the next round; whether somebody asked for it.
    async fn rest(&mut self, trouble: Option<&Failure>) -> bool {
        if trouble.is_none() && self.backoff.is_failing() {
            self.recoveries.send_modify(|count| *count += 1);
        }
        let recoveries = self.recoveries.subscribe();
        let room = self.context.client.polls_per_minute();
        let visibility = *self.visibility.borrow();
        let PollRate { interval, demand } = *self.pace.borrow();
        let wait = self.backoff.after(interval, trouble).shared(demand, room);
        let wait = wait.slowed(visibility.slower());
        self.announce(trouble, wait).await;
        match wait {
            Wait::For(wait) if trouble.is_some() => self.back_off(wait, recoveries).await,
            Wait::For(wait) => timeout(wait, self.nudge.notified()).await.is_ok(),
            Wait::AtLeast { asked, rest } => {
                sleep(asked).await;
                self.back_off(rest, recoveries).await
            }
            Wait::Asked => {
                self.nudge.notified().await;
                true
            }
        }
    }

    /// Waits, unless somebody asks, or the service answers somebody again: it will answer this source too.
    async fn back_off(&self, wait: Duration, mut recoveries: watch::Receiver<u64>) -> bool {
        tokio::select! {
            biased;
            woken = timeout(wait, self.nudge.notified()) => woken.is_ok(),
            _ = recoveries.changed() => false,
        }
    }
}

#[cfg(test)]
mod tests;
