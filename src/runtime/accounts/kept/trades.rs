//! What is known of trades, and what is left of brackets.
//!
//! Contract: the brackets of a desk are nobody else's while it lives; the next one that starts takes over what it has left.
//! Known limit: of two desks on one account the last writer of notes wins.

use super::file::{KeptAccess, KeptDocument, KeptFile, loaded, lock, name};
use crate::{
    app::{
        Identity, Msg,
        account::trades::{BracketLog, TradeLog},
    },
    journal::WriterId,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use tokio::sync::mpsc::Sender as Inbox;

fn trades_file(dir: &Path, name: &str) -> KeptFile {
    KeptFile::new(dir, "trades", name, "your notes on trades")
}

/// The notes on trades that desks on this account keep in `dir`.
pub fn kept_trades(dir: &Path, identity: &Identity) -> Result<TradeLog, String> {
    loaded(&trades_file(dir, &name(identity)))
}

#[derive(Debug)]
pub(super) struct SharedTrades {
    file: KeptFile,
    dir: PathBuf,
    /// `None` without a journal: what it keeps then is for whoever starts next.
    own: Option<WriterId>,
}

impl SharedTrades {
    pub(super) fn new(dir: &Path, name: &str, access: KeptAccess, own: Option<WriterId>) -> Self {
        let mut file = trades_file(dir, name);
        file.access = match access {
            // Notes are written unasked too, as marks are seen: only alerts are worth a word.
            KeptAccess::DryRun => KeptAccess::LeftAlone,
            KeptAccess::Writable | KeptAccess::LeftAlone => access,
        };
        let dir = dir.to_owned();
        Self { file, dir, own }
    }

    /// What earlier sessions kept. The brackets of a process that has ended are this one's from now on.
    pub(super) fn read(&mut self, inbox: &Inbox<Msg>) -> Option<Box<TradeLog>> {
        let _lock = (self.file.access == KeptAccess::Writable).then(|| lock(&self.dir));
        let mut document: KeptDocument<TradeLog> = self.file.read_document(inbox)?;
        let of_all = document.brackets.into_iter();
        let (living, ended): (BTreeMap<_, _>, BTreeMap<_, _>) =
            of_all.partition(|(writer, _)| writer.is_alive(&self.dir));
        let inherits = !ended.is_empty();
        for brackets in ended.into_values() {
            document.kept.inherit_brackets(brackets);
        }
        if inherits {
            self.put(document.kept.clone(), living, inbox);
        }
        Some(Box::new(document.kept))
    }

    pub(super) fn write(&mut self, kept: TradeLog, inbox: &Inbox<Msg>) {
        let _lock = (self.file.access == KeptAccess::Writable).then(|| lock(&self.dir));
        let stands = self.file.load::<TradeLog>().ok().flatten();
        let others = stands.map(|document| document.brackets);
        self.put(kept, others.unwrap_or_default(), inbox);
    }

    fn put(
        &mut self,
        mut kept: TradeLog,
        mut brackets: BTreeMap<WriterId, BracketLog>,
        inbox: &Inbox<Msg>,
    ) {
        if let Some(own) = self.own {
            brackets.insert(own, kept.take_brackets());
        }
        brackets.retain(|_, brackets| !brackets.is_empty());
        let mut document = KeptDocument::from(kept);
        document.brackets = brackets;
        self.file.write_document(&self.dir, &document, inbox);
    }
}
