//! Recordings as received markets.

use super::{
    super::engine::FrameOrigin,
    fault::ReceivedFault,
    queue::{LineQueue, file_lines},
};
use crate::{feed::recording::market::MarketRecording, model::MarketId};
use std::{
    collections::VecDeque,
    fs::File,
    path::{Path, PathBuf},
};

/// What is replayed.
#[derive(Debug, Clone)]
pub struct ReplayOptions {
    pub files: Vec<PathBuf>,
    /// The market of files that do not say it.
    pub market: Option<MarketId>,
    pub end: ReplayEnd,
}

/// What follows the last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReplayEnd {
    /// The clock stands still.
    #[default]
    Stop,
    /// The first line, later by the length of the recording.
    BeginAgain,
}

/// The markets of the files, and the lines of each file.
type OpenFiles = (Vec<MarketId>, Vec<LineQueue>);

impl ReplayOptions {
    pub(super) fn open(&self) -> Result<OpenFiles, ReceivedFault> {
        let mut markets: Vec<MarketId> = vec![];
        let mut queues = vec![];
        for path in &self.files {
            let recording = self.recording(path)?;
            let known = markets.iter().position(|known| *known == recording.market);
            let market = known.unwrap_or(markets.len());
            if known.is_none() {
                markets.push(recording.market.clone());
            }
            queues.push(LineQueue {
                market,
                origin: FrameOrigin::File(name(path)),
                ahead: VecDeque::new(),
                file: Some(file_lines(path, recording)),
            });
        }
        if queues.is_empty() {
            return Err(ReceivedFault::NoFile);
        }
        Ok((markets, queues))
    }

    fn recording(&self, path: &Path) -> Result<MarketRecording, ReceivedFault> {
        let file = File::open(path).map_err(|why| ReceivedFault::File {
            path: path.to_owned(),
            why,
        })?;
        MarketRecording::open(file, self.market.as_ref()).map_err(|why| ReceivedFault::Recording {
            path: path.to_owned(),
            why: why.to_string(),
        })
    }
}

/// What a fill says of where it comes from.
fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}
