//! One figure of the header, long and in brief.

use crate::view::text::{span::Span, table::Gauge};

/// One thing of the header. Where room is short the brief words stand in, then the bars go, then the fewest words
/// stand in, then the highest priority goes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Segment {
    pub words: Vec<Span>,
    pub brief: Vec<Span>,
    pub fewest: Vec<Span>,
    /// Drawn between the first word and the rest.
    pub gauge: Option<Gauge>,
    /// 0 goes last: what may not be missed, then risk and worth, then what is only good to know.
    pub priority: u8,
}

impl Segment {
    pub(crate) fn new(priority: u8, words: Vec<Span>) -> Self {
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

    pub(super) fn brief(self, brief: Vec<Span>) -> Self {
        let fewest = brief.clone();
        Self {
            brief,
            fewest,
            ..self
        }
    }

    pub(super) fn fewest(self, fewest: Vec<Span>) -> Self {
        Self { fewest, ..self }
    }
}
