//! Polls the account: one task per source, each with its own interval, all on one beat. A service with a request budget
//! is asked by the table of [`activity`], a simulator as the settings say.
//!
//! Contract: at most one request per source is in flight. On request a source is polled at once (after the request in
//! flight, which may be older than what the requester did). A `Retry-After` is never cut short, and a 429 pauses every
//! source of the key. A failing source is polled less often; one whose key is refused is polled only on request.
//! Sources share the budget learned from 429s: every interval grows by the missing share, and waiting polls are served
//! in order. Dropping the poller stops it.

mod activity;
mod ask;
mod backoff;
mod beat;
mod markets;

use super::{
    cover::StreamCover,
    streams::{self, GatherTime, StreamContext},
};
use crate::{
    app::{Effect, Msg, ReadOnce, ShownMarkets, Visibility, account::poll::Source},
    client::Client,
    model::{Failure, FailureKind, ScaledId},
    runtime::base::{clock::Clock, in_flight::InFlight, jitter::Jitter},
};
use activity::PollActivity;
use ask::{PollContext, PollRequest};
use backoff::{PollBackoff, Wait};
use beat::Beat;
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

/// A scaled order that is gone or has just ended is read once in this many rounds.
const FINISHED_EVERY: u32 = 10;

#[derive(Debug)]
pub struct Poller {
    context: PollContext,
    nudges: BTreeMap<Source, Arc<Notify>>,
    scaled: watch::Sender<BTreeSet<ScaledId>>,
    /// Whether the polled data is on the screen.
    visibility: watch::Sender<Visibility>,
    tasks: JoinSet<()>,
    pages: Jitter,
}

impl Poller {
    /// Starts polling every source that has an interval, at once; answers go out on `events`, and are counted until then.
    /// The same `seed` gives the same jitter.
    ///
    /// Must be called within a tokio runtime.
    pub fn spawn(
        client: Client,
        clock: Clock,
        intervals: BTreeMap<Source, Duration>,
        seed: u64,
        (events, in_flight): (Sender<Msg>, InFlight),
    ) -> Self {
        let intervals = Arc::new(intervals);
        let activity = PollActivity::default();
        let mut poller = Self {
            nudges: intervals
                .keys()
                .map(|source| (*source, activity.nudge(*source)))
                .collect(),
            context: PollContext {
                client,
                clock,
                events,
                in_flight,
                queue: Arc::default(),
                beat: Beat::start(),
                markets: MarketQueue::default(),
                activity,
                cover: StreamCover::default(),
                wanted: watch::Sender::default(),
            },
            scaled: watch::Sender::default(),
            visibility: watch::Sender::default(),
            tasks: JoinSet::new(),
            pages: Jitter::seeded(seed),
        };
        let context = poller.context.clone();
        poller.tasks.spawn(async move { context.meet().await });
        poller.listen(seed);
        let recoveries = watch::Sender::default();
        for ((source, nudge), number) in poller.nudges.iter().zip(1..) {
            let task = SourceTask {
                source: *source,
                context: poller.context.clone(),
                nudge: Arc::clone(nudge),
                recoveries: recoveries.clone(),
                visibility: poller.visibility.subscribe(),
                backoff: PollBackoff::new(seed ^ number),
                intervals: Arc::clone(&intervals),
                jitter: Jitter::seeded(seed.rotate_left(32) ^ number),
            };
            match PollRequest::of(*source) {
                Some(question) => poller.tasks.spawn(task.repeat(question)),
                None => poller.tasks.spawn(task.scaled(poller.scaled.subscribe())),
            };
        }
        poller
    }

    /// Begins the streams that the settings name.
    fn listen(&mut self, seed: u64) {
        let context = &self.context;
        let streams = StreamContext {
            client: context.client.clone(),
            clock: context.clock,
            events: context.events.clone(),
            cover: context.cover.clone(),
            nudges: self.nudges.values().cloned().collect(),
            wanted: context.wanted.clone(),
            seed,
            in_flight: context.in_flight.clone(),
            gathering: GatherTime::default(),
        };
        streams::spawn(&streams, &mut self.tasks);
    }

    /// Sets how often sources are polled by whether the data is on the screen.
    pub fn visibility(&self, visibility: Visibility) {
        self.visibility.send_replace(visibility);
        let is_hidden = visibility == Visibility::Background;
        self.context
            .stream_wants(|wanted| wanted.is_hidden = is_hidden);
    }

    /// Polls these sources now, whatever their interval.
    pub fn poll(&self, sources: &[Source]) {
        for nudge in sources.iter().filter_map(|source| self.nudges.get(source)) {
            nudge.notify_one();
        }
    }

    /// After a key or a command every source is polled more often for a while.
    pub(crate) fn attend_to(&self, effect: &Effect) {
        if matches!(effect, Effect::Attend | Effect::Send(..)) {
            self.context.activity.attend();
        }
    }

    /// Sets the markets that the screen needs prices of, beside those of positions and orders.
    pub fn show_markets(&self, shown: ShownMarkets) {
        let new_markets = self.context.activity.show(shown.all());
        let held = self.context.activity.wanted();
        self.context
            .stream_wants(|wanted| (wanted.shown, wanted.held) = (shown, held));
        self.context.price(&new_markets);
    }

    /// Reads these as often as without streams.
    pub fn read_often(&self, sources: BTreeSet<Source>) {
        self.context.cover.keep_reading(sources);
    }

    /// Also polls these scaled orders from now on.
    pub fn watch(&self, ids: Vec<ScaledId>) {
        self.scaled.send_modify(|known| known.extend(ids));
        self.poll(&[Source::Scaled]);
    }

    /// Reads this once, in its turn.
    pub(crate) fn read_once(&mut self, read: ReadOnce) {
        // Drops the reads that have ended.
        while self.tasks.try_join_next().is_some() {}
        let mut jitter = Jitter::seeded(u64::from(self.pages.per_mille()));
        let context = self.context.clone();
        self.tasks
            .spawn(async move { context.read_once(read, &mut jitter).await });
    }
}

/// How often a source is polled.
#[derive(Debug, Clone, Copy)]
struct PollRate {
    interval: Duration,
    /// Requests a minute of all sources together without limits.
    demand: u32,
    /// Requests a minute that there is room for; `None` without a budget.
    room: Option<u32>,
}

/// One source's task.
struct SourceTask {
    source: Source,
    context: PollContext,
    nudge: Arc<Notify>,
    /// Counts how often a failed source worked again.
    recoveries: watch::Sender<u64>,
    visibility: watch::Receiver<Visibility>,
    backoff: PollBackoff,
    /// The configured intervals.
    intervals: Arc<BTreeMap<Source, Duration>>,
    jitter: Jitter,
}

/// Scaled orders that are not expected to change any more.
#[derive(Debug, Default)]
struct Finals {
    /// Gone, or ended.
    seen: BTreeSet<ScaledId>,
    /// Ended and read more than once: what a rung did at the very end has been read.
    settled: BTreeSet<ScaledId>,
}

impl SourceTask {
    async fn repeat(mut self, question: PollRequest) {
        loop {
            let answer = self.context.ask(question.clone(), &mut self.jitter).await;
            self.rest(answer.trouble.as_ref()).await;
        }
    }

    /// Reads every known scaled order in turn. One that is gone is read rarely, unless requested; one that has ended is
    /// read once more and then never again.
    async fn scaled(mut self, known: watch::Receiver<BTreeSet<ScaledId>>) {
        let mut finals = Finals::default();
        let mut least = true;
        for round in 1_u32.. {
            let all = least || round.is_multiple_of(FINISHED_EVERY);
            let mut due = &*known.borrow() - &finals.settled;
            due.retain(|id| all || !finals.seen.contains(id));
            let trouble = self.round(due, &mut finals).await;
            least = self.rest(trouble.as_ref()).await;
        }
    }

    /// Reads each of these scaled orders; a failure of the service ends the round.
    async fn round(&mut self, due: BTreeSet<ScaledId>, finals: &mut Finals) -> Option<Failure> {
        for id in due {
            let question = PollRequest::Scaled(id.clone());
            let answer = self.context.ask(question, &mut self.jitter).await;
            let has_ended = answer.trouble.is_none();
            if answer.is_final && !finals.seen.insert(id.clone()) && has_ended {
                finals.settled.insert(id);
            }
            // A scaled order that is gone is no failure of the service.
            if let Some(why) = answer.trouble
                && why.kind != FailureKind::NotFound
            {
                return Some(why);
            }
        }
        None
    }

    /// After a failure the desk shows a countdown to the next attempt.
    async fn announce(&self, trouble: Option<&Failure>, wait: Wait) {
        let wait = match wait {
            Wait::For(wait) => wait,
            Wait::AtLeast { least, rest } => least.saturating_add(rest),
            Wait::UntilRequested => return,
        };
        if trouble.is_some() {
            let at = self.context.clock.now().plus(wait);
            self.context.say(Msg::TriesAgain(self.source, at)).await;
        }
    }

    /// Waits for the next round; returns whether it was requested.
    async fn rest(&mut self, trouble: Option<&Failure>) -> bool {
        if trouble.is_none() && self.backoff.is_failing() {
            self.recoveries.send_modify(|count| *count += 1);
        }
        let recoveries = self.recoveries.subscribe();
        let wait = self.wait(trouble);
        self.announce(trouble, wait).await;
        match wait {
            Wait::For(wait) if trouble.is_some() => self.back_off(wait, recoveries).await,
            Wait::For(interval) => self.until_next(interval).await,
            Wait::AtLeast { least, rest } => {
                sleep(least).await;
                self.back_off(rest, recoveries).await
            }
            Wait::UntilRequested => {
                self.nudge.notified().await;
                true
            }
        }
    }

    fn wait(&mut self, trouble: Option<&Failure>) -> Wait {
        let PollRate {
            interval,
            demand,
            room,
        } = self.rate();
        let wait = self.backoff.after(interval, trouble).shared(demand, room);
        wait.slowed(self.visibility.borrow().slower())
    }

    fn rate(&self) -> PollRate {
        let client = &self.context.client;
        let learned = client.polls_per_minute();
        let (intervals, room) = if client.is_known_simulator() {
            (BTreeMap::clone(&self.intervals), learned)
        } else {
            let state = self.context.activity.state();
            let room = client.share_of(state.requests_per_minute());
            let room = learned.map_or(room, |learned| learned.min(room));
            (state.intervals(&self.intervals), Some(room))
        };
        let intervals = self.context.cover.slowed(intervals);
        PollRate {
            interval: intervals.get(&self.source).copied().unwrap_or_default(),
            demand: activity::demand(&intervals),
            room,
        }
    }

    /// Waits for the next beat, or a request; a beat that comes sooner, because something begins to happen, counts.
    async fn until_next(&mut self, mut interval: Duration) -> bool {
        let mut happening = self.context.activity.subscribe();
        let mut cover = self.context.cover.subscribe();
        loop {
            let wait = self.context.beat.until_next(interval);
            tokio::select! {
                biased;
                woken = timeout(wait, self.nudge.notified()) => return woken.is_ok(),
                Ok(()) = happening.changed() => {}
                Ok(()) = cover.changed() => {}
            }
            if let Wait::For(sooner) = self.wait(None) {
                interval = interval.min(sooner);
            }
        }
    }

    /// Waits until the time is over, a request comes, or another source works again: then this one will too.
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
