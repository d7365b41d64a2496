//! The keys of an action: one, or a sequence of two.

use super::Chord;
use std::{fmt, str::FromStr};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Keys {
    pub first: Chord,
    pub then: Option<Chord>,
}

impl Keys {
    /// The presses, in order.
    pub fn presses(self) -> impl Iterator<Item = Chord> {
        std::iter::once(self.first).chain(self.then)
    }
}

impl From<Chord> for Keys {
    fn from(first: Chord) -> Self {
        Self { first, then: None }
    }
}

impl FromStr for Keys {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(printed) = side_by_side(text) {
            return Ok(printed);
        }
        let mut words = text.split_whitespace();
        let keys = match (words.next(), words.next(), words.next()) {
            (Some(first), then, None) => Self {
                first: first.parse()?,
                then: then.map(str::parse).transpose()?,
            },
            // A blank alone is a key.
            (None, ..) => Chord::from_str(text)?.into(),
            (Some(_), _, Some(_)) => {
                return Err(format!("`{text}`: one key, or two one after another"));
            }
        };
        Ok(keys)
    }
}

/// `gg`: two keys in the screen's spelling, if that is no key name.
fn side_by_side(text: &str) -> Option<Keys> {
    let mut letters = text.chars();
    let two = (letters.next()?, letters.next()?);
    let is_two = letters.next().is_none() && [two.0, two.1].iter().all(char::is_ascii_alphanumeric);
    let is_key = Chord::from_str(text).is_ok();
    (is_two && !is_key).then(|| Keys {
        first: two.0.into(),
        then: Some(two.1.into()),
    })
}

/// `x`, `gg`, `g Home`: two keys are separated if one of them is a word.
impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(then) = self.then else {
            return self.first.fmt(f);
        };
        let (first, then) = (self.first.to_string(), then.to_string());
        let is_short = [&first, &then].iter().all(|key| key.chars().count() == 1);
        let apart = if is_short { "" } else { " " };
        write!(f, "{first}{apart}{then}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_keys_are_read_and_shown_one_after_another() {
        let shown = |text: &str| text.parse::<Keys>().map(|keys| keys.to_string());
        assert_eq!(shown("g g"), Ok("gg".to_owned()));
        assert_eq!(shown("g home"), Ok("g Home".to_owned()));
        assert_eq!(shown("x"), Ok("x".to_owned()));
        assert_eq!(shown(" "), Ok("Space".to_owned()));
        assert!(shown("g g g").is_err());
    }

    #[test]
    fn keys_are_read_as_help_and_footer_print_them() {
        for binding in crate::app::keys::keymap::default_bindings() {
            for keys in binding.keys {
                let shown = keys.to_string();
                assert_eq!(shown.parse(), Ok(keys), "{} {shown}", binding.action);
            }
        }
    }
}
