//! The only table of key bindings: dispatch, footer, help and docs/keys.md read it.

mod action;
mod bindings;
mod chord;
mod context;
mod edit;
mod keys;
mod own;
mod presentation;
mod table;

pub use action::Action;
pub use bindings::{Binding, Keymap, UnboundAction, Urgency};
pub use chord::Chord;
pub use context::Context;
pub use keys::Keys;
pub use presentation::{HelpGroup, Presented};

use own::{barred, clashes, give_way, own_pairs, taken_everywhere, unreachable};
use std::{collections::BTreeMap, sync::Arc};
use strum::IntoEnumIterator;
use table::{By, KeyTable};

const DEFAULT_KEYS: &str = include_str!("../../../../assets/keys.toml");

/// The errors of a key file, with section, action and key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct KeymapFault(pub Vec<String>);

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
