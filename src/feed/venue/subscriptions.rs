//! The subscriptions of one socket: what is wanted, what was requested, and what is to be requested again.
//!
//! Contract: at most [`MOST_SUBSCRIPTIONS`] at a time, the most important first.

use super::dialect::{AnswerSubject, Dialect, Frames, MOST_NAMES};
use crate::{
    feed::{
        progress::{Progress, SubscriptionPhase},
        requests::Requests,
        topic::{Channel, StreamedMarket, Topic},
    },
    model::Timestamp,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// Below what each venue allows on a connection.
pub(crate) const MOST_SUBSCRIPTIONS: usize = 400;
/// What a venue refused is requested again after this.
const AGAIN_AFTER_REFUSAL: Duration = Duration::from_mins(1);

/// One subscription.
#[derive(Debug, Clone)]
pub(super) struct VenueSubscription {
    pub(super) market: StreamedMarket,
    pub(super) channel: Channel,
    /// The request for it.
    request: u64,
    pub(super) progress: Progress,
    /// Whether anything came since it was requested.
    pub(super) has_data: bool,
}

pub(super) struct Subscriptions {
    pub(super) dialect: &'static Dialect,
    wanted: BTreeSet<Topic>,
    /// By what the venue calls them.
    pub(super) lines: BTreeMap<String, VenueSubscription>,
    subscribed_by_query: Vec<String>,
    last_id: u64,
    pub(super) requests: Requests,
}

impl Subscriptions {
    pub(super) fn new(dialect: &'static Dialect) -> Self {
        Self {
            dialect,
            wanted: BTreeSet::new(),
            lines: BTreeMap::new(),
            subscribed_by_query: vec![],
            last_id: 0,
            requests: Requests::default(),
        }
    }

    pub(super) fn want(&mut self, wanted: BTreeSet<Topic>) {
        self.wanted = wanted;
    }

    /// All that is wanted, by what the venue calls it.
    fn named(&self) -> Vec<(String, VenueSubscription)> {
        let mut known = BTreeSet::new();
        let pairs = self.wanted.iter().flat_map(|topic| {
            let markets = topic.markets.iter();
            markets.map(|market| (topic.channel, market))
        });
        let named = pairs.flat_map(|(channel, market)| {
            let names = (self.dialect.names)(channel, &market.symbol).into_iter();
            names.map(move |name| {
                let line = VenueSubscription {
                    market: market.clone(),
                    channel,
                    request: 0,
                    progress: Progress::requested(Timestamp(0)),
                    has_data: false,
                };
                (name, line)
            })
        });
        let named = named.filter(|(name, _)| known.insert(name.clone()));
        named.take(MOST_SUBSCRIPTIONS).collect()
    }

    /// Adds what is wanted and not subscribed to, as of one request; returns its number and names.
    fn add(&mut self, now: Timestamp) -> (u64, Vec<String>) {
        let id = self.next_id();
        let mut new = vec![];
        for (name, line) in self.named() {
            if !self.lines.contains_key(&name) {
                let line = VenueSubscription {
                    request: id,
                    progress: Progress::requested(now),
                    ..line
                };
                self.lines.insert(name.clone(), line);
                new.push(name);
            }
        }
        (id, new)
    }

    /// Begins anew for another connection; returns the query of its address.
    pub(super) fn begin(&mut self, now: Timestamp) -> String {
        self.clear();
        let (id, names) = self.add(now);
        let (first, rest) = names.split_at(names.len().min(MOST_NAMES));
        let query = (self.dialect.query)(first);
        if query.is_empty() {
            self.send(self.dialect.subscribe, &names, id);
        } else {
            self.subscribed_by_query = first.to_vec();
            self.send(self.dialect.subscribe, rest, id);
        }
        query
    }

    /// The connection is open.
    pub(super) fn open(&mut self, now: Timestamp) {
        for line in self.lines.values_mut() {
            line.progress = Progress::requested(now);
        }
        // Nothing acknowledges what the address requests.
        for name in std::mem::take(&mut self.subscribed_by_query) {
            if let Some(line) = self.lines.get_mut(&name) {
                line.progress.enter(SubscriptionPhase::Live, now);
            }
        }
    }

    /// Ends what is no longer wanted, and requests the rest; returns the names of that.
    pub(super) fn subscribe(&mut self, now: Timestamp) -> Vec<String> {
        let wanted: BTreeSet<_> = self.named().into_iter().map(|(name, _)| name).collect();
        let over = self.lines.keys().filter(|name| !wanted.contains(*name));
        let over: Vec<_> = over.cloned().collect();
        self.lines.retain(|name, _| wanted.contains(name));
        let id = self.next_id();
        self.send(self.dialect.unsubscribe, &over, id);
        let (id, new) = self.add(now);
        self.send(self.dialect.subscribe, &new, id);
        new
    }

    /// Asks for these anew.
    pub(super) fn renew(&mut self, names: &[String], now: Timestamp) {
        let (over, id) = (self.next_id(), self.next_id());
        for name in names {
            if let Some(line) = self.lines.get_mut(name) {
                line.progress = line.progress.renewed(now);
                (line.request, line.has_data) = (id, false);
            }
        }
        self.send(self.dialect.unsubscribe, names, over);
        self.send(self.dialect.subscribe, names, id);
    }

    fn send(&mut self, frames: Frames, names: &[String], id: u64) {
        for names in names.chunks(MOST_NAMES) {
            self.requests.add(frames(names, id));
        }
    }

    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    pub(super) fn accepted(&mut self, subject: &AnswerSubject, now: Timestamp) {
        for line in self.about(subject).filter(|line| !line.progress.is_live()) {
            line.progress.enter(SubscriptionPhase::Live, now);
        }
    }

    pub(super) fn refused(&mut self, subject: &AnswerSubject, now: Timestamp) {
        for line in self.about(subject) {
            let again_at = now.plus(AGAIN_AFTER_REFUSAL);
            line.progress.enter(SubscriptionPhase::Ended(again_at), now);
        }
    }

    fn about(&mut self, subject: &AnswerSubject) -> impl Iterator<Item = &mut VenueSubscription> {
        let lines = self.lines.iter_mut();
        let matches_subject = move |name: &String, line: &VenueSubscription| match subject {
            AnswerSubject::Request(id) => line.request == *id,
            AnswerSubject::Name(subject) => name == subject,
        };
        lines.filter_map(move |(name, line)| matches_subject(name, line).then_some(line))
    }

    /// Those that are to be requested again, as far as that depends on time alone.
    pub(super) fn renewals_due(&self, now: Timestamp) -> Vec<String> {
        let lines = self.lines.iter();
        let due = lines.filter(|(name, line)| {
            let due = self.renewal_due(name, line);
            due.is_some_and(|due| due <= now)
        });
        due.map(|(name, _)| name.clone()).collect()
    }

    /// When something is to be requested, or may be.
    pub(super) fn due(&self) -> Option<Timestamp> {
        let lines = self.lines.iter();
        let renewals = lines.filter_map(|(name, line)| self.renewal_due(name, line));
        renewals.chain(self.requests.due()).min()
    }

    fn renewal_due(&self, name: &str, line: &VenueSubscription) -> Option<Timestamp> {
        let others = self.lines.iter().filter(|(other, _)| *other != name);
        let others = others.map(|(_, other)| &other.progress);
        line.progress.renewal_due(others)
    }

    /// Whether nothing that was requested is still to come.
    pub(super) fn are_settled(&self) -> bool {
        self.lines.values().all(|line| line.progress.is_settled())
    }

    /// The connection is gone.
    pub(super) fn clear(&mut self) {
        self.lines.clear();
        self.requests = Requests::default();
    }
}
