//! The journal's own thread: a disk that is slow makes a command wait, never the desk.

use crate::{
    app::{Msg, notice::Tone},
    journal::{Journal, JournalError},
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
    mpsc,
};
use tokio::sync::{mpsc::Sender, oneshot};

type Job = Box<dyn FnOnce(&mut Result<Journal, JournalError>) + Send>;

#[derive(Debug, Clone)]
pub(super) struct Scribe {
    jobs: mpsc::Sender<Job>,
    events: Sender<Msg>,
    told: Arc<AtomicBool>,
}

impl Scribe {
    /// `open` runs on the new thread. That the journal does not open, or later fails, is said once on
    /// `events`; each caller still gets the error.
    pub(super) fn spawn(
        open: impl FnOnce() -> Result<Journal, JournalError> + Send + 'static,
        events: Sender<Msg>,
    ) -> Self {
        let (jobs, inbox) = mpsc::channel::<Job>();
        std::thread::spawn(move || {
            let mut journal = open();
            while let Ok(job) = inbox.recv() {
                job(&mut journal);
            }
        });
        let scribe = Self {
            jobs,
            events,
            told: Arc::default(),
        };
        let first = scribe.clone();
        // The trader learns of a journal that does not open before the first order needs it.
        tokio::spawn(async move { first.write(|_| Ok(())).await });
        scribe
    }

    /// Runs `job` on the journal's thread, after all jobs before it, and waits for its result.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Journal) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |journal| {
            let result = match journal {
                Ok(journal) => job(journal),
                Err(why) => Err(why.clone()),
            };
            // Whoever asked has left; the work is done all the same.
            let _left = reply.send(result);
        });
        let sent = self.jobs.send(job).map_err(|_| JournalError::Stopped);
        let result = match sent {
            Ok(()) => answer.await.unwrap_or(Err(JournalError::Stopped)),
            Err(why) => Err(why),
        };
        if let Err(why) = &result {
            self.tell(why).await;
        }
        result
    }

    async fn tell(&self, why: &JournalError) {
        if self.told.swap(true, Ordering::Relaxed) {
            return;
        }
        let text = format!("{why}. New orders are held back; closing and canceling still work");
        // The desk is leaving: nobody is there to be told.
        let _closed = self.events.send(Msg::Said(Tone::Alert, text)).await;
    }
}
