//! The services behind the loop: opens them, then carries out each account's effects.

use super::{
    account::{AccountSetup, ReachableAccount},
    trader_effects::Reach,
};
use crate::{
    app::{Identity, Msg, Options, Visibility, activity::notice::Tone},
    config::Connection,
    journal::Journal,
    model::Failure,
    runtime::{
        base::{
            clock::Clock,
            inboxes::{AccountChannel, AddedAccount, account_channel},
            process::ProcessKind,
        },
        journal::{
            earlier::JournalAccess,
            journal_writer::JournalWriter,
            shared_journal::{JournalAccount, JournalAccounts},
        },
    },
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::{
    sync::{mpsc::Sender, oneshot},
    task::JoinSet,
};

/// A service that is ready.
#[derive(Debug, Clone)]
pub struct OpenAccount {
    pub identity: Identity,
    pub connection: Connection,
    /// Where the journal is: one for all accounts of a desk.
    pub journal_dir: PathBuf,
}

/// The accounts of a desk, the first to show first.
#[derive(Debug)]
pub struct Opened {
    pub first: OpenAccount,
    pub others: Vec<OtherAccount>,
    /// Receives the reason when a service that runs within the desk has ended.
    pub lost: Option<oneshot::Receiver<String>>,
}

/// A further account, with its own settings.
#[derive(Debug)]
pub struct OtherAccount {
    pub options: Options,
    pub far: OpenAccount,
}

impl From<OpenAccount> for Opened {
    fn from(first: OpenAccount) -> Self {
        Self {
            first,
            others: vec![],
            lost: None,
        }
    }
}

/// What the services of any desk consist of.
#[derive(Debug)]
pub(crate) struct Services {
    pub(crate) clock: Clock,
    pub(crate) reach: Reach,
    /// Where exports go.
    pub(crate) export_dir: PathBuf,
    pub(crate) journal_days: u32,
    /// For messages of no account: the one on the screen takes them.
    pub(crate) common: Sender<Msg>,
    pub(crate) newcomers: Sender<AddedAccount>,
    pub(crate) first: AccountChannel,
}

/// Reports once that the desk's service has ended.
async fn report_lost_later(lost: oneshot::Receiver<String>, desk: Sender<Msg>) {
    if let Ok(why) = lost.await {
        // The loop has ended: nobody receives it.
        drop(desk.send(Msg::Notify(Tone::Alert, why)).await);
    }
}

/// Adds one more account to the desk; returns its channel.
async fn introduce(options: Options, newcomers: &Sender<AddedAccount>) -> AccountChannel {
    let (channel, account_side) = account_channel();
    // The loop has ended: so do the effects.
    drop(newcomers.send(AddedAccount { options, channel }).await);
    account_side
}

impl Services {
    /// Runs until the loop ends. Effects that come before the service is open wait for it. `options` are the first
    /// account's.
    pub(crate) async fn serve(
        self,
        options: Options,
        opening: impl Future<Output = Result<Opened, Failure>>,
    ) {
        let opened = match opening.await {
            Ok(opened) => opened,
            Err(why) => return self.first.report_lost(why).await,
        };
        if let Some(lost) = opened.lost {
            tokio::spawn(report_lost_later(lost, self.common.clone()));
        }
        let (dir, is_dry_run) = (opened.first.journal_dir.clone(), options.dry_run);
        let mut accounts = vec![(options, self.first, opened.first)];
        for OtherAccount { options, far } in opened.others {
            let channel = introduce(options.clone(), &self.newcomers).await;
            accounts.push((options, channel, far));
        }
        let sharing = accounts
            .iter()
            .map(|(.., far)| JournalAccount::from(&far.connection));
        let sharing: Arc<[JournalAccount]> = sharing.collect();
        let (mut tasks, mut members) = (JoinSet::new(), Vec::<ReachableAccount>::new());
        for (own, (options, channel, far)) in accounts.into_iter().enumerate() {
            let account = AccountSetup {
                clock: self.clock,
                export_dir: self.export_dir.clone(),
                sharing: JournalAccounts::new(Arc::clone(&sharing), own),
                options,
                reach: self.reach,
                visibility: match own {
                    0 => Visibility::OnScreen,
                    _ => Visibility::Background,
                },
            };
            let beside = members.iter().map(|member| &member.client);
            match account.client(far.connection, &channel, beside) {
                Ok(client) => members.push(account.member(client, far.identity, channel)),
                Err(why) => {
                    tasks.spawn(channel.report_lost(why));
                }
            }
        }
        // Ends together with the accounts.
        let mut beside = JoinSet::new();
        let journal_access = if is_dry_run {
            // The journal is free for a verb or another desk.
            JournalAccess::ReadOnly(dir.clone())
        } else {
            let writer = journal(&dir, self.reach, self.common);
            beside.spawn(writer.clone().prune_daily(self.clock, self.journal_days));
            JournalAccess::Writer(writer)
        };
        for member in members {
            tasks.spawn(member.serve(journal_access.clone(), dir.clone()));
        }
        tasks.join_all().await;
    }
}

/// The one journal of the desk, opened on a thread of its own. It says which process a person is at.
fn journal(dir: &Path, reach: Reach, common: Sender<Msg>) -> JournalWriter {
    let place = dir.to_owned();
    let open = move || Journal::open(&place);
    let taken = move |journal: &Journal| {
        if reach == Reach::Signal {
            journal.announce();
        }
    };
    JournalWriter::spawn(ProcessKind::Desk, dir, open, taken, common)
}
