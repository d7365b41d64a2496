//! One frame of a living desk without a terminal: the same services, a script of keys, then the frame.

use super::{
    Clock, Far, Start,
    services::{Reach, Services},
};
use crate::{
    app::{Effect, Flight, Model, Msg, keymap::Chord, poll::Source, update},
    model::{Call, Failure, Progress, Timestamp},
    ui,
};
use ratatui::{buffer::Buffer, layout::Rect};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};
use strum::IntoEnumIterator;
use tokio::{
    sync::mpsc::{Receiver, UnboundedSender, channel, unbounded_channel},
    time::timeout,
};

/// How long a picture waits for a service that does not answer; it then shows the desk as it is.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longer than any picture takes.
const NEVER: Duration = Duration::from_hours(24);
/// A scripted key is pressed as unhurriedly as a person would: past the deaf time of a strip.
const BETWEEN_KEYS: Duration = Duration::from_millis(200);

/// The frame after every source has answered, the keys are pressed, and what they sent has settled.
pub async fn picture<F>(
    start: Start,
    clock: Clock,
    size: Rect,
    keys: &[Chord],
    opening: F,
) -> Buffer
where
    F: Future<Output = Result<Far, Failure>> + Send + 'static,
{
    let (inbox, mail) = channel(64);
    let (effects, wanted) = unbounded_channel();
    let services = Services {
        clock,
        reach: Reach::Nothing,
        read_only: start.options.read_only,
        export_dir: start.export_dir,
        intervals: asked(clock, &start.options.intervals),
        inbox,
    };
    let far_side = tokio::spawn(services.serve(opening, wanted));
    let mut scrolls = start.scrolls;
    let model = Model::new(start.options, start.keymap, clock.now());
    let mut sitter = Sitter {
        model,
        mail,
        effects,
        clock,
        size,
        pressed: 0,
        awaited: Source::iter().collect(),
        calls: vec![],
        answers: 0,
        reports: 0,
    };
    sitter.settle().await;
    for key in keys {
        sitter.press(*key).await;
    }
    far_side.abort();
    let mut frame = Buffer::empty(size);
    ui::render(&mut frame, &sitter.model, &mut scrolls);
    frame
}

/// Where time stands still every source is asked when something wants it, never by the clock.
fn asked(clock: Clock, wanted: &BTreeMap<Source, Duration>) -> BTreeMap<Source, Duration> {
    match clock {
        Clock::Running(_) => wanted.clone(),
        Clock::Frozen(_) => wanted.keys().map(|source| (*source, NEVER)).collect(),
    }
}

/// The desk that sits for the picture.
struct Sitter {
    model: Model,
    mail: Receiver<Msg>,
    effects: UnboundedSender<Effect>,
    clock: Clock,
    size: Rect,
    pressed: u32,
    /// Sources that have not answered since the last key that acted.
    awaited: BTreeSet<Source>,
    /// Calls of a frozen picture: their order and pace are the machine's, so they are told sorted and timeless.
    calls: Vec<Call>,
    /// Answers to polls, and calls told of: news of a call comes on its own way, before its answer or after.
    answers: usize,
    reports: usize,
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
        self.take(super::pressed(key, self.size));
        if !self.model.store.flights.is_empty() {
            self.settle().await;
            // The picture is of the time after: every number is read once more.
            self.awaited = Source::iter().collect();
            self.send(Effect::Poll(Source::iter().collect()));
        }
        self.settle().await;
    }

    /// Takes messages in until every awaited source has answered and nothing is on its way.
    async fn settle(&mut self) {
        let settled = timeout(PATIENCE, async {
            while !self.is_settled() {
                let Some(msg) = self.mail.recv().await else {
                    return;
                };
                self.hear(msg);
            }
        });
        if settled.await.is_err() {
            tracing::warn!(awaited = ?self.awaited, "the picture was taken before everything had answered");
        }
        self.calls
            .sort_by(|a, b| (a.method, &a.target).cmp(&(b.method, &b.target)));
        for call in std::mem::take(&mut self.calls) {
            self.take(Msg::Called(call));
        }
    }

    fn hear(&mut self, msg: Msg) {
        if let Msg::Polled(poll) = &msg {
            self.awaited.remove(&poll.answer.source());
            self.answers += 1;
        }
        match (msg, self.clock) {
            (Msg::Called(call), Clock::Frozen(_)) => {
                self.reports += 1;
                self.calls.push(Call {
                    elapsed: Duration::ZERO,
                    request_id: None,
                    ..call
                });
            }
            (msg, _) => self.take(msg),
        }
    }

    fn is_settled(&self) -> bool {
        let store = &self.model.store;
        let ladders = store
            .scaled
            .values()
            .all(|l| l.value().is_some() || l.trouble().is_some());
        let only_ladders =
            self.awaited.iter().all(|s| *s == Source::Scaled) && store.scaled.is_empty();
        let answered = self.awaited.is_empty() || only_ladders;
        let fetching = store.closed.is_fetching() || store.history.is_fetching();
        // A close-all between two rounds waits for time to pass, which it does not here.
        let rests = |flight: &Flight| {
            let between_rounds = matches!(flight.progress, Progress::Running { .. });
            between_rounds && self.clock.is_frozen()
        };
        let resting = store
            .flights
            .values()
            .filter(|flight| rests(flight))
            .count();
        let landed = store.parked().count() + resting == store.flights.len();
        let explained = self.reports >= self.answers || !self.clock.is_frozen();
        answered && ladders && !fetching && landed && explained
    }

    fn take(&mut self, msg: Msg) {
        let now = self.now();
        for effect in update(&mut self.model, now, msg) {
            self.send(effect);
        }
    }

    fn send(&self, effect: Effect) {
        // A far side that has ended answers nothing; the patience runs out and the picture says so.
        drop(self.effects.send(effect));
    }
}
