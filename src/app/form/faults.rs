//! What is wrong with what is written, and from when on it is said.

use super::{Around, Form};
use crate::model::draft::{Fault, Faults, Field, Takes};

impl Form {
    /// What blocks sending now.
    pub fn faults(&self, around: &Around) -> Faults {
        let command = self.draft.command(&self.seen(around));
        command.err().unwrap_or_default()
    }

    /// What is to be said of a field: all of it once sending was tried, and before that what is wrong with something
    /// written, unless it is being written and one digit more could make it right.
    pub fn told(&self, field: Field, around: &Around) -> Option<Fault> {
        let fault = self.faults(around).of(field).cloned()?;
        let written = self.draft.text(field).map_or("", str::trim);
        let is_done = self.focus != field || self.is_past_mending(field, written, around);
        (self.tried || (!written.is_empty() && is_done)).then_some(fault)
    }

    fn is_past_mending(&self, field: Field, written: &str, around: &Around) -> bool {
        let is_number = match field.takes() {
            Takes::Price | Takes::WatchedPrice | Takes::Size | Takes::Number => true,
            Takes::Instant | Takes::Span | Takes::Choice | Takes::Market => false,
        };
        let seen = self.seen(around);
        let mends = |digit| {
            let mut longer = self.draft.clone();
            longer.write(field, &format!("{written}{digit}"));
            let faults = longer.command(&seen).err();
            faults.is_none_or(|faults| faults.of(field).is_none())
        };
        is_number && !(0..=9).any(mends)
    }
}
