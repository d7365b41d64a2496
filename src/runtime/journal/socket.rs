//! The socket through which verbs and second desks hand commands to the desk that holds the journal.
//!
//! Contract: the desk speaks first, so a caller never sends a request to a desk that does not respond (stopped, hung,
//! gone). The caller sends one line; each further line is progress, and the last one is the outcome. The request
//! becomes a command of the desk, with its checks, queues, budget and journal. Only the directory's owner can connect.
//! If the desk accepts a request and then says nothing, the caller connects again; if the desk no longer greets, the
//! caller goes on without it. Only a flatten is left at a desk that does not respond; it runs when the desk wakes. The
//! desk does not run a request that it reads too late: its caller has gone on without it, and something else may be
//! open by then.
//!
//! Known limit: a socket path holds about 100 characters. A desk with a longer state directory has no socket, and verbs
//! cannot reach it.

use super::{
    caller_event::CallerEvent,
    callers::CallerRegistry,
    journal_writer::EXIT_JOURNAL_TIMEOUT,
    shared_journal::AccountAddress,
    wire_request::{Envelope, WireRequest},
};
use crate::{
    app::{
        self, Msg,
        activity::{notice::Tone, user_alerts::AlertEdit},
    },
    client::Client,
    disk,
    model::{Failure, FailureKind, ProcessKind, Progress, Receipt, Ticket},
};
use futures_util::FutureExt as _;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    pin::pin,
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

const SOCKET: &str = "desk.sock";
/// A working desk greets a caller within this time.
const GREETING: Duration = Duration::from_secs(2);
/// A working desk accepts a request within this time.
const TAKING: Duration = Duration::from_secs(10);
/// After this much silence the caller connects again to see whether the desk still responds.
const SILENCE: Duration = Duration::from_secs(1);
/// The desk refuses a request of this age: its caller has waited [`GREETING`] and [`TAKING`] by then, and has gone on
/// without it. Three seconds more allow for a slow machine.
pub(crate) const LAPSES: Duration = Duration::from_secs(15);
/// A close-all of 100 targets with their orders is shorter; no other request comes near.
const LONGEST_LINE: u64 = 4 * 1024 * 1024;

/// What the desk sends first on each connection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Greeting {
    pub process: u32,
    pub accounts: Vec<AccountAddress>,
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

/// Accepts callers for the accounts of `hosts` until the desk ends. Must only be called by the process that holds the
/// journal in `dir`: any socket file in it was left by a desk that is gone.
pub(crate) async fn receive(hosts: Vec<SocketHost>, dir: PathBuf) {
    let listener = match open(&dir) {
        Ok(listener) => listener,
        Err(why) => return tracing::warn!(%why, "no socket for the command line"),
    };
    accept_callers(hosts, listener).await;
}

pub(crate) async fn accept_callers(hosts: Vec<SocketHost>, listener: UnixListener) {
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

/// If the caller disconnects, its command stays with the desk.
async fn greet(hosts: Arc<[SocketHost]>, stream: UnixStream) {
    let (mut from, mut to) = lines(stream);
    let greeting = Greeting {
        process: process::id(),
        accounts: hosts.iter().map(SocketHost::address).collect(),
    };
    // A caller that has disconnected may have left a request.
    drop(write(&mut to, &greeting).await);
    let Ok(Ok(envelope)) = timeout(TAKING, read::<Envelope>(&mut from)).await else {
        return;
    };
    if let Some(host) = hosts.iter().find(|host| host.address() == envelope.to) {
        return host.serve(envelope, to).await;
    }
    let why = CallerEvent::TurnedAway("that account is not on this desk".to_owned());
    // A caller that has disconnected receives nothing.
    drop(write(&mut to, &why).await);
}

impl SocketHost {
    fn address(&self) -> AccountAddress {
        self.client.connection().into()
    }

    async fn serve(&self, envelope: Envelope, mut to: OwnedWriteHalf) {
        let (caller, mut event) = self.callers.enter();
        let age = envelope.made.age();
        match self.command(envelope.request) {
            Some(request) if age >= self.lapses => {
                let why = request.lapsed(age);
                self.callers.reject(caller, why.clone());
                drop(self.inbox.send(Msg::Notify(Tone::Alert, why)).await);
            }
            Some(request) => {
                // The main loop has ended: nobody receives it.
                drop(self.inbox.send(Msg::Asked(caller, request)).await);
            }
            None => self
                .callers
                .reject(caller, "this desk does not know this command".to_owned()),
        }
        while let Some(event) = event.recv().await {
            let last = event.is_last();
            if write(&mut to, &event).await.is_err() || last {
                return;
            }
        }
    }

    fn command(&self, request: WireRequest) -> Option<app::CallerRequest> {
        request.command(&self.client.connection().account_id)
    }
}

/// Whether the peer is this user or root. The system decides, whatever the file modes are.
fn is_own(stream: &UnixStream) -> bool {
    stream
        .peer_cred()
        .is_ok_and(|peer| disk::is_own_user(peer.uid()))
}

/// Connects to a desk of this user only.
async fn connect(dir: &Path) -> io::Result<UnixStream> {
    let stream = UnixStream::connect(dir.join(SOCKET)).await?;
    if is_own(&stream) {
        return Ok(stream);
    }
    let why = "the desk there belongs to another user";
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}

/// Whether a desk understands this line of a caller. For the fuzz target `socket_line`.
#[cfg(fuzzing)]
pub fn understands(line: &[u8]) -> bool {
    let Ok(envelope) = serde_json::from_slice::<Envelope>(line) else {
        return false;
    };
    let command = envelope.request.command(&envelope.to.account_id);
    command.is_some()
}

fn open(dir: &Path) -> io::Result<UnixListener> {
    // The directory is private, so nobody else can connect before the socket has its mode.
    disk::private_dir(dir)?;
    let path = dir.join(SOCKET);
    if let Err(why) = fs::remove_file(&path)
        && why.kind() != io::ErrorKind::NotFound
    {
        return Err(why);
    }
    let listener = UnixListener::bind(&path)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// A connection to a desk that has greeted and has no request yet.
#[derive(Debug)]
pub struct DeskConnection {
    pub greeting: Greeting,
    dir: PathBuf,
    from: BufReader<OwnedReadHalf>,
    to: OwnedWriteHalf,
}

/// The desk that holds a journal, as another process finds it.
#[derive(Debug)]
pub enum FoundDesk {
    /// It answers and trades the account.
    Trading(DeskConnection),
    /// It answers and trades these accounts only.
    Elsewhere(Greeting),
    Silent,
}

/// Looks for the desk that holds the journal in `dir`. A close of a second desk waits for it no longer than for a disk.
pub async fn find_desk(process: ProcessKind, dir: &Path, account: &AccountAddress) -> FoundDesk {
    let patience = match process {
        ProcessKind::Desk => EXIT_JOURNAL_TIMEOUT,
        ProcessKind::Verb => GREETING,
    };
    match timeout(patience, call(dir)).await.ok().flatten() {
        Some(desk) if desk.greeting.accounts.contains(account) => FoundDesk::Trading(desk),
        Some(desk) => FoundDesk::Elsewhere(desk.greeting),
        None => FoundDesk::Silent,
    }
}

/// Connects to the desk that holds the journal in `dir`; `None` if it does not greet.
pub(crate) async fn call(dir: &Path) -> Option<DeskConnection> {
    let greeted = async {
        let stream = connect(dir).await.ok()?;
        let (mut from, to) = lines(stream);
        let greeting = read(&mut from).await.ok()?;
        Some(DeskConnection {
            greeting,
            dir: dir.to_owned(),
            from,
            to,
        })
    };
    timeout(GREETING, greeted).await.ok().flatten()
}

impl DeskConnection {
    /// Sends a request for one of its accounts and reports progress of the ticket until the outcome.
    pub(crate) async fn hand_over(
        mut self,
        to: AccountAddress,
        request: WireRequest,
        (ticket, events): (Ticket, &Sender<Msg>),
    ) -> HandOverResult {
        let mut event = match self.ask(to, request).await {
            Ok(event) => event,
            Err(missed) => return missed,
        };
        loop {
            match event {
                CallerEvent::Taken | CallerEvent::AlertsEdited => {}
                CallerEvent::TurnedAway(why) => return HandOverResult::TurnedAway(why),
                CallerEvent::Progress(Progress::Parked { why, .. }) => {
                    return HandOverResult::Ended(Err(self.decided_at_desk(&why)));
                }
                CallerEvent::Progress(progress) => {
                    // The desk is shutting down: nobody receives it.
                    let _closed = events.send(Msg::Progress(ticket, progress)).await;
                }
                CallerEvent::Settled(outcome) => return HandOverResult::Ended(outcome),
            }
            event = match self.event().await {
                Some(event) => event,
                None => return HandOverResult::Lost,
            };
        }
    }

    /// Has the desk change the alerts of one of its accounts.
    pub async fn edit_alerts(mut self, to: AccountAddress, edit: AlertEdit) -> AlertEditResult {
        match self.ask(to, WireRequest::EditAlerts(Box::new(edit))).await {
            Ok(CallerEvent::AlertsEdited) => AlertEditResult::Done,
            Ok(CallerEvent::TurnedAway(why)) => AlertEditResult::TurnedAway(why),
            Ok(_) | Err(_) => AlertEditResult::NoAnswer,
        }
    }

    /// Has the desk flatten one of its accounts, and does not wait for the outcome.
    ///
    /// # Errors
    /// If the desk does not do it.
    pub async fn begin_flatten(mut self, to: AccountAddress) -> Result<(), Failure> {
        match self.ask(to, WireRequest::Flatten).await {
            Ok(CallerEvent::TurnedAway(why)) => Err(Failure::new(FailureKind::Conflict, why)),
            Ok(CallerEvent::Settled(outcome)) => outcome.map(drop),
            Ok(CallerEvent::Taken | CallerEvent::Progress(_) | CallerEvent::AlertsEdited) => Ok(()),
            Err(_) => Err(Failure::new(
                FailureKind::Unknown,
                format!("desk {} did not confirm the flatten", self.greeting.process),
            )),
        }
    }

    /// Sends a request and waits for the first event of it.
    async fn ask(
        &mut self,
        to: AccountAddress,
        request: WireRequest,
    ) -> Result<CallerEvent, HandOverResult> {
        let envelope = Envelope::new(to, request);
        let sent = timeout(GREETING, write(&mut self.to, &envelope)).await;
        // The desk ignores an incomplete line.
        if !matches!(sent, Ok(Ok(()))) {
            return Err(HandOverResult::NeverAsked);
        }
        let first = timeout(TAKING, self.event()).await;
        first.ok().flatten().ok_or(HandOverResult::Lost)
    }

    /// The next event; `None` when the desk is gone, or is silent and no longer greets.
    async fn event(&mut self) -> Option<CallerEvent> {
        let mut event = pin!(read(&mut self.from));
        loop {
            if let Ok(event) = timeout(SILENCE, &mut event).await {
                return event.ok();
            }
            if call(&self.dir).await.is_none() {
                // The event may have arrived during the connection attempt.
                return event.now_or_never()?.ok();
            }
        }
    }

    /// The caller cannot decide about a parked command; the desk that sent it can.
    fn decided_at_desk(&self, why: &Failure) -> Failure {
        let words = format!(
            "{}; the desk that sent it (process {}) asks on its screen what to do",
            why.message, self.greeting.process
        );
        Failure {
            message: words.into(),
            ..why.clone()
        }
    }
}

/// Leaves a flatten at a desk that does not respond. The desk runs it when it wakes within [`LAPSES`], even if the
/// caller is gone. Fails if no desk would find it.
pub(crate) async fn leave_flatten(dir: &Path, to: AccountAddress) -> io::Result<()> {
    let (_from, mut writer) = lines(connect(dir).await?);
    let request = WireRequest::Flatten;
    write(&mut writer, &Envelope::new(to, request)).await
}

/// The result of handing a request over.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum HandOverResult {
    Ended(Result<Receipt, Failure>),
    /// The desk does not send it; the text says why.
    TurnedAway(String),
    /// The desk was gone before it received the request.
    NeverAsked,
    /// The desk received the request and then stopped responding. The outcome is unknown.
    Lost,
}

/// The result of having a desk change alerts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlertEditResult {
    Done,
    /// Nothing was changed; the text says why.
    TurnedAway(String),
    /// The desk is gone, does not respond, or is of a version that does not know the request.
    NoAnswer,
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
    use crate::{
        app::{KeyOrigin, Sending},
        model::Risk,
        runtime::base::clock::Shared,
    };
    use std::{
        env,
        io::{Read as _, Write as _},
        os::unix::{net::UnixStream as Blocking, process::CommandExt as _},
        process::{Command, Stdio},
    };
    use tokio::time::Instant;

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

    /// The test opens the modes on purpose, so only the
    /// check of the peer refuses the connection.
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
        let path = place.path().join(SOCKET);
        let listener = open(place.path()).unwrap();
        for (path, mode) in [(place.path(), 0o755), (&path, 0o666)] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
        let writer = tokio::spawn(accept_callers(vec![], listener));
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
        let caller = call(place.path()).await;
        assert!(caller.is_some(), "its own user is greeted");
        writer.abort();
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
        let send = WireRequest::Send {
            method: "DELETE".to_owned(),
            target: "/v1/orders/ord_1".to_owned(),
            key: "k".into(),
            body: String::new(),
            sending: Sending::First,
            risk: Risk::Increasing,
            key_origin: KeyOrigin::Made,
        };
        let expected = r#"{"send":{"method":"DELETE","target":"/v1/orders/ord_1","key":"k","body":"","sending":"first","risk":"increasing"}}"#;
        assert_eq!(line(&send), expected);
        let made = Shared::now();
        let envelope = Envelope {
            to: address(),
            made,
            request: WireRequest::Flatten,
        };
        let to = r#"{"base_url":"https://x.test","account_id":"chal-1"}"#;
        let posted = format!(r#"{{"to":{to},"made":{},"wish":"flatten"}}"#, line(&made));
        assert_eq!(line(&envelope), posted);
        let edited = line(&WireRequest::EditAlerts(Box::default()));
        assert_eq!(edited, r#"{"edit_alerts":{"remove":[],"add":null}}"#);
        assert_eq!(line(&CallerEvent::AlertsEdited), r#""alerts_edited""#);
        let words = [line(&Sending::Again), line(&KeyOrigin::Chosen)];
        assert_eq!(words, [r#""again""#, r#""chosen""#]);
        let event = [
            CallerEvent::Taken,
            CallerEvent::TurnedAway("no".to_owned()),
            CallerEvent::Progress(Progress::Queued),
        ];
        let event = event.each_ref().map(line);
        assert_eq!(
            event,
            [
                r#""taken""#,
                r#"{"turned_away":"no"}"#,
                r#"{"progress":"queued"}"#
            ]
        );
        let settled = line(&CallerEvent::Settled(Ok(Receipt::AlreadySo("so".into()))));
        assert_eq!(settled, r#"{"settled":{"Ok":{"already_so":"so"}}}"#);
        let failed = line(&CallerEvent::Settled(Err(Failure::new(
            FailureKind::Local,
            "no",
        ))));
        assert!(
            failed.starts_with(r#"{"settled":{"Err":{"kind":"local""#),
            "{failed}"
        );
    }
}
