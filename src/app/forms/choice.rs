//! Fields with a closed set of values.

use super::{
    answer::Answer,
    entry_change::{change_market, change_shape, watch},
    form::{Form, FormInput, Purpose},
    markets, open,
};
use crate::{
    app::{
        account::remote::Remote,
        core::account::FormContext,
        keys::keymap::{Action, Chord},
    },
    model::{
        CloseKind, Curve, Distribution, MarginMode, MarketId, PlaceKind, Position, PositionId,
        Side, TriggerDirection,
        draft::{CloseDraft, Draft, DraftShape, EntryDraft, Field, FieldInput, times_in_force},
        spoken,
    },
};
use std::{cmp::Ordering, fmt::Display};

use strum::VariantArray;

const NO_YES: &[bool] = &[false, true];
const NO_YES_WORDS: &[&str] = &["no", "yes"];
/// Shares of a position with a key each.
const SHARES: &[&str] = &["25%", "50%", "75%", "100%"];
const TYPED: &str = "typed";
/// A take profit for whatever is open in its market.
const ANY_POSITION: &str = "any";

/// A key, and the types that it chooses.
type TypeKey = (Action, PlaceKind, Option<CloseKind>);

/// What a key makes of a new order, and of a close where that has such a type.
const TYPE_KEYS: &[TypeKey] = &[
    (
        Action::TypeMarket,
        PlaceKind::Market,
        Some(CloseKind::Market),
    ),
    (Action::TypeLimit, PlaceKind::Limit, Some(CloseKind::Limit)),
    (
        Action::TypeStop,
        PlaceKind::StopMarket,
        Some(CloseKind::Conditional),
    ),
    (Action::TypeTake, PlaceKind::TakeMarket, None),
    (Action::TypeChase, PlaceKind::Chase, None),
];

/// A closed set in words, and which of it is meant; nothing is meant while nothing is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub options: Vec<String>,
    pub chosen: Option<usize>,
}

impl Choice {
    fn of<T: PartialEq + Display>(all: &[T], chosen: Option<&T>) -> Self {
        Self {
            options: all.iter().map(T::to_string).collect(),
            chosen: all.iter().position(|one| Some(one) == chosen),
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

    fn target(chosen: Option<&PositionId>, open: &[PositionId]) -> Self {
        let any = std::iter::once(ANY_POSITION.to_owned());
        Self {
            options: any.chain(open.iter().map(ToString::to_string)).collect(),
            chosen: match chosen {
                None => Some(0),
                Some(id) => open.iter().position(|one| one == id).map(|at| at + 1),
            },
        }
    }

    /// The option `steps` further on, cyclically.
    fn further(&self, steps: isize) -> usize {
        let len = self.options.len().cast_signed();
        let Some(at) = self.chosen.filter(|_| len > 0) else {
            return 0;
        };
        (at.cast_signed() + steps).rem_euclid(len).cast_unsigned()
    }
}

impl Form {
    /// The options of a choice; `None` for a text field.
    pub fn choice(&self, field: Field, form_context: &FormContext) -> Option<Choice> {
        let markets =
            |chosen: Option<&MarketId>| Choice::of(&self.markets(field, form_context), chosen);
        Some(match (&self.draft, field) {
            (Draft::Entry(d), Field::Kind | Field::Curve) => kind(d.shape)?,
            (Draft::Entry(d), Field::Market) => markets(d.market_id.as_ref()),
            (Draft::Entry(d), Field::Side) => Choice::of(Side::VARIANTS, Some(&d.side)),
            (Draft::Entry(d), Field::TriggerMarket) => markets(d.trigger_market.as_ref()),
            (Draft::Entry(d), Field::TriggerDirection) => {
                Choice::of(TriggerDirection::VARIANTS, d.trigger_direction.as_ref())
            }
            (Draft::Entry(d), Field::TargetPosition) => {
                let open = open::positions_in(d.market_id.as_ref(), form_context.store);
                Choice::target(d.target.as_ref(), &open)
            }
            (Draft::Entry(d), Field::TimeInForce) => {
                Choice::of(times_in_force(d.shape), Some(&d.time_in_force))
            }
            (Draft::Entry(d), Field::MarginMode) => {
                Choice::of(MarginMode::VARIANTS, Some(&d.margin_mode))
            }
            (Draft::Entry(d), Field::ReduceOnly) => Choice::no_yes(usize::from(d.reduce_only)),
            (Draft::Entry(d), Field::Randomize) => Choice::no_yes(usize::from(d.randomize)),
            (Draft::Entry(d), Field::Distribution) => {
                Choice::of(Distribution::VARIANTS, Some(&d.distribution))
            }
            (Draft::Close(d), Field::Kind) => Choice::of(CloseKind::VARIANTS, Some(&d.kind)),
            (Draft::Close(d), Field::Share) => Choice::share(d.texts.of(Field::Size)),
            (Draft::Close(d), Field::TriggerMarket) => markets(d.trigger_market.as_ref()),
            (Draft::Close(d), Field::TriggerDirection) => {
                Choice::of(TriggerDirection::VARIANTS, d.trigger_direction.as_ref())
            }
            (Draft::Close(d), Field::Acknowledged) => Choice::no_yes(usize::from(d.acknowledged)),
            _ => return None,
        })
    }

    /// The markets found by the search in the focused field.
    fn markets(&self, field: Field, form_context: &FormContext) -> Vec<MarketId> {
        let search = if self.focus == field {
            &*self.search
        } else {
            ""
        };
        let store = form_context.store;
        markets::found(&open::known_markets(store), search, (&store.names, |id| id))
    }

    /// Moves the focused choice by `steps` options.
    pub(crate) fn turn(&mut self, steps: isize, form_context: &FormContext) {
        if let Some(choice) = self.choice(self.focus, form_context) {
            self.choose(choice.further(steps), form_context);
        }
    }

    /// Adds a letter to the search, if that still matches something.
    pub(crate) fn look_for(&mut self, c: char, form_context: &FormContext) {
        self.hand = FormInput::Touched;
        if self.focus.takes() == FieldInput::Market {
            self.look_for_market(c, form_context);
        } else {
            self.look_for_option(c, form_context);
        }
    }

    /// The first option that begins with the typed letters, otherwise with this letter alone.
    fn look_for_option(&mut self, c: char, form_context: &FormContext) {
        let Some(choice) = self.choice(self.focus, form_context) else {
            return;
        };
        let longer = format!("{}{c}", self.search);
        let found = [longer, c.to_string()].into_iter().find_map(|search| {
            let at = choice.options.iter().position(|o| begins(o, &search))?;
            Some((search, at))
        });
        if let Some((search, at)) = found {
            self.refusal = None;
            self.choose(at, form_context);
            self.search = search;
        } else {
            self.refusal = Some("no choice begins with that letter");
        }
    }

    fn look_for_market(&mut self, c: char, form_context: &FormContext) {
        let wider = self.search.clone();
        self.search.push(c);
        if self.markets(self.focus, form_context).is_empty() {
            self.search = wider;
            self.refusal = Some("no market has this name");
        } else {
            self.refusal = None;
            self.choose(0, form_context);
        }
    }

    /// Chooses the option at `index` in the focused field, if it exists.
    pub(crate) fn choose(&mut self, index: usize, form_context: &FormContext) {
        if self.focus.takes() == FieldInput::Market {
            self.choose_market(index, form_context);
        } else {
            self.take(index, form_context);
        }
        let is_of_close = matches!(self.draft, Draft::Close(_));
        if self.focus == Field::ReduceOnly || (is_of_close && self.focus == Field::TriggerDirection)
        {
            self.purpose = Purpose::Chosen;
        }
        self.guess_purpose(form_context);
    }

    /// An order that waits for a price on the other side of an open position is reduce-only by default, until a person
    /// changes it.
    pub(crate) fn guess_purpose(&mut self, form_context: &FormContext) {
        let Draft::Entry(draft) = &self.draft else {
            return;
        };
        if self.purpose == Purpose::Chosen {
            return;
        }
        let held = self.seen(form_context).position.and_then(Position::side);
        let guess = draft.waits_for_a_price() && held == Some(draft.side.opposite());
        if let Draft::Entry(draft) = &mut self.draft {
            draft.reduce_only = guess;
        }
    }

    /// A close that waits for a price on one side of the mark fires when the mark reaches it, until a person says
    /// otherwise. Without a current mark a person must choose, because a target taken for a stop would close at once.
    /// Decided when the price is typed, so that a moving mark never turns a stop into a target.
    pub(crate) fn guess_direction(&mut self, form_context: &FormContext) {
        let seen = self.seen(form_context);
        let watched = seen.market_of(Field::TriggerPrice);
        let is_fresh = matches!(form_context.store.markets, Remote::Fresh { .. });
        let mark = watched.and_then(|market| market.mark);
        let mark = mark.filter(|_| is_fresh);
        let Draft::Close(draft) = &mut self.draft else {
            return;
        };
        if self.purpose == Purpose::Chosen {
            return;
        }
        let Ok(price) = draft.trigger_price() else {
            return;
        };
        draft.trigger_direction = match mark.map(|mark| price.cmp(&mark)) {
            Some(Ordering::Less) => Some(TriggerDirection::Below),
            Some(Ordering::Greater) => Some(TriggerDirection::Above),
            Some(Ordering::Equal) => draft.trigger_direction,
            None => None,
        };
    }

    /// Sets the order type, whatever was placed last.
    pub(crate) fn be(&mut self, kind: PlaceKind, form_context: &FormContext) {
        if let Draft::Entry(draft) = &mut self.draft {
            change_shape(draft, DraftShape::Order(kind), form_context);
        }
    }

    /// The type that a key chooses from any field; whether `action` is such a key and this form has that type.
    pub(super) fn choose_type(&mut self, action: Action, form_context: &FormContext) -> bool {
        let mut keys = TYPE_KEYS.iter().filter(|(key, ..)| *key == action);
        let Some((_, kind, close)) = keys.next() else {
            return false;
        };
        match (&mut self.draft, close) {
            // What stands in for an order keeps the type of that.
            (Draft::Entry(draft), _)
                if self.replaces.is_none() && matches!(draft.shape, DraftShape::Order(_)) =>
            {
                change_shape(draft, DraftShape::Order(*kind), form_context);
            }
            (Draft::Close(draft), Some(kind)) => draft.kind = *kind,
            (
                Draft::Entry(_)
                | Draft::Close(_)
                | Draft::Exits(_)
                | Draft::Protect(_)
                | Draft::Margin(_),
                _,
            ) => {
                return false;
            }
        }
        self.pick(|form| form.guess_purpose(form_context));
        if !self.draft.fields().contains(&self.focus) {
            self.start();
        }
        true
    }

    /// The share that this key closes while the share has the focus.
    pub(super) fn share_key(&self, chord: Chord) -> Option<usize> {
        let digit = chord.typed().filter(|_| self.focus == Field::Share)?;
        let index = usize::try_from(digit.to_digit(10)?).ok()?.checked_sub(1)?;
        (index < SHARES.len()).then_some(index)
    }

    /// Closes this share at the market, at once; for another type a price is still to be typed.
    pub(super) fn close_share(&mut self, index: usize, form_context: &FormContext) -> Answer {
        self.pick(|form| form.choose(index, form_context));
        match &self.draft {
            Draft::Close(draft) if draft.kind == CloseKind::Market => self.submit(form_context),
            Draft::Close(_)
            | Draft::Entry(_)
            | Draft::Exits(_)
            | Draft::Protect(_)
            | Draft::Margin(_) => Answer::Stay,
        }
    }

    /// A person has said that it only reduces.
    pub(crate) fn reduce(&mut self) {
        self.purpose = Purpose::Chosen;
        if let Draft::Entry(draft) = &mut self.draft {
            draft.reduce_only = true;
        }
    }

    fn take(&mut self, index: usize, form_context: &FormContext) {
        let field = self.focus;
        let options = self
            .choice(field, form_context)
            .map(|choice| choice.options);
        match (&mut self.draft, field) {
            (Draft::Entry(d), Field::Kind | Field::Curve) => {
                let mut shape = d.shape;
                set_kind(&mut shape, index);
                change_shape(d, shape, form_context);
            }
            (Draft::Entry(d), Field::TargetPosition) => {
                let open = open::positions_in(d.market_id.as_ref(), form_context.store);
                d.target = index.checked_sub(1).and_then(|at| open.get(at).cloned());
            }
            (Draft::Entry(d), Field::ReduceOnly) => set(&mut d.reduce_only, NO_YES, index),
            (Draft::Entry(d), Field::Randomize) => set(&mut d.randomize, NO_YES, index),
            (Draft::Close(d), Field::Share) if index <= SHARES.len() => {
                let share = SHARES.get(index).copied().unwrap_or_default();
                d.texts.set(Field::Size, share);
            }
            (Draft::Close(d), Field::Acknowledged) => set(&mut d.acknowledged, NO_YES, index),
            (draft, _) => {
                let words = options.unwrap_or_default();
                if let Some(word) = words.get(index) {
                    // The options are the words of the field.
                    let _always = draft.fill(field, word);
                }
            }
        }
    }

    fn choose_market(&mut self, index: usize, form_context: &FormContext) {
        let Some(id) = self
            .markets(self.focus, form_context)
            .into_iter()
            .nth(index)
        else {
            return;
        };
        match &mut self.draft {
            Draft::Entry(d) if self.focus == Field::Market => change_market(d, id, form_context),
            Draft::Entry(EntryDraft {
                trigger_market,
                texts,
                ..
            })
            | Draft::Close(CloseDraft {
                trigger_market,
                texts,
                ..
            }) => watch(trigger_market, texts, id),
            Draft::Exits(_) | Draft::Protect(_) | Draft::Margin(_) => {}
        }
    }
}

/// Whether a name begins with this text, ignoring case; an order type also in the service's spelling.
fn begins(name: &str, typed: &str) -> bool {
    let plain = |text: &str| text.replace(['_', ' ', '-'], "").to_lowercase();
    let sent = name.replace("mkt", "market");
    [name, &sent]
        .iter()
        .any(|name| plain(name).starts_with(&plain(typed)))
}

/// The types that a form of this shape can switch to.
fn kind(shape: DraftShape) -> Option<Choice> {
    match shape {
        DraftShape::Order(kind) => Some(Choice {
            options: PlaceKind::VARIANTS.iter().map(spoken).collect(),
            ..Choice::of(PlaceKind::VARIANTS, Some(&kind))
        }),
        DraftShape::Sliced(curve) => Some(Choice::of(Curve::VARIANTS, Some(&curve))),
        DraftShape::Scaled => None,
    }
}

fn set_kind(shape: &mut DraftShape, index: usize) {
    match shape {
        DraftShape::Order(kind) => set(kind, PlaceKind::VARIANTS, index),
        DraftShape::Sliced(curve) => set(curve, Curve::VARIANTS, index),
        DraftShape::Scaled => {}
    }
}

fn set<T: Copy>(place: &mut T, all: &[T], index: usize) {
    if let Some(one) = all.get(index) {
        *place = *one;
    }
}
