//! A person's own bindings on top of the built-in ones.
//!
//! Contract: a person's key wins over a built-in one in the same place, so a new version that binds a new action breaks
//! no file. The built-in action loses its key, and that is reported. Two own bindings of one key are an error. The keys
//! that close everything must remain in every pane, or the file is refused.

use super::{
    action::Action,
    bindings::{Binding, Keymap, UnboundAction},
    chord::Chord,
    context::Context,
    keys::Keys,
    table::{Bound, By},
};
use std::collections::HashMap;
use strum::IntoEnumIterator;

/// Two bindings that exclude each other: equal ones, or a single key and a sequence that begins with it.
fn collide(one: Keys, other: Keys) -> bool {
    one == other || (one.first == other.first && one.then.is_some() != other.then.is_some())
}

/// A person's sequences of two keys.
pub(super) fn own_pairs(bound: &Bound) -> Vec<(Context, Action, Keys)> {
    let own = bound.iter().filter(|(_, (by, _))| *by == By::Person);
    let own = own.flat_map(|((context, action), (_, keys))| {
        let pairs = keys.iter().filter(|keys| keys.then.is_some());
        pairs.map(|keys| (*context, *action, *keys))
    });
    own.collect()
}

/// A person's keys that can never be pressed: another action has them in every place.
pub(super) fn taken_everywhere(bound: &Bound) -> Vec<String> {
    let always = bound
        .iter()
        .filter(|((place, _), _)| *place == Context::Always);
    let always: Vec<_> = always
        .flat_map(|((_, action), (_, keys))| keys.iter().map(|keys| (keys.first, *action)))
        .collect();
    let own = bound
        .iter()
        .filter(|((place, _), (by, _))| *by == By::Person && *place != Context::Always);
    let faults = own.flat_map(|((place, action), (_, keys))| {
        let taken = keys.iter().filter_map(|keys| {
            let (key, other) = always.iter().find(|(key, _)| *key == keys.first)?;
            let is_same = other == action;
            (!is_same).then(|| {
                format!(
                    "[{place}] {keys}: {action} is never reached: {key} does {other} everywhere"
                )
            })
        });
        taken.collect::<Vec<_>>()
    });
    faults.collect()
}

/// Why some of these sequences can never be pressed: another own binding acts on the first key, or one of the keys
/// closes everything, which acts whatever was pressed before.
pub(super) fn unreachable(pairs: &[(Context, Action, Keys)], keymap: &Keymap) -> Vec<String> {
    let faults = pairs.iter().filter_map(|(context, action, keys)| {
        let alone = Keys::from(keys.first);
        let mut here = keymap.bound(*context);
        let acts = here.find(|(_, other)| *other == alone);
        let acts = acts.map(|(binding, _)| (keys.first, binding.action));
        let held_up = || {
            let mut places = context.panes();
            places.find_map(|place| closing_action(keymap, place, *keys))
        };
        let (key, other) = acts.or_else(held_up)?;
        Some(format!(
            "[{context}] {keys}: {action} is never reached: {key} does {other} at once"
        ))
    });
    faults.collect()
}

/// The key of a sequence that closes everything there, if any.
fn closing_action(keymap: &Keymap, place: Context, keys: Keys) -> Option<(Chord, Action)> {
    keys.presses().find_map(|key| {
        let action = keymap.lookup(place, key).filter(|a| a.is_at_once())?;
        Some((key, action))
    })
}

/// Removes a person's keys from built-in actions; returns the actions left without a key.
pub(super) fn give_way(bound: &mut Bound) -> Vec<UnboundAction> {
    let mut own = vec![];
    for ((context, action), (by, keys)) in &*bound {
        if *by == By::Person {
            own.extend(keys.iter().map(|keys| (*context, *keys, *action)));
        }
    }
    let mut keyless = vec![];
    for ((context, action), (by, keys)) in bound {
        if *by == By::Person {
            continue;
        }
        let mut lost = None;
        keys.retain(|keys| {
            let mut takers = own
                .iter()
                .filter(|(place, key, _)| place == context && collide(*key, *keys));
            let taker = takers.next();
            lost = taker.map(|(_, _, is)| (*keys, *is)).or(lost);
            taker.is_none()
        });
        if let (Some((was, is)), true) = (lost, keys.is_empty()) {
            keyless.push(UnboundAction {
                context: *context,
                action: *action,
                was,
                is,
            });
        }
    }
    keyless
}

/// Two actions on one key in one place.
pub(super) fn clashes(bindings: &[Binding]) -> Vec<String> {
    let mut taken: HashMap<(Context, Keys), Action> = HashMap::new();
    let mut faults = vec![];
    for binding in bindings {
        for keys in &binding.keys {
            let place = (binding.context, *keys);
            if let Some(other) = taken.insert(place, binding.action) {
                let (context, action) = (binding.context, binding.action);
                faults.push(format!("[{context}] {keys}: both {other} and {action}"));
            }
        }
    }
    faults
}

/// The actions that need a key in every pane.
const WAYS_OUT: [Action; 5] = [
    Action::CloseAll,
    Action::Flatten,
    Action::CancelAll,
    Action::Quit,
    Action::QuitNow,
];

/// The required actions that a file leaves without a key, and what their keys do instead.
pub(super) fn barred(keymap: &Keymap) -> Vec<String> {
    let places = || Context::iter().filter(|place| place.is_of_desk());
    let of_place = |place: Context| {
        let barred = WAYS_OUT
            .iter()
            .filter(move |action| !works(keymap, place, **action));
        barred.map(move |action| (place, *action))
    };
    let everywhere: Vec<_> = of_place(Context::Desk).collect();
    let is_everywhere = |action: &Action| everywhere.iter().any(|(_, known)| known == action);
    let mut faults: Vec<_> = places().flat_map(of_place).collect();
    faults.retain(|(place, action)| *place == Context::Desk || !is_everywhere(action));
    let mut typing = WAYS_OUT
        .into_iter()
        .filter(|action| !works_while_typing(keymap, *action));
    faults.extend(typing.by_ref().map(|action| (Context::Always, action)));
    let words = |(place, action): (Context, Action)| {
        let built_in = Keymap::default()
            .chord(place, action)
            .filter(|_| place.is_of_desk());
        let taker = built_in.and_then(|keys| Some((keys, keymap.lookup(place, keys.first)?)));
        let taker = taker.map(|(key, is)| format!(" ({key} is {is})"));
        format!(
            "[{place}] {action}: no key{}; every action that closes, cancels or leaves must keep one",
            taker.unwrap_or_default()
        )
    };
    faults.into_iter().map(words).collect()
}

/// Close-all and flatten have a key that works where text is typed, because it types nothing.
fn works_while_typing(keymap: &Keymap, action: Action) -> bool {
    let mut bound = keymap.bound(Context::Always);
    let is_one = |keys: Keys| keys.then.is_none() && keys.first.typed().is_none();
    !action.closes_all() || bound.any(|(binding, keys)| binding.action == action && is_one(keys))
}

/// By a key of the desk: one that works everywhere is not the familiar one.
fn works(keymap: &Keymap, place: Context, action: Action) -> bool {
    let is_bound = |b: &&Binding| b.context != Context::Always || action == Action::QuitNow;
    let mut bound = keymap.bindings.iter().filter(|b| b.action == action);
    bound.by_ref().filter(is_bound).any(|binding| {
        let mut alone = binding.keys.iter().filter(|keys| keys.then.is_none());
        alone.any(|keys| keymap.lookup(place, keys.first) == Some(action))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    fn with(file: &str) -> Keymap {
        Keymap::with(&[file]).unwrap()
    }

    fn faults(file: &str) -> Vec<String> {
        Keymap::with(&[file]).unwrap_err().0
    }

    fn notes(keymap: &Keymap) -> Vec<String> {
        keymap.keyless().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_key_that_a_new_version_took_stays_the_persons_and_the_new_action_goes_without() {
        let keymap = with("[desk]\nrefresh = \"i\"");
        let desk = |key: char| keymap.lookup(Context::Desk, key.into());
        assert_eq!(desk('i'), Some(Action::Refresh));
        assert_eq!(desk('r'), None);
        assert_eq!(keymap.chord(Context::Desk, Action::Quality), None);
        assert_eq!(
            notes(&keymap),
            ["[desk] i is refresh now; execution quality has no key (:quality does it)"]
        );
    }

    #[test]
    fn an_action_with_another_key_left_is_no_news() {
        let keymap = with("[desk]\nrefresh = \"j\"");
        assert_eq!(notes(&keymap), [""; 0]);
        let down: Chord = "down".parse().unwrap();
        assert_eq!(keymap.lookup(Context::Desk, down), Some(Action::Down));
        assert_eq!(keymap.chord(Context::Desk, Action::Down), Some(down.into()));
    }

    #[test]
    fn a_key_that_is_another_actions_in_another_place_stays_there() {
        let keymap = with("[positions]\nclose_position = \"x\"");
        assert_eq!(notes(&keymap), [""; 0]);
        let x = Chord::from('x');
        assert_eq!(keymap.lookup(Context::Orders, x), Some(Action::Cancel));
        let panel = with("[markets]\nup = \"j\"");
        let down = "down".parse().unwrap();
        assert_eq!(panel.lookup(Context::Markets, 'j'.into()), Some(Action::Up));
        assert_eq!(panel.lookup(Context::Markets, down), Some(Action::Down));
    }

    /// Whoever has copied the built-in table has every key of it.
    #[test]
    fn a_file_with_every_built_in_key_changes_nothing() {
        let mut file = String::new();
        let bindings = crate::app::keys::keymap::default_bindings();
        for place in Context::iter() {
            writeln!(file, "[{place}]").unwrap();
            for binding in bindings.iter().filter(|b| b.context == place) {
                let keys: Vec<_> = binding.keys.iter().map(ToString::to_string).collect();
                writeln!(file, "{} = {keys:?}", binding.action).unwrap();
            }
        }
        assert_eq!(with(&file), with(""));
    }

    #[test]
    fn where_no_command_line_opens_none_is_offered() {
        let keymap = with("[strip]\ndismiss = [\"esc\", \"g\"]");
        assert_eq!(
            notes(&keymap),
            ["[strip] g is dismiss now; give up has no key"]
        );
    }

    #[test]
    fn two_of_a_persons_own_on_one_key_are_a_fault() {
        let file = "[desk]\nrefresh = \"i\"\nzoom = [\"z\", \"i\"]";
        assert_eq!(faults(file), ["[desk] i: both zoom and refresh"]);
    }

    #[test]
    fn what_gets_a_trader_out_keeps_a_key() {
        for (file, fault) in [
            ("[desk]\nbuy = \"X\"", "[desk] close_all: no key (X is buy)"),
            ("[desk]\nbuy = \"F\"", "[desk] flatten: no key (F is buy)"),
            (
                "[desk]\nbuy = \"K\"",
                "[desk] cancel_all: no key (K is buy)",
            ),
            (
                "[desk]\nrefresh = \"q\"",
                "[desk] quit: no key (q is refresh)",
            ),
            ("[desk]\nclose_all = []", "[desk] close_all: no key"),
            ("[always]\nquit_now = []", "[desk] quit_now: no key"),
            ("[always]\nclose_all = []", "[always] close_all: no key"),
            ("[always]\nflatten = \"F\"", "[always] flatten: no key"),
            (
                "[orders]\ncancel = \"K\"",
                "[orders] cancel_all: no key (K is cancel)",
            ),
        ] {
            let notes =
                format!("{fault}; every action that closes, cancels or leaves must keep one");
            assert_eq!(faults(file), [notes], "{file}");
        }
        assert_eq!(
            faults("[desk]\nzoom = \"ctrl-x\""),
            ["[desk] ^x: zoom is never reached: ^x does close_all everywhere"]
        );
        let other = with("[always]\nclose_all = \"f9\"\n[desk]\nzoom = \"ctrl-x\"");
        let control = "ctrl-x".parse().unwrap();
        assert_eq!(other.lookup(Context::Desk, control), Some(Action::Zoom));
        let moved = with("[desk]\nbuy = \"X\"\nclose_all = \"f12\"");
        assert_eq!(moved.lookup(Context::Desk, 'X'.into()), Some(Action::Buy));
        assert_eq!(notes(&moved), [""; 0]);
    }

    #[test]
    fn a_persons_key_wins_over_two_that_begin_with_it_and_two_over_one_that_they_begin_with() {
        let alone = with("[desk]\nrefresh = \"g\"");
        let g = Chord::from('g');
        assert_eq!(alone.lookup(Context::Positions, g), Some(Action::Refresh));
        assert!(!alone.begins(Context::Positions, g));
        assert_eq!(notes(&alone), [""; 0], "Home and the digits are left");
        let two = with("[desk]\nzoom = \"f z\"");
        assert!(two.begins(Context::Positions, 'f'.into()));
        assert_eq!(
            notes(&two),
            ["[desk] f is zoom now; freeze the display has no key (:freeze does it)"]
        );
        let of_pane = with("[orders]\nexits = \"f e\"");
        assert!(of_pane.begins(Context::Orders, 'f'.into()));
        assert!(!of_pane.begins(Context::Positions, 'f'.into()));
    }

    #[test]
    fn two_keys_that_could_never_be_pressed_or_would_hold_up_a_way_out_are_named() {
        for (file, fault) in [
            (
                "[desk]\nzoom = \"ctrl-w z\"\nfreeze = \"ctrl-w\"",
                "[desk] ^w z: zoom is never reached: ^w does freeze at once",
            ),
            (
                "[orders]\nexits = \"X e\"",
                "[orders] Xe: exits is never reached: X does close_all at once",
            ),
            (
                "[desk]\nzoom = \"g K\"",
                "[desk] gK: zoom is never reached: K does cancel_all at once",
            ),
            (
                "[desk]\nflatten = \"g f\"",
                "[desk] flatten: no key; every action that closes, cancels or leaves must keep one",
            ),
            (
                "[strip]\nconfirm = \"y y\"",
                "[strip] confirm: yy: two keys one after another are for panes only",
            ),
            (
                "[desk]\nzoom = \"g z z\"",
                "[desk] zoom: `g z z`: one key, or two one after another",
            ),
        ] {
            assert_eq!(faults(file), [fault], "{file}");
        }
        let moved = with("[desk]\nclose_all = \"p\"");
        let g = Chord::from('g');
        let following = moved.following(Context::Orders, g);
        let keys: Vec<_> = following.iter().map(|(then, _)| then.to_string()).collect();
        assert!(
            !keys.contains(&"p".to_owned()),
            "p closes everything: {keys:?}"
        );
    }
}
