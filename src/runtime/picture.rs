//! One frame of a living desk without a terminal: the same services, a script of keys, then the frame.

use super::{
    Clock, Opened, Start,
    posts::{Letter, Posts},
    services::{Reach, Services, ways},
};
use crate::{
    app::{Effect, Fleet, Flight, Model, Msg, Whose, keymap::Chord, poll::Source},
    model::{Call, Failure, Progress, Timestamp},
    ui,
};
use ratatui::{buffer::Buffer, layout::Rect};
use std::{collections::BTreeSet, time::Duration};
use strum::IntoEnumIterator;
use tokio::{sync::mpsc::channel, time::timeout};

/// How long a picture waits for what does not answer; it then shows the desk as it is.
const PATIENCE: Duration = Duration::from_secs(30);
/// A scripted key is pressed as unhurriedly as a person would: past the deaf time of a strip.
const BETWEEN_KEYS: Duration = Duration::from_millis(200);

/// What was pictured.
#[derive(Debug)]
pub struct Picture {
    pub frame: Buffer,
    /// Whether everything had answered.
    pub is_whole: bool,
}

/// The frame after every source has answered, the keys are pressed, and what they sent has settled.
pub async fn picture<F>(
    start: Start,
    clock: Clock,
    size: Rect,
    keys: &[Chord],
    opening: F,
) -> Picture
where
    F: Future<Output = Result<Opened, Failure>> + Send + 'static,
{
    let (common, common_mail) = channel(16);
    let (newcomers, coming) = channel(16);
    let (post, first) = ways();
    let services = Services {
        clock,
        reach: Reach::Nothing,
        export_dir: start.export_dir,
        journal_days: start.journal_days,
        common,
        newcomers,
        first,
    };
    let far_side = tokio::spawn(services.serve(start.options.clone(), opening));
    let mut scrolls = start.scrolls;
    let model = Model::new(start.options, start.keymap, clock.now());
    let mut sitter = Sitter {
        fleet: Fleet::of(model),
        posts: Posts::new(common_mail, coming, post),
        clock,
        size,
        pressed: 0,
        accounts: vec![Awaited::everything()],
        is_whole: true,
    };
    sitter.settle().await;
    for key in keys {
        sitter.press(*key).await;
    }
    far_side.abort();
    let mut frame = Buffer::empty(size);
    ui::render(&mut frame, &sitter.fleet, &mut scrolls);
    Picture {
        frame,
        is_whole: sitter.is_whole,
    }
}

/// The desk that sits for the picture.
struct Sitter {
    fleet: Fleet,
    posts: Posts,
    clock: Clock,
    size: Rect,
    pressed: u32,
    /// Of each account.
    accounts: Vec<Awaited>,
    /// Nothing was waited for in vain.
    is_whole: bool,
}

/// What is still to come of an account.
struct Awaited {
    /// Sources that have not answered since the last key that acted.
    sources: BTreeSet<Source>,
    /// Calls of a frozen picture: their order and pace are the machine's, so they are told sorted and timeless.
    calls: Vec<Call>,
    /// Answers to polls, and calls told of: news of a call comes on its own way, before its answer or after.
    answers: usize,
    reports: usize,
}

impl Awaited {
    fn everything() -> Self {
        Self {
            sources: Source::iter().collect(),
            calls: vec![],
            answers: 0,
            reports: 0,
        }
    }

    fn is_over(&self, model: &Model, clock: Clock) -> bool {
        let store = &model.store;
        let ladders = store
            .scaled
            .values()
            .all(|l| l.value().is_some() || l.trouble().is_some());
        let only_ladders =
            self.sources.iter().all(|s| *s == Source::Scaled) && store.scaled.is_empty();
        let answered = self.sources.is_empty() || only_ladders;
        let fetching = store.closed.is_fetching() || store.history.is_fetching();
        // A close-all between two rounds waits for time to pass, which it does not here.
        let rests = |flight: &Flight| {
            let between_rounds = matches!(flight.progress, Progress::Running { .. });
            between_rounds && clock.is_frozen()
        };
        let resting = store
            .flights
            .values()
            .filter(|flight| rests(flight))
            .count();
        let landed = store.parked().count() + resting == store.flights.len();
        let explained = self.reports >= self.answers || !clock.is_frozen();
        answered && ladders && !fetching && landed && explained
    }
}

impl Sitter {
    fn now(&self) -> Timestamp {
        match self.clock {
            Clock::Running(_) => self.clock.now(),
            Clock::Frozen(instant) => instant.plus(BETWEEN_KEYS * self.pressed),
        }
    }

    async fn press(&mut self, key: Chord) {
        self.pressed += 1;
        self.take(Whose::Shown, super::pressed(key, self.size));
        while self.fleet.shown().lenses.are_sifting() {
            self.take(Whose::Shown, Msg::Tick);
        }
        if !self.fleet.shown().store.flights.is_empty() {
            self.settle().await;
            // The picture is of the time after: every number is read once more.
            let at = self.fleet.at();
            if let Some(account) = self.accounts.get_mut(at) {
                account.sources = Source::iter().collect();
            }
            self.posts.send(at, Effect::Poll(Source::iter().collect()));
        }
        self.settle().await;
    }

    /// Takes messages in until every awaited source has answered and nothing is on its way.
    async fn settle(&mut self) {
        let settled = timeout(PATIENCE, async {
            while !self.is_settled() {
                match self.posts.next().await {
                    Letter::Msg(whose, msg) => self.hear(whose, msg),
                    Letter::Newcomer(options) => {
                        self.fleet.join(*options, self.now());
                        self.accounts.push(Awaited::everything());
                    }
                }
            }
        });
        self.is_whole &= settled.await.is_ok();
        for at in 0..self.accounts.len() {
            let told = self.accounts.get_mut(at);
            let mut calls = told.map(|account| std::mem::take(&mut account.calls));
            let calls = calls.get_or_insert_default();
            calls.sort_by(|a, b| (a.method, &a.target).cmp(&(b.method, &b.target)));
            for call in calls.drain(..) {
                self.take(Whose::Account(at), Msg::Called(call));
            }
        }
    }

    fn hear(&mut self, whose: Whose, msg: Msg) {
        let at = match whose {
            Whose::Shown => self.fleet.at(),
            Whose::Account(at) => at,
        };
        let Some(account) = self.accounts.get_mut(at) else {
            return;
        };
        if let Msg::Polled(poll) = &msg {
            account.sources.remove(&poll.answer.source());
            account.answers += 1;
        }
        match (msg, self.clock) {
            (Msg::Called(call), Clock::Frozen(_)) => {
                account.reports += 1;
                account.calls.push(Call {
                    elapsed: Duration::ZERO,
                    request_id: None,
                    ..call
                });
            }
            (msg, _) => self.take(whose, msg),
        }
    }

    fn is_settled(&self) -> bool {
        let mut all = self.accounts.iter().zip(self.fleet.accounts());
        all.all(|(account, model)| account.is_over(model, self.clock))
    }

    fn take(&mut self, whose: Whose, msg: Msg) {
        let now = self.now();
        for (at, effect) in self.fleet.update(now, whose, msg) {
            // A far side that has ended answers nothing; the patience runs out and the picture says so.
            self.posts.send(at, effect);
        }
    }
}
