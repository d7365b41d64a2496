//! What this desk keeps of each trade beside what the service reports: a note and tags, the first stop it saw, and how far
//! the mark went for and against the position while it was seen.
//!
//! Contract: pure. A stop counts as the first only where this desk watched the position from its opening, or where the
//! orders read so far reach back to that; a moved stop never counts. Marks further apart than `NO_GAP` leave the time
//! between them unseen.
//! A stop that this desk placed itself is the first by the rules of `placed_stops`.
//! Known limits: positions that open and close between two polls are not watched, and the marks are those of polls.

use crate::model::{
    Command, Num, Order, OrderType, PastPage, Position, PositionId, Protection, Receipt, Side,
    Timestamp,
};
pub use brackets::{OpenBracket, ProcessLog};
pub use figures::{Excursion, FirstStop, TradeReview};
use figures::{NO_GAP, joined, seen_share};
use placed_orders::PlacedOrders;
pub(crate) use placed_orders::ReplacedBy;
use placed_stops::PlacedStops;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

mod brackets;
mod figures;
mod placed_orders;
mod placed_stops;

/// Trades that are remembered; the oldest without a note makes room.
const REMEMBERED: usize = 5_000;

/// What is kept of one trade.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TradeRecord {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub tags: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_stop: Option<FirstStop>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excursion: Option<Excursion>,
    /// When something of it last changed, by the wall clock.
    pub touched_at: Timestamp,
    /// The largest size that was seen, without its sign.
    #[serde(default)]
    size: Num,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    side: Option<Side>,
    #[serde(default)]
    watched: Watched,
}

/// Since when this desk has watched a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Watched {
    FromOpening,
    #[default]
    FromLater,
}

/// All that is kept of trades, by position.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TradeLog {
    trades: BTreeMap<PositionId, TradeRecord>,
    #[serde(rename = "brackets")]
    process: ProcessLog,
    /// Grows with every change.
    #[serde(skip)]
    version: u64,
    /// When a whole list of the open positions was last seen: one that is new since has just been opened.
    #[serde(skip)]
    seen_all_at: Option<Timestamp>,
    #[serde(skip)]
    placed: PlacedStops,
    #[serde(skip)]
    placed_orders: PlacedOrders,
}

impl TradeLog {
    pub fn get(&self, id: &PositionId) -> Option<&TradeRecord> {
        self.trades.get(id)
    }

    /// The same number, the same records.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What earlier sessions kept; what this one has noted meanwhile stays.
    pub(crate) fn recall(&mut self, kept: Self, now: Timestamp) {
        for (id, before) in kept.trades {
            let record = self.trades.entry(id).or_default();
            if record.note.is_empty() && record.tags.is_empty() {
                record.note = before.note;
                record.tags = before.tags;
            }
            // An earlier session was nearer to the opening.
            record.first_stop = before.first_stop.or(record.first_stop);
            record.watched = before.watched;
            record.size = record.size.max(before.size);
            record.side = record.side.or(before.side);
            record.excursion = joined(before.excursion, record.excursion);
            record.touched_at = record.touched_at.max(before.touched_at);
        }
        self.process.recall(kept.process, now);
        self.version += 1;
    }

    /// Puts a note and tags in the place of those that were there.
    pub(crate) fn write(&mut self, id: &PositionId, text: &str, at: Timestamp) {
        let (tags, words): (Vec<_>, Vec<_>) = text
            .split_whitespace()
            .partition(|word| word.len() > 1 && word.starts_with('#'));
        let record = self.trades.entry(id.clone()).or_default();
        record.note = words.join(" ");
        let tags = tags.into_iter().map(|tag| tag.trim_start_matches('#'));
        record.tags = tags.map(str::to_lowercase).collect();
        record.touched_at = at;
        self.version += 1;
        self.make_room();
    }

    /// The note and the tags of a trade as they are typed.
    pub fn text(&self, id: &PositionId) -> String {
        let Some(record) = self.trades.get(id) else {
            return String::new();
        };
        let note = (!record.note.is_empty()).then(|| record.note.clone());
        let tags = record.tags.iter().map(|tag| format!("#{tag}"));
        let words: Vec<_> = note.into_iter().chain(tags).collect();
        words.join(" ")
    }

    /// The tags that are in use and begin as `typed` does.
    pub(crate) fn tags_starting(&self, typed: &str) -> Vec<String> {
        let all = self.trades.values().flat_map(|record| &record.tags);
        let named: BTreeSet<_> = all.map(|tag| format!("#{tag}")).collect();
        let typed = typed.to_lowercase();
        let starting = named.into_iter().filter(|tag| tag.starts_with(&typed));
        starting.collect()
    }

    /// Takes note of what is open at `at`, a fresh and whole list.
    pub(crate) fn opened(&mut self, positions: &[Position], at: Timestamp) {
        let before = self.seen_all_at.replace(at);
        let watched = match before {
            Some(before) if at.0.saturating_sub(before.0) <= NO_GAP => Watched::FromOpening,
            Some(_) | None => Watched::FromLater,
        };
        for position in positions {
            let is_new = !self.trades.contains_key(&position.id);
            let record = self.trades.entry(position.id.clone()).or_default();
            if is_new {
                record.watched = watched;
                record.touched_at = at;
                self.version += 1;
            }
            record.size = record.size.max(position.quantity());
            record.side = position.side().or(record.side);
        }
        self.learn_placed(positions.iter());
        self.make_room();
    }

    /// Takes note of a command that has succeeded.
    pub(crate) fn settled(&mut self, command: &Command, receipt: &Receipt) {
        self.placed.settled(command, receipt);
        self.placed_orders.settled(command, receipt);
    }

    /// Takes note of commands of earlier sessions, the latest first.
    pub(crate) fn recall_commands(&mut self, page: &PastPage) {
        self.placed.recall(page);
        self.settled_elsewhere(page);
    }

    /// Takes note of what other processes that share the journal have done.
    pub(crate) fn settled_elsewhere(&mut self, rows: &PastPage) {
        self.placed_orders.recall(rows);
    }

    /// The same number, the same stops that this desk has placed.
    pub(crate) fn placed_version(&self) -> u64 {
        self.placed.version()
    }

    /// Learns the first stops of positions from what this desk has placed.
    pub(crate) fn learn_placed<'a>(&mut self, positions: impl Iterator<Item = &'a Position>) {
        if self.placed.is_empty() {
            return;
        }
        for position in positions {
            let record = self.trades.get(&position.id);
            let is_known = record.is_some_and(|record| record.first_stop.is_some());
            let side = record.and_then(|record| record.side).or(position.side());
            let first = side.filter(|_| !is_known);
            let first = first.and_then(|side| self.placed.first_of(position, side));
            if let Some(((price, size), entry)) = first.zip(position.entry_price) {
                self.keep_first(position, first_stop(position, entry, (price, size)));
            }
        }
        self.make_room();
    }

    fn keep_first(&mut self, position: &Position, first: FirstStop) {
        let record = self.trades.entry(position.id.clone()).or_default();
        record.first_stop = Some(first);
        record.size = record.size.max(first.size);
        record.side = record.side.or(position.side());
        record.touched_at = record
            .touched_at
            .max(position.closed_at.unwrap_or_default());
        self.version += 1;
    }

    /// Takes note of the stops among fresh working orders, of positions that were watched from their opening.
    pub(crate) fn armed(&mut self, positions: &[Position], orders: &[Order], at: Timestamp) {
        for position in positions {
            let Some(record) = self.trades.get_mut(&position.id) else {
                continue;
            };
            if record.first_stop.is_some() || record.watched != Watched::FromOpening {
                continue;
            }
            let stops = orders
                .iter()
                .filter(|order| order.protects(position) == Some(Protection::Stop));
            record.first_stop = earliest(stops, position);
            if record.first_stop.is_some() {
                record.touched_at = at;
                self.version += 1;
            }
        }
    }

    /// Takes note of the fresh mark of an open position; of the mark of one instant once.
    pub(crate) fn marked(&mut self, id: &PositionId, mark: Num, at: Timestamp) {
        let Some(record) = self.trades.get_mut(id) else {
            return;
        };
        let before = record.excursion;
        let seen = record.excursion.get_or_insert(Excursion::begin(mark, at));
        seen.see(mark, at);
        if record.excursion == before {
            return;
        }
        record.touched_at = at;
        self.version += 1;
    }

    /// Learns the first stops of closed positions from all orders requested since `reach`; `None` is all there ever were.
    pub(crate) fn learn<'a>(
        &mut self,
        closed: impl Iterator<Item = &'a Position>,
        orders: impl Iterator<Item = &'a Order>,
        reach: Option<Timestamp>,
    ) {
        let mut stops: BTreeMap<&PositionId, Vec<&Order>> = BTreeMap::new();
        for order in orders.filter(|order| is_stop(order)) {
            if let Some(id) = &order.target_position_id {
                stops.entry(id).or_default().push(order);
            }
        }
        for position in closed {
            // Few positions have a stop in the history: the other questions are asked of those alone.
            let Some(stops) = stops.get(&position.id) else {
                continue;
            };
            let record = self.trades.get(&position.id);
            let is_known = record.is_some_and(|record| record.first_stop.is_some());
            let opened = position.opened_at;
            let reaches = opened.is_some_and(|at| reach.is_none_or(|reach| reach <= at));
            let first = earliest(stops.iter().copied(), position);
            if let Some(first) = first.filter(|_| reaches && !is_known) {
                self.keep_first(position, first);
            }
        }
        self.make_room();
    }

    /// How a trade went.
    pub fn review(&self, position: &Position) -> TradeReview {
        let record = self.trades.get(&position.id);
        let first = record.and_then(|record| record.first_stop);
        let side = record.and_then(|record| record.side).or(position.side());
        let risk = first.zip(side).and_then(|(stop, side)| stop.risk(side));
        let r_multiple = || position.net_pnl()?.over(risk?);
        let excursion = record.and_then(|record| record.excursion);
        let extremes = excursion.and_then(|seen| {
            let record = record?;
            let held = Some(record.size).filter(|size| size.is_positive())?;
            seen.extremes(side?, position.entry_price?, held)
        });
        TradeReview {
            risk,
            r_multiple: r_multiple(),
            mae: extremes.map(|(mae, _)| mae),
            mfe: extremes.map(|(_, mfe)| mfe),
            marks_seen: excursion
                .filter(|_| extremes.is_some())
                .and_then(|seen| seen_share(&seen, position)),
        }
    }

    fn make_room(&mut self) {
        let Some(most) = self.trades.len().checked_sub(REMEMBERED).filter(|n| *n > 0) else {
            return;
        };
        let bare = |record: &TradeRecord| record.note.is_empty() && record.tags.is_empty();
        let spare = self.trades.iter().filter(|(_, record)| bare(record));
        let mut spare: Vec<_> = spare
            .map(|(id, record)| (record.touched_at, id.clone()))
            .collect();
        spare.sort();
        for (_, id) in spare.into_iter().take(most) {
            self.trades.remove(&id);
        }
    }
}

/// The stop that was requested first; of several of that instant the nearest, which risks least.
fn earliest<'a>(stops: impl Iterator<Item = &'a Order>, position: &Position) -> Option<FirstStop> {
    let entry = position.entry_price?;
    let distance = |price: Num| price.minus(entry).map(Num::abs);
    let mut known: Vec<_> = stops
        .filter_map(|stop| {
            Some((
                stop.requested_at,
                stop.trigger_price?,
                stop.requested_size(),
            ))
        })
        .collect();
    known.sort_by_key(|(at, price, _)| (*at, distance(*price)));
    let (_, price, size) = known.first()?;
    Some(first_stop(position, entry, (*price, size.abs())))
}

fn first_stop(position: &Position, entry: Num, (price, size): (Num, Num)) -> FirstStop {
    // A position that is closed has no size of its own any more at some services.
    let held = Some(position.quantity()).filter(|held| held.is_positive());
    FirstStop {
        price,
        entry,
        size: held.unwrap_or(size),
    }
}

/// Whether an order, working or ended, is a stop.
fn is_stop(order: &Order) -> bool {
    matches!(
        order.kind.known(),
        Some(OrderType::StopMarket | OrderType::StopLimit)
    )
}

#[cfg(test)]
mod tests;
