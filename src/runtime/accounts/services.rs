//! The far side of the loop: opens the service, then each account carries its effects out, one after another.

use super::{
    account::{Account, Member},
    channel::{AccountChannel, account_channel},
};
use crate::{
    app::{Identity, Msg, Options, Visibility, activity::notice::Tone},
    config::Connection,
    journal::Journal,
    model::Failure,
    runtime::{
        base::{clock::Clock, inboxes::Newcomer},
        journal::{
            earlier::JournalAccess,
            journal_writer::{self, JournalWriter},
            shared_journal::{JournalAccount, JournalAccounts},
            socket::{self, SocketHost},
        },
    },
};
use std::{path::PathBuf, sync::Arc};
use tokio::{
    sync::{mpsc::Sender, oneshot},
    task::JoinSet,
};

/// A service that is ready to be spoken to.
#[derive(Debug)]
pub struct OpenAccount {
    pub identity: Identity,
    pub connection: Connection,
    /// Where the journal lives: one for every account of a desk.
    pub journal_dir: PathBuf,
}

/// The accounts of a desk, the one to begin with first.
#[derive(Debug)]
pub struct Opened {
    pub first: OpenAccount,
    pub others: Vec<OtherAccount>,
    /// Tells why a service that lives with the desk serves no more.
    pub lost: Option<oneshot::Receiver<String>>,
}

/// An account beside the first, with the settings of its own.
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

/// What reaches the desk from outside its terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// SIGUSR1 flattens it, and its journal's lock says so.
    Signal,
    Nothing,
}

/// What the far side is made of, whichever desk it serves.
#[derive(Debug)]
pub(crate) struct Services {
    pub(crate) clock: Clock,
    pub(crate) reach: Reach,
    /// Where exports go.
    pub(crate) export_dir: PathBuf,
    pub(crate) journal_days: u32,
    /// For what is of no account: the one on the screen hears it.
    pub(crate) common: Sender<Msg>,
    pub(crate) newcomers: Sender<Newcomer>,
    pub(crate) first: AccountChannel,
}

/// Says on the desk, once, that its service is gone.
async fn report_lost_later(lost: oneshot::Receiver<String>, desk: Sender<Msg>) {
    if let Ok(why) = lost.await {
        // The loop that would have listened has ended: nobody is left to tell.
        drop(desk.send(Msg::Said(Tone::Alert, why)).await);
    }
}

/// Tells the desk of one more account; the way to it.
async fn introduce(options: Options, newcomers: &Sender<Newcomer>) -> AccountChannel {
    let (post, way) = account_channel();
    // The loop has ended: the effects end too.
    drop(newcomers.send(Newcomer { options, post }).await);
    way
}

impl Services {
    /// Runs until the loop hangs up. Effects that come before the service is open wait for it. `options` are the first
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
            let way = introduce(options.clone(), &self.newcomers).await;
            accounts.push((options, way, far));
        }
        let sharing = accounts
            .iter()
            .map(|(.., far)| JournalAccount::from(&far.connection));
        let sharing: Arc<[JournalAccount]> = sharing.collect();
        let (mut tasks, mut members) = (JoinSet::new(), Vec::<Member>::new());
        for (own, (options, way, far)) in accounts.into_iter().enumerate() {
            let account = Account {
                clock: self.clock,
                export_dir: self.export_dir.clone(),
                sharing: JournalAccounts::new(Arc::clone(&sharing), own),
                options,
                reach: self.reach,
                visibility: if own == 0 {
                    Visibility::OnScreen
                } else {
                    Visibility::Background
                },
            };
            let beside = members.iter().map(|member| &member.client);
            match account.client(far.connection, &way, beside) {
                Ok(client) => members.push(account.member(client, far.identity, way)),
                Err(why) => {
                    tasks.spawn(way.report_lost(why));
                }
            }
        }
        // Ends with the accounts.
        let mut beside = JoinSet::new();
        let journal_access = if is_dry_run {
            // Whoever acts meanwhile, a verb or another desk, has the journal to itself.
            JournalAccess::ReadOnly(dir.clone())
        } else {
            let hosts = members.iter().map(Member::host).collect();
            let writer = journal(dir.clone(), self.reach, hosts, self.common);
            beside.spawn(writer.clone().check_all_rows(dir.clone()));
            beside.spawn(writer.clone().prune_daily(self.clock, self.journal_days));
            JournalAccess::Writer(writer)
        };
        for member in members {
            tasks.spawn(member.serve(journal_access.clone(), dir.clone()));
        }
        tasks.join_all().await;
    }
}

/// The one journal of the desk, opened on a thread of its own; who has it opens its socket.
fn journal(
    dir: PathBuf,
    reach: Reach,
    hosts: Vec<SocketHost>,
    common: Sender<Msg>,
) -> JournalWriter {
    let (mine, owned) = oneshot::channel();
    let (place, desk) = (dir.clone(), common.clone());
    let open = move || {
        journal_writer::open_after(&place, |why| {
            let text = format!("{why}. Orders wait until it is done; closing and canceling do not");
            // A desk that is flooded with news, or is leaving, goes without.
            drop(desk.try_send(Msg::Said(Tone::Warn, text)));
        })
    };
    let taken = move |journal: &Journal| {
        if reach == Reach::Signal && journal.failure().is_none() {
            journal.announce();
            // Nobody waits for it any more when the desk is leaving.
            let _leaving = mine.send(());
        }
    };
    tokio::spawn(async move {
        if owned.await.is_ok() {
            socket::receive(hosts, dir).await;
        }
    });
    JournalWriter::spawn_with(open, taken, common)
}
