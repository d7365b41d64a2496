//! The same with real processes and a real `kill -9`: headless verbs against `perpdeck serve --data-dir`. Afterwards
//! the same verb is typed again, under the same key where it has one, as its user would.

use super::{
    Verdict, asked,
    desk::entries,
    disk::Stuck,
    moment::{Case, Phase, Place, Prelude},
    report,
    wire::{A_MOMENT, Port, Wire},
};
use crate::{
    damage::Damage,
    kind::Mutation,
    ledger::{Effects, Scene},
    stage::{Stage, account},
};
use futures_util::{StreamExt, stream};
use perpdeck::journal::{IntentRow, IntentState, Journal};
use std::{
    collections::BTreeMap,
    io::Read as _,
    net::SocketAddr,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

/// Every so manieth is played in the ordinary run.
const SAMPLE: usize = 61;
const ABREAST: usize = 6;
/// No verb takes longer, or it hangs.
const HANGS: Duration = Duration::from_mins(1);

/// Those moments that need no look into a process.
fn cases() -> Vec<Case> {
    let is_outside = |case: &Case| match case.moment.places.as_slice() {
        [Place::Wire(gate)] => gate.phase != Phase::Committing,
        [Place::BeforeCommit] => true,
        _ => false,
    };
    Case::all().into_iter().filter(is_outside).collect()
}

pub(super) struct Play {
    case: Case,
    home: TempDir,
    stage: Option<Stage>,
    scene: Scene,
    port: Port,
    pub(super) broken: Vec<String>,
}

impl Play {
    pub(super) async fn open(case: Case) -> Self {
        let home = tempfile::tempdir().unwrap();
        let stage = Stage::served(&home.path().join("exchange"));
        let scene = Scene::set(&stage, case.mutation, 0).await;
        let play = Self {
            case,
            home,
            stage: Some(stage),
            scene,
            port: Port::open(),
            broken: vec![],
        };
        // An exit does not wait for a journal that is still being made.
        drop(Journal::open(&play.journal()).unwrap());
        play
    }

    async fn run(mut self) -> Verdict {
        let place = self.case.moment.places.first().copied();
        let gate = match place {
            Some(Place::Wire(gate)) => Some(gate),
            _ => None,
        };
        let stuck = place == Some(Place::BeforeCommit);
        let stuck = stuck.then(|| Stuck::journal(&self.journal()));
        let wire = self.wire((self.case.moment.prelude, gate));
        let mut verb = self.verb();
        let came = reached(&wire, &mut verb, place).await;
        if self.case.victim.client() {
            kill(&mut verb);
        }
        drop(stuck);
        if self.case.victim.server() {
            wire.lead_to(None);
            self.stage.take().unwrap().kill();
            self.stage = Some(Stage::served(&self.home.path().join("exchange")));
        }
        wire.lead_to(Some(self.exchange()));
        wire.go_on();
        if self.case.victim.client() {
            self.compare("after the death").await;
        } else {
            let code = ended(&mut verb).await;
            self.judge("lived on", code).await;
        }
        // The next try has the port for itself.
        let _calm = self.wire((Prelude::Nothing, None));
        let code = ended(&mut self.verb()).await;
        self.judge("again", code).await;
        let Effects(effects) = self.scene.effects(self.stage()).await;
        if effects != 1 {
            self.broken
                .push(format!("{effects} effects after it was typed again"));
        }
        Verdict {
            came,
            broken: self.broken,
        }
    }

    fn stage(&self) -> &Stage {
        self.stage.as_ref().unwrap()
    }

    /// Only the verb, at its place; whether it came there.
    pub(super) async fn dies(&mut self) -> bool {
        let place = self.case.moment.places.first().copied();
        let Some(Place::Wire(gate)) = place else {
            return false;
        };
        let wire = self.wire((self.case.moment.prelude, Some(gate)));
        let mut verb = self.verb();
        let came = reached(&wire, &mut verb, place).await;
        kill(&mut verb);
        wire.lead_to(Some(self.exchange()));
        wire.go_on();
        came
    }

    /// The same verb again on a journal of which `before` was known before its `damage`, what the list says of it, and
    /// the way out.
    pub(super) async fn goes_on_with(&mut self, before: &[IntentRow], damage: Damage) {
        let _calm = self.wire((Prelude::Nothing, None));
        let (listed, _) = self.typed(&["journal"]).await;
        if damage == Damage::None && listed != Some(0) {
            self.broken
                .push(format!("whole, and the list ends with {listed:?}"));
        }
        let _code = ended(&mut self.verb()).await;
        let Effects(effects) = self.scene.effects(self.stage()).await;
        if effects > 1 || (damage == Damage::None && effects == 0) {
            self.broken
                .push(format!("{effects} effects after it was typed again"));
        }
        let (code, said) = self.typed(&["flatten", "--yes"]).await;
        let left = self.scene.is_flat(self.stage()).await;
        if code != Some(0) || !left {
            self.broken
                .push(format!("flatten ends with {code:?}: {said}"));
        }
        let mut bodies = BTreeMap::new();
        let recorded = before.iter().filter_map(|entry| {
            let intent = &entry.intent;
            Some((intent.key.as_ref()?.raw().to_owned(), intent.body.clone()))
        });
        for (key, body) in recorded.chain(self.port.sent()) {
            let first = bodies.entry(key.clone()).or_insert_with(|| body.clone());
            if *first != body {
                self.broken
                    .push(format!("{key} was sent with another body"));
            }
        }
    }

    /// Its exit code and what it says on standard error.
    async fn typed(&self, verb: &[&str]) -> (Option<i32>, String) {
        let mut command = self.program();
        let mut child = command.args(verb).stderr(Stdio::piped()).spawn().unwrap();
        let code = ended(&mut child).await;
        let mut said = String::new();
        let _unreadable = child.stderr.take().unwrap().read_to_string(&mut said);
        (code, said)
    }

    pub(super) fn journal(&self) -> PathBuf {
        self.home.path().join("desk")
    }

    fn exchange(&self) -> (SocketAddr, PathBuf) {
        (self.stage().addr(), self.home.path().join("exchange"))
    }

    fn wire(&self, how: (Prelude, Option<super::moment::Gate>)) -> Wire {
        self.port.wire(self.exchange(), self.journal(), how)
    }

    fn program(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_perpdeck"));
        command
            .env_clear()
            .env("HOME", self.home.path())
            .env("PERPDECK_BASE_URL", format!("http://{}", self.port.addr))
            .env("PERPDECK_ACCOUNT_ID", account(0))
            .env("PERPDECK_API_KEY", self.stage().key(0))
            .env("PERPDECK_STATE_DIR", self.journal())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    fn verb(&self) -> Child {
        let mut command = self.program();
        command
            .args(self.scene.verb())
            .args(["--yes", "--output", "json"]);
        if self.is_keyed() {
            command.args(["--idempotency-key", "the-deed"]);
        }
        command.spawn().unwrap()
    }

    fn is_keyed(&self) -> bool {
        matches!(
            self.case.mutation,
            Mutation::Place | Mutation::Close | Mutation::CloseAll
        )
    }

    /// What the exit code says, and the ledger.
    async fn judge(&mut self, when: &str, code: Option<i32>) {
        let Effects(effects) = self.scene.effects(self.stage()).await;
        let whole = self.scene.is_whole(self.stage()).await;
        let fits = match code {
            Some(0) => effects == 1 && whole,
            // Doubt, and half of it.
            Some(14 | 15) => true,
            // What was there to be ended had ended before.
            Some(13) => effects == 0 || !self.is_keyed(),
            Some(_) => effects == 0,
            None => false,
        };
        if !fits {
            self.broken.push(format!(
                "{when}: it ended with {code:?}, and {effects} effects"
            ));
        }
        self.compare(when).await;
    }

    /// An exit does not wait for a disk that stands still, and on a loaded machine it is not killed in time.
    fn went_ahead(&self) -> bool {
        let is_stuck = self.case.moment.places.contains(&Place::BeforeCommit);
        is_stuck && self.case.mutation != Mutation::Place
    }

    /// The journal and the ledger.
    async fn compare(&mut self, when: &str) {
        let Effects(effects) = self.scene.effects(self.stage()).await;
        let entries = entries(&self.journal());
        let is = |state| move |entry: &&IntentRow| entry.state == state;
        let done = entries.iter().filter(is(IntentState::Done)).count();
        let mut wrong = vec![];
        if effects > 1 {
            wrong.push(format!("doubled: {effects} effects"));
        }
        if done > 0 && effects == 0 {
            wrong.push("called done and is not".to_owned());
        }
        let is_known = entries.iter().any(|entry| entry.maybe_executed);
        if effects > 0 && !is_known && !self.went_ahead() {
            wrong.push("lost: done, and no journal knows of it".to_owned());
        }
        let keys: Vec<_> = entries
            .iter()
            .filter_map(|entry| entry.intent.key.as_ref())
            .collect();
        if keys.len() > 1 {
            wrong.push(format!("{} intents for one key", keys.len()));
        }
        self.broken
            .extend(wrong.iter().map(|what| format!("{when}: {what}")));
    }
}

async fn reached(wire: &Wire, verb: &mut Child, place: Option<Place>) -> bool {
    if place == Some(Place::BeforeCommit) {
        // Less than an exit waits for its disk.
        sleep(A_MOMENT * 2).await;
        return true;
    }
    tokio::select! {
        () = wire.reached() => true,
        _ = ended(verb) => false,
    }
}

fn kill(child: &mut Child) {
    // SIGKILL.
    let _gone = child.kill();
    child.wait().unwrap();
}

/// Its exit code; `None` when it hangs.
async fn ended(child: &mut Child) -> Option<i32> {
    let began = Instant::now();
    while began.elapsed() < HANGS {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        sleep(Duration::from_millis(10)).await;
    }
    kill(child);
    None
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_real_kill_9_of_whichever_side_the_same_verb_ends_it_once() {
    let verdicts: Vec<(Case, Verdict)> = stream::iter(asked(cases(), SAMPLE))
        .map(|case| async move { (case.clone(), Play::open(case).await.run().await) })
        .buffer_unordered(ABREAST)
        .collect()
        .await;
    report(&verdicts);
}
