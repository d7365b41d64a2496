//! The event log (`events.jsonl`): each line of the activity pane, appended as it appears.
//!
//! Contract: a thread of its own writes the file, so a slow disk never delays the desk. If the file cannot be written,
//! the desk says so once. Each line is one JSON object, whatever the text. A notice that was read from the journal, or
//! that another account already logged, is not logged again.

use crate::{
    app::{
        Account, AccountSet, Msg,
        activity::notice::{Event, Notice, Tone},
    },
    disk::{self, Rotating},
    view::EventRow,
};
use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::Duration,
};
use tokio::sync::mpsc::Sender as Inbox;

pub(crate) const FILE: &str = "events.jsonl";
/// At this many bytes the file is rotated.
const CAP: u64 = 8 * 1024 * 1024;
/// How long the shutdown waits for the last lines.
const LAST_LINES: Duration = Duration::from_millis(500);

/// What has been handed to the writer thread, and the channel to it.
#[derive(Debug, Default)]
pub(crate) struct EventLog {
    writer: Option<Writer>,
    /// Per account, the id of the newest notice handed over.
    logged: Vec<u64>,
}

#[derive(Debug)]
struct Writer {
    lines: Sender<String>,
    ended: Receiver<()>,
}

impl EventLog {
    /// Writes to `dir`; a failure is reported through `inbox`.
    pub(crate) fn start(dir: PathBuf, inbox: Inbox<Msg>) -> Self {
        let (lines, coming) = channel();
        let (ending, ended) = channel();
        let writing = thread::Builder::new().spawn(move || {
            if let Err(why) = write(&dir, &coming) {
                let words = format!("{FILE} in {} cannot be written: {why}", dir.display());
                // The desk is shutting down: nobody receives it.
                drop(inbox.blocking_send(Msg::Notify(Tone::Warn, words)));
            }
            drop(ending);
        });
        Self {
            writer: writing.is_ok().then_some(Writer { lines, ended }),
            logged: vec![],
        }
    }

    /// Hands over the notices that appeared since the last call.
    pub(crate) fn note(&mut self, account_set: &AccountSet) {
        let Some(writer) = &self.writer else {
            return;
        };
        self.logged.resize(account_set.count(), 0);
        for (model, logged) in account_set.accounts().zip(&mut self.logged) {
            if *logged == model.account.activity.newest() {
                continue;
            }
            for notice in model
                .account
                .activity
                .since(*logged)
                .filter(|notice| is_own(notice))
            {
                // A writer that cannot write has reported it and ended.
                drop(writer.lines.send(line(&model.account, notice)));
            }
            *logged = model.account.activity.newest();
        }
    }
}

impl Drop for EventLog {
    fn drop(&mut self) {
        if let Some(Writer { lines, ended }) = self.writer.take() {
            drop(lines);
            let _late = ended.recv_timeout(LAST_LINES);
        }
    }
}

fn write(dir: &Path, lines: &Receiver<String>) -> io::Result<()> {
    let mut log = Rotating::open(dir, FILE, CAP)?;
    for path in Rotating::files(dir, FILE) {
        if let Some(mode) = disk::close_to_others(&path) {
            tracing::warn!("{}", disk::closed(&path, mode));
        }
    }
    lines
        .iter()
        .try_for_each(|line| log.write_all(line.as_bytes()))
}

/// From this account and this session.
fn is_own(notice: &Notice) -> bool {
    match notice.event {
        Event::Elsewhere(_) | Event::Past(_) => false,
        Event::Sent(_)
        | Event::Progress(..)
        | Event::Settled(..)
        | Event::Message(..)
        | Event::Alert(_) => true,
    }
}

fn line(account: &Account, notice: &Notice) -> String {
    // The row holds only strings: serialization cannot fail.
    let json = serde_json::to_string(&EventRow::new(account, notice)).unwrap_or_default();
    json + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{app::AccountScope, model::Timestamp, runtime::tests::model};
    use serde_json::Value;
    use std::fs;
    use tokio::sync::mpsc::channel as mail;

    const NOW: Timestamp = Timestamp(1_790_000_000_250);

    fn account_set() -> AccountSet {
        AccountSet::of(model())
    }

    fn say(account_set: &mut AccountSet, text: &str) {
        let msg = Msg::Notify(Tone::Warn, text.to_owned());
        assert_eq!(account_set.update(NOW, AccountScope::Shown, msg), vec![]);
    }

    fn read(dir: &Path) -> Vec<Value> {
        let text = fs::read_to_string(dir.join(FILE)).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    }

    #[test]
    fn every_line_of_the_activity_is_one_of_the_file_once_and_the_next_session_goes_on_below() {
        let dir = tempfile::tempdir().unwrap();
        let (inbox, _mail) = mail(1);
        for session in ["one", "two"] {
            let mut log = EventLog::start(dir.path().to_owned(), inbox.clone());
            let mut account_set = account_set();
            say(&mut account_set, session);
            log.note(&account_set);
            log.note(&account_set);
            say(&mut account_set, "a \"quote\"\nand a line");
            log.note(&account_set);
        }
        let lines = read(dir.path());
        let what: Vec<_> = lines
            .iter()
            .map(|line| line["what"].as_str().unwrap())
            .collect();
        assert_eq!(what[0], "one");
        assert_eq!(what.len(), 4, "{what:?}");
        assert_eq!(what[2], "two");
        assert_eq!(lines[0]["at"], "2026-09-21T14:13:20.250Z");
        assert_eq!(
            (&lines[0]["event"], &lines[0]["tone"]),
            (&"desk".into(), &"warn".into())
        );
    }

    /// Other programs read these lines.
    #[test]
    fn a_line_has_the_members_in_the_order_and_with_the_words_it_has_today() {
        let mut account_set = account_set();
        say(&mut account_set, "one");
        let model = account_set.accounts().next().unwrap();
        let notice = model.account.activity.since(0).next().unwrap();
        let written = line(&model.account, notice);
        let expected = r#"{"at":"2026-09-21T14:13:20.250Z","account":null,"service":null,"event":"desk","tone":"warn","what":"one","ticket":null}"#;
        assert_eq!(written.trim_end(), expected);
        let tones = [Tone::Plain, Tone::Good, Tone::Warn, Tone::Alert].map(|tone| tone.to_string());
        assert_eq!(tones, ["plain", "good", "warn", "alert"]);
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_written_is_told_once_and_the_desk_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(FILE)).unwrap();
        let (inbox, mut mail) = mail(8);
        let mut log = EventLog::start(dir.path().to_owned(), inbox);
        let Some(Msg::Notify(Tone::Warn, words)) = mail.recv().await else {
            panic!("told");
        };
        assert!(words.contains("events.jsonl in"), "{words}");
        let mut account_set = account_set();
        say(&mut account_set, "one");
        log.note(&account_set);
        assert!(mail.recv().await.is_none(), "once");
    }
}
