//! The prices of one market that this desk has seen.

use super::next::Next;
use crate::{
    app::{account::store::Store, keys::keymap::Action},
    model::MarketId,
};
use std::time::Duration;

/// The time spans of the chart, shortest first.
const SPANS: [Duration; 5] = [
    Duration::from_mins(5),
    Duration::from_mins(15),
    Duration::from_hours(1),
    Duration::from_hours(4),
    Duration::from_hours(24),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    pub market: MarketId,
    span: usize,
}

impl Chart {
    pub fn of(market: MarketId) -> Self {
        Self { market, span: 2 }
    }

    pub fn span(&self) -> Duration {
        SPANS.get(self.span).copied().unwrap_or(SPANS[2])
    }

    /// Left and right change the time span, up and down the market.
    pub(crate) fn act(&mut self, action: Action, store: &Store) -> Next {
        let markets: Vec<_> = store.prices.keys().collect();
        let at = markets.iter().position(|id| **id == self.market);
        match (action, at) {
            (Action::NextChoice, _) => self.span = (self.span + 1).min(SPANS.len() - 1),
            (Action::PreviousChoice, _) => self.span = self.span.saturating_sub(1),
            (Action::Down, Some(at)) => self.show(&markets, (at + 1) % markets.len()),
            (Action::Up, Some(at)) => {
                self.show(&markets, at.checked_sub(1).unwrap_or(markets.len() - 1));
            }
            (Action::Dismiss, _) => return Next::Close,
            _ => {}
        }
        Next::Stay
    }

    fn show(&mut self, markets: &[&MarketId], at: usize) {
        if let Some(id) = markets.get(at) {
            self.market = (*id).clone();
        }
    }
}
