//! One key press with its modifiers, from settings and from the terminal.

use crokey::KeyCombination;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::{fmt, str::FromStr};

/// A key press in one spelling: `G` is shift and g, however the terminal reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chord(KeyCombination);

impl Chord {
    /// One spelling for presses that terminals and people write differently: `G`, and shift-tab.
    fn spelled(combination: KeyCombination) -> Self {
        let mut one = combination.normalized();
        if one.modifiers == KeyModifiers::SHIFT
            && one.codes == crokey::OneToThree::One(KeyCode::Tab)
        {
            one.codes = crokey::OneToThree::One(KeyCode::BackTab);
        }
        Self(one)
    }

    /// The character that a text field takes from this press; `None` if it types nothing.
    pub fn typed(self) -> Option<char> {
        let plain = (self.0.modifiers - KeyModifiers::SHIFT).is_empty();
        let Some(KeyCode::Char(c)) = self.code() else {
            return None;
        };
        (plain && !c.is_control()).then_some(c)
    }

    /// The key itself, for the editing keys of text fields.
    pub fn code(self) -> Option<KeyCode> {
        match self.0.codes {
            crokey::OneToThree::One(code) => Some(code),
            crokey::OneToThree::Two(..) | crokey::OneToThree::Three(..) => None,
        }
    }

    pub fn is_control(self) -> bool {
        self.0.modifiers.contains(KeyModifiers::CONTROL)
    }
}

impl From<KeyEvent> for Chord {
    fn from(event: KeyEvent) -> Self {
        Self::spelled(KeyCombination::from(event))
    }
}

impl From<char> for Chord {
    fn from(c: char) -> Self {
        KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE).into()
    }
}

impl From<KeyCode> for Chord {
    fn from(code: KeyCode) -> Self {
        KeyEvent::new(code, KeyModifiers::NONE).into()
    }
}

impl FromStr for Chord {
    type Err = String;

    /// In the spelling of settings (`ctrl-c`, `pagedown`) and of the screen (`^c`, `PgDn`, `⇧↑`).
    fn from_str(text: &str) -> Result<Self, String> {
        let mut rest = text.chars();
        let only = rest.next().filter(|_| rest.next().is_none());
        // No screen spelling is one ASCII character: most keys are, and the built-in ones are read at each start.
        if let Some(c) = only.filter(char::is_ascii) {
            return Ok(c.into());
        }
        if let Some(printed) = printed(text) {
            return Ok(printed);
        }
        if let Some(c) = only {
            return Ok(c.into());
        }
        text.parse::<KeyCombination>()
            .map(Self::spelled)
            .map_err(|_| format!("`{text}` is not a key (a, G, ctrl-c, shift-tab, esc, f5 …)"))
    }
}

/// As short as in the footer: `x`, `X`, `^c`, `⇧Tab`, `↑`.
impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(code) = self.code() else {
            return self.0.fmt(f);
        };
        let modifiers = self.0.modifiers;
        if modifiers.contains(KeyModifiers::CONTROL) {
            f.write_str("^")?;
        }
        if modifiers.contains(KeyModifiers::ALT) {
            f.write_str("⌥")?;
        }
        let is_letter = matches!(code, KeyCode::Char(_));
        if modifiers.contains(KeyModifiers::SHIFT) && !is_letter && code != KeyCode::BackTab {
            f.write_str("⇧")?;
        }
        f.write_str(&name(code))
    }
}

/// The modifiers in the screen's spelling.
const SIGNS: &[(&str, KeyModifiers)] = &[
    ("^", KeyModifiers::CONTROL),
    ("⌥", KeyModifiers::ALT),
    ("⇧", KeyModifiers::SHIFT),
];

/// A key in the screen's spelling: a name of [`NAMES`], or modifier signs before another key.
fn printed(text: &str) -> Option<Chord> {
    // Back tab is shift and tab.
    let is_named = |(code, name): &&(KeyCode, &str)| {
        *code != KeyCode::BackTab && name.eq_ignore_ascii_case(text)
    };
    if let Some((code, _)) = NAMES.iter().find(is_named) {
        return Some((*code).into());
    }
    let (sign, modifier) = SIGNS.iter().find(|(sign, _)| text.starts_with(sign))?;
    let rest = text.strip_prefix(sign).filter(|rest| !rest.is_empty())?;
    let key: Chord = rest.parse().ok()?;
    let event = KeyEvent::new(key.code()?, key.0.modifiers | *modifier);
    Some(event.into())
}

const NAMES: &[(KeyCode, &str)] = &[
    (KeyCode::Char(' '), "Space"),
    (KeyCode::Up, "↑"),
    (KeyCode::Down, "↓"),
    (KeyCode::Left, "←"),
    (KeyCode::Right, "→"),
    (KeyCode::BackTab, "⇧Tab"),
    (KeyCode::PageUp, "PgUp"),
    (KeyCode::PageDown, "PgDn"),
];

fn name(code: KeyCode) -> String {
    if let Some((_, name)) = NAMES.iter().find(|(known, _)| *known == code) {
        return (*name).to_owned();
    }
    if let KeyCode::Char(c) = code {
        c.to_string()
    } else {
        code.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capital_letter_is_the_same_key_however_it_is_reported() {
        let written: Chord = "X".parse().unwrap();
        let with_shift: Chord = KeyEvent::new(KeyCode::Char('X'), KeyModifiers::SHIFT).into();
        let without: Chord = KeyEvent::new(KeyCode::Char('X'), KeyModifiers::NONE).into();
        assert_eq!((written, written), (with_shift, without));
        assert_ne!(written, "x".parse().unwrap());
        assert_eq!(written.typed(), Some('X'));
    }

    #[test]
    fn back_tab_is_shift_tab() {
        let reported: Chord = KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT).into();
        assert_eq!("shift-tab".parse(), Ok(reported));
    }

    #[test]
    fn chords_are_shown_as_a_footer_wants_them() {
        let shown = |text: &str| text.parse::<Chord>().unwrap().to_string();
        let keys = ["x", "X", "ctrl-c", "shift-tab", "up", "space", "esc", "="];
        assert_eq!(
            keys.map(shown),
            ["x", "X", "^c", "⇧Tab", "↑", "Space", "Esc", "="]
        );
    }

    #[test]
    fn a_key_is_read_as_the_screen_prints_it() {
        for written in [
            "x",
            "X",
            "^",
            "ctrl-c",
            "alt-x",
            "ctrl-alt-x",
            "shift-tab",
            "shift-up",
            "shift-pagedown",
            "up",
            "left",
            "space",
            "esc",
            "enter",
            "home",
            "end",
            "pageup",
            "pagedown",
            "delete",
            "f5",
        ] {
            let chord: Chord = written.parse().unwrap();
            let shown = chord.to_string();
            assert_eq!(shown.parse(), Ok(chord), "{written} is printed as {shown}");
            if shown.chars().count() > 1 {
                assert_eq!(
                    shown.to_lowercase().parse(),
                    Ok(chord),
                    "{shown} in small letters"
                );
            }
        }
    }

    #[test]
    fn control_keys_are_not_typing() {
        assert_eq!("ctrl-j".parse::<Chord>().unwrap().typed(), None);
        assert_eq!("=".parse::<Chord>().unwrap().typed(), Some('='));
    }
}
