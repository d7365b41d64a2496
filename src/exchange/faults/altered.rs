//! Altered response bodies.

use serde_json::Value;

/// A JSON body with unknown values for `type`, `mode` and `status`.
pub(in crate::exchange) fn unknown_enums(body: &[u8]) -> Vec<u8> {
    let mut text = String::from_utf8_lossy(body).into_owned();
    for field in ["type", "mode", "status"] {
        let opening = format!("\"{field}\":\"");
        let mut parts = text.split(&opening);
        let mut changed = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let rest = part.split_once('"').map_or("", |(_, rest)| rest);
            changed.push_str(&opening);
            changed.push_str("never_heard_of\"");
            changed.push_str(rest);
        }
        text = changed;
    }
    text.into_bytes()
}

/// A JSON body with every instant shifted by `by` milliseconds.
pub(in crate::exchange) fn with_clock_skew(body: &[u8], by: i64) -> Vec<u8> {
    let Ok(mut answer) = serde_json::from_slice(body) else {
        return body.to_vec();
    };
    skew(&mut answer, by);
    serde_json::to_vec(&answer).unwrap_or_else(|_| body.to_vec())
}

fn skew(value: &mut Value, by: i64) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| skew(item, by)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_i64().filter(|_| is_instant(name)) {
                    Some(at) => *value = at.saturating_add(by).into(),
                    None => skew(value, by),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_instant(field: &str) -> bool {
    field.ends_with("_at")
        || ["now", "as_of", "cooldown_until", "time", "open_time"].contains(&field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_change_and_everything_else_stays() {
        let body = br#"{"data":{"type":"limit","size":0.10,"status":"resting"}}"#;
        assert_eq!(
            String::from_utf8(unknown_enums(body)).unwrap(),
            r#"{"data":{"type":"never_heard_of","size":0.10,"status":"never_heard_of"}}"#
        );
    }

    #[test]
    fn a_skewed_clock_tells_every_instant_and_nothing_else_otherwise() {
        let body =
            br#"{"data":[{"requested_at":1000,"size":0.10,"settled_at":null}],"as_of":2000}"#;
        let told = String::from_utf8(with_clock_skew(body, -500)).unwrap();
        let told: Value = serde_json::from_str(&told).unwrap();
        let expected =
            r#"{"data":[{"requested_at":500,"size":0.10,"settled_at":null}],"as_of":1500}"#;
        assert_eq!(told, serde_json::from_str::<Value>(expected).unwrap());
        assert_eq!(with_clock_skew(b"no json", 1), b"no json");
    }
}
