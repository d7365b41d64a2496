//! One line of a log: `{"n":17,"sum":"<16 hex digits>",…}` and what the caller recorded.

use sha2::{Digest as _, Sha256};
use std::{fmt::Write as _, str};

/// Bytes of a SHA-256 that a line keeps.
const SUM_BYTES: usize = 8;

/// The line of a record; `record` is a JSON object with at least one field.
pub(super) fn write(number: u64, record: &str) -> String {
    let fields = record.strip_prefix('{').unwrap_or(record);
    let sum = sum(number, fields);
    format!("{{\"n\":{number},\"sum\":\"{sum}\",{fields}\n")
}

/// The number and the record of a line with its end; `None` if it is not byte for byte what [`write`] made.
pub(super) fn read(line: &[u8]) -> Option<(u64, String)> {
    let line = str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (number, rest) = line.strip_prefix("{\"n\":")?.split_once(",\"sum\":\"")?;
    let (found, fields) = rest.split_once("\",")?;
    let number = number.parse().ok()?;
    (found == sum(number, fields)).then(|| (number, format!("{{{fields}")))
}

/// Over the number too, so that no line passes for another one.
pub(super) fn sum(number: u64, text: &str) -> String {
    let digest = Sha256::new()
        .chain_update(number.to_le_bytes())
        .chain_update(text)
        .finalize();
    let mut hex = String::with_capacity(2 * SUM_BYTES);
    for byte in digest.iter().take(SUM_BYTES) {
        // Writing to a string cannot fail.
        let _written = write!(hex, "{byte:02x}");
    }
    hex
}
