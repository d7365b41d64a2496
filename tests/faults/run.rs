//! One mutation through one kind of trouble, and what the checker makes of it.

use crate::{
    kind::{Kind, Mutation, Plan},
    ledger::{Effects, Scene},
    proxy::Proxy,
    stage::{Stage, account},
};
use perpdeck::{
    app::Msg,
    client::{Client, Timeouts},
    config::{Connection, ServiceKind},
    journal::{IntentState, Journal},
    model::{Failure, Progress, Receipt, Ticket},
    runtime::{Clock, Outbox},
};
use std::{
    path::Path,
    pin::pin,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use tokio::{
    sync::mpsc::{Receiver, channel, unbounded_channel},
    time::{Instant, sleep, timeout},
};

/// Nothing takes longer than this, or it hangs.
const HANGS: Duration = Duration::from_mins(1);
/// How much faster than life the desk is.
pub(crate) const HURRY: u32 = 20;
/// A minute of a trader's: nothing is in doubt longer after the last trouble, but for what a person is asked about.
const A_MINUTE: Duration = Duration::from_millis(60_000 / HURRY as u64);
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
    /// How long after the last trouble it was in doubt, as a trader would have it.
    pub(crate) doubt: Duration,
    /// Waits that the service asked for.
    pub(crate) waits: u32,
    pub(crate) broken: Vec<String>,
    /// Promises about time, which a machine without a free processor cannot keep for anybody.
    pub(crate) late: Vec<String>,
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
        let mut watch = Watch::default();
        let mut end = troubled(&mut events, &mut watch, &proxy).await;
        let doubt = watch.doubt_since(proxy.calm_since());
        proxy.delivered().await;
        let mut broken = self.check(stage, &scene, &end).await;
        let mut late = vec![];
        if doubt > A_MINUTE && self.kind.heals() {
            let lasted = doubt * HURRY;
            late.push(format!("in doubt {lasted:?} after the last trouble"));
        }
        if matches!(end, End::Parked) && self.seed.is_multiple_of(2) && self.kind.heals() {
            outbox.again(TICKET);
            end = ended(&mut events, &mut Watch::default()).await;
            broken.extend(self.check(stage, &scene, &end).await);
            if matches!(end, End::Parked) {
                late.push("in doubt although nothing is wrong any more".to_owned());
            }
        }
        drop(outbox);
        match journal(dir.path(), &end).await {
            Noted::Fits => {}
            Noted::Wrong(why) => broken.push(why),
            Noted::Late => late.push("not sent, for it waited too long".to_owned()),
        }
        let silence = proxy.silence();
        if silence.early > 0 {
            late.push(format!("{} requests before their time", silence.early));
        }
        let verdict = Verdict {
            end: end.word(),
            doubt: if self.kind.heals() {
                doubt * HURRY
            } else {
                Duration::ZERO
            },
            waits: silence.asked,
            broken,
            late,
        };
        (self.name(), verdict)
    }

    fn desk(self, stage: &Stage, proxy: &Proxy, dir: &Path) -> (Outbox, Receiver<Msg>) {
        let base_url = match self.kind {
            Kind::DnsFails => "https://perpdeck.invalid".to_owned(),
            Kind::TlsFails => format!("https://{}", proxy.addr),
            _ => format!("http://{}", proxy.addr),
        };
        outbox(stage, self.account, base_url, dir)
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

/// A client of the account, in a hurry.
pub(crate) fn client(stage: &Stage, n: usize, base_url: String, hurry: u32) -> Client {
    let connection = Connection {
        base_url,
        api_key: stage.key(n).into(),
        key_source: perpdeck::config::ApiKeySource::Start,
        account_id: account(n).into(),
        kind: ServiceKind::Unknown,
        venues: None,
        streams: perpdeck::config::StreamUrls::default(),
        proxy: None,
        ca_file: None,
        read_only: false,
        dry_run: false,
    };
    let (calls, _) = unbounded_channel();
    let now = || Clock::start().now();
    Client::with_timeouts(connection, calls, now, Timeouts::divided_by(hurry)).unwrap()
}

/// A desk's outbox on the journal in `dir`, in a hurry, and what it says.
pub(crate) fn outbox(
    stage: &Stage,
    n: usize,
    base_url: String,
    dir: &Path,
) -> (Outbox, Receiver<Msg>) {
    let client = client(stage, n, base_url, HURRY);
    let (events, said) = channel(1024);
    let place = dir.to_owned();
    let open = move || Journal::open(&place);
    let outbox = Outbox::spawn(client, Clock::start(), dir, open, events);
    (outbox, said)
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
async fn troubled(events: &mut Receiver<Msg>, watch: &mut Watch, proxy: &Proxy) -> End {
    let mut end = pin!(ended(events, watch));
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

async fn ended(events: &mut Receiver<Msg>, watch: &mut Watch) -> End {
    let end = async {
        loop {
            let msg = events.recv().await.unwrap();
            watch.see(&msg);
            match msg {
                Msg::Settled(TICKET, Ok(receipt)) => return End::Done(receipt),
                Msg::Settled(TICKET, Err(why)) => return End::Failed(why),
                Msg::Progress(TICKET, Progress::Parked { .. }) => return End::Parked,
                _ => {}
            }
        }
    };
    timeout(HANGS, end).await.unwrap_or(End::Hangs)
}

/// How long this machine was slower than a clock: what a doubt lasted for want of a processor is not the desk's.
pub(crate) static LAG: AtomicU64 = AtomicU64::new(0);
const BEAT: Duration = Duration::from_millis(20);

/// Measures it for as long as it is polled.
pub(crate) async fn metronome(lag: &AtomicU64) {
    loop {
        let began = Instant::now();
        sleep(BEAT).await;
        let late = began.elapsed().saturating_sub(BEAT);
        lag.fetch_add(u64::try_from(late.as_micros()).unwrap(), Ordering::Relaxed);
    }
}

fn total(lag: &AtomicU64) -> Duration {
    Duration::from_micros(lag.load(Ordering::Relaxed))
}

/// Fails for what came `late` since `began`, unless this machine was too slow to hold anybody to a time: a desk in a
/// hurry gives up on answers that are only slow in coming.
pub(crate) fn in_time(began: Instant, lag: &AtomicU64, late: &[String]) {
    if total(lag) * 10 > began.elapsed() {
        eprintln!("too little processor to hold anybody to a time: {late:?}");
    } else {
        assert_eq!(late, Vec::<String>::new());
    }
}

/// An instant, and the lag until then.
type Beat = (Instant, Duration);

/// From when to when the desk said that it does not know.
#[derive(Default)]
struct Watch {
    since: Option<Beat>,
    spans: Vec<(Beat, Beat)>,
}

impl Watch {
    fn see(&mut self, msg: &Msg) {
        let now = (Instant::now(), total(&LAG));
        match msg {
            Msg::Progress(TICKET, Progress::Unknown { .. }) => {
                self.since.get_or_insert(now);
            }
            // An answer, the next part of one, or a question.
            Msg::Settled(TICKET, _)
            | Msg::Progress(TICKET, Progress::Running { .. } | Progress::Parked { .. }) => {
                self.spans
                    .extend(self.since.take().map(|since| (since, now)));
            }
            _ => {}
        }
    }

    /// The longest of them, without what lay before `calm` and what the machine took.
    fn doubt_since(&self, calm: Instant) -> Duration {
        let doubt = |((began, before), (over, after)): &(Beat, Beat)| {
            let lasted = over.saturating_duration_since(calm.max(*began));
            lasted.saturating_sub(after.saturating_sub(*before))
        };
        self.spans.iter().map(doubt).max().unwrap_or_default()
    }
}

/// What the journal holds of a command, beside what the desk said.
enum Noted {
    Fits,
    Wrong(String),
    /// Nothing, and the desk said so: what waits too long is not sent, and a desk in a hurry waits a second and a half.
    Late,
}

/// What a desk says of a command that waited too long: for its turn, for the disk, or for the journal to be open.
const WAITED: [&str; 3] = [
    "for the command before it; decide again",
    "the disk of the journal has not recorded it: it is not sent",
    "the outcomes of the last session's commands are not known yet; nothing was sent",
];

/// The journal against the screen.
async fn journal(dir: &Path, end: &End) -> Noted {
    let journal = loop {
        match Journal::open(dir) {
            Ok(journal) => break journal,
            // Its thread ends a moment after the desk.
            Err(_) => sleep(Duration::from_millis(5)).await,
        }
    };
    let entries = journal.recent(9).unwrap();
    let [entry] = entries.as_slice() else {
        let waited = |why: &Failure| WAITED.iter().any(|words| why.message.raw().contains(words));
        return match end {
            End::Failed(why) if entries.is_empty() && waited(why) => Noted::Late,
            _ => Noted::Wrong(format!(
                "{} intents for one command: {end:?}",
                entries.len()
            )),
        };
    };
    let fits = match end {
        End::Done(_) => entry.state == IntentState::Done,
        End::Failed(_) => matches!(entry.state, IntentState::Rejected | IntentState::Unsent),
        End::Parked => entry.state == IntentState::Parked && entry.maybe_executed,
        End::Hangs => true,
    };
    if fits {
        return Noted::Fits;
    }
    Noted::Wrong(format!("the journal says {} of {end:?}", entry.state))
}
