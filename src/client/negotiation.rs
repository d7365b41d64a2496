//! The dialect of the service: what the settings say, and what its responses have shown since.
//!
//! Contract: perpdeck learns from responses it needs anyway. The one extra request is a read repeated once under each
//! other spelling of [`FILTER_SPELLINGS`], when a filter was refused or ignored. A setting that names a term is never
//! overruled, and only unambiguous responses count. If the service honors no spelling, the filter is left out and the
//! client filters the rows.
//!
//! Sides of positions have rules of their own: [`sides`].
//!
//! Known limit: names of body fields cannot be learned by reading.

mod rows;
mod sides;

pub use rows::{Signs, signs, unit_of};

use super::{Client, lock::locked};
use crate::{
    api::{Dialect, FILTER_SPELLINGS, Learned, QueryPair, Term},
    config::Connection,
    model::{Failure, FailureKind, Order, OrderId, Page},
};
use serde_json::value::RawValue;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard},
};
use tokio::sync::watch;

/// Timestamps of one page that must agree before their unit counts as known.
const SAMPLE: usize = 3;

/// The dialect as negotiated so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Negotiation {
    /// As configured.
    set: Dialect,
    pinned: BTreeSet<Term>,
    learned: Learned,
    /// Why each term was changed in this session.
    reasons: BTreeMap<Term, String>,
}

impl Negotiation {
    fn of(connection: &Connection) -> Self {
        Self {
            set: connection.dialect.clone(),
            pinned: connection.pinned.clone(),
            learned: connection.learned.without(&connection.pinned),
            reasons: BTreeMap::new(),
        }
    }

    /// The dialect in use.
    pub fn dialect(&self) -> Dialect {
        self.set.with(&self.learned)
    }

    pub fn learned(&self) -> &Learned {
        &self.learned
    }

    /// One sentence for each term that differs from the setting.
    pub fn sentences(&self) -> BTreeMap<Term, String> {
        let (set, now) = (&self.set, self.dialect());
        let changed = Term::all().filter(|term| set.spelling(*term) != now.spelling(*term));
        changed
            .map(|term| {
                let why = self
                    .reasons
                    .get(&term)
                    .map_or("learned before", String::as_str);
                let (now, set) = (now.spelling(term), set.spelling(term));
                (
                    term,
                    format!("{}: {now} in place of {set} ({why})", term.words()),
                )
            })
            .collect()
    }
}

/// Changes the negotiated dialect and publishes it.
#[derive(Debug)]
pub(super) struct Negotiator {
    negotiation: watch::Sender<Negotiation>,
    observations: Mutex<Observations>,
}

/// What earlier responses showed, to compare with the next ones.
#[derive(Debug, Default)]
struct Observations {
    known_orders: KnownOrders,
    sides: sides::Sides,
    /// Working orders on the newest page of all orders.
    seen: BTreeSet<OrderId>,
    /// Those of them that a later list of working orders lacks.
    missed: BTreeSet<OrderId>,
}

impl Negotiator {
    pub(super) fn of(connection: &Connection) -> Self {
        Self {
            negotiation: watch::Sender::new(Negotiation::of(connection)),
            observations: Mutex::default(),
        }
    }

    fn observations(&self) -> MutexGuard<'_, Observations> {
        locked(&self.observations)
    }

    fn may_learn(&self, term: Term) -> bool {
        !self.negotiation.borrow().pinned.contains(&term)
    }

    fn learn(&self, term: Term, spoken: &Dialect, why: &str) {
        self.negotiation.send_if_modified(|negotiation| {
            if negotiation.pinned.contains(&term)
                || negotiation.dialect().spelling(term) == spoken.spelling(term)
            {
                return false;
            }
            negotiation.learned.take(term, spoken);
            negotiation.reasons.insert(term, why.to_owned());
            true
        });
    }

    /// Whether the filtered list left out an order that two reads of all orders, before and after it, show as working.
    fn compare(&self, all: &Page<Order>) -> bool {
        let mut observations = self.observations();
        let working = all.rows.iter().filter(|order| order.is_working());
        observations.seen = working.map(|order| order.id.clone()).collect();
        let left_out = observations
            .seen
            .intersection(&observations.missed)
            .next()
            .is_some();
        observations.missed.clear();
        left_out
    }

    fn note_working(&self, page: &Page<Order>) {
        let mut observations = self.observations();
        let listed: BTreeSet<_> = page.rows.iter().map(|order| &order.id).collect();
        let missed = observations.seen.iter().filter(|id| !listed.contains(id));
        observations.missed = missed.cloned().collect();
    }
}

impl Client {
    /// The dialect in use.
    pub fn dialect(&self) -> Dialect {
        self.0.negotiator.negotiation.borrow().dialect()
    }

    /// Changes whenever something is learned.
    pub fn negotiation(&self) -> watch::Receiver<Negotiation> {
        self.0.negotiator.negotiation.subscribe()
    }

    /// Sends the read in the current spelling and, if that is refused or ignored, once in each other spelling of
    /// `term`; keeps the first one that the service honors.
    pub(super) async fn negotiated<T, F>(
        &self,
        term: Term,
        ask: impl Fn(Dialect) -> F,
        is_ignored: impl Fn(&Page<T>) -> bool,
    ) -> Result<Page<T>, Failure>
    where
        F: Future<Output = Result<Page<T>, Failure>>,
    {
        let now = self.dialect();
        let first = ask(now.clone()).await;
        let Some(trouble) = trouble(&first, &is_ignored) else {
            return first;
        };
        if now.is_bare(term) || !self.0.negotiator.may_learn(term) {
            return first;
        }
        for other in others(term, &now) {
            match ask(other.clone()).await {
                Ok(page) if other.is_bare(term) || !is_ignored(&page) => {
                    let why = format!("{} was {trouble}", now.spelling(term));
                    self.0.negotiator.learn(term, &other, &why);
                    return Ok(page);
                }
                Ok(_) => {}
                Err(why) if why.kind == FailureKind::Invalid => {}
                // An outage proves nothing about spellings.
                Err(_) => break,
            }
        }
        first
    }

    /// Compares the newest page of all orders with the filtered list.
    pub(super) fn observe_orders(&self, page: &Page<Order>) {
        if self.0.negotiator.compare(page) {
            let now = self.dialect();
            let why = format!(
                "{} left out working orders",
                now.spelling(Term::WorkingFilter)
            );
            self.0
                .negotiator
                .learn(Term::WorkingFilter, &now.bare(Term::WorkingFilter), &why);
        }
    }

    /// Remembers which orders the filtered list had.
    pub(super) fn observe_working(&self, page: &Page<Order>) {
        if page.is_whole() {
            self.0.negotiator.note_working(page);
        }
    }

    /// Learns the unit of instants, if these rows show it.
    pub(super) fn observe_units(&self, rows: &[Box<RawValue>]) {
        let units: Vec<_> = rows
            .iter()
            .take(SAMPLE)
            .filter_map(|row| unit_of(row))
            .collect();
        let Some(first) = units.first() else { return };
        if units.iter().all(|unit| unit == first) {
            let spoken = Dialect {
                timestamp_unit: *first,
                ..self.dialect()
            };
            let why = format!("timestamps have the magnitude of {first}");
            self.0.negotiator.learn(Term::TimestampUnit, &spoken, &why);
        }
    }
}

impl Client {
    /// The orders known to have ended.
    pub(super) fn known_orders(&self) -> KnownOrders {
        self.0.negotiator.observations().known_orders.clone()
    }

    /// The working orders among all pages down to the known orders.
    pub(super) fn remember_known_orders(&self, newest: &[OrderId], page: &Page<Order>) {
        if !page.unreadable.is_empty() {
            return;
        }
        let working = page.rows.iter().filter(|order| !order.is_over());
        self.0.negotiator.observations().known_orders = KnownOrders {
            working: working.map(|order| order.id.clone()).collect(),
            newest: newest.iter().cloned().collect(),
            is_known: true,
            is_cut: page.incomplete,
        };
    }
}

/// The result of a walk over all orders. Orders older than its newest page cannot start working again.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownOrders {
    working: BTreeSet<OrderId>,
    newest: BTreeSet<OrderId>,
    is_known: bool,
    is_cut: bool,
}

impl KnownOrders {
    /// The walk did not reach the end: older orders may be working.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(super) fn unseen(&self) -> UnseenOrders {
        UnseenOrders {
            is_known: self.is_known,
            working: self.working.clone(),
            newest: self.newest.clone(),
            joined: self.newest.is_empty(),
        }
    }
}

/// What a walk must still find before older pages cannot change the result.
#[derive(Debug)]
pub(super) struct UnseenOrders {
    is_known: bool,
    working: BTreeSet<OrderId>,
    newest: BTreeSet<OrderId>,
    /// The pages read overlap the last walk: there is no gap.
    joined: bool,
}

impl UnseenOrders {
    pub(super) fn strike<'a>(&mut self, ids: impl Iterator<Item = &'a OrderId>) {
        for id in ids {
            self.working.remove(id);
            self.joined |= self.newest.contains(id);
        }
    }

    pub(super) fn is_enough(&self) -> bool {
        self.is_known && self.joined && self.working.is_empty()
    }
}

fn trouble<T>(
    answer: &Result<Page<T>, Failure>,
    is_ignored: impl Fn(&Page<T>) -> bool,
) -> Option<&'static str> {
    match answer {
        Err(why) if why.kind == FailureKind::Invalid => Some("refused"),
        Err(_) => None,
        Ok(page) => is_ignored(page).then_some("ignored"),
    }
}

/// The other spellings of a term, and last the request without it.
fn others(term: Term, now: &Dialect) -> Vec<Dialect> {
    let named = |name: &&str| match term {
        Term::WorkingFilter => Dialect {
            working_filter: QueryPair {
                name: (*name).to_owned(),
                ..now.working_filter.clone()
            },
            ..now.clone()
        },
        Term::PositionSelector => Dialect {
            position_selector: (*name).to_owned(),
            ..now.clone()
        },
        Term::TwapsAccount | Term::TimestampUnit | Term::SignedSizes => now.clone(),
    };
    let all = FILTER_SPELLINGS.iter().map(named);
    let others = all.filter(|other| other.spelling(term) != now.spelling(term));
    others.chain([now.bare(term)]).collect()
}

#[cfg(test)]
mod tests;
