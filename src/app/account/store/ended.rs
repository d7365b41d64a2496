//! TWAPs that are not active any more, and what their own orders tell of them.
//!
//! The list has active ones only and nothing reads a single one, so that the last slice, which ends it, is never on its
//! snapshot: what it came to, the orders say that it placed.

use super::{EndedBy, Failure, Num, Order, Page, RowId, Store, Timestamp, Twap, TwapId};
use crate::model::Command;

/// Ended TWAPs that are remembered.
const KEPT: usize = 100;

/// A TWAP that is not active any more: its last snapshot and what its orders add to it, kept for the session.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    pub twap: Twap,
    /// When the request was sent whose answer showed it last.
    pub last_seen: Timestamp,
    /// When the list was asked for that does not have it, or an answer that ended it came.
    pub(super) since: Timestamp,
    pub by: EndedBy,
    pub filled: Reckoning,
}

/// How well it is known what an ended TWAP has filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reckoning {
    /// So much was seen; its last slices may have filled more.
    AtLeast,
    /// Every order of it has been read.
    Exact,
}

impl Ended {
    pub fn is_whole(&self) -> bool {
        self.twap
            .filled_share()
            .is_some_and(|share| share >= Num::ONE)
    }
}

/// What the orders of a TWAP come to.
#[derive(Debug, Default)]
struct Slices {
    count: u32,
    filled: Num,
    /// Of the orders' own rows, and of those of partial fills.
    own: Priced,
    parts: Priced,
    is_at_work: bool,
}

/// Size and value of fills, as far as each row tells its own price.
#[derive(Debug, Clone, Copy, Default)]
struct Priced {
    size: Num,
    value: Num,
}

impl Priced {
    fn plus(self, other: Self) -> Option<Self> {
        Some(Self {
            size: self.size.plus(other.size)?,
            value: self.value.plus(other.value)?,
        })
    }
}

impl Slices {
    /// A row of a partial fill is part of an order whose own row has the sum.
    fn take(mut self, order: &Order) -> Option<Self> {
        let filled = order.filled_size.unwrap_or_default().abs();
        if order.partial_of_order_id.is_none() {
            self.count += 1;
            self.filled = self.filled.plus(filled)?;
        }
        self.is_at_work |= !order.is_over();
        if let Some(price) = order.fill_price {
            let size = order.executed_size();
            let row = Priced {
                size,
                value: size.times(price)?,
            };
            if order.partial_of_order_id.is_none() {
                self.own = self.own.plus(row)?;
            } else {
                self.parts = self.parts.plus(row)?;
            }
        }
        Some(self)
    }

    /// Only where every fill has told its price: the own rows of the orders alone, or with their parts.
    fn average(&self) -> Option<Num> {
        let all = [Some(self.own), self.own.plus(self.parts)];
        let mut whole = all.into_iter().flatten();
        let exact = whole.find(|told| told.size == self.filled)?;
        exact.value.over(exact.size)
    }
}

impl Store {
    pub(super) fn arrive_twaps(&mut self, result: Result<Page<Twap>, Failure>, at: Timestamp) {
        let is_overtaken = self.twaps.at().is_some_and(|known| known > at);
        if let (Ok(page), false) = (&result, is_overtaken) {
            let is_live = |twap: &Twap| page.rows.iter().any(|row| row.id == twap.id);
            let last_seen = self.twaps.at().unwrap_or(at);
            let gone = self.active_twaps().filter(|twap| !is_live(twap));
            let ended: Vec<_> = gone
                .map(|twap| Ended {
                    twap: twap.clone(),
                    last_seen,
                    since: at,
                    by: self.ended_by(twap, last_seen),
                    filled: Reckoning::AtLeast,
                })
                .collect();
            // What the service has called ended stays so, whatever an older answer lists.
            self.ended_twaps
                .retain(|ended| ended.twap.ended_at().is_some() || !is_live(&ended.twap));
            self.ended_twaps.extend(ended);
            self.forget_twaps();
            self.reckon_twaps();
        }
        self.twaps.arrive(result, at);
    }

    /// What the orders read so far add to the TWAPs that ended without a word.
    pub(super) fn reckon_twaps(&mut self) {
        let mut ended = std::mem::take(&mut self.ended_twaps);
        let open = ended
            .iter_mut()
            .filter(|ended| ended.twap.ended_at().is_none() && !ended.is_whole());
        for ended in open {
            self.reckon_twap(ended);
        }
        self.ended_twaps = ended;
    }

    fn reckon_twap(&self, ended: &mut Ended) {
        let Some((total, slices)) = ended.twap.total_size.zip(self.slices(&ended.twap.id)) else {
            return;
        };
        let twap = &mut ended.twap;
        if slices.filled > twap.filled_size.unwrap_or_default().abs() {
            let filled = slices.filled.min(total.abs());
            twap.average_price = slices.average();
            twap.filled_size = Some(if total < Num::ZERO {
                filled.negated()
            } else {
                filled
            });
        }
        if let Some(attempted) = &mut twap.slices_attempted {
            *attempted = (*attempted).max(slices.count.into());
        }
        ended.filled = if slices.is_at_work || !self.has_all_slices(ended) {
            Reckoning::AtLeast
        } else {
            Reckoning::Exact
        };
    }

    /// Whether the history was read after it had ended, and reaches back to before it began.
    fn has_all_slices(&self, ended: &Ended) -> bool {
        let history = &self.history;
        let is_newer = history.head().at() > Some(ended.since);
        let oldest = history.rows().back().map(|order| order.requested_at);
        let reaches = oldest < ended.twap.started_at || !history.has_more();
        let has_gaps = history.is_incomplete() || history.unreadable() > 0;
        is_newer && reaches && !has_gaps
    }

    fn slices(&self, id: &TwapId) -> Option<Slices> {
        let children = self.lineage.children(&RowId::Twap(id.clone())).iter();
        let mut orders = children.filter_map(|id| self.history.find(id));
        orders.try_fold(Slices::default(), Slices::take)
    }

    /// What ended one that was last seen then.
    fn ended_by(&self, twap: &Twap, last_seen: Timestamp) -> EndedBy {
        let mut flights = self.flights.values();
        let goes_on = flights.any(|flight| matches!(flight.command, Command::Flatten(_)));
        let is_since = self.flat_at.is_some_and(|flat| last_seen <= flat);
        let may_be_whole = twap.filled_share().is_none_or(|share| share >= Num::ONE);
        if (goes_on || is_since) && !may_be_whole {
            EndedBy::Flatten
        } else {
            EndedBy::Unknown
        }
    }

    /// The latest ended ones stay.
    pub(super) fn forget_twaps(&mut self) {
        let surplus = self.ended_twaps.len().saturating_sub(KEPT);
        self.ended_twaps.drain(..surplus);
        self.forgotten_twaps += surplus;
    }
}
