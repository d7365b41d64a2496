//! A scripted service for tests: a real socket on loopback that answers each request with the next reply of its script
//! and records the requests.

use crate::{
    client::Client,
    config::Connection,
    model::{Call, Timestamp},
};
use std::sync::{Arc, Mutex};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
};

pub(crate) const ORDER: &str = r#"{"id":"o-1","account_id":"chal-1","market_id":"paper|BTC",
    "provider":"paper","symbol":"BTC","coin":"BTC","type":"limit","mode":"limit","side":"buy",
    "size":0.10,"expected_price":64000.5,"leverage":5,"margin_mode":"cross","reduce_only":false,
    "status":"resting","requested_at":1790000000000}"#;

/// What to do with one request.
pub(crate) enum Reply {
    /// Sends these bytes, then closes the connection.
    Bytes(Vec<u8>),
    /// Reads the whole request and drops the connection without a byte.
    Drop,
    /// Never answers; the connection stays open until the client gives up.
    Silence,
    /// Replies according to the request.
    By(ReplyFn),
}

pub(crate) type ReplyFn = Arc<dyn Fn(&Seen) -> Reply + Send + Sync>;

pub(crate) fn json(status: &str, headers: &str, body: &str) -> Reply {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\n{headers}\
         content-length: {}\r\n\r\n",
        body.len()
    );
    Reply::Bytes([head.as_bytes(), body.as_bytes()].concat())
}

pub(crate) fn ok(body: &str) -> Reply {
    json("200 OK", "", body)
}

pub(crate) fn error(status: &str, headers: &str) -> Reply {
    json(
        status,
        headers,
        r#"{"error":{"code":"c","message":"says no","request_id":"5f3c1c1e-9a54-4a52-8f50-0d2b7b9a8c11"}}"#,
    )
}

/// One request as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    pub line: String,
    /// Lower-case names.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find_map(|(known, value)| (known == name).then_some(value.as_str()))
    }
}

pub(crate) struct Responder {
    pub url: String,
    pub seen: Arc<Mutex<Vec<Seen>>>,
}

impl Responder {
    pub(crate) async fn answering(script: Vec<Reply>) -> Self {
        Self::watched(script, || ()).await
    }

    /// Answers every request, without end.
    pub(crate) async fn playing(
        part: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
        arrived: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let part: ReplyFn = Arc::new(part);
        let always = std::iter::repeat_with(move || Reply::By(Arc::clone(&part)));
        Self::watched(always, arrived).await
    }

    /// `arrived` runs at a request's first byte, before the rest is read.
    pub(crate) async fn watched(
        script: impl IntoIterator<Item = Reply, IntoIter: Send> + Send + 'static,
        arrived: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(vec![]));
        let kept = Arc::clone(&seen);
        let script = script.into_iter();
        tokio::spawn(async move {
            let mut silent = vec![];
            for reply in script {
                let (mut socket, _) = listener.accept().await.unwrap();
                socket.readable().await.unwrap();
                arrived();
                let request = read(&mut socket).await;
                let reply = if let Reply::By(part) = &reply {
                    part(&request)
                } else {
                    reply
                };
                kept.lock().unwrap().push(request);
                match reply {
                    Reply::Bytes(bytes) => {
                        // The client may hang up first: it cuts off an oversized body.
                        let _cut = socket.write_all(&bytes).await;
                        let _cut = socket.shutdown().await;
                    }
                    Reply::Drop => drop(socket),
                    // A part that returns another part has no reply.
                    Reply::Silence | Reply::By(_) => silent.push(socket),
                }
            }
            // After the script nobody answers, but the port stays bound.
            std::future::pending::<()>().await;
        });
        Self { url, seen }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn connection(&self) -> Connection {
        connection(&self.url)
    }

    pub(crate) fn client(&self) -> (Client, UnboundedReceiver<Call>) {
        client(self.connection())
    }
}

pub(crate) fn connection(url: &str) -> Connection {
    // What is learned of a dialect has its own tests.
    Connection::paper(url.to_owned(), "pd_live_secret".into(), "chal-1".into())
}

pub(crate) fn client(connection: Connection) -> (Client, UnboundedReceiver<Call>) {
    let (calls, called) = unbounded_channel();
    let client = Client::new(connection, calls, || Timestamp(1_790_000_000_000)).unwrap();
    (client, called)
}

async fn read(socket: &mut TcpStream) -> Seen {
    let mut bytes = vec![];
    let mut chunk = [0; 4096];
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let seen = parse(&bytes[..end], &bytes[end + 4..]);
            let length = seen
                .header("content-length")
                .map_or(0, |n| n.parse().unwrap());
            if seen.body.len() >= length {
                return seen;
            }
        }
        let read = socket.read(&mut chunk).await.unwrap();
        assert!(read > 0, "the request was cut");
        bytes.extend_from_slice(&chunk[..read]);
    }
}

fn parse(head: &[u8], body: &[u8]) -> Seen {
    let head = String::from_utf8(head.to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    Seen {
        line: lines.next().unwrap().to_owned(),
        headers: lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
            .collect(),
        body: body.to_vec(),
    }
}
