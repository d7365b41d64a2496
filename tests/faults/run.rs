//! One mutation through one kind of trouble, and what the checker makes of it.

use crate::{
    kind::{Kind, Mutation, Plan},
    ledger::{Effects, Scene},
    proxy::Proxy,
    stage::{Stage, account},
};
use perpdeck::{
    api::Dialect,
    app::Msg,
    client::{Client, Tempo},
    config::Connection,
    journal::{Journal, State},
    model::{Failure, Progress, Receipt, Ticket},
    runtime::{Clock, Outbox, open_journal},
};
use std::{path::Path, pin::pin, time::Duration};
use tokio::{
    sync::mpsc::{Receiver, channel, unbounded_channel},
    time::{sleep, timeout},
};

/// Nothing takes longer than this, or it hangs.
const HANGS: Duration = Duration::from_mins(1);
/// Trouble that lasts is over after this.
const TROUBLE: Duration = Duration::from_millis(2_500);
const TICKET: Ticket = Ticket(1);

#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(crate) kind: Kind,
    pub(crate) mutation: Mutation,
    pub(crate) seed: u64,
    /// The number of its account.
    pub(crate) account: usize,
}

/// How a run ended, and every promise that was broken.
pub(crate) struct Verdict {
    pub(crate) end: &'static str,
    pub(crate) broken: Vec<String>,
}

/// What the desk said at the end.
#[derive(Debug)]
enum End {
    Done(Receipt),
    Failed(Failure),
    Parked,
    Hangs,
}

impl Run {
    pub(crate) fn name(&self) -> String {
        format!("{}:{}:{}", self.kind, self.mutation, self.seed)
    }

    pub(crate) async fn play(self, stage: &Stage) -> (String, Verdict) {
        let scene = Scene::set(stage, self.mutation, self.account).await;
        let dir = tempfile::tempdir().unwrap();
        let proxy = Proxy::open(Plan::of(self.kind, self.seed), stage.addr()).await;
        let (mut outbox, mut events) = self.desk(stage, &proxy, dir.path());
        outbox.send(TICKET, scene.command.clone());
        let mut end = troubled(&mut events, &proxy).await;
        proxy.delivered().await;
        let mut broken = self.check(stage, &scene, &end).await;
        if matches!(end, End::Parked) && self.seed.is_multiple_of(2) && self.can_heal() {
            outbox.again(TICKET);
            end = ended(&mut events).await;
            broken.extend(self.check(stage, &scene, &end).await);
            if matches!(end, End::Parked) {
                broken.push("in doubt although nothing is wrong any more".to_owned());
            }
        }
        drop(outbox);
        broken.extend(journal(dir.path(), &end).await);
        let verdict = Verdict {
            end: end.word(),
            broken,
        };
        (self.name(), verdict)
    }

    /// Names and certificates stay wrong for the whole run.
    fn can_heal(self) -> bool {
        !matches!(self.kind, Kind::DnsFails | Kind::TlsFails)
    }

    fn desk(self, stage: &Stage, proxy: &Proxy, dir: &Path) -> (Outbox, Receiver<Msg>) {
        let base_url = match self.kind {
            Kind::DnsFails => "https://perpdeck.invalid".to_owned(),
            Kind::TlsFails => format!("https://{}", proxy.addr),
            _ => format!("http://{}", proxy.addr),
        };
        let connection = Connection {
            base_url,
            api_key: stage.key(self.account).into(),
            account_id: account(self.account).into(),
            dialect: Dialect::default(),
            pinned: perpdeck::api::Term::all().collect(),
            learned: perpdeck::api::Learned::default(),
            prices: None,
            facts: None,
            read_only: false,
        };
        let (calls, _) = unbounded_channel();
        let now = || Clock::Wall.now();
        let client = Client::at_tempo(connection, calls, now, Tempo::hurried(20)).unwrap();
        let (events, said) = channel(1024);
        let place = dir.to_owned();
        let outbox = Outbox::spawn(client, Clock::Wall, move || open_journal(&place), events);
        (outbox, said)
    }

    /// The screen against the ledger.
    async fn check(self, stage: &Stage, scene: &Scene, end: &End) -> Vec<String> {
        let Effects(effects) = scene.effects(stage).await;
        let mut broken = vec![];
        if effects > 1 {
            broken.push(format!("doubled: {effects} effects"));
        }
        match end {
            End::Done(receipt) => {
                if effects == 0 {
                    broken.push(format!("shown done and is not: {receipt:?}"));
                }
                if !scene.is_whole(stage).await {
                    broken.push(format!("shown done and is done in part: {receipt:?}"));
                }
            }
            End::Failed(why) if effects > 0 => {
                broken.push(format!("shown failed and is done: {why:?}"));
            }
            End::Hangs => broken.push("never came to an end".to_owned()),
            End::Failed(_) | End::Parked => {}
        }
        broken
    }
}

impl End {
    fn word(&self) -> &'static str {
        match self {
            Self::Done(_) => "done",
            Self::Failed(why) if why.status.is_some() => "refused",
            Self::Failed(_) => "not sent",
            Self::Parked => "asked about",
            Self::Hangs => "hangs",
        }
    }
}

/// The end, with the trouble over in time and at the end.
async fn troubled(events: &mut Receiver<Msg>, proxy: &Proxy) -> End {
    let mut end = pin!(ended(events));
    let early = tokio::select! {
        end = &mut end => Some(end),
        () = sleep(TROUBLE) => None,
    };
    proxy.calm();
    match early {
        Some(end) => end,
        None => end.await,
    }
}

async fn ended(events: &mut Receiver<Msg>) -> End {
    let end = async {
        loop {
            match events.recv().await.unwrap() {
                Msg::Settled(TICKET, Ok(receipt)) => return End::Done(receipt),
                Msg::Settled(TICKET, Err(why)) => return End::Failed(why),
                Msg::Progress(TICKET, Progress::Parked { .. }) => return End::Parked,
                _ => {}
            }
        }
    };
    timeout(HANGS, end).await.unwrap_or(End::Hangs)
}

/// The journal against the screen.
async fn journal(dir: &Path, end: &End) -> Vec<String> {
    let journal = loop {
        match Journal::open(dir) {
            Ok(journal) => break journal,
            // Its thread ends a moment after the desk.
            Err(_) => sleep(Duration::from_millis(5)).await,
        }
    };
    let entries = journal.recent(9).unwrap();
    let [entry] = entries.as_slice() else {
        return vec![format!("{} intents for one command", entries.len())];
    };
    let fits = match end {
        End::Done(_) => entry.state == State::Done,
        End::Failed(_) => matches!(entry.state, State::Rejected | State::Unsent),
        End::Parked => entry.state == State::Parked && entry.maybe_executed,
        End::Hangs => true,
    };
    if fits {
        return vec![];
    }
    vec![format!("the journal says {} of {end:?}", entry.state)]
}
