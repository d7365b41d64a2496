//! The power goes while a verb runs: every system call of the real program is followed with `strace`, and after each
//! one the disk is put together as it may then be, without what was never synced, with all of it, torn and out of
//! order. Whatever it is, the journal opens, knows of every request of which a byte has left, and of every outcome
//! that was told. An exit waits for the disk only a moment, so of one that was told the journal may still say that it is
//! open: its next desk asks with the same key.
//!
//! `cargo test --test faults -- --ignored power` (needs `strace`).

use crate::{
    damage::{Damage, complaints},
    kind::Mutation,
    ledger::{Effects, Scene},
    stage::{Stage, account},
};
use perpdeck::{
    journal::{self, IntentState, Journal, StateUpdate},
    model::Risk,
};
use std::{
    collections::BTreeMap,
    fs,
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};
use strum::VariantArray as _;
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

/// A file, and what a power cut may leave of it.
#[derive(Debug, Clone, Default)]
struct File {
    synced: Vec<u8>,
    /// What was done to it since.
    changes: Vec<Change>,
    /// Its name is in the synced directory.
    named: bool,
    /// Its name is in the directory as it is.
    there: bool,
    cursor: usize,
}

#[derive(Debug, Clone)]
enum Change {
    Put(usize, Vec<u8>),
    Cut(usize),
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Put(offset, data) => put(bytes, *offset, data),
            Self::Cut(length) => bytes.resize(*length, 0),
        }
    }

    /// Half of a sector of it.
    fn torn(&self) -> Self {
        match self {
            Self::Put(offset, data) => Self::Put(*offset, data[..data.len().min(512) / 2].to_vec()),
            Self::Cut(length) => Self::Cut(*length),
        }
    }
}

/// What of the unsynced is on the disk when the power comes back.
#[derive(Debug, Clone, Copy)]
enum Left {
    Nothing,
    Everything,
    /// All but the end of the last write.
    Torn,
    /// The last write and none before it.
    OutOfOrder,
}

const LEFT: [Left; 4] = [
    Left::Nothing,
    Left::Everything,
    Left::Torn,
    Left::OutOfOrder,
];

impl File {
    fn after_cut(&self, left: Left) -> Option<Vec<u8>> {
        let there = match left {
            Left::Nothing => self.named,
            Left::Everything | Left::Torn | Left::OutOfOrder => self.there,
        };
        let mut bytes = self.synced.clone();
        let last = self.changes.len().saturating_sub(1);
        for (at, change) in self.changes.iter().enumerate() {
            match left {
                Left::Nothing => {}
                Left::OutOfOrder if at < last => {}
                Left::Torn if at == last => change.torn().apply(&mut bytes),
                Left::Everything | Left::Torn | Left::OutOfOrder => change.apply(&mut bytes),
            }
        }
        there.then_some(bytes)
    }

    fn sync(&mut self) {
        for change in std::mem::take(&mut self.changes) {
            change.apply(&mut self.synced);
        }
    }
}

fn put(bytes: &mut Vec<u8>, offset: usize, data: &[u8]) {
    let end = offset + data.len();
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    bytes[offset..end].copy_from_slice(data);
}

/// One program's doings, call by call.
struct Trace {
    dir: String,
    files: BTreeMap<String, File>,
    /// The sync that a thread is in the middle of.
    syncing: BTreeMap<String, String>,
    sent: bool,
    told: bool,
}

impl Trace {
    fn of(dir: &Path) -> Self {
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            let file = File {
                synced: fs::read(entry.path()).unwrap(),
                named: true,
                there: true,
                ..File::default()
            };
            files.insert(name, file);
        }
        Self {
            dir: dir.to_str().unwrap().to_owned(),
            files,
            syncing: BTreeMap::new(),
            sent: false,
            told: false,
        }
    }

    /// Follows one line; whether anything may now be otherwise on the disk, on the wire or on the screen.
    fn follow(&mut self, line: &str) -> bool {
        let (thread, call) = line.split_once(' ').unwrap();
        let call = call.trim_start();
        if call.starts_with("<... fsync resumed>") || call.starts_with("<... fdatasync resumed>") {
            let path = self.syncing.remove(thread);
            return path.is_some_and(|path| call.ends_with("= 0") && self.sync(&path));
        }
        let Some((name, rest)) = call.split_once('(') else {
            return false;
        };
        let strings = strings(rest);
        match name {
            "openat" if rest.contains("O_CREAT") && !rest.contains("= -1") => self.create(&strings),
            "unlink" => {
                let name = self.name(&text(&strings[0]));
                let file = name.and_then(|name| self.files.get_mut(&name));
                file.map(|file| file.there = false).is_some()
            }
            "rename" => panic!("a rename is not followed: {rest}"),
            "pwrite64" => {
                let numbers = rest.trim_end_matches(" <unfinished ...>");
                let numbers = numbers.split(')').next().unwrap();
                let offset = numbers.rsplit(", ").next().unwrap().parse().unwrap();
                self.write(&path(rest), offset, &strings)
            }
            "lseek" => {
                let to = rest.split(", ").nth(1).unwrap().parse();
                let file = self
                    .name(&path(rest))
                    .and_then(|name| self.files.get_mut(&name));
                if let (Some(file), Ok(to), true) = (file, to, rest.contains("SEEK_SET")) {
                    file.cursor = to;
                }
                false
            }
            "write" if rest.starts_with("1<") => !std::mem::replace(&mut self.told, true),
            "write" => {
                let at = self.name(&path(rest)).map(|name| self.files[&name].cursor);
                at.is_some_and(|at| self.write(&path(rest), at, &strings))
            }
            "ftruncate" => self.truncate(rest),
            "fsync" | "fdatasync" if rest.ends_with("<unfinished ...>") => {
                self.syncing.insert(thread.to_owned(), path(rest));
                false
            }
            "fsync" | "fdatasync" => rest.ends_with("= 0") && self.sync(&path(rest)),
            "writev" | "sendto" | "sendmsg" => {
                let begins = |verb: &[u8]| strings.iter().any(|bytes| bytes.starts_with(verb));
                let mutation = [&b"POST "[..], b"PUT ", b"DELETE "].into_iter().any(begins);
                mutation && !std::mem::replace(&mut self.sent, true)
            }
            _ => false,
        }
    }

    /// The file's name, if it is one of those that a disk holds.
    fn name(&self, path: &str) -> Option<String> {
        let name = path.strip_prefix(&self.dir)?.strip_prefix('/')?;
        Some(name.to_owned())
    }

    fn create(&mut self, strings: &[Vec<u8>]) -> bool {
        let Some(name) = self.name(&text(&strings[0])) else {
            return false;
        };
        let file = self.files.entry(name).or_default();
        file.cursor = 0;
        if !file.there {
            // A name that is used anew is another file.
            (file.synced, file.changes) = (vec![], vec![]);
        }
        !std::mem::replace(&mut file.there, true)
    }

    fn write(&mut self, path: &str, offset: usize, strings: &[Vec<u8>]) -> bool {
        let Some(name) = self.name(path) else {
            return false;
        };
        let file = self.files.entry(name).or_default();
        let data = strings[0].clone();
        file.cursor = offset + data.len();
        file.changes.push(Change::Put(offset, data));
        true
    }

    fn truncate(&mut self, rest: &str) -> bool {
        let mut words = rest.split([',', ')', ' ']).filter(|word| !word.is_empty());
        let length = words.nth(1).unwrap().parse();
        let file = self
            .name(&path(rest))
            .and_then(|name| self.files.get_mut(&name));
        let change = length.map(Change::Cut).unwrap();
        file.map(|file| file.changes.push(change)).is_some()
    }

    fn sync(&mut self, path: &str) -> bool {
        if path == self.dir {
            for file in self.files.values_mut() {
                file.named = file.there;
            }
            return true;
        }
        let file = self.name(path).and_then(|name| self.files.get_mut(&name));
        file.map(File::sync).is_some()
    }

    /// The disk that a power cut leaves now.
    fn disk(&self, left: Left) -> TempDir {
        let dir = TempDir::new_in(memory()).unwrap();
        for (name, file) in &self.files {
            if let Some(bytes) = file.after_cut(left) {
                fs::write(dir.path().join(name), bytes).unwrap();
            }
        }
        dir
    }

    /// What is wrong with a disk that was damaged, each way there is, before the power came back. How many there were.
    fn damaged(&self, left: Left) -> (usize, Vec<String>) {
        let whole = self.disk(left);
        let mut before = Journal::open(whole.path()).unwrap().recent(99).unwrap();
        // What is on the disk before its number is was not sent: a log that is damaged then may lose it.
        before.retain(|entry| self.sent || !entry.state.is_open());
        let (mut count, mut wrong) = (0, vec![]);
        for damage in Damage::VARIANTS {
            let disk = self.disk(left);
            if damage.befall(disk.path()) {
                count += 1;
                wrong.extend(complaints(&before, disk.path(), *damage));
            }
        }
        (count, wrong)
    }

    /// What is wrong with the disk that a power cut leaves now, if anything is.
    fn complaint(&self, scene: &Scene, left: Left) -> Option<String> {
        let dir = self.disk(left);
        let journal = match Journal::open(dir.path()) {
            Ok(journal) => journal,
            Err(why) => return Some(why.to_string()),
        };
        if let Some(damage) = journal.damage() {
            return Some(format!("no more than a power cut, and halted: {damage}"));
        }
        let newest = journal.recent(1).unwrap().pop();
        match newest.map(|entry| (entry.state, entry.maybe_executed)) {
            None if self.sent => {
                Some("a byte has left, and the journal knows of nothing".to_owned())
            }
            Some((state, false)) if self.sent => {
                Some(format!("a byte has left, and the journal says {state}"))
            }
            Some((IntentState::Inflight, true))
                if self.told && scene.command.risk() != Risk::Increasing =>
            {
                None
            }
            Some((state, _)) if self.told && state != IntentState::Done => {
                Some(format!("told as done, and the journal says {state}"))
            }
            _ => None,
        }
    }
}

/// Where a sync costs nothing: these disks need not survive.
fn memory() -> PathBuf {
    let shared = PathBuf::from("/dev/shm");
    if shared.is_dir() {
        return shared;
    }
    std::env::temp_dir()
}

/// The path that `-y` shows of a descriptor.
fn path(rest: &str) -> String {
    let shown = rest
        .split_once('<')
        .and_then(|(_, rest)| rest.split_once('>'));
    shown.map_or_else(String::new, |(path, _)| text(&bytes(path)))
}

/// Every string of a call, as `-xx` writes it.
fn strings(rest: &str) -> Vec<Vec<u8>> {
    rest.split('"').skip(1).step_by(2).map(bytes).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.split("\\x").skip(1);
    digits
        .map(|byte| u8::from_str_radix(&byte[..2], 16).unwrap())
        .collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The program, as the scene's trader has it.
fn verb(stage: &Stage, n: usize, home: &Path) -> Command {
    surrounded(
        Command::new(env!("CARGO_BIN_EXE_perpdeck")),
        (stage, n),
        home,
    )
}

fn surrounded(mut command: Command, (stage, n): (&Stage, usize), home: &Path) -> Command {
    command
        .env_clear()
        .envs(std::env::vars().filter(|(name, _)| !name.starts_with("PERPDECK_")))
        .env("HOME", home)
        .env("PERPDECK_BASE_URL", format!("http://{}", stage.addr()))
        .env("PERPDECK_ACCOUNT_ID", account(n))
        .env("PERPDECK_API_KEY", stage.key(n))
        .env("PERPDECK_STATE_DIR", home.join("desk"));
    command
}

/// The scene's verb under `strace`, which is told what to do by `args`.
fn strace(scene: &Scene, stage: &Stage, n: usize, home: &Path, args: &[&str]) -> Command {
    let mut command = surrounded(Command::new("strace"), (stage, n), home);
    command
        .args(["-f", "-o"])
        .arg(home.join("trace"))
        .args(args)
        .arg(env!("CARGO_BIN_EXE_perpdeck"))
        .args(scene.verb())
        .args(["--yes", "--output", "json"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// The lines of the trace of everything that concerns a disk, a wire or a screen.
fn traced(scene: &Scene, stage: &Stage, n: usize, home: &Path) -> Vec<String> {
    let calls = "trace=openat,unlink,rename,pwrite64,write,lseek,ftruncate,fsync,fdatasync,writev,sendto,sendmsg";
    let args = ["-y", "-xx", "-s", "10000000", "-e", calls];
    let status = strace(scene, stage, n, home, &args).status();
    let status = status.expect("this test needs strace");
    assert!(status.success(), "{status}");
    let lines = fs::read_to_string(home.join("trace")).unwrap();
    lines.lines().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs strace"]
async fn power_goes_at_every_system_call_and_what_was_sent_or_told_is_on_the_disk() {
    let stage = Stage::open(2 * Mutation::VERBS.len(), 0).await;
    let (mut cuts, mut damages, mut wrong) = (0, 0, vec![]);
    for (n, mutation) in Mutation::VERBS
        .iter()
        .cycle()
        .take(2 * Mutation::VERBS.len())
        .enumerate()
    {
        let home = tempfile::tempdir().unwrap();
        let desk = home.path().join("desk");
        fs::create_dir(&desk).unwrap();
        let scene = Scene::set(&stage, *mutation, n).await;
        // A journal that is there already, and one that is made.
        if n < Mutation::VERBS.len() {
            drop(Journal::open(&desk).unwrap());
        }
        let mut trace = Trace::of(&desk);
        for line in traced(&scene, &stage, n, home.path()) {
            if !trace.follow(&line) {
                continue;
            }
            for left in LEFT {
                cuts += 1;
                let what = trace.complaint(&scene, left);
                wrong.extend(what.map(|what| format!("{mutation}, {left:?} left: {what}")));
                let (count, what) = trace.damaged(left);
                damages += count;
                let what = what.iter();
                wrong.extend(what.map(|what| format!("{mutation}, {left:?} left: {what}")));
            }
        }
        assert!(
            trace.sent && trace.told,
            "{mutation}: the trace was not understood"
        );
    }
    eprintln!("{cuts} power cuts, {damages} damaged disks behind them");
    wrong.sort();
    wrong.dedup();
    assert_eq!(wrong, Vec::<String>::new());
}

/// `kill -9` when an order is on the disk and its number is not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs strace"]
async fn a_thousand_kills_between_a_line_and_its_number_halt_nothing_and_lose_nothing() {
    let stage = Stage::open(1, 0).await;
    let scene = Scene::set(&stage, Mutation::Place, 0).await;
    let home = tempfile::tempdir().unwrap();
    let desk = home.path().join("desk");
    drop(Journal::open(&desk).unwrap());
    let newest = desk.join("journal.newest");
    let only = ["-P", newest.to_str().unwrap(), "-e", "trace=pwrite64"];
    let deaths: i64 =
        std::env::var("PERPDECK_DEATHS").map_or(1_000, |deaths| deaths.parse().unwrap());
    let args = [&only[..], &["-e", "inject=pwrite64:signal=KILL:when=1"]].concat();
    for death in 1..=deaths {
        let status = strace(&scene, &stage, 0, home.path(), &args).status();
        let status = status.expect("this test needs strace");
        assert_eq!(status.signal(), Some(9), "death {death}: it went on");
        let mut journal = Journal::open(&desk).unwrap();
        assert_eq!(journal.damage(), None, "death {death}");
        let open = journal.open_intents().unwrap();
        let [entry] = open.as_slice() else {
            panic!("death {death}: {} are open", open.len());
        };
        let intent = &entry.intent;
        assert_eq!(
            journal.halts().of(&intent.base_url, &intent.account_id),
            None
        );
        assert_eq!((entry.id.0, entry.state), (death, IntentState::Inflight));
        let settled = StateUpdate::new(IntentState::Unsent, "it was killed");
        journal
            .record_state(entry.created_at, entry.id, &settled)
            .unwrap();
    }
    let Effects(effects) = scene.effects(&stage).await;
    assert_eq!(
        effects, 0,
        "something has left before its number was written"
    );
    eprintln!("{deaths} deaths between a line and its number");
}

/// A verb that is stopped while it records its order keeps nobody from getting out, and its
/// order does not follow.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs strace"]
async fn beside_a_verb_that_is_stopped_while_it_records_flatten_goes_out_and_the_order_does_not() {
    let stage = Stage::open(1, 0).await;
    let scene = Scene::set(&stage, Mutation::Place, 0).await;
    let home = tempfile::tempdir().unwrap();
    let desk = home.path().join("desk");
    drop(Journal::open(&desk).unwrap());
    let log = desk.join("journal.jsonl");
    let only = ["-P", log.to_str().unwrap(), "-e", "trace=fsync,fdatasync"];
    let args = [
        &only[..],
        &["-e", "inject=fsync,fdatasync:signal=STOP:when=1"],
    ]
    .concat();
    let mut placing = strace(&scene, &stage, 0, home.path(), &args)
        .spawn()
        .unwrap();
    let is_stopped = || {
        let trace = fs::read_to_string(home.path().join("trace")).unwrap_or_default();
        trace.contains("stopped by SIGSTOP")
    };
    while !is_stopped() {
        assert_eq!(placing.try_wait().unwrap(), None, "it went on");
        sleep(Duration::from_millis(10)).await;
    }
    let [stopped] = journal::writer_processes(&desk).try_into().unwrap();
    let stopped = stopped.number;
    let began = Instant::now();
    let flatten = verb(&stage, 0, home.path())
        .args(["flatten", "--yes"])
        .output()
        .unwrap();
    let said = String::from_utf8(flatten.stderr).unwrap();
    let took = began.elapsed();
    assert!(flatten.status.success(), "{said}");
    assert!(took < Duration::from_secs(5), "{took:?}: {said}");
    assert!(said.contains("does not answer"), "{said}");
    let mut go_on = Command::new("kill");
    assert!(
        go_on
            .args(["-CONT", &stopped.to_string()])
            .status()
            .unwrap()
            .success()
    );
    assert!(!placing.wait().unwrap().success());
    let Effects(effects) = scene.effects(&stage).await;
    assert_eq!(effects, 0, "it was sent after the flatten");
    let journal = Journal::open(&desk).unwrap();
    let newest = journal.recent(9).unwrap();
    let placed = newest
        .iter()
        .find(|entry| entry.intent.risk == Risk::Increasing);
    assert_eq!(placed.unwrap().state, IntentState::Unsent, "{newest:?}");
}

/// A verb syncs its journal five to fifteen times.
const SYNCS: usize = 16;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs strace"]
async fn a_disk_that_fails_at_any_write_stops_entries_and_lets_exits_go() {
    let mutations = [Mutation::Place, Mutation::CloseAll, Mutation::Cancel];
    let stage = Stage::open(2 * mutations.len() * SYNCS, 0).await;
    let mut wrong = vec![];
    let faults = ["fdatasync:error=EIO", "pwrite64:error=ENOSPC"];
    let deaths = faults
        .iter()
        .flat_map(|fault| (1..=SYNCS).map(move |nth| (fault, nth)));
    let cases = deaths.flat_map(|death| mutations.map(|mutation| (death, mutation)));
    for (n, ((fault, nth), mutation)) in cases.enumerate() {
        let home = tempfile::tempdir().unwrap();
        // Nothing less than a journal: without one nothing that raises exposure is sent at all.
        drop(Journal::open(&home.path().join("desk")).unwrap());
        let scene = Scene::set(&stage, mutation, n).await;
        // From the n-th on, as a broken or a full disk does.
        let inject = format!("inject={fault}:when={nth}+");
        let args = ["-e", "trace=fdatasync,pwrite64", "-e", &inject];
        let status = strace(&scene, &stage, n, home.path(), &args).status();
        let code = status.expect("this test needs strace").code();
        let Effects(effects) = scene.effects(&stage).await;
        let journal = Journal::open(&home.path().join("desk")).unwrap();
        let known = !journal.recent(1).unwrap().is_empty();
        let fits = match mutation {
            Mutation::Place => effects == usize::from(code == Some(0)) && (known || effects == 0),
            _ => effects == 1 && scene.is_whole(&stage).await,
        };
        if !fits {
            wrong.push(format!(
                "{mutation}, {inject}: exit {code:?}, {effects} effects, {known}"
            ));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
