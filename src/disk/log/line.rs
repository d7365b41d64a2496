//! One line of a log: `{"n":17,"sum":"<16 hex digits>",…}` and what the caller recorded.

use std::str;

/// The line of a record; `record` is a JSON object with at least one field.
pub(super) fn write(number: u64, record: &str) -> String {
    let fields = record.strip_prefix('{').unwrap_or(record);
    let sum = sum(number, fields);
    format!("{{\"n\":{number},\"sum\":\"{sum}\",{fields}\n")
}

/// The number and the record of a line with its end; `None` if it is not byte for byte what [`write()`] made. The line is
/// made into the record in place: reading a large log is mostly this.
pub(super) fn read(line: &mut [u8]) -> Option<(u64, &str)> {
    let text = str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (number, rest) = text.strip_prefix("{\"n\":")?.split_once(",\"sum\":\"")?;
    let (found, fields) = rest.split_once("\",")?;
    let number = number.parse().ok()?;
    if found != sum(number, fields) {
        return None;
    }
    let record = text.len() - fields.len() - 1..text.len();
    let record = line.get_mut(record)?;
    // In place of the comma.
    *record.first_mut()? = b'{';
    Some((number, str::from_utf8(record).ok()?))
}

/// Odd, so that no product loses anything of its other factor; its bits are those of the golden ratio.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Over the number too, so that no line passes for another one. Each step can be undone, so a change within eight bytes
/// is always noticed, and any other but for one in 2^64. It is no protection against a person: who can write the log can
/// write its sums.
pub(super) fn sum(number: u64, text: &str) -> String {
    let step = |sum: u64, word: u64| (sum ^ word).wrapping_mul(MIX).rotate_left(31);
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let begin = step(number, text.len() as u64);
    let sum = words
        .iter()
        .fold(begin, |sum, word| step(sum, u64::from_le_bytes(*word)));
    let rest = rest
        .iter()
        .fold(sum, |sum, byte| step(sum, u64::from(*byte)));
    format!("{:016x}", step(step(rest, 0), 0))
}
