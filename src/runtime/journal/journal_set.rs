//! The journals that a desk writes: its own, and an overflow journal while another desk holds its own.
//!
//! Contract: the journal's thread owns them. While another desk holds the journal, this desk checks the lock at least
//! twice a second, takes the journal over when it is free, and writes to an overflow journal until then, as a verb
//! does. A row stays in the journal it was begun in. Rows that are open there when this desk ends are imported by the
//! next one.

use crate::{
    journal::{Holder, IntentId, Journal, JournalError},
    model::ProcessKind,
};
use std::{
    mem,
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};

/// Poll interval while another desk holds the journal lock.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(500);

pub(crate) type OpenResult = Result<Journal, JournalError>;

/// Runs on the journal's thread.
pub(crate) type JournalJob = Box<dyn FnOnce(&mut JournalSet) + Send>;

/// Called with the own journal once it is open.
pub(crate) type OnOpened = Box<dyn FnOnce(&Journal) + Send>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JournalKind {
    Own,
    Overflow,
}

/// Which journal an intent is in, and its number there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IntentLocation {
    kind: JournalKind,
    id: IntentId,
}

impl IntentLocation {
    /// In the desk's own journal.
    pub(crate) fn own(id: IntentId) -> Self {
        let kind = JournalKind::Own;
        Self { kind, id }
    }
}

/// The journal of an intent, and its number there.
pub(crate) type LocatedIntent<'a> = (&'a mut Journal, IntentId);

/// A reference to an intent that the journal's thread fills in when it writes the row; later writes find the row by it.
pub(crate) type IntentRef = Arc<OnceLock<IntentLocation>>;

/// A reference to a row that exists.
pub(crate) fn known_ref(location: IntentLocation) -> IntentRef {
    IntentRef::from(OnceLock::from(location))
}

pub(crate) struct JournalSet {
    process: ProcessKind,
    own: OpenResult,
    /// Opened at the first write and then kept open.
    overflow: Option<Journal>,
    /// Jobs for the own journal, until it is taken over.
    waiting: Vec<JournalJob>,
    on_opened: Option<OnOpened>,
}

impl JournalSet {
    pub(crate) fn new(process: ProcessKind, own: OpenResult, on_opened: OnOpened) -> Self {
        Self {
            process,
            own,
            overflow: None,
            waiting: vec![],
            on_opened: Some(on_opened),
        }
    }

    /// The desk that holds the journal; `None` if this process does, whether or not the journal works.
    pub(crate) fn holder(&self) -> Option<Holder> {
        self.own.as_ref().err()?.holder().cloned()
    }

    /// The holder that this process takes over from when it is gone.
    fn predecessor(&self) -> Option<Holder> {
        match self.process {
            ProcessKind::Desk => self.holder(),
            ProcessKind::Verb => None,
        }
    }

    /// The desk's own journal.
    pub(crate) fn own(&mut self) -> Result<&mut Journal, JournalError> {
        self.own.as_mut().map_err(|why| why.clone())
    }

    /// Reads the journal, whoever holds it. A journal that another desk holds is checked from end to end first, on a
    /// thread of its own: this thread must stay free to record closes and cancels.
    pub(crate) fn read(&self, look: impl FnOnce(Result<&Journal, JournalError>) + Send + 'static) {
        match &self.own {
            Ok(own) => look(Ok(own)),
            Err(JournalError::Held(Holder { dir, .. })) => {
                let dir = dir.clone();
                thread::spawn(move || {
                    let journal = Journal::open_read_only(&dir);
                    look(journal.as_ref().map_err(Clone::clone));
                });
            }
            Err(why) => look(Err(why.clone())),
        }
    }

    /// The journal for new rows.
    pub(crate) fn current_journal(&mut self) -> Result<&mut Journal, JournalError> {
        self.open(self.current())
    }

    /// Where a row of [`Self::current_journal`] is.
    pub(crate) fn location(&self, id: IntentId) -> IntentLocation {
        let kind = self.current();
        IntentLocation { kind, id }
    }

    /// The row's number if the row is in the journal for new rows: only rows of the same journal can be its parts.
    pub(crate) fn number(&self, intent_ref: &IntentRef) -> Option<IntentId> {
        let location = intent_ref
            .get()
            .filter(|location| location.kind == self.current());
        location.map(|location| location.id)
    }

    /// The journal and number of the row, if it was written.
    pub(crate) fn locate(
        &mut self,
        intent_ref: &IntentRef,
    ) -> Result<Option<LocatedIntent<'_>>, JournalError> {
        match intent_ref.get().copied() {
            Some(location) => Ok(Some((self.open(location.kind)?, location.id))),
            None => Ok(None),
        }
    }

    fn current(&self) -> JournalKind {
        self.holder()
            .map_or(JournalKind::Own, |_| JournalKind::Overflow)
    }

    fn open(&mut self, kind: JournalKind) -> Result<&mut Journal, JournalError> {
        match kind {
            JournalKind::Own => self.own(),
            JournalKind::Overflow => self.overflow_journal(),
        }
    }

    fn overflow_journal(&mut self) -> Result<&mut Journal, JournalError> {
        if self.overflow.is_none()
            && let Err(held @ JournalError::Held(Holder { dir, .. })) = &self.own
        {
            // If it does not open now, the next write tries again.
            let (_, opened) = Journal::open_overflow(dir).ok_or_else(|| held.clone())?;
            self.overflow = Some(opened?);
        }
        self.overflow.as_mut().ok_or(JournalError::Stopped)
    }

    /// Runs the job now, or first after the take-over.
    pub(crate) fn run_when_own(&mut self, job: JournalJob) {
        match self.holder() {
            Some(_) => self.waiting.push(job),
            None => job(self),
        }
    }

    /// How long until the lock is due for another check; `None` if there is nothing to take over.
    pub(crate) fn poll_interval(&self) -> Option<Duration> {
        self.predecessor().map(|_| LOCK_POLL_INTERVAL)
    }

    /// Takes over the journal if its holder is gone.
    pub(crate) fn try_take_over(&mut self) {
        let Some(Holder { dir, .. }) = self.predecessor() else {
            return;
        };
        // If that fails, the error names the present holder.
        self.own = Journal::open(&dir);
        if let (Ok(own), Some(overflow)) = (&mut self.own, &mut self.overflow) {
            own.take_halts_from(overflow);
        }
    }

    /// Runs the waiting jobs if the journal is this desk's by now.
    pub(crate) fn run_waiting_jobs(&mut self) {
        if let Ok(own) = &self.own
            && let Some(on_opened) = self.on_opened.take()
        {
            on_opened(own);
        }
        if self.holder().is_none() {
            for job in mem::take(&mut self.waiting) {
                job(self);
            }
        }
    }
}
