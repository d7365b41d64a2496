//! The trader's lists of markets. The list shown is that of the markets panel and of the line under the header.
//!
//! Contract: every market of the service is a list too, by name, which nobody edits. A market that the service does not
//! list any more stays on its list and is not shown.

use super::pane::Direction;
use crate::model::MarketId;
use serde::{Deserialize, Serialize};

/// The list that is made where a market is added and no list has been named.
const FIRST_NAME: &str = "watchlist";

/// By the column with this index among those that sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarketSort {
    pub column: usize,
    pub direction: Direction,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Watchlist {
    pub name: String,
    /// In the trader's order.
    pub markets: Vec<MarketId>,
}

/// Which markets are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Scope {
    #[default]
    Every,
    /// Those of the current list.
    Own,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Watchlists {
    lists: Vec<Watchlist>,
    /// The list that keys change, an index of `lists`.
    current: usize,
    scope: Scope,
    #[serde(skip)]
    sort: Option<MarketSort>,
}

/// What a key or a command does to the lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchlistEdit {
    /// Every market, then each list, in turn: so many lists on.
    Turn(isize),
    /// Shows the list of this name, a new one if there is none.
    Show(String),
    /// Every market is listed again.
    ShowEvery,
    /// Puts the market on the current list, or takes it off.
    Toggle(MarketId),
    /// Exchanges it with the one so many places on.
    Move(MarketId, isize),
    /// `None` is the list's own order.
    Sort(Option<MarketSort>),
}

impl Watchlists {
    /// The list shown; `None` while every market is.
    pub fn shown(&self) -> Option<&Watchlist> {
        let list = self.current();
        list.filter(|_| self.scope == Scope::Own)
    }

    /// The list that keys change.
    pub fn current(&self) -> Option<&Watchlist> {
        self.lists.get(self.current)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.lists.iter().map(|list| list.name.as_str())
    }

    pub fn sort(&self) -> Option<MarketSort> {
        self.sort
    }

    /// Takes in what earlier sessions kept, unless lists were made meanwhile.
    pub(crate) fn recall(&mut self, kept: Self) {
        if !self.lists.is_empty() {
            return;
        }
        // The file may have been edited.
        let current = Some(kept.current).filter(|at| *at < kept.lists.len());
        *self = Self {
            sort: self.sort,
            current: current.unwrap_or_default(),
            ..kept
        };
    }

    /// Why it changes nothing, if it does not.
    pub(crate) fn edit(&mut self, edit: WatchlistEdit) -> Result<(), String> {
        match edit {
            WatchlistEdit::Turn(step) => self.turn(step)?,
            WatchlistEdit::Show(name) => self.show(&name),
            WatchlistEdit::ShowEvery => self.scope = Scope::Every,
            WatchlistEdit::Toggle(market) => self.toggle(market),
            WatchlistEdit::Move(market, step) => self.shift(&market, step)?,
            WatchlistEdit::Sort(sort) => self.sort = sort,
        }
        Ok(())
    }

    fn turn(&mut self, step: isize) -> Result<(), String> {
        if self.lists.is_empty() {
            return Err("no list yet: add a market, or :watchlist NAME".to_owned());
        }
        let at = match self.scope {
            Scope::Every => 0,
            Scope::Own => self.current.cast_signed() + 1,
        };
        let count = self.lists.len().cast_signed() + 1;
        let there = (at + step).rem_euclid(count).cast_unsigned();
        self.scope = match there.checked_sub(1) {
            None => Scope::Every,
            Some(list) => {
                self.current = list;
                Scope::Own
            }
        };
        Ok(())
    }

    fn show(&mut self, name: &str) {
        let at = self.names().position(|known| known == name);
        self.current = at.unwrap_or(self.lists.len());
        if at.is_none() {
            self.lists.push(Watchlist {
                name: name.to_owned(),
                markets: vec![],
            });
        }
        self.scope = Scope::Own;
    }

    /// The last market of a list takes the list with it.
    fn toggle(&mut self, market: MarketId) {
        if self.lists.is_empty() {
            self.lists.push(Watchlist {
                name: FIRST_NAME.to_owned(),
                markets: vec![],
            });
        }
        let Some(list) = self.lists.get_mut(self.current) else {
            return;
        };
        let known = list.markets.len();
        list.markets.retain(|listed| *listed != market);
        if list.markets.len() == known {
            list.markets.push(market);
        } else if list.markets.is_empty() {
            self.lists.remove(self.current);
            self.current = 0;
            self.scope = Scope::Every;
        }
    }

    fn shift(&mut self, market: &MarketId, step: isize) -> Result<(), String> {
        if self.scope == Scope::Every {
            return Err(
                "every market is listed by name: only a list of your own has an order".to_owned(),
            );
        }
        if self.sort.is_some() {
            return Err(
                "this list is sorted by a column: it has no order of its own now".to_owned(),
            );
        }
        let Some(list) = self.lists.get_mut(self.current) else {
            return Ok(());
        };
        let at = list.markets.iter().position(|listed| listed == market);
        let there = at.and_then(|at| at.checked_add_signed(step));
        if let Some((at, there)) = at.zip(there).filter(|(_, to)| *to < list.markets.len()) {
            list.markets.swap(at, there);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_names_a_list_it_does_not_have_shows_the_first() {
        for current in ["7", "9223372036854775807"] {
            let file = format!(
                r#"{{"lists":[{{"name":"scalps","markets":["paper|BTC"]}}],"current":{current},"scope":"own"}}"#
            );
            let mut lists = Watchlists::default();
            lists.recall(serde_json::from_str(&file).unwrap());
            assert_eq!(lists.shown().unwrap().name, "scalps");
            lists.edit(WatchlistEdit::Turn(1)).unwrap();
            assert_eq!(lists.shown(), None, "every market again");
            lists
                .edit(WatchlistEdit::Toggle("paper|BTC".into()))
                .unwrap();
            assert_eq!(lists.names().count(), 0, "its last market is gone");
        }
    }
}
