//! What cells are formatted with: one moment of the desk, its clocks and its zone.

use super::{
    Span, Tone, age, format,
    passing::{NEXT, Until, age},
};
use crate::{
    app::{Mode, Model, Motion, Store, Workflows, activity::notice::Activity, forms::form::Form},
    model::{ClockRate, Drift, MarketId, Num, Ticket, Timestamp, Zone},
};
use std::{collections::BTreeMap, time::Duration};

/// The data besides its own row that a cell can use.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    pub store: &'a Store,
    /// The activity of this desk, which knows of queued cancels.
    pub activity: &'a Activity,
    /// The forms of commands in progress.
    pub(crate) sent_forms: &'a BTreeMap<Ticket, Box<Form>>,
    /// Flips, replacements and moves in progress.
    pub workflows: &'a Workflows,
    /// The wall clock, for instants of the service.
    pub now: Timestamp,
    /// The same moment in the desk's own time, for countdowns.
    pub own_now: Timestamp,
    pub zone: &'a Zone,
    /// Paper or live, once known.
    pub mode: Option<Mode>,
    /// Whether positions and orders end with the desk.
    pub ends_with_desk: bool,
    /// Whether numbers that only time changes stand still.
    pub motion: Motion,
    /// The tone of numbers that depend on late prices; `None` if prices are not late.
    pub priced: Option<Tone>,
}

impl<'a> Scene<'a> {
    pub fn of(model: &'a Model, zone: &'a Zone) -> Self {
        Self {
            store: &model.account.store,
            activity: &model.account.activity,
            sent_forms: &model.sent_forms,
            workflows: &model.account.workflows,
            now: model.account.wall_now(),
            own_now: model.account.now,
            zone,
            mode: model.account.mode(),
            ends_with_desk: model.account.options.ends_with_desk,
            motion: model.account.options.motion,
            priced: age::priced(model),
        }
    }

    /// For what stays on the screen from frame to frame: its ages change once a second.
    pub fn of_rows(model: &'a Model, zone: &'a Zone) -> Self {
        let own_now = model.account.shown_second();
        Self {
            now: model.account.drift.on_wall(own_now),
            own_now,
            ..Self::of(model, zone)
        }
    }

    /// The service's clock at `own`, an instant of the desk's own time.
    pub(crate) fn served_at(&self, own: Timestamp) -> Timestamp {
        self.store.clocks.at(own, self.on_wall(own))
    }

    /// `BTC`; the whole id where another market has that symbol.
    pub(crate) fn market(&self, id: &MarketId) -> Span {
        Span::strong(self.store.names.shown(id).to_string())
    }

    pub(crate) fn served(&self) -> Timestamp {
        self.served_at(self.own_now)
    }

    /// How long ago an instant of the service was.
    pub(crate) fn since(&self, at: Timestamp) -> Duration {
        self.served().since(at)
    }

    /// From the mark of a market to a price, as a share of the mark.
    pub(crate) fn mark_distance(&self, price: Num, market: &MarketId) -> Option<Num> {
        let mark = self.store.mark(market)?;
        price.minus(mark)?.over(mark)
    }

    /// The decimals of a size: the row's own, else those of its market.
    pub(crate) fn decimals(&self, own: Option<Num>, market: &MarketId) -> Option<u32> {
        let own = own
            .and_then(Num::to_i64)
            .and_then(|n| u32::try_from(n).ok());
        own.or_else(|| self.store.market(market)?.size_decimals)
    }

    /// A price as an average is written.
    pub(crate) fn average(&self, price: Num, market: &MarketId) -> String {
        format::average(price, self.store.market(market))
    }

    /// The instant by the clocks of the zone, without the date where it is today's.
    pub(crate) fn moment(&self, at: Timestamp) -> String {
        self.zone.moment(at, self.now)
    }

    /// A number that depends on prices: late prices change its tone.
    pub(crate) fn priced(&self, number: Span) -> Span {
        let is_alarm = number.tone == Tone::Alert || number.text == format::UNKNOWN;
        match self.priced {
            Some(tone) if !is_alarm => Span { tone, ..number },
            Some(_) | None => number,
        }
    }

    /// The wall clock at `own`, an instant of the desk's own time.
    pub fn on_wall(&self, own: Timestamp) -> Timestamp {
        Drift::between(self.own_now, self.now).on_wall(own)
    }
}

impl Scene<'_> {
    pub(crate) fn age(&self, age: Duration) -> String {
        self::age(age, self.motion)
    }

    /// The end of a wait by the service's clock; unknown while that clock is unsteady.
    pub(crate) fn until(&self, at: Timestamp, words: Until) -> String {
        let runs = self.store.clocks.rate() == ClockRate::Same;
        let ahead = Drift::between(self.served(), self.now);
        self.wait(runs.then(|| ahead.on_wall(at)), words)
    }

    /// The end of a wait by the desk's own time.
    pub(crate) fn until_own(&self, at: Timestamp, words: Until) -> String {
        self.wait(Some(self.on_wall(at)), words)
    }

    /// How far an instant of this desk is from now, by the wall clock.
    pub(crate) fn relation_own(&self, at: Timestamp) -> String {
        if at > self.now {
            return self.wait(Some(at), NEXT);
        }
        format!("{} ago", self.age(self.now.since(at)))
    }

    /// How far an instant of the service is from now.
    pub(crate) fn relation(&self, at: Timestamp) -> String {
        if at > self.served() {
            return self.until(at, NEXT);
        }
        format!("{} ago", self.age(self.since(at)))
    }

    /// Until this wall-clock time.
    fn wait(&self, end: Option<Timestamp>, words: Until) -> String {
        let (words, text) = match self.motion {
            Motion::Full => (words.counted, end.map(|at| format::countdown(at, self.now))),
            Motion::Reduced => (words.fixed, end.map(|at| self.moment(at))),
        };
        words.replace("{}", &format::or_unknown(text))
    }
}
