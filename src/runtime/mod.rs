//! Everything impure: the loop, the terminal, the clock, the tasks.
//!
//! Contract: the loop takes one message at a time, asks `app::update`, sends the effects away and lets the
//! painter draw. It never waits for a terminal, a disk or a socket; it does nothing when nothing happens.

mod clock;
mod desk;
mod door;
mod export;
mod flatten;
mod frame;
mod guests;
mod input;
mod jitter;
mod mouse;
mod outbox;
mod painter;
mod picture;
mod poller;
mod recovery;
mod renewals;
mod scribe;
mod services;
mod signal;
mod signals;
mod terminal;

pub use clock::Clock;
pub use desk::{End, Start, desk};
pub use door::{Asked, Caller, TurnedAway, call};
pub use mouse::Mouse;
pub use outbox::Outbox;
pub use picture::picture;
pub use poller::Poller;
pub use renewals::{News, Renewals, Wish};
pub use scribe::open as open_journal;
pub use services::Far;
pub use signal::Terminal;
pub use terminal::columns;

use crate::{
    app::{Effect, Model, Msg, keymap::Chord, update, wake},
    ui::{self, Scrolls},
};
use crossterm::event::{Event, KeyEventKind};
use frame::{Cause, FrameGate};
use futures_util::{Stream, StreamExt};
use ratatui::{buffer::Buffer, layout::Rect};
use std::{future::pending, io};
use tokio::{
    select,
    sync::mpsc::{Receiver, UnboundedSender},
};

/// What the loop is joined to.
struct Wires<I> {
    input: I,
    mail: Receiver<Msg>,
    effects: UnboundedSender<Effect>,
    clock: Clock,
    scrolls: Scrolls,
    terminal: Terminal,
    renewals: Renewals,
}

/// What the terminal gets.
#[derive(Debug)]
enum Out {
    Frame(Buffer),
    /// Bytes that draw nothing.
    Aside(Vec<u8>),
}

/// Runs until the model quits or the input ends. `show` gets every frame worth drawing, and what is said beside them.
async fn run<I>(mut wires: Wires<I>, mut size: Rect, model: &mut Model, mut show: impl FnMut(Out))
where
    I: Stream<Item = io::Result<Event>> + Unpin,
{
    let mut gate = FrameGate::open();
    loop {
        let (msg, cause) = select! {
            biased; // a due frame first (60 Hz at most), then the person, then the network, then time
            () = gate.due() => {
                let mut frame = Buffer::empty(size);
                ui::render(&mut frame, model, &mut wires.scrolls);
                show(Out::Frame(frame));
                gate.drawn();
                continue;
            }
            event = wires.input.next() => match event {
                Some(Ok(event)) => match taken(event, &mut size, &mut wires.scrolls) {
                    Some(msg) => (msg, Cause::Person),
                    None => continue,
                },
                Some(Err(_)) | None => return,
            },
            Some(msg) = wires.mail.recv() => {
                let cause = cause(&msg);
                (msg, cause)
            }
            Some(news) = wires.renewals.news.recv() => {
                if let Some(theme) = news.theme {
                    wires.scrolls.theme = theme;
                }
                (news.msg, Cause::Person)
            }
            () = next_change(model, wires.clock) => (Msg::Tick, Cause::Background),
        };
        for effect in take(msg, model, wires.clock) {
            if effect == Effect::Quit {
                return;
            }
            if let Effect::Signal(signal) = &effect {
                let bytes = signal::bytes(signal, model, &wires.scrolls.zone, wires.terminal);
                show(Out::Aside(bytes));
            } else if effect == Effect::Reread {
                // A desk whose settings nobody reads again is a picture.
                drop(wires.renewals.wishes.send(Wish::Read));
            } else {
                // The far side lives as long as the loop; if it is gone the desk is leaving.
                drop(wires.effects.send(effect));
            }
        }
        gate.want(cause);
    }
}

/// Takes a message in, after the news that the wall clock was set.
fn take(msg: Msg, model: &mut Model, clock: Clock) -> Vec<Effect> {
    let (now, drift) = (clock.now(), clock.drift());
    let set = drift.is_step(model.drift).then_some(Msg::ClockSet(drift));
    let msgs = set.into_iter().chain([msg]);
    msgs.flat_map(|msg| update(model, now, msg)).collect()
}

/// What becomes of a command is news the person waits for; what a poll brings can wait for its flock.
fn cause(msg: &Msg) -> Cause {
    match msg {
        Msg::Polled(_) | Msg::Booked(..) | Msg::Called(_) | Msg::TriesAgain(_) | Msg::Tick => {
            Cause::Background
        }
        Msg::Key(_)
        | Msg::Unseen(_)
        | Msg::Paste(_)
        | Msg::Click(_)
        | Msg::Scrolled(..)
        | Msg::Opened(_)
        | Msg::Progress(..)
        | Msg::Settled(..)
        | Msg::Ended(..)
        | Msg::Resumed(..)
        | Msg::Offered(..)
        | Msg::Written(_)
        | Msg::ClockSet(_)
        | Msg::Flatten
        | Msg::Asked(..)
        | Msg::Halted(_)
        | Msg::Reread(_)
        | Msg::Said(..) => Cause::Person,
    }
}

/// What the terminal reports, as far as it concerns the desk.
fn taken(event: Event, size: &mut Rect, scrolls: &mut Scrolls) -> Option<Msg> {
    match event {
        // Repeats are how a held key must not confirm anything (kitty tells them apart; others cannot).
        Event::Key(key) if key.kind == KeyEventKind::Press => Some(pressed(key.into(), *size)),
        Event::Paste(_) if !ui::fits(*size) => None,
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(width, height) => {
            *size = Rect::new(0, 0, width, height);
            Some(Msg::Tick)
        }
        Event::Mouse(event) => mouse::meant(event, scrolls),
        Event::Key(_) | Event::FocusGained | Event::FocusLost => None,
    }
}

/// What is not drawn must hear no key.
fn pressed(chord: Chord, screen: Rect) -> Msg {
    if ui::fits(screen) {
        Msg::Key(chord)
    } else {
        Msg::Unseen(chord)
    }
}

/// Sleeps until time alone changes something; for ever when nothing on the screen moves.
async fn next_change(model: &Model, clock: Clock) {
    match (wake(model), clock) {
        (Some(at), Clock::Running(_)) => tokio::time::sleep(clock.until(at)).await,
        (Some(_), Clock::Frozen(_)) | (None, _) => pending().await,
    }
}

#[cfg(test)]
mod tests;
