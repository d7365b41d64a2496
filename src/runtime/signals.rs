//! The ways an operating system asks a program to leave, or to stop for a while.

use crate::app::Msg;
use std::io;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::mpsc::Sender,
};

/// What a signal asks of the desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// With the exit code a shell expects: 128 + the signal's number.
    Leave(u8),
    /// Until it is continued.
    Stop,
}

/// TERM, HUP, INT and QUIT; and TSTP, which comes from outside only: in raw mode Ctrl-Z is a key.
#[derive(Debug)]
pub(super) struct Signals {
    term: Signal,
    hup: Signal,
    int: Signal,
    quit: Signal,
    stop: Signal,
}

/// Passes every SIGUSR1 on as the wish to get out, for as long as the desk lives.
pub(super) fn flatten_on_signal(inbox: Sender<Msg>) -> io::Result<()> {
    let mut wish = signal(SignalKind::user_defined1())?;
    tokio::spawn(async move {
        while wish.recv().await.is_some() && inbox.send(Msg::Flatten).await.is_ok() {}
    });
    Ok(())
}

impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            term: signal(SignalKind::terminate())?,
            hup: signal(SignalKind::hangup())?,
            int: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            stop: signal(SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw()))?,
        })
    }

    /// The first signal that comes.
    pub(super) async fn caught(&mut self) -> Asked {
        tokio::select! {
            _ = self.term.recv() => Asked::Leave(143),
            _ = self.hup.recv() => Asked::Leave(129),
            _ = self.int.recv() => Asked::Leave(130),
            _ = self.quit.recv() => Asked::Leave(131),
            _ = self.stop.recv() => Asked::Stop,
        }
    }
}
