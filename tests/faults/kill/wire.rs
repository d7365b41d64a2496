//! Between the client and the exchange: lets requests come as far as the gate, and tells that they are there.

use super::{
    disk::{Stuck, left_behind},
    moment::{Class, Gate, Phase, Prelude},
};
use crate::proxy::{request, reset};
use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    sync::watch,
    task::JoinHandle,
    time::sleep,
};

/// Long enough for either side to take what it got and to stand before its disk.
pub(crate) const A_MOMENT: Duration = Duration::from_millis(40);
/// When a late request arrives: while the next life reads.
const LATE: Duration = Duration::from_millis(60);

/// The address that all lives of a client speak to: its journal knows the service by it.
pub(crate) struct Port {
    pub(crate) addr: SocketAddr,
    current: watch::Sender<Option<Arc<State>>>,
    task: JoinHandle<()>,
    sent: Sent,
}

/// Every key that came by, with the body that came with it.
type Sent = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// What one life of a client has of the port.
pub(crate) struct Wire(Arc<State>);

struct State {
    /// `None` while it is dead.
    exchange: Mutex<Option<(SocketAddr, PathBuf)>>,
    journal: PathBuf,
    prelude: Prelude,
    gate: Option<Gate>,
    seen: [AtomicU32; 2],
    /// The command was given to the client.
    given: watch::Sender<bool>,
    reached: watch::Sender<bool>,
    /// The death has happened.
    over: watch::Sender<bool>,
    /// The exchange's files as they were before it began to commit.
    uncommitted: Mutex<Option<PathBuf>>,
    sent: Sent,
}

impl Port {
    pub(crate) fn open() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(true).unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let addr = socket.local_addr().unwrap();
        let current = watch::Sender::new(None);
        let task = tokio::spawn(serve(socket, current.subscribe()));
        Self {
            addr,
            current,
            task,
            sent: Sent::default(),
        }
    }

    /// For the next life; whoever is left of the one before reaches nobody any more.
    pub(crate) fn wire(
        &self,
        exchange: (SocketAddr, PathBuf),
        journal: PathBuf,
        (prelude, gate): (Prelude, Option<Gate>),
    ) -> Wire {
        let state = Arc::new(State {
            exchange: Mutex::new(Some(exchange)),
            journal,
            prelude,
            gate,
            seen: Default::default(),
            given: watch::Sender::new(false),
            reached: watch::Sender::new(false),
            over: watch::Sender::new(false),
            uncommitted: Mutex::default(),
            sent: Arc::clone(&self.sent),
        });
        self.current.send_replace(Some(Arc::clone(&state)));
        Wire(state)
    }

    /// Every key that any life has sent, with its body each time.
    pub(crate) fn sent(&self) -> Vec<(String, Vec<u8>)> {
        self.sent.lock().unwrap().clone()
    }

    /// Nobody is there.
    pub(crate) fn cut(&self) {
        self.current.send_replace(None);
    }

    /// Returns when nothing of the life that ended can arrive any more.
    ///
    /// Its last connections may still stand in the kernel's queue, and would count as the next life's. They are
    /// accepted in their order, so once this one has been met and thrown out, so have they.
    pub(crate) async fn emptied(&self) {
        if let Ok(mut last) = TcpStream::connect(self.addr).await {
            let _ = last.read(&mut [0]).await;
        }
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Wire {
    /// Returns when a request has come as far as the gate.
    pub(crate) async fn reached(&self) {
        let mut reached = self.0.reached.subscribe();
        reached.wait_for(|reached| *reached).await.unwrap();
    }

    /// The command is given to the client.
    pub(crate) fn give(&self) {
        self.0.given.send_replace(true);
    }

    /// The exchange is another one from now on, or none: no answer of the one before comes through any more.
    pub(crate) fn lead_to(&self, exchange: Option<(SocketAddr, PathBuf)>) {
        *self.0.exchange.lock().unwrap() = exchange;
    }

    /// What stands at the gate breaks, and everything after it passes.
    pub(crate) fn go_on(&self) {
        self.0.over.send_replace(true);
    }

    /// Mutations that came by.
    pub(crate) fn mutations(&self) -> u32 {
        self.0.seen[Class::Mutation as usize].load(Ordering::SeqCst)
    }

    /// What the exchange's disk holds if it dies while it commits.
    pub(crate) fn uncommitted(&self) -> Option<PathBuf> {
        self.0.uncommitted.lock().unwrap().take()
    }
}

async fn serve(socket: TcpSocket, mut current: watch::Receiver<Option<Arc<State>>>) {
    let first = current.wait_for(Option::is_some).await;
    let first = first.ok().and_then(|first| first.clone());
    if let Some(first) = first.filter(|first| first.prelude == Prelude::Refused) {
        // Bound and not listening refuses.
        let _ = first.given.subscribe().wait_for(|given| *given).await;
        sleep(A_MOMENT).await;
    }
    let listener = socket.listen(64).unwrap();
    while let Ok((stream, _)) = listener.accept().await {
        let state = current.borrow().clone();
        match state {
            Some(state) => drop(tokio::spawn(meet(stream, state))),
            None => reset(stream),
        }
    }
}

async fn meet(mut client: TcpStream, state: Arc<State>) {
    let mut first = [0];
    if !matches!(client.peek(&mut first).await, Ok(1)) {
        return;
    }
    let class = match &first {
        b"G" => Class::Read,
        _ => Class::Mutation,
    };
    let nth = state.seen[class as usize].fetch_add(1, Ordering::SeqCst) + 1;
    let here = |gate: &Gate| gate.class == class && gate.nth == nth;
    match state.gate.filter(here) {
        Some(gate) => state.halt(client, gate.phase).await,
        None if class == Class::Mutation && state.spoils(nth) => state.spoil(client).await,
        None => {
            let Some(request) = state.request(&mut client).await else {
                return;
            };
            let answer = state.forward(&request).await;
            if answer.is_empty() {
                return reset(client);
            }
            let _ = client.write_all(&answer).await;
            let _ = client.shutdown().await;
        }
    }
}

impl State {
    /// All of it, as it will be compared with what else is sent under its key.
    async fn request(&self, client: &mut TcpStream) -> Option<Vec<u8>> {
        let request = request(client).await?;
        let text = String::from_utf8_lossy(&request);
        let (head, body) = text.split_once("\r\n\r\n")?;
        let key = head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(name, _)| name.eq_ignore_ascii_case("idempotency-key"));
        if let Some((_, key)) = key {
            let sent = (key.to_owned(), body.as_bytes().to_vec());
            self.sent.lock().unwrap().push(sent);
        }
        Some(request)
    }

    fn spoils(&self, nth: u32) -> bool {
        let over = *self.over.borrow();
        match self.prelude {
            Prelude::Nothing | Prelude::Refused => false,
            Prelude::Lost | Prelude::Executed | Prelude::Limited | Prelude::Unavailable => nth == 1,
            Prelude::AllLost => !over,
        }
    }

    async fn spoil(&self, mut client: TcpStream) {
        let Some(request) = self.request(&mut client).await else {
            return;
        };
        let refusal = |status| {
            format!(
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\nretry-after: 1\r\n\
                 content-length: 2\r\n\r\n{{}}"
            )
        };
        let answer = match self.prelude {
            Prelude::Executed => {
                self.carried_out(&request).await;
                None
            }
            Prelude::Limited => Some(refusal("429 Too Many Requests")),
            Prelude::Unavailable => Some(refusal("503 Service Unavailable")),
            Prelude::Nothing | Prelude::Refused | Prelude::Lost | Prelude::AllLost => None,
        };
        match answer {
            Some(answer) => {
                let _ = client.write_all(answer.as_bytes()).await;
                let _ = client.shutdown().await;
            }
            None => reset(client),
        }
    }

    async fn exchange(&self) -> Option<TcpStream> {
        let (addr, _) = self.exchange.lock().unwrap().clone()?;
        TcpStream::connect(addr).await.ok()
    }

    /// The exchange's answer to these bytes, whole; none if it died meanwhile.
    async fn forward(&self, request: &[u8]) -> Vec<u8> {
        let mut answer = vec![];
        let Some(mut exchange) = self.exchange().await else {
            return answer;
        };
        let alive = exchange.peer_addr().ok();
        let _ = exchange.write_all(&once(request)).await;
        let _ = exchange.read_to_end(&mut answer).await;
        let now = self.exchange.lock().unwrap().clone();
        if now.map(|(addr, _)| addr) != alive {
            answer.clear();
        }
        answer
    }

    /// The same, once the exchange carries it out: it takes one order at the market each half second.
    async fn carried_out(&self, request: &[u8]) -> Vec<u8> {
        loop {
            let answer = self.forward(request).await;
            if !answer.starts_with(b"HTTP/1.1 429") {
                return answer;
            }
            sleep(A_MOMENT).await;
        }
    }

    /// It is there: waits until the death has happened.
    async fn here(&self) {
        self.reached.send_replace(true);
        let mut over = self.over.subscribe();
        let _ = over.wait_for(|over| *over).await;
    }

    async fn halt(self: &Arc<Self>, mut client: TcpStream, phase: Phase) {
        match phase {
            Phase::Connected => self.here().await,
            Phase::FirstByteOut | Phase::HalfRequestOut => {
                let mut some = vec![0; if phase == Phase::FirstByteOut { 1 } else { 150 }];
                let _ = client.read_exact(&mut some).await;
                self.here().await;
            }
            Phase::RequestLost => {
                let _ = self.request(&mut client).await;
                self.here().await;
            }
            Phase::RequestLate => {
                let request = self.request(&mut client).await.unwrap();
                self.here().await;
                let late = Arc::clone(self);
                tokio::spawn(async move {
                    sleep(LATE).await;
                    late.forward(&request).await;
                });
            }
            Phase::HalfRequestIn => {
                let request = once(&self.request(&mut client).await.unwrap());
                let mut exchange = self.exchange().await.unwrap();
                let _ = exchange.write_all(&request[..request.len() / 2]).await;
                self.here().await;
            }
            Phase::Committing => {
                let request = self.request(&mut client).await.unwrap();
                self.committing(&request).await;
            }
            Phase::Committed
            | Phase::FirstByteBack
            | Phase::HalfHeadBack
            | Phase::HeadBack
            | Phase::LastByteMissing => {
                let request = self.request(&mut client).await.unwrap();
                let answer = self.carried_out(&request).await;
                let _ = client.write_all(&answer[..share(phase, &answer)]).await;
                if phase != Phase::Committed {
                    sleep(A_MOMENT / 4).await;
                }
                self.here().await;
            }
            Phase::Noting => {
                let request = self.request(&mut client).await.unwrap();
                let answer = self.carried_out(&request).await;
                let stuck = Stuck::journal(&self.journal);
                let _ = client.write_all(&answer).await;
                let _ = client.shutdown().await;
                sleep(A_MOMENT).await;
                self.here().await;
                drop(stuck);
            }
        }
        reset(client);
    }

    /// What is carried out and not yet on the disk is lost with the exchange, and stays where it lives on.
    async fn committing(&self, request: &[u8]) {
        let exchange = self.exchange.lock().unwrap().clone();
        *self.uncommitted.lock().unwrap() = exchange.map(|(_, dir)| left_behind(&dir));
        self.carried_out(request).await;
        self.here().await;
    }
}

/// How much of the answer has come back.
fn share(phase: Phase, answer: &[u8]) -> usize {
    let head = answer.windows(4).position(|four| four == b"\r\n\r\n");
    let head = head.map_or(0, |end| end + 4);
    match phase {
        Phase::FirstByteBack => answer.len().min(1),
        Phase::HalfHeadBack => head / 2,
        Phase::HeadBack => head,
        Phase::LastByteMissing => answer.len().saturating_sub(1),
        _ => 0,
    }
}

/// The request on a connection of its own.
fn once(request: &[u8]) -> Vec<u8> {
    let line_end = request.windows(2).position(|w| w == b"\r\n").unwrap();
    let (line, rest) = request.split_at(line_end);
    [line, b"\r\nconnection: close", rest].concat()
}
