//! The review of the closed trades that were read: by day, by market, by hour, what was risked, and how deep it went.
//!
//! Contract: what it shows is of the rows that were read, and it says how many those are; sums over all rows are made
//! when rows change and not when it is drawn.

use super::next::Next;
use crate::{
    app::{account::store::Store, keys::keymap::Action},
    model::{Num, Position, ZoneDay},
};
use strum::{EnumIter, IntoEnumIterator as _};

/// What a part of the review is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, EnumIter)]
pub enum ReviewTab {
    #[default]
    Days,
    Markets,
    Hours,
    Risk,
    Drawdown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    pub tab: ReviewTab,
    pub offset: usize,
    /// A day of the month that the calendar shows.
    pub month: Option<ZoneDay>,
    pub risk: RiskFigures,
    pub drawdown: DrawdownFigures,
    /// The versions of closed positions and of trades that it was made from.
    of: (u64, u64),
}

/// More points than this are not told apart.
const POINTS: usize = 512;
/// Upper ends of the ranges of R multiples, in tenths; above the last there is one more.
pub const R_BOUNDS: [i64; 6] = [-10, -5, 0, 5, 10, 20];

/// What was made for what was risked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RiskFigures {
    /// Closed positions, those of them with a first stop, and those whose marks were seen.
    pub trades: usize,
    pub with_risk: usize,
    pub with_marks: usize,
    /// How many R multiples lie in each range of [`R_BOUNDS`].
    pub ranges: [usize; R_BOUNDS.len() + 1],
    /// In R; of the trades where both are known.
    pub mean_r: Option<Num>,
    pub best_r: Option<Num>,
    pub worst_r: Option<Num>,
    pub mean_mae: Option<Num>,
    pub mean_mfe: Option<Num>,
    /// How many `mean_mae` and `mean_mfe` are of.
    pub with_both: usize,
    /// The mean share of the time of those trades in which marks were seen.
    pub marks_seen: Option<Num>,
}

/// How far the running total was below its highest, USD, zero or less.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DrawdownFigures {
    /// The oldest first; of each group of trades the deepest.
    pub depths: Vec<Num>,
    pub deepest: Option<Num>,
    pub now: Option<Num>,
}

impl Review {
    pub fn new(store: &Store, today: Option<ZoneDay>) -> Self {
        let mut review = Self {
            tab: ReviewTab::default(),
            offset: 0,
            month: today,
            risk: RiskFigures::default(),
            drawdown: DrawdownFigures::default(),
            of: (0, 0),
        };
        review.count(store);
        review
    }

    /// Counts anew what has changed.
    pub(crate) fn refresh(&mut self, store: &Store) {
        if self.of != versions(store) {
            self.count(store);
        }
    }

    fn count(&mut self, store: &Store) {
        self.of = versions(store);
        self.risk = risk(store);
        self.drawdown = drawdown(store);
    }

    pub(crate) fn act(&mut self, action: Action) -> Next {
        match (action, self.tab) {
            (Action::Dismiss, _) => return Next::Close,
            (Action::ReadOlder, _) => return Next::ReadOlder,
            (Action::NextChoice, _) => self.turn(1),
            (Action::PreviousChoice, _) => self.turn(ReviewTab::iter().count() - 1),
            (Action::NextMonth, _) => self.go_to(ZoneDay::month_after),
            (Action::PreviousMonth, _) => self.go_to(ZoneDay::month_before),
            (Action::Down, _) => self.offset = self.offset.saturating_add(1),
            (Action::Up, _) => self.offset = self.offset.saturating_sub(1),
            (Action::PageDown, _) => self.offset = self.offset.saturating_add(10),
            (Action::PageUp, _) => self.offset = self.offset.saturating_sub(10),
            _ => {}
        }
        Next::Stay
    }

    fn turn(&mut self, by: usize) {
        let tabs: Vec<_> = ReviewTab::iter().collect();
        let at = tabs.iter().position(|tab| *tab == self.tab).unwrap_or(0);
        let next = (at + by) % tabs.len().max(1);
        self.tab = tabs.get(next).copied().unwrap_or_default();
        self.offset = 0;
    }

    fn go_to(&mut self, month: fn(ZoneDay) -> Option<ZoneDay>) {
        let there = self.month.and_then(month);
        self.month = there.or(self.month);
    }
}

fn versions(store: &Store) -> (u64, u64) {
    (store.closed.version(), store.trades.version())
}

fn risk(store: &Store) -> RiskFigures {
    let mut figures = RiskFigures::default();
    let mut multiples = vec![];
    let (mut adverse, mut favourable, mut seen) = (vec![], vec![], vec![]);
    for position in store.closed.rows() {
        figures.trades += 1;
        let trade = store.trades.review(position);
        figures.with_risk += usize::from(trade.risk.is_some());
        figures.with_marks += usize::from(trade.mae.is_some());
        seen.extend(trade.marks_seen);
        multiples.extend(trade.r_multiple);
        let in_r = |amount: Option<Num>| amount?.over(trade.risk?);
        if let (Some(mae), Some(mfe)) = (in_r(trade.mae), in_r(trade.mfe)) {
            adverse.push(mae);
            favourable.push(mfe);
        }
    }
    for multiple in &multiples {
        let above = |tenths: &i64| *multiple >= Num::new(*tenths, 1);
        let range = R_BOUNDS.iter().filter(|bound| above(bound)).count();
        if let Some(count) = figures.ranges.get_mut(range) {
            *count += 1;
        }
    }
    figures.best_r = multiples.iter().max().copied();
    figures.worst_r = multiples.iter().min().copied();
    figures.mean_r = mean(&multiples);
    figures.with_both = adverse.len();
    figures.mean_mae = mean(&adverse);
    figures.mean_mfe = mean(&favourable);
    figures.marks_seen = mean(&seen);
    figures
}

fn mean(amounts: &[Num]) -> Option<Num> {
    let sum = amounts
        .iter()
        .try_fold(Num::ZERO, |sum, amount| sum.plus(*amount))?;
    sum.over(Num::from(u32::try_from(amounts.len()).ok()?))
}

/// Of the positions whose net is known, the oldest first.
fn drawdown(store: &Store) -> DrawdownFigures {
    let (mut total, mut highest) = (Num::ZERO, Num::ZERO);
    let nets = store.closed.rows().iter().rev();
    let depths: Option<Vec<Num>> = nets
        .filter_map(Position::net_pnl)
        .map(|net| {
            total = total.plus(net)?;
            highest = highest.max(total);
            total.minus(highest)
        })
        .collect();
    let depths = depths.unwrap_or_default();
    let group = depths.len().div_ceil(POINTS).max(1);
    DrawdownFigures {
        deepest: depths.iter().min().copied(),
        now: depths.last().copied(),
        depths: depths
            .chunks(group)
            .filter_map(|chunk| chunk.iter().min().copied())
            .collect(),
    }
}
