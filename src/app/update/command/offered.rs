//! What Tab offers in the command line: what begins so first, then what has the letters in order.

use super::{VERBS, amend, named};
use crate::app::{
    desk::model::Model,
    keys::{fuzzy::ranked, keymap::UnboundAction},
};

/// The names of actions without a key.
fn keyless(model: &Model) -> impl Iterator<Item = String> {
    let lost = model
        .keymap
        .keyless()
        .iter()
        .filter_map(UnboundAction::command);
    lost.map(|command| command.trim_start_matches(':').to_owned())
}

/// Completions at the end of `before`, whose last word is `typed`.
pub(crate) fn offers(model: &Model, before: &str, typed: &str) -> Vec<String> {
    let begins = |word: &String| word.to_lowercase().starts_with(&typed.to_lowercase());
    let first = before.split_whitespace().next();
    let words: Vec<String> = match first.map(named) {
        None => {
            let verbs = VERBS.iter().map(|verb| verb.name.to_owned());
            verbs.chain(keyless(model)).collect()
        }
        Some(Ok(verb)) => match verb.flags().as_slice() {
            flags @ [_, ..] if typed.starts_with('-') => {
                flags.iter().map(|flag| flag.name.to_owned()).collect()
            }
            _ => (verb.offers)(model),
        },
        Some(Err(_)) => vec![],
    };
    let is_first = |word: &String| {
        begins(word) || about(model, word).is_some_and(|about| known_by(&about, typed))
    };
    let (mut offered, others): (Vec<_>, Vec<_>) = words.into_iter().partition(is_first);
    // An id is no word: letters that lie apart in it mean nothing.
    let plain = others
        .into_iter()
        .filter(|word| about(model, word).is_none());
    offered.extend(ranked(plain, typed, Clone::clone));
    offered
}

/// The description of an offered id.
pub fn about(model: &Model, word: &str) -> Option<String> {
    amend::about(model, word)
}

/// Whether one of its words begins with this: `btc`, `sell`, `63,2`.
fn known_by(about: &str, typed: &str) -> bool {
    let typed = typed.to_lowercase().replace(',', "");
    let mut words = about.split_whitespace();
    words.any(|word| word.to_lowercase().starts_with(&typed))
}
