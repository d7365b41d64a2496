//! The ways an operating system asks a program to leave, or to stop for a while.

use crate::app::Msg;
use futures_util::future::select_all;
use rustix::process::Signal as Raw;
use std::io;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::mpsc::Sender,
};

/// What a signal asks of the desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// With the exit code a shell expects: 128 + the signal's number.
    Leave(u8),
    /// Until it is continued.
    Stop,
}

/// What ends a program that does not catch it, leaving the terminal as the desk had it. Others cannot be caught, or mean
/// that the program is broken.
const ENDS: [Raw; 12] = [
    Raw::TERM,
    Raw::HUP,
    Raw::INT,
    Raw::QUIT,
    Raw::USR2,
    Raw::ALARM,
    Raw::VTALARM,
    Raw::PROF,
    Raw::XCPU,
    Raw::IO,
    Raw::TRAP,
    Raw::SYS,
];

/// The signals that ask the desk to leave; and TSTP, which comes from outside only: in raw mode Ctrl-Z is a key.
#[derive(Debug)]
pub(crate) struct Signals {
    ends: Vec<(u8, Signal)>,
    stop: Signal,
    /// A file that grows past a limit: its write fails, which is told where it is written.
    _file_limit: Signal,
}

/// Passes every SIGUSR1 on as the wish to get out, for as long as the desk lives.
pub(crate) fn flatten_on_signal(inbox: Sender<Msg>) -> io::Result<()> {
    let mut wish = signal(SignalKind::user_defined1())?;
    tokio::spawn(async move {
        while wish.recv().await.is_some() && inbox.send(Msg::Flatten).await.is_ok() {}
    });
    Ok(())
}

impl Signals {
    pub(crate) fn listen() -> io::Result<Self> {
        let ends = ENDS.into_iter().map(|end| {
            let code = u8::try_from(end.as_raw()).unwrap_or(u8::MAX);
            Ok((code.saturating_add(128), caught(end)?))
        });
        Ok(Self {
            ends: ends.collect::<io::Result<_>>()?,
            stop: caught(Raw::TSTP)?,
            _file_limit: caught(Raw::XFSZ)?,
        })
    }

    /// The first signal that comes.
    pub(crate) async fn caught(&mut self) -> Asked {
        let ends = self.ends.iter_mut();
        let ends =
            ends.map(|(code, signal)| Box::pin(async { signal.recv().await.map(|()| *code) }));
        tokio::select! {
            (code, ..) = select_all(ends) => Asked::Leave(code.unwrap_or(HANGUP)),
            _ = self.stop.recv() => Asked::Stop,
        }
    }
}

/// As a terminal that is gone.
pub(crate) const HANGUP: u8 = 129;

fn caught(number: Raw) -> io::Result<Signal> {
    signal(SignalKind::from_raw(number.as_raw()))
}
