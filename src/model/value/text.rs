//! Text from outside that must not control the terminal.

use serde::{Deserialize, Deserializer, Serialize};
use std::{borrow::Cow, fmt};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// The most combining marks per base character on screen; more could draw over neighbors.
const MARKS_PER_CHARACTER: usize = 4;

/// The longest name from a server, in characters.
const NAME: usize = 64;
/// The longest other text from a server, in characters.
const MESSAGE: usize = 512;

/// Text from a server, a file or a person, unchanged; from JSON, the first 512 characters.
///
/// `Display` is the only way to a screen, a log or a table. It shows control characters, bidirectional overrides, line
/// separators, tags and private-use characters as `�`, so that no byte of it can act on a terminal. [`Text::raw`] is
/// for the wire and for comparisons.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, derive_more::From)]
#[from(&str, String)]
#[serde(transparent)]
pub struct Text(Box<str>);

impl Text {
    /// The exact characters, for sending back and comparing; never for showing.
    pub fn raw(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A name for a column: cut to 64 characters.
    pub fn name(text: &str) -> Self {
        Self::cut(text, NAME)
    }

    /// Ends with `…` if it was cut.
    fn cut(text: &str, most: usize) -> Self {
        if text.len() <= most || text.chars().nth(most).is_none() {
            return text.into();
        }
        text.chars()
            .take(most.saturating_sub(1))
            .chain(['…'])
            .collect::<String>()
            .into()
    }

    /// For `deserialize_with`: see [`Self::name`].
    pub(in crate::model) fn read_name<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Self, D::Error> {
        Ok(Self::name(&Cow::<str>::deserialize(from)?))
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self::cut(&Cow::<str>::deserialize(from)?, MESSAGE))
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.bytes().all(|b| (b' '..=b'~').contains(&b)) {
            return f.pad(&self.0);
        }
        f.pad(&shown(&self.0))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_string(), f)
    }
}

fn shown(text: &str) -> String {
    let mut marks = 0;
    text.chars()
        .filter_map(|c| {
            let category = c.general_category();
            marks = if is_mark(category) { marks + 1 } else { 0 };
            match () {
                () if marks > MARKS_PER_CHARACTER => None,
                () if is_inert(category) => Some(c),
                () => Some(char::REPLACEMENT_CHARACTER),
            }
        })
        .collect()
}

fn is_mark(category: GeneralCategory) -> bool {
    matches!(
        category,
        GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark
    )
}

/// Printable and without effect on neighboring characters.
fn is_inert(category: GeneralCategory) -> bool {
    !matches!(
        category,
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
            | GeneralCategory::PrivateUse
            | GeneralCategory::Surrogate
            | GeneralCategory::Unassigned
    )
}

#[cfg(test)]
mod tests {
    use crate::model::value::text::*;

    #[test]
    fn escape_sequences_and_bidi_overrides_are_shown_not_obeyed() {
        let hostile = Text::from("\u{1b}]52;c;aGk=\u{7}\u{9b}2J\u{202e}evil\u{2028}\u{e0041}");
        assert_eq!(hostile.to_string(), "�]52;c;aGk=��2J�evil��");
    }

    #[test]
    fn a_tower_of_combining_marks_is_cut() {
        let tower = Text::from(format!("a{}", "\u{301}".repeat(1000)));
        assert_eq!(tower.to_string().chars().count(), 1 + MARKS_PER_CHARACTER);
    }

    #[test]
    fn long_text_from_a_server_is_cut_at_a_character() {
        let read = |text: &str| serde_json::from_value::<Text>(text.into()).unwrap();
        let whole = "ä".repeat(512);
        assert_eq!(read(&whole).raw(), whole);
        let cut = format!("{}…", "日".repeat(511));
        assert_eq!(read(&"日".repeat(65_533)).raw(), cut);
        assert_eq!(Text::name(&"x".repeat(65)).raw().chars().count(), 64);
    }

    #[test]
    fn ordinary_words_of_any_script_stay_as_they_are() {
        for word in ["BTC", "Ärger", "日本", "naïve", "₿ 🚀"] {
            assert_eq!(Text::from(word).to_string(), word);
        }
    }

    #[test]
    fn no_scalar_value_reaches_the_screen_as_a_control() {
        for c in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            let shown = Text::from(c.to_string()).to_string();
            assert!(
                shown.chars().all(|s| is_inert(s.general_category())),
                "{:x}",
                u32::from(c)
            );
        }
    }
}
