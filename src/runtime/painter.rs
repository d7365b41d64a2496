//! The thread that writes to the terminal. A terminal that stops reading stops the painter, never the
//! loop: frames wait in a mailbox of one, and only the newest is drawn.

use ratatui::{Terminal, backend::Backend, buffer::Buffer};
use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
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

#[derive(Debug)]
struct Mailbox {
    mail: Mutex<Mail>,
    changed: Condvar,
}

#[derive(Debug)]
pub(super) struct Painter(Arc<Mailbox>);

impl Painter {
    pub(super) fn start<B>(mut terminal: Terminal<B>) -> Self
    where
        B: Backend + Send + 'static,
    {
        let mailbox = Arc::new(Mailbox {
            mail: Mutex::new(Mail::Empty),
            changed: Condvar::new(),
        });
        let inbox = Arc::clone(&mailbox);
        thread::spawn(move || {
            let mut shown = None;
            while let Some(frame) = inbox.take() {
                if shown.as_ref() == Some(&frame) {
                    continue;
                }
                // A terminal that refuses a frame is gone; the signal that follows ends the desk.
                if paint(&mut terminal, &frame).is_err() {
                    break;
                }
                shown = Some(frame);
            }
            inbox.put(Mail::Gone);
        });
        Self(mailbox)
    }

    /// Replaces whatever frame still waits.
    pub(super) fn show(&self, frame: Buffer) {
        self.0.put(Mail::Frame(Box::new(frame)));
    }
}

impl Drop for Painter {
    fn drop(&mut self) {
        self.0.put(Mail::Closed);
        let mail = self.0.mail.lock().unwrap_or_else(PoisonError::into_inner);
        let still_painting = |mail: &mut Mail| !matches!(mail, Mail::Gone);
        drop(
            self.0
                .changed
                .wait_timeout_while(mail, LAST_FRAME, still_painting),
        );
    }
}

impl Mailbox {
    /// A painter that has left stays gone.
    fn put(&self, new: Mail) {
        let mut mail = self.mail.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*mail, Mail::Gone) {
            *mail = new;
        }
        drop(mail);
        self.changed.notify_all();
    }

    /// Waits for a frame; `None` when the desk is leaving.
    fn take(&self) -> Option<Box<Buffer>> {
        let mut mail = self.mail.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match std::mem::replace(&mut *mail, Mail::Empty) {
                Mail::Frame(frame) => return Some(frame),
                Mail::Closed | Mail::Gone => return None,
                Mail::Empty => {
                    mail = self
                        .changed
                        .wait(mail)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
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
