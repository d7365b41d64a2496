//! One socket of a venue as a stream: subscriptions for what is wanted, and their news.
//!
//! Contract: at most [`MOST_SUBSCRIPTIONS`] at a time. A subscription that is silent while others are heard, and a book
//! with a gap, are asked for anew, less and less often.

use super::{
    VenueSocket,
    dialect::{Asked, BookTold, Dialect, FirstTrades, Heard, MOST_NAMES, Update, WholeBookRead},
    market_memory::{MarketMemory, Taken},
};
use crate::{
    feed::{
        Stream,
        event::{MarketEvent, Told},
        link::LinkEnd,
        progress::{Phase, Progress},
        requests::Requests,
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

/// Below what each venue allows on a connection.
pub(crate) const MOST_SUBSCRIPTIONS: usize = 400;
/// What a venue refused is asked for again after this.
const AGAIN_AFTER_REFUSAL: Duration = Duration::from_mins(1);
/// A silent subscription is suspicious while another one was heard so recently.
const OTHERS_HEARD: Duration = Duration::from_millis(2_500);
/// Frames in a row that are no messages: the other end is broken.
const UNREADABLE_IN_A_ROW: u32 = 3;

/// One subscription.
#[derive(Debug)]
struct Line {
    market: MarketId,
    channel: Channel,
    /// The request that asked for it.
    request: u64,
    progress: Progress,
    /// Whether anything came since it was asked for.
    is_heard: bool,
}

/// What is wanted, as the venue calls it.
struct Named {
    name: String,
    channel: Channel,
    market: MarketId,
    symbol: String,
}

pub(crate) struct VenueStream {
    dialect: &'static Dialect,
    wanted: BTreeSet<Topic>,
    /// By what the venue calls them.
    lines: BTreeMap<String, Line>,
    markets: BTreeMap<MarketId, MarketMemory>,
    is_open: bool,
    last_id: u64,
    requests: Requests,
    asked_by_query: Vec<String>,
    /// What is being read, or waits for that.
    reading: BTreeSet<ReadSubject>,
    funding_asked: Retry,
    funding_hours: Option<BTreeMap<String, Num>>,
    events: Vec<MarketEvent>,
    unreadable: u32,
    refused: u32,
    end: Option<LinkEnd>,
}

impl VenueStream {
    pub(crate) fn new(socket: VenueSocket) -> Self {
        Self {
            dialect: socket.dialect(),
            wanted: BTreeSet::new(),
            lines: BTreeMap::new(),
            markets: BTreeMap::new(),
            is_open: false,
            last_id: 0,
            requests: Requests::default(),
            asked_by_query: vec![],
            reading: BTreeSet::new(),
            funding_asked: Retry::default(),
            funding_hours: None,
            events: vec![],
            unreadable: 0,
            refused: 0,
            end: None,
        }
    }

    /// All that is wanted, the most important first.
    fn named(&self) -> Vec<Named> {
        let mut known = BTreeSet::new();
        let pairs = self.wanted.iter().flat_map(|topic| {
            let markets = topic.markets.iter();
            markets.map(|market| (topic.channel, market))
        });
        let named = pairs.flat_map(|(channel, market)| {
            let names = (self.dialect.names)(channel, &market.symbol).into_iter();
            names.map(move |name| Named {
                name,
                channel,
                market: market.id.clone(),
                symbol: market.symbol.clone(),
            })
        });
        let named = named.filter(|named| known.insert(named.name.clone()));
        named.take(MOST_SUBSCRIPTIONS).collect()
    }

    /// Adds what is wanted and not subscribed to, as of one request; returns its number and names.
    fn add_lines(&mut self, now: Timestamp) -> (u64, Vec<String>) {
        let id = self.next_id();
        let mut new = vec![];
        for named in self.named() {
            if self.lines.contains_key(&named.name) {
                continue;
            }
            let memory = self.markets.entry(named.market.clone());
            memory
                .or_insert_with(|| MarketMemory::new(named.market.clone(), named.symbol))
                .asked(named.channel, self.dialect.books, now);
            let line = Line {
                market: named.market,
                channel: named.channel,
                request: id,
                progress: Progress::asked(now),
                is_heard: false,
            };
            self.lines.insert(named.name.clone(), line);
            new.push(named.name);
        }
        (id, new)
    }

    /// Ends what is no longer wanted, and asks for the rest.
    fn subscribe(&mut self, now: Timestamp) {
        let wanted = self.named().into_iter().map(|named| named.name);
        let wanted: BTreeSet<_> = wanted.collect();
        let over = self.lines.keys().filter(|name| !wanted.contains(*name));
        let over: Vec<_> = over.cloned().collect();
        self.lines.retain(|name, _| wanted.contains(name));
        let is_shown = |market: &MarketId| self.lines.values().any(|line| line.market == *market);
        self.markets.retain(|market, _| is_shown(market));
        let id = self.next_id();
        self.send(self.dialect.unsubscribe, &over, id);
        let (id, new) = self.add_lines(now);
        self.send(self.dialect.subscribe, &new, id);
        self.funding_told();
    }

    fn send(&mut self, frames: fn(&[String], u64) -> Vec<String>, names: &[String], id: u64) {
        for names in names.chunks(MOST_NAMES) {
            self.requests.add(frames(names, id));
        }
    }

    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Asks for these anew.
    fn renew(&mut self, names: &[String], now: Timestamp) {
        if names.is_empty() {
            return;
        }
        let (over, id) = (self.next_id(), self.next_id());
        for name in names {
            if let Some(line) = self.lines.get_mut(name) {
                line.progress = line.progress.renewed(now);
                (line.request, line.is_heard) = (id, false);
                if let Some(memory) = self.markets.get_mut(&line.market) {
                    memory.asked(line.channel, self.dialect.books, now);
                }
            }
        }
        self.send(self.dialect.unsubscribe, names, over);
        self.send(self.dialect.subscribe, names, id);
    }

    fn asked(&mut self, asked: &Asked) -> impl Iterator<Item = &mut Line> {
        let lines = self.lines.iter_mut();
        let is_asked = move |name: &String, line: &Line| match asked {
            Asked::Request(id) => line.request == *id,
            Asked::Name(asked) => name == asked,
        };
        lines.filter_map(move |(name, line)| is_asked(name, line).then_some(line))
    }

    fn hear(&mut self, heard: Heard, now: Timestamp) {
        match heard {
            Heard::Nothing => {}
            Heard::Accepted(asked) => {
                for line in self.asked(&asked).filter(|line| !line.progress.is_live()) {
                    line.progress.enter(Phase::Live, now);
                }
            }
            Heard::Refused(asked) => {
                for line in self.asked(&asked) {
                    let again_at = now.plus(AGAIN_AFTER_REFUSAL);
                    line.progress.enter(Phase::Ended(again_at), now);
                }
            }
            Heard::Data(name, update) => self.data(&name, update, now),
        }
    }

    fn data(&mut self, name: &str, update: Option<Update>, now: Timestamp) {
        // Of what is no longer wanted.
        let Some(line) = self.lines.get_mut(name) else {
            return;
        };
        let Some(memory) = self.markets.get_mut(&line.market) else {
            return;
        };
        let is_first = !std::mem::replace(&mut line.is_heard, true);
        let told = match self.dialect.first_trades {
            FirstTrades::History if is_first => Told::AsHistory,
            FirstTrades::History | FirstTrades::News => Told::AsNews,
        };
        let is_trades = line.channel == Channel::Trades;
        match update.map_or(Taken::Refused, |update| memory.take(update, told, now)) {
            Taken::Told(events) => {
                if !line.progress.is_live() {
                    line.progress.enter(Phase::Live, now);
                }
                line.progress.heard(now);
                self.events.extend(events);
            }
            Taken::Refused => {
                self.refused = self.refused.saturating_add(1);
                line.progress.refuse();
                if is_trades {
                    memory.has_trade_gap();
                }
                if line.progress.is_refuted() {
                    self.renew(&[name.to_owned()], now);
                }
            }
            // It is asked for whole when that is due.
            Taken::BookGap => self.refused = self.refused.saturating_add(1),
        }
    }

    /// Subscriptions to books that have to be told whole, and are not being read.
    fn broken_books(&self) -> impl Iterator<Item = (&String, &MarketMemory)> {
        let lines = self.lines.iter();
        let books = lines.filter(|(_, line)| line.channel == Channel::Book);
        books.filter_map(|(name, line)| {
            let memory = self.markets.get(&line.market)?;
            let is_broken = match self.dialect.books {
                BookTold::Whole => false,
                BookTold::Changes => line.progress.is_live() && memory.needs_whole_book(),
                // The whole book has to be newer than the first change.
                BookTold::ChangesOf(_) => {
                    let subject = ReadSubject::Book(line.market.clone());
                    memory.has_changes_waiting() && !self.reading.contains(&subject)
                }
            };
            is_broken.then_some((name, memory))
        })
    }

    /// Those of them that are due.
    fn books_due(&self, now: Timestamp) -> Vec<String> {
        let broken = self.broken_books();
        let due = broken.filter(|(_, memory)| memory.whole_asked.due() <= now);
        due.map(|(name, _)| name.clone()).collect()
    }

    /// The read that tells the book of this subscription whole.
    fn book_read(&mut self, name: &str, read: WholeBookRead, now: Timestamp) -> Option<StreamRead> {
        let market = self.lines.get(name)?.market.clone();
        let memory = self.markets.get_mut(&market)?;
        memory.whole_asked.tried(now);
        Some(StreamRead {
            rest: (read.ask)(&memory.symbol),
            subject: ReadSubject::Book(market),
        })
    }

    fn wants_funding(&self) -> bool {
        self.dialect.funding_hours.is_some()
            && self.funding_hours.is_none()
            && !self.reading.contains(&ReadSubject::FundingHours)
            && self
                .lines
                .values()
                .any(|line| line.channel == Channel::Stats)
    }

    /// When this one is to be asked for anew, as far as that depends on time alone.
    fn renewal_due(&self, name: &str, line: &Line) -> Option<Timestamp> {
        let due = line.progress.renewal_due();
        if !line.progress.is_live() {
            return Some(due);
        }
        let others = self.lines.iter().filter(|(other, _)| *other != name);
        let heard = others.map(|(_, other)| other.progress.heard_at()).max()?;
        (heard.plus(OTHERS_HEARD) >= due).then_some(due)
    }

    fn funding_told(&mut self) {
        let (Some(read), Some(hours)) = (self.dialect.funding_hours, &self.funding_hours) else {
            return;
        };
        for memory in self.markets.values_mut() {
            let known = hours.get(&memory.symbol).copied();
            memory.funding_every(known.unwrap_or(Num::from(read.usual)));
        }
    }
}

impl Stream for VenueStream {
    type Event = MarketEvent;

    fn query(&mut self, now: Timestamp) -> String {
        self.lost();
        let (id, names) = self.add_lines(now);
        let (first, rest) = names.split_at(names.len().min(MOST_NAMES));
        let query = (self.dialect.query)(first);
        if query.is_empty() {
            self.send(self.dialect.subscribe, &names, id);
        } else {
            self.asked_by_query = first.to_vec();
            self.send(self.dialect.subscribe, rest, id);
        }
        query
    }

    fn want(&mut self, wanted: BTreeSet<Topic>, now: Timestamp) {
        self.wanted = wanted;
        if self.is_open {
            self.subscribe(now);
        }
    }

    fn opened(&mut self, now: Timestamp) {
        self.is_open = true;
        for line in self.lines.values_mut() {
            line.progress = Progress::asked(now);
        }
        // Nothing acknowledges what the address asks for.
        for name in std::mem::take(&mut self.asked_by_query) {
            if let Some(line) = self.lines.get_mut(&name) {
                line.progress.enter(Phase::Live, now);
            }
        }
        self.subscribe(now);
    }

    fn frame(&mut self, text: &str, now: Timestamp) {
        let Some(heard) = (self.dialect.hear)(text) else {
            (self.unreadable, self.refused) = (self.unreadable + 1, self.refused + 1);
            for memory in self.markets.values_mut() {
                memory.has_trade_gap();
            }
            if self.unreadable >= UNREADABLE_IN_A_ROW {
                self.end = Some(LinkEnd::Fault("its messages cannot be read"));
            }
            return;
        };
        self.unreadable = 0;
        self.hear(heard, now);
    }

    fn pass(&mut self, now: Timestamp) {
        let lines = self.lines.iter();
        let due = lines.filter(|(name, line)| {
            let due = self.renewal_due(name, line);
            due.is_some_and(|due| due <= now)
        });
        let mut due: Vec<_> = due.map(|(name, _)| name.clone()).collect();
        if matches!(self.dialect.books, BookTold::Changes) {
            due.extend(self.books_due(now));
        }
        due.dedup();
        self.renew(&due, now);
    }

    fn due(&self) -> Option<Timestamp> {
        let lines = self.lines.iter();
        let renewals = lines.filter_map(|(name, line)| self.renewal_due(name, line));
        let books = self.broken_books().map(|(_, memory)| &memory.whole_asked);
        let funding = self.wants_funding().then_some(&self.funding_asked);
        let reads = books.chain(funding).map(Retry::due);
        renewals.chain(reads).chain(self.requests.due()).min()
    }

    fn requests(&mut self, now: Timestamp) -> Vec<String> {
        self.requests.take(now)
    }

    fn reads(&mut self, now: Timestamp) -> Vec<StreamRead> {
        let mut reads = vec![];
        if let BookTold::ChangesOf(read) = self.dialect.books {
            let due = self.books_due(now).into_iter();
            reads.extend(due.filter_map(|name| self.book_read(&name, read, now)));
        }
        if let Some(read) = self.dialect.funding_hours
            && self.wants_funding()
            && self.funding_asked.due() <= now
        {
            self.funding_asked.tried(now);
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
            ReadSubject::Book(market) => {
                let BookTold::ChangesOf(read) = self.dialect.books else {
                    return;
                };
                let whole = answer.and_then(read.answer).map(Update::Change);
                let memory = self.markets.get_mut(&market).zip(whole);
                let taken = memory.map(|(memory, whole)| memory.take(whole, Told::AsNews, now));
                if let Some(Taken::Told(events)) = taken {
                    self.events.extend(events);
                }
            }
            ReadSubject::FundingHours => {
                let answer = answer.zip(self.dialect.funding_hours);
                self.funding_hours = answer.and_then(|(body, read)| (read.answer)(body));
                self.funding_told();
            }
        }
    }

    fn ping(&mut self) -> Option<String> {
        self.dialect.ping.map(str::to_owned)
    }

    fn events(&mut self) -> Vec<MarketEvent> {
        std::mem::take(&mut self.events)
    }

    fn refused(&mut self) -> u32 {
        std::mem::take(&mut self.refused)
    }

    fn is_live(&self) -> bool {
        self.is_open && self.lines.values().all(|line| line.progress.is_settled())
    }

    fn end(&self) -> Option<LinkEnd> {
        self.end
    }

    fn lost(&mut self) {
        (self.is_open, self.end, self.unreadable) = (false, None, 0);
        self.lines.clear();
        self.requests = Requests::default();
        self.reading.clear();
        for memory in self.markets.values_mut() {
            memory.has_gap();
        }
    }
}
