//! View models: what is on the screen as words and tones, for the desk, the command line and exports
//! alike. No terminal types.

pub mod form;
pub mod format;

use crate::app::notice;

/// What a piece of text means; the theme decides how it looks. Every meaning is also in the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tone {
    #[default]
    Plain,
    /// Labels, units, what is there but not meant.
    Muted,
    /// The thing that is selected or has the keys.
    Accent,
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
}

impl Span {
    pub fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self {
            text: text.into(),
            tone,
        }
    }

    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Tone::Plain)
    }
}
