//! Recordings as received markets.

use super::{
    super::engine::FrameOrigin,
    ReceivedFault,
    lines::{LineQueue, MergedLines},
};
use crate::{
    feed::recording::{Belief, LineTold, Nanos, Told, market::MarketRecording},
    model::MarketId,
};
use std::{
    collections::VecDeque,
    fmt,
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

impl ReplayOptions {
    pub(super) fn open(&self) -> Result<MergedLines, ReceivedFault> {
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
                file: Some(FileLines::new(path, recording)),
            });
        }
        if queues.is_empty() {
            return Err(ReceivedFault::NoFile);
        }
        let mut lines = MergedLines::new(markets, queues);
        lines.again = (self.end == ReplayEnd::BeginAgain).then(|| self.clone());
        Ok(lines)
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

/// The lines of a file. A line that cannot be read is a gap.
pub(super) struct FileLines {
    name: String,
    recording: MarketRecording,
    newest: Nanos,
}

impl fmt::Debug for FileLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileLines")
            .field("name", &self.name)
            .field("newest", &self.newest)
            .finish_non_exhaustive()
    }
}

impl FileLines {
    fn new(path: &Path, recording: MarketRecording) -> Self {
        Self {
            name: path.display().to_string(),
            recording,
            newest: Nanos(0),
        }
    }
}

impl Iterator for FileLines {
    type Item = LineTold;

    fn next(&mut self) -> Option<LineTold> {
        match self.recording.next()? {
            Ok(line) => {
                self.newest = line.received;
                Some(line)
            }
            Err(fault) => {
                tracing::warn!("{} of a recording is left out: {fault}", self.name);
                Some(LineTold {
                    line: fault.line,
                    received: self.newest,
                    conn: 0,
                    told: Told::Gap,
                    belief: Belief::LeftOut,
                })
            }
        }
    }
}
