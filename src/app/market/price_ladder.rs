//! The state of the price ladder: the prices of its rows, the cursor's price, and one-key trading.
//!
//! Contract: rows are static and the highest price is on top. The cursor belongs to a price, never to a row. Rows move
//! by themselves only when the market is near an edge and nothing holds them, and never without a warning one poll
//! before; keys that act and clicks are ignored for a moment afterwards. Every action names the drawn price and the
//! [`Generation`] of the drawing.

use super::{depth::GroupStep, market_spot::Generation, one_key::OneKey, queue_place::QueuePlaces};
use crate::model::{MarketId, Num, OrderId, Tick, Timestamp};
use std::{collections::BTreeMap, time::Duration};

/// With fewer rows between the market and an edge, the ladder is centered again.
const EDGE: usize = 3;
/// How long clicks and keys that act are ignored after the rows have moved by themselves.
const KEYS_DEAF: Duration = Duration::from_millis(150);
const CLICKS_DEAF: Duration = Duration::from_millis(300);
/// How long the rows stay in place after the mouse was used on them.
const POINTED: Duration = Duration::from_secs(2);
/// Before the ladder has been drawn nobody knows how many rows it has.
const USUAL_ROWS: usize = 20;

/// Whether the rows may move by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LadderHold {
    Free,
    /// A strip or a form is open.
    Held,
}

/// The middle of the market, and when the book was requested that reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LadderQuote {
    pub middle: Num,
    pub tick: Tick,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own: scrolled, near an edge, dragging"
)]
pub struct PriceLadder {
    market: Option<MarketId>,
    steps: BTreeMap<MarketId, GroupStep>,
    /// Of the market shown, as far as it is known.
    tick: Option<Tick>,
    /// The price of the row in the middle.
    centre: Option<Num>,
    /// `None` is at home: no price is chosen.
    cursor: Option<Num>,
    is_scrolled: bool,
    /// The market is near an edge: the rows move with the next book, unless held.
    is_leaving: bool,
    rows: Option<usize>,
    generation: Generation,
    followed_at: Option<Timestamp>,
    recentred_at: Option<Timestamp>,
    pointed_at: Option<Timestamp>,
    carried: Option<OrderId>,
    /// The own order that is being dragged.
    grabbed: Option<OrderId>,
    is_dragging: bool,
    pub(crate) one_key: OneKey,
    pub queue: QueuePlaces,
}

impl PriceLadder {
    /// All that drawing reads: without the instants that only following reads.
    #[must_use]
    pub fn as_drawn(&self) -> Self {
        Self {
            followed_at: None,
            recentred_at: None,
            pointed_at: None,
            ..self.clone()
        }
    }

    /// Shows this market. Another market resets the choices and ends one-key trading; returns whether that was armed.
    pub(crate) fn show(&mut self, market: Option<&MarketId>) -> bool {
        if self.market.as_ref() == market {
            return false;
        }
        let was_armed = self.one_key.is_on();
        *self = Self {
            market: market.cloned(),
            steps: std::mem::take(&mut self.steps),
            rows: self.rows,
            generation: self.generation.next(),
            ..Self::default()
        };
        was_armed
    }

    pub fn market(&self) -> Option<&MarketId> {
        self.market.as_ref()
    }

    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The price the cursor is on.
    pub fn cursor(&self) -> Option<Num> {
        self.cursor
    }

    pub fn step(&self) -> GroupStep {
        let step = self.market.as_ref().and_then(|id| self.steps.get(id));
        step.copied().unwrap_or_default()
    }

    /// The distance between two rows.
    pub fn spacing(&self) -> Option<Tick> {
        self.step().spacing(self.tick?)
    }

    /// The distance between two prices that the cursor goes to on a chart with rows so high: the coarsest step that is no
    /// higher than a row and whose prices are rows of the ladder too.
    pub fn spacing_on_chart(&self, row: Option<Num>) -> Option<Tick> {
        let tick = self.tick?;
        let ticks = row.and_then(|row| row.over(tick.step())?.to_i64());
        let own = self.step();
        let coarser = std::iter::successors(Some(own), |step| {
            let next = step.coarser();
            (next != *step && next.ticks() <= ticks?).then_some(next)
        });
        let shared = coarser.filter(|step| step.ticks() % own.ticks() == 0);
        shared.last()?.spacing(tick)
    }

    /// Whether the rows move with the next book.
    pub fn is_leaving(&self) -> bool {
        self.is_leaving
    }

    /// How many rows were drawn last.
    pub fn rows(&self) -> Option<usize> {
        self.rows
    }

    /// This many rows were drawn: where they are fewer than before, the cursor stays in view.
    pub(crate) fn drawn(&mut self, rows: usize) {
        self.rows = Some(rows);
        if let Some(price) = self.cursor {
            self.put_cursor(price);
        }
    }

    /// The prices of this many rows, highest first; prices end above zero.
    pub fn prices(&self, rows: usize) -> Vec<Num> {
        let Some((centre, spacing)) = self.centre.zip(self.spacing()) else {
            return vec![];
        };
        let middle = i64::try_from(rows / 2).unwrap_or(i64::MAX);
        let row = |number: usize| {
            let above = middle.saturating_sub(i64::try_from(number).ok()?);
            moved(centre, spacing, above)
        };
        (0..rows).map_while(row).collect()
    }

    /// Where `price` is, in rows from the top; below 0 is above the view.
    fn row_of(&self, price: Num) -> Option<i64> {
        let (centre, spacing) = self.centre.zip(self.spacing())?;
        let below = centre.minus(price)?.over(spacing.step())?.to_i64()?;
        Some(self.middle_row().saturating_add(below))
    }

    fn room(&self) -> i64 {
        i64::try_from(self.rows.unwrap_or(USUAL_ROWS)).unwrap_or(i64::MAX)
    }

    fn middle_row(&self) -> i64 {
        self.room() / 2
    }

    /// Follows the market: rule 2 of the reference. The same quote again changes nothing.
    pub(crate) fn follow(&mut self, quote: LadderQuote, hold: LadderHold, now: Timestamp) {
        if self.tick != Some(quote.tick) {
            self.tick = Some(quote.tick);
            self.snap();
        }
        if self.centre.is_none() {
            self.recentre(quote.middle, now);
            // There was no row before that could have been meant.
            self.recentred_at = None;
            return;
        }
        if self.followed_at.is_some_and(|at| at >= quote.at) {
            return;
        }
        self.followed_at = Some(quote.at);
        let edge = i64::try_from(EDGE).unwrap_or(i64::MAX);
        let inner = edge..self.room().saturating_sub(edge);
        let is_near = self
            .row_of(quote.middle)
            .is_some_and(|row| !inner.contains(&row));
        if is_near && self.is_leaving && hold == LadderHold::Free && !self.is_held(now) {
            self.recentre(quote.middle, now);
        } else {
            self.is_leaving = is_near;
        }
    }

    /// Whether the rows must not move under the eye or the hand.
    fn is_held(&self, now: Timestamp) -> bool {
        let is_pointed = self.pointed_at.is_some_and(|at| now.since(at) < POINTED);
        self.cursor.is_some() || self.carried.is_some() || self.is_scrolled || is_pointed
    }

    /// Centers the market; resets the cursor unless it carries an order.
    pub(crate) fn centre(&mut self, middle: Num, now: Timestamp) {
        if self.carried.is_none() {
            self.cursor = None;
        }
        self.is_scrolled = false;
        self.recentre(middle, now);
    }

    fn recentre(&mut self, middle: Num, now: Timestamp) {
        let Some(spacing) = self.spacing() else {
            return;
        };
        self.centre = Some(spacing.near(middle));
        self.is_leaving = false;
        self.recentred_at = Some(now);
        self.generation = self.generation.next();
    }

    /// Moves center and cursor to the nearest row after the step changed.
    fn snap(&mut self) {
        if let Some(spacing) = self.spacing() {
            self.centre = self.centre.map(|price| spacing.near(price));
            self.cursor = self.cursor.map(|price| spacing.near(price));
            self.generation = self.generation.next();
        }
    }

    pub fn is_deaf_to_keys(&self, now: Timestamp) -> bool {
        self.recentred_at
            .is_some_and(|at| now.since(at) < KEYS_DEAF)
    }

    pub fn is_deaf_to_clicks(&self, now: Timestamp) -> bool {
        self.recentred_at
            .is_some_and(|at| now.since(at) < CLICKS_DEAF)
    }

    /// Moves the cursor up by this many prices so far apart; one at home starts at `from`. The view follows.
    pub(crate) fn step_cursor_by(&mut self, spacing: Tick, up: i64, from: Num) {
        let there = match self.cursor {
            Some(price) => moved(spacing.near(price), spacing, up).unwrap_or(price),
            None => spacing.near(from),
        };
        self.put_cursor(there);
    }

    /// The cursor is on this price from now on, and in view.
    pub(crate) fn put_cursor(&mut self, price: Num) {
        let Some(spacing) = self.spacing() else {
            return;
        };
        self.cursor = Some(spacing.near(price));
        let Some(row) = self.row_of(price) else {
            return;
        };
        let last = self.room().saturating_sub(2).max(1);
        let beyond = row - row.clamp(1, last);
        if beyond != 0 {
            self.scroll(-beyond);
        }
    }

    /// The cursor is on this row of the view, which stays where it is.
    pub(crate) fn choose(&mut self, price: Num) {
        self.cursor = Some(price);
    }

    /// Scrolls the view up by this many rows; it stays there until the market is centered.
    pub(crate) fn scroll(&mut self, up: i64) {
        let Some((centre, spacing)) = self.centre.zip(self.spacing()) else {
            return;
        };
        if let Some(there) = moved(centre, spacing, up) {
            self.centre = Some(there);
            self.is_scrolled = true;
            self.generation = self.generation.next();
        }
    }

    pub(crate) fn send_cursor_home(&mut self) {
        self.cursor = None;
        self.is_scrolled = false;
    }

    pub(crate) fn group(&mut self, change: impl FnOnce(GroupStep) -> GroupStep) {
        if let Some(market) = self.market.clone() {
            let step = change(self.step());
            self.steps.insert(market, step);
            self.snap();
        }
    }

    /// The mouse was used on the rows.
    pub(crate) fn point(&mut self, now: Timestamp) {
        self.pointed_at = Some(now);
    }

    /// Whether one key sends now.
    pub fn is_armed(&self, now: Timestamp) -> bool {
        self.one_key.is_armed(now)
    }

    /// When one-key trading ends unless a key is pressed on the ladder.
    pub fn disarms_at(&self) -> Option<Timestamp> {
        self.one_key.ends_at()
    }

    /// The order that is picked up, to be dropped at another price.
    pub fn carried(&self) -> Option<&OrderId> {
        self.carried.as_ref()
    }

    pub(crate) fn pick_up(&mut self, order: OrderId) {
        self.carried = Some(order);
    }

    pub(crate) fn put_back(&mut self) -> Option<OrderId> {
        self.is_dragging = false;
        self.carried.take()
    }

    pub(crate) fn grab(&mut self, order: Option<OrderId>) {
        self.grabbed = order;
    }

    pub(crate) fn grabbed(&self) -> Option<&OrderId> {
        self.grabbed.as_ref()
    }

    /// The mouse is over this row with the button down: carries the grabbed order there.
    pub(crate) fn drag(&mut self, price: Num) {
        if let Some(order) = self.grabbed.take() {
            self.carried = Some(order);
            self.is_dragging = true;
        }
        if self.is_dragging {
            self.cursor = Some(price);
        }
    }

    pub(crate) fn is_dragging(&self) -> bool {
        self.is_dragging
    }

    /// Answers whether an order was dragged.
    pub(crate) fn ends_drag(&mut self) -> bool {
        self.grabbed = None;
        std::mem::take(&mut self.is_dragging)
    }
}

/// The price this many rows above `price`; `None` if there is none.
fn moved(price: Num, spacing: Tick, up: i64) -> Option<Num> {
    let there = price.plus(spacing.step().times(Num::from(up))?)?;
    there.is_positive().then_some(there)
}

#[cfg(test)]
mod tests;
