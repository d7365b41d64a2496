//! The ways an operating system asks a program to leave.

use crate::app::Msg;
use std::io;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::mpsc::Sender,
};

/// TERM, HUP, INT and QUIT, each with the exit code a shell expects (128 + number).
#[derive(Debug)]
pub(super) struct Signals {
    term: Signal,
    hup: Signal,
    int: Signal,
    quit: Signal,
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
