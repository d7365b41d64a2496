//! JSON in plain ASCII.

use std::fmt::Write as _;

/// Only strings in JSON hold other characters, and an escape means the same there.
pub(super) fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut units = [0; 2];
    for c in json.chars() {
        if (' '..='~').contains(&c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut units) {
            // Writing to a string cannot fail.
            let _written = write!(out, "\\u{unit:04x}");
        }
    }
    out
}
