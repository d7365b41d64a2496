//! The way into a desk that has the journal: a socket of its owner's beside it, for the command line.
//!
//! Contract: the desk speaks first, so that nothing is asked of one that does not listen (stopped, hung, gone); one
//! line asks, every further line tells how it goes, the last one is the outcome. What is asked for becomes a command of
//! the desk: its checks, its lanes, its budget, its journal. Only the owner of the directory can open the socket. A desk
//! that has taken something and falls silent is knocked at again: where it does not greet any more, whoever asked goes
//! on without it. Only the wish to flatten is ever left at a desk that does not listen, which finds it when it wakes.
//! Whatever is found late, when whoever asked has gone on without it, is not followed: what it was about may be gone,
//! and something else open in its place.
//!
//! Known limit: the path of a socket holds about 100 characters; a desk whose state directory is deeper than that has
//! no socket, and verbs find it deaf.

use super::{caller_event::CallerEvent, callers::CallerRegistry, shared_journal::AccountAddress};
use crate::{
    api::{Dialect, Method, Request},
    app::{self, Msg, Sending, activity::notice::Tone},
    client::Client,
    disk,
    model::{AccountId, Failure, FailureKind, IdempotencyKey, Progress, Receipt, Risk},
    runtime::base::clock::Shared,
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
/// A desk that lives answers a caller within this.
const GREETING: Duration = Duration::from_secs(2);
/// And takes up what it was asked for within this.
const TAKING: Duration = Duration::from_secs(10);
/// One that says nothing for longer may have been stopped: it is knocked at again.
const SILENCE: Duration = Duration::from_secs(1);
/// A wish as old as this is not followed: whoever asked has waited for [`GREETING`] and [`TAKING`] by then, and done
/// without. Three seconds more are for a machine that is slow.
pub(crate) const LAPSES: Duration = Duration::from_secs(15);
/// A close-all of 100 targets with their orders is below it; nothing else comes near.
const LONGEST_LINE: u64 = 4 * 1024 * 1024;

/// What the desk says to whoever comes in.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Greeting {
    pub process: u32,
    pub accounts: Vec<AccountAddress>,
}

/// What is asked for, of which account, and since when.
#[derive(Debug, Serialize, Deserialize)]
struct Envelope {
    to: AccountAddress,
    made: Shared,
    wish: WireRequest,
}

impl Envelope {
    fn new(to: AccountAddress, wish: WireRequest) -> Self {
        let made = Shared::now();
        Self { to, made, wish }
    }
}

/// What may be asked for, as a line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WireRequest {
    Send {
        method: String,
        target: String,
        key: IdempotencyKey,
        body: String,
        sending: Sending,
        risk: Risk,
    },
    Flatten,
}

/// What a desk needs to know to let somebody in to one of its accounts.
#[derive(Debug, Clone)]
pub(crate) struct SocketHost {
    pub(crate) client: Client,
    pub(crate) callers: CallerRegistry,
    pub(crate) inbox: Sender<Msg>,
    /// What was asked for so long ago is not followed.
    pub(crate) lapses: Duration,
}

/// Lets callers in to the accounts of `hosts` for as long as the desk lives. Must only be called by the process that
/// holds the journal in `dir`: a socket that stands there is one that a desk left behind.
pub(crate) async fn receive(hosts: Vec<SocketHost>, dir: PathBuf) {
    let listener = match open(&dir) {
        Ok(listener) => listener,
        Err(why) => return tracing::warn!(%why, "no socket for the command line"),
    };
    let_in(hosts, listener).await;
}

pub(crate) async fn let_in(hosts: Vec<SocketHost>, listener: UnixListener) {
    let hosts: Arc<[SocketHost]> = hosts.into();
    loop {
        match listener.accept().await {
            Ok((stream, _)) if is_own(&stream) => {
                tokio::spawn(greet(Arc::clone(&hosts), stream));
            }
            Ok(_) => tracing::warn!("another user of this machine was turned away at the socket"),
            // Out of file descriptors, most likely: callers wait in the backlog.
            Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
        }
    }
}

/// A caller that breaks off is nobody's loss: its command stays the desk's.
async fn greet(hosts: Arc<[SocketHost]>, stream: UnixStream) {
    let (mut from, mut to) = lines(stream);
    let greeting = Greeting {
        process: process::id(),
        accounts: hosts.iter().map(SocketHost::place).collect(),
    };
    // Who has left already may have left a letter.
    drop(write(&mut to, &greeting).await);
    let Ok(Ok(letter)) = timeout(TAKING, read::<Envelope>(&mut from)).await else {
        return;
    };
    if let Some(host) = hosts.iter().find(|host| host.place() == letter.to) {
        return host.serve(letter, to).await;
    }
    let why = CallerEvent::TurnedAway("that account is not on this desk".to_owned());
    // Who has left hears nothing.
    drop(write(&mut to, &why).await);
}

impl SocketHost {
    fn place(&self) -> AccountAddress {
        self.client.connection().into()
    }

    async fn serve(&self, letter: Envelope, mut to: OwnedWriteHalf) {
        let (caller, mut news) = self.callers.enter();
        let age = letter.made.age();
        match self.command(letter.wish) {
            Some(wish) if age >= self.lapses => {
                let why = wish.lapsed(age);
                self.callers.reject(caller, why.clone());
                drop(self.inbox.send(Msg::Said(Tone::Alert, why)).await);
            }
            Some(wish) => {
                // The loop that would have listened has ended.
                drop(self.inbox.send(Msg::Asked(caller, wish)).await);
            }
            None => self
                .callers
                .reject(caller, "it is no command of this desk's dialect".to_owned()),
        }
        while let Some(news) = news.recv().await {
            let last = matches!(news, CallerEvent::TurnedAway(_) | CallerEvent::Settled(_));
            if write(&mut to, &news).await.is_err() || last {
                return;
            }
        }
    }

    fn command(&self, wish: WireRequest) -> Option<app::CallerRequest> {
        wish.command(&self.client.connection().account_id, &self.client.dialect())
    }
}

impl WireRequest {
    /// `None` where it is no command of this dialect.
    fn command(self, account: &AccountId, dialect: &Dialect) -> Option<app::CallerRequest> {
        let (method, target, key, body, (sending, risk)) = match self {
            Self::Flatten => return Some(app::CallerRequest::Flatten(account.clone())),
            Self::Send {
                method,
                target,
                key,
                body,
                sending,
                risk,
            } => (method, target, key, body, (sending, risk)),
        };
        let request = Request {
            method: method.parse::<Method>().ok()?,
            target,
            key: Some(key.clone()),
            body: body.into_bytes(),
        };
        Some(app::CallerRequest::Send {
            command: request.command(dialect)?.classed(risk),
            key,
            sending,
        })
    }
}

/// Whether this user is at the other end, or root: decided by the system, whatever the modes of files are.
fn is_own(stream: &UnixStream) -> bool {
    stream
        .peer_cred()
        .is_ok_and(|peer| disk::is_own_user(peer.uid()))
}

/// To a desk of this user: nobody else is asked for anything.
async fn connect(dir: &Path) -> io::Result<UnixStream> {
    let stream = UnixStream::connect(dir.join(SOCKET)).await?;
    if is_own(&stream) {
        return Ok(stream);
    }
    let why = "the desk there belongs to another user";
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}

/// Whether a line of a caller is a request that a desk understands: what the fuzz target `socket_line` calls.
#[cfg(fuzzing)]
pub fn understands(line: &[u8]) -> bool {
    let Ok(letter) = serde_json::from_slice::<Envelope>(line) else {
        return false;
    };
    let command = letter
        .wish
        .command(&letter.to.account_id, &Dialect::default());
    command.is_some()
}

fn open(dir: &Path) -> io::Result<UnixListener> {
    // Nobody else gets to it between its making and its mode.
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

/// At the socket of a desk that has greeted, with nothing asked yet.
#[derive(Debug)]
pub struct DeskConnection {
    pub greeting: Greeting,
    dir: PathBuf,
    from: BufReader<OwnedReadHalf>,
    to: OwnedWriteHalf,
}

/// Knocks at the desk that has the journal in `dir`; `None` when nobody answers.
pub async fn call(dir: &Path) -> Option<DeskConnection> {
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
    /// Asks for something on one of its accounts and hears how it goes, to the end.
    pub async fn hand_over(
        mut self,
        to: AccountAddress,
        asked: HandOverRequest<'_>,
        mut hear: impl FnMut(&Progress),
    ) -> HandOverResult {
        let wish = asked.wish();
        let letter = Envelope::new(to, wish);
        let told = timeout(GREETING, write(&mut self.to, &letter)).await;
        // Half a line asks for nothing.
        if !matches!(told, Ok(Ok(()))) {
            return HandOverResult::NeverAsked;
        }
        let Ok(mut news) = timeout(TAKING, self.news()).await else {
            return HandOverResult::Lost;
        };
        loop {
            match news {
                None => return HandOverResult::Lost,
                Some(CallerEvent::Taken) => {}
                Some(CallerEvent::TurnedAway(why)) => return HandOverResult::TurnedAway(why),
                Some(CallerEvent::Progress(Progress::Parked { why, .. })) => {
                    return HandOverResult::Ended(Err(self.is_asked_there(&why)));
                }
                Some(CallerEvent::Progress(progress)) => hear(&progress),
                Some(CallerEvent::Settled(outcome)) => return HandOverResult::Ended(outcome),
            }
            news = self.news().await;
        }
    }

    /// What the desk says next; `None` when it is gone, or has fallen silent and does not greet any more.
    async fn news(&mut self) -> Option<CallerEvent> {
        let mut news = pin!(read(&mut self.from));
        loop {
            if let Ok(news) = timeout(SILENCE, &mut news).await {
                return news.ok();
            }
            if call(&self.dir).await.is_none() {
                // It may have come while it was knocked.
                return news.now_or_never()?.ok();
            }
        }
    }

    /// Who asks cannot decide: the desk that has sent it can.
    fn is_asked_there(&self, why: &Failure) -> Failure {
        let words = format!(
            "{}; the desk that sent it (process {}) asks on its screen what is to be done",
            why.message, self.greeting.process
        );
        Failure {
            message: words.into(),
            ..why.clone()
        }
    }
}

/// Leaves the wish to flatten at a desk that does not answer: it finds it when it wakes, also where whoever left it is
/// gone by then, and follows it where that is within [`LAPSES`]. Fails where nobody would find it.
pub(crate) async fn leave_flatten(dir: &Path, to: AccountAddress) -> io::Result<()> {
    let (_from, mut door) = lines(connect(dir).await?);
    let wish = WireRequest::Flatten;
    write(&mut door, &Envelope::new(to, wish)).await
}

/// What a caller asks for.
#[derive(Debug, Clone, Copy)]
pub enum HandOverRequest<'a> {
    Send {
        request: &'a Request,
        /// Of every deed, whether or not the endpoint keeps it.
        key: &'a IdempotencyKey,
        sending: Sending,
        /// As the caller has classed it.
        risk: Risk,
    },
    Flatten,
}

impl HandOverRequest<'_> {
    fn wish(self) -> WireRequest {
        match self {
            Self::Flatten => WireRequest::Flatten,
            Self::Send {
                request,
                key,
                sending,
                risk,
            } => WireRequest::Send {
                method: request.method.to_string(),
                target: request.target.clone(),
                key: key.clone(),
                body: String::from_utf8_lossy(&request.body).into_owned(),
                sending,
                risk,
            },
        }
    }
}

/// What comes of what a desk was to send.
#[derive(Debug, Clone, PartialEq)]
pub enum HandOverResult {
    Ended(Result<Receipt, Failure>),
    /// The desk does not send it, and why.
    TurnedAway(String),
    /// The desk was gone before it could be asked: it knows nothing of it.
    NeverAsked,
    /// It was asked, and is gone or stopped: what became of it is unknown, see [`unknown_after_hand_over`].
    Lost,
}

/// The outcome of what is [`HandOverResult::Lost`].
pub fn unknown_after_hand_over() -> Failure {
    Failure::new(
        FailureKind::Unknown,
        "the desk was asked and left without an answer; its journal may hold it",
    )
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
    use std::{
        env,
        io::{Read as _, Write as _},
        os::unix::{net::UnixStream as Blocking, process::CommandExt as _},
        process::{Command, Stdio},
    };
    use tokio::time::Instant;

    /// Nobody: neither root nor whoever runs the tests.
    const ANOTHER: u32 = 65_534;
    /// The socket that [`a_caller`] connects to.
    const PLACE: &str = "PERPDECK_TEST_SOCKET";

    #[test]
    #[ignore = "not a test: what the test below runs as another user"]
    fn a_caller() {
        let Ok(place) = env::var(PLACE) else { return };
        let began = Instant::now();
        let mut stream = Blocking::connect(place).unwrap();
        let mut heard = vec![];
        stream
            .set_read_timeout(Some(Duration::from_secs(5)))
            .unwrap();
        // A desk that greets keeps the connection open: that ends by the time limit.
        let end = stream
            .read_to_end(&mut heard)
            .map_or_else(|why| format!("{:?}", why.kind()), |_| "closed".to_owned());
        let took = began.elapsed().as_millis();
        panic!("caller: {end}, {} bytes, {took} ms.", heard.len());
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

    /// Issue 14, item 6, and the drills' row "socket from another uid": the modes are opened on purpose, so that only the
    /// check of the peer stands between.
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
        let door = tokio::spawn(let_in(vec![], listener));
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
        // What was not read by the desk when it hung up makes it a reset.
        assert!(
            ["closed, 0 bytes", "ConnectionReset, 0 bytes"].contains(&end),
            "{report}"
        );
        assert!(took.parse::<u64>().unwrap() < 100, "{report}");
        let caller = call(place.path()).await;
        assert!(caller.is_some(), "its own user is greeted");
        door.abort();
    }

    fn line(value: &impl Serialize) -> String {
        serde_json::to_string(value).unwrap()
    }

    /// Issue 15, step 0: a desk and a verb may be of two versions.
    #[test]
    fn every_line_at_the_socket_is_written_as_it_is_today() {
        let place = || AccountAddress {
            base_url: "https://x.test".to_owned(),
            account_id: "chal-1".into(),
        };
        let greeting = Greeting {
            process: 7,
            accounts: vec![place()],
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
        };
        let expected = r#"{"send":{"method":"DELETE","target":"/v1/orders/ord_1","key":"k","body":"","sending":"first","risk":"increasing"}}"#;
        assert_eq!(line(&send), expected);
        let made = Shared::now();
        let envelope = Envelope {
            to: place(),
            made,
            wish: WireRequest::Flatten,
        };
        let to = r#"{"base_url":"https://x.test","account_id":"chal-1"}"#;
        let posted = format!(r#"{{"to":{to},"made":{},"wish":"flatten"}}"#, line(&made));
        assert_eq!(line(&envelope), posted);
        assert_eq!(line(&Sending::Again), r#""again""#);
        let news = [
            CallerEvent::Taken,
            CallerEvent::TurnedAway("no".to_owned()),
            CallerEvent::Progress(Progress::Queued),
        ];
        let news = news.each_ref().map(line);
        assert_eq!(
            news,
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
