//! One socket of a venue as a stream: subscriptions for what is wanted, and their news.
//!
//! Contract: a subscription that is silent while others are active, and a book with a gap, are requested again, less and
//! less often. A message that is not believed is left out and counted.

use super::{
    VenueSocket,
    dialect::{BookDelivery, FirstTrades, OpenInterestRead, Update, VenueMessage, WholeBookRead},
    market_memory::{MarketMemory, Taken},
    subscriptions::Subscriptions,
};
use crate::{
    feed::{
        Stream,
        event::{Liveness, MarketEvent},
        link::LinkEnd,
        progress::SubscriptionPhase,
        rest_read::{ReadSubject, StreamRead},
        retry::Retry,
        topic::{Channel, Topic},
    },
    model::{MarketId, Num, Timestamp},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// How often the open interest is read where no frame reports it.
const INTEREST_EVERY: Duration = Duration::from_mins(1);
/// Frames in a row that are no messages: the other end is broken.
const UNREADABLE_IN_A_ROW: u32 = 3;

pub(crate) struct VenueStream {
    subscriptions: Subscriptions,
    markets: BTreeMap<MarketId, MarketMemory>,
    /// Since when the connection is open, if it is.
    opened_at: Option<Timestamp>,
    /// What is being read.
    reading: BTreeSet<ReadSubject>,
    funding_retry: Retry,
    /// Of the symbols that differ from the usual.
    funding_hours: Option<BTreeMap<String, Num>>,
    events: Vec<MarketEvent>,
    /// In a row.
    unreadable: u32,
    refused: u32,
    end: Option<LinkEnd>,
}

impl VenueStream {
    pub(crate) fn new(socket: VenueSocket) -> Self {
        Self {
            subscriptions: Subscriptions::new(socket.dialect()),
            markets: BTreeMap::new(),
            opened_at: None,
            reading: BTreeSet::new(),
            funding_retry: Retry::default(),
            funding_hours: None,
            events: vec![],
            unreadable: 0,
            refused: 0,
            end: None,
        }
    }

    /// When another connection is to take over, since the venue will cut this one.
    fn leaves_at(&self) -> Option<Timestamp> {
        let life = self.subscriptions.dialect.longest_life;
        Some(self.opened_at?.plus(life?))
    }

    fn books(&self) -> BookDelivery {
        self.subscriptions.dialect.books
    }

    /// These subscriptions were requested.
    fn requested(&mut self, names: &[String], now: Timestamp) {
        let books = self.books();
        for name in names {
            if let Some(line) = self.subscriptions.lines.get(name) {
                let memory = self.markets.entry(line.market.id.clone());
                memory
                    .or_insert_with(|| MarketMemory::new(&line.market))
                    .requested(line.channel, books, now);
            }
        }
    }

    fn renew(&mut self, names: &[String], now: Timestamp) {
        if !names.is_empty() {
            self.subscriptions.renew(names, now);
            self.requested(names, now);
        }
    }

    fn data(&mut self, name: &str, update: Option<Update>, now: Timestamp) {
        // Of what is no longer wanted.
        let Some(line) = self.subscriptions.lines.get_mut(name) else {
            return;
        };
        let Some(memory) = self.markets.get_mut(&line.market.id) else {
            return;
        };
        let is_first = !std::mem::replace(&mut line.has_data, true);
        let liveness = match self.subscriptions.dialect.first_trades {
            FirstTrades::History if is_first => Liveness::Backfill,
            FirstTrades::History | FirstTrades::News => Liveness::Live,
        };
        match update.map_or(Taken::Refused, |update| memory.take(update, liveness, now)) {
            Taken::Events(events) => {
                if !line.progress.is_live() {
                    line.progress.enter(SubscriptionPhase::Live, now);
                }
                line.progress.received(now);
                self.events.extend(events);
            }
            Taken::Refused => {
                self.refused = self.refused.saturating_add(1);
                line.progress.refuse();
                if line.channel == Channel::Trades {
                    memory.trades.has_gap();
                }
                if line.progress.is_refuted() {
                    self.renew(&[name.to_owned()], now);
                }
            }
            // It is requested whole when that is due.
            Taken::BookGap => self.refused = self.refused.saturating_add(1),
        }
    }

    /// Subscriptions to books that have to be sent whole, and are not being read.
    fn broken_books(&self) -> impl Iterator<Item = (&String, &MarketMemory)> {
        let lines = self.subscriptions.lines.iter();
        let books = lines.filter(|(_, line)| line.channel == Channel::Book);
        books.filter_map(|(name, line)| {
            let memory = self.markets.get(&line.market.id)?;
            let is_broken = match self.books() {
                BookDelivery::Whole => false,
                BookDelivery::Changes => line.progress.is_live() && memory.mirror.needs_whole(),
                // The whole book has to be newer than the first change.
                BookDelivery::ChangesOf(_) => {
                    let subject = ReadSubject::Book(line.market.id.clone());
                    memory.mirror.has_changes_waiting() && !self.reading.contains(&subject)
                }
            };
            is_broken.then_some((name, memory))
        })
    }

    /// Those of them that are due.
    fn books_due(&self, now: Timestamp) -> Vec<String> {
        let broken = self.broken_books();
        let due = broken.filter(|(_, memory)| memory.whole_book_retry.due() <= now);
        due.map(|(name, _)| name.clone()).collect()
    }

    /// The read that returns the whole book of this subscription.
    fn book_read(&mut self, name: &str, read: WholeBookRead, now: Timestamp) -> Option<StreamRead> {
        let market = self.subscriptions.lines.get(name)?.market.id.clone();
        let memory = self.markets.get_mut(&market)?;
        memory.whole_book_retry.tried(now);
        Some(StreamRead {
            rest: (read.ask)(&memory.symbol),
            subject: ReadSubject::Book(market),
        })
    }

    fn book_answer(&mut self, market: &MarketId, answer: Option<&[u8]>, now: Timestamp) {
        let BookDelivery::ChangesOf(read) = self.books() else {
            return;
        };
        let whole = answer.and_then(read.answer).map(Update::Change);
        let memory = self.markets.get_mut(market).zip(whole);
        let taken = memory.map(|(memory, whole)| memory.take(whole, Liveness::Live, now));
        if let Some(Taken::Events(events)) = taken {
            self.events.extend(events);
        }
    }

    fn wants_funding(&self) -> bool {
        let mut lines = self.subscriptions.lines.values();
        self.subscriptions.dialect.funding_hours.is_some()
            && self.funding_hours.is_none()
            && !self.reading.contains(&ReadSubject::FundingHours)
            && lines.any(|line| line.channel == Channel::Stats)
    }

    /// The markets whose open interest is read, and when each is next.
    fn interest_reads(&self) -> BTreeMap<&MarketId, Timestamp> {
        let lines = self.subscriptions.lines.values();
        let read = self.subscriptions.dialect.open_interest;
        let markets = lines.filter(|line| read.is_some() && line.channel == Channel::Stats);
        let wanted = markets.filter_map(|line| {
            let id = &line.market.id;
            let subject = ReadSubject::OpenInterest(id.clone());
            let memory = self.markets.get(id)?;
            let due = memory
                .interest_requested_at
                .map_or(Timestamp(0), |at| at.plus(INTEREST_EVERY));
            (!self.reading.contains(&subject)).then_some((id, due))
        });
        wanted.collect()
    }

    /// The reads of open interest that are due.
    fn interest_due(&mut self, read: OpenInterestRead, now: Timestamp) -> Vec<StreamRead> {
        let due = self.interest_reads().into_iter();
        let due = due.filter(|(_, at)| *at <= now);
        let due: Vec<_> = due.map(|(id, _)| id.clone()).collect();
        let reads = due.into_iter().filter_map(|id| {
            let memory = self.markets.get_mut(&id)?;
            memory.interest_requested_at = Some(now);
            Some(StreamRead {
                rest: (read.ask)(&memory.symbol),
                subject: ReadSubject::OpenInterest(id),
            })
        });
        reads.collect()
    }

    fn interest_answer(&mut self, market: &MarketId, answer: Option<&[u8]>, now: Timestamp) {
        let answer = answer.zip(self.subscriptions.dialect.open_interest);
        let coins = answer.and_then(|(body, read)| (read.answer)(body));
        if let Some((memory, coins)) = self.markets.get_mut(market).zip(coins) {
            self.events.extend(memory.interest_read(coins, now));
        }
    }

    /// Gives each market how long its fundings are apart.
    fn funding_arrived(&mut self) {
        let read = self.subscriptions.dialect.funding_hours;
        let Some((read, hours)) = read.zip(self.funding_hours.as_ref()) else {
            return;
        };
        for memory in self.markets.values_mut() {
            let known = hours.get(&memory.symbol).copied();
            memory.stats.funding_hours = Some(known.unwrap_or(Num::from(read.usual)));
        }
    }

    fn subscribe(&mut self, now: Timestamp) {
        let new = self.subscriptions.subscribe(now);
        self.requested(&new, now);
        let lines = &self.subscriptions.lines;
        let is_wanted = |market: &MarketId| lines.values().any(|line| line.market.id == *market);
        self.markets.retain(|market, _| is_wanted(market));
        self.funding_arrived();
    }
}

impl Stream for VenueStream {
    type Event = MarketEvent;

    fn query(&mut self, now: Timestamp) -> String {
        self.lost();
        let query = self.subscriptions.begin(now);
        let names: Vec<_> = self.subscriptions.lines.keys().cloned().collect();
        self.requested(&names, now);
        query
    }

    fn want(&mut self, wanted: BTreeSet<Topic>, now: Timestamp) {
        self.subscriptions.want(wanted);
        if self.opened_at.is_some() {
            self.subscribe(now);
        }
    }

    fn opened(&mut self, now: Timestamp) {
        self.opened_at = Some(now);
        self.subscriptions.open(now);
        self.subscribe(now);
    }

    fn frame(&mut self, text: &str, now: Timestamp) {
        let Some(received) = (self.subscriptions.dialect.parse)(text) else {
            (self.unreadable, self.refused) = (self.unreadable + 1, self.refused + 1);
            for memory in self.markets.values_mut() {
                memory.trades.has_gap();
            }
            if self.unreadable >= UNREADABLE_IN_A_ROW {
                self.end = Some(LinkEnd::Fault("its messages cannot be read"));
            }
            return;
        };
        self.unreadable = 0;
        match received {
            VenueMessage::Nothing => {}
            VenueMessage::Accepted(requested) => self.subscriptions.accepted(&requested, now),
            VenueMessage::Refused(requested) => self.subscriptions.refused(&requested, now),
            VenueMessage::Data(name, update) => self.data(&name, update, now),
        }
    }

    fn pass(&mut self, now: Timestamp) {
        let mut due: BTreeSet<_> = self.subscriptions.renewals_due(now).into_iter().collect();
        if matches!(self.books(), BookDelivery::Changes) {
            due.extend(self.books_due(now));
        }
        let due: Vec<_> = due.into_iter().collect();
        self.renew(&due, now);
        if self.end.is_none() && self.leaves_at().is_some_and(|at| at <= now) {
            self.end = Some(LinkEnd::ServiceRequest);
        }
    }

    fn due(&self) -> Option<Timestamp> {
        let books = self
            .broken_books()
            .map(|(_, memory)| &memory.whole_book_retry);
        let funding = self.wants_funding().then_some(&self.funding_retry);
        let interest = self.interest_reads().into_values();
        let reads = books.chain(funding).map(Retry::due).chain(interest);
        let leaves = self.leaves_at().filter(|_| self.end.is_none());
        reads.chain(self.subscriptions.due()).chain(leaves).min()
    }

    fn requests(&mut self, now: Timestamp) -> Vec<String> {
        self.subscriptions.requests.take(now)
    }

    fn reads(&mut self, now: Timestamp) -> Vec<StreamRead> {
        let mut reads = vec![];
        if let BookDelivery::ChangesOf(read) = self.books() {
            let due = self.books_due(now).into_iter();
            reads.extend(due.filter_map(|name| self.book_read(&name, read, now)));
        }
        if let Some(read) = self.subscriptions.dialect.open_interest {
            reads.extend(self.interest_due(read, now));
        }
        if let Some(read) = self.subscriptions.dialect.funding_hours
            && self.wants_funding()
            && self.funding_retry.due() <= now
        {
            self.funding_retry.tried(now);
            reads.push(StreamRead {
                rest: (read.ask)(),
                subject: ReadSubject::FundingHours,
            });
        }
        self.reading
            .extend(reads.iter().map(|read| read.subject.clone()));
        reads
    }

    fn answer(&mut self, subject: ReadSubject, answer: Option<&[u8]>, now: Timestamp) {
        self.reading.remove(&subject);
        match subject {
            ReadSubject::Book(market) => self.book_answer(&market, answer, now),
            ReadSubject::FundingHours => {
                let answer = answer.zip(self.subscriptions.dialect.funding_hours);
                self.funding_hours = answer.and_then(|(body, read)| (read.answer)(body));
                self.funding_arrived();
            }
            ReadSubject::OpenInterest(market) => self.interest_answer(&market, answer, now),
        }
    }

    fn ping(&mut self) -> Option<String> {
        self.subscriptions.dialect.ping.map(str::to_owned)
    }

    fn events(&mut self) -> Vec<MarketEvent> {
        std::mem::take(&mut self.events)
    }

    fn refused(&mut self) -> u32 {
        std::mem::take(&mut self.refused)
    }

    fn is_live(&self) -> bool {
        self.opened_at.is_some() && self.subscriptions.are_settled()
    }

    fn end(&self) -> Option<LinkEnd> {
        self.end
    }

    fn lost(&mut self) {
        (self.opened_at, self.end, self.unreadable) = (None, None, 0);
        self.subscriptions.clear();
        self.reading.clear();
        for memory in self.markets.values_mut() {
            memory.has_gap();
        }
    }
}
