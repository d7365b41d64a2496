//! The JSON Schema (draft 2020-12) of all settings, for editors and for programs that write settings files.
//!
//! Contract: everything comes from elsewhere: defaults and types from the settings themselves, descriptions from the
//! comments of `assets/default.toml`, allowed words from the error messages.
//!
//! Known limit: rules between settings (a service needs a key) are missing; `config check` applies them.

use super::{
    AlertChannel,
    layers::DEFAULTS,
    load::{choices, defaults},
    profiles::OF_THE_DESK,
};
use crate::model::Num;
use jiff::SignedDuration;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use strum::VariantNames;

/// The schema, pretty-printed.
pub fn schema() -> String {
    let meanings = meanings(DEFAULTS);
    let settings = defaults()
        .and_then(|settings| serde_json::to_value(settings).ok())
        .unwrap_or_default();
    let mut root = node("", &settings, &meanings);
    let profile = profile(&root);
    if let Some(known) = root.get_mut("properties") {
        let meaning = "Accounts by name; each sets what is its own. See docs/connect.md.";
        add(
            known,
            "profiles",
            json!({ "type": "object", "additionalProperties": profile, "description": meaning }),
        );
    }
    add(
        &mut root,
        "$schema",
        json!("https://json-schema.org/draft/2020-12/schema"),
    );
    add(&mut root, "title", json!("Settings of perpdeck"));
    format!("{root:#}\n")
}

/// The table of a profile: every setting that does not belong to the desk as a whole.
fn profile(root: &Value) -> Value {
    let mut profile = json!({ "type": "object", "additionalProperties": false });
    let known = root.get("properties").and_then(Value::as_object);
    let own = known
        .into_iter()
        .flatten()
        .filter(|(name, _)| !OF_THE_DESK.contains(&name.as_str()));
    let own: Map<_, _> = own
        .map(|(name, node)| (name.clone(), node.clone()))
        .collect();
    add(&mut profile, "properties", Value::Object(own));
    profile
}

/// The schema of a setting, or of a table and everything in it.
fn node(key: &str, default: &Value, meanings: &BTreeMap<String, String>) -> Value {
    let mut known = if key == "size_presets_of" {
        json!({ "type": "object", "additionalProperties": sizes() })
    } else if key == "bracket_of" {
        json!({ "type": "object", "additionalProperties": { "type": "string" } })
    } else if let Value::Object(fields) = default {
        table(fields.iter().map(|(name, default)| {
            let field = node(&crate::config::rows::joined(key, name), default, meanings);
            (name.clone(), field)
        }))
    } else {
        leaf(key, default)
    };
    if let Some(meaning) = meanings.get(key) {
        add(&mut known, "description", json!(meaning));
    }
    if !default.is_object() && !default.is_null() {
        add(&mut known, "default", default.clone());
    }
    known
}

fn add(node: &mut Value, name: &str, value: Value) {
    if let Some(fields) = node.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
}

fn table(fields: impl Iterator<Item = (String, Value)>) -> Value {
    let fields: Map<_, _> = fields.collect();
    json!({ "type": "object", "additionalProperties": false, "properties": fields })
}

/// A list of sizes, or of the words that the environment would have for them.
fn sizes() -> Value {
    let size = json!({ "type": "string", "examples": ["0.05", "$500", "10%", "r25"] });
    json!({ "anyOf": [{ "type": "array", "items": size }, { "type": "string" }] })
}

/// What one setting takes.
fn leaf(key: &str, default: &Value) -> Value {
    match default {
        Value::Bool(_) => json!({ "type": "boolean" }),
        Value::Number(_) => json!({ "type": "integer", "minimum": 0 }),
        // A program with its arguments.
        Value::Array(_) if key == "alert_command" => {
            json!({ "type": "array", "items": { "type": "string" } })
        }
        Value::Array(_) => sizes(),
        Value::Null if key == "proxy" => json!({
            "type": "string", "pattern": "^(https?://.+)?$", "examples": ["http://proxy.example:3128"]
        }),
        Value::Null if key.ends_with("_stream_url") => json!({
            "type": "string", "pattern": "^wss?://.+$", "examples": ["wss://stream.example/v1/stream"]
        }),
        Value::String(_) if key == "bracket" => {
            json!({ "type": "string", "examples": ["stop 40t, target 80t 50%, target 160t 50%"] })
        }
        Value::String(url) if key.starts_with("venues.") => {
            let scheme = if key.ends_with("stream_url") {
                "wss?"
            } else {
                "https?"
            };
            json!({ "type": "string", "pattern": format!("^{scheme}://.+$"), "examples": [url] })
        }
        // An amount: a whole number may be unquoted.
        Value::String(text) if is_amount(key, text) => json!({ "type": ["string", "integer"] }),
        // Alerts are written as channels: any of them in any order, or none.
        Value::String(_) if text_of_ways(key) => {
            let way = AlertChannel::VARIANTS.join("|");
            json!({ "type": "string", "pattern": format!("^ *(({way})( +|$))*$"), "examples": ["toast bell"] })
        }
        // A time: no other default parses as one.
        Value::String(text) if text.parse::<SignedDuration>().is_ok() => {
            json!({ "type": "string", "examples": ["250ms", "1.5s", "2m"] })
        }
        Value::String(_) | Value::Null | Value::Object(_) => match choices(key) {
            Some(words) => json!({ "enum": words }),
            None => json!({ "type": "string" }),
        },
    }
}

fn is_amount(key: &str, default: &str) -> bool {
    let may_be_empty = ["checks.", "fees.", "guard."]
        .iter()
        .any(|t| key.starts_with(t));
    (default.is_empty() && may_be_empty) || default.parse::<Num>().is_ok()
}

fn text_of_ways(key: &str) -> bool {
    key.starts_with("alerts.") && choices(key).is_none()
}

/// The comment of each setting and table, by name: on its line, or on the lines above. Consecutive settings without a
/// comment between them share it.
fn meanings(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let (mut comment, mut shared, mut inside) = (vec![], String::new(), String::new());
    for line in text.lines() {
        if let Some((name, behind)) = setting(line) {
            if let Some(behind) = behind {
                behind.clone_into(&mut shared);
            } else if !comment.is_empty() {
                shared = comment.join("\n");
            }
            found.insert(crate::config::rows::joined(&inside, name), shared.clone());
            comment.clear();
        } else if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            name.clone_into(&mut inside);
            found.insert(inside.clone(), comment.join("\n"));
            comment.clear();
            shared.clear();
        } else if line.is_empty() || line.starts_with("# ---") {
            comment.clear();
            shared.clear();
        } else if let Some(words) = line.strip_prefix('#') {
            comment.push(words.strip_prefix(' ').unwrap_or(words));
        }
    }
    found
}

/// The setting of a line, also of a commented-out one, and the comment after its value.
fn setting(line: &str) -> Option<(&str, Option<&str>)> {
    let line = line.strip_prefix("# ").unwrap_or(line);
    let (name, value) = line.split_once(" = ")?;
    let is_name = name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    is_name.then(|| (name, value.split_once(" # ").map(|(_, words)| words.trim())))
}
