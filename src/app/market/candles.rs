//! The candles of one market and interval.
//!
//! Contract: rows ascend, one per open time. A newer row replaces the one of its open time, unless it counts fewer
//! trades: a source may repeat an older state of a candle. Where a source omits intervals without trades, the gaps
//! between its rows are filled: all four prices are the previous close, volume 0. What lies behind the newest row is
//! never filled: whether anything traded there is not known yet.

use crate::{
    app::account::data_age::DataAge,
    model::{Candle, Failure, Interval, Num, Timestamp},
};
use rows::{counts_fewer, from_mark, without_trades};
use std::{
    cmp::Ordering,
    collections::{VecDeque, vec_deque},
    ops::Range,
    time::Duration,
};

/// A series keeps so many rows; at one-second candles that is more than a day.
const ROWS_KEPT: usize = 120_000;
/// A gap between two rows that is longer than so many intervals stays a gap.
const LONGEST_FILL: i64 = 1_500;
/// An older page that is not answered within this is requested again.
const PAGE_TIMEOUT: Duration = Duration::from_secs(15);
/// Two answers of one source may differ by so much in time, the later one being earlier.
const CLOCK_JITTER: Duration = Duration::from_secs(2);
/// An older page that failed is requested again after this.
const PAGE_RETRY: Duration = Duration::from_secs(5);

/// Who made the candles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandleOrigin {
    /// A candle source of the service.
    Source,
    /// The marks that this desk has seen: no volume, and nothing from before the session.
    SeenMarks,
}

#[derive(Debug, Clone, PartialEq, derive_more::Deref)]
pub struct CandleSeries {
    interval: Interval,
    origin: CandleOrigin,
    rows: VecDeque<Candle>,
    #[deref]
    age: DataAge,
    older: OlderPages,
    /// Rows of the newest answers that could not be read.
    unreadable: usize,
    version: u64,
    past_version: u64,
}

/// The pages before the oldest row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OlderPages {
    /// Nobody has requested the next one, or not since that instant.
    Idle {
        not_before: Timestamp,
    },
    Requested {
        before: Timestamp,
        at: Timestamp,
    },
    /// There is none.
    End,
}

const IDLE: OlderPages = OlderPages::Idle {
    not_before: Timestamp(i64::MIN),
};

impl CandleSeries {
    pub fn new(interval: Interval, origin: CandleOrigin) -> Self {
        Self {
            interval,
            origin,
            rows: VecDeque::new(),
            age: DataAge::default(),
            older: match origin {
                CandleOrigin::Source => IDLE,
                CandleOrigin::SeenMarks => OlderPages::End,
            },
            unreadable: 0,
            version: 0,
            past_version: 0,
        }
    }

    pub fn interval(&self) -> Interval {
        self.interval
    }

    pub fn origin(&self) -> CandleOrigin {
        self.origin
    }

    /// The oldest first.
    pub fn rows(&self) -> &VecDeque<Candle> {
        &self.rows
    }

    pub fn newest(&self) -> Option<&Candle> {
        self.rows.back()
    }

    pub fn oldest(&self) -> Option<&Candle> {
        self.rows.front()
    }

    /// The candle that opens at this instant.
    pub fn at(&self, open_time: Timestamp) -> Option<&Candle> {
        self.rows.get(self.place(open_time).ok()?)
    }

    /// Where the candles that open within this time are among the rows.
    pub fn places(&self, time: Range<Timestamp>) -> Range<usize> {
        let from = self.rows.partition_point(|row| row.open_time < time.start);
        let to = self.rows.partition_point(|row| row.open_time < time.end);
        from..to.max(from)
    }

    /// The candles that open within this time, the oldest first.
    pub fn within(&self, time: Range<Timestamp>) -> vec_deque::Iter<'_, Candle> {
        self.rows.range(self.places(time))
    }

    /// Rises with every change of a row: what was drawn of an unchanged series is still right.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Rises with every change of a row before the newest: sums over earlier rows are still right while it stays. Rows
    /// before the oldest change none of them.
    pub fn past_version(&self) -> u64 {
        self.past_version
    }

    /// How many rows of the newest answer could not be read.
    pub fn unreadable(&self) -> usize {
        self.unreadable
    }

    /// Whether a page before the oldest row is on its way.
    pub fn awaits_older(&self) -> bool {
        matches!(self.older, OlderPages::Requested { .. })
    }

    /// Takes the newest candles in, requested at `at`. Rows that do not reach back to what is known replace it all:
    /// what lies between is not known. So do rows of a market that began anew: what is known of its former future was
    /// never traded.
    pub fn merge(&mut self, page: Vec<Candle>, at: Timestamp, made_at: Option<Timestamp>) {
        self.version += u64::from(self.age.trouble().is_some());
        let made_before = self.age.made_at();
        if !self.age.answered(at, made_at) {
            return;
        }
        let page = Self::sorted(page);
        if self.has_restarted(&page, (made_before, made_at)) {
            self.version += 1;
            self.begin_anew();
        }
        let reaches = |first: &Candle, newest: &Candle| {
            first.open_time.0 <= newest.open_time.0.saturating_add(self.interval.millis())
        };
        if let Some((first, newest)) = page.first().zip(self.rows.back())
            && !reaches(first, newest)
            && self.origin == CandleOrigin::Source
        {
            self.begin_anew();
        }
        for row in page {
            self.put(row);
        }
        self.trim(ROWS_KEPT);
    }

    fn begin_anew(&mut self) {
        self.rows.clear();
        self.older = IDLE;
        self.past_version += 1;
    }

    /// Whether the market began anew: its source's clock went back, or its newest candle is further back than one that a
    /// late answer may lack.
    fn has_restarted(
        &self,
        page: &[Candle],
        (before, made_at): (Option<Timestamp>, Option<Timestamp>),
    ) -> bool {
        let Some(newest) = self
            .rows
            .back()
            .filter(|_| self.origin == CandleOrigin::Source)
        else {
            return false;
        };
        let is_back =
            |(before, made_at): (Timestamp, Timestamp)| made_at.plus(CLOCK_JITTER) < before;
        let is_clock_back = before.zip(made_at).is_some_and(is_back)
            || made_at.is_some_and(|made_at| made_at < newest.open_time);
        let lacking = |last: &Candle| newest.open_time.0.saturating_sub(last.open_time.0);
        is_clock_back
            || page
                .last()
                .is_some_and(|last| lacking(last) > self.interval.millis())
    }

    /// Says how many rows of the answer that is merged next could not be read: then no gap is filled.
    pub fn count_unreadable(&mut self, rows: usize) {
        self.unreadable = rows;
    }

    /// Takes in what the request for older candles brought. A page with nothing older is the end.
    pub fn merge_older(&mut self, before: Timestamp, page: Vec<Candle>) {
        let Some(first) = self.oldest().map(|row| row.open_time) else {
            return;
        };
        if first != before {
            return;
        }
        let mut page = Self::sorted(page);
        page.retain(|row| row.open_time < before);
        self.older = if page.is_empty() {
            OlderPages::End
        } else {
            IDLE
        };
        for row in page.into_iter().rev() {
            self.put_before(row);
        }
    }

    /// The newest candles were not reported, and why.
    pub fn fail(&mut self, why: Failure, at: Timestamp) {
        self.version += u64::from(self.age.failed(at, why));
    }

    /// The request for older candles failed.
    pub fn fail_older(&mut self, before: Timestamp, now: Timestamp) {
        if let OlderPages::Requested { before: known, .. } = self.older
            && known == before
        {
            let not_before = now.plus(PAGE_RETRY);
            self.older = OlderPages::Idle { not_before };
        }
    }

    /// When an older page is to be requested, if a chart reaches back to `since` and the series does not; `None` where
    /// there is none, and no room for one.
    pub(crate) fn older_due(&self, since: Timestamp) -> Option<Timestamp> {
        let is_short = self.oldest()?.open_time > since && self.rows.len() < ROWS_KEPT;
        match self.older {
            OlderPages::Idle { not_before } => is_short.then_some(not_before),
            OlderPages::Requested { at, .. } => is_short.then(|| at.plus(PAGE_TIMEOUT)),
            OlderPages::End => None,
        }
    }

    /// The instant before which older candles are to be requested now, for a chart that reaches back to `since`; the
    /// same one is not said again until that is answered.
    pub fn ask_older(&mut self, since: Timestamp, now: Timestamp) -> Option<Timestamp> {
        self.older_due(since).filter(|due| *due <= now)?;
        let before = self.oldest()?.open_time;
        self.older = OlderPages::Requested { before, at: now };
        Some(before)
    }

    /// When the newest mark was seen that is in here.
    pub(crate) fn marked_at(&self) -> Option<Timestamp> {
        self.age.dated()
    }

    /// Takes a mark in that this desk has seen.
    pub(crate) fn mark(&mut self, at: Timestamp, price: Num) {
        let open_time = self.interval.open_of(at);
        if let Some(last) = self
            .rows
            .back_mut()
            .filter(|row| row.open_time == open_time)
        {
            let before = *last;
            last.high = last.high.max(price);
            last.low = last.low.min(price);
            last.close = price;
            self.version += u64::from(*last != before);
        } else if self
            .rows
            .back()
            .is_none_or(|last| last.open_time < open_time)
        {
            if let Some(last) = self.rows.back_mut() {
                last.is_closed = true;
            }
            self.rows.push_back(from_mark(open_time, price));
            self.version += 1;
        }
        self.age.answered(at, None);
        self.trim(ROWS_KEPT);
    }

    /// Lets the oldest rows go; they can be read again.
    pub(crate) fn trim(&mut self, kept: usize) {
        let excess = self.rows.len().saturating_sub(kept);
        if excess > 0 {
            self.rows.drain(..excess);
            if self.origin == CandleOrigin::Source {
                self.older = IDLE;
            }
        }
    }

    /// One row per open time, ascending.
    fn sorted(mut page: Vec<Candle>) -> Vec<Candle> {
        page.sort_by_key(|row| row.open_time);
        page.dedup_by(|next, row| {
            let is_same = next.open_time == row.open_time;
            if is_same && !counts_fewer(next, row) {
                *row = *next;
            }
            is_same
        });
        page
    }

    fn place(&self, open_time: Timestamp) -> Result<usize, usize> {
        // Most rows that come belong at the end.
        match self.rows.back().map(|last| last.open_time.cmp(&open_time)) {
            None | Some(Ordering::Less) => Err(self.rows.len()),
            Some(Ordering::Equal) => Ok(self.rows.len().saturating_sub(1)),
            Some(Ordering::Greater) => self
                .rows
                .binary_search_by_key(&open_time, |row| row.open_time),
        }
    }

    fn put(&mut self, row: Candle) {
        match self.place(row.open_time) {
            Ok(place) => self.replace(place, row),
            Err(place) if place == self.rows.len() => {
                let last = self.rows.back().copied();
                let gap = last
                    .into_iter()
                    .flat_map(|last| self.gap(last, row.open_time));
                let gap: Vec<_> = gap.collect();
                self.rows.extend(gap);
                self.rows.push_back(row);
                self.version += 1;
            }
            Err(0) => self.put_before(row),
            Err(place) => {
                self.rows.insert(place, row);
                self.version += 1;
                self.past_version += 1;
            }
        }
    }

    fn replace(&mut self, place: usize, mut row: Candle) {
        let is_past = place + 1 < self.rows.len();
        if let Some(known) = self.rows.get_mut(place)
            && !counts_fewer(&row, known)
        {
            // A candle that was over does not go on.
            row.is_closed |= known.is_closed && row.trades == known.trades;
            let is_other = *known != row;
            self.version += u64::from(is_other);
            self.past_version += u64::from(is_other && is_past);
            *known = row;
        }
    }

    fn put_before(&mut self, row: Candle) {
        if let Some(first) = self.rows.front().map(|first| first.open_time) {
            let gap: Vec<_> = self.gap(row, first).collect();
            for empty in gap.into_iter().rev() {
                self.rows.push_front(empty);
            }
        }
        self.rows.push_front(row);
        self.version += 1;
    }

    /// The intervals without trades between a row and the next.
    fn gap(&self, row: Candle, next: Timestamp) -> impl Iterator<Item = Candle> + use<> {
        let length = self.interval.millis();
        let missing = (next.0.saturating_sub(row.open_time.0).saturating_sub(1) / length).max(0);
        // A row that could not be read is no interval without trades.
        let is_complete = self.origin == CandleOrigin::Source && self.unreadable == 0;
        let is_filled = is_complete && missing <= LONGEST_FILL;
        let count = if is_filled { missing } else { 0 };
        (1..=count).map(move |step| without_trades(row, Timestamp(row.open_time.0 + step * length)))
    }
}

mod rows;

#[cfg(test)]
mod tests;
