//! The only table of key bindings: dispatch, footer, help and docs/keys.md read it.

mod action;
mod chord;
mod context;
mod edit;
mod keys;
mod own;
mod presentation;
mod table;
mod urgency;

pub use action::Action;
pub use chord::Chord;
pub use context::Context;
pub use keys::Keys;
pub use own::UnboundAction;
pub use presentation::{HelpGroup, Presented};
pub use urgency::Urgency;

use own::{barred, clashes, give_way, own_pairs, taken_everywhere, unreachable};
use std::{collections::BTreeMap, sync::Arc};
use strum::IntoEnumIterator;
use table::{By, KeyTable};

const DEFAULT_KEYS: &str = include_str!("../../../../assets/keys.toml");

/// One line of the table: the keys of an action in a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    pub context: Context,
    pub action: Action,
    pub keys: Vec<Keys>,
}

/// The errors of a key file, with section, action and key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct KeymapFault(pub Vec<String>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    // Shared: each account of a desk has a copy.
    bindings: Arc<[Binding]>,
    /// How actions are presented: the columns beside the keys.
    pub presented: Arc<Presented>,
    keyless: Vec<UnboundAction>,
}

impl Keymap {
    /// The built-in table with `patches` (TOML, the same format) applied in order.
    pub fn with(patches: &[&str]) -> Result<Self, KeymapFault> {
        let mut table = KeyTable::default();
        table.lay_over(DEFAULT_KEYS, By::Default);
        for text in patches {
            table.lay_over(text, By::Person);
        }
        let KeyTable {
            mut bound,
            presented,
            mut faults,
        } = table;
        let keyless = give_way(&mut bound);
        let pairs = own_pairs(&bound);
        faults.extend(taken_everywhere(&bound));
        let bindings = bound.into_iter();
        let bindings = bindings.map(|((context, action), (_, keys))| Binding {
            context,
            action,
            keys,
        });
        let keymap = Self {
            bindings: bindings.collect(),
            presented: Arc::new(presented),
            keyless,
        };
        // A test checks the built-in table alone; a start does not pay for it.
        if !patches.is_empty() {
            faults.extend(clashes(&keymap.bindings));
            faults.extend(unreachable(&pairs, &keymap));
            faults.extend(barred(&keymap));
        }
        if faults.is_empty() {
            Ok(keymap)
        } else {
            Err(KeymapFault(faults))
        }
    }

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
        let mut meant = following.filter(|(known, _)| *known == then);
        meant.next().map(|(_, action)| action)
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
                let is_way_out = |then| self.lookup(context, then).is_some_and(Action::is_at_once);
                let is_new = |then: &Chord| {
                    known.iter().all(|(other, _)| other != then) && !is_way_out(*then)
                };
                if let Some(then) = then.filter(is_new) {
                    known.push((then, binding.action));
                }
            }
        }
        known
    }

    fn bound(&self, place: Context) -> impl Iterator<Item = (&Binding, Keys)> {
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
            keys.find(|keys| action.is_way_out() && keys.then.is_none() && works(keys))
        };
        let always = || of(Context::Always).map(|(_, keys)| keys).next();
        own.or_else(of_desk).or_else(always)
    }

    /// The keys that work everywhere.
    pub fn always(&self) -> impl Iterator<Item = &Binding> {
        let works = |b: &&Binding| b.context == Context::Always && !b.keys.is_empty();
        self.bindings.iter().filter(works)
    }
}

impl Default for Keymap {
    fn default() -> Self {
        // A test checks the built-in file; if it were broken, an empty table would still quit on Ctrl-c.
        Self::with(&[]).unwrap_or(Self {
            bindings: Arc::default(),
            presented: Arc::default(),
            keyless: vec![],
        })
    }
}

/// The built-in table in the order of the file's sections and actions: for docs/keys.md and its test.
pub fn default_bindings() -> Vec<Binding> {
    let keymap = Keymap::default();
    let mut bindings = keymap.bindings.to_vec();
    let rank: BTreeMap<_, _> = Action::iter().enumerate().map(|(i, a)| (a, i)).collect();
    bindings.sort_by_key(|b| (b.context, rank.get(&b.action).copied()));
    bindings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_is_sound_and_every_action_has_a_key() {
        // An empty file of a person's own has everything checked.
        let keymap = Keymap::with(&[""]).unwrap();
        for action in Action::iter() {
            assert!(
                keymap.bindings.iter().any(|b| b.action == action),
                "{action} has no key"
            );
        }
    }

    #[test]
    fn a_pane_key_wins_over_the_desk_and_an_overlay_hides_both() {
        let keymap = Keymap::default();
        let x = Chord::from('x');
        assert_eq!(keymap.lookup(Context::Orders, x), Some(Action::Cancel));
        assert_eq!(keymap.lookup(Context::Positions, x), None);
        assert_eq!(
            keymap.lookup(Context::Positions, 'X'.into()),
            Some(Action::CloseAll)
        );
        assert_eq!(keymap.lookup(Context::Strip, 'x'.into()), None);
    }

    #[test]
    fn what_gets_a_trader_out_works_everywhere_and_where_text_is_typed_by_control() {
        let keymap = Keymap::default();
        for context in Context::iter().filter(|context| *context != Context::Always) {
            let is_text = [Context::Prompt, Context::Help].contains(&context);
            for (key, always, action) in [
                ("X", "ctrl-x", Action::CloseAll),
                ("F", "ctrl-f", Action::Flatten),
            ] {
                let [plain, control] = [key, always].map(|key| key.parse::<Chord>().unwrap());
                let expected = (!is_text).then_some(action);
                assert_eq!(keymap.lookup(context, plain), expected, "{context} {key}");
                assert_eq!(
                    keymap.lookup(context, control),
                    Some(action),
                    "{context} {always}"
                );
                let shown = if is_text { control } else { plain };
                assert_eq!(
                    keymap.chord(context, action),
                    Some(shown.into()),
                    "{context} {key}"
                );
            }
        }
    }

    #[test]
    fn a_small_letter_that_a_person_gives_to_a_way_out_is_typed_in_a_form() {
        let keymap = Keymap::with(&["[desk]\nclose_all = [\"w\", \"f12\"]"]).unwrap();
        let [w, f12] = ["w", "f12"].map(|key| key.parse::<Chord>().unwrap());
        assert_eq!(keymap.lookup(Context::Form, w), None);
        assert_eq!(keymap.lookup(Context::Form, f12), Some(Action::CloseAll));
        assert_eq!(
            keymap.chord(Context::Form, Action::CloseAll),
            Some(f12.into())
        );
    }

    #[test]
    fn a_persons_file_holds_only_what_differs() {
        let keymap = Keymap::with(&["[desk]\nclose_all = \"f12\"\nzoom = []"]).unwrap();
        assert_eq!(keymap.lookup(Context::Desk, 'X'.into()), None);
        assert_eq!(
            keymap.lookup(Context::Desk, "f12".parse().unwrap()),
            Some(Action::CloseAll)
        );
        assert_eq!(keymap.chord(Context::Desk, Action::Zoom), None);
        assert_eq!(keymap.lookup(Context::Desk, 'q'.into()), Some(Action::Quit));
    }

    #[test]
    fn two_keys_one_after_another_are_one_binding() {
        let file = "[desk]\nbottom = \"g e\"\n[orders]\ncancel = \"g e\"";
        let keymap = Keymap::with(&[file]).unwrap();
        let (g, e) = (Chord::from('g'), Chord::from('e'));
        assert_eq!(keymap.lookup(Context::Positions, g), None);
        assert!(keymap.begins(Context::Positions, g) && !keymap.begins(Context::Strip, g));
        assert_eq!(
            keymap.second(Context::Positions, g, e),
            Some(Action::Bottom)
        );
        assert_eq!(keymap.second(Context::Orders, g, e), Some(Action::Cancel));
        assert_eq!(keymap.second(Context::Orders, e, g), None);
        let first = keymap.chord(Context::Orders, Action::Top).unwrap();
        assert_eq!(first.to_string(), "gg");
        let following = keymap.following(Context::Orders, g);
        let of_e: Vec<_> = following.iter().filter(|(then, _)| *then == e).collect();
        assert_eq!(of_e, [&(e, Action::Cancel)], "the pane's own alone");
    }

    #[test]
    fn every_mistake_in_a_key_file_is_named_at_once() {
        let file =
            "[dsek]\nquit = \"q\"\n[desk]\nqiut = \"q\"\nzoom = \"hyper-z\"\nrefresh = \"q\"";
        let KeymapFault(faults) = Keymap::with(&[file]).unwrap_err();
        assert_eq!(faults.len(), 4, "{faults:#?}");
        assert!(
            faults[0].contains("[desk] qiut: no such action"),
            "{}",
            faults[0]
        );
        assert!(
            faults[1].contains("[desk] zoom: `hyper-z` is not a key"),
            "{}",
            faults[1]
        );
        assert!(
            faults[2].contains("[dsek]: no such section"),
            "{}",
            faults[2]
        );
        assert_eq!(
            faults[3],
            "[desk] quit: no key (q is refresh); every action that closes, cancels or leaves must keep one"
        );
    }
}
