//! How a connection is judged while nothing comes on it.

use super::*;
use crate::{
    client::testing::responder::{client, connection},
    feed::{event::MarketEvent, market::MarketStream},
    model::StreamKind,
};
use tokio::{
    io::{AsyncReadExt as _, duplex},
    sync::mpsc::{Receiver, channel},
};

const START: Timestamp = Timestamp(1_790_000_000_000);

/// What was said of the stream since this was asked last: whether it is up.
fn said(signals: &mut Receiver<Signal<MarketEvent>>) -> Vec<bool> {
    let said = std::iter::from_fn(|| signals.try_recv().ok());
    said.filter_map(|signal| match signal {
        Signal::Up => Some(true),
        Signal::Down(_) => Some(false),
        Signal::Events(_) | Signal::Alive => None,
    })
    .collect()
}

#[tokio::test]
async fn a_stream_that_falls_silent_is_pinged_is_down_after_20_seconds_and_given_up_after_45() {
    let (signals, mut told) = channel(8);
    let (client, _calls) = client(connection("http://127.0.0.1:1"));
    let door = StreamDoor::Service(client, StreamKind::Market);
    let owner = StreamLink::new(door, None, signals, 7, Clock::start());
    let (io, mut service) = duplex(4_096);
    let mut stream = MarketStream::default();
    stream.opened(START);
    let mut link = OpenLink {
        stream: &mut stream,
        socket: ClientBuilder::new().take_over(io),
        watchdog: Watchdog::open(START),
        reads: JoinSet::new(),
        was_live: false,
        now: START,
        leaves_by: None,
    };
    let mut seen = vec![];
    for seconds in [0, 15, 19, 20, 30, 44] {
        link.now = START.plus(Duration::from_secs(seconds));
        assert!(link.pass().await.is_ok(), "{seconds} s");
        assert!(owner.tell_state(&mut link).await.is_ok());
        seen.push((seconds, said(&mut told)));
    }
    let changes: Vec<_> = seen
        .into_iter()
        .filter(|(_, said)| !said.is_empty())
        .collect();
    assert_eq!(changes, [(0, vec![true]), (20, vec![false])]);
    let mut pings = [0; 256];
    assert!(service.read(&mut pings).await.unwrap() > 0);
    link.now = START.plus(Duration::from_secs(45));
    assert!(matches!(link.pass().await, Err(Over::Lost(_))));
}
