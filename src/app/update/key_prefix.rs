//! The first key of a sequence, until the second comes.

use crate::{
    app::{
        desk::model::Model,
        keys::{
            key_prefix::{FORGET, KeyPrefix},
            keymap::{Action, Chord},
        },
    },
    model::Timestamp,
};

/// The meaning of a press.
pub(crate) enum Meaning {
    /// A single key, or the last of a sequence; `None` if it is unbound.
    Now(Option<Action>),
    /// The first key of a sequence, or the end of one without effect.
    Pending,
}

pub(crate) fn press(model: &mut Model, chord: Chord) -> Meaning {
    let place = model.context();
    let awaited = awaited(model);
    model.chain = None;
    let alone = model.keymap.lookup(place, chord);
    if let Some(chain) = awaited {
        let second = model.keymap.second(place, chain.first, chord);
        let action = alone.filter(|action| action.is_at_once()).or(second);
        return action.map_or(Meaning::Pending, |action| Meaning::Now(Some(action)));
    }
    if model.keymap.begins(place, chord) {
        model.chain = Some(KeyPrefix {
            first: chord,
            place,
            at: model.account.now,
        });
        return Meaning::Pending;
    }
    Meaning::Now(alone)
}

/// The first key, while the second is awaited in the same context.
pub fn awaited(model: &Model) -> Option<KeyPrefix> {
    let chain = model.chain?;
    let is_fresh = model.account.now < chain.at.plus(FORGET);
    (is_fresh && chain.place == model.context()).then_some(chain)
}

/// When it is dropped.
pub(crate) fn ends_at(model: &Model) -> Option<Timestamp> {
    awaited(model).map(|chain| chain.at.plus(FORGET))
}
