//! What words are made from besides the row they are about.

use super::{
    age,
    format::{self, Zone},
    passing::{NEXT, Until, age},
    span::{Span, Tone},
};
use crate::{
    app::{Mode, Model, Motion, Store, activity::notice::Activity, forms::form::Form},
    model::{ClockRate, Drift, Ticket, Timestamp},
};
use std::{collections::BTreeMap, time::Duration};

/// What a cell may look at besides its own row.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    pub store: &'a Store,
    /// What this desk has done: it knows of cancels the service has queued.
    pub activity: &'a Activity,
    /// The forms of commands under way.
    pub(crate) sent_forms: &'a BTreeMap<Ticket, Box<Form>>,
    /// What the wall clock says: what the service dates is measured by it.
    pub now: Timestamp,
    /// The same moment in the desk's own time: countdowns run on it.
    pub own_now: Timestamp,
    pub zone: &'a Zone,
    /// Whom the numbers are from, once that is known.
    pub mode: Option<Mode>,
    /// Whether what only time moves stands still.
    pub motion: Motion,
    /// The tone of numbers that late prices are part of; `None` while prices are not late.
    pub priced: Option<Tone>,
}

impl<'a> Scene<'a> {
    pub fn of(model: &'a Model, zone: &'a Zone) -> Self {
        Self {
            store: &model.store,
            activity: &model.activity,
            sent_forms: &model.sent_forms,
            now: model.wall_now(),
            own_now: model.now,
            zone,
            mode: model.identity.as_ref().map(|identity| identity.mode),
            motion: model.options.motion,
            priced: age::priced(model),
        }
    }

    /// What the service's clock said at `own`, an instant of the desk's own time: what it dates is measured by that.
    pub(crate) fn served_at(&self, own: Timestamp) -> Timestamp {
        self.store.clocks.at(own, self.on_wall(own))
    }

    pub(crate) fn served(&self) -> Timestamp {
        self.served_at(self.own_now)
    }

    /// How long ago something was that the service dates.
    pub(crate) fn since(&self, at: Timestamp) -> Duration {
        self.served().since(at)
    }

    /// A number that prices are part of: late prices make it late, whatever else it means.
    pub(crate) fn priced(&self, number: Span) -> Span {
        let is_alarm = number.tone == Tone::Alert || number.text == format::UNKNOWN;
        match self.priced {
            Some(tone) if !is_alarm => Span { tone, ..number },
            Some(_) | None => number,
        }
    }

    /// When it was by the wall clock that the desk noted `own` as.
    pub fn on_wall(&self, own: Timestamp) -> Timestamp {
        Drift::between(self.own_now, self.now).on_wall(own)
    }
}

impl Scene<'_> {
    pub(crate) fn age(&self, age: Duration) -> String {
        self::age(age, self.motion)
    }

    /// The end of a wait that the service dates: by its clock, and unknown while that does not run like ours.
    pub(crate) fn until(&self, at: Timestamp, words: Until) -> String {
        let runs = self.store.clocks.rate() == ClockRate::Same;
        let ahead = Drift::between(self.served(), self.now);
        self.wait(runs.then(|| ahead.on_wall(at)), words)
    }

    /// The end of a wait of the desk's own.
    pub(crate) fn until_own(&self, at: Timestamp, words: Until) -> String {
        self.wait(Some(self.on_wall(at)), words)
    }

    /// How an instant lies that this desk itself has dated, by its wall clock: whatever the service's clock says.
    pub(crate) fn relation_own(&self, at: Timestamp) -> String {
        if at > self.now {
            return self.wait(Some(at), NEXT);
        }
        format!("{} ago", self.age(self.now.since(at)))
    }

    /// How an instant lies that the service has dated.
    pub(crate) fn relation(&self, at: Timestamp) -> String {
        if at > self.served() {
            return self.until(at, NEXT);
        }
        format!("{} ago", self.age(self.since(at)))
    }

    /// Until this by the wall clock.
    fn wait(&self, end: Option<Timestamp>, words: Until) -> String {
        let (words, text) = match self.motion {
            Motion::Full => (words.counted, end.map(|at| format::countdown(at, self.now))),
            Motion::Reduced => (words.fixed, end.map(|at| self.zone.moment(at, self.now))),
        };
        words.replace("{}", text.as_deref().unwrap_or(format::UNKNOWN))
    }
}
