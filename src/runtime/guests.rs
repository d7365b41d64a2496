//! Who waits at the door, and for which command.

use super::{door::News, lock::locked};
use crate::{
    app::{Guest, Msg},
    model::Ticket,
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

#[derive(Debug, Clone, Default)]
pub(super) struct Guests(Arc<Mutex<Book>>);

#[derive(Debug, Default)]
struct Book {
    last: u64,
    waiting: HashMap<Guest, UnboundedSender<News>>,
    attending: HashMap<Ticket, Vec<UnboundedSender<News>>>,
}

impl Guests {
    pub(super) fn enter(&self) -> (Guest, UnboundedReceiver<News>) {
        let (sender, news) = unbounded_channel();
        let mut book = self.book();
        book.last += 1;
        let guest = Guest(book.last);
        book.waiting.insert(guest, sender);
        (guest, news)
    }

    pub(super) fn turn_away(&self, guest: Guest, why: String) {
        let sender = self.book().waiting.remove(&guest);
        tell(sender.as_ref(), News::TurnedAway(why));
    }

    /// From now on the guest hears of the ticket.
    pub(super) fn attend(&self, guest: Guest, ticket: Ticket) {
        let mut book = self.book();
        if let Some(sender) = book.waiting.remove(&guest) {
            tell(Some(&sender), News::Taken);
            book.attending.entry(ticket).or_default().push(sender);
        }
    }

    /// Passes on what concerns a guest.
    pub(super) fn hear(&self, msg: &Msg) {
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

/// A guest who has left hears nothing, and needs to hear nothing.
fn tell(sender: Option<&UnboundedSender<News>>, news: News) {
    if let Some(sender) = sender {
        drop(sender.send(news));
    }
}
