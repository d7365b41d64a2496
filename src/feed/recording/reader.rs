//! A recording of frames as a collector has written it.

use super::{
    NANOS_A_MILLI, Nanos, OWN_CHANNEL, OwnFrame, Recorded, RecordedLine,
    lines::{RecordingFault, RecordingResult, TextLines},
};

/// A file holds one day.
pub(super) const LONGEST_PAUSE: i64 = 24 * 60 * 60 * 1_000 * NANOS_A_MILLI;

/// Reads a recording one line at a time.
pub(super) struct RecordingReader {
    lines: TextLines,
    newest: Option<Nanos>,
}

impl RecordingReader {
    pub(super) fn new(lines: TextLines) -> Self {
        Self {
            lines,
            newest: None,
        }
    }

    pub(super) fn read(&mut self, text: &str) -> Result<(Nanos, Recorded), &'static str> {
        let (at, frame) = text.split_once(' ').ok_or(NO_LINE)?;
        let at = at.parse().map(Nanos).map_err(|_| NO_LINE)?;
        if let Some(newest) = self.newest {
            if at < newest {
                return Err("it was received before the line before it");
            }
            if at.0.saturating_sub(newest.0) > LONGEST_PAUSE {
                return Err("it was received more than a day after the line before it");
            }
        }
        self.newest = Some(at);
        Ok((at, content(frame)))
    }
}

fn content(frame: &str) -> Recorded {
    let is_own = frame.contains(OWN_CHANNEL);
    let own = is_own.then(|| serde_json::from_str::<OwnFrame>(frame).ok());
    let own = own.flatten().filter(|own| own.channel == OWN_CHANNEL);
    own.map_or_else(
        || Recorded::Frame(frame.to_owned()),
        |own| Recorded::Mark(own.data),
    )
}

const NO_LINE: &str = "it is no instant in nanoseconds, a space and a frame";

impl Iterator for RecordingReader {
    type Item = RecordingResult<RecordedLine>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.lines.next()?;
        Some(line.and_then(|(number, text)| {
            let (received, content) = self.read(&text).map_err(|what| RecordingFault {
                line: number,
                what: what.to_owned(),
            })?;
            Ok(RecordedLine {
                number,
                received,
                content,
            })
        }))
    }
}
