//! Takes the terminal, and restores it on every exit: return, error, panic and signal.
//!
//! Contract: a terminal that does not read blocks nothing. A thread of its own restores it without the lock of standard
//! output, which a blocked painter may hold for ever. After [`RESTORE_TIMEOUT`] the desk exits anyway.

use super::{
    area::drawn,
    drawing,
    mouse::{self, Mouse},
    painter::Painter,
    shown_screen::ShownScreen,
};
use crossterm::{
    cursor,
    event::{DisableBracketedPaste, EnableBracketedPaste},
    queue,
    terminal::{self, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen},
};
use ratatui::{
    backend::CrosstermBackend,
    layout::{Rect, Size},
};
use rustix::{
    process::{Signal, getpgrp, getpid, kill_process},
    termios::{Action, LocalModes, tcflow, tcgetattr, tcgetpgrp},
};
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

/// How long the exit waits for a terminal that does not read.
const RESTORE_TIMEOUT: Duration = Duration::from_millis(500);

pub(crate) type TerminalScreen = ShownScreen<CrosstermBackend<BufWriter<Stdout>>>;

/// Columns of the terminal; `None` if there is none.
pub fn columns() -> Option<usize> {
    let (columns, _) = terminal::size().ok()?;
    Some(usize::from(columns))
}

/// As standard output says. crossterm opens `/dev/tty` to ask, for each frame: a twentieth of what a key costs.
fn reported_size() -> io::Result<Size> {
    match rustix::termios::tcgetwinsize(io::stdout()) {
        Ok(reported) if reported.ws_col > 0 && reported.ws_row > 0 => {
            Ok(Size::new(reported.ws_col, reported.ws_row))
        }
        Ok(_) | Err(_) => terminal::size().map(Size::from),
    }
}

/// The part of the terminal that the desk draws on: all of it, up to the largest allowed screen.
pub(crate) fn size() -> io::Result<Rect> {
    reported_size().map(drawn)
}

/// The desk has the terminal while this value lives.
#[derive(Debug)]
pub(crate) struct TerminalGuard(Mouse);

impl TerminalGuard {
    /// Raw mode, alternate screen, hidden cursor, bracketed paste, and the mouse if it is the desk's.
    pub(crate) fn take(mouse: Mouse) -> io::Result<Self> {
        restore_on_panic();
        terminal::enable_raw_mode()?;
        let taken = Self(mouse);
        let mut out = io::stdout();
        out.write_all(&welcome(mouse))?;
        out.flush()?;
        Ok(taken)
    }

    /// Restores the terminal while the process is stopped by a signal, and takes it again afterwards.
    pub(crate) fn stop(&self, painter: &Painter) {
        painter.hold(farewell());
        drop(terminal::disable_raw_mode());
        // The process stops here, and goes on from here when it is continued.
        let _stopped = kill_process(getpid(), Signal::STOP);
        self.resume(painter);
    }

    /// After a stop, which may be one that could not be caught: others have changed the terminal and its mode meanwhile.
    /// In the background nobody sees a desk or its countdowns: it stops again, until it is in front.
    pub(crate) fn resume(&self, painter: &Painter) {
        wait_for_foreground();
        if is_in_background() {
            return;
        }
        // Where nobody has changed the mode, a key pressed meanwhile must not meet another.
        if !is_raw() {
            drop(terminal::disable_raw_mode());
        }
        drop(terminal::enable_raw_mode());
        painter.go_on(welcome(self.0));
        // The terminal reports its size only to the foreground, so the desk redraws for a size that may have changed.
        let _resized = kill_process(getpid(), Signal::WINCH);
    }

    pub(crate) fn screen() -> io::Result<TerminalScreen> {
        let out = BufWriter::with_capacity(FRAME_BYTES, io::stdout());
        let backend = CrosstermBackend::new(out);
        Ok(ShownScreen::new(backend, size()?, |_| reported_size()))
    }
}

/// The system stops a process that controls the terminal in the background, and tries again once it is continued. A
/// stop of the desk's own could come after the shell has put it in front. Known limit: where the signal is ignored, or
/// no shell is left, the desk goes on unseen.
fn wait_for_foreground() {
    if is_in_background() {
        // Changes nothing in front.
        let _waited = tcflow(io::stdout(), Action::OOn);
    }
}

/// Whether another process group, such as the shell, has the terminal.
pub(crate) fn is_in_background() -> bool {
    tcgetpgrp(io::stdout()).is_ok_and(|group| group != getpgrp())
}

/// Whether the terminal still hands every key to the desk, `ctrl-c` too.
fn is_raw() -> bool {
    let modes = tcgetattr(io::stdout()).map(|mode| mode.local_modes);
    modes.is_ok_and(|modes| !modes.intersects(LocalModes::ISIG | LocalModes::ICANON))
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        restore();
    }
}

/// Undoes everything [`TerminalGuard::take`] did. Safe to repeat; ignores a terminal that is gone, and waits a limited
/// time for one that does not read.
fn restore() {
    let (done, waited) = mpsc::channel();
    let writing = thread::Builder::new().spawn(move || {
        let out = io::stdout().as_fd().try_clone_to_owned();
        drop(out.and_then(|out| File::from(out).write_all(&farewell())));
        // After the time limit nobody receives it.
        let _late = done.send(());
    });
    if writing.is_ok() {
        let _late = waited.recv_timeout(RESTORE_TIMEOUT);
    }
    drop(terminal::disable_raw_mode());
}

fn farewell() -> Vec<u8> {
    let mut bytes: Vec<u8> = vec![];
    // Writing to a vector cannot fail. A frame may have been cut off midway.
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

/// A panic in any thread first restores the terminal, then reports, then ends the program: a desk in an undefined state
/// must not trade on. A panic while drawing only loses the frame.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if drawing::is_of_a_frame(info) {
                return;
            }
            stop_painting();
            restore();
            exit_after_timeout();
            report(info);
            std::process::exit(PANICKED);
        }));
    });
}

/// Takes the lock of standard output and keeps it: a frame that is being painted must not go on after the terminal is
/// restored.
fn stop_painting() {
    let (done, waited) = mpsc::channel();
    let holding = thread::Builder::new().spawn(move || {
        let _out = io::stdout().lock();
        // After the time limit nobody receives it.
        let _late = done.send(());
        loop {
            thread::park();
        }
    });
    if holding.is_ok() {
        let _late = waited.recv_timeout(RESTORE_TIMEOUT);
    }
}

/// The exit code of a panic.
const PANICKED: i32 = 101;

/// Ends the program after a time limit: the panic report goes to the same terminal, which may not read.
fn exit_after_timeout() {
    // Without a thread for this, the report alone ends the program.
    drop(thread::Builder::new().spawn(|| {
        let (_silent, never) = mpsc::channel::<()>();
        let _waited = never.recv_timeout(RESTORE_TIMEOUT);
        std::process::exit(PANICKED);
    }));
}

#[cfg(test)]
mod tests;
