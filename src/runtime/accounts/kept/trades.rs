//! What is known of trades, and what depends on each process: brackets that are not finished, and stops that trail.
//!
//! Contract: what depends on a process is nobody else's while it lives; a desk takes it over once that has ended, at its
//! start and every [`super::LOOK_INTERVAL`].
//! Known limit: of two desks on one account the last writer of notes wins.

use super::file::{KeptAccess, KeptDocument, KeptFile, loaded, lock, name, say};
use crate::{
    app::{
        Identity, Msg,
        account::trades::{OpenBracket, ProcessLog, TradeLog},
        activity::user_alerts::KeptState,
    },
    journal::WriterId,
};
use std::{
    collections::BTreeMap,
    fs::{self, Metadata},
    path::Path,
    time::SystemTime,
};
use tokio::sync::mpsc::Sender as Inbox;

fn trades_file(dir: &Path, name: &str, access: KeptAccess) -> KeptFile {
    KeptFile::new(dir, "trades", name, ("your notes on trades", access))
}

/// The notes on trades that desks on this account keep in `dir`.
pub fn kept_trades(dir: &Path, identity: &Identity) -> Result<TradeLog, String> {
    loaded(&trades_file(dir, &name(identity), KeptAccess::Writable))
}

/// Keeps the bracket that a desk takes over from the verb `own` once that has ended; without one nothing is left.
pub fn keep_bracket(
    dir: &Path,
    identity: &Identity,
    (own, open): (WriterId, Option<OpenBracket>),
) -> Result<(), String> {
    let file = trades_file(dir, &name(identity), KeptAccess::Writable);
    let why = |why| format!("{} cannot be written: {why}", file.path.display());
    let _lock = lock(dir).map_err(why)?;
    let Ok(document) = file.load() else {
        return Err(format!("{} cannot be read", file.path.display()));
    };
    let mut document: KeptDocument<TradeLog> =
        document.unwrap_or_else(|| TradeLog::default().into());
    document.processes.remove(&own);
    let log = open.map(ProcessLog::running);
    document.processes.extend(log.map(|log| (own, log)));
    file.save(&document).map_err(why)
}

impl KeptDocument<TradeLog> {
    /// Takes out what processes have left that have ended.
    fn take_ended(&mut self, dir: &Path) -> ProcessLog {
        let of_all = std::mem::take(&mut self.processes).into_iter();
        let (living, ended): (_, BTreeMap<_, _>) =
            of_all.partition(|(writer, _)| writer.is_alive(dir));
        self.processes = living;
        let mut left = ProcessLog::default();
        for log in ended.into_values() {
            left.inherit(log);
        }
        left
    }
}

#[derive(Debug)]
pub(super) struct SharedTrades {
    file: KeptFile,
    /// `None` without a journal: what it keeps then is for whoever starts next.
    own: Option<WriterId>,
    /// The other processes that have left something, by the file as it was written then.
    others: Vec<WriterId>,
    looked_at: Option<SystemTime>,
}

impl SharedTrades {
    pub(super) fn new(dir: &Path, name: &str, access: KeptAccess, own: Option<WriterId>) -> Self {
        let access = match access {
            // Notes are written unasked too, as marks are seen: only alerts are worth a word.
            KeptAccess::DryRun => KeptAccess::LeftAlone,
            KeptAccess::Writable | KeptAccess::LeftAlone => access,
        };
        Self {
            file: trades_file(dir, name, access),
            own,
            others: vec![],
            looked_at: None,
        }
    }

    /// What earlier sessions kept. What a process has left that has ended is this one's from now on.
    pub(super) fn read(&mut self, inbox: &Inbox<Msg>) -> Option<Box<TradeLog>> {
        let _lock = self.file.lock();
        let mut document: KeptDocument<TradeLog> = self.file.read(inbox)?;
        let ended = document.take_ended(&self.file.dir);
        let inherits = !ended.is_empty();
        document.kept.process_mut().inherit(ended);
        if inherits {
            self.put(document.kept.clone(), document.processes, inbox);
        }
        Some(Box::new(document.kept))
    }

    /// Takes over what a process has left that has ended since, which is said to the desk.
    pub(super) fn look(&mut self, inbox: &Inbox<Msg>) {
        let Some(own) = self
            .own
            .filter(|_| self.file.access == KeptAccess::Writable)
        else {
            return;
        };
        if !self.has_ended(own) {
            return;
        }
        let (Ok(_lock), Ok(Some(mut document))) =
            (lock(&self.file.dir), self.file.load::<TradeLog>())
        else {
            return;
        };
        let ended = document.take_ended(&self.file.dir);
        if ended.is_empty() {
            return;
        }
        let log = document.processes.entry(own).or_default();
        log.inherit(ended.clone());
        self.file.write(&document, inbox);
        let left = Box::new(TradeLog::left_by(ended));
        say(inbox, Msg::Kept(KeptState::Trades(left)));
    }

    /// Whether a process has ended that has left something. The file is read only where it has changed.
    fn has_ended(&mut self, own: WriterId) -> bool {
        let written = fs::metadata(&self.file.path);
        let written = written.and_then(|file: Metadata| file.modified()).ok();
        if written != self.looked_at {
            let document = self.file.load::<TradeLog>().ok().flatten();
            let writers = document.map(|document| document.processes.into_keys());
            self.others = writers.into_iter().flatten().collect();
            self.others.retain(|writer| *writer != own);
            self.looked_at = written;
        }
        self.others
            .iter()
            .any(|writer| !writer.is_alive(&self.file.dir))
    }

    pub(super) fn write(&mut self, kept: TradeLog, inbox: &Inbox<Msg>) {
        let _lock = self.file.lock();
        let stands = self.file.load::<TradeLog>().ok().flatten();
        let others = stands.map(|document| document.processes);
        self.put(kept, others.unwrap_or_default(), inbox);
    }

    fn put(
        &mut self,
        mut kept: TradeLog,
        mut processes: BTreeMap<WriterId, ProcessLog>,
        inbox: &Inbox<Msg>,
    ) {
        if let Some(own) = self.own {
            processes.insert(own, std::mem::take(kept.process_mut()));
        }
        processes.retain(|_, log| !log.is_empty());
        let mut document = KeptDocument::from(kept);
        document.processes = processes;
        self.file.write(&document, inbox);
    }
}
