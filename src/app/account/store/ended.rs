//! TWAPs that are no longer active, completed from their orders.
//!
//! The list has only active TWAPs and no endpoint reads a single one. So the last slice, which ends a TWAP, is never in
//! its snapshot: the orders that it placed show the result.

use super::{EndedBy, Failure, Num, Order, Page, RowId, Store, Timestamp, Twap, TwapId};
use crate::model::Command;

/// Ended TWAPs that are kept.
const KEPT: usize = 100;

/// An ended TWAP: its last snapshot and what its orders add, kept for the session.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    pub twap: Twap,
    /// When the last request was sent whose answer listed it.
    pub last_seen: Timestamp,
    /// When the list without it was requested, or when a response ended it.
    pub(super) since: Timestamp,
    pub by: EndedBy,
    pub filled: FillCertainty,
}

/// How certain the filled size of an ended TWAP is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FillCertainty {
    /// At least this much; its last slices may have filled more.
    AtLeast,
    /// All its orders were read.
    Exact,
}

impl Ended {
    pub fn is_whole(&self) -> bool {
        self.twap
            .filled_share()
            .is_some_and(|share| share >= Num::ONE)
    }
}

/// The totals of a TWAP's orders.
#[derive(Debug, Default)]
struct Slices {
    count: u32,
    filled: Num,
    /// From the orders' own rows, and from the rows of partial fills.
    own: Priced,
    parts: Priced,
    is_at_work: bool,
}

/// Size and value of fills with a known price.
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
    /// A partial fill's row belongs to an order whose own row has the total.
    fn take(mut self, order: &Order) -> Option<Self> {
        let filled = order.filled().unwrap_or_default();
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

    /// Only if every fill has a known price: from the own rows alone, or with their parts.
    fn average(&self) -> Option<Num> {
        let all = [Some(self.own), self.own.plus(self.parts)];
        let mut whole = all.into_iter().flatten();
        let exact = whole.find(|settled| settled.size == self.filled)?;
        exact.value.over(exact.size)
    }
}

impl Store {
    /// Only a whole list ends a TWAP: one that is not among the readable rows may be among the others.
    pub(super) fn arrive_twaps(&mut self, result: Result<Page<Twap>, Failure>, at: Timestamp) {
        let is_overtaken = self.twaps.at().is_some_and(|known| known > at);
        if let (Ok(page), false) = (&result, is_overtaken) {
            let is_live = |twap: &Twap| page.rows.iter().any(|row| row.id == twap.id);
            let left = self.left_twaps(at, is_live);
            // A TWAP that the service has reported as ended stays ended, whatever an older answer lists.
            self.ended_twaps
                .retain(|ended| ended.twap.ended_at().is_some() || !is_live(&ended.twap));
            if page.is_whole() {
                self.end_twaps(left, at);
            } else {
                self.unlisted_twaps = left;
            }
            self.forget_twaps();
            self.compute_twaps();
        }
        self.twaps.arrive(result, at);
    }

    /// The active TWAPs that a list does not have, each with the time when it was last listed.
    fn left_twaps(
        &mut self,
        at: Timestamp,
        is_live: impl Fn(&Twap) -> bool,
    ) -> Vec<(Twap, Timestamp)> {
        let last_seen = self.twaps.at().unwrap_or(at);
        let mut left = std::mem::take(&mut self.unlisted_twaps);
        left.extend(self.active_twaps().map(|twap| (twap.clone(), last_seen)));
        left.retain(|(twap, _)| !is_live(twap) && self.ended_twap(&twap.id).is_none());
        left
    }

    fn end_twaps(&mut self, left: Vec<(Twap, Timestamp)>, at: Timestamp) {
        for (twap, last_seen) in left {
            let ended = Ended {
                last_seen,
                since: at,
                by: self.ended_by(&twap, last_seen),
                filled: FillCertainty::AtLeast,
                twap,
            };
            self.ended_twaps.push(ended);
        }
    }

    /// Completes ended TWAPs from the orders read so far.
    pub(super) fn compute_twaps(&mut self) {
        let mut ended = std::mem::take(&mut self.ended_twaps);
        let open = ended
            .iter_mut()
            .filter(|ended| ended.twap.ended_at().is_none() && !ended.is_whole());
        for ended in open {
            self.compute_twap(ended);
        }
        self.ended_twaps = ended;
    }

    fn compute_twap(&self, ended: &mut Ended) {
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
            FillCertainty::AtLeast
        } else {
            FillCertainty::Exact
        };
    }

    /// Whether the history was read after it ended, and reaches back before it began.
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

    /// What ended a TWAP that was last seen then.
    fn ended_by(&self, twap: &Twap, last_seen: Timestamp) -> EndedBy {
        let is_flatten = |command: &Command| matches!(command, Command::Flatten(_));
        let goes_on = self.in_progress().any(is_flatten);
        let is_since = self.flat_at.is_some_and(|flat| last_seen <= flat);
        let may_be_whole = twap.filled_share().is_none_or(|share| share >= Num::ONE);
        if (goes_on || is_since) && !may_be_whole {
            EndedBy::Flatten
        } else {
            EndedBy::Unknown
        }
    }

    /// Keeps the latest ended ones.
    pub(super) fn forget_twaps(&mut self) {
        let surplus = self.ended_twaps.len().saturating_sub(KEPT);
        self.ended_twaps.drain(..surplus);
        self.forgotten_twaps += surplus;
    }
}
