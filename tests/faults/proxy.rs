//! Stands between the desk and the exchange and breaks what it is told to break.

use crate::{
    kind::{Kind, Plan, Reads},
    stage::SEATS,
};
use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    task::{JoinHandle, JoinSet},
    time::{Instant, sleep},
};

/// Longer than any call of a desk hurried 20 times may take.
const TOO_LATE: Duration = Duration::from_millis(1_800);
/// A connection that cannot be made is possible again after this.
const DOWN: Duration = Duration::from_millis(300);

pub(crate) struct Proxy {
    pub(crate) addr: SocketAddr,
    state: Arc<State>,
    task: JoinHandle<()>,
}

/// What the service asked for, and whether it was heeded.
#[derive(Debug, Clone, Default)]
pub(crate) struct Silence {
    /// The 429s that name no trading rule. A read that must wait holds back reads alone, and a command commands.
    all: Vec<Pause>,
    /// Before when a request that got a 202, a 503 or a rule's 429 is not to come again.
    own: HashMap<Vec<u8>, Instant>,
    pub(crate) asked: u32,
    pub(crate) early: u32,
}

#[derive(Debug, Clone)]
struct Pause {
    given: Instant,
    until: Instant,
    of_reads: bool,
}

/// What arrives so shortly after a 429 had left before it was heard.
const ON_THE_WAY: Duration = Duration::from_millis(25);

impl Silence {
    fn arrived(&mut self, request: &[u8], at: Instant) {
        let own = self.own.get(&name(request));
        let heard = self
            .all
            .iter()
            .filter(|pause| pause.of_reads == is_read(request) && pause.given + ON_THE_WAY < at);
        let early = heard
            .map(|pause| &pause.until)
            .chain(own)
            .any(|until| at < *until);
        self.early += u32::from(early);
    }

    /// An answer is on its way: what it asks for begins now at the earliest.
    fn answered(&mut self, request: &[u8], answer: &[u8]) {
        let head = String::from_utf8_lossy(&answer[..answer.len().min(1_000)]).to_lowercase();
        let asked = head
            .lines()
            .find_map(|line| line.strip_prefix("retry-after:"));
        let Some(seconds) = asked.and_then(|seconds| seconds.trim().parse().ok()) else {
            return;
        };
        let given = Instant::now();
        let until = given + Duration::from_secs(seconds);
        self.asked += 1;
        match head.split(' ').nth(1) {
            Some("429") if !head.contains("\"rule_id\"") => self.all.push(Pause {
                given,
                until,
                of_reads: is_read(request),
            }),
            Some("202" | "429" | "503") => drop(self.own.insert(name(request), until)),
            _ => {}
        }
    }
}

fn is_read(request: &[u8]) -> bool {
    request.starts_with(b"GET")
}

/// What it asks for, and under which key: the same for every try.
fn name(request: &[u8]) -> Vec<u8> {
    let lines = request.split(|byte| *byte == b'\n').enumerate();
    let kept = lines
        .filter(|(n, line)| *n == 0 || line.to_ascii_lowercase().starts_with(b"idempotency-key"));
    kept.flat_map(|(_, line)| line.to_vec()).collect()
}

struct State {
    plan: Plan,
    upstream: SocketAddr,
    hits: AtomicU32,
    calm: AtomicBool,
    /// When the last of the trouble was over.
    trouble: Mutex<Instant>,
    silence: Mutex<Silence>,
    /// Requests that reach the exchange later than the desk thinks.
    late: Mutex<JoinSet<()>>,
}

impl Proxy {
    pub(crate) async fn open(plan: Plan, upstream: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(true).unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let addr = socket.local_addr().unwrap();
        let state = Arc::new(State {
            plan,
            upstream,
            hits: AtomicU32::new(0),
            calm: AtomicBool::new(false),
            trouble: Mutex::new(Instant::now()),
            silence: Mutex::default(),
            late: Mutex::default(),
        });
        let task = tokio::spawn(serve(socket, addr, Arc::clone(&state)));
        tokio::task::yield_now().await;
        Self { addr, state, task }
    }

    /// From now on everything passes.
    pub(crate) fn calm(&self) {
        self.state.calm.store(true, Ordering::SeqCst);
    }

    /// From now on things go wrong as planned.
    pub(crate) fn stir(&self) {
        self.state.calm.store(false, Ordering::SeqCst);
    }

    /// When the last of the trouble was over.
    pub(crate) fn calm_since(&self) -> Instant {
        *self.state.trouble.lock().unwrap()
    }

    pub(crate) fn silence(&self) -> Silence {
        self.state.silence.lock().unwrap().clone()
    }

    /// Waits until everything that was held back has been delivered.
    pub(crate) async fn delivered(&self) {
        let mut late = std::mem::take(&mut *self.state.late.lock().unwrap());
        while late.join_next().await.is_some() {}
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(socket: TcpSocket, addr: SocketAddr, state: Arc<State>) {
    let listener = match state.plan.kind {
        Kind::Refused => {
            // Bound and not listening refuses.
            sleep(DOWN).await;
            socket.listen(64).unwrap()
        }
        Kind::ConnectTimesOut => {
            let listener = socket.listen(0).unwrap();
            let full = fill(addr).await;
            sleep(DOWN).await;
            drop(full);
            listener
        }
        _ => socket.listen(64).unwrap(),
    };
    state.troubled();
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(meet(stream, Arc::clone(&state)));
    }
}

/// A queue with no room makes the next connection wait for nobody.
async fn fill(addr: SocketAddr) -> Vec<TcpStream> {
    let mut queue = vec![];
    while let Ok(Ok(stream)) =
        tokio::time::timeout(Duration::from_millis(20), TcpStream::connect(addr)).await
    {
        queue.push(stream);
        if queue.len() > 8 {
            break;
        }
    }
    queue
}

impl State {
    fn troubled(&self) {
        *self.trouble.lock().unwrap() = Instant::now();
    }

    fn hit(&self) -> bool {
        !self.calm.load(Ordering::SeqCst)
            && self.hits.fetch_add(1, Ordering::SeqCst) < self.plan.times
    }

    /// The exchange's answer to these bytes, whole.
    async fn forward(&self, request: &[u8]) -> Vec<u8> {
        let mut answer = vec![];
        let _seat = SEATS.acquire().await.unwrap();
        let Ok(mut stream) = TcpStream::connect(self.upstream).await else {
            return answer;
        };
        let line_end = request.windows(2).position(|w| w == b"\r\n").unwrap();
        let (line, rest) = request.split_at(line_end);
        let once = [line, b"\r\nconnection: close", rest].concat();
        let _ = stream.write_all(&once).await;
        let _ = stream.read_to_end(&mut answer).await;
        answer
    }
}

async fn meet(mut client: TcpStream, state: Arc<State>) {
    let at = Instant::now();
    if state.plan.kind == Kind::ResetBeforeBytes && state.hit() {
        state.troubled();
        return reset(client);
    }
    if state.plan.kind == Kind::ResetMidRequest && state.hit() {
        let mut first = [0; 16];
        let _ = client.read(&mut first).await;
        state.troubled();
        return reset(client);
    }
    let Some(request) = request(&mut client).await else {
        return;
    };
    state.silence.lock().unwrap().arrived(&request, at);
    let concerned = !is_read(&request) || state.plan.reads == Reads::Hit;
    if concerned && state.hit() {
        break_it(client, &request, &state).await;
        state.troubled();
    } else {
        let answer = state.forward(&request).await;
        state.silence.lock().unwrap().answered(&request, &answer);
        let _ = client.write_all(&answer).await;
        let _ = client.shutdown().await;
    }
}

/// A request, head and body; `None` when the connection ends first.
pub(crate) async fn request(client: &mut TcpStream) -> Option<Vec<u8>> {
    let (mut bytes, mut chunk) = (vec![], [0; 4096]);
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length:"))
                .map_or(0, |n| n.trim().parse().unwrap());
            if bytes.len() >= end + 4 + length {
                return Some(bytes);
            }
        }
        match client.read(&mut chunk).await {
            Ok(0) | Err(_) => return None,
            Ok(n) => bytes.extend_from_slice(&chunk[..n]),
        }
    }
}

pub(crate) fn reset(client: TcpStream) {
    // Closed with data unread and no time to linger: the peer gets a reset.
    let client = client.into_std().unwrap();
    let socket = TcpSocket::from_std_stream(client);
    let _ = socket.set_zero_linger();
    drop(socket);
}

async fn break_it(mut client: TcpStream, request: &[u8], state: &Arc<State>) {
    match state.plan.kind {
        Kind::DnsFails
        | Kind::Refused
        | Kind::ConnectTimesOut
        | Kind::TlsFails
        | Kind::ResetBeforeBytes
        | Kind::ResetMidRequest
        | Kind::ResetAfterRequest => reset(client),
        Kind::ResetAfterEffect => {
            state.forward(request).await;
            reset(client);
        }
        Kind::ReplyLate => {
            let answer = state.forward(request).await;
            sleep(TOO_LATE).await;
            let _ = client.write_all(&answer).await;
        }
        Kind::BlackHole => {
            sleep(TOO_LATE).await;
            drop(client);
        }
        Kind::Reordered => {
            later(state, request);
            reset(client);
        }
        Kind::Twice => {
            state.forward(request).await;
            let answer = state.forward(request).await;
            let _ = client.write_all(&answer).await;
        }
        Kind::HeadCut
        | Kind::BodyCut
        | Kind::ByteByByte
        | Kind::TenBytesASecond
        | Kind::ErrorBeforeEffect
        | Kind::ErrorAfterEffect
        | Kind::Limited
        | Kind::Unavailable
        | Kind::GarbageJson
        | Kind::WebPage
        | Kind::Redirect
        | Kind::Oversized => answer_badly(client, request, state).await,
    }
}

/// Delivered after the next one, or a little later where none comes.
fn later(state: &Arc<State>, request: &[u8]) {
    let (held, request) = (Arc::clone(state), request.to_vec());
    state.late.lock().unwrap().spawn(async move {
        let seen = held.hits.load(Ordering::SeqCst);
        for _ in 0..20 {
            sleep(Duration::from_millis(50)).await;
            if held.hits.load(Ordering::SeqCst) > seen {
                break;
            }
        }
        held.forward(&request).await;
    });
}

async fn answer_badly(mut client: TcpStream, request: &[u8], state: &State) {
    let wait = "retry-after: 1\r\n";
    let bytes = match state.plan.kind {
        Kind::HeadCut => {
            let answer = state.forward(request).await;
            answer[..answer.len().min(20)].to_vec()
        }
        Kind::BodyCut => {
            let answer = state.forward(request).await;
            answer[..answer.len().saturating_sub(20)].to_vec()
        }
        Kind::ByteByByte | Kind::TenBytesASecond => {
            let answer = state.forward(request).await;
            return drip(client, &answer, state.plan.kind).await;
        }
        Kind::ErrorBeforeEffect => answer("500 Internal Server Error", "", "{}"),
        Kind::ErrorAfterEffect => {
            state.forward(request).await;
            answer("502 Bad Gateway", "", "<html>")
        }
        Kind::Limited => answer("429 Too Many Requests", wait, "{}"),
        Kind::Unavailable => answer("503 Service Unavailable", wait, "{}"),
        Kind::GarbageJson => {
            if state.plan.seed.is_multiple_of(2) {
                state.forward(request).await;
            }
            answer("200 OK", "", r#"{"data":{"id":7,"#)
        }
        Kind::WebPage => answer("200 OK", "", "<html>Please log in</html>"),
        Kind::Redirect => answer(
            "307 Temporary Redirect",
            "location: http://127.0.0.1:1/v1\r\n",
            "",
        ),
        Kind::Oversized => {
            state.forward(request).await;
            answer("200 OK", "", &"x".repeat(5 * 1024 * 1024))
        }
        other => panic!("{other} is dealt with before"),
    };
    state.silence.lock().unwrap().answered(request, &bytes);
    let _ = client.write_all(&bytes).await;
    let _ = client.shutdown().await;
}

async fn drip(mut client: TcpStream, answer: &[u8], kind: Kind) {
    let _ = client.set_nodelay(true);
    let (size, pause) = match kind {
        Kind::ByteByByte => (1, Duration::ZERO),
        _ => (10, Duration::from_millis(50)),
    };
    for slice in answer.chunks(size) {
        if client.write_all(slice).await.is_err() {
            return;
        }
        sleep(pause).await;
    }
}

fn answer(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\n{headers}\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
