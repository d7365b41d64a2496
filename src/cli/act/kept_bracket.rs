//! What a desk takes over of the bracket of a verb, and what the journal says of its entry.

use super::transport::Transport;
use crate::{
    app::{Store, account::trades::OpenBracket},
    cli::service::Service,
    model::{Command, Failure},
    runtime::{done, keep_bracket},
};

/// Rows of the journal that may say what has replaced an entry a moment ago.
const RECENT: u32 = 100;

/// The bracket of this verb as a desk takes it over once the verb has ended, however it ends.
pub(super) struct KeptBracket<'a> {
    service: &'a Service,
    journal: Transport<'a>,
    kept: Option<OpenBracket>,
}

impl<'a> KeptBracket<'a> {
    pub(super) fn new(service: &'a Service, entry: &Command) -> Result<Self, Failure> {
        Ok(Self {
            service,
            journal: Transport::open(service, entry)?,
            kept: None,
        })
    }

    /// Keeps what is not placed yet.
    pub(super) fn keep(&mut self, open: Option<&OpenBracket>) {
        if self.kept.as_ref() == open {
            return;
        }
        self.kept = open.cloned();
        let (dir, identity) = (&self.service.journal_dir, self.service.identity());
        let own = self.journal.writer();
        let kept = own.map(|own| keep_bracket(dir, &identity, (own, open.cloned())));
        if let Some(Err(why)) = kept {
            let words = "if this command ends before it places the targets, no desk says so";
            self.service.voice.note(&format!("{words}: {why}"));
        }
    }

    /// Takes in what has been done on the account by this process and others: one of them may replace the entry.
    pub(super) fn read_journal(&mut self, store: &mut Store) {
        let rows = self.journal.recent(RECENT).into_iter();
        store.trades.settled_elsewhere(&done(rows));
    }
}
