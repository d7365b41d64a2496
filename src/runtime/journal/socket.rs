//! The socket of a desk, at which verbs ask for what only that desk can do: flatten now, and change the alerts that it has in
//! memory.
//!
//! Contract: the desk speaks first, so a caller never sends a request to a desk that does not respond (stopped, hung,
//! gone). The caller sends one line and gets one: whether the desk carries it out. Only the directory's owner can connect.
//! The desk does not carry out a request that it reads too late: its caller has gone on without it, and something else may
//! be open by then.
//!
//! Known limit: a socket path holds about 100 characters. A desk with a longer state directory has no socket, and verbs
//! cannot reach it.

use super::{
    callers::{CallerAnswer, CallerRegistry},
    shared_journal::AccountAddress,
};
use crate::{
    app::{CallerRequest, Msg, activity::notice::Tone},
    client::Client,
    disk,
    journal::writer_processes,
    runtime::base::clock::Shared,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process,
    sync::Arc,
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{
        UnixListener, UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::mpsc::Sender,
    time::timeout,
};

/// A working desk greets a caller within this time.
const GREETING: Duration = Duration::from_secs(2);
/// A working desk answers a request within this time.
const ANSWER: Duration = Duration::from_secs(10);
/// The desk refuses a request of this age: its caller has waited [`GREETING`] and [`ANSWER`] by then, and has gone on
/// without it. Three seconds more allow for a slow machine.
pub(crate) const LAPSES: Duration = Duration::from_secs(15);
/// Alerts of any sensible number are shorter.
const LONGEST_LINE: u64 = 4 * 1024 * 1024;

/// What the desk sends first on each connection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Greeting {
    pub process: u32,
    pub accounts: Vec<AccountAddress>,
}

/// A request, its account, and when it was made. The field names are on the wire.
#[derive(Debug, Serialize, Deserialize)]
struct Envelope {
    to: AccountAddress,
    made: Shared,
    request: CallerRequest,
}

/// What the desk needs to accept callers for one of its accounts.
#[derive(Debug, Clone)]
pub(crate) struct SocketHost {
    pub(crate) client: Client,
    pub(crate) callers: CallerRegistry,
    pub(crate) inbox: Sender<Msg>,
    /// The desk refuses requests of this age.
    pub(crate) lapses: Duration,
}

/// Accepts callers for the accounts of `hosts` at `path` until the desk ends.
pub(crate) async fn receive(hosts: Vec<SocketHost>, path: PathBuf) {
    let listener = match open(&path) {
        Ok(listener) => listener,
        Err(why) => return tracing::warn!(%why, "no socket for the command line"),
    };
    let hosts: Arc<[SocketHost]> = hosts.into();
    loop {
        match listener.accept().await {
            Ok((stream, _)) if is_own(&stream) => {
                tokio::spawn(greet(Arc::clone(&hosts), stream));
            }
            Ok(_) => tracing::warn!("perpdeck refused another user of this machine at its socket"),
            // Probably out of file descriptors: callers wait in the backlog.
            Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
        }
    }
}

async fn greet(hosts: Arc<[SocketHost]>, stream: UnixStream) {
    let (mut from, mut to) = lines(stream);
    let greeting = Greeting {
        process: process::id(),
        accounts: hosts.iter().map(SocketHost::address).collect(),
    };
    // A caller that has disconnected may have left a request.
    drop(write(&mut to, &greeting).await);
    let Ok(Ok(envelope)) = timeout(ANSWER, read::<Envelope>(&mut from)).await else {
        return;
    };
    let answer = match hosts.iter().find(|host| host.address() == envelope.to) {
        Some(host) => host.answer(envelope).await,
        None => Err("that account is not on this desk".to_owned()),
    };
    // A caller that has disconnected receives nothing.
    drop(write(&mut to, &answer).await);
}

impl SocketHost {
    fn address(&self) -> AccountAddress {
        self.client.connection().into()
    }

    async fn answer(&self, envelope: Envelope) -> CallerAnswer {
        let age = envelope.made.age();
        if age >= self.lapses {
            let why = envelope.request.lapsed(age);
            // The main loop has ended: nobody receives it.
            drop(self.inbox.send(Msg::Notify(Tone::Alert, why.clone())).await);
            return Err(why);
        }
        let (caller, answer) = self.callers.register();
        drop(self.inbox.send(Msg::Asked(caller, envelope.request)).await);
        let gone = |_| Err("the desk is shutting down".to_owned());
        answer.await.unwrap_or_else(gone)
    }
}

/// Whether the peer is this user or root. The system decides, whatever the file modes are.
fn is_own(stream: &UnixStream) -> bool {
    stream
        .peer_cred()
        .is_ok_and(|peer| disk::is_own_user(peer.uid()))
}

/// Connects to a desk of this user only.
async fn connect(path: &Path) -> io::Result<UnixStream> {
    let stream = UnixStream::connect(path).await?;
    if is_own(&stream) {
        return Ok(stream);
    }
    let why = "the desk there belongs to another user";
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}

/// Whether a desk understands this line of a caller. For the fuzz target `socket_line`.
#[cfg(fuzzing)]
pub fn understands(line: &[u8]) -> bool {
    serde_json::from_slice::<Envelope>(line).is_ok()
}

fn open(path: &Path) -> io::Result<UnixListener> {
    // The directory is private, so nobody else can connect before the socket has its mode.
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// A connection to a desk that has greeted and has no request yet.
#[derive(Debug)]
pub struct DeskConnection {
    pub greeting: Greeting,
    from: BufReader<OwnedReadHalf>,
    to: OwnedWriteHalf,
}

/// The desk of an account, as another process finds it.
#[derive(Debug)]
pub enum FoundDesk {
    /// It answers and trades the account.
    Trading(DeskConnection),
    /// A desk answers and trades these accounts only.
    Elsewhere(Greeting),
    /// The desk of this process does not answer.
    Silent(u32),
    None,
}

/// Looks for a desk on the account among those that have the journal in `dir` open: the first one that answers.
pub async fn find_desk(dir: &Path, account: &AccountAddress) -> FoundDesk {
    let mut found = FoundDesk::None;
    let desks = writer_processes(dir)
        .into_iter()
        .filter(|desk| desk.listens);
    for desk in desks {
        found = match call(&desk.socket).await {
            Some(desk) if desk.greeting.accounts.contains(account) => {
                return FoundDesk::Trading(desk);
            }
            Some(other) => FoundDesk::Elsewhere(other.greeting),
            None => FoundDesk::Silent(desk.number),
        };
    }
    found
}

/// Connects to the desk at `path`; `None` if it does not greet.
async fn call(path: &Path) -> Option<DeskConnection> {
    let greeted = async {
        let (mut from, to) = lines(connect(path).await.ok()?);
        let greeting = read(&mut from).await.ok()?;
        Some(DeskConnection { greeting, from, to })
    };
    timeout(GREETING, greeted).await.ok().flatten()
}

impl DeskConnection {
    /// Has the desk carry out a request on one of its accounts; does not wait for what comes of it. `None` if the desk does
    /// not answer: whether it does so is unknown.
    pub async fn ask(
        mut self,
        to: AccountAddress,
        request: CallerRequest,
    ) -> Option<Result<(), String>> {
        let made = Shared::now();
        let envelope = Envelope { to, made, request };
        let answered = async {
            write(&mut self.to, &envelope).await?;
            read::<CallerAnswer>(&mut self.from).await
        };
        timeout(ANSWER, answered).await.ok()?.ok()
    }
}

fn lines(stream: UnixStream) -> (BufReader<OwnedReadHalf>, OwnedWriteHalf) {
    let (from, to) = stream.into_split();
    (BufReader::new(from), to)
}

async fn write(to: &mut OwnedWriteHalf, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    to.write_all(&line).await
}

async fn read<T: DeserializeOwned>(from: &mut BufReader<OwnedReadHalf>) -> io::Result<T> {
    let mut line = vec![];
    from.take(LONGEST_LINE).read_until(b'\n', &mut line).await?;
    Ok(serde_json::from_slice(&line)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{app::activity::user_alerts::AlertEdit, client::testing::responder::Responder};
    use std::{
        env,
        io::{Read as _, Write as _},
        os::unix::{net::UnixStream as Blocking, process::CommandExt as _},
        process::{Command, Stdio},
    };
    use tokio::{
        sync::mpsc::{Receiver, channel},
        time::Instant,
    };

    /// Another user: neither root nor the user that runs the tests.
    const ANOTHER: u32 = 65_534;
    /// The socket that [`a_caller`] connects to.
    const PLACE: &str = "PERPDECK_TEST_SOCKET";

    #[test]
    #[ignore = "not a test: what the test below runs as another user"]
    fn a_caller() {
        let Ok(place) = env::var(PLACE) else { return };
        let began = Instant::now();
        let mut stream = Blocking::connect(place).unwrap();
        let mut received = vec![];
        stream
            .set_read_timeout(Some(Duration::from_secs(5)))
            .unwrap();
        // A desk that greets keeps the connection open; the time limit ends the read.
        let end = stream
            .read_to_end(&mut received)
            .map_or_else(|why| format!("{:?}", why.kind()), |_| "closed".to_owned());
        let took = began.elapsed().as_millis();
        panic!("caller: {end}, {} bytes, {took} ms.", received.len());
    }

    /// What the caller's process reports, run as `user`.
    fn called(place: &Path, user: u32) -> String {
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .args([
                "--exact",
                "runtime::journal::socket::tests::a_caller",
                "--ignored",
                "--nocapture",
            ])
            .env(PLACE, place)
            .uid(user)
            .current_dir("/")
            .stdin(Stdio::null());
        let done = command.output().unwrap();
        let said = [done.stdout, done.stderr].concat();
        String::from_utf8_lossy(&said).into_owned()
    }

    /// The test opens the modes on purpose, so only the check of the peer refuses the connection.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_process_of_another_user_is_turned_away_at_once() {
        if !rustix::process::geteuid().is_root() {
            let _said = writeln!(
                std::io::stderr(),
                "skipped: only root can run a process as another user"
            );
            return;
        }
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("socket");
        let desk = tokio::spawn(receive(vec![], path.clone()));
        // It gets its mode right after it is made.
        let is_private = |path: &Path| {
            let found = fs::metadata(path).map(|found| found.permissions().mode() & 0o777);
            found.is_ok_and(|mode| mode == 0o600)
        };
        while !is_private(&path) {
            tokio::task::yield_now().await;
        }
        for (path, mode) in [(place.path(), 0o755), (&path, 0o666)] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
        let at = path.clone();
        let said = tokio::task::spawn_blocking(move || called(&at, ANOTHER))
            .await
            .unwrap();
        let report = said
            .split("caller: ")
            .nth(1)
            .and_then(|rest| rest.split(" ms.").next());
        let report = report.unwrap_or_else(|| panic!("the caller did not run: {said}"));
        let (end, took) = report.rsplit_once(", ").unwrap();
        // Unread bytes at hang-up turn the end into a reset.
        assert!(
            ["closed, 0 bytes", "ConnectionReset, 0 bytes"].contains(&end),
            "{report}"
        );
        assert!(took.parse::<u64>().unwrap() < 100, "{report}");
        let caller = call(&path).await;
        assert!(caller.is_some(), "its own user is greeted");
        desk.abort();
    }

    fn line(value: &impl Serialize) -> String {
        serde_json::to_string(value).unwrap()
    }

    fn address() -> AccountAddress {
        AccountAddress {
            base_url: "https://x.test".to_owned(),
            account_id: "chal-1".into(),
        }
    }

    /// A desk and a verb may be of different versions.
    #[test]
    fn every_line_at_the_socket_is_written_as_it_is_today() {
        let greeting = Greeting {
            process: 7,
            accounts: vec![address()],
        };
        let greeted =
            r#"{"process":7,"accounts":[{"base_url":"https://x.test","account_id":"chal-1"}]}"#;
        assert_eq!(line(&greeting), greeted);
        let made = Shared::now();
        let envelope = |request| {
            let to = address();
            line(&Envelope { to, made, request })
        };
        let posted = |request: &str| {
            let to = r#"{"base_url":"https://x.test","account_id":"chal-1"}"#;
            format!(
                r#"{{"to":{to},"made":{},"request":{request}}}"#,
                line(&made)
            )
        };
        let flatten = envelope(CallerRequest::Flatten("chal-1".into()));
        assert_eq!(flatten, posted(r#"{"flatten":"chal-1"}"#));
        let edit = envelope(CallerRequest::EditAlerts(AlertEdit::default()));
        assert_eq!(edit, posted(r#"{"edit_alerts":{"remove":[],"add":null}}"#));
        let done: CallerAnswer = Ok(());
        let refused: CallerAnswer = Err("no".to_owned());
        assert_eq!(
            [line(&done), line(&refused)],
            [r#"{"Ok":null}"#, r#"{"Err":"no"}"#]
        );
    }

    /// A desk at a socket in `dir`, and what it is asked.
    async fn desk(dir: &Path, lapses: Duration) -> (CallerRegistry, Receiver<Msg>, DeskConnection) {
        let responder = Responder::answering(vec![]).await;
        let (client, _calls) = responder.client();
        let (inbox, asked) = channel(4);
        let callers = CallerRegistry::default();
        let host = SocketHost {
            client,
            callers: callers.clone(),
            inbox,
            lapses,
        };
        let path = dir.join("socket");
        tokio::spawn(receive(vec![host], path.clone()));
        loop {
            if let Some(connection) = call(&path).await {
                return (callers, asked, connection);
            }
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_request_is_answered_with_what_the_desk_makes_of_it() {
        let answers: [CallerAnswer; 2] = [Ok(()), Err("no".to_owned())];
        for answer in answers {
            let dir = tempfile::tempdir().unwrap();
            let (callers, mut asked, desk) = desk(dir.path(), LAPSES).await;
            let to = desk.greeting.accounts[0].clone();
            let request = CallerRequest::Flatten(to.account_id.clone());
            let answered = tokio::spawn(desk.ask(to, request.clone()));
            let Some(Msg::Asked(caller, found)) = asked.recv().await else {
                panic!("asked");
            };
            assert_eq!(found, request);
            callers.answer(caller, answer.clone());
            assert_eq!(answered.await.unwrap(), Some(answer));
        }
    }

    #[tokio::test]
    async fn a_desk_that_wakes_long_after_a_flatten_leaves_open_what_is_open_by_then_and_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let (_callers, mut asked, desk) = desk(dir.path(), Duration::ZERO).await;
        let to = desk.greeting.accounts[0].clone();
        let request = CallerRequest::Flatten(to.account_id.clone());
        let said = "flatten was requested 0 s ago, while this desk did not answer, and was NOT executed: positions may \
                    be newer. F flattens";
        assert_eq!(desk.ask(to, request).await, Some(Err(said.to_owned())));
        let told = Msg::Notify(Tone::Alert, said.to_owned());
        assert_eq!(asked.recv().await, Some(told));
    }

    #[tokio::test]
    async fn an_account_that_is_not_on_the_desk_is_turned_away() {
        let dir = tempfile::tempdir().unwrap();
        let (_callers, _asked, desk) = desk(dir.path(), LAPSES).await;
        let request = CallerRequest::Flatten("chal-1".into());
        let why = "that account is not on this desk".to_owned();
        assert_eq!(desk.ask(address(), request).await, Some(Err(why)));
    }
}
