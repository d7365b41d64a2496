//! Execution quality, results by market and refusals by rule; every line opens its rows.

use super::next::Next;
use crate::{
    app::{
        account::{pane::Pane, store::Store},
        keys::keymap::Action,
    },
    model::{MarketId, MarketNames, Text},
};
use std::cmp::Reverse;

/// A line of the report, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    All,
    Market(MarketId),
    /// The closed positions of the market.
    Result(MarketId),
    /// The refusals by a rule; empty if the service named none.
    Rule(Text),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Report {
    /// The line that Enter follows.
    pub chosen: usize,
}

/// All markets first, then each, most fills first; then results, best first; then rules.
pub fn lines(store: &Store) -> Vec<Line> {
    let quality = &store.quality;
    let mut markets: Vec<_> = quality.markets.iter().collect();
    markets.sort_by_key(|(_, fills)| Reverse(fills.filled));
    let mut rules: Vec<_> = quality.rules.iter().collect();
    rules.sort_by_key(|(_, rule)| Reverse(rule.count));
    let mut results: Vec<_> = store.market_results.0.iter().collect();
    results.sort_by_key(|(_, results)| Reverse(results.net()));
    let results = results.into_iter().map(|(id, _)| Line::Result(id.clone()));
    let markets = markets.into_iter().map(|(id, _)| Line::Market(id.clone()));
    let rules = rules.into_iter().map(|(name, _)| Line::Rule(name.clone()));
    std::iter::once(Line::All)
        .chain(markets)
        .chain(results)
        .chain(rules)
        .collect()
}

impl Report {
    /// Enter shows the chosen line's orders or positions.
    pub(crate) fn act(&mut self, action: Action, store: &Store) -> Next {
        let lines = lines(store);
        let last = lines.len().saturating_sub(1);
        let at = self.chosen.min(last);
        match (action, lines.get(at)) {
            (Action::Down | Action::NextLink, _) => self.chosen = (at + 1).min(last),
            (Action::Up | Action::PreviousLink, _) => self.chosen = at.saturating_sub(1),
            (Action::Follow, Some(line)) => {
                return Next::ShowFiltered(pane(line), filter(line, &store.names));
            }
            (Action::Dismiss, _) => return Next::Close,
            (Action::Chart, _) => {
                return Next::Refuse("this report covers several markets".to_owned());
            }
            (Action::Copy, _) => {
                let why = "rows are copied: Enter shows those of this line";
                return Next::Refuse(why.to_owned());
            }
            _ => {}
        }
        Next::Stay
    }
}

fn pane(line: &Line) -> Pane {
    match line {
        Line::All | Line::Market(_) | Line::Rule(_) => Pane::History,
        Line::Result(_) => Pane::Closed,
    }
}

/// The filter that finds a line's rows in their pane.
fn filter(line: &Line, names: &MarketNames) -> String {
    let quoted = |word: String| format!("\"{}\"", word.replace('"', ""));
    match line {
        Line::All => String::new(),
        Line::Market(id) | Line::Result(id) => {
            format!("market={}", quoted(names.shown(id).raw().to_owned()))
        }
        Line::Rule(name) if name.is_empty() => "status:rejected".to_owned(),
        Line::Rule(name) => format!("status:rejected reason:{}", quoted(name.raw().to_owned())),
    }
}
