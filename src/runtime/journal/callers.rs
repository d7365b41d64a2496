//! The callers at the socket, and the commands whose events they wait for.

use super::caller_event::CallerEvent;
use crate::{
    app::{CallerId, Effect, Msg},
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
    subscribed: HashMap<Ticket, Vec<UnboundedSender<CallerEvent>>>,
}

impl CallerRegistry {
    pub(crate) fn enter(&self) -> (CallerId, UnboundedReceiver<CallerEvent>) {
        let (sender, event) = unbounded_channel();
        let mut registered = self.registered();
        registered.last += 1;
        let caller = CallerId(registered.last);
        registered.waiting.insert(caller, sender);
        (caller, event)
    }

    pub(crate) fn reject(&self, caller: CallerId, why: String) {
        let sender = self.registered().waiting.remove(&caller);
        notify(sender.as_ref(), CallerEvent::TurnedAway(why));
    }

    /// Tells a caller how its request ended, if no command was made of it.
    pub(crate) fn answer(&self, effect: Effect) {
        if let Effect::RefuseCaller(caller, why) = effect {
            self.reject(caller, why);
        } else if let Effect::ConfirmAlerts(caller) = effect {
            let sender = self.registered().waiting.remove(&caller);
            notify(sender.as_ref(), CallerEvent::AlertsEdited);
        }
    }

    /// From now on the caller receives the events of the ticket.
    pub(crate) fn subscribe(&self, caller: CallerId, ticket: Ticket) {
        let mut registered = self.registered();
        if let Some(sender) = registered.waiting.remove(&caller) {
            notify(Some(&sender), CallerEvent::Taken);
            registered
                .subscribed
                .entry(ticket)
                .or_default()
                .push(sender);
        }
    }

    /// Forwards progress and outcomes to the callers that wait for the ticket.
    pub(crate) fn forward(&self, msg: &Msg) {
        if let Msg::Progress(ticket, progress) = msg {
            let registered = self.registered();
            for sender in registered.subscribed.get(ticket).into_iter().flatten() {
                notify(Some(sender), CallerEvent::Progress(progress.clone()));
            }
        }
        if let Msg::Settled(ticket, outcome) = msg {
            let senders = self.registered().subscribed.remove(ticket);
            for sender in senders.iter().flatten() {
                notify(Some(sender), CallerEvent::Settled(outcome.clone()));
            }
        }
    }

    fn registered(&self) -> MutexGuard<'_, Registered> {
        locked(&self.0)
    }
}

/// A caller that has disconnected is skipped.
fn notify(sender: Option<&UnboundedSender<CallerEvent>>, event: CallerEvent) {
    if let Some(sender) = sender {
        drop(sender.send(event));
    }
}
