//! The market stream: subscriptions for what is wanted, and their events.
//!
//! Contract: no frame of it carries a key; it knows none. At most [`MOST_SUBSCRIPTIONS`] at a time, and
//! [`REQUESTS_A_SECOND`](super::requests::REQUESTS_A_SECOND) requests.

use super::{
    Stream,
    event::MarketEvent,
    link::LinkEnd,
    market_frame::MarketFrame,
    progress::SubscriptionPhase,
    requests::Requests,
    subscription::Subscription,
    topic::{Topic, unsubscribe},
};
use crate::model::{MarketId, Timestamp};
use serde_json::{json, value::RawValue};
use std::{collections::BTreeSet, time::Duration};

/// As many as the service allows on a connection.
pub(crate) const MOST_SUBSCRIPTIONS: usize = 64;

/// Frames in a row that are no messages: the other end is broken.
const UNREADABLE_IN_A_ROW: u32 = 3;
/// Names of subscriptions that sent events before they were acknowledged.
const MOST_EARLY: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct MarketStream {
    wanted: BTreeSet<Topic>,
    subscriptions: Vec<Subscription>,
    is_open: bool,
    last_id: u64,
    requests: Requests,
    events: Vec<MarketEvent>,
    early: BTreeSet<String>,
    /// What the service refused when it was last requested.
    refused: BTreeSet<Topic>,
    /// The markets that were last said to be refused.
    refused_markets: BTreeSet<MarketId>,
    unreadable: u32,
    end: Option<LinkEnd>,
}

/// How the service ends a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SubscriptionEnd {
    Over,
    Refused,
}

impl SubscriptionEnd {
    /// It is requested again after this.
    fn pause(self) -> Duration {
        match self {
            Self::Over => Duration::from_millis(1_500),
            Self::Refused => Duration::from_mins(1),
        }
    }
}

impl MarketStream {
    /// Asks for what is wanted and not subscribed to, and ends the rest.
    fn subscribe(&mut self, now: Timestamp) {
        let (kept, over): (Vec<_>, Vec<_>) = std::mem::take(&mut self.subscriptions)
            .into_iter()
            .partition(|one| self.wanted.contains(&one.topic));
        self.subscriptions = kept;
        self.requests
            .add(over.iter().map(|one| unsubscribe(one.id)));
        let is_new = |topic: &&Topic| !self.subscriptions.iter().any(|one| one.topic == **topic);
        let room = MOST_SUBSCRIPTIONS.saturating_sub(self.subscriptions.len());
        let new: Vec<_> = self
            .wanted
            .iter()
            .filter(is_new)
            .take(room)
            .cloned()
            .collect();
        for topic in new {
            let id = self.next_id();
            self.requests.add([topic.subscribe(id)]);
            self.subscriptions.push(Subscription::new(id, topic, now));
        }
    }

    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    fn by_id(&mut self, id: Option<u64>) -> Option<&mut Subscription> {
        let mut all = self.subscriptions.iter_mut();
        all.find(|one| Some(one.id) == id)
    }

    /// Asks for these anew.
    fn renew(&mut self, ids: &[u64], now: Timestamp) {
        for id in ids {
            let fresh = self.next_id();
            if let Some(one) = self.by_id(Some(*id)) {
                one.renew(fresh, now);
                let asks = one.topic.subscribe(fresh);
                self.requests.add([unsubscribe(*id), asks]);
            }
        }
    }

    /// Changes what is refused, and says which markets are.
    fn refuse(&mut self, change: impl FnOnce(&mut BTreeSet<Topic>)) {
        change(&mut self.refused);
        let markets = self.markets_refused();
        if markets != self.refused_markets {
            self.refused_markets.clone_from(&markets);
            self.events.push(MarketEvent::Refused { markets });
        }
    }

    /// A subscription of one market that is refused says so of the market. A list is refused for any of its markets: it
    /// says so of those of which nothing is accepted. Candles may be refused for their interval: they say so of a market
    /// without another subscription.
    fn markets_refused(&self) -> BTreeSet<MarketId> {
        let all = self.subscriptions.iter();
        let accepted = all.filter(|one| one.is_accepted() && !self.refused.contains(&one.topic));
        let accepted: BTreeSet<_> = accepted.flat_map(|one| one.topic.ids()).collect();
        let all = self.subscriptions.iter();
        let others = all.filter(|one| !self.refused.contains(&one.topic));
        let others: BTreeSet<_> = others.flat_map(|one| one.topic.ids()).collect();
        let (candles, markets): (Vec<&Topic>, Vec<_>) =
            self.refused.iter().partition(|topic| topic.has_interval());
        let (single, lists): (Vec<_>, Vec<_>) =
            markets.into_iter().partition(|topic| topic.is_single());
        let lists = lists.into_iter().flat_map(Topic::ids);
        let of_lists = lists.filter(|id| !accepted.contains(id));
        let single = single.into_iter().flat_map(Topic::ids);
        let of_candles = candles.into_iter().flat_map(Topic::ids);
        let of_candles = of_candles.filter(|id| !others.contains(id));
        single.chain(of_lists).chain(of_candles).cloned().collect()
    }

    fn ended(&mut self, id: Option<u64>, end: SubscriptionEnd, now: Timestamp) {
        let Some(one) = self.by_id(id) else {
            return;
        };
        one.ended(now.plus(end.pause()), now);
        let topic = one.topic.clone();
        if end == SubscriptionEnd::Refused {
            self.refuse(|refused| {
                refused.insert(topic);
            });
        }
    }

    fn acknowledged(&mut self, frame: &MarketFrame<'_>, now: Timestamp) {
        let Some(name) = frame.sub.map(|name| name.get().to_owned()) else {
            return;
        };
        let was_early = self.early.remove(&name);
        let Some(one) = self.by_id(frame.id) else {
            return;
        };
        one.acknowledged(name, now);
        let topic = one.topic.clone();
        // Without a boundary everything is news.
        if frame.snapshot_boundary != Some(true) {
            one.snapshot_ended(now);
        }
        // Its snapshot came before anybody knew whose it was; a service that always sends it so is not asked again.
        let again = (was_early && !one.progress().is_renewed()).then_some(one.id);
        self.refuse(|refused| {
            refused.remove(&topic);
        });
        self.renew(again.as_slice(), now);
        if !self.awaits_name() {
            self.early.clear();
        }
    }

    /// Whether a subscription is not acknowledged yet.
    fn awaits_name(&self) -> bool {
        let mut all = self.subscriptions.iter();
        all.any(|one| one.progress().phase() == SubscriptionPhase::Requested)
    }

    fn take(&mut self, frame: &MarketFrame<'_>, now: Timestamp) {
        let name = frame.sub.map_or("", RawValue::get);
        let mut all = self.subscriptions.iter_mut();
        let Some(one) = all.find(|one| one.is_named(name)) else {
            if self.early.len() < MOST_EARLY && self.awaits_name() {
                self.early.insert(name.to_owned());
            }
            return;
        };
        let events = frame.events.iter();
        self.events
            .extend(events.filter_map(|event| one.take(event, now)));
        let refuted = one.progress().is_refuted().then_some(one.id);
        self.renew(refuted.as_slice(), now);
    }

    /// A frame is lost, whatever it reported.
    fn cannot_read(&mut self) {
        self.unreadable += 1;
        for one in &mut self.subscriptions {
            one.has_gap();
        }
        if self.unreadable >= UNREADABLE_IN_A_ROW {
            self.end = Some(LinkEnd::Fault("its messages cannot be read"));
        }
    }

    /// When this one is to be requested again.
    fn renewal_due(&self, one: &Subscription) -> Option<Timestamp> {
        let others = self.subscriptions.iter().filter(|other| other.id != one.id);
        one.progress()
            .renewal_due(others.map(Subscription::progress))
    }
}

impl Stream for MarketStream {
    type Event = MarketEvent;

    fn want(&mut self, wanted: BTreeSet<Topic>, now: Timestamp) {
        self.wanted = wanted;
        if self.is_open {
            self.subscribe(now);
        }
        let refused = &self.refused & &self.wanted;
        self.refuse(|known| *known = refused);
    }

    fn opened(&mut self, now: Timestamp) {
        self.lost();
        self.is_open = true;
        self.subscribe(now);
    }

    fn frame(&mut self, text: &str, now: Timestamp) {
        let Ok(frame) = serde_json::from_str::<MarketFrame<'_>>(text) else {
            return self.cannot_read();
        };
        self.unreadable = 0;
        match &*frame.op {
            "sub_ok" => self.acknowledged(&frame, now),
            "events" => self.take(&frame, now),
            "snapshot_end" => {
                if let Some(one) = self.by_id(frame.id) {
                    one.snapshot_ended(now);
                }
            }
            "sub_err" => self.ended(frame.id, SubscriptionEnd::Refused, now),
            "end" => self.ended(frame.id, SubscriptionEnd::Over, now),
            "draining" => self.end = Some(LinkEnd::ServiceRequest),
            _ => {}
        }
    }

    fn pass(&mut self, now: Timestamp) {
        let all = self.subscriptions.iter();
        let due = all.filter(|one| self.renewal_due(one).is_some_and(|due| due <= now));
        let due: Vec<_> = due.map(|one| one.id).collect();
        self.renew(&due, now);
    }

    fn due(&self) -> Option<Timestamp> {
        let all = self.subscriptions.iter();
        let renewal = all.filter_map(|one| self.renewal_due(one)).min();
        renewal.into_iter().chain(self.requests.due()).min()
    }

    fn requests(&mut self, now: Timestamp) -> Vec<String> {
        self.requests.take(now)
    }

    fn ping(&mut self) -> Option<String> {
        let id = self.next_id();
        Some(json!({ "op": "req", "id": id, "method": "ping" }).to_string())
    }

    fn events(&mut self) -> Vec<MarketEvent> {
        std::mem::take(&mut self.events)
    }

    fn is_live(&self) -> bool {
        self.is_open
            && self
                .subscriptions
                .iter()
                .all(|one| one.progress().is_settled())
    }

    fn end(&self) -> Option<LinkEnd> {
        self.end
    }

    fn lost(&mut self) {
        self.refuse(BTreeSet::clear);
        *self = Self {
            wanted: std::mem::take(&mut self.wanted),
            events: std::mem::take(&mut self.events),
            ..Self::default()
        };
    }
}
