//! What a file reports of its market, whoever has written it.

use super::{
    DecodedLine, Recorded, RecordedLine, RecordingFault, RecordingResult, TextLines,
    decoder::FrameDecoder,
    reader::RecordingReader,
    tardis::{self, TardisRows},
};
use crate::model::MarketId;
use std::io::Read;

/// The lines of one file, in the order of their receipt.
pub(crate) struct MarketRecording {
    pub(crate) market: MarketId,
    pub(crate) lines: Box<dyn Iterator<Item = RecordingResult<DecodedLine>> + Send>,
}

/// Why a file cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordingError {
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    #[error("it holds no line of a recording ({0})")]
    NoRecording(RecordingFault),
    #[error("it is empty")]
    Empty,
    #[error("it does not say its market: --market names it, as in --market 'hyperliquid|BTC'")]
    NoMarket,
}

impl MarketRecording {
    /// `named` is the market of a file that does not say it.
    pub(crate) fn open(
        file: impl Read + Send + 'static,
        named: Option<&MarketId>,
    ) -> Result<Self, RecordingError> {
        let mut lines = TextLines::new(file)?;
        let first = match lines.next() {
            None => return Err(RecordingError::Empty),
            Some(Err(fault)) => return Err(RecordingError::NoRecording(fault)),
            Some(Ok((_, first))) => first,
        };
        if let Some(columns) = tardis::columns(&first) {
            return Self::of_rows(TardisRows::new(columns, lines));
        }
        let mut reader = RecordingReader::new(lines);
        let no_line = |what: &str| {
            let what = what.to_owned();
            RecordingError::NoRecording(RecordingFault { line: 0, what })
        };
        let (received, content) = reader.read(&first).map_err(no_line)?;
        let market = said_by(&content).or_else(|| named.cloned());
        let market = market.ok_or(RecordingError::NoMarket)?;
        let first = RecordedLine {
            number: 0,
            received,
            content,
        };
        let mut decoder = FrameDecoder::new(market.clone());
        let lines = std::iter::once(Ok(first)).chain(reader);
        Ok(Self {
            market,
            lines: Box::new(lines.map(move |line| line.map(|line| decoder.take(line)))),
        })
    }

    /// The rows say their market.
    fn of_rows(rows: TardisRows) -> Result<Self, RecordingError> {
        let mut rows = rows;
        let market = match rows.market() {
            None => return Err(RecordingError::Empty),
            Some(Err(fault)) => return Err(RecordingError::NoRecording(fault)),
            Some(Ok(market)) => market,
        };
        Ok(Self {
            market,
            lines: Box::new(rows),
        })
    }
}

fn said_by(content: &Recorded) -> Option<MarketId> {
    match content {
        Recorded::Frame(_) => None,
        Recorded::Mark(mark) => mark.market.as_deref().map(MarketId::from),
    }
}
