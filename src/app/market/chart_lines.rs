//! Horizontal lines of the trader's own on the chart, by market.
//!
//! Contract: a name is there once in a market; the same name at another price moves its line. A line is a note: nothing
//! acts on it.

use crate::model::{MarketId, Num};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most lines of one market.
const MOST: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChartLine {
    pub name: String,
    pub price: Num,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChartLines {
    lines: BTreeMap<MarketId, Vec<ChartLine>>,
    version: u64,
}

impl ChartLines {
    /// As they were kept.
    pub fn new(lines: BTreeMap<MarketId, Vec<ChartLine>>) -> Self {
        Self { lines, version: 0 }
    }

    pub fn of(&self, market: &MarketId) -> &[ChartLine] {
        self.lines.get(market).map_or(&[], Vec::as_slice)
    }

    /// Rises with every change of a line.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Draws it, or moves the line of this name; answers whether there is room for it.
    pub(crate) fn put(&mut self, market: &MarketId, line: ChartLine) -> bool {
        let lines = self.lines.entry(market.clone()).or_default();
        let has_room = lines.len() < MOST;
        match lines.iter_mut().find(|known| known.name == line.name) {
            Some(known) => *known = line,
            None if has_room => lines.push(line),
            None => return false,
        }
        self.version += 1;
        true
    }

    /// Answers whether there was one.
    pub(crate) fn remove(&mut self, market: &MarketId, name: &str) -> bool {
        let Some(lines) = self.lines.get_mut(market) else {
            return false;
        };
        let before = lines.len();
        lines.retain(|line| line.name != name);
        self.version += 1;
        lines.len() < before
    }
}
