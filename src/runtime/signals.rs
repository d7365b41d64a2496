//! The ways an operating system asks a program to leave.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// TERM, HUP, INT and QUIT, each with the exit code a shell expects (128 + number).
#[derive(Debug)]
pub(super) struct Signals {
    term: Signal,
    hup: Signal,
    int: Signal,
    quit: Signal,
}

impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            term: signal(SignalKind::terminate())?,
            hup: signal(SignalKind::hangup())?,
            int: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
        })
    }

    /// The exit code of the first signal that comes.
    pub(super) async fn caught(&mut self) -> u8 {
        tokio::select! {
            _ = self.term.recv() => 143,
            _ = self.hup.recv() => 129,
            _ = self.int.recv() => 130,
            _ = self.quit.recv() => 131,
        }
    }
}
