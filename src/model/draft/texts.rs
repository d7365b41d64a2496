//! What has been written into the fields so far.

use super::Field;
use std::collections::BTreeMap;

/// One text per field; what was never written is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texts(BTreeMap<Field, String>);

impl Texts {
    pub fn of(&self, field: Field) -> &str {
        self.0.get(&field).map_or("", String::as_str)
    }

    pub fn set(&mut self, field: Field, text: impl Into<String>) {
        self.0.insert(field, text.into());
    }

    /// With this text in place of what was there.
    #[must_use]
    pub fn with(mut self, field: Field, text: impl Into<String>) -> Self {
        self.set(field, text);
        self
    }
}
