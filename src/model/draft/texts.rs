//! The texts of a draft's fields.

use super::Field;
use std::collections::BTreeMap;

/// One text per field; a missing one is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texts(BTreeMap<Field, String>);

impl Texts {
    pub fn of(&self, field: Field) -> &str {
        self.0.get(&field).map_or("", String::as_str)
    }

    /// Whether it has a text, even an empty one.
    pub fn has(&self, field: Field) -> bool {
        self.0.contains_key(&field)
    }

    pub fn iter(&self) -> impl Iterator<Item = (Field, &str)> {
        self.0.iter().map(|(field, text)| (*field, text.as_str()))
    }

    pub fn set(&mut self, field: Field, text: impl Into<String>) {
        self.0.insert(field, text.into());
    }

    /// Replaces the text of a field.
    #[must_use]
    pub fn with(mut self, field: Field, text: impl Into<String>) -> Self {
        self.set(field, text);
        self
    }
}
