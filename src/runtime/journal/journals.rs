//! The journals that a desk writes: its own, and while another desk has that one, a journal beside it.
//!
//! Contract: they live on the scribe's thread. A journal that another desk has is looked at twice a second at
//! least, and taken as soon as that one is gone. Until then what is written goes beside it, under `aside`, as a verb's does. A row stays in
//! the one it was begun in; what is open there when this desk ends, the next one takes in.

use crate::journal::{IntentId, Journal, JournalError};
use std::{
    fmt, mem,
    path::PathBuf,
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};

/// How long apart it is looked whether the other desk is gone.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

pub(crate) type Opened = Result<Journal, JournalError>;

/// What is done on the thread.
pub(crate) type Job = Box<dyn FnOnce(&mut Journals) + Send>;

/// Told of the own journal when it has been opened.
pub(crate) type Taken = Box<dyn FnOnce(&Journal) + Send>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Own,
    Aside,
}

/// An intent's place in one of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    which: Which,
    id: IntentId,
}

impl Row {
    /// In the desk's own journal.
    pub(crate) fn own(id: IntentId) -> Self {
        let which = Which::Own;
        Self { which, id }
    }
}

/// Where it is written, and its number there.
pub(crate) type Page<'a> = (&'a mut Journal, IntentId);

/// The intent's place as the journal's thread learns it: what is written later finds it there.
pub(crate) type Slot = Arc<OnceLock<Row>>;

/// Of a row that is there.
pub(crate) fn slot_of(row: Row) -> Slot {
    Slot::from(OnceLock::from(row))
}

/// The desk that has the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FirstDesk {
    pub(crate) dir: PathBuf,
    process: Option<u32>,
}

impl fmt::Display for FirstDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("another perpdeck")?;
        self.process
            .map_or(Ok(()), |process| write!(f, " (process {process})"))
    }
}

/// Who has the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Keeper {
    /// Nobody has looked yet.
    Unknown,
    /// This one, whether or not it works.
    ThisDesk,
    Another(FirstDesk),
}

pub(crate) struct Journals {
    own: Opened,
    /// Opened when something is to be written there, and kept for it.
    aside: Option<Journal>,
    /// What is for the own journal alone, until that is there.
    waiting: Vec<Job>,
    taken: Option<Taken>,
}

impl Journals {
    pub(crate) fn of(own: Opened, taken: Taken) -> Self {
        Self {
            own,
            aside: None,
            waiting: vec![],
            taken: Some(taken),
        }
    }

    pub(crate) fn keeper(&self) -> Keeper {
        match &self.own {
            Err(JournalError::Held { path, holder }) => Keeper::Another(FirstDesk {
                dir: path.clone(),
                process: *holder,
            }),
            Ok(_) | Err(_) => Keeper::ThisDesk,
        }
    }

    /// The desk's own.
    pub(crate) fn own(&mut self) -> Result<&mut Journal, JournalError> {
        self.own.as_mut().map_err(|why| why.clone())
    }

    /// Looks into the journal, whoever has it. Another desk's is checked from end to end first: on a thread of its own,
    /// for this one is to write down what closes and cancels.
    pub(crate) fn read(&self, look: impl FnOnce(Result<&Journal, JournalError>) + Send + 'static) {
        match &self.own {
            Ok(own) => look(Ok(own)),
            Err(JournalError::Held { path, .. }) => {
                let path = path.clone();
                thread::spawn(move || {
                    let journal = Journal::open_read_only(&path);
                    look(journal.as_ref().map_err(Clone::clone));
                });
            }
            Err(why) => look(Err(why.clone())),
        }
    }

    /// That in which something new is written.
    pub(crate) fn new_page(&mut self) -> Result<&mut Journal, JournalError> {
        self.open(self.current())
    }

    /// The place of a row of the one that [`Self::new_page`] is in.
    pub(crate) fn row(&self, id: IntentId) -> Row {
        let which = self.current();
        Row { which, id }
    }

    /// The row's number, where something new could be a part of it.
    pub(crate) fn number(&self, slot: &Slot) -> Option<IntentId> {
        let row = slot.get().filter(|row| row.which == self.current());
        row.map(|row| row.id)
    }

    /// The row, where it has one.
    pub(crate) fn page(&mut self, slot: &Slot) -> Result<Option<Page<'_>>, JournalError> {
        match slot.get().copied() {
            Some(row) => Ok(Some((self.open(row.which)?, row.id))),
            None => Ok(None),
        }
    }

    fn current(&self) -> Which {
        match self.keeper() {
            Keeper::Another(_) => Which::Aside,
            Keeper::Unknown | Keeper::ThisDesk => Which::Own,
        }
    }

    fn open(&mut self, which: Which) -> Result<&mut Journal, JournalError> {
        match which {
            Which::Own => self.own(),
            Which::Aside => self.beside(),
        }
    }

    fn beside(&mut self) -> Result<&mut Journal, JournalError> {
        if self.aside.is_none()
            && let Err(held @ JournalError::Held { path, .. }) = &self.own
        {
            // One that does not open now may do so for what comes next.
            let (_, opened) = Journal::open_overflow(path).ok_or_else(|| held.clone())?;
            self.aside = Some(opened?);
        }
        self.aside.as_mut().ok_or(JournalError::Stopped)
    }

    /// Now, or first of all when the journal is this desk's.
    pub(crate) fn when_own(&mut self, job: Job) {
        match self.keeper() {
            Keeper::Another(_) => self.waiting.push(job),
            Keeper::Unknown | Keeper::ThisDesk => job(self),
        }
    }

    /// How long nothing need be done before it is looked again whether the journal is free; `None` where it is this desk's.
    pub(crate) fn rest(&self) -> Option<Duration> {
        match self.keeper() {
            Keeper::Another(_) => Some(LOOK_AGAIN),
            Keeper::Unknown | Keeper::ThisDesk => None,
        }
    }

    /// Takes the journal, where the desk that had it is gone.
    pub(crate) fn look_again(&mut self) {
        let Keeper::Another(FirstDesk { dir, .. }) = self.keeper() else {
            return;
        };
        // One that cannot be taken names who has it by now.
        self.own = Journal::open(&dir);
        if let (Ok(own), Some(aside)) = (&mut self.own, &mut self.aside) {
            own.take_halts_from(aside);
        }
    }

    /// Does what has waited for the journal, where it is this desk's by now.
    pub(crate) fn settle_in(&mut self) {
        if let Ok(own) = &self.own
            && let Some(taken) = self.taken.take()
        {
            taken(own);
        }
        if self.keeper() == Keeper::ThisDesk {
            for job in mem::take(&mut self.waiting) {
                job(self);
            }
        }
    }
}
