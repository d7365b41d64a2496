//! Taking the terminal, and giving it back on every way out: return, error, panic and signal.
//!
//! Contract: a terminal that does not read holds nobody back. It is given back from a thread of its own, past the lock of
//! the standard output, which a painter may hold for ever; after [`LAST_WORDS`] the desk leaves all the same.

use super::{
    area::drawn,
    drawing,
    mouse::{self, Mouse},
    painter::Painter,
};
use crossterm::{
    cursor,
    event::{DisableBracketedPaste, EnableBracketedPaste},
    queue,
    terminal::{self, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen},
};
use ratatui::{Terminal, TerminalOptions, Viewport, backend::CrosstermBackend, layout::Rect};
use rustix::process::{Signal, getpid, kill_process};
use std::{
    fs::File,
    io::{self, BufWriter, Stdout, Write as _},
    os::fd::AsFd as _,
    panic,
    sync::{Once, mpsc},
    thread,
    time::Duration,
};

/// One write per frame: a full repaint at 200x60 is about 16 KB.
const FRAME_BYTES: usize = 128 * 1024;

/// How long leaving waits for a terminal that does not read.
const LAST_WORDS: Duration = Duration::from_millis(500);

pub(crate) type Screen = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// How many characters one line of the terminal holds; `None` where there is none.
pub fn columns() -> Option<usize> {
    let (columns, _) = terminal::size().ok()?;
    Some(usize::from(columns))
}

/// How much of the terminal the desk draws on: all of it, unless it says that it is larger than any screen.
pub(crate) fn size() -> io::Result<Rect> {
    terminal::size().map(|size| drawn(size.into()))
}

/// The terminal is ours while this lives.
#[derive(Debug)]
pub(crate) struct Taken(Mouse);

impl Taken {
    /// Raw mode, the other screen, no cursor, paste in brackets; the mouse where it is the desk's.
    pub(crate) fn take(mouse: Mouse) -> io::Result<Self> {
        give_back_on_panic();
        terminal::enable_raw_mode()?;
        let taken = Self(mouse);
        let mut out = io::stdout();
        out.write_all(&welcome(mouse))?;
        out.flush()?;
        Ok(taken)
    }

    /// Gives it back for as long as the process is stopped from outside, and takes it again when it is continued.
    pub(crate) fn stop(&self, painter: &Painter) {
        painter.hold(farewell());
        drop(terminal::disable_raw_mode());
        // What asked for the stop is not ours to refuse: the process ends up stopped, and goes on from here.
        let _stopped = kill_process(getpid(), Signal::STOP);
        drop(terminal::enable_raw_mode());
        painter.go_on(welcome(self.0));
        // A terminal tells its size to those in front only, and the desk draws a screen that may have changed at once.
        let _resized = kill_process(getpid(), Signal::WINCH);
    }

    pub(crate) fn screen() -> io::Result<Screen> {
        let out = BufWriter::with_capacity(FRAME_BYTES, io::stdout());
        let viewport = Viewport::Fixed(size()?);
        let backend = CrosstermBackend::new(out);
        Terminal::with_options(backend, TerminalOptions { viewport })
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        give_back();
    }
}

/// Undoes everything [`Taken::take`] did. Safe to repeat; a terminal that is gone cannot be helped, and one that nobody
/// reads holds nobody back.
fn give_back() {
    let (done, waited) = mpsc::channel();
    let writing = thread::Builder::new().spawn(move || {
        let out = io::stdout().as_fd().try_clone_to_owned();
        drop(out.and_then(|out| File::from(out).write_all(&farewell())));
        // Nobody waits any more when it took too long.
        let _unheard = done.send(());
    });
    if writing.is_ok() {
        let _late = waited.recv_timeout(LAST_WORDS);
    }
    drop(terminal::disable_raw_mode());
}

fn farewell() -> Vec<u8> {
    let mut bytes: Vec<u8> = vec![];
    // A vector takes every byte. A frame may have been cut off in its middle.
    drop(queue!(
        bytes,
        EndSynchronizedUpdate,
        mouse::GiveBack,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        cursor::Show
    ));
    bytes
}

fn welcome(mouse: Mouse) -> Vec<u8> {
    let mut bytes: Vec<u8> = vec![];
    drop(queue!(
        bytes,
        EnterAlternateScreen,
        EnableBracketedPaste,
        cursor::Hide
    ));
    if mouse == Mouse::Desk {
        drop(queue!(bytes, mouse::Take));
    }
    bytes
}

/// A panic in any thread gives the terminal back first, then reports, then ends the program: a desk in
/// an undefined state must not trade on. What panics while a frame is drawn costs the frame only.
fn give_back_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if drawing::is_of_a_frame(info) {
                return;
            }
            stop_painting();
            give_back();
            leave_soon();
            report(info);
            std::process::exit(PANICKED);
        }));
    });
}

/// A frame that is being painted would go on behind the terminal's return: from here on whoever writes waits for the lock
/// of the standard output, which is never let go again.
fn stop_painting() {
    let (done, waited) = mpsc::channel();
    let holding = thread::Builder::new().spawn(move || {
        let _out = io::stdout().lock();
        // Nobody waits any more when it took too long.
        let _unheard = done.send(());
        loop {
            thread::park();
        }
    });
    if holding.is_ok() {
        let _late = waited.recv_timeout(LAST_WORDS);
    }
}

/// What a shell sees of a panic.
const PANICKED: i32 = 101;

/// The report goes to the same terminal: one that does not read must not keep the program.
fn leave_soon() {
    // A program that has no thread left for this is ended by the report alone.
    drop(thread::Builder::new().spawn(|| {
        let (_silent, never) = mpsc::channel::<()>();
        let _waited = never.recv_timeout(LAST_WORDS);
        std::process::exit(PANICKED);
    }));
}

#[cfg(test)]
mod tests;
