//! Recordings of a feed as it came: gzip text with a line for each frame, the instant of its receipt before it. The
//! collectors of hftbacktest write the same lines, and its converters skip those of our own, which say where a connection
//! begins and where something is missing.
//!
//! Contract: pure. Lines go in and compressed bytes come out, or the other way; whoever owns the file reads and writes it.
//! A line that cannot be read is reported with its number and left out, and the rest is read. A file that was cut short
//! ends with a report.

use super::venue::VenueSocket;
use crate::model::Timestamp;
use flate2::{Compression, bufread::GzDecoder, write::GzEncoder};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    borrow::Cow,
    io::{self, BufRead as _, BufReader, ErrorKind, Read, Seek, Write as _},
};

mod decoder;
mod lines;
pub(crate) mod market;
mod reader;
mod tardis;
#[cfg(test)]
mod tests;

pub(crate) use decoder::{DecodedLine, FrameDecoder, LineOutcome};
use lines::TextLines;
pub(crate) use lines::{RecordingFault, RecordingResult};

/// An instant, in nanoseconds since 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Nanos(pub(crate) i64);

impl Nanos {
    pub(crate) fn timestamp(self) -> Timestamp {
        Timestamp(self.0.div_euclid(NANOS_A_MILLI))
    }

    /// The first millisecond at which it has happened.
    pub(crate) fn timestamp_after(self) -> Timestamp {
        Timestamp(
            self.0
                .saturating_add(NANOS_A_MILLI - 1)
                .div_euclid(NANOS_A_MILLI),
        )
    }
}

impl From<Timestamp> for Nanos {
    fn from(at: Timestamp) -> Self {
        Self(at.0.saturating_mul(NANOS_A_MILLI))
    }
}

const NANOS_A_MILLI: i64 = 1_000_000;
/// What the channel of the lines of our own is called.
const OWN_CHANNEL: &str = "perpdeck";

/// What a feed has reported, and when.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Received {
    pub(crate) at: Nanos,
    pub(crate) content: Recorded,
    pub(crate) belief: Belief,
}

/// Whether a line reports what it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Belief {
    Believed,
    /// It cannot be read, or does not fit what came before it: it is left out.
    LeftOut,
}

impl Belief {
    /// Of a message of which so many parts were refused.
    pub(super) fn of(refused: u32) -> Self {
        if refused == 0 {
            Self::Believed
        } else {
            Self::LeftOut
        }
    }

    pub(crate) fn is_left_out(self) -> bool {
        self == Self::LeftOut
    }
}

/// A line of a recording.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RecordedLine {
    /// From 0.
    pub(crate) number: u64,
    pub(crate) received: Nanos,
    pub(crate) content: Recorded,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Recorded {
    /// As the feed has sent it.
    Frame(String),
    Mark(RecordingMark),
}

/// A line of our own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordingMark {
    pub(crate) event: MarkEvent,
    /// The number of the connection.
    pub(crate) conn: u64,
    /// The market, as `hyperliquid|BTC`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) market: Option<String>,
    /// The socket of the venue; none for the stream of a service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) socket: Option<VenueSocket>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MarkEvent {
    /// A connection begins: what comes after it follows from nothing before it.
    Open,
    /// Something is missing from here on, until the next `open`.
    Gap,
    /// The next line is the whole book, which was read beside the stream.
    WholeBook,
    /// The next line reports how long fundings are apart, which was read beside the stream.
    FundingHours,
    /// The next line reports how much is open, which was read beside the stream.
    OpenInterest,
    /// The recording was ended.
    End,
}

#[derive(Serialize, Deserialize)]
struct OwnFrame {
    channel: String,
    data: RecordingMark,
}

/// The name of the file of a market and a day.
pub(crate) fn file_name(coin: &str, at: Timestamp) -> String {
    let coin: String = coin
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let day: String = at.to_utc().chars().take(10).filter(|c| *c != '-').collect();
    format!("{}_{day}.gz", coin.to_ascii_lowercase())
}

impl Received {
    pub(crate) fn mark(mark: RecordingMark, at: Timestamp) -> Self {
        Self {
            at: at.into(),
            content: Recorded::Mark(mark),
            belief: Belief::Believed,
        }
    }

    /// As it stands in a recording.
    pub(crate) fn line(&self) -> serde_json::Result<String> {
        match &self.content {
            Recorded::Frame(frame) => Ok(frame_line(self.at, frame)),
            Recorded::Mark(mark) => mark_line(self.at, mark),
        }
    }
}

/// The line of a frame, without the wallets and transactions of traders, which some venues report.
fn frame_line(received: Nanos, frame: &str) -> String {
    // Between the values of a frame a line break means nothing, and within one it cannot be.
    let frame = without_traders(frame).replace(['\n', '\r'], " ");
    format!("{} {frame}\n", received.0)
}

fn mark_line(at: Nanos, mark: &RecordingMark) -> serde_json::Result<String> {
    let frame = OwnFrame {
        channel: OWN_CHANNEL.to_owned(),
        data: mark.clone(),
    };
    Ok(format!("{} {}\n", at.0, serde_json::to_string(&frame)?))
}

/// Lines as a part that can be put behind what a file holds, and can be read without what is put behind it.
pub(crate) fn compressed(lines: &str) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(vec![], Compression::default());
    encoder.write_all(lines.as_bytes())?;
    encoder.finish()
}

/// Where the last part begins, if a crash cut it short: what is put behind such a part cannot be read.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn torn_part(file: impl Read + Seek) -> io::Result<Option<u64>> {
    let mut parts = BufReader::new(file);
    let mut begins = 0;
    while !parts.fill_buf()?.is_empty() {
        match io::copy(&mut GzDecoder::new(&mut parts), &mut io::sink()) {
            Ok(_) => begins = parts.stream_position()?,
            Err(why) if why.kind() == ErrorKind::UnexpectedEof => return Ok(Some(begins)),
            // It is damaged, or nothing that this program has written.
            Err(why) if matches!(why.kind(), ErrorKind::InvalidInput | ErrorKind::InvalidData) => {
                return Ok(None);
            }
            Err(why) => return Err(why),
        }
    }
    Ok(None)
}

/// Members of a trade that name who has traded.
const OF_TRADERS: [&str; 2] = ["users", "hash"];

fn without_traders(frame: &str) -> Cow<'_, str> {
    if !OF_TRADERS
        .iter()
        .any(|name| frame.contains(&format!("\"{name}\"")))
    {
        return Cow::Borrowed(frame);
    }
    let Ok(mut value) = serde_json::from_str::<Value>(frame) else {
        return Cow::Borrowed(frame);
    };
    if let Some(trades) = value.get_mut("data").and_then(Value::as_array_mut) {
        for trade in trades.iter_mut().filter_map(Value::as_object_mut) {
            trade.retain(|name, _| !OF_TRADERS.contains(&name.as_str()));
        }
    }
    Cow::Owned(value.to_string())
}
