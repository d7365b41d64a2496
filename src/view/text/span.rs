//! A piece of text and what it means.

use super::format;
use crate::app::{activity::notice, keys::keymap::Action};

/// What a piece of text means; the theme decides how it looks. Every meaning is also in the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tone {
    #[default]
    Plain,
    /// Labels, units, what is there but not meant.
    Muted,
    /// What the eye should find first: the market, the equity.
    Strong,
    /// The thing that is selected or has the keys.
    Accent,
    /// Under way: partly filled, running.
    Info,
    /// Profit, bought, done.
    Good,
    /// Loss, sold, refused.
    Bad,
    /// Late, waiting, close to a limit.
    Warn,
    /// Old, unknown, over a limit.
    Alert,
}

impl From<notice::Tone> for Tone {
    fn from(tone: notice::Tone) -> Self {
        match tone {
            notice::Tone::Plain => Self::Plain,
            notice::Tone::Good => Self::Good,
            notice::Tone::Warn => Self::Warn,
            notice::Tone::Alert => Self::Alert,
        }
    }
}

/// A piece of text with its meaning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    pub text: String,
    pub tone: Tone,
    /// What a click on it presses the key for.
    pub presses: Option<Action>,
}

impl Span {
    pub fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self {
            text: text.into(),
            tone,
            presses: None,
        }
    }

    /// The same as a button: the words of a key.
    #[must_use]
    pub fn pressing(self, action: Action) -> Self {
        Self {
            presses: Some(action),
            ..self
        }
    }

    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Tone::Plain)
    }

    pub fn muted(text: impl Into<String>) -> Self {
        Self::new(text, Tone::Muted)
    }

    /// What stands where nothing is known.
    pub fn unknown() -> Self {
        Self::muted(format::UNKNOWN)
    }
}
