//! Settings as rows: a dotted name and a value.

use crate::config::Settings;
use serde_json::Value;

/// One row per setting: its name, and its value as JSON or `null` if it is not set.
pub(super) fn rows(settings: &Settings) -> Vec<(String, Value)> {
    let mut out = vec![];
    if let Ok(value) = serde_json::to_value(settings) {
        flatten("", value, &mut out);
    }
    out
}

pub(super) fn flatten(prefix: &str, value: Value, out: &mut Vec<(String, Value)>) {
    let Value::Object(fields) = value else {
        out.push((prefix.to_owned(), value));
        return;
    };
    for (name, value) in fields {
        flatten(&joined(prefix, &name), value, out);
    }
}

/// The name of a setting within a table.
pub(super) fn joined(table: &str, name: &str) -> String {
    if table.is_empty() {
        name.to_owned()
    } else {
        format!("{table}.{name}")
    }
}
