//! The thread that writes to the terminal. A terminal that stops reading stops the painter, never the
//! loop: frames wait in a mailbox of one, and only the newest is drawn.

use crate::runtime::{base::lock::locked, terminal::area::drawn};
use crossterm::{
    execute, queue,
    terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate},
};
use ratatui::{Terminal, backend::Backend, buffer::Buffer};
use std::{
    io::{self, Write},
    mem::ManuallyDrop,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

/// How long leaving waits for the last frame; a terminal that takes longer is not reading any more.
const LAST_FRAME: Duration = Duration::from_millis(500);

#[derive(Debug)]
enum Mail {
    Empty,
    Frame(Box<Buffer>),
    /// The desk is leaving.
    Closed,
    /// The painter has left.
    Gone,
}

/// What waits to be written: at most one frame, and what is said beside the frames.
#[derive(Debug)]
struct Waiting {
    mail: Mail,
    aside: Vec<u8>,
    screen: Screen,
    /// Something is being written.
    busy: bool,
}

/// Whose the screen is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Screen {
    Ours,
    /// Nobody paints: what asked for the terminal has it.
    Lent,
    /// Ours again, with who knows what on it.
    Returned,
}

/// A terminal that has stopped reading is not to be rung for ever.
const MOST_ASIDE: usize = 256 * 1024;

enum Job {
    Frame(Box<Buffer>),
    Aside(Vec<u8>),
    /// Nothing is left of what was shown.
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
    pub(crate) fn start<B>(terminal: Terminal<B>) -> Self
    where
        B: Backend + Write + Send + 'static,
    {
        let mailbox = Arc::new(Mailbox {
            waiting: Mutex::new(Waiting {
                mail: Mail::Empty,
                aside: vec![],
                screen: Screen::Ours,
                busy: false,
            }),
            changed: Condvar::new(),
        });
        let inbox = Arc::clone(&mailbox);
        // Never dropped: its end shows the cursor again, which `Taken` does, and complains on standard error where the
        // terminal is gone, which panics when that is the same terminal.
        let mut terminal = ManuallyDrop::new(terminal);
        thread::spawn(move || {
            let mut shown = None;
            while let Some(job) = inbox.take() {
                // A terminal that refuses anything is gone; the signal that follows ends the desk.
                let written = match job {
                    Job::Frame(frame) if shown.as_ref() == Some(&frame) => continue,
                    Job::Frame(frame) => {
                        let painted = paint(&mut terminal, &frame);
                        shown = Some(frame);
                        painted
                    }
                    Job::Aside(bytes) => utter(terminal.backend_mut(), &bytes).is_ok(),
                    Job::Clear => {
                        shown = None;
                        clear(&mut terminal).is_ok()
                    }
                };
                if !written {
                    break;
                }
            }
            inbox.put(Mail::Gone);
        });
        Self(mailbox)
    }

    /// Writes bytes that draw nothing, between two frames.
    pub(crate) fn say(&self, bytes: Vec<u8>) {
        self.0.say(bytes);
    }

    /// Writes these bytes as the last ones until [`Self::go_on`], and waits until that is done; not for ever, since a
    /// terminal may have stopped reading.
    pub(crate) fn hold(&self, bytes: Vec<u8>) {
        let mut waiting = self.0.locked();
        waiting.screen = Screen::Lent;
        waiting.aside.extend(bytes);
        self.0.changed.notify_all();
        let still_writing = |waiting: &mut Waiting| {
            let left = matches!(waiting.mail, Mail::Gone);
            !left && (waiting.busy || !waiting.aside.is_empty())
        };
        drop(
            self.0
                .changed
                .wait_timeout_while(waiting, LAST_FRAME, still_writing),
        );
    }

    /// Writes these bytes first, then clears the screen for the next frame; one that still waits is of another time.
    pub(crate) fn go_on(&self, bytes: Vec<u8>) {
        let mut waiting = self.0.locked();
        waiting.aside.extend(bytes);
        waiting.screen = Screen::Returned;
        if matches!(waiting.mail, Mail::Frame(_)) {
            waiting.mail = Mail::Empty;
        }
        drop(waiting);
        self.0.changed.notify_all();
    }

    /// Replaces whatever frame still waits.
    pub(crate) fn show(&self, frame: Buffer) {
        self.0.put(Mail::Frame(Box::new(frame)));
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

    /// A painter that has left stays gone.
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
        if waiting.aside.len() + bytes.len() <= MOST_ASIDE {
            waiting.aside.extend(bytes);
        }
        drop(waiting);
        self.changed.notify_all();
    }

    /// Waits for something to write; `None` when the desk is leaving.
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
    fn job(&mut self) -> Option<Job> {
        if !self.aside.is_empty() {
            return Some(Job::Aside(std::mem::take(&mut self.aside)));
        }
        match (self.screen, &self.mail) {
            (Screen::Lent, _) | (Screen::Ours, Mail::Empty | Mail::Closed | Mail::Gone) => None,
            (Screen::Returned, _) => {
                self.screen = Screen::Ours;
                Some(Job::Clear)
            }
            (Screen::Ours, Mail::Frame(_)) => {
                match std::mem::replace(&mut self.mail, Mail::Empty) {
                    Mail::Frame(frame) => Some(Job::Frame(frame)),
                    Mail::Empty | Mail::Closed | Mail::Gone => None,
                }
            }
        }
    }
}

/// Whole sequences only: nothing of a frame comes between.
fn utter(terminal: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    terminal.write_all(bytes)?;
    terminal.flush()
}

/// Without asking where the cursor is, as `Terminal::clear` does: the answer would have to come through the keyboard,
/// where the desk reads keys.
fn clear<B: Backend>(terminal: &mut Terminal<B>) -> Result<(), B::Error> {
    let area = drawn(terminal.size()?);
    terminal.resize(area)
}

/// In one step for a terminal that knows how to (<https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036>):
/// half of a frame beside half of the last one is two moments on one screen. False when the terminal is gone.
fn paint<B: Backend + Write>(terminal: &mut Terminal<B>, frame: &Buffer) -> bool {
    queue!(terminal.backend_mut(), BeginSynchronizedUpdate).is_ok()
        && draw(terminal, frame).is_ok()
        && execute!(terminal.backend_mut(), EndSynchronizedUpdate).is_ok()
}

fn draw<B: Backend>(terminal: &mut Terminal<B>, frame: &Buffer) -> Result<(), B::Error> {
    let area = drawn(terminal.size()?);
    if terminal.get_frame().area() != area {
        terminal.resize(area)?;
    }
    terminal.draw(|screen| {
        let area = screen.area().intersection(frame.area);
        let cells = screen.buffer_mut();
        for position in area.positions() {
            if let (Some(to), Some(from)) = (cells.cell_mut(position), frame.cell(position)) {
                to.clone_from(from);
            }
        }
    })?;
    Ok(())
}
