//! The thread that writes to the terminal. A terminal that stops reading stops the painter, never the
//! loop: frames wait in a mailbox of one, and only the newest is drawn.

use ratatui::{Terminal, backend::Backend, buffer::Buffer};
use std::{
    io::{self, Write},
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
}

/// A terminal that has stopped reading is not to be rung for ever.
const MOST_ASIDE: usize = 256 * 1024;

enum Job {
    Frame(Box<Buffer>),
    Aside(Vec<u8>),
}

#[derive(Debug)]
struct Mailbox {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Debug)]
pub(super) struct Painter(Arc<Mailbox>);

impl Painter {
    pub(super) fn start<B>(mut terminal: Terminal<B>) -> Self
    where
        B: Backend + Write + Send + 'static,
    {
        let mailbox = Arc::new(Mailbox {
            waiting: Mutex::new(Waiting {
                mail: Mail::Empty,
                aside: vec![],
            }),
            changed: Condvar::new(),
        });
        let inbox = Arc::clone(&mailbox);
        thread::spawn(move || {
            let mut shown = None;
            while let Some(job) = inbox.take() {
                // A terminal that refuses anything is gone; the signal that follows ends the desk.
                let written = match job {
                    Job::Frame(frame) if shown.as_ref() == Some(&frame) => continue,
                    Job::Frame(frame) => {
                        let painted = paint(&mut terminal, &frame).is_ok();
                        shown = Some(frame);
                        painted
                    }
                    Job::Aside(bytes) => utter(terminal.backend_mut(), &bytes).is_ok(),
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
    pub(super) fn say(&self, bytes: Vec<u8>) {
        self.0.say(bytes);
    }

    /// Replaces whatever frame still waits.
    pub(super) fn show(&self, frame: Buffer) {
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
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
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
        loop {
            if !waiting.aside.is_empty() {
                return Some(Job::Aside(std::mem::take(&mut waiting.aside)));
            }
            match std::mem::replace(&mut waiting.mail, Mail::Empty) {
                Mail::Frame(frame) => return Some(Job::Frame(frame)),
                Mail::Closed | Mail::Gone => return None,
                Mail::Empty => {
                    waiting = self
                        .changed
                        .wait(waiting)
                        .unwrap_or_else(PoisonError::into_inner);
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

fn paint<B: Backend>(terminal: &mut Terminal<B>, frame: &Buffer) -> Result<(), B::Error> {
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
