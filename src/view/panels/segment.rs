//! One segment of the header, in several lengths.

use crate::view::text::{Gauge, Span};

/// One segment of the header. As room shrinks, it changes to its brief words, loses its bar, changes to its shortest
/// words, and is dropped; highest priority number first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Segment {
    pub words: Vec<Span>,
    pub brief: Vec<Span>,
    pub fewest: Vec<Span>,
    /// Drawn after the first word.
    pub gauge: Option<Gauge>,
    /// 0 is dropped last: first the indispensable, then risk and value, then the merely useful.
    pub priority: u8,
}

impl Segment {
    pub(crate) fn new(priority: u8, words: impl Into<Vec<Span>>) -> Self {
        let words = words.into();
        let brief = words.clone();
        let fewest = words.clone();
        Self {
            words,
            brief,
            fewest,
            gauge: None,
            priority,
        }
    }

    pub(super) fn brief(self, brief: impl Into<Vec<Span>>) -> Self {
        let brief = brief.into();
        let fewest = brief.clone();
        Self {
            brief,
            fewest,
            ..self
        }
    }

    pub(super) fn gauge(self, gauge: Gauge) -> Self {
        Self {
            gauge: Some(gauge),
            ..self
        }
    }

    pub(super) fn fewest(self, fewest: impl Into<Vec<Span>>) -> Self {
        Self {
            fewest: fewest.into(),
            ..self
        }
    }
}
