//! The running profit of the closed positions read so far. Updated with each answer, so that a hundred thousand of them
//! cost no more than a page.

use super::feed::{AnswerDiff, among};
use crate::model::{Num, Position};
use std::collections::{BTreeMap, VecDeque};

/// Positions with an unknown net profit add nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Equity {
    /// After each position, oldest first, relative to the start of the count.
    totals: VecDeque<Num>,
    /// The total before the oldest of them: older pages change it.
    base: Num,
    /// How often each total occurs: its ends are the extremes.
    spread: BTreeMap<Num, u32>,
    /// A sum exceeded the digits of a number.
    is_lost: bool,
}

impl Equity {
    /// How many totals there are.
    pub fn len(&self) -> usize {
        self.totals.len()
    }

    pub fn is_empty(&self) -> bool {
        self.totals.is_empty()
    }

    /// The n-th total, oldest first, in USD.
    pub fn at(&self, n: usize) -> Option<Num> {
        self.totals.get(n)?.minus(self.base)
    }

    /// The lowest and highest total; `None` without any, or if unknown.
    pub fn range(&self) -> Option<(Num, Num)> {
        let low = self.spread.first_key_value().filter(|_| !self.is_lost)?.0;
        let high = self.spread.last_key_value()?.0;
        Some((low.minus(self.base)?, high.minus(self.base)?))
    }

    pub(crate) fn take(&mut self, churn: &AnswerDiff<Position>, rows: &VecDeque<Position>) {
        let top = among(rows, churn.top.clone()).filter_map(Position::net_pnl);
        if churn.top.start > 0 {
            for net in top {
                self.before(net);
            }
            return;
        }
        let gone = churn.gone.iter().filter_map(Position::net_pnl);
        let stayed = among(rows, churn.come.end..churn.top.end).filter_map(Position::net_pnl);
        for _ in 0..gone.count() + stayed.count() {
            if let Some(total) = self.totals.pop_back() {
                self.forget(total);
            }
        }
        for _ in churn.cut.iter().filter_map(Position::net_pnl) {
            if let Some(oldest) = self.totals.pop_front() {
                self.forget(oldest);
                self.base = oldest;
            }
        }
        if self.totals.is_empty() {
            *self = Self::default();
        }
        for net in top.rev() {
            let last = self.totals.back().copied().unwrap_or(self.base);
            match last.plus(net) {
                Some(total) => {
                    let total = self.noted(total);
                    self.totals.push_back(total);
                }
                None => self.is_lost = true,
            }
        }
    }

    /// A position that was closed before all others.
    fn before(&mut self, net: Num) {
        match self.base.minus(net) {
            Some(base) => {
                let total = self.noted(self.base);
                self.totals.push_front(total);
                self.base = base;
            }
            None => self.is_lost = true,
        }
    }

    fn noted(&mut self, total: Num) -> Num {
        *self.spread.entry(total).or_default() += 1;
        total
    }

    fn forget(&mut self, total: Num) {
        if let Some(count) = self.spread.get_mut(&total) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.spread.remove(&total);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            account::feed::Feed,
            testing::{num, position},
        },
        model::{Page, PositionId, Timestamp},
    };

    fn closed(id: &str, net: &str) -> Position {
        let more = format!(r#""realized_pnl":{net},"fees":0,"funding":0"#);
        position(id, "BTC", "1", &more)
    }

    fn page(rows: &[(&str, &str)], next: Option<&str>) -> Page<Position> {
        Page {
            next: next.map(|c| c.to_owned().into()),
            ..Page::of(rows.iter().map(|(id, net)| closed(id, net)).collect())
        }
    }

    /// The totals counted anew, and the incrementally updated ones.
    fn totals(equity: &Equity, feed: &Feed<PositionId, Position>) -> (Vec<Num>, Vec<Num>) {
        let nets = feed.rows().iter().rev().filter_map(Position::net_pnl);
        let counted = nets.scan(Num::ZERO, |sum, net| {
            *sum = sum.plus(net)?;
            Some(*sum)
        });
        let kept = (0..equity.len()).filter_map(|n| equity.at(n));
        (counted.collect(), kept.collect())
    }

    #[test]
    fn however_rows_come_and_go_the_totals_are_those_counted_from_nothing() {
        let mut feed: Feed<PositionId, Position> = Feed::default();
        let mut equity = Equity::default();
        let key = |p: &Position| p.id.clone();
        let first = page(&[("c", "3"), ("b", "-5"), ("a", "1")], Some("n"));
        let churn = feed.arrive_head(Ok(first), Timestamp(1), key);
        equity.take(&churn, feed.rows());
        let cursor = feed.ask_more().unwrap();
        let churn = feed.arrive_more(&cursor, Ok(page(&[("z", "10"), ("y", "-4")], None)), key);
        equity.take(&churn, feed.rows());
        let (counted, kept) = totals(&equity, &feed);
        assert_eq!(kept, counted);
        assert_eq!(equity.range(), Some((num("-4"), num("7"))));
        let renewed = page(&[("e", "7"), ("c", "2"), ("d", "-1")], None);
        let churn = feed.arrive_head(Ok(renewed), Timestamp(2), key);
        equity.take(&churn, feed.rows());
        let (counted, kept) = totals(&equity, &feed);
        assert_eq!((kept.len(), kept), (counted.len(), counted));
        let churn = feed.arrive_head(Ok(page(&[("x", "4")], None)), Timestamp(3), key);
        equity.take(&churn, feed.rows());
        assert_eq!(totals(&equity, &feed).1, [num("4")]);
        assert_eq!(equity.range(), Some((num("4"), num("4"))));
    }

    #[test]
    fn what_made_room_is_not_counted_any_more() {
        let mut feed: Feed<PositionId, Position> = Feed::default();
        let mut equity = Equity::default();
        for newest in (100..=22_000_u32).step_by(99) {
            let rows = (newest - 99..=newest).rev();
            let rows = rows.map(|number| closed(&format!("p-{number}"), &(number % 7).to_string()));
            let page = Page {
                next: Some(newest.to_string().into()),
                ..Page::of(rows.collect())
            };
            let churn = feed.arrive_head(Ok(page), Timestamp(newest.into()), |p| p.id.clone());
            equity.take(&churn, feed.rows());
        }
        assert!(feed.rows().len() < 21_200, "{}", feed.rows().len());
        let (counted, kept) = totals(&equity, &feed);
        assert!(kept == counted, "{} and {}", kept.len(), counted.len());
    }
}
