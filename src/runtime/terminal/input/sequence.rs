//! Where a character or escape sequence ends.

pub(super) const ESC: u8 = 0x1b;
const CTRL_C: u8 = 0x03;
const CTRL_F: u8 = 0x06;
const CTRL_X: u8 = 0x18;

/// No key has a longer sequence.
const LONGEST: usize = 64;
/// Longer terminal responses (ESC ] …) are cut off.
const LONGEST_ANSWER: usize = 1024;

/// What the first bytes are, and how many belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Whole(usize),
    /// Incomplete.
    Open,
    /// This many bytes are invalid; the next ones start anew.
    Broken(usize),
    /// Too long and incomplete: the length so far, and the length of the part that identifies it.
    Overlong(usize, usize),
}

impl Part {
    /// `None` while it is incomplete.
    pub(super) fn length(self) -> Option<usize> {
        match self {
            Self::Whole(length) | Self::Broken(length) | Self::Overlong(length, _) => Some(length),
            Self::Open => None,
        }
    }

    /// The bytes that identify the sequence.
    pub(super) fn beginning(self, bytes: &[u8]) -> &[u8] {
        match self {
            Self::Overlong(_, text) => bytes.get(..text).unwrap_or(bytes),
            Self::Whole(_) | Self::Open | Self::Broken(_) => bytes,
        }
    }
}

/// How much of `bytes` can only continue a sequence that was cut off: a key after the beginning of a mouse report, which
/// holds only digits and `;`, is a key.
pub(super) fn remainder(bytes: &[u8]) -> Part {
    match bytes {
        [ESC, b'[', b'<', rest @ ..] => mouse(rest).after(3),
        _ => measure(bytes),
    }
}

/// Measures the first unit of `bytes`.
pub(super) fn measure(bytes: &[u8]) -> Part {
    match bytes {
        [] | [ESC] => Part::Open,
        // Alt with a key that sends a sequence, and what closes all and flattens, which is never a key with Alt: the first
        // ESC stands alone. `X` and `F` pressed right after Esc act as they do later.
        [ESC, ESC | CTRL_C | CTRL_F | CTRL_X | b'X' | b'F', ..] => Part::Whole(1),
        [ESC, b'[', rest @ ..] => csi(rest).after(2),
        [ESC, b'O', rest @ ..] => parameters(rest).after(2),
        [ESC, b']' | b'P' | b'^' | b'_', rest @ ..] => answer(rest),
        [ESC, rest @ ..] => character(rest).after(1),
        _ => character(bytes),
    }
}

impl Part {
    fn after(self, before: usize) -> Self {
        match self {
            Self::Whole(length) => Self::Whole(before + length),
            Self::Open => Self::Open,
            Self::Broken(length) => Self::Broken(before + length),
            Self::Overlong(length, text) => Self::Overlong(before + length, before + text),
        }
    }
}

/// What follows `ESC [`.
fn csi(bytes: &[u8]) -> Part {
    match bytes {
        // F1 to F5 of the Linux console.
        [b'[', rest @ ..] => character(rest).after(1),
        // A mouse report in the old encoding.
        [b'M', rest @ ..] => places(rest).after(1),
        _ => parameters(bytes),
    }
}

/// Three bytes: button, column and row, each plus 32.
fn places(bytes: &[u8]) -> Part {
    match bytes.iter().take(3).position(|byte| *byte < 0x20) {
        Some(at) => Part::Broken(at),
        None if bytes.len() < 3 => Part::Open,
        None => Part::Whole(3),
    }
}

fn mouse(bytes: &[u8]) -> Part {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b';');
    let is_end = |byte: u8| matches!(byte, b'M' | b'm');
    until(bytes, is_digit, is_end)
}

/// Parameters up to a final byte.
fn parameters(bytes: &[u8]) -> Part {
    let is_parameter = |byte: &u8| (0x20..=0x3f).contains(byte);
    let is_end = |byte: u8| (0x40..=0x7e).contains(&byte);
    until(bytes, is_parameter, is_end)
}

fn until(bytes: &[u8], is_inner: impl Fn(&u8) -> bool, is_end: impl Fn(u8) -> bool) -> Part {
    let inner = bytes.iter().take_while(|byte| is_inner(byte)).count();
    match bytes.get(inner) {
        _ if inner > LONGEST => Part::Overlong(inner, 0),
        None => Part::Open,
        Some(byte) if is_end(*byte) => Part::Whole(inner + 1),
        Some(_) => Part::Broken(inner),
    }
}

/// A terminal's response: text up to BEL or `ESC \`. The key Alt+] alone begins like one.
fn answer(rest: &[u8]) -> Part {
    let text = rest.iter().take_while(|byte| **byte >= 0x20).count();
    match rest.get(text..) {
        _ if text > LONGEST_ANSWER => Part::Overlong(2 + text, 2),
        Some([0x07, ..]) => Part::Whole(2 + text + 1),
        Some([ESC, b'\\', ..]) => Part::Whole(2 + text + 2),
        Some([ESC] | []) | None => Part::Open,
        Some(_) if text == 0 => Part::Whole(2),
        Some(_) => Part::Broken(2 + text),
    }
}

/// One character in UTF-8.
fn character(bytes: &[u8]) -> Part {
    let Some(first) = bytes.first() else {
        return Part::Open;
    };
    let length = match first {
        0..=0x7f => return Part::Whole(1),
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        0x80..=0xc1 | 0xf5..=0xff => return Part::Broken(1),
    };
    match bytes.get(..length).map(str::from_utf8) {
        Some(Ok(_)) => Part::Whole(length),
        None if is_unfinished(bytes) => Part::Open,
        Some(Err(_)) | None => Part::Broken(1),
    }
}

/// Whether more bytes can complete the character.
fn is_unfinished(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}
