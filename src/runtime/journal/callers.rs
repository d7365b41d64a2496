//! The callers at the socket, and the commands that they wait for.

use super::caller_event::CallerEvent;
use crate::{
    app::{CallerId, Msg},
    model::Ticket,
    runtime::base::lock::locked,
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

#[derive(Debug, Clone, Default)]
pub(crate) struct CallerRegistry(Arc<Mutex<Registered>>);

#[derive(Debug, Default)]
struct Registered {
    last: u64,
    waiting: HashMap<CallerId, UnboundedSender<CallerEvent>>,
    attending: HashMap<Ticket, Vec<UnboundedSender<CallerEvent>>>,
}

impl CallerRegistry {
    pub(crate) fn enter(&self) -> (CallerId, UnboundedReceiver<CallerEvent>) {
        let (sender, news) = unbounded_channel();
        let mut book = self.book();
        book.last += 1;
        let caller = CallerId(book.last);
        book.waiting.insert(caller, sender);
        (caller, news)
    }

    pub(crate) fn reject(&self, caller: CallerId, why: String) {
        let sender = self.book().waiting.remove(&caller);
        tell(sender.as_ref(), CallerEvent::TurnedAway(why));
    }

    /// From now on the caller receives the events of the ticket.
    pub(crate) fn attend(&self, caller: CallerId, ticket: Ticket) {
        let mut book = self.book();
        if let Some(sender) = book.waiting.remove(&caller) {
            tell(Some(&sender), CallerEvent::Taken);
            book.attending.entry(ticket).or_default().push(sender);
        }
    }

    /// Passes a message on to the callers that it concerns.
    pub(crate) fn hear(&self, msg: &Msg) {
        if let Msg::Progress(ticket, progress) = msg {
            let book = self.book();
            for sender in book.attending.get(ticket).into_iter().flatten() {
                tell(Some(sender), CallerEvent::Progress(progress.clone()));
            }
        }
        if let Msg::Settled(ticket, outcome) = msg {
            let senders = self.book().attending.remove(ticket);
            for sender in senders.iter().flatten() {
                tell(Some(sender), CallerEvent::Settled(outcome.clone()));
            }
        }
    }

    fn book(&self) -> MutexGuard<'_, Registered> {
        locked(&self.0)
    }
}

/// A caller that has disconnected is skipped.
fn tell(sender: Option<&UnboundedSender<CallerEvent>>, news: CallerEvent) {
    if let Some(sender) = sender {
        drop(sender.send(news));
    }
}
