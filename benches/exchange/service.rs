//! Requests per second over loopback, by endpoint and connections, in memory and with `--data-dir`. The clients run
//! in this process and share its cores, so a server alone does better.

use crate::{bare, resident, world};
use perpdeck::{
    exchange::{
        AccountKey, ClockMode, ExchangeHandle, ExchangeOptions, Scenario, SimulatorAccess, Speed,
        start,
    },
    model::Timestamp,
};
use std::{
    fmt::Write,
    net::SocketAddr,
    path::PathBuf,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::Runtime,
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

const ACCOUNTS: usize = 1_000;
const ORDERS: usize = 50;
const CONNECTIONS: [usize; 3] = [1, 16, 128];
const WINDOW: Duration = Duration::from_millis(1_500);

pub(crate) fn measure() {
    println!(
        "## Service: {ACCOUNTS} accounts × {} positions × {ORDERS} working orders\n",
        world::MARKETS
    );
    let runtime = Runtime::new().unwrap();
    let dir = tempfile::tempdir().unwrap();
    for (name, data_dir) in [
        ("in memory", None),
        ("--data-dir", Some(dir.path().to_owned())),
    ] {
        runtime.block_on(one(name, data_dir));
    }
}

/// Place and cancel alone, and with a read after each, in memory: what two builds are compared by, in turn.
pub(crate) fn place() {
    println!("## Place and cancel, in memory\n");
    Runtime::new().unwrap().block_on(async {
        let stop = CancellationToken::new();
        let handle = open(None, stop.clone()).await;
        let server = Arc::new(Server::of(&handle));
        fill(&server).await;
        println!("| requests/s | 1 connection | 16 | 128 |\n|---|---|---|---|");
        for (label, deed) in DEEDS
            .into_iter()
            .filter(|(label, _)| label.contains("POST"))
        {
            println!("{}|", rates(&server, label, deed).await);
        }
        println!();
        stop.cancel();
        handle.stopped().await;
    });
}

async fn one(name: &str, data_dir: Option<PathBuf>) {
    let stop = CancellationToken::new();
    let handle = open(data_dir.clone(), stop.clone()).await;
    let server = Arc::new(Server::of(&handle));
    let began = Instant::now();
    let before = resident();
    fill(&server).await;
    let (took, grown) = (began.elapsed().as_secs_f64(), resident() - before);
    let rows = ACCOUNTS * (ORDERS + 2 * world::MARKETS);
    println!(
        "{name}: filled in {took:.1} s, {grown:.0} MiB more resident: {:.0} KiB per account, {:.2} KiB per row of an \
         order or position (with its key)\n",
        grown * 1024.0 / ACCOUNTS as f64,
        grown * 1024.0 / rows as f64,
    );
    println!("| {name}, requests/s | 1 connection | 16 | 128 |\n|---|---|---|---|");
    for (label, deed) in DEEDS {
        println!("{}|", rates(&server, label, deed).await);
    }
    println!();
    beside_bare(name, &server).await;
    stop.cancel();
    let began = Instant::now();
    handle.stopped().await;
    if let Some(dir) = data_dir {
        let stopped = began.elapsed().as_millis();
        let began = Instant::now();
        let again = open(Some(dir), stop.clone()).await;
        println!(
            "stopped in {stopped} ms, open again in {} ms",
            began.elapsed().as_millis()
        );
        again.stopped().await;
    }
}

async fn open(data_dir: Option<PathBuf>, stop: CancellationToken) -> ExchangeHandle {
    let options = ExchangeOptions {
        scenario: Scenario::parse(&world::scenario(ACCOUNTS)).unwrap(),
        start: Timestamp(1_790_000_000_000),
        pace: Some(ClockMode::Live(Speed::REAL_TIME)),
        data_dir,
        simulator: SimulatorAccess::Served,
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    start(listener, options, stop).await.unwrap()
}

/// What one client does over and over; the answer is how many requests it took.
type Deed = for<'a> fn(&'a mut Client) -> Pin<Box<dyn Future<Output = usize> + Send + 'a>>;

const DEEDS: [(&str, Deed); 5] = [
    ("`GET /v1/orders?status=working` (50 rows)", |client| {
        Box::pin(async move {
            let target = format!("/v1/orders?account_id=a{}&status=working", client.account);
            client.last = client.call("GET", &target, None, "").await;
            1
        })
    }),
    ("`GET /v1/positions` (20 rows)", |client| {
        Box::pin(async move {
            let target = format!("/v1/positions?account_id=a{}", client.account);
            client.last = client.call("GET", &target, None, "").await;
            1
        })
    }),
    ("`GET /sim/markets` (20 rows)", |client| {
        Box::pin(async move {
            client.last = client.call("GET", "/sim/markets", None, "").await;
            1
        })
    }),
    (
        "`POST /v1/orders` and `DELETE /v1/orders/{id}` in turn",
        |client| {
            Box::pin(async move {
                let placed = client.place(0, Some(60)).await;
                let target = format!("/v1/orders/{}", first_id(&placed));
                client.call("DELETE", &target, None, "").await;
                2
            })
        },
    ),
    (
        "`POST`, `GET /v1/orders?status=working`, `DELETE` and the same `GET` in turn",
        |client| {
            Box::pin(async move {
                let list = format!("/v1/orders?account_id=a{}&status=working", client.account);
                let placed = client.place(0, Some(60)).await;
                client.call("GET", &list, None, "").await;
                let target = format!("/v1/orders/{}", first_id(&placed));
                client.call("DELETE", &target, None, "").await;
                client.call("GET", &list, None, "").await;
                4
            })
        },
    ),
];

/// Of an answer with one row.
fn first_id(answer: &str) -> &str {
    let rest = answer.split("\"id\":\"").nth(1).unwrap();
    rest.split('"').next().unwrap()
}

async fn rates(server: &Arc<Server>, label: &str, deed: Deed) -> String {
    let mut line = format!("| {label} ");
    for connections in CONNECTIONS {
        let rate = rate(server, connections, deed).await;
        let _ = write!(line, "| {rate:.0} ");
    }
    line
}

async fn rate(server: &Arc<Server>, connections: usize, deed: Deed) -> f64 {
    let mut clients = JoinSet::new();
    let began = Instant::now();
    for account in 0..connections {
        let server = Arc::clone(server);
        clients.spawn(async move {
            let mut client = server.client(account).await;
            let mut done = 0;
            while began.elapsed() < WINDOW {
                done += deed(&mut client).await;
            }
            client.close().await;
            done
        });
    }
    let done: usize = clients.join_all().await.into_iter().sum();
    done as f64 / began.elapsed().as_secs_f64()
}

/// The reads in turn with a bare server that answers the same bytes: exchange, bare, exchange, bare, so that what else
/// the machine does is in both.
async fn beside_bare(name: &str, server: &Arc<Server>) {
    println!("| {name}, share of bare hyper | 1 connection | 16 | 128 |\n|---|---|---|---|");
    for (label, deed) in DEEDS
        .into_iter()
        .filter(|(label, _)| label.starts_with("`GET"))
    {
        // This connection is closed before the 128 others, the most that the exchange takes from one address.
        let body = {
            let mut client = server.client(0).await;
            deed(&mut client).await;
            let body = std::mem::take(&mut client.last);
            client.close().await;
            body
        };
        let (addr, accepting) = bare::serve(body).await;
        let bare = Arc::new(server.at(addr));
        let mut line = format!("| {label} ");
        for connections in CONNECTIONS {
            let (mut own, mut least) = (0.0, 0.0);
            for _ in 0..2 {
                own += rate(server, connections, deed).await;
                least += rate(&bare, connections, deed).await;
            }
            let _ = write!(
                line,
                "| {:.0} % of {:.0} ",
                100.0 * own / least,
                least / 2.0
            );
        }
        println!("{line}|");
        accepting.abort();
    }
    println!();
}

/// Every account's positions and orders, over the wire.
async fn fill(server: &Arc<Server>) {
    let next = Arc::new(AtomicUsize::new(0));
    let mut clients = JoinSet::new();
    for _ in 0..100 {
        let (server, next) = (Arc::clone(server), Arc::clone(&next));
        clients.spawn(async move {
            let mut client = server.client(0).await;
            loop {
                let account = next.fetch_add(1, Ordering::Relaxed);
                if account >= ACCOUNTS {
                    return client.close().await;
                }
                client.turn_to(&server, account);
                for market in 0..world::MARKETS {
                    client.place(market, None).await;
                }
                for order in 0..ORDERS {
                    client.place(order % world::MARKETS, Some(40 + order)).await;
                }
            }
        });
    }
    clients.join_all().await;
}

/// A server to ask, with the keys of its accounts; the exchange itself, or a bare one in its place.
struct Server {
    addr: SocketAddr,
    accounts: Vec<AccountKey>,
}

impl Server {
    fn of(handle: &ExchangeHandle) -> Self {
        Self {
            addr: handle.addr,
            accounts: handle.accounts.clone(),
        }
    }

    fn at(&self, addr: SocketAddr) -> Self {
        Self {
            addr,
            accounts: self.accounts.clone(),
        }
    }

    async fn client(&self, account: usize) -> Client {
        let stream = TcpStream::connect(self.addr).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let mut client = Client {
            stream,
            host: self.addr.to_string(),
            key: String::new(),
            account,
            read: vec![0; 64 * 1024],
            last: String::new(),
        };
        client.turn_to(self, account);
        client
    }
}

struct Client {
    stream: TcpStream,
    host: String,
    key: String,
    account: usize,
    read: Vec<u8>,
    /// The body of the last answer.
    last: String,
}

/// No key is used twice, whoever uses it.
static KEYS: AtomicUsize = AtomicUsize::new(0);

impl Client {
    fn turn_to(&mut self, server: &Server, account: usize) {
        self.account = account;
        server.accounts[account]
            .api_key
            .reveal()
            .clone_into(&mut self.key);
    }

    /// At market, or a limit buy at so many dollars.
    async fn place(&mut self, market: usize, limit: Option<usize>) -> String {
        let how = match limit {
            Some(price) => format!(r#""type":"limit","limit_price":{price}"#),
            None => r#""type":"market""#.to_owned(),
        };
        let side = if limit.is_some() || (self.account + market).is_multiple_of(2) {
            "buy"
        } else {
            "sell"
        };
        let body = format!(
            r#"{{{how},"account_id":"a{}","market_id":"paper|M{market}","side":"{side}","size":1,"leverage":10,"margin_mode":"cross"}}"#,
            self.account
        );
        let key = KEYS.fetch_add(1, Ordering::Relaxed).to_string();
        self.call("POST", "/v1/orders", Some(&key), &body).await
    }

    async fn call(&mut self, method: &str, target: &str, key: Option<&str>, body: &str) -> String {
        let key = key
            .map(|key| format!("Idempotency-Key: {key}\r\n"))
            .unwrap_or_default();
        let request = format!(
            "{method} {target} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n{key}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.host,
            self.key,
            body.len()
        );
        self.stream.write_all(request.as_bytes()).await.unwrap();
        self.answer().await
    }

    /// Waits until the exchange has let go of it: at its limit for one address a new connection would end another one.
    async fn close(mut self) {
        let _ = self.stream.shutdown().await;
        while self.stream.read(&mut self.read).await.unwrap_or(0) > 0 {}
    }

    async fn answer(&mut self) -> String {
        let mut answer: Vec<u8> = vec![];
        loop {
            let count = self.stream.read(&mut self.read).await.unwrap();
            assert!(count > 0, "the connection ended");
            answer.extend(&self.read[..count]);
            if let Some(body) = whole(&answer) {
                assert!(answer[9] == b'2', "{}", String::from_utf8_lossy(&answer));
                return body;
            }
        }
    }
}

/// The body, once all of it is there.
fn whole(answer: &[u8]) -> Option<String> {
    let head = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let text = std::str::from_utf8(&answer[..head]).unwrap();
    let length = text.split("content-length: ").nth(1)?;
    let length: usize = length.split("\r\n").next()?.parse().unwrap();
    let body = &answer[head + 4..];
    (body.len() == length).then(|| String::from_utf8_lossy(body).into_owned())
}
