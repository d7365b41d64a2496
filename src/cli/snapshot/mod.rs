//! `perpdeck snapshot`: one frame of the living desk on standard output, with or without a terminal.

mod ansi;
mod cells;
mod svg;
#[cfg(test)]
mod tests;

use crate::model::Timestamp;
use std::str::FromStr;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Columns and rows
    #[arg(long, value_name = "COLUMNSxROWS", default_value = "160x48")]
    size: Size,
    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Keys to press first, blanks between them: "1 c tab enter"
    #[arg(long, value_name = "KEYS", default_value = "")]
    keys: String,
    /// The same seed gives the same market
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The instant the frame is of, as in 2026-01-05T14:30:00Z; with it and a seed, the frame is the same every time
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Characters only
    Text,
    /// Characters and colours, for a terminal
    Ansi,
    /// A picture
    Svg,
}

/// Columns and rows of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    columns: u16,
    rows: u16,
}

/// The most columns or rows of a frame; no terminal is larger, and memory grows with both.
const MOST: u16 = 1000;

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| part.parse().ok().filter(|n| (1..=MOST).contains(n));
        text.split_once(['x', 'X', '×'])
            .and_then(|(columns, rows)| {
                Some(Self {
                    columns: number(columns)?,
                    rows: number(rows)?,
                })
            })
            .ok_or_else(|| format!("a size is columns x rows, each 1 to {MOST}, as in 160x48"))
    }
}

fn instant(text: &str) -> Result<Timestamp, String> {
    text.parse::<jiff::Timestamp>()
        .map(|instant| Timestamp(instant.as_millisecond()))
        .map_err(|_| {
            "an instant is a date and a time with its zone, as in 2026-01-05T14:30:00Z".to_owned()
        })
}
