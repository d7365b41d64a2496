//! `perpdeck record`: the frames of a feed into files, until it is interrupted.
//!
//! Contract: a file for each market and UTC day, to which each start appends. What was received is on its way to the disk
//! within five seconds; each write can be read without those after it. Ctrl-C and SIGTERM end it with code 0.

use super::{
    Exit,
    market_feed::{FeedContent, FeedDays, FeedName, FeedNews, FeedReceiver, MarketFeed},
    out,
    serve::interrupted,
    voice::Output,
};
use crate::{
    config::{Sources, load},
    disk,
    feed::recording::{
        MarkEvent, Received, Recorded, RecordingMark, compressed, file_name,
        market::MarketRecording, torn_part,
    },
    model::{MarketId, Timestamp},
    runtime::Clock,
};
use clap::ValueHint;
use color_eyre::{Result, eyre::Context as _};
use std::{
    fs::{self, File},
    io::{self, IsTerminal as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::time::{MissedTickBehavior, interval};

/// A crash costs this much of a recording.
const FLUSH_EVERY: Duration = Duration::from_secs(5);
/// How often the line on a terminal is written anew.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);
/// A market that is silent for so long is reported.
const SILENT_AFTER: Duration = Duration::from_secs(20);

#[derive(Debug, clap::Args)]
pub(super) struct RecordArgs {
    /// The feed: hyperliquid, binance, bybit, or the address of a service's market stream
    #[arg(long, value_name = "FEED")]
    feed: FeedName,
    /// The markets as the feed calls them, with commas between: BTC,ETH or BTCUSDT; of a service 'paper|BTC'
    #[arg(long, value_name = "MARKETS", value_delimiter = ',', required = true)]
    markets: Vec<String>,
    /// The directory of the files
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: PathBuf,
}

pub(super) async fn run(args: RecordArgs, sources: &Sources) -> Result<Exit> {
    let settings = load(sources)?.settings;
    fs::create_dir_all(&args.out)
        .wrap_err_with(|| format!("{} cannot be made a directory", args.out.display()))?;
    let mut feed = MarketFeed::open(&args.feed, &args.markets, &settings, FeedDays::BeginAnew)?;
    let clock = Clock::start();
    let names = feed.markets.iter();
    let files = names.map(|market| MarketFile::new(&args.out, market.clone(), clock.now()));
    let recorder = Recorder {
        files: files.collect(),
        clock,
        voice: Output::from_command_line(),
        is_shown: io::stderr().is_terminal(),
    };
    recorder.run(&mut feed.news, interrupted()?).await
}

/// The files of all markets.
struct Recorder {
    files: Vec<MarketFile>,
    clock: Clock,
    voice: Output,
    /// Whether somebody watches.
    is_shown: bool,
}

impl Recorder {
    async fn run(
        mut self,
        feed: &mut FeedReceiver,
        interrupted: impl Future<Output = ()>,
    ) -> Result<Exit> {
        let mut interrupted = std::pin::pin!(interrupted);
        let [mut flush, mut tell] = [FLUSH_EVERY, REPORT_INTERVAL].map(interval);
        for timer in [&mut flush, &mut tell] {
            timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
        }
        loop {
            tokio::select! {
                () = &mut interrupted => break,
                news = feed.recv() => match news {
                    Some(news) => self.take(news)?,
                    None => break,
                },
                _ = flush.tick() => self.flush()?,
                _ = tell.tick() => self.tell(),
            }
        }
        self.end()
    }

    fn take(&mut self, news: FeedNews) -> Result<()> {
        let Some(file) = self.files.get_mut(news.market) else {
            return Ok(());
        };
        match news.content {
            FeedContent::Lines(lines) => {
                for line in &lines {
                    file.add(line)?;
                }
            }
            // The line on the terminal counts gaps.
            FeedContent::Down(_) if self.is_shown => {}
            FeedContent::Down(why) => {
                let market = &file.market;
                self.voice.note(&format!(
                    "{market} is down ({why}); perpdeck connects again"
                ));
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.files.iter_mut().try_for_each(MarketFile::flush)
    }

    fn tell(&mut self) {
        let now = self.clock.now();
        for file in &mut self.files {
            if let Some(words) = file.silence(now) {
                self.voice.note(&words);
            }
        }
        if self.is_shown {
            let words: Vec<_> = self.files.iter().map(|file| file.words(now)).collect();
            // The line before is cleared; standard error may be closed.
            let _gone = write!(io::stderr().lock(), "\r\x1b[2K{}", words.join(" · "));
        }
    }

    fn end(mut self) -> Result<Exit> {
        let now = self.clock.now();
        for file in &mut self.files {
            file.end(now)?;
        }
        self.tell();
        if self.is_shown {
            out::stderr_line("");
        }
        for file in &self.files {
            out::say(&format!("{}\n", file.words(now)))?;
        }
        Ok(Exit::Ok)
    }
}

/// The file of a market and of the day of its newest line.
struct MarketFile {
    dir: PathBuf,
    market: MarketId,
    open: Option<(String, File)>,
    /// Lines that are not written yet.
    lines: String,
    connections: u64,
    frames: u64,
    bytes: u64,
    gaps: u64,
    unreadable: u64,
    last_received: LastReceived,
}

/// When a market was last active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastReceived {
    NeverSince(Timestamp),
    /// The same, and it was reported.
    Silent,
    At(Timestamp),
}

impl MarketFile {
    fn new(dir: &Path, market: MarketId, now: Timestamp) -> Self {
        Self {
            dir: dir.to_owned(),
            market,
            open: None,
            lines: String::new(),
            connections: 0,
            frames: 0,
            bytes: 0,
            gaps: 0,
            unreadable: 0,
            last_received: LastReceived::NeverSince(now),
        }
    }

    fn add(&mut self, line: &Received) -> Result<()> {
        let at = line.at.timestamp();
        let name = file_name(self.market.coin().raw(), at);
        if self.open.as_ref().is_none_or(|(open, _)| *open != name) {
            self.flush()?;
            let path = self.dir.join(&name);
            self.open = Some((name, file(&path, &self.market)?));
        }
        let text = line.line()?;
        self.bytes += text.len() as u64;
        self.lines.push_str(&text);
        self.unreadable += u64::from(line.belief.is_left_out());
        match &line.content {
            Recorded::Frame(_) => {
                (self.frames, self.last_received) = (self.frames + 1, LastReceived::At(at));
            }
            Recorded::Mark(mark) => match mark.event {
                MarkEvent::Open => self.connections = mark.conn,
                MarkEvent::Gap => self.gaps += 1,
                MarkEvent::WholeBook
                | MarkEvent::FundingHours
                | MarkEvent::OpenInterest
                | MarkEvent::End => {}
            },
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let Some((name, file)) = &mut self.open else {
            return Ok(());
        };
        if self.lines.is_empty() {
            return Ok(());
        }
        let written = compressed(&self.lines).and_then(|bytes| file.write_all(&bytes));
        self.lines.clear();
        written.wrap_err_with(|| {
            let path = self.dir.join(name);
            format!(
                "{} cannot be written to: the recording ends",
                path.display()
            )
        })
    }

    fn end(&mut self, now: Timestamp) -> Result<()> {
        if self.open.is_some() {
            let mark = RecordingMark {
                event: MarkEvent::End,
                conn: self.connections,
                market: Some(self.market.raw().to_owned()),
                socket: None,
            };
            self.add(&Received::mark(mark, now))?;
        }
        self.flush()
    }

    /// Once for a market that has reported nothing.
    fn silence(&mut self, now: Timestamp) -> Option<String> {
        match self.last_received {
            LastReceived::NeverSince(since) if now.since(since) >= SILENT_AFTER => {
                self.last_received = LastReceived::Silent;
                let market = &self.market;
                Some(format!(
                    "nothing came of {market}: check its name and the connection"
                ))
            }
            LastReceived::NeverSince(_) | LastReceived::Silent | LastReceived::At(_) => None,
        }
    }

    /// As the line on a terminal says it.
    fn words(&self, now: Timestamp) -> String {
        let Self {
            market,
            frames,
            gaps,
            ..
        } = self;
        let [whole, tenths] = [self.bytes / 1_000_000, self.bytes / 100_000 % 10];
        let age = match self.last_received {
            LastReceived::At(at) => format!("{} s ago", now.since(at).as_secs()),
            LastReceived::NeverSince(_) | LastReceived::Silent => "nothing yet".to_owned(),
        };
        let unreadable = match self.unreadable {
            0 => String::new(),
            count => format!(", {count} unreadable"),
        };
        format!("{market} {frames} frames, {whole}.{tenths} MB, {gaps} gaps{unreadable}, {age}")
    }
}

/// The file, behind what it has; nobody else may write it, and it holds no other market.
fn file(path: &Path, market: &MarketId) -> Result<File> {
    let opened = disk::claim(path).and_then(|file| {
        let mut file = file.ok_or_else(|| io::Error::other("another program writes it"))?;
        // What cannot be read is empty, and what does not say its market is of another collector.
        if let Ok(held) = MarketRecording::open(File::open(path)?, None) {
            if held.market != *market {
                let why = format!("it holds {}: choose another --out", held.market);
                return Err(io::Error::other(why));
            }
            if let Some(torn) = torn_part(File::open(path)?)? {
                file.set_len(torn)?;
            }
        }
        file.seek(SeekFrom::End(0))?;
        Ok(file)
    });
    opened.wrap_err_with(|| format!("{} cannot be written to", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::mpsc::channel;

    fn opened(market: &str, at: Timestamp) -> Received {
        let mark = RecordingMark {
            event: MarkEvent::Open,
            conn: 1,
            market: Some(market.to_owned()),
            socket: None,
        };
        Received::mark(mark, at)
    }

    #[tokio::test(start_paused = true)]
    async fn five_seconds_after_its_receipt_a_line_is_in_the_file_of_its_market_and_utc_day() {
        let dir = tempfile::tempdir().unwrap();
        let clock = Clock::start();
        let files = ["paper|BTC", "paper|ETH"]
            .map(|market| MarketFile::new(dir.path(), market.into(), clock.now()));
        let recorder = Recorder {
            files: files.into(),
            clock,
            voice: Output::from_command_line(),
            is_shown: false,
        };
        let (sender, feed) = channel(8);
        let mut feed = FeedReceiver::new(feed);
        let lines = |name: &str| {
            let file = File::open(dir.path().join(name)).unwrap();
            MarketRecording::open(file, None).map_or(0, |recording| recording.lines.count())
        };
        let tells = async {
            // 23:59:59 UTC, and two seconds later.
            for (market, at) in [(0, -1_000), (1, -1_000), (0, 1_000)] {
                let at = Timestamp(1_790_035_200_000 + at);
                let line = opened(["paper|BTC", "paper|ETH"][market], at);
                let feed = FeedContent::Lines(vec![line]);
                sender
                    .send(FeedNews {
                        market,
                        content: feed,
                    })
                    .await
                    .unwrap();
            }
            tokio::time::sleep(FLUSH_EVERY).await;
            tokio::task::yield_now().await;
            ["btc_20260921.gz", "btc_20260922.gz", "eth_20260921.gz"].map(lines)
        };
        tokio::select! {
            ended = recorder.run(&mut feed, std::future::pending()) => panic!("{ended:?}"),
            lines = tells => assert_eq!(lines, [1, 1, 1]),
        }
    }

    #[test]
    fn a_recording_goes_on_behind_the_last_part_that_was_written_whole() {
        let dir = tempfile::tempdir().unwrap();
        let now = Timestamp(1_790_000_000_000);
        let path = dir.path().join("btc_20260921.gz");
        let begin = || {
            let mut file = MarketFile::new(dir.path(), "paper|BTC".into(), now);
            file.add(&opened("paper|BTC", now)).unwrap();
            file
        };
        let mut crashes = begin();
        crashes.flush().unwrap();
        crashes.end(now).unwrap();
        drop(crashes);
        let length = fs::metadata(&path).unwrap().len();
        let cut = File::options().write(true).open(&path).unwrap();
        cut.set_len(length - 9).unwrap();
        begin().end(now).unwrap();
        let lines = MarketRecording::open(File::open(&path).unwrap(), None).unwrap();
        let lines: Result<Vec<_>, _> = lines.lines.collect();
        assert_eq!(
            lines.unwrap().len(),
            3,
            "the first, and both after the crash"
        );
    }

    #[test]
    fn a_recording_is_not_put_behind_that_of_another_market() {
        let dir = tempfile::tempdir().unwrap();
        let now = Timestamp(1_790_000_000_000);
        let recorded = |market: &str| {
            let mut file = MarketFile::new(dir.path(), market.into(), now);
            file.add(&opened(market, now)).and_then(|()| file.end(now))
        };
        recorded("paper|BTC").unwrap();
        recorded("paper|BTC").unwrap();
        let why = format!("{:#}", recorded("other|BTC").unwrap_err());
        assert!(why.contains("it holds paper|BTC"), "{why}");
    }
}
