//! The thread that writes to the terminal. A terminal that stops reading blocks this thread, never the loop: what
//! waits is at most one frame, and newer parts of it replace older ones.

use crate::runtime::{base::lock::locked, terminal::shown_screen::ShownScreen};
use ratatui::{backend::Backend, buffer::Buffer};
use std::{
    io::Write,
    mem::ManuallyDrop,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

/// How long the shutdown waits for the last frame; a terminal that takes longer has stopped reading.
const LAST_FRAME: Duration = Duration::from_millis(500);

#[derive(Debug)]
enum Mail {
    Empty,
    Frame(Vec<Buffer>),
    /// Parts from before the terminal was lent: shown only together with a newer frame, whose ages are current.
    Outdated(Vec<Buffer>),
    /// The desk is shutting down.
    Closed,
    /// The painter's thread has ended.
    Gone,
}

/// What waits to be written: at most one frame, and control sequences.
#[derive(Debug)]
struct Waiting {
    mail: Mail,
    sequences: Vec<u8>,
    screen: Screen,
    /// A write is in progress.
    busy: bool,
}

/// Who has the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Screen {
    Ours,
    /// Whoever requested the terminal; nothing is painted.
    Lent,
    /// The desk again, with unknown content on the screen.
    Returned,
}

/// The most bytes of control sequences that wait for a terminal that has stopped reading.
const MOST_SEQUENCE_BYTES: usize = 256 * 1024;

enum Job {
    Frame(Vec<Buffer>),
    Sequences(Vec<u8>),
    /// Empties the screen; the next frame is written whole.
    Clear,
}

#[derive(Debug)]
struct Mailbox {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Debug)]
pub(crate) struct Painter(Arc<Mailbox>);

impl Painter {
    pub(crate) fn start<B>(screen: ShownScreen<B>) -> Self
    where
        B: Backend + Write + Send + 'static,
    {
        let mailbox = Arc::new(Mailbox {
            waiting: Mutex::new(Waiting {
                mail: Mail::Empty,
                sequences: vec![],
                screen: Screen::Ours,
                busy: false,
            }),
            changed: Condvar::new(),
        });
        let inbox = Arc::clone(&mailbox);
        // Never dropped: what could not be written to a terminal that is gone must not be written when it is restored.
        let mut screen = ManuallyDrop::new(screen);
        thread::spawn(move || {
            while let Some(job) = inbox.take() {
                // A terminal that refuses a write is gone; the signal that follows ends the desk.
                let written = match job {
                    Job::Frame(changes) => screen.paint(changes),
                    Job::Sequences(bytes) => screen.write_sequences(&bytes),
                    Job::Clear => screen.clear(),
                };
                if written.is_err() {
                    break;
                }
            }
            inbox.put(Mail::Gone);
        });
        Self(mailbox)
    }

    /// Writes control sequences between two frames.
    pub(crate) fn say(&self, bytes: Vec<u8>) {
        self.0.say(bytes);
    }

    /// Paints nothing more before [`Self::go_on`].
    pub(crate) fn lend(&self) {
        self.0.locked().screen = Screen::Lent;
    }

    /// Writes these bytes last before [`Self::go_on`], and waits until that is done; with a limit, since the terminal
    /// may have stopped reading.
    pub(crate) fn hold(&self, bytes: Vec<u8>) {
        let mut waiting = self.0.locked();
        waiting.screen = Screen::Lent;
        waiting.sequences.extend(bytes);
        self.0.changed.notify_all();
        let still_writing = |waiting: &mut Waiting| {
            let left = matches!(waiting.mail, Mail::Gone);
            !left && (waiting.busy || !waiting.sequences.is_empty())
        };
        drop(
            self.0
                .changed
                .wait_timeout_while(waiting, LAST_FRAME, still_writing),
        );
    }

    /// Writes these bytes first, then clears the screen for the next frame. What waited is outdated by now.
    pub(crate) fn go_on(&self, bytes: Vec<u8>) {
        let mut waiting = self.0.locked();
        waiting.sequences.extend(bytes);
        waiting.screen = Screen::Returned;
        waiting.outdate();
        drop(waiting);
        self.0.changed.notify_all();
    }

    /// Shows these parts of the screen over those that wait, if any.
    pub(crate) fn show(&self, changes: Vec<Buffer>) {
        let mut waiting = self.0.locked();
        waiting.merge(changes);
        drop(waiting);
        self.0.changed.notify_all();
    }
}

impl Drop for Painter {
    fn drop(&mut self) {
        self.0.put(Mail::Closed);
        let waiting = self.0.locked();
        let still_painting = |waiting: &mut Waiting| !matches!(waiting.mail, Mail::Gone);
        drop(
            self.0
                .changed
                .wait_timeout_while(waiting, LAST_FRAME, still_painting),
        );
    }
}

impl Mailbox {
    fn locked(&self) -> MutexGuard<'_, Waiting> {
        locked(&self.waiting)
    }

    /// A painter that has ended stays so.
    fn put(&self, new: Mail) {
        let mut waiting = self.locked();
        if !matches!(waiting.mail, Mail::Gone) {
            waiting.mail = new;
        }
        drop(waiting);
        self.changed.notify_all();
    }

    fn say(&self, bytes: Vec<u8>) {
        let mut waiting = self.locked();
        if waiting.sequences.len() + bytes.len() <= MOST_SEQUENCE_BYTES {
            waiting.sequences.extend(bytes);
        }
        drop(waiting);
        self.changed.notify_all();
    }

    /// Waits for something to write; `None` when the desk is shutting down.
    fn take(&self) -> Option<Job> {
        let mut waiting = self.locked();
        waiting.busy = false;
        self.changed.notify_all();
        loop {
            if let Some(job) = waiting.job() {
                waiting.busy = true;
                return Some(job);
            }
            if matches!(waiting.mail, Mail::Closed | Mail::Gone) {
                return None;
            }
            waiting = self
                .changed
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Waiting {
    /// A painter that is leaving or has ended shows nothing more.
    fn merge(&mut self, changes: Vec<Buffer>) {
        match &mut self.mail {
            Mail::Empty => self.mail = Mail::Frame(changes),
            Mail::Frame(parts) | Mail::Outdated(parts) => {
                let mut parts = std::mem::take(parts);
                for change in changes {
                    parts.retain(|part| part.area.union(change.area) != change.area);
                    parts.push(change);
                }
                self.mail = Mail::Frame(parts);
            }
            Mail::Closed | Mail::Gone => {}
        }
    }

    /// Keeps what waits from being shown alone: the parts are needed, since a newer frame holds only what it changes.
    fn outdate(&mut self) {
        if let Mail::Frame(parts) = &mut self.mail {
            self.mail = Mail::Outdated(std::mem::take(parts));
        }
    }

    fn job(&mut self) -> Option<Job> {
        if !self.sequences.is_empty() {
            return Some(Job::Sequences(std::mem::take(&mut self.sequences)));
        }
        match (self.screen, &self.mail) {
            (Screen::Lent, _)
            | (Screen::Ours, Mail::Empty | Mail::Outdated(_) | Mail::Closed | Mail::Gone) => None,
            (Screen::Returned, _) => {
                self.screen = Screen::Ours;
                Some(Job::Clear)
            }
            (Screen::Ours, Mail::Frame(_)) => {
                match std::mem::replace(&mut self.mail, Mail::Empty) {
                    Mail::Frame(changes) => Some(Job::Frame(changes)),
                    Mail::Empty | Mail::Outdated(_) | Mail::Closed | Mail::Gone => None,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What would be written next.
    fn next(waiting: &mut Waiting) -> Option<Vec<Buffer>> {
        match waiting.job() {
            Some(Job::Frame(parts)) => Some(parts),
            Some(Job::Clear) => Some(vec![]),
            Some(Job::Sequences(_)) | None => None,
        }
    }

    #[test]
    fn what_waits_while_the_terminal_is_lent_is_shown_only_with_a_newer_frame() {
        let before = Buffer::with_lines(["age 0s", "BTC"]);
        let after = Buffer::with_lines(["age 4s"]);
        let mut waiting = Waiting {
            mail: Mail::Frame(vec![before.clone()]),
            sequences: vec![],
            screen: Screen::Lent,
            busy: false,
        };
        assert_eq!(next(&mut waiting), None);
        waiting.screen = Screen::Returned;
        waiting.outdate();
        assert_eq!(next(&mut waiting), Some(vec![]), "the screen is cleared");
        assert_eq!(next(&mut waiting), None);
        waiting.merge(vec![after.clone()]);
        assert_eq!(next(&mut waiting), Some(vec![before, after]));
    }
}
