//! How the desk presents an action in a place: the columns of the built-in key table beside the keys.

use super::{action::Action, context::Context};
use std::collections::BTreeMap;
use strum::{EnumIter, EnumString, IntoStaticStr, VariantNames};
use toml::de::DeValue;

/// The columns of each row that has any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Presented(BTreeMap<(Context, Action), Presentation>);

/// The sections of the help for the keys of every pane, in its order.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, EnumIter, EnumString, IntoStaticStr, VariantNames,
)]
pub enum HelpGroup {
    Trade,
    #[default]
    Desk,
    Find,
    Panes,
    Move,
}

/// A column says nothing where it is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Presentation {
    /// Its rank in the footer, the lowest first.
    footer: Option<u8>,
    /// The footer's word for it.
    word: Option<String>,
    /// The action in the other direction.
    pair: Option<Action>,
    help: Option<HelpGroup>,
    /// Its rank among the keys that a list without rows offers.
    empty: Option<u8>,
    /// What it does, for somebody who presses its key in another pane.
    elsewhere: Option<String>,
}

impl Presentation {
    /// Sets a column; the error says what to write.
    pub(super) fn set(&mut self, column: &str, cell: &DeValue<'_>) -> Result<(), String> {
        match column {
            "footer" => self.footer = Some(rank(cell)?),
            "word" => self.word = Some(text(cell)?.to_owned()),
            "pair" => {
                let name = text(cell)?;
                let action = name.parse();
                self.pair = Some(action.map_err(|_| format!("no action is called {name}"))?);
            }
            "help" => {
                let (name, known) = (text(cell)?, HelpGroup::VARIANTS.join(", "));
                let words = |_| format!("no section is called {name}; known: {known}");
                self.help = Some(name.parse().map_err(words)?);
            }
            "empty" => self.empty = Some(rank(cell)?),
            "elsewhere" => self.elsewhere = Some(text(cell)?.to_owned()),
            _ => {
                let known = "keys, footer, word, pair, help, empty, elsewhere";
                return Err(format!("no such column; known: {known}"));
            }
        }
        Ok(())
    }
}

fn rank(cell: &DeValue<'_>) -> Result<u8, &'static str> {
    let number = cell.as_integer().and_then(|n| n.as_str().parse().ok());
    let rank = number.filter(|rank| (1..100).contains(rank));
    rank.ok_or("write a number from 1 to 99")
}

fn text<'a>(cell: &'a DeValue<'_>) -> Result<&'a str, &'static str> {
    cell.as_str().ok_or("write a text")
}

/// What a place's row leaves out is as in these.
const COMMON: [Context; 2] = [Context::Desk, Context::Always];

impl Presented {
    pub(super) fn insert(&mut self, row: (Context, Action), columns: Presentation) {
        self.0.insert(row, columns);
    }

    /// What the footer may offer in `context`, the most urgent first; what has no key there is among it.
    pub fn footer(&self, context: Context) -> Vec<Action> {
        self.ranked(context, |row| row.footer)
    }

    /// What the list of `pane` offers while it has no rows.
    pub fn offered_if_empty(&self, pane: Context) -> Vec<Action> {
        self.ranked(pane, |row| row.empty)
    }

    fn ranked(&self, context: Context, rank: fn(&Presentation) -> Option<u8>) -> Vec<Action> {
        let mut ranked: Vec<(u8, Action)> = vec![];
        for place in std::iter::once(context).chain(COMMON) {
            let rows = self.0.iter().filter(|((of, _), _)| *of == place);
            for ((_, action), row) in rows {
                let is_new = ranked.iter().all(|(_, known)| known != action);
                if let Some(rank) = rank(row).filter(|_| is_new) {
                    ranked.push((rank, *action));
                }
            }
        }
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, action)| action).collect()
    }

    /// The footer's word for an action.
    pub fn word(&self, context: Context, action: Action) -> &str {
        let mut rows = self.rows(context, action);
        let word = rows.find_map(|row| row.word.as_deref());
        word.unwrap_or_else(|| action.label())
    }

    /// The action whose key stands in the same hint.
    pub fn pair(&self, context: Context, action: Action) -> Option<Action> {
        self.rows(context, action).find_map(|row| row.pair)
    }

    /// The section of the help for a key of every pane.
    pub fn help_group(&self, action: Action) -> HelpGroup {
        let row = self.0.get(&(Context::Desk, action));
        row.and_then(|row| row.help).unwrap_or_default()
    }

    /// What a key of a pane does, in words for another pane.
    pub fn elsewhere(&self, pane: Context, action: Action) -> Option<&str> {
        self.0.get(&(pane, action))?.elsewhere.as_deref()
    }

    fn rows(&self, context: Context, action: Action) -> impl Iterator<Item = &Presentation> {
        let places = std::iter::once(context).chain(COMMON);
        places.filter_map(move |place| self.0.get(&(place, action)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::keys::keymap::Keymap;
    use strum::IntoEnumIterator;

    #[test]
    fn a_footer_has_one_order_and_every_key_that_it_names_is_bound_in_that_place() {
        let keymap = Keymap::default();
        let presented = &keymap.presented;
        for context in Context::iter() {
            let offered = presented.footer(context);
            let rank =
                |action: &Action| presented.rows(context, *action).find_map(|row| row.footer);
            let mut ranks: Vec<_> = offered.iter().map(rank).collect();
            ranks.dedup();
            assert_eq!(ranks.len(), offered.len(), "{context}: two share a rank");
            let here = presented.0.iter().filter(|((of, _), _)| *of == context);
            for ((_, action), row) in here {
                let named = row.footer.map(|_| *action).into_iter().chain(row.pair);
                for action in named {
                    let is_bound = keymap.chord(context, action).is_some();
                    assert!(is_bound, "[{context}] {action} has no key");
                }
            }
        }
    }

    #[test]
    fn a_word_of_the_footer_is_shorter_than_the_name_or_says_what_happens_in_its_place() {
        let keymap = Keymap::default();
        let presented = &keymap.presented;
        for ((context, action), row) in &presented.0 {
            let Some(word) = &row.word else { continue };
            let is_shorter = word.chars().count() <= action.label().chars().count();
            let is_own = presented.word(Context::Desk, *action) != word;
            assert!(is_shorter || is_own, "[{context}] {action}: {word}");
            assert!(word.chars().count() <= 14, "[{context}] {action}: {word}");
        }
    }

    #[test]
    fn the_rows_of_one_place_may_differ_from_those_of_every_pane() {
        let keymap = Keymap::default();
        let presented = &keymap.presented;
        let own = |context| {
            presented
                .footer(context)
                .into_iter()
                .find(|a| a.acts_on_its_row())
        };
        assert_eq!(own(Context::Orders), Some(Action::Cancel));
        assert_eq!(own(Context::Positions), Some(Action::ClosePosition));
        assert_eq!(presented.word(Context::Desk, Action::Quality), "quality");
        assert_eq!(
            presented.word(Context::Closed, Action::Quality),
            "by market"
        );
        assert_eq!(
            presented.pair(Context::MarketChart, Action::Up),
            Some(Action::Down)
        );
        assert_eq!(presented.pair(Context::Positions, Action::Up), None);
        let buy_and_sell = vec![Action::Buy, Action::Sell];
        assert_eq!(presented.offered_if_empty(Context::Positions), buy_and_sell);
        assert_eq!(presented.offered_if_empty(Context::History), []);
        assert_eq!(presented.help_group(Action::Zoom), HelpGroup::Find);
        assert_eq!(presented.help_group(Action::Copy), HelpGroup::Desk);
        let elsewhere = presented.elsewhere(Context::Twaps, Action::Cancel);
        assert_eq!(elsewhere, Some("stops a TWAP"));
    }
}
