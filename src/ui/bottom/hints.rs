//! The keys that work now, with their actions.

use crate::view::{Hint, Span, Tone};

/// Between two hints.
pub(in crate::ui) const APART: u16 = 2;

pub(in crate::ui) fn hint_spans(hint: &Hint) -> [Span; 2] {
    let (key, label) = if hint.is_way_out {
        (Tone::Alert, Tone::Warn)
    } else {
        (Tone::Accent, Tone::Muted)
    };
    [
        Span::new(hint.key.clone(), key),
        Span::new(format!(" {}", hint.label), label),
    ]
}
