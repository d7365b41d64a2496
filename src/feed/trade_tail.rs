//! The end of a market's trades: what the next one follows.

use crate::model::PublicTrade;

/// Numbers of trades that have risen by more than one so often, and never by one, do not count trades.
const SKIPS_BY_HABIT: u32 = 10;
/// Trades of one instant that are kept: each of them is reported with every one that follows.
const MOST_OF_AN_INSTANT: usize = 200;

/// The trades of the newest instant, and how their numbers rise.
#[derive(Debug, Default)]
pub(super) struct TradeTail {
    last: Vec<PublicTrade>,
    /// Whether they have risen by one.
    steps: bool,
    /// How often they have risen by more.
    skips: u32,
}

impl TradeTail {
    /// Trades may be missing: the next one follows nothing.
    pub(super) fn has_gap(&mut self) {
        self.last.clear();
    }

    /// The trades that this one follows; `None` if it is known or late.
    pub(super) fn take(&mut self, trade: PublicTrade) -> Option<Vec<PublicTrade>> {
        let last = self.last.last().copied();
        let mut follows = self.last.clone();
        if let Some((known, id)) = last.and_then(|last| last.id.zip(trade.id)) {
            let step = id.checked_sub(known).filter(|step| *step > 0)?;
            let is_by_one = step == 1;
            self.steps |= is_by_one;
            self.skips = self.skips.saturating_add(u32::from(!is_by_one));
            if !is_by_one && (self.steps || self.skips <= SKIPS_BY_HABIT) {
                follows.clear();
            }
        } else if last.is_some_and(|last| last.at > trade.at) {
            return None;
        }
        self.last.retain(|known| known.at == trade.at);
        if self.last.len() >= MOST_OF_AN_INSTANT {
            self.last.remove(0);
        }
        self.last.push(trade);
        Some(follows)
    }
}
