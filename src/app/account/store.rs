//! The last known data of the account, its age, and the commands in progress.

pub(crate) mod ended;
mod from_receipts;
mod read_lists;
mod scaled;
mod streamed;

pub use ended::{Ended, FillCertainty};
pub use from_receipts::Closing;

use super::{
    about::About,
    books::{Books, TicketQuote},
    clocks::Clocks,
    equity::Equity,
    evidence::Evidence,
    feed::{AnswerDiff, Feed, among},
    health::Health,
    lineage::Lineage,
    poll::{Answer, Poll, Source},
    prices::Prices,
    remote::Remote,
    streamed::Streams,
    tally::{HourResults, MarketResults, Quality, Results, Tally, days::Days},
    trades::TradeLog,
    tree::TreeRow,
    watchlists::Watchlists,
};
use crate::{
    app::account::row_id::RowId,
    model::{
        AccountFacts, Call, CloseAll, Command, Failure, KeyScope, Market, MarketId, MarketNames,
        Num, Order, OrderId, Page, Position, PositionId, Progress, Receipt, Risk, Scaled, ScaledId,
        ServiceAbout, Ticket, Timestamp, Twap, TwapId, Zone,
    },
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The most calls that the calls pane keeps.
const CALLS_KEPT: usize = 500;

/// A command without an outcome yet.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingCommand {
    pub command: Command,
    /// Its object when it was given.
    pub about: About,
    pub since: Timestamp,
    pub progress: Progress,
}

/// Why a TWAP left the list, as far as this desk knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndedBy {
    /// A flatten of this desk, which stops each TWAP, found it unfinished.
    Flatten,
    Unknown,
}

/// The data of one account: answers of polls with their age, and the commands in progress.
#[derive(Debug, Clone, Default)]
pub struct Store {
    pub positions: Remote<Page<Position>>,
    pub orders: Remote<Page<Order>>,
    pub twaps: Remote<Page<Twap>>,
    pub ended_twaps: Vec<Ended>,
    /// Active TWAPs that are missing from a list with unreadable rows, each with the time when it was last listed.
    unlisted_twaps: Vec<(Twap, Timestamp)>,
    /// When a flatten of this desk last proved the account flat.
    flat_at: Option<Timestamp>,
    /// When a close-all or flatten was last given on this desk.
    closed_all_at: Option<Timestamp>,
    /// Commands of earlier sessions that were given before that.
    outlived: BTreeSet<Ticket>,
    /// How many more ended TWAPs were dropped.
    pub forgotten_twaps: usize,
    /// Scaled orders found through `scaled_order_id`, kept for the session except for dropped ones.
    pub scaled: BTreeMap<ScaledId, Remote<Scaled>>,
    /// All that were ever polled.
    watched: BTreeSet<ScaledId>,
    /// Ended ones that were dropped.
    forgotten: BTreeSet<ScaledId>,
    /// The last working state of rung orders, to find out later how they ended.
    pub rungs: BTreeMap<OrderId, Order>,
    pub closed: Feed<PositionId, Position>,
    pub history: Feed<OrderId, Order>,
    /// Totals of the closed positions and orders read so far, and which orders belong together.
    pub results: Results,
    pub market_results: MarketResults,
    pub days: Days,
    /// The same by the days of the loss limit.
    pub loss_days: Days,
    /// By the hour of the day.
    pub hours: HourResults,
    /// What this desk keeps of trades beside what the service reports.
    pub trades: TradeLog,
    pub watchlists: Watchlists,
    pub equity: Equity,
    pub quality: Quality,
    pub lineage: Lineage,
    pub evidence: Evidence,
    pub prices: BTreeMap<MarketId, Prices>,
    pub books: Books,
    pub ticket_quote: TicketQuote,
    /// The reported equity over time.
    pub worth: Prices,
    /// Each source's own last time, and when the first request was sent that returned it.
    own_times: BTreeMap<Source, (Timestamp, Timestamp)>,
    pub markets: Remote<BTreeMap<MarketId, Market>>,
    /// What markets are called, by their list and by rows.
    pub names: MarketNames,
    pub account: Remote<AccountFacts>,
    /// What the service says of itself, once it has.
    pub about: Option<ServiceAbout>,
    /// What the API key may do, once an answer has shown it.
    pub key_scope: Option<KeyScope>,
    pub health: Health,
    pub streams: Streams,
    pub clocks: Clocks,
    /// The working orders under their parents, and the scaled orders with their rungs: as shown.
    pub tree: Vec<TreeRow>,
    pub scaled_rows: Vec<RowId>,
    pub pending: BTreeMap<Ticket, PendingCommand>,
    /// What responses to commands showed of rows, until newer reads do.
    pub from_receipts: from_receipts::FromReceipts,
    /// Orders whose cancel is queued: they may still fill.
    pub queued_cancels: BTreeSet<OrderId>,
    /// Finished calls with their numbers, newest last.
    pub calls: VecDeque<(u64, Call)>,
    last_call: u64,
    last_ticket: u64,
}

impl Store {
    /// A store whose days are those of this time zone.
    pub fn by(zone: Zone) -> Self {
        Self {
            hours: HourResults::by(zone.clone()),
            days: Days::by(zone),
            loss_days: Days::by(Zone::of_loss_day()),
            ..Self::default()
        }
    }

    /// Stores the answer of a poll; returns newly found scaled orders.
    pub fn arrive(&mut self, Poll { at, answer }: Poll) -> Vec<ScaledId> {
        self.health.answered(answer.source(), answer.trouble());
        self.learn_names(&answer);
        match answer {
            Answer::Positions(result) => {
                if result.is_ok() {
                    self.decide(Source::Positions, at);
                }
                self.positions.arrive(result, at);
                self.lay_over_positions();
            }
            Answer::Orders(result) => {
                self.remember_rungs();
                if result.is_ok() {
                    self.decide(Source::Orders, at);
                }
                self.orders.arrive(result, at);
                self.lay_over_orders();
                return self.scaled_at_work();
            }
            Answer::Twaps(result) => self.arrive_twaps(result, at),
            Answer::Scaled(id, result) => self.arrive_scaled(id, result.map(|scaled| *scaled), at),
            Answer::Closed(result) => {
                let churn = self.closed.arrive_head(result, at, |p| p.id.clone());
                self.update_totals(&churn);
            }
            Answer::MoreClosed(cursor, result) => {
                let churn = self.closed.arrive_more(&cursor, result, |p| p.id.clone());
                self.update_totals(&churn);
            }
            Answer::History(result) => {
                let churn = self.history.arrive_head(result, at, |o| o.id.clone());
                self.learn(&churn);
                self.compute_twaps();
                return self.scaled_among(churn.come, usize::MAX);
            }
            Answer::MoreHistory(cursor, result) => {
                let churn = self.history.arrive_more(&cursor, result, |o| o.id.clone());
                self.learn(&churn);
                self.compute_twaps();
                return self.scaled_among(churn.come, self.room_for_scaled());
            }
            Answer::Markets(result) => self.arrive_markets(result, at),
            Answer::Account(result) => {
                let equity = result.as_ref().ok().and_then(|facts| facts.equity);
                if let Some(equity) = equity {
                    self.worth.mark(at, equity);
                }
                if let Ok(facts) = &result {
                    self.date(Source::Account, facts.as_of, at);
                }
                self.account.arrive(result, at);
            }
        }
        vec![]
    }

    fn arrive_markets(&mut self, result: Result<Vec<Market>, Failure>, at: Timestamp) {
        let marks = result.as_deref().unwrap_or_default().iter();
        for (id, mark) in marks.filter_map(|market| Some((&market.id, market.mark?))) {
            self.prices.entry(id.clone()).or_default().mark(at, mark);
        }
        if let Ok(markets) = &result {
            let newest = markets.iter().filter_map(|market| market.updated_at).max();
            self.date(Source::Markets, newest, at);
        }
        let by_id = |rows: Vec<Market>| rows.into_iter().map(|m| (m.id.clone(), m)).collect();
        self.markets.arrive(result.map(by_id), at);
    }

    /// Records a source's own time: while it does not change, the data is as old as when it first came.
    pub(super) fn date(&mut self, source: Source, own_time: Option<Timestamp>, at: Timestamp) {
        let Some(own_time) = own_time else {
            self.own_times.remove(&source);
            return;
        };
        match self.own_times.get(&source) {
            Some((known, since)) if *known == own_time || *since > at => {}
            Some(_) | None => {
                self.own_times.insert(source, (own_time, at));
            }
        }
    }

    /// When the first request was sent that returned the shown data.
    fn dated(&self, source: Source) -> Option<Timestamp> {
        self.own_times.get(&source).map(|(_, since)| *since)
    }

    /// Updates the totals of closed positions.
    fn update_totals(&mut self, churn: &AnswerDiff<Position>) {
        let rows = self.closed.rows();
        self.results.take(churn, rows);
        self.market_results.take(churn, rows);
        self.days.take(churn, rows);
        self.loss_days.take(churn, rows);
        self.hours.take(churn, rows);
        self.equity.take(churn, rows);
    }

    /// Derives prices, lineage and quality from new orders.
    fn learn(&mut self, churn: &AnswerDiff<Order>) {
        let rows = self.history.rows();
        self.quality.take(churn, rows);
        self.lineage.take(churn, rows);
        let come = among(rows, churn.come.clone());
        for order in come.filter(|order| order.fill_price.is_some()) {
            let prices = self.prices.entry(order.market_id.clone()).or_default();
            prices.fill(order);
        }
    }

    /// The listed TWAPs that are not known to have ended since.
    pub fn active_twaps(&self) -> impl Iterator<Item = &Twap> {
        let ended = |id: &TwapId| self.ended_twaps.iter().any(|e| e.twap.id == *id);
        self.twaps.rows().iter().filter(move |t| !ended(&t.id))
    }

    /// When the account's stream was last active, for a list that was read at `read`.
    fn streamed_since(&self, read: Option<Timestamp>) -> Option<Timestamp> {
        self.streams.account.alive_at().filter(|_| read.is_some())
    }

    /// When the request of the shown data of `source` was sent, or its stream was last active; for a source with a time of
    /// its own, the first request that returned it. For scaled orders, the oldest of those that can still change, otherwise the newest of the
    /// others.
    pub fn polled_at(&self, source: Source) -> Option<Timestamp> {
        match source {
            Source::Positions => self
                .positions
                .at()
                .max(self.streamed_since(self.positions.at())),
            Source::Orders => self.orders.at().max(self.streamed_since(self.orders.at())),
            Source::Twaps => self.twaps.at(),
            Source::Scaled => self.scaled_polled_at(),
            Source::Closed => self.closed.head().at(),
            Source::History => self.history.head().at(),
            Source::Markets => self.dated(source).or(self.markets.at()),
            Source::Account => self.dated(source).or(self.account.at()),
        }
    }

    /// Why there is nothing newer of `source`, if the last poll failed.
    pub fn trouble(&self, source: Source) -> Option<&Failure> {
        match source {
            Source::Positions => self.positions.trouble(),
            Source::Orders => self.orders.trouble(),
            Source::Twaps => self.twaps.trouble(),
            Source::Scaled => self.scaled.values().find_map(Remote::trouble),
            Source::Closed => self.closed.head().trouble(),
            Source::History => self.history.head().trouble(),
            Source::Markets => self.markets.trouble(),
            Source::Account => self.account.trouble(),
        }
    }

    /// Whether the list is known to be incomplete or partly unreadable.
    pub fn is_incomplete(&self, source: Source) -> bool {
        fn gaps<T>(page: Option<&Page<T>>) -> bool {
            page.is_some_and(|page| !page.is_whole())
        }
        match source {
            Source::Positions => gaps(self.positions.value()),
            Source::Orders => gaps(self.orders.value()),
            Source::Twaps => gaps(self.twaps.value()),
            Source::Closed => self.closed.is_incomplete() || self.closed.unreadable() > 0,
            Source::History => self.history.is_incomplete() || self.history.unreadable() > 0,
            Source::Scaled | Source::Markets | Source::Account => false,
        }
    }

    /// A number that no command has had.
    pub(crate) fn number(&mut self) -> Ticket {
        self.last_ticket += 1;
        Ticket(self.last_ticket)
    }

    pub fn begin(&mut self, command: Command, now: Timestamp) -> Ticket {
        let ticket = self.number();
        if matches!(command, Command::CloseAll(_) | Command::Flatten(_)) {
            self.closed_all_at = Some(now);
        }
        self.take_off(ticket, command, now, Progress::Queued);
        ticket
    }

    /// A command of an earlier session with its new ticket: it may have been sent then.
    pub fn resume(&mut self, ticket: Ticket, command: Command, now: Timestamp) {
        self.take_off(ticket, command, now, Progress::Sending { attempt: 1 });
    }

    fn take_off(&mut self, ticket: Ticket, command: Command, since: Timestamp, progress: Progress) {
        let about = self.object_of(&command);
        let pending = PendingCommand {
            command,
            about,
            since,
            progress,
        };
        self.pending.insert(ticket, pending);
    }

    /// Commands of unknown outcome that wait for a person, the longest wait first.
    pub fn parked(&self) -> impl Iterator<Item = Ticket> {
        let parked = |pending: &PendingCommand| matches!(pending.progress, Progress::Parked { .. });
        let pending = self.pending.iter();
        pending
            .filter(move |(_, pending)| parked(pending))
            .map(|(ticket, _)| *ticket)
    }

    /// Whether a resend would open again what was closed since the command was given.
    pub fn reopens(&self, ticket: Ticket) -> bool {
        self.pending.get(&ticket).is_some_and(|pending| {
            let is_before = self.closed_all_at >= Some(pending.since);
            pending.command.risk() == Risk::Increasing
                && (is_before || self.outlived.contains(&ticket))
        })
    }

    pub(crate) fn outlived(&mut self, ticket: Ticket) {
        self.outlived.insert(ticket);
    }

    /// Commands in progress, without those that wait for a person.
    pub fn under_way(&self) -> usize {
        self.pending.len() - self.parked().count()
    }

    /// The commands in progress.
    pub(crate) fn in_progress(&self) -> impl Iterator<Item = &Command> {
        self.pending.values().map(|pending| &pending.command)
    }

    pub(crate) fn is_in_progress(&self, command: &Command) -> bool {
        self.in_progress().any(|one| one == command)
    }

    /// Whether this command, or a flatten, is in progress.
    pub(crate) fn is_carrying_out(&self, command: &Command) -> bool {
        let is_so = |pending: &PendingCommand| {
            pending.command == *command || matches!(pending.command, Command::Flatten(_))
        };
        let mut pending = self.pending.values();
        pending.any(|one| is_so(one) && !matches!(one.progress, Progress::Parked { .. }))
    }

    /// Whether the account has an open position or a working order.
    pub fn holds_something(&self) -> bool {
        let is_working = self.orders.rows().iter().any(Order::is_working);
        !self.positions.rows().is_empty() || is_working
    }

    pub fn call(&mut self, call: Call) {
        self.last_call += 1;
        self.health.called(&call);
        self.clocks.called(&call);
        self.calls.push_back((self.last_call, call));
        if self.calls.len() > CALLS_KEPT {
            self.calls.pop_front();
        }
    }

    /// What the answer to a command shows of the key.
    pub(crate) fn learn_scope(&mut self, result: &Result<Receipt, Failure>) {
        match result {
            Ok(Receipt::AlreadySo(_) | Receipt::Flat(_)) => {}
            Ok(_) => self.key_scope = Some(KeyScope::Trade),
            Err(why) if why.shows_read_only_key() => self.key_scope = Some(KeyScope::ReadOnly),
            Err(_) => {}
        }
    }

    /// Whether its cancel is accepted but not carried out, on this desk or elsewhere: it may still fill.
    pub fn is_cancel_queued(&self, order: &Order) -> bool {
        order.is_cancel_queued() || self.queued_cancels.contains(&order.id)
    }

    pub fn position(&self, id: &PositionId) -> Option<&Position> {
        self.positions.rows().iter().find(|p| p.id == *id)
    }

    /// A working order, or one from the history pages read so far.
    pub fn order(&self, id: &OrderId) -> Option<&Order> {
        self.working(id).or_else(|| self.history.find(id))
    }

    /// As the list of working orders has it.
    pub(crate) fn working(&self, id: &OrderId) -> Option<&Order> {
        self.orders.rows().iter().find(|o| o.id == *id)
    }

    /// Whether calls were dropped: they are numbered from 1.
    pub fn has_older_calls(&self) -> bool {
        self.calls.front().is_some_and(|(number, _)| *number > 1)
    }

    /// Whether an order has ended although some page calls it working: a complete list of working orders, requested no
    /// earlier than `since`, lacks it. It has filled or was canceled; only its own row can tell which.
    pub fn is_over_since(&self, id: &OrderId, since: Option<Timestamp>) -> bool {
        self.orders.value().is_some_and(Page::is_whole)
            && self.orders.at() >= since
            && self.working(id).is_none()
    }

    /// As [`is_over_since`](Self::is_over_since), for a row of the history or the working orders.
    pub fn is_over(&self, order: &Order) -> bool {
        let is_listed = self
            .status_by_receipt(&order.id)
            .is_some_and(|status| !status.is_working());
        order.is_working() && (is_listed || self.is_over_since(&order.id, self.history.head().at()))
    }

    /// The last snapshot of an ended TWAP, or an active one.
    pub fn twap(&self, id: &TwapId) -> Option<&Twap> {
        let ended = self.ended_twap(id).map(|ended| &ended.twap);
        ended.or_else(|| self.twaps.rows().iter().find(|t| t.id == *id))
    }

    pub fn ended_twap(&self, id: &TwapId) -> Option<&Ended> {
        self.ended_twaps.iter().find(|ended| ended.twap.id == *id)
    }

    pub fn market(&self, id: &MarketId) -> Option<&Market> {
        self.markets.value()?.get(id)
    }

    pub fn mark(&self, id: &MarketId) -> Option<Num> {
        self.market(id)?.mark
    }

    /// The close-all in progress, if there is one.
    pub fn closing_all(&self) -> Option<(&PendingCommand, Option<&CloseAll>)> {
        let pending = self
            .pending
            .values()
            .filter(|f| !matches!(f.progress, Progress::Parked { .. }))
            .find(|f| matches!(f.command, Command::CloseAll(_) | Command::Flatten(_)))?;
        let operation = match &pending.progress {
            Progress::Running { operation, .. } => operation.close_all(),
            Progress::Flattening(flattening) => flattening.operation.as_ref(),
            Progress::Queued
            | Progress::Sending { .. }
            | Progress::Unknown { .. }
            | Progress::Waiting { .. }
            | Progress::Parked { .. } => None,
        };
        Some((pending, operation))
    }
}
