//! The side of a position, if the sign of its size does not show it.
//!
//! Contract: whatever its entry, a long is liquidated below the mark and a short above it. The entry proves nothing: a
//! cross position whose neighbors lose is liquidated on the far side of it. One negative size proves, for the session,
//! that sizes are signed. They count as unsigned once one position with a positive size was liquidated above fresh
//! marks in [`PROOFS`] reads in a row; that is not kept between sessions. Until one of the two is proved, a row that
//! could be either is shown without a side.
//!
//! Known limit: without a price source, an unsigned short whose liquidation price is below its entry cannot be told
//! from a long.

use super::Client;
use crate::{
    api::{Dialect, Term},
    model::{Market, MarketId, Num, Page, Position, PositionId, Timestamp},
};
use std::{collections::BTreeMap, time::Duration};

/// The age from which a mark proves nothing about a position read now.
const FRESH: Duration = Duration::from_secs(5);
/// Reads in a row, each against other marks: a single one may catch a long at the moment of its liquidation.
const PROOFS: usize = 3;

/// What positions and marks have shown about sides.
#[derive(Debug, Default)]
pub(super) struct Sides {
    marks: BTreeMap<MarketId, Num>,
    /// When the marks were requested, and how often they have arrived.
    asked_at: Option<Timestamp>,
    answers: usize,
    has_negative: bool,
    /// Positive sizes liquidated above the mark: in how many responses in a row, and the last one.
    above: BTreeMap<PositionId, (usize, usize)>,
}

impl Sides {
    fn take_marks(&mut self, page: &Page<Market>, asked_at: Timestamp) {
        let marks = page.rows.iter();
        self.marks = marks
            .filter_map(|market| Some((market.id.clone(), market.mark?)))
            .collect();
        self.asked_at = Some(asked_at);
        self.answers += 1;
    }

    fn are_fresh(&self, now: Timestamp) -> bool {
        self.asked_at.is_some_and(|at| now.since(at) <= FRESH)
    }

    fn mark(&self, market: &MarketId, now: Timestamp) -> Option<Num> {
        self.marks
            .get(market)
            .filter(|_| self.are_fresh(now))
            .copied()
    }

    /// Whether sizes are signed, if it is proved by now, and how.
    fn observe(&mut self, rows: &[Position], now: Timestamp) -> Option<(bool, String)> {
        self.has_negative |= rows.iter().any(|row| row.size.is_negative());
        if self.has_negative {
            return Some((true, "a size was negative".to_owned()));
        }
        if !self.are_fresh(now) {
            return None;
        }
        let is_above = |row: &&Position| {
            let pair = row.liquidation_price.zip(self.mark(&row.market_id, now));
            row.size.is_positive() && pair.is_some_and(|(liquidation, mark)| liquidation > mark)
        };
        let counted = rows.iter().filter(is_above).map(|row| {
            let (count, last) = self.above.get(&row.id).copied().unwrap_or_default();
            let count = count + usize::from(last < self.answers);
            (row.id.clone(), (count, self.answers))
        });
        self.above = counted.collect();
        let proved = self.above.values().any(|(count, _)| *count >= PROOFS);
        let why = "positive sizes are liquidated above the mark, as shorts are";
        proved.then(|| (false, why.to_owned()))
    }
}

impl Client {
    /// Keeps the marks for the sides of positions.
    pub(in crate::client) fn observe_marks(&self, page: &Page<Market>, asked_at: Timestamp) {
        self.0
            .negotiator
            .observations()
            .sides
            .take_marks(page, asked_at);
    }

    /// Learns from these rows whether sizes are signed.
    pub(in crate::client) fn observe_sizes(&self, rows: &[Position]) {
        let told = self
            .0
            .negotiator
            .observations()
            .sides
            .observe(rows, self.now());
        let Some((signed_sizes, why)) = told else {
            return;
        };
        let spoken = Dialect {
            signed_sizes,
            ..self.dialect()
        };
        self.0.negotiator.learn(Term::SignedSizes, &spoken, &why);
    }

    /// Closed positions prove signs only by a negative size.
    pub(in crate::client) fn observe_negative(&self, rows: &[Position]) {
        if rows.iter().any(|row| row.size.is_negative()) {
            self.observe_sizes(rows);
        }
    }

    /// Reads the marks that decide the sides of these rows, unless they were just read. Without marks the sides stay
    /// unknown.
    pub(in crate::client) async fn read_marks_for(&self, rows: &[Position]) {
        let hangs = rows
            .iter()
            .any(|row| self.mark_of(row).is_none() && self.sided(row.clone()).side() != row.side());
        if hangs && self.connection().prices.is_some() {
            // The next read retries a failure.
            drop(self.markets().await);
        }
    }

    /// A position with its side.
    pub(in crate::client) fn sided(&self, position: Position) -> Position {
        let mark = self.mark_of(&position);
        if !self.dialect().signed_sizes {
            return position.with_side_by(mark);
        }
        let is_known = !self.0.negotiator.may_learn(Term::SignedSizes)
            || self.0.negotiator.observations().sides.has_negative;
        let side_unknown = !is_known && may_be_short(&position, mark);
        Position {
            side_unknown,
            ..position
        }
    }

    /// `None` for an ended position: today's price says nothing about its liquidation.
    fn mark_of(&self, position: &Position) -> Option<Num> {
        let observations = self.0.negotiator.observations();
        let is_open = position.closed_at.is_none();
        is_open
            .then(|| observations.sides.mark(&position.market_id, self.now()))
            .flatten()
    }
}

/// Whether an unsigned size could be a short's, judging by the liquidation price.
fn may_be_short(position: &Position, mark: Option<Num>) -> bool {
    let measure = mark.or(position.entry_price);
    position.size.is_positive()
        && position
            .liquidation_price
            .zip(measure)
            .is_some_and(|(liquidation, measure)| liquidation > measure)
}
