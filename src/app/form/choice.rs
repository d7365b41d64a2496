//! Fields that take one of a closed set.

use super::{Form, open};
use crate::{
    app::Store,
    model::{
        MarginMode, MarketId, Side,
        draft::{CloseDraft, Draft, Field, PlaceDraft},
    },
};
use std::fmt::Display;
use strum::VariantArray;

const NO_YES: &[bool] = &[false, true];
const NO_YES_WORDS: &[&str] = &["no", "yes"];
/// Shares of a position that have a key; what comes after them is typed.
const SHARES: &[&str] = &["25%", "50%", "75%", "100%"];
const TYPED: &str = "typed";

/// A closed set in words, and which of it is meant; nothing is meant while nothing is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub options: Vec<String>,
    pub chosen: Option<usize>,
}

impl Choice {
    fn of<T: PartialEq + Display>(all: &[T], chosen: &T) -> Self {
        Self {
            options: all.iter().map(T::to_string).collect(),
            chosen: all.iter().position(|one| one == chosen),
        }
    }

    fn no_yes(chosen: usize) -> Self {
        Self {
            options: NO_YES_WORDS.iter().map(ToString::to_string).collect(),
            chosen: Some(chosen),
        }
    }

    fn share(size: &str) -> Self {
        let share = SHARES.iter().position(|share| *share == size.trim());
        Self {
            options: SHARES
                .iter()
                .chain(&[TYPED])
                .map(ToString::to_string)
                .collect(),
            chosen: share.or(Some(SHARES.len())),
        }
    }

    /// The option `steps` further on, round and round.
    fn further(&self, steps: isize) -> usize {
        let len = self.options.len().cast_signed();
        let Some(at) = self.chosen.filter(|_| len > 0) else {
            return 0;
        };
        (at.cast_signed() + steps).rem_euclid(len).cast_unsigned()
    }
}

impl Form {
    /// What a choice offers; `None` for a text field.
    pub fn choice(&self, field: Field, store: &Store) -> Option<Choice> {
        Some(match (&self.draft, field) {
            (Draft::Place(d), Field::Kind) => Choice::of(PlaceDraft::KINDS, &d.kind),
            (Draft::Place(d), Field::Market) => market(d, store),
            (Draft::Place(d), Field::Side) => Choice::of(Side::VARIANTS, &d.side),
            (Draft::Place(d), Field::TimeInForce) => {
                Choice::of(PlaceDraft::TIMES_IN_FORCE, &d.time_in_force)
            }
            (Draft::Place(d), Field::MarginMode) => {
                Choice::of(MarginMode::VARIANTS, &d.margin_mode)
            }
            (Draft::Place(d), Field::ReduceOnly) => Choice::no_yes(usize::from(d.reduce_only)),
            (Draft::Close(d), Field::Kind) => Choice::of(CloseDraft::KINDS, &d.kind),
            (Draft::Close(d), Field::Share) => Choice::share(&d.size),
            (Draft::Close(d), Field::Acknowledged) => Choice::no_yes(usize::from(d.acknowledged)),
            _ => return None,
        })
    }

    /// Moves the focused choice `steps` options on.
    pub(super) fn turn(&mut self, steps: isize, store: &Store) {
        if let Some(choice) = self.choice(self.focus, store) {
            self.choose(choice.further(steps), store);
        }
    }

    /// Takes the focused choice's option at `index`; one that does not exist changes nothing.
    pub(super) fn choose(&mut self, index: usize, store: &Store) {
        match (&mut self.draft, self.focus) {
            (Draft::Place(d), Field::Kind) => set(&mut d.kind, PlaceDraft::KINDS, index),
            (Draft::Place(d), Field::Market) => {
                if let Some(id) = open::known_markets(store).get(index) {
                    change_market(d, id, store);
                }
            }
            (Draft::Place(d), Field::Side) => set(&mut d.side, Side::VARIANTS, index),
            (Draft::Place(d), Field::TimeInForce) => {
                set(&mut d.time_in_force, PlaceDraft::TIMES_IN_FORCE, index);
            }
            (Draft::Place(d), Field::MarginMode) => {
                set(&mut d.margin_mode, MarginMode::VARIANTS, index);
            }
            (Draft::Place(d), Field::ReduceOnly) => set(&mut d.reduce_only, NO_YES, index),
            (Draft::Close(d), Field::Kind) => set(&mut d.kind, CloseDraft::KINDS, index),
            (Draft::Close(d), Field::Share) if index <= SHARES.len() => {
                d.size = SHARES
                    .get(index)
                    .map_or_else(String::new, ToString::to_string);
            }
            (Draft::Close(d), Field::Acknowledged) => set(&mut d.acknowledged, NO_YES, index),
            _ => {}
        }
    }
}

fn market(draft: &PlaceDraft, store: &Store) -> Choice {
    let known = open::known_markets(store);
    Choice {
        chosen: known
            .iter()
            .position(|id| Some(id) == draft.market_id.as_ref()),
        options: known.iter().map(MarketId::to_string).collect(),
    }
}

fn set<T: Copy>(place: &mut T, all: &[T], index: usize) {
    if let Some(one) = all.get(index) {
        *place = *one;
    }
}

/// Prices of one market mean nothing in another; terms that were not changed by hand follow the market.
fn change_market(draft: &mut PlaceDraft, id: &MarketId, store: &Store) {
    if draft.market_id.as_ref() == Some(id) {
        return;
    }
    let before = open::terms(draft.market_id.as_ref(), store);
    let terms = open::terms(Some(id), store);
    if (&draft.leverage, draft.margin_mode) == (&before.leverage, before.margin_mode) {
        draft.leverage = terms.leverage;
        draft.margin_mode = terms.margin_mode;
    }
    draft.market_id = Some(id.clone());
    for price in [
        &mut draft.limit_price,
        &mut draft.take_profit,
        &mut draft.stop_loss,
    ] {
        price.clear();
    }
}
