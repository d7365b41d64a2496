//! The callers at the socket that wait for an answer.

use crate::{app::CallerId, runtime::base::lock::locked};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use tokio::sync::oneshot;

/// `Err` with the reason if nothing was done.
pub(crate) type CallerAnswer = Result<(), String>;

#[derive(Debug, Clone, Default)]
pub(crate) struct CallerRegistry(Arc<Mutex<Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    last: u64,
    callers: HashMap<CallerId, oneshot::Sender<CallerAnswer>>,
}

impl CallerRegistry {
    pub(crate) fn register(&self) -> (CallerId, oneshot::Receiver<CallerAnswer>) {
        let (sender, answer) = oneshot::channel();
        let mut waiting = locked(&self.0);
        waiting.last += 1;
        let caller = CallerId(waiting.last);
        waiting.callers.insert(caller, sender);
        (caller, answer)
    }

    pub(crate) fn answer(&self, caller: CallerId, answer: CallerAnswer) {
        let sender = locked(&self.0).callers.remove(&caller);
        // A caller that has disconnected is skipped.
        let _left = sender.map(|sender| sender.send(answer));
    }
}
