//! A flip through every kind of trouble: a desk with its behaviour, its outbox and its reads, on the real exchange.
//!
//! The ledger says how it ended: the position as it was, nothing, or as much the other way; never twice the size.

use crate::{
    kind::{Kind, Plan},
    ledger::{SIZE, exposure, open, orders, positions, stop},
    proxy::Proxy,
    run::client,
    seeds,
    stage::{Stage, account},
};
use futures_util::{StreamExt, stream};
use perpdeck::{
    app::{
        CloseAllRule, Effect, Identity, Mode, Model, Msg, Options, Profile, ReadOnce,
        account::poll::{Answer, Poll, Source},
        activity::notice::Event,
        keys::keymap::Keymap,
        update,
    },
    client::Client,
    journal::{IntentRow, IntentState, Journal},
    model::{Command, Num, OrderId, Progress, Ticket, Zone},
    runtime::{Clock, Outbox},
};
use serde_json::Value;
use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};
use strum::VariantArray;
use tokio::{
    sync::{
        OnceCell,
        mpsc::{Receiver, UnboundedReceiver, UnboundedSender, channel, unbounded_channel},
    },
    time::{Instant, sleep},
};

/// How much faster than life a desk is here: two orders at the market lie half a second of the exchange's apart, for which
/// it asks to wait a second of ours.
const HURRY: u32 = 10;
/// Nothing takes longer than this, or it hangs.
const HANGS: Duration = Duration::from_mins(1);
/// Runs at a time: each reads twice a second, and a desk in a hurry gives up on answers that are only slow in coming.
const ABREAST: usize = 24;
/// Trouble that lasts is over after this.
const TROUBLE: Duration = Duration::from_millis(2_500);

/// A desk whose keys are pressed here.
pub(crate) struct FlipDesk {
    model: Model,
    outbox: Outbox,
    events: Receiver<Msg>,
    client: Client,
    clock: Clock,
    read: (UnboundedSender<Msg>, UnboundedReceiver<Msg>),
    /// Everything that it decided to send.
    pub(crate) sent: Vec<Command>,
}

impl FlipDesk {
    /// On the journal in `dir`, with what the exchange lists now.
    pub(crate) async fn open(
        stage: &Stage,
        n: usize,
        (base_url, hurry): (String, u32),
        dir: &Path,
    ) -> Self {
        let clock = Clock::start();
        let far = client(stage, n, base_url, hurry);
        let (events, said) = channel(1024);
        let place = dir.to_owned();
        let outbox = Outbox::spawn(
            far.clone(),
            clock,
            dir,
            move || Journal::open(&place),
            events,
        );
        let mut desk = Self {
            model: Model::new(
                options(),
                perpdeck::view::READING,
                Keymap::default(),
                clock.now(),
            ),
            outbox,
            events: said,
            client: far,
            clock,
            read: unbounded_channel(),
            sent: vec![],
        };
        let identity = Identity {
            mode: Mode::Paper,
            account_id: account(n).as_str().into(),
            base_url: "http://127.0.0.1".to_owned(),
            profile: Profile::default(),
        };
        desk.hear(Msg::Opened(identity));
        // Past the trouble: what is flipped is on the screen.
        let straight = client(stage, n, format!("http://{}", stage.addr()), 1);
        for source in [Source::Positions, Source::Orders] {
            let msg = poll(&straight, clock, source).await;
            desk.hear(msg);
        }
        desk
    }

    /// The key, and the answer to the strip once that listens.
    pub(crate) async fn flip(&mut self) {
        self.press('I');
        sleep(Duration::from_millis(200)).await;
        self.press('y');
        assert_eq!(self.sent.len(), 1, "the close goes");
    }

    fn press(&mut self, key: char) {
        self.hear(Msg::Key(key.into()));
    }

    fn hear(&mut self, msg: Msg) {
        let effects = update(&mut self.model, self.clock.now(), msg);
        for effect in effects {
            self.does(effect);
        }
    }

    fn does(&mut self, effect: Effect) {
        match effect {
            Effect::Send(ticket, command) => {
                self.sent.push(command.clone());
                self.outbox.send(ticket, command);
            }
            Effect::Poll(sources) => {
                for source in sources {
                    self.ask(source);
                }
            }
            Effect::Read(ReadOnce::Trace(ids)) => self.trace(ids),
            _ => {}
        }
    }

    fn ask(&self, source: Source) {
        if !matches!(source, Source::Positions | Source::Orders) {
            return;
        }
        let (client, clock, back) = (self.client.clone(), self.clock, self.read.0.clone());
        tokio::spawn(async move {
            let _gone = back.send(poll(&client, clock, source).await);
        });
    }

    fn trace(&self, ids: Vec<OrderId>) {
        let (client, back) = (self.client.clone(), self.read.0.clone());
        tokio::spawn(async move {
            let mut found = vec![];
            for id in &ids {
                found.extend(client.order(id).await.ok().flatten());
            }
            let _gone = back.send(Msg::Traced(ids, found));
        });
    }

    /// Until nothing goes on by itself any more; `None` if that takes too long.
    pub(crate) async fn go_on(&mut self) -> Option<()> {
        let began = Instant::now();
        while !self.is_over() {
            if began.elapsed() > HANGS {
                return None;
            }
            self.step().await;
        }
        Some(())
    }

    pub(crate) async fn step(&mut self) {
        let msg = tokio::select! {
            Some(msg) = self.events.recv() => msg,
            Some(msg) = self.read.1.recv() => msg,
            () = sleep(Duration::from_millis(20)) => Msg::Tick,
        };
        self.hear(msg);
    }

    /// What waits for a person goes on by no one else.
    fn is_over(&self) -> bool {
        let store = &self.model.account.store;
        let mut waiting = self.model.account.workflows.waiting(store);
        waiting.next().is_none() && self.waits_for_a_person() == store.pending.len()
    }

    pub(crate) fn waits_for_a_person(&self) -> usize {
        self.parked().count()
    }

    fn parked(&self) -> impl Iterator<Item = Ticket> {
        let pending = self.model.account.store.pending.iter();
        let parked = pending.filter(|(_, one)| matches!(one.progress, Progress::Parked { .. }));
        parked.map(|(ticket, _)| *ticket)
    }

    /// A person has looked, and sends again what may have been done.
    pub(crate) async fn send_again(&mut self) {
        let parked: Vec<_> = self.parked().collect();
        for ticket in parked {
            self.outbox.again(ticket);
        }
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(3) && self.waits_for_a_person() > 0 {
            self.step().await;
        }
        self.go_on().await;
    }

    /// Why it stopped, in its own words without the numbers.
    pub(crate) fn why(&self) -> String {
        let lines = self.model.account.activity.lines.iter();
        let mut said = lines.filter_map(|line| match &line.event {
            Event::Message(_, words) => words.strip_prefix("flip stopped: "),
            _ => None,
        });
        let words = said.next_back().unwrap_or("not stopped");
        words.split(':').next().unwrap_or_default().to_owned()
    }

    /// How many orders it decided on that open something.
    pub(crate) fn openings(&self) -> usize {
        let places = |command: &&Command| matches!(command, Command::Place(_));
        self.sent.iter().filter(places).count()
    }
}

async fn poll(client: &Client, clock: Clock, source: Source) -> Msg {
    let at = clock.now();
    let answer = match source {
        Source::Positions => Answer::Positions(client.open_positions().await),
        _ => Answer::Orders(client.working_orders().await),
    };
    Msg::Polled(Box::new(Poll { at, answer }))
}

fn options() -> Options {
    Options {
        close_all: CloseAllRule::After(Duration::from_millis(1_500)),
        intervals: BTreeMap::new(),
        checks: perpdeck::config::Checks::default(),
        read_only: false,
        dry_run: false,
        ends_with_desk: false,
        zone: Zone::utc(),
        alerts: perpdeck::config::Alerts::default(),
        guard: perpdeck::config::Guard::default(),
        fees: perpdeck::config::Fees::default(),
        be_extra_ticks: 0,
        lists_markets: false,
        alert_command: perpdeck::config::AlertCommand::default(),
        ladder_one_key: false,
        size_presets: perpdeck::config::PresetTable::default(),
        brackets: perpdeck::config::PresetTable::default(),
        motion: perpdeck::config::Motion::Full,
    }
}

/// A long of [`SIZE`] with a stop behind it.
pub(crate) async fn set(stage: &Stage, n: usize) {
    open(stage, n, "BTC", "cross").await;
    stop(stage, n).await;
    let end = FlipEnd::by(&exposures(stage, n).await);
    assert_eq!(end, Some(FlipEnd::NotBegun), "the ledger is misread");
}

/// How a flip ended, by the exchange's books.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FlipEnd {
    NotBegun,
    Closed,
    Flipped,
}

impl FlipEnd {
    /// `None` if neither of its commands leaves this.
    fn by(sizes: &[Num]) -> Option<Self> {
        let one: Num = SIZE.parse().unwrap();
        match sizes {
            [] => Some(Self::Closed),
            [size] if *size == one => Some(Self::NotBegun),
            [size] if *size == one.negated() => Some(Self::Flipped),
            _ => None,
        }
    }
}

async fn exposures(stage: &Stage, n: usize) -> Vec<Num> {
    let open = positions(stage, n).await;
    open.iter().map(exposure).collect()
}

/// What is open, and every promise that is broken.
pub(crate) async fn judge(
    stage: &Stage,
    n: usize,
    entries: &[IntentRow],
) -> (Option<FlipEnd>, Vec<String>) {
    let sizes = exposures(stage, n).await;
    let end = FlipEnd::by(&sizes);
    let mut broken = vec![];
    if end.is_none() {
        broken.push(format!("{sizes:?} is open"));
    }
    let all = orders(stage, n).await;
    let count = |side: &str, reduces: bool| {
        let is = |row: &&Value| row["side"] == side && row["reduce_only"] == reduces;
        all.iter()
            .filter(is)
            .filter(|row| row["status"] == "filled")
            .count()
    };
    let (closes, opens) = (count("sell", true), count("sell", false));
    let filled = match end {
        Some(FlipEnd::NotBegun) => (0, 0),
        Some(FlipEnd::Closed) => (1, 0),
        Some(FlipEnd::Flipped) | None => (1, 1),
    };
    if (closes, opens) != filled {
        broken.push(format!(
            "{closes} closes and {opens} openings were filled, and {sizes:?} is open"
        ));
    }
    let raises = |entry: &&IntentRow| entry.intent.risk == perpdeck::model::Risk::Increasing;
    let second: Vec<_> = entries.iter().filter(raises).collect();
    let first = entries.iter().find(|entry| !raises(entry));
    if entries.len() > 2 || second.len() > 1 {
        broken.push(format!("{} intents for two commands", entries.len()));
    }
    if !second.is_empty() && !first.is_some_and(|entry| entry.state == IntentState::Done) {
        broken.push("the other way was decided on before the close was done".to_owned());
    }
    if second.is_empty() && opens > 0 {
        broken.push("opened, and no journal knows of it".to_owned());
    }
    (end, broken)
}

pub(crate) async fn journaled(dir: &Path) -> Vec<IntentRow> {
    let began = Instant::now();
    loop {
        match Journal::open(dir) {
            Ok(journal) => return journal.recent(9).unwrap(),
            // Its thread ends a moment after the desk.
            Err(_) if began.elapsed() < HANGS => sleep(Duration::from_millis(5)).await,
            Err(why) => panic!("{why}"),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct FlipRun {
    kind: Kind,
    seed: u64,
    account: usize,
}

impl FlipRun {
    fn name(self) -> String {
        format!("{}:Flip:{}", self.kind, self.seed)
    }

    fn base_url(self, proxy: &Proxy) -> String {
        match self.kind {
            Kind::DnsFails => "https://perpdeck.invalid".to_owned(),
            Kind::TlsFails => format!("https://{}", proxy.addr),
            _ => format!("http://{}", proxy.addr),
        }
    }

    async fn play(self, stage: &Stage) -> (String, Option<FlipEnd>, String, Vec<String>) {
        let n = self.account;
        set(stage, n).await;
        let dir = tempfile::tempdir().unwrap();
        let proxy = Proxy::open(Plan::of(self.kind, self.seed), stage.addr()).await;
        let how = (self.base_url(&proxy), HURRY);
        let mut desk = FlipDesk::open(stage, n, how, dir.path()).await;
        // By turns the close and what opens the other way meet the trouble.
        let meets_second = self.seed % 2 == 1;
        if meets_second {
            proxy.calm();
        }
        desk.flip().await;
        let mut broken = vec![];
        let began = Instant::now();
        let mut is_calm = false;
        while !desk.is_over() && began.elapsed() < HANGS {
            desk.step().await;
            if meets_second && desk.openings() > 0 && !is_calm {
                proxy.stir();
            }
            if began.elapsed() > TROUBLE && !is_calm {
                is_calm = true;
                proxy.calm();
            }
        }
        if !desk.is_over() {
            broken.push("never came to an end".to_owned());
        }
        proxy.calm();
        proxy.delivered().await;
        broken.extend(
            judge(stage, n, &[])
                .await
                .1
                .into_iter()
                .filter(|why| !why.starts_with("opened")),
        );
        // A person is asked about a close that all tries of the trouble left in doubt.
        let asked = self.seed.is_multiple_of(3);
        if asked {
            desk.send_again().await;
        }
        let (openings, why) = (desk.openings(), desk.why());
        drop(desk);
        proxy.delivered().await;
        let entries = journaled(dir.path()).await;
        let (end, wrong) = judge(stage, n, &entries).await;
        broken.extend(wrong);
        let closes = |entry: &&IntentRow| entry.intent.risk == perpdeck::model::Risk::Reducing;
        let close = entries.iter().find(closes);
        let heals = asked && self.kind.heals();
        if heals && close.is_some_and(|entry| entry.state.is_open()) {
            broken.push("sent again over a sound network, the close is still in doubt".to_owned());
        }
        if openings == 0 && end == Some(FlipEnd::Flipped) {
            broken.push("the other way is open, and nobody decided on it".to_owned());
        }
        (self.name(), end, why, broken)
    }
}

fn runs(seed: u64) -> Vec<FlipRun> {
    let only = std::env::var("PERPDECK_FAULT_ONLY").ok();
    let runs = Kind::VARIANTS.iter().enumerate();
    let runs = runs.map(|(account, kind)| FlipRun {
        kind: *kind,
        seed,
        account,
    });
    let mut runs: Vec<_> = runs.collect();
    runs.retain(|run| only.as_ref().is_none_or(|name| *name == run.name()));
    runs
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flip_is_a_flip_or_a_close_whatever_the_network_does() {
    let verdicts: Vec<_> = stream::iter(0..seeds())
        .flat_map(|seed| {
            let stage = Arc::new(OnceCell::new());
            let on_stage = move |run: FlipRun| (Arc::clone(&stage), run);
            stream::iter(runs(seed)).map(on_stage)
        })
        .map(|(stage, run)| async move {
            let accounts = Kind::VARIANTS.len();
            let stage = stage.get_or_init(|| Stage::open(accounts, run.seed)).await;
            Box::pin(run.play(stage)).await
        })
        .buffer_unordered(ABREAST)
        .collect()
        .await;
    let mut ends: BTreeMap<Option<FlipEnd>, usize> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let mut broken = vec![];
    for (name, end, why, wrong) in &verdicts {
        *ends.entry(*end).or_default() += 1;
        *reasons.entry(why).or_default() += 1;
        broken.extend(wrong.iter().map(|why| format!("{name}: {why}")));
    }
    eprintln!("{} flips: {ends:?}, {reasons:?}", verdicts.len());
    assert_eq!(broken, Vec::<String>::new());
    let flipped = ends.get(&Some(FlipEnd::Flipped)).copied();
    if std::env::var_os("PERPDECK_FAULT_ONLY").is_none() {
        assert!(
            flipped.unwrap_or_default() * 4 > verdicts.len(),
            "too few went through: {ends:?}"
        );
    }
}
