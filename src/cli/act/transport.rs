//! How the commands of one verb are sent: by an outbox of its own, from the journal that it shares with desks and other
//! verbs.
//!
//! Contract: a slow disk, or a process that keeps the log locked, delays no close or cancel: it is recorded when the disk
//! catches up. An entry waits for it for a limited time.
//!
//! Known limit: a disk that hangs while the history of a key is read blocks the verb.

mod outbox_run;

use super::{
    prepared::{PreparedCommand, Sent},
    repeat::may_have_acted,
};
use crate::{
    cli::{
        disk_wait::{JOURNAL_OPEN_TIMEOUT, Work, no_answer},
        serve::interrupted,
        service::Service,
    },
    journal::{IntentRow, Journal, JournalError, WriterId},
    model::{Command, Failure, FailureKind, Risk},
    runtime::prune_journal,
};
use color_eyre::Result;
use outbox_run::{JournalOpening, OutboxRun};
use std::time::Duration;
use tokio::select;

/// How long an entry waits for a slow disk.
const DISK_TIMEOUT: Duration = Duration::from_secs(29);

pub(super) struct Transport<'a> {
    service: &'a Service,
    opening: JournalOpening,
}

impl<'a> Transport<'a> {
    /// Opens the journal for `command` and others of its risk. The outbox receives a journal's error, and decides what may
    /// be sent without it.
    pub(super) fn open(service: &'a Service, command: &Command) -> Result<Self, Failure> {
        let dir = &service.journal_dir;
        let (place, clock, days) = (dir.clone(), service.clock, service.journal_days);
        let work = Work::begin(move || {
            let mut journal = Journal::open(&place)?;
            prune_journal(&mut journal, clock, days);
            Ok(journal)
        });
        let mut opening = work.within(JOURNAL_OPEN_TIMEOUT).ok_or(work);
        if let Err(late) = opening {
            let is_entry = command.risk() == Risk::Increasing;
            let what = if is_entry {
                "nothing is sent before it does"
            } else {
                "closes and cancels do not wait for it"
            };
            service.voice.note(&format!("{}; {what}", no_answer(dir)));
            let unsent = || format!("{}; nothing was sent", no_answer(dir));
            opening = if is_entry {
                let opened = late.within(DISK_TIMEOUT);
                Ok(opened.ok_or_else(|| Failure::new(FailureKind::Unavailable, unsent()))?)
            } else {
                Err(late)
            };
        }
        Ok(Self { service, opening })
    }

    /// This process, which is alive to others as long as the journal is open here.
    pub(super) fn writer(&self) -> Option<WriterId> {
        self.opening.as_ref().ok()?.as_ref().ok()?.writer()
    }

    /// The earlier request under the command's key.
    pub(super) fn known(&self, prepared: &PreparedCommand) -> Option<IntentRow> {
        let key = prepared.kept_key()?.clone();
        self.read(move |journal| journal.by_key(&key)).flatten()
    }

    /// The recent rows of this account, newest first, whoever recorded them.
    pub(super) fn recent(&mut self, limit: u32) -> Vec<IntentRow> {
        if let Ok(Ok(journal)) = &mut self.opening {
            // If it fails, the outbox says so.
            let _failed = journal.refresh();
        }
        let connection = self.service.client.connection();
        let (base_url, account) = (connection.base_url.clone(), connection.account_id.clone());
        let read = move |journal: &Journal| journal.recent_on((&base_url, &account), limit);
        self.read(read).unwrap_or_default()
    }

    /// Reads the journal as it was opened; `None` if it cannot be read.
    fn read<T>(&self, read: impl FnOnce(&Journal) -> Result<T, JournalError>) -> Option<T> {
        read(self.opening.as_ref().ok()?.as_ref().ok()?).ok()
    }

    /// Sends all commands and waits for their outcomes, in the same order.
    pub(super) async fn deliver(self, commands: &[PreparedCommand]) -> Result<Vec<Sent>> {
        let stopped = interrupted()?;
        let was_sent = |one| may_have_acted(self.known(one).as_ref());
        let sent_before = commands.iter().map(was_sent).collect();
        let mut run = OutboxRun::open(self.service, (commands, sent_before), self.opening);
        select! {
            () = run.carry() => {}
            () = stopped => run.stop().await,
        }
        Ok(run.close().await)
    }
}
