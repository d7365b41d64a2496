//! Text with a meaning.

use super::format;
use crate::app::{Action, activity::notice};

/// The meaning of a text; the theme decides its look. The words always carry the meaning too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tone {
    #[default]
    Plain,
    /// Labels and units: secondary text.
    Muted,
    /// What to see first: the market, the equity.
    Strong,
    /// The selected item, or the one with the keys.
    Accent,
    /// In progress: partly filled, running.
    Info,
    /// Profit, buy, done.
    Good,
    /// Loss, sell, refused.
    Bad,
    /// Late, waiting, close to a limit.
    Warn,
    /// Old, unknown, beyond a limit.
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

/// A constructor for each tone: `Span::muted("equity ")`.
macro_rules! in_each_tone {
    ($($name:ident $tone:ident),+) => {
        impl Span {$(
            pub fn $name(text: impl Into<String>) -> Self {
                Self::new(text, Tone::$tone)
            }
        )+}
    };
}
in_each_tone!(
    plain Plain, muted Muted, strong Strong, accent Accent, info Info, good Good, bad Bad, warn Warn, alert Alert
);

/// A piece of text with its meaning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    pub text: String,
    pub tone: Tone,
    /// The key that a click on it presses.
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

    /// The same text as a button.
    #[must_use]
    pub fn pressing(self, action: Action) -> Self {
        Self {
            presses: Some(action),
            ..self
        }
    }

    /// The sign for an unknown value.
    pub fn unknown() -> Self {
        Self::muted(format::UNKNOWN)
    }
}

/// One piece where several may stand.
impl From<Span> for Vec<Span> {
    fn from(span: Span) -> Self {
        vec![span]
    }
}

/// The words without their tones.
pub(crate) fn plain_text(spans: &[Span]) -> String {
    spans.iter().map(|span| span.text.as_str()).collect()
}

/// The parts with this muted text between them.
pub(crate) fn joined(parts: impl IntoIterator<Item = Span>, between: &str) -> Vec<Span> {
    let mut spans = vec![];
    for part in parts {
        if !spans.is_empty() {
            spans.push(Span::muted(between));
        }
        spans.push(part);
    }
    spans
}
