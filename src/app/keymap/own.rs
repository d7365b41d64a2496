//! A person's own keys laid over the built-in ones.
//!
//! Contract: a person's key wins over a built-in one in the same place, so that a new version that gives a key to a new
//! action breaks no file; the built-in action goes without, and that is told. Two of a person's own on one key are a
//! fault: neither could be trusted. What gets a trader out keeps a key in every pane, or the file is refused.

use super::{Action, Binding, Chord, Context, Keymap};
use serde::Deserialize;
use std::{collections::BTreeMap, fmt};
use strum::{IntoEnumIterator, VariantNames};

/// Who has bound it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Default,
    Person,
}

/// The keys of each action in each place, and whose they are.
pub(super) type Bound = BTreeMap<(Context, Action), (By, Vec<Chord>)>;

/// A built-in action that has no key any more, because a person has given it to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keyless {
    pub context: Context,
    pub action: Action,
    /// The key it had, and what that does now.
    pub was: Chord,
    pub is: Action,
}

impl Keyless {
    /// How it is done now, where the command line does it.
    pub fn command(&self) -> Option<String> {
        self.context
            .is_of_desk()
            .then(|| format!(":{}", self.action.to_string().replace('_', "-")))
    }
}

/// `[desk] i is refresh now; execution quality has no key (:quality does it)`.
impl fmt::Display for Keyless {
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

#[derive(Deserialize)]
#[serde(untagged)]
enum Keys {
    One(String),
    Many(Vec<String>),
}

type Sections = BTreeMap<String, BTreeMap<String, Keys>>;

/// Reads a key file over what is bound already.
pub(super) fn lay_over(bound: &mut Bound, text: &str, by: By, faults: &mut Vec<String>) {
    let sections = match toml::from_str::<Sections>(text) {
        Ok(sections) => sections,
        Err(why) => return faults.push(why.to_string()),
    };
    for (section, actions) in sections {
        let Ok(context) = section.parse::<Context>() else {
            faults.push(format!(
                "[{section}]: no such section; known: {}",
                Context::VARIANTS.join(", ")
            ));
            continue;
        };
        for (name, keys) in actions {
            match (name.parse::<Action>(), parsed(&keys)) {
                (Ok(action), Ok(keys)) => {
                    bound.insert((context, action), (by, keys));
                }
                (Err(_), _) => faults.push(format!("[{section}] {name}: no such action")),
                (_, Err(why)) => faults.push(format!("[{section}] {name}: {why}")),
            }
        }
    }
}

fn parsed(keys: &Keys) -> Result<Vec<Chord>, String> {
    match keys {
        Keys::One(key) => Ok(vec![key.parse()?]),
        Keys::Many(keys) => keys.iter().map(|key| key.parse()).collect(),
    }
}

/// Takes from built-in actions the keys that a person has given to others; answers which have none left.
pub(super) fn give_way(bound: &mut Bound) -> Vec<Keyless> {
    let mut own = vec![];
    for ((context, action), (by, chords)) in &*bound {
        if *by == By::Person {
            own.extend(chords.iter().map(|chord| (*context, *chord, *action)));
        }
    }
    let mut keyless = vec![];
    for ((context, action), (by, chords)) in bound {
        if *by == By::Person {
            continue;
        }
        let mut lost = None;
        chords.retain(|chord| {
            let mut takers = own
                .iter()
                .filter(|(place, key, _)| place == context && key == chord);
            let taker = takers.next();
            lost = taker.map(|(_, _, is)| (*chord, *is)).or(lost);
            taker.is_none()
        });
        if let (Some((was, is)), true) = (lost, chords.is_empty()) {
            keyless.push(Keyless {
                context: *context,
                action: *action,
                was,
                is,
            });
        }
    }
    keyless
}

/// Two actions on one key in one place: neither could be trusted.
pub(super) fn clashes(bindings: &[Binding]) -> Vec<String> {
    let mut taken: BTreeMap<(Context, String), Action> = BTreeMap::new();
    let mut faults = vec![];
    for binding in bindings {
        for chord in &binding.chords {
            let place = (binding.context, chord.to_string());
            if let Some(other) = taken.insert(place, binding.action) {
                let (context, action) = (binding.context, binding.action);
                faults.push(format!("[{context}] {chord}: both {other} and {action}"));
            }
        }
    }
    faults
}

/// What must work in every pane.
const WAYS_OUT: [Action; 5] = [
    Action::CloseAll,
    Action::Flatten,
    Action::CancelAll,
    Action::Quit,
    Action::QuitNow,
];

/// The ways out that a file has left without a key, with what their keys do instead.
pub(super) fn barred(keymap: &Keymap) -> Vec<String> {
    let places = Context::iter().filter(|place| place.is_of_desk());
    let of_place = |place: Context| {
        let barred = WAYS_OUT
            .iter()
            .filter(move |way| !works(keymap, place, **way));
        barred.map(move |way| (place, *way))
    };
    let everywhere: Vec<_> = of_place(Context::Desk).collect();
    let is_everywhere = |way: &Action| everywhere.iter().any(|(_, known)| known == way);
    let mut faults: Vec<_> = places.flat_map(of_place).collect();
    faults.retain(|(place, way)| *place == Context::Desk || !is_everywhere(way));
    let words = |(place, way): (Context, Action)| {
        let built_in = Keymap::default().chord(place, way);
        let taker = built_in.and_then(|key| Some((key, keymap.lookup(place, key)?)));
        let taker = taker.map(|(key, is)| format!(" ({key} is {is})"));
        format!(
            "[{place}] {way}: no key{}; what gets you out must keep one",
            taker.unwrap_or_default()
        )
    };
    faults.into_iter().map(words).collect()
}

fn works(keymap: &Keymap, place: Context, way: Action) -> bool {
    let mut bound = keymap.bindings.iter().filter(|b| b.action == way);
    bound.any(|binding| {
        let mut chords = binding.chords.iter();
        chords.any(|chord| keymap.lookup(place, *chord) == Some(way))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(file: &str) -> Keymap {
        Keymap::with(&[file]).unwrap()
    }

    fn faults(file: &str) -> Vec<String> {
        Keymap::with(&[file]).unwrap_err().0
    }

    fn told(keymap: &Keymap) -> Vec<String> {
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
            told(&keymap),
            ["[desk] i is refresh now; execution quality has no key (:quality does it)"]
        );
    }

    #[test]
    fn an_action_with_another_key_left_is_no_news() {
        let keymap = with("[desk]\nrefresh = \"j\"");
        assert_eq!(told(&keymap), [""; 0]);
        let down = "down".parse().unwrap();
        assert_eq!(keymap.lookup(Context::Desk, down), Some(Action::Down));
        assert_eq!(keymap.chord(Context::Desk, Action::Down), Some(down));
    }

    #[test]
    fn a_key_that_is_another_actions_in_another_place_stays_there() {
        let keymap = with("[positions]\nclose_position = \"x\"");
        assert_eq!(told(&keymap), [""; 0]);
        let x = Chord::from('x');
        assert_eq!(keymap.lookup(Context::Orders, x), Some(Action::Cancel));
        let panel = with("[chart]\nup = \"j\"");
        let down = "down".parse().unwrap();
        assert_eq!(panel.lookup(Context::Chart, 'j'.into()), Some(Action::Up));
        assert_eq!(panel.lookup(Context::Chart, down), Some(Action::Down));
    }

    #[test]
    fn where_no_command_line_opens_none_is_offered() {
        let keymap = with("[strip]\ndismiss = [\"esc\", \"g\"]");
        assert_eq!(
            told(&keymap),
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
            (
                "[orders]\ncancel = \"K\"",
                "[orders] cancel_all: no key (K is cancel)",
            ),
        ] {
            let told = format!("{fault}; what gets you out must keep one");
            assert_eq!(faults(file), [told], "{file}");
        }
        let moved = with("[desk]\nbuy = \"X\"\nclose_all = \"f12\"");
        assert_eq!(moved.lookup(Context::Desk, 'X'.into()), Some(Action::Buy));
        assert_eq!(told(&moved), [""; 0]);
    }
}
