//! Death at named points: the client, the exchange or both are gone, and what their disks held is all there is.
//!
//! In process a death is this: whoever dies reaches nobody any more, and its next life begins on a copy of its files
//! as they were at that moment. `PERPDECK_KILLS=all cargo test --release --test faults dies` plays all points;
//! `PERPDECK_KILLS=Committed-1-Nothing:Place:Both` plays one.

mod damaged;
mod desk;
mod disk;
mod flip;
mod moment;
mod process;
mod wire;

use crate::{kind::Mutation, ledger::Effects, ledger::Scene, stage::Stage};
use desk::{Desk, End, HURRY, entries};
use disk::left_behind;
use futures_util::{StreamExt, stream};
use moment::{Case, Phase, Place, Prelude};
use perpdeck::journal::{IntentRow, IntentState};
use std::{path::PathBuf, time::Duration};
use tempfile::TempDir;
use wire::Port;

/// A minute of a trader's: nothing is in doubt longer than this, but for what a person is asked about.
const A_MINUTE: Duration = Duration::from_millis(60_000 / HURRY as u64);
/// Every so manieth point is played in the ordinary run.
const SAMPLE: usize = 11;
const ABREAST: usize = 32;

struct Play {
    case: Case,
    home: TempDir,
    stage: Stage,
    exchange: PathBuf,
    scene: Scene,
    port: Port,
    desk: Option<Desk>,
    /// A desk that died had said that it sent ahead of its disk.
    has_said_so: bool,
    broken: Vec<String>,
}

/// Whether the moment came, and every promise that was broken.
struct Verdict {
    came: bool,
    broken: Vec<String>,
}

impl Play {
    async fn open(case: Case) -> Self {
        let home = tempfile::tempdir().unwrap();
        let exchange = home.path().join("exchange");
        let stage = Stage::kept(&exchange).await;
        let scene = Scene::set(&stage, case.mutation, 0).await;
        Self {
            case,
            home,
            stage,
            exchange,
            scene,
            port: Port::open(),
            desk: None,
            has_said_so: false,
            broken: vec![],
        }
    }

    async fn run(mut self) -> Verdict {
        let dir = self.home.path().join("desk");
        let places = self.case.moment.places.clone();
        let prelude = self.case.moment.prelude;
        self.live(dir, (prelude, places.first().copied()));
        let command = self.scene.command.clone();
        self.desk().send(command).await;
        let mut came = true;
        for at in 0..places.len() {
            came &= self.desk().reached().await;
            let next = places.get(at + 1).copied();
            self.die(next).await;
        }
        self.desk().wire.go_on();
        self.judge().await;
        Verdict {
            came,
            broken: self.broken,
        }
    }

    fn desk(&mut self) -> &mut Desk {
        self.desk.as_mut().unwrap()
    }

    fn live(&mut self, dir: PathBuf, how: (Prelude, Option<Place>)) {
        let exchange = (&self.stage, self.exchange.as_path());
        self.desk = Some(Desk::open(exchange, dir, how, &self.port));
    }

    /// The victim dies and is there again; a client that did not die goes on.
    async fn die(&mut self, next: Option<Place>) {
        if self.case.victim.client() {
            self.port.cut();
        }
        if self.case.victim.server() {
            self.desk().wire.lead_to(None);
            let uncommitted = self.desk().wire.uncommitted();
            self.exchange = uncommitted.unwrap_or_else(|| left_behind(&self.exchange));
            self.stage = Stage::kept(&self.exchange).await;
        }
        let exchange = (self.stage.addr(), self.exchange.clone());
        if !self.case.victim.client() {
            let port = &self.port;
            return self.desk.as_mut().unwrap().go_on(exchange, next, port);
        }
        let desk = self.desk.take().unwrap();
        desk.wire.lead_to(Some(exchange));
        desk.wire.go_on();
        let left = desk.die();
        self.port.emptied().await;
        self.has_said_so |= left.went_ahead;
        self.acknowledged(&left.dir, left.told.as_ref());
        self.live(left.dir, (Prelude::Nothing, next));
    }

    /// An exit does not wait for a disk that stands still, or is slow on a loaded machine: what is known of it is what
    /// the desk said.
    fn went_ahead(&self) -> bool {
        let stuck = |place: &Place| match place {
            Place::BeforeCommit => true,
            Place::Wire(gate) => gate.phase == Phase::Noting,
            Place::Telling(_) | Place::Told => false,
        };
        let may = self.case.mutation != Mutation::Place;
        may && (self.has_said_so || self.case.moment.places.iter().any(stuck))
    }

    /// What the desk was told before its death, its journal holds.
    fn acknowledged(&mut self, left: &std::path::Path, told: Option<&End>) {
        let entries = entries(left);
        let fits = |entry: &IntentRow| match told {
            None => true,
            Some(End::Done(_)) if self.went_ahead() => true,
            Some(End::Done(_)) => entry.state == IntentState::Done,
            Some(End::Failed) => matches!(entry.state, IntentState::Rejected | IntentState::Unsent),
            Some(End::Asked) => entry.state == IntentState::Parked,
        };
        let there = told.is_none() || entries.len() == 1 || self.went_ahead();
        if !(there && entries.iter().all(fits)) {
            let states: Vec<_> = entries.iter().map(|entry| entry.state).collect();
            self.broken
                .push(format!("told {told:?}, and then the disk says {states:?}"));
        }
    }

    async fn judge(&mut self) {
        let dir = self.desk().dir.clone();
        // Nothing was recorded: then nothing is to become of it.
        let recorded = !entries(&dir).is_empty() || !self.case.victim.client();
        if recorded && self.desk().settle(A_MINUTE).await.is_none() {
            let states: Vec<_> = entries(&dir).iter().map(|entry| entry.state).collect();
            self.broken.push(format!("a minute later it is {states:?}"));
        }
        self.compare("in the end").await;
        if self.case.victim.client() && self.case.mutation == Mutation::Place {
            let sent = self.desk().wire.mutations();
            if sent > 0 {
                self.broken.push(format!(
                    "sent {sent} times after the death, by nobody's wish"
                ));
            }
        }
        let open = entries(&dir);
        if let [entry] = open.as_slice()
            && matches!(entry.state, IntentState::Parked | IntentState::Prepared)
        {
            self.desk().again(entry, A_MINUTE * 2).await;
            self.compare("sent again").await;
            let left = entries(&dir);
            if left.iter().any(|entry| entry.state.is_open()) {
                let why = &left[0].outcome.as_ref().map(|outcome| &outcome.detail);
                self.broken
                    .push(format!("in doubt although all is well: {why:?}"));
            }
        }
    }

    /// The journal and the ledger.
    async fn compare(&mut self, when: &str) {
        let Effects(effects) = self.scene.effects(&self.stage).await;
        let whole = self.scene.is_whole(&self.stage).await;
        let entries = entries(&self.desk().dir);
        let mut wrong = vec![];
        if effects > 1 {
            wrong.push(format!("doubled: {effects} effects"));
        }
        match entries.as_slice() {
            [] if effects > 0 && !self.went_ahead() => {
                wrong.push("lost: done, and no journal knows of it".to_owned());
            }
            [] => {}
            [entry] => match entry.state {
                IntentState::Done if effects == 0 => {
                    wrong.push("called done and is not".to_owned());
                }
                IntentState::Done if !whole => {
                    wrong.push("called done and is done in part".to_owned());
                }
                IntentState::Rejected | IntentState::Unsent if effects > 0 => {
                    wrong.push(format!("called {} and is done", entry.state));
                }
                IntentState::Parked if !entry.maybe_executed => {
                    wrong.push("asked about without need".to_owned());
                }
                _ => {}
            },
            more => wrong.push(format!("{} intents for one command", more.len())),
        }
        self.broken
            .extend(wrong.iter().map(|what| format!("{when}: {what}")));
    }
}

/// Those that were asked for; without a wish, one of every `sample`.
fn asked(all: Vec<Case>, sample: usize) -> Vec<Case> {
    let wish = std::env::var("PERPDECK_KILLS");
    let is_asked = |(at, case): &(usize, Case)| match wish.as_deref() {
        Ok("all") => true,
        Ok(name) => case.name().contains(name),
        Err(_) => at.is_multiple_of(sample),
    };
    let asked = all.into_iter().enumerate().filter(is_asked);
    asked.map(|(_, case)| case).collect()
}

/// How many there were, and what was broken in which.
fn report(verdicts: &[(Case, Verdict)]) {
    let came = verdicts.iter().filter(|(_, verdict)| verdict.came).count();
    let mut broken = vec![];
    for (case, verdict) in verdicts {
        let name = case.name();
        broken.extend(verdict.broken.iter().map(|why| format!("{name}: {why}")));
    }
    eprintln!("{} deaths, {came} of them at their moment", verdicts.len());
    if std::env::var_os("PERPDECK_KILLS").is_some() {
        for (case, _) in verdicts.iter().filter(|(_, verdict)| !verdict.came) {
            eprintln!("did not come: {}", case.name());
        }
    }
    assert_eq!(broken, Vec::<String>::new());
    // A loaded machine may miss a few.
    assert!(came * 10 >= verdicts.len() * 9, "{came}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_dies_at_whatever_moment_nothing_is_lost_and_nothing_doubled() {
    let verdicts: Vec<(Case, Verdict)> = stream::iter(asked(Case::all(), SAMPLE))
        .map(|case| async move { (case.clone(), Play::open(case).await.run().await) })
        .buffer_unordered(ABREAST)
        .collect()
        .await;
    report(&verdicts);
}
