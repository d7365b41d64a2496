//! Splits the terminal's bytes into keys, escape sequences and pastes.
//!
//! Contract: time is a parameter. Truncated sequences never become keys: a sequence that is not complete within
//! [`ESCAPE`] is dropped, and so is its remainder while that may still arrive ([`REMAINDER_TIME`]). An incomplete paste is
//! dropped together with the text that may still follow; single keys work again at once.
//!
//! Known limits: `Alt+[` and `Alt+O` begin sequences and are not keys; `Alt+X` and `Alt+F` are read as Esc and `X` or `F`.

use super::sequence::{ESC, Part, measure, remainder};
use std::{mem, time::Duration};
use tokio::time::Instant;

/// The longest pause within an escape sequence; a lone ESC becomes the key Esc after it.
const ESCAPE: Duration = Duration::from_millis(50);
/// How long after that its remainder is dropped.
const REMAINDER_TIME: Duration = Duration::from_millis(100);
/// The longest pause within a paste.
const PASTE_SILENCE: Duration = Duration::from_millis(150);
/// The longest paste.
const PASTE_TIME: Duration = Duration::from_secs(1);
/// The largest paste: no field of the desk takes more.
const PASTE_BYTES: usize = 64 * 1024;
/// How long text of a dropped paste may still arrive.
const PASTE_REMAINDER_TIME: Duration = Duration::from_secs(2);
/// More bytes at once than this are text, not keys of a person.
const KEYS_AT_ONCE: usize = 8;
/// Bytes closer together than this are flowing text: key repeats are 30 ms apart.
const FLOWING: Duration = Duration::from_millis(20);

const PASTE_BEGINS: &[u8] = b"\x1b[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// One unit of terminal input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Frame {
    /// A character, or an escape sequence from its ESC to its end.
    Whole(Vec<u8>),
    Paste(String),
    /// A paste that is too long or has no end.
    BrokenPaste,
}

#[derive(Debug)]
enum FramerState {
    /// An incomplete sequence, if any.
    Keys(Vec<u8>),
    /// The start of a dropped sequence, whose remainder may arrive until then.
    Rest(Vec<u8>, Instant),
    /// The text so far, and when the paste began.
    Paste(Vec<u8>, Instant),
}

#[derive(Debug)]
pub(super) struct Framer {
    state: FramerState,
    /// When the last bytes arrived.
    last_read: Instant,
    /// Until when text of a dropped paste may arrive, and a possible start of its end marker.
    dropped_paste: Option<(Instant, Vec<u8>)>,
}

impl Framer {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            state: FramerState::Keys(vec![]),
            last_read: now,
            dropped_paste: None,
        }
    }

    /// When [`Self::lapse`] is due; `None` while nothing is incomplete, so that the thread sleeps.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match &self.state {
            FramerState::Keys(open) if open.is_empty() => None,
            FramerState::Keys(_) => Some(self.last_read + ESCAPE),
            FramerState::Paste(_, began) => {
                Some((self.last_read + PASTE_SILENCE).min(*began + PASTE_TIME))
            }
            FramerState::Rest(..) => None,
        }
    }

    /// Takes the bytes of one read.
    pub(super) fn take(&mut self, bytes: &[u8], now: Instant) -> Vec<Frame> {
        let mut frames = self.lapse(now);
        let bytes = self.past_dropped_paste(bytes, now);
        self.last_read = now;
        self.frame(bytes, now, &mut frames);
        frames
    }

    /// Only time has passed.
    pub(super) fn lapse(&mut self, now: Instant) -> Vec<Frame> {
        if let FramerState::Rest(_, until) = &self.state
            && now >= *until
        {
            self.state = FramerState::Keys(vec![]);
        }
        let Some(due) = self.deadline().filter(|due| now >= *due) else {
            return vec![];
        };
        match mem::replace(&mut self.state, FramerState::Keys(vec![])) {
            FramerState::Keys(open) => {
                let frame = is_key_alone(&open).then(|| Frame::Whole(open.clone()));
                self.state = FramerState::Rest(open, due + REMAINDER_TIME);
                self.lapse_rest(now);
                frame.into_iter().collect()
            }
            FramerState::Paste(..) => {
                self.drop_paste(now);
                vec![Frame::BrokenPaste]
            }
            FramerState::Rest(..) => vec![],
        }
    }

    fn lapse_rest(&mut self, now: Instant) {
        if matches!(&self.state, FramerState::Rest(_, until) if now >= *until) {
            self.state = FramerState::Keys(vec![]);
        }
    }

    fn drop_paste(&mut self, now: Instant) {
        self.dropped_paste = Some((now + PASTE_REMAINDER_TIME, vec![]));
    }

    /// `bytes` without the text of a dropped paste.
    fn past_dropped_paste<'a>(&mut self, bytes: &'a [u8], now: Instant) -> &'a [u8] {
        let Some((until, mut carried)) = self.dropped_paste.take() else {
            return bytes;
        };
        if now >= until {
            return bytes;
        }
        let before = carried.len();
        carried.extend_from_slice(bytes);
        if let Some(at) = find(&carried, PASTE_ENDS) {
            let after = (at + PASTE_ENDS.len()).saturating_sub(before);
            return bytes.get(after..).unwrap_or_default();
        }
        let is_flowing = now.saturating_duration_since(self.last_read) < FLOWING;
        let is_keys = bytes.starts_with(&[ESC]) || (!is_flowing && bytes.len() <= KEYS_AT_ONCE);
        if is_keys {
            self.dropped_paste = Some((until, vec![]));
            return bytes;
        }
        carried.drain(..carried.len() - partial_match(&carried, PASTE_ENDS));
        self.dropped_paste = Some((now + PASTE_REMAINDER_TIME, carried));
        &[]
    }

    fn frame(&mut self, bytes: &[u8], now: Instant, frames: &mut Vec<Frame>) {
        let mut rest = bytes.to_vec();
        while !rest.is_empty() {
            rest = match mem::replace(&mut self.state, FramerState::Keys(vec![])) {
                FramerState::Keys(mut open) => {
                    open.append(&mut rest);
                    self.keys(&open, now, frames)
                }
                FramerState::Rest(dropped, _) => self.rest(&dropped, &rest, now),
                FramerState::Paste(mut text, began) => {
                    text.append(&mut rest);
                    self.paste(text, began, now, frames)
                }
            };
        }
    }

    /// Returns the bytes left for another state.
    fn keys(&mut self, bytes: &[u8], now: Instant, frames: &mut Vec<Frame>) -> Vec<u8> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let part = measure(rest);
            let (head, tail) = rest.split_at(part.length().unwrap_or(rest.len()).min(rest.len()));
            match part {
                Part::Open => {
                    self.state = FramerState::Keys(rest.to_vec());
                    return vec![];
                }
                Part::Whole(_) if head == PASTE_BEGINS => {
                    self.state = FramerState::Paste(vec![], now);
                    return tail.to_vec();
                }
                Part::Whole(_) => frames.push(Frame::Whole(head.to_vec())),
                Part::Overlong(..) => {
                    self.state =
                        FramerState::Rest(part.beginning(head).to_vec(), now + REMAINDER_TIME);
                    return tail.to_vec();
                }
                Part::Broken(_) => {}
            }
            rest = tail;
        }
        vec![]
    }

    /// Drops bytes that can only continue a dropped sequence; returns the others.
    fn rest(&mut self, dropped: &[u8], bytes: &[u8], now: Instant) -> Vec<u8> {
        let is_lone_escape = dropped == [ESC];
        if is_lone_escape && !matches!(bytes.first(), Some(b'[' | b'O')) {
            return bytes.to_vec();
        }
        let all = [dropped, bytes].concat();
        let part = remainder(&all);
        match part {
            Part::Open => {
                self.state = FramerState::Rest(all, now + REMAINDER_TIME);
                vec![]
            }
            Part::Whole(length) | Part::Broken(length) | Part::Overlong(length, _) => {
                if matches!(part, Part::Overlong(..)) {
                    self.state =
                        FramerState::Rest(part.beginning(&all).to_vec(), now + REMAINDER_TIME);
                }
                let of_bytes = length.saturating_sub(dropped.len());
                bytes.get(of_bytes..).unwrap_or_default().to_vec()
            }
        }
    }

    fn paste(
        &mut self,
        text: Vec<u8>,
        began: Instant,
        now: Instant,
        frames: &mut Vec<Frame>,
    ) -> Vec<u8> {
        let end = find(&text, PASTE_ENDS);
        let length = end.unwrap_or(text.len());
        if length > PASTE_BYTES {
            frames.push(Frame::BrokenPaste);
        }
        match end {
            Some(end) => {
                let (text, rest) = text.split_at(end);
                if length <= PASTE_BYTES {
                    frames.push(Frame::Paste(String::from_utf8_lossy(text).into_owned()));
                }
                rest.get(PASTE_ENDS.len()..).unwrap_or_default().to_vec()
            }
            None if length > PASTE_BYTES => {
                let carried = text.len() - partial_match(&text, PASTE_ENDS);
                let carried = text.get(carried..).unwrap_or_default().to_vec();
                self.dropped_paste = Some((now + PASTE_REMAINDER_TIME, carried));
                vec![]
            }
            None => {
                self.state = FramerState::Paste(text, began);
                vec![]
            }
        }
    }
}

/// ESC, or Alt with a key that also begins terminal responses.
fn is_key_alone(open: &[u8]) -> bool {
    matches!(open, [ESC] | [ESC, b']' | b'P' | b'^' | b'_'])
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|part| part == what)
}

/// How many bytes at the end may begin `what`.
fn partial_match(bytes: &[u8], what: &[u8]) -> usize {
    let lengths = (1..what.len()).rev();
    let begins = |length: &usize| {
        what.get(..*length)
            .is_some_and(|part| bytes.ends_with(part))
    };
    lengths.into_iter().find(begins).unwrap_or(0)
}

#[cfg(test)]
mod tests;
