//! `perpdeck watch events`: follows `events.jsonl`, which every desk of this state directory appends to.

use super::{LineReader, WatchFormat, print};
use crate::{
    cli::{Exit, exit::UsageError, service::Service},
    config::{Sources, load},
    model::Text,
    runtime::EVENTS_FILE,
    view::EventRow,
};
use color_eyre::Result;
use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader, Seek as _, SeekFrom},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::time::sleep;

/// How often the file is read.
const INTERVAL: Duration = Duration::from_millis(200);

pub(super) async fn follow(
    service: &Service,
    sources: &Sources,
    format: WatchFormat,
) -> Result<Exit> {
    if !load(sources)?.settings.event_log {
        let words = "event_log is false: a desk writes no events; set event_log = true";
        return Err(UsageError(words.to_owned()).into());
    }
    let path = service.journal_dir.join(EVENTS_FILE);
    let mut tail = FollowedFile::from_end(&path)?;
    if tail.file.is_none() {
        service.voice.note(&format!(
            "no desk has written {} yet; the watch waits for it",
            path.display()
        ));
    }
    let base_url = service.client.connection().base_url.as_str();
    loop {
        for line in tail.lines()? {
            let Ok(event) = serde_json::from_str::<EventRow>(&line) else {
                continue;
            };
            let is_own = event.account.as_deref() == Some(service.account.raw())
                && event.service.as_deref() == Some(base_url);
            if is_own && print(&event_line(format, &event, &line))? == LineReader::Gone {
                return Ok(Exit::Ok);
            }
        }
        sleep(INTERVAL).await;
    }
}

fn event_line(format: WatchFormat, event: &EventRow, line: &str) -> String {
    match format {
        WatchFormat::Jsonl => line.to_owned(),
        WatchFormat::Text => {
            let text = format!("{}  {:<8} {}", event.at, event.event, event.what);
            Text::from(text.as_str()).to_string()
        }
    }
}

/// The lines that are appended to a file, also after it was renamed and begun again.
struct FollowedFile {
    path: PathBuf,
    file: Option<BufReader<File>>,
    /// A line whose end is not written yet.
    partial_line: String,
}

impl FollowedFile {
    fn from_end(path: &Path) -> io::Result<Self> {
        let mut tail = Self {
            path: path.to_owned(),
            file: open(path)?,
            partial_line: String::new(),
        };
        if let Some(file) = &mut tail.file {
            file.seek(SeekFrom::End(0))?;
        }
        Ok(tail)
    }

    /// The whole lines since the last call. A file that was renamed is read to its end first: nothing is appended to it
    /// any more.
    fn lines(&mut self) -> io::Result<Vec<String>> {
        let is_old = self.is_old()?;
        let mut lines = self.rest()?;
        if is_old {
            self.partial_line.clear();
            self.file = open(&self.path)?;
            lines.extend(self.rest()?);
        }
        Ok(lines)
    }

    fn rest(&mut self) -> io::Result<Vec<String>> {
        let mut lines = vec![];
        let Some(file) = &mut self.file else {
            return Ok(lines);
        };
        while file.read_line(&mut self.partial_line)? > 0 {
            if self.partial_line.ends_with('\n') {
                let line = std::mem::take(&mut self.partial_line);
                lines.push(line.trim_end().to_owned());
            }
        }
        Ok(lines)
    }

    /// Whether another file is at its path.
    fn is_old(&self) -> io::Result<bool> {
        let now = match fs::metadata(&self.path) {
            Ok(now) => now.ino(),
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(why) => return Err(why),
        };
        let own = self.file.as_ref().map(|file| file.get_ref().metadata());
        Ok(own.transpose()?.is_none_or(|own| own.ino() != now))
    }
}

fn open(path: &Path) -> io::Result<Option<BufReader<File>>> {
    match File::open(path) {
        Ok(file) => Ok(Some(BufReader::new(file))),
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(why) => Err(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn lines_are_read_once_and_a_renamed_file_loses_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(EVENTS_FILE);
        let mut tail = FollowedFile::from_end(&path).unwrap();
        assert_eq!(tail.lines().unwrap(), Vec::<String>::new());
        let mut file = File::create(&path).unwrap();
        file.write_all(b"one\ntw").unwrap();
        assert_eq!(tail.lines().unwrap(), ["one"]);
        file.write_all(b"o\n").unwrap();
        assert_eq!(tail.lines().unwrap(), ["two"]);
        file.write_all(b"three\n").unwrap();
        fs::rename(&path, dir.path().join("old")).unwrap();
        fs::write(&path, "four\n").unwrap();
        assert_eq!(tail.lines().unwrap(), ["three", "four"]);
        assert_eq!(tail.lines().unwrap(), Vec::<String>::new());
    }
}
