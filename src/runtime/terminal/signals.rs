//! The signals that end or stop the desk.

use crate::app::Msg;
use futures_util::future::select_all;
use rustix::process::Signal as Raw;
use std::io;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::mpsc::{Receiver, Sender, channel},
};

/// What a signal requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignalRequest {
    /// Exit with this code: 128 + the signal's number, as shells expect.
    Leave(u8),
    /// Stop until the process is continued.
    Stop,
    /// The process was stopped, and goes on.
    GoOn,
}

/// Signals that end a program by default and would leave the terminal in raw mode. Others cannot be caught, or mean
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

/// The same for Linux only: power failure, an unused signal, and the real-time signals.
#[cfg(target_os = "linux")]
fn ends_of_the_system() -> impl Iterator<Item = i32> {
    const REAL_TIME: std::ops::RangeInclusive<i32> = 34..=64;
    [Raw::POWER, Raw::STKFLT]
        .map(Raw::as_raw)
        .into_iter()
        .chain(REAL_TIME)
}

#[cfg(not(target_os = "linux"))]
fn ends_of_the_system() -> impl Iterator<Item = i32> {
    std::iter::empty()
}

/// The signals that end the desk, and TSTP, which only comes from outside: in raw mode Ctrl-Z is a key.
#[derive(Debug)]
pub(crate) struct Signals {
    requests: Receiver<SignalRequest>,
}

/// Forwards every SIGUSR1 as a flatten, until the desk ends.
pub(crate) fn flatten_on_signal(inbox: Sender<Msg>) -> io::Result<()> {
    let mut flatten = signal(SignalKind::user_defined1())?;
    tokio::spawn(async move {
        while flatten.recv().await.is_some() && inbox.send(Msg::Flatten).await.is_ok() {}
    });
    Ok(())
}

impl Signals {
    /// Listens in a task of its own: the loop would look after all of them each time it wakes up.
    pub(crate) fn listen() -> io::Result<Self> {
        let ends = ENDS.map(Raw::as_raw).into_iter();
        let ends = ends.map(|number| Ok((exit_code(number), caught(number)?)));
        let mut ends = ends.collect::<io::Result<Vec<_>>>()?;
        // Some C libraries reserve real-time signals.
        let others = ends_of_the_system();
        ends.extend(others.filter_map(|number| Some((exit_code(number), caught(number).ok()?))));
        let stop = caught(Raw::TSTP.as_raw())?;
        let go_on = caught(Raw::CONT.as_raw())?;
        let (forwards, requests) = channel(1);
        tokio::spawn(forward(ends, [stop, go_on], forwards));
        Ok(Self { requests })
    }

    /// The next signal.
    pub(crate) async fn caught(&mut self) -> SignalRequest {
        let requests = self.requests.recv().await;
        requests.unwrap_or(SignalRequest::Leave(HANGUP))
    }
}

/// Forwards each signal, until the desk ends.
async fn forward(
    mut ends: Vec<(u8, Signal)>,
    [mut stop, mut go_on]: [Signal; 2],
    forwards: Sender<SignalRequest>,
) {
    loop {
        let ends = ends.iter_mut();
        let ends =
            ends.map(|(code, signal)| Box::pin(async { signal.recv().await.map(|()| *code) }));
        let requests = tokio::select! {
            (code, ..) = select_all(ends) => SignalRequest::Leave(code.unwrap_or(HANGUP)),
            _ = stop.recv() => SignalRequest::Stop,
            _ = go_on.recv() => SignalRequest::GoOn,
        };
        if forwards.send(requests).await.is_err() {
            return;
        }
    }
}

/// The exit code for a terminal that is gone.
pub(crate) const HANGUP: u8 = 129;

/// The exit code that a shell reports.
fn exit_code(number: i32) -> u8 {
    u8::try_from(number).map_or(u8::MAX, |number| number.saturating_add(128))
}

fn caught(number: i32) -> io::Result<Signal> {
    signal(SignalKind::from_raw(number))
}
