//! The keys of every action in every place, and what a key does there.

use super::{action::Action, chord::Chord, context::Context, keys::Keys, presentation::Presented};
use std::{fmt, sync::Arc};

/// One line of the table: the keys of an action in a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    pub context: Context,
    pub action: Action,
    pub keys: Vec<Keys>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    // Shared: each account of a desk has a copy.
    pub(super) bindings: Arc<[Binding]>,
    /// How actions are presented: the columns beside the keys.
    pub presented: Arc<Presented>,
    pub(super) keyless: Vec<UnboundAction>,
}

/// The urgency of a waiting key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// It closes, cancels or quits.
    AtOnce,
    /// It moves or does nothing: dropping it does not change what later keys mean.
    Motion,
    Other,
}

/// A built-in action that lost its key to a person's binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnboundAction {
    pub context: Context,
    pub action: Action,
    /// Its old key, and what that does now.
    pub was: Keys,
    pub is: Action,
}

impl UnboundAction {
    /// The command that does it now, if there is one.
    pub fn command(&self) -> Option<String> {
        self.context
            .is_of_desk()
            .then(|| format!(":{}", self.action.to_string().replace('_', "-")))
    }
}

/// `[desk] i is refresh now; execution quality has no key (:quality does it)`.
impl fmt::Display for UnboundAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, was, is) = (self.context, self.was, self.is);
        let label = self.action.label();
        write!(f, "[{place}] {was} is {is} now; {label} has no key")?;
        match self.command() {
            Some(command) => write!(f, " ({command} does it)"),
            None => Ok(()),
        }
    }
}

impl Keymap {
    /// Built-in actions whose keys a person has given to others.
    pub fn keyless(&self) -> &[UnboundAction] {
        &self.keyless
    }

    /// What a person should know of their key files.
    pub fn notes(&self) -> Vec<String> {
        self.keyless.iter().map(ToString::to_string).collect()
    }

    /// Whether a key does `action` on the desk, or did so before a person rebound it.
    pub fn is_of_desk(&self, action: Action) -> bool {
        let mut bindings = self.bindings.iter();
        bindings.any(|b| b.action == action && b.context.is_of_desk())
    }

    pub fn lookup(&self, context: Context, chord: Chord) -> Option<Action> {
        let found = |place| {
            let mut here = self.bindings.iter().filter(|b| b.context == place);
            here.find(|b| b.keys.contains(&chord.into()))
                .map(|b| b.action)
        };
        let of_desk =
            || found(Context::Desk).filter(|action| context.takes_from_desk(*action, chord));
        context.chain().find_map(found).or_else(of_desk)
    }

    /// The action of two presses in a row.
    pub fn second(&self, context: Context, first: Chord, then: Chord) -> Option<Action> {
        let following = self.following(context, first).into_iter();
        let mut matching = following.filter(|(known, _)| *known == then);
        matching.next().map(|(_, action)| action)
    }

    /// Whether this press only begins a sequence. The more specific place decides, but a key that closes everything
    /// never begins one.
    pub fn begins(&self, context: Context, chord: Chord) -> bool {
        if self.lookup(context, chord).is_some_and(Action::is_at_once) {
            return false;
        }
        let mut places = context.chain();
        let place = places.find(|place| self.bound(*place).any(|(_, keys)| keys.first == chord));
        place.is_some_and(|place| {
            let mut here = self.bound(place);
            here.all(|(_, keys)| keys != Keys::from(chord))
        })
    }

    /// The second keys of sequences that begin with this one, and their actions: a pane's own before the desk's. Keys
    /// that close everything keep their action.
    pub fn following(&self, context: Context, first: Chord) -> Vec<(Chord, Action)> {
        let mut known: Vec<(Chord, Action)> = vec![];
        for place in context.chain() {
            for (binding, keys) in self.bound(place) {
                let then = keys.then.filter(|_| keys.first == first);
                let closes_all = |then| self.lookup(context, then).is_some_and(Action::is_at_once);
                let is_new = |then: &Chord| {
                    known.iter().all(|(other, _)| other != then) && !closes_all(*then)
                };
                if let Some(then) = then.filter(is_new) {
                    known.push((then, binding.action));
                }
            }
        }
        known
    }

    pub(super) fn bound(&self, place: Context) -> impl Iterator<Item = (&Binding, Keys)> {
        let here = self.bindings.iter().filter(move |b| b.context == place);
        here.flat_map(|binding| binding.keys.iter().map(move |keys| (binding, *keys)))
    }

    /// Everything that works in `context`, its own keys first: the footer and the help use this list.
    pub fn hints(&self, context: Context) -> impl Iterator<Item = &Binding> {
        let places = context.chain().filter(|place| *place != Context::Always);
        places.flat_map(move |place| {
            let bound = move |b: &&Binding| b.context == place && !b.keys.is_empty();
            self.bindings.iter().filter(bound)
        })
    }

    /// The places in which `chord` has an action, and which.
    pub fn meanings(&self, chord: Chord) -> impl Iterator<Item = (Context, Action)> {
        let means = move |b: &&Binding| b.keys.contains(&chord.into());
        self.bindings
            .iter()
            .filter(means)
            .map(|b| (b.context, b.action))
    }

    /// The first key or sequence for `action` in `context`, for a hint: the place's own before one that works
    /// everywhere.
    pub fn chord(&self, context: Context, action: Action) -> Option<Keys> {
        let mut own = context.chain().filter(|place| *place != Context::Always);
        let of = |place| self.bound(place).filter(|(b, _)| b.action == action);
        let own = own.find_map(|place| of(place).map(|(_, keys)| keys).next());
        // Over a panel that only shows, hints are its own keys and those that close everything.
        let of_desk = || {
            let mut keys = of(Context::Desk).map(|(_, keys)| keys);
            let works = |keys: &Keys| context.takes_from_desk(action, keys.first);
            keys.find(|keys| action.closes_all() && keys.then.is_none() && works(keys))
        };
        let always = || of(Context::Always).map(|(_, keys)| keys).next();
        own.or_else(of_desk).or_else(always)
    }

    /// The keys that work everywhere.
    pub fn always(&self) -> impl Iterator<Item = &Binding> {
        let works = |b: &&Binding| b.context == Context::Always && !b.keys.is_empty();
        self.bindings.iter().filter(works)
    }

    /// Which waiting keys overtake others, and which may be overtaken; decided by the key alone. Urgent letters are text where text is typed.
    pub fn urgency(&self, chord: Chord) -> Urgency {
        let mut meanings = self.meanings(chord).map(|(_, action)| action);
        if self.meanings(chord).any(|(_, action)| action.is_at_once()) {
            return Urgency::AtOnce;
        }
        let begins = |binding: &Binding| {
            let mut keys = binding.keys.iter();
            keys.any(|keys| keys.first == chord && keys.then.is_some())
        };
        let is_first = self.bindings.iter().any(begins);
        if !is_first && meanings.all(is_motion) {
            Urgency::Motion
        } else {
            Urgency::Other
        }
    }
}

fn is_motion(action: Action) -> bool {
    let is_step = matches!(
        action,
        Action::NextPane
            | Action::PreviousPane
            | Action::NextField
            | Action::PreviousField
            | Action::NextLink
            | Action::PreviousLink
            | Action::NextChoice
            | Action::PreviousChoice
            | Action::StepUp
            | Action::StepDown
            | Action::LeapUp
            | Action::LeapDown
    );
    is_step || action.moves(0, 0).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_out_are_urgent_motion_can_be_overtaken_and_what_begins_text_cannot() {
        let keymap = Keymap::default();
        let of = |text: &str| keymap.urgency(text.parse().unwrap());
        assert_eq!(["X", "F", "K", "ctrl-c"].map(of), [Urgency::AtOnce; 4]);
        assert_eq!(
            ["j", "k", "down", "pagedown", "tab"].map(of),
            [Urgency::Motion; 5]
        );
        let others = [":", "/", "b", "enter", "y", "g", "a", "esc"];
        assert_eq!(others.map(of), [Urgency::Other; 8]);
    }
}
