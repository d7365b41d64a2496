//! The keyboard and the mouse: a thread that reads the terminal, and the queue from which the desk takes input.
//!
//! Contract: the thread drains the terminal whatever the desk does, sleeps while nothing arrives, and ends when the
//! terminal is gone. crossterm's own reader can wait with unread bytes (crossterm issue 1057) and takes the halves of a
//! split sequence for keys, so perpdeck has its own.

mod decode;
mod event;
mod framer;
mod queue;
mod sequence;
#[cfg(fuzzing)]
pub(crate) mod testing;

use crate::{
    app::Model,
    runtime::{base::lock::locked, terminal::screen_mode as terminal},
};
pub(crate) use decode::decode;
pub(crate) use event::TerminalInput;
use framer::{Frame, Framer};
use futures_util::{Stream, stream};
use queue::{Letters, Queue};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use std::{
    fs::{File, OpenOptions},
    io::{self, IsTerminal as _, Read as _},
    os::fd::AsFd as _,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
    thread,
};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    time::Instant,
};

/// Shared by the reading thread and the desk.
#[derive(Debug, Default)]
struct KeyboardState {
    queue: Queue,
    ended: Option<io::Error>,
    waker: Option<Waker>,
}

/// A handle to the queue, for the thread and the desk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keyboard(Arc<Mutex<KeyboardState>>);

impl Keyboard {
    /// Starts reading the terminal.
    pub(crate) fn start(model: &Model) -> io::Result<Self> {
        let shared = KeyboardState {
            queue: Queue::new(model.keymap.clone()),
            ended: None,
            waker: None,
        };
        let keyboard = Self(Arc::new(Mutex::new(shared)));
        keyboard.update_bindings(model);
        let (terminal, to) = (terminal()?, keyboard.clone());
        let thread = thread::Builder::new().name("keyboard".into());
        thread.spawn(move || {
            let why = read(terminal, &to);
            to.change(|shared| shared.ended = Some(why));
        })?;
        Ok(keyboard)
    }

    /// Updates what keys mean, and whether letters are text.
    pub(crate) fn update_bindings(&self, model: &Model) {
        let letters = if model.takes_text() {
            Letters::AreText
        } else {
            Letters::AreKeys
        };
        let queue = &mut locked(&self.0).queue;
        queue.letters = letters;
        if queue.keymap != model.keymap {
            queue.keymap = model.keymap.clone();
        }
    }

    /// Inputs, and new sizes of the terminal, until it fails.
    pub(crate) fn inputs(
        &self,
    ) -> io::Result<impl Stream<Item = io::Result<TerminalInput>> + Unpin + use<>> {
        let mut resized = signal(SignalKind::window_change())?;
        let keyboard = self.clone();
        Ok(stream::poll_fn(move |context| {
            keyboard.poll(&mut resized, context)
        }))
    }

    fn poll(
        &self,
        resized: &mut Signal,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<TerminalInput>>> {
        if let Poll::Ready(Some(())) = resized.poll_recv(context) {
            return Poll::Ready(Some(terminal::size().map(TerminalInput::Resize)));
        }
        let mut shared = locked(&self.0);
        if let Some(input) = shared.queue.take() {
            return Poll::Ready(Some(Ok(input)));
        }
        if let Some(why) = shared.ended.take() {
            return Poll::Ready(Some(Err(why)));
        }
        shared.waker = Some(context.waker().clone());
        Poll::Pending
    }

    fn change(&self, change: impl FnOnce(&mut KeyboardState)) {
        let mut shared = locked(&self.0);
        change(&mut shared);
        let waker = shared.waker.take();
        drop(shared);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn put(&self, frames: Vec<Frame>, now: Instant) {
        if frames.is_empty() {
            return;
        }
        let inputs = frames.into_iter().filter_map(|frame| match frame {
            Frame::Whole(bytes) => decode(&bytes),
            Frame::Paste(text) => Some(TerminalInput::Paste(text)),
            Frame::BrokenPaste => Some(TerminalInput::DroppedPaste),
        });
        self.change(|shared| inputs.for_each(|input| shared.queue.put(input, now)));
    }
}

/// Standard input, or the controlling terminal if that is something else. Its mode is unchanged: the shell shares it.
fn terminal() -> io::Result<File> {
    let input = io::stdin();
    if input.is_terminal() {
        return Ok(File::from(input.as_fd().try_clone_to_owned()?));
    }
    OpenOptions::new().read(true).open("/dev/tty")
}

/// Reads until the terminal is gone; returns why.
fn read(mut terminal: File, to: &Keyboard) -> io::Error {
    let mut framer = Framer::new(Instant::now());
    let mut bytes = [0; 4096];
    loop {
        let until = framer.deadline();
        let is_ready = match wait(&terminal, until) {
            Ok(is_ready) => is_ready,
            Err(Errno::INTR) => continue,
            Err(why) => return why.into(),
        };
        if !is_ready {
            let now = Instant::now();
            to.put(framer.lapse(now), now);
            continue;
        }
        let read = match terminal.read(&mut bytes) {
            Ok(0) => return io::ErrorKind::UnexpectedEof.into(),
            Ok(count) => bytes.get(..count).unwrap_or_default(),
            Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
            Err(why) => return why,
        };
        let now = Instant::now();
        to.put(framer.take(read, now), now);
    }
}

/// Whether there is something to read before the deadline; a closed terminal is readable.
fn wait(terminal: &File, until: Option<Instant>) -> Result<bool, Errno> {
    let left = until.map(|until| until.saturating_duration_since(Instant::now()));
    let timeout = left.map(|left| Timespec::try_from(left).unwrap_or_default());
    let mut ends = [PollFd::new(terminal, PollFlags::IN)];
    Ok(poll(&mut ends, timeout.as_ref())? > 0)
}
