//! Which side a position is on, where the sign of its size may not tell.
//!
//! Contract: whatever it was entered at, what stands is liquidated below the mark when long and above it when short. The
//! entry proves nothing: a cross position whose neighbours lose is liquidated on the far side of it. A negative size
//! anywhere proves, for the session, that sizes have signs. That they have none is believed once one position with a
//! positive size was liquidated above fresh marks in [`PROOFS`] reads in a row, and never kept between sessions. Until
//! one or the other is proved, a row that could be either is shown without a side.
//!
//! Known limit: where there is no price source, a short without a sign whose liquidation price is below its entry
//! cannot be told from a long.

use super::Client;
use crate::{
    api::{Dialect, Term},
    model::{Market, MarketId, Num, Page, Position, PositionId, Timestamp},
};
use std::{collections::BTreeMap, time::Duration};

/// The age from which a mark says nothing about a position read now.
const FRESH: Duration = Duration::from_secs(5);
/// Reads in a row, each against other marks: one may have met a long in the moment of its liquidation.
const PROOFS: usize = 3;

/// What positions and marks have told of sides.
#[derive(Debug, Default)]
pub(super) struct Sides {
    marks: BTreeMap<MarketId, Num>,
    /// When the marks were asked for, and how many times they have come.
    asked_at: Option<Timestamp>,
    answers: usize,
    has_negative: bool,
    /// Positive sizes liquidated above the mark: by how many answers in a row, and the last of them.
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

    /// Whether sizes have signs, if it is proved by now, and by what.
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

    /// Whether sizes have signs, as far as these rows tell.
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

    /// Closed ones tell by a negative size and by nothing else.
    pub(in crate::client) fn observe_negative(&self, rows: &[Position]) {
        if rows.iter().any(|row| row.size.is_negative()) {
            self.observe_sizes(rows);
        }
    }

    /// Reads the marks that the sides of these rows hang on, where nobody else has just read them. Without them the
    /// sides stay unknown.
    pub(in crate::client) async fn read_marks_for(&self, rows: &[Position]) {
        let hangs = rows
            .iter()
            .any(|row| self.mark_of(row).is_none() && self.sided(row.clone()).side() != row.side());
        if hangs && self.connection().prices.is_some() {
            // What fails here is asked again with the next read.
            drop(self.markets().await);
        }
    }

    /// A position with the side the service's way of writing sizes gives it.
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

    /// None of a position that is over: what was liquidated then is not measured by a price of now.
    fn mark_of(&self, position: &Position) -> Option<Num> {
        let observations = self.0.negotiator.observations();
        let is_open = position.closed_at.is_none();
        is_open
            .then(|| observations.sides.mark(&position.market_id, self.now()))
            .flatten()
    }
}

/// Whether a size without a sign could be a short's, as far as the liquidation price tells.
fn may_be_short(position: &Position, mark: Option<Num>) -> bool {
    let measure = mark.or(position.entry_price);
    position.size.is_positive()
        && position
            .liquidation_price
            .zip(measure)
            .is_some_and(|(liquidation, measure)| liquidation > measure)
}
