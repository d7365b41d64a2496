//! The thread that reads the terminal.
//!
//! When a terminal is gone, crossterm's reader spins and never comes back (crossterm issue 793). On a thread of its
//! own it takes nothing with it: the hang-up signal ends the desk, and the desk's end ends the thread.

use crossterm::event::{Event, read};
use futures_util::{Stream, stream};
use std::{io, thread};
use tokio::sync::mpsc::channel;

/// Events that may wait for the loop; a paste is one.
const WAITING: usize = 256;

/// What the terminal reports, until it fails.
pub(super) fn events() -> impl Stream<Item = io::Result<Event>> + Unpin {
    let (sender, mut events) = channel(WAITING);
    thread::spawn(move || {
        loop {
            let event = read();
            let failed = event.is_err();
            if sender.blocking_send(event).is_err() || failed {
                return;
            }
        }
    });
    stream::poll_fn(move |context| events.poll_recv(context))
}
