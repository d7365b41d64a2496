//! Who waits at the socket, and for which command.

use super::socket::News;
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
pub(crate) struct Callers(Arc<Mutex<Book>>);

#[derive(Debug, Default)]
struct Book {
    last: u64,
    waiting: HashMap<CallerId, UnboundedSender<News>>,
    attending: HashMap<Ticket, Vec<UnboundedSender<News>>>,
}

impl Callers {
    pub(crate) fn enter(&self) -> (CallerId, UnboundedReceiver<News>) {
        let (sender, news) = unbounded_channel();
        let mut book = self.book();
        book.last += 1;
        let caller = CallerId(book.last);
        book.waiting.insert(caller, sender);
        (caller, news)
    }

    pub(crate) fn turn_away(&self, caller: CallerId, why: String) {
        let sender = self.book().waiting.remove(&caller);
        tell(sender.as_ref(), News::TurnedAway(why));
    }

    /// From now on the caller hears of the ticket.
    pub(crate) fn attend(&self, caller: CallerId, ticket: Ticket) {
        let mut book = self.book();
        if let Some(sender) = book.waiting.remove(&caller) {
            tell(Some(&sender), News::Taken);
            book.attending.entry(ticket).or_default().push(sender);
        }
    }

    /// Passes on what concerns a caller.
    pub(crate) fn hear(&self, msg: &Msg) {
        if let Msg::Progress(ticket, progress) = msg {
            let book = self.book();
            for sender in book.attending.get(ticket).into_iter().flatten() {
                tell(Some(sender), News::Progress(progress.clone()));
            }
        }
        if let Msg::Settled(ticket, outcome) = msg {
            let senders = self.book().attending.remove(ticket);
            for sender in senders.iter().flatten() {
                tell(Some(sender), News::Settled(outcome.clone()));
            }
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        locked(&self.0)
    }
}

/// A caller who has left hears nothing, and needs to hear nothing.
fn tell(sender: Option<&UnboundedSender<News>>, news: News) {
    if let Some(sender) = sender {
        drop(sender.send(news));
    }
}
