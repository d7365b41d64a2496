//! A paper exchange on a loopback port that lives as long as the fuzzer, and one raw connection at a time to it.

use perpdeck::{
    exchange::{self, ClockMode, ExchangeOptions, Scenario, SimulatorAccess},
    model::Timestamp,
};
use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpStream},
    time::Duration,
};
use tokio::{net::TcpListener, runtime::Runtime};
use tokio_util::sync::CancellationToken;

/// A market and an account, and nothing that has happened yet.
const SCENARIO: &str = include_str!("../scenario.toml");
/// Longer than any answer takes; a server that is silent for so long has hung.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running exchange, with the key of its only user.
#[derive(Debug)]
pub struct Exchange {
    address: SocketAddr,
    key: String,
    _runtime: Runtime,
}

impl Exchange {
    pub fn start() -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let handle = runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            let options = ExchangeOptions {
                scenario: Scenario::parse(SCENARIO).expect("the scenario of the fuzz targets"),
                start: Timestamp(1_790_000_000_000),
                pace: Some(ClockMode::Paused),
                data_dir: None,
                simulator: SimulatorAccess::Served,
            };
            let started = exchange::start(listener, options, CancellationToken::new()).await;
            started.expect("an exchange")
        });
        Self {
            address: handle.addr,
            key: handle.accounts[0].api_key.reveal().to_owned(),
            _runtime: runtime,
        }
    }

    /// The `Authorization` header that opens the account `fuzz-1`.
    pub fn authorization(&self) -> String {
        format!("Authorization: Bearer {}\r\n", self.key)
    }

    /// Sends these bytes on a connection of their own and checks whatever comes back: nothing, or answers without a 5xx.
    pub fn ask(&self, request: &[u8]) {
        let mut stream = TcpStream::connect(self.address).expect("the exchange accepts");
        stream
            .set_read_timeout(Some(PATIENCE))
            .expect("a timeout can be set");
        // The exchange may have refused and closed before it read everything.
        let _refused = stream
            .write_all(request)
            .and_then(|()| stream.shutdown(Shutdown::Write));
        let mut answer = vec![];
        let _closed = stream.read_to_end(&mut answer);
        let is_sound = matches!(
            answer.get(..10),
            None | Some([
                b'H',
                b'T',
                b'T',
                b'P',
                b'/',
                b'1',
                b'.',
                b'0' | b'1',
                b' ',
                b'2'..=b'4'
            ])
        );
        assert!(is_sound, "{}", String::from_utf8_lossy(&answer));
    }
}
