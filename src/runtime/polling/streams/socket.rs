//! The socket of one stream: connects, reads, pings, and comes back. What the frames mean is `feed`'s.

use super::door::StreamDoor;
use crate::{
    feed::{
        LONGEST_FRAME, Stream,
        link::{LinkEnd, Pulse, Reconnects, Watchdog},
        rest_read::{ReadSubject, StreamRead},
        topic::Topic,
    },
    model::Timestamp,
    runtime::base::{clock::Clock, jitter::Jitter, lock::locked},
};
use futures_util::{SinkExt as _, StreamExt as _};
use std::{
    collections::BTreeSet,
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::{Notify, mpsc::Sender, watch},
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_websockets::{ClientBuilder, CloseCode, Limits, Message, WebSocketStream};

/// Timers are this precise: nothing is looked at more often.
const TICK: Duration = Duration::from_millis(5);
/// A server that does not take a request within this is gone.
const WRITE_WITHIN: Duration = Duration::from_secs(10);
/// The service asked its clients to come back: so long the connection goes on, if no other has taken over before.
const LEAVE_WITHIN: Duration = Duration::from_secs(30);

/// Signals of a socket that were not taken yet.
pub(super) const SIGNALS: usize = 64;

/// What a socket has to report.
#[derive(Debug)]
pub(crate) enum Signal<E> {
    /// Everything that was requested is reported as it happens.
    Up,
    /// It is not, and why.
    Down(String),
    Events(Vec<E>),
    /// A message, with nothing new.
    Alive,
}

/// A stream, and the channels to it.
#[derive(Debug)]
pub(crate) struct StreamLink<E> {
    door: StreamDoor,
    clock: Clock,
    /// What is wanted of it; without a list, everything. While nothing is, there is no connection.
    topics: Option<watch::Receiver<BTreeSet<Topic>>>,
    pub(super) signals: Sender<Signal<E>>,
    draws: Jitter,
    /// Shared with the connections that follow this one.
    reconnects: Arc<Mutex<Reconnects>>,
    /// Notified when the service asks its clients to come back, where another connection takes over before this one
    /// ends.
    leaving: Option<Arc<Notify>>,
}

/// Why a connection is over.
enum Over {
    /// In words.
    Lost(String),
    /// Another connection has been requested.
    Left,
    /// Whoever took the signals is gone.
    NobodyListens,
}

fn lost(why: &str) -> Over {
    Over::Lost(why.to_owned())
}

/// An open connection.
struct OpenLink<'a, S, T> {
    stream: &'a mut S,
    socket: WebSocketStream<T>,
    watchdog: Watchdog,
    /// What is being read beside the frames.
    reads: JoinSet<ReadEnd>,
    was_live: bool,
    now: Timestamp,
    /// When a connection that the service asked to leave ends; another one takes over before.
    leaves_by: Option<Timestamp>,
}

/// A read beside the frames that has ended.
struct ReadEnd {
    subject: ReadSubject,
    /// `None` if it failed.
    answer: Option<Vec<u8>>,
}

/// What an open connection waited for.
enum Wake {
    /// `None` at its end.
    Message(Option<Result<Message, tokio_websockets::Error>>),
    /// A read has ended, unless its task was stopped.
    Read(Option<ReadEnd>),
    /// Something else is wanted.
    Wanted,
    Time,
}

impl<E> StreamLink<E> {
    pub(crate) fn new(
        door: StreamDoor,
        topics: Option<watch::Receiver<BTreeSet<Topic>>>,
        signals: Sender<Signal<E>>,
        seed: u64,
        clock: Clock,
    ) -> Self {
        Self {
            door,
            clock,
            topics,
            signals,
            draws: Jitter::seeded(seed),
            reconnects: Arc::default(),
            leaving: None,
        }
    }

    /// The same for another connection, which says when it is to be followed by one.
    pub(super) fn again(&self, signals: Sender<Signal<E>>, leaving: Arc<Notify>) -> Self {
        Self {
            door: self.door.clone(),
            topics: self.topics.clone(),
            draws: self.draws.clone(),
            reconnects: Arc::clone(&self.reconnects),
            clock: self.clock,
            leaving: Some(leaving),
            signals,
        }
    }

    /// Runs until nobody takes its signals any more.
    pub(crate) async fn run(mut self, mut stream: impl Stream<Event = E>) {
        loop {
            self.until_wanted(&mut stream).await;
            let draw = self.draws.per_mille();
            let at = locked(&self.reconnects).next(self.clock.now(), draw);
            sleep(self.clock.until(at)).await;
            let since = self.clock.now();
            locked(&self.reconnects).began(since);
            let opened = self.door.open(&stream.query(since)).await;
            let why = match opened {
                Ok(io) => match self.talk(&mut stream, io).await {
                    Over::Lost(why) => why,
                    Over::Left => {
                        locked(&self.reconnects).ended(since, self.clock.now());
                        return;
                    }
                    Over::NobodyListens => return,
                },
                Err(why) => why.to_string(),
            };
            stream.lost();
            locked(&self.reconnects).ended(since, self.clock.now());
            tracing::debug!("the {} stream is down: {why}", self.door.name());
            if self.say(Signal::Down(why)).await.is_err() {
                return;
            }
        }
    }

    /// Returns once something is wanted, which the stream then knows.
    async fn until_wanted(&mut self, stream: &mut impl Stream<Event = E>) {
        let Some(topics) = &mut self.topics else {
            return;
        };
        let wanted = topics.wait_for(|topics| !topics.is_empty()).await;
        let wanted = wanted.map(|topics| topics.clone());
        match wanted {
            Ok(wanted) => stream.want(wanted, self.clock.now()),
            Err(_) => pending::<()>().await,
        }
    }

    /// Serves an open connection to its end.
    async fn talk<S, T>(&mut self, stream: &mut S, io: T) -> Over
    where
        S: Stream<Event = E>,
        T: AsyncRead + AsyncWrite + Unpin,
    {
        let limits = Limits::default().max_payload_len(Some(LONGEST_FRAME));
        let now = self.clock.now();
        let mut link = OpenLink {
            stream,
            socket: ClientBuilder::new().limits(limits).take_over(io),
            watchdog: Watchdog::open(now),
            reads: JoinSet::new(),
            was_live: false,
            now,
            leaves_by: None,
        };
        if let Err(over) = self.want(&mut link) {
            return over;
        }
        link.stream.opened(now);
        loop {
            match self.step(&mut link).await {
                Ok(()) => {}
                Err(Over::Lost(_)) if link.leaves_by.is_some() => return Over::Left,
                Err(over) => return over,
            }
        }
    }

    /// Sends what is due, and waits for what comes next.
    async fn step<S, T>(&mut self, link: &mut OpenLink<'_, S, T>) -> Result<(), Over>
    where
        S: Stream<Event = E>,
        T: AsyncRead + AsyncWrite + Unpin,
    {
        let requests = link.stream.requests(link.now);
        link.write(requests.into_iter().map(Message::text)).await?;
        self.read(link);
        self.tell_state(link).await?;
        if let Some(end) = link
            .stream
            .end()
            .filter(|end| !self.leaves_later(link, *end))
        {
            let bye = Message::close(Some(CloseCode::NORMAL_CLOSURE), "");
            link.write([bye]).await?;
            return Err(lost(match end {
                LinkEnd::ServiceRequest => "the service asked its clients to come back",
                LinkEnd::Fault(why) => why,
            }));
        }
        let due = link.due();
        let wake = tokio::select! {
            message = link.socket.next() => Wake::Message(message),
            Some(read) = link.reads.join_next(), if !link.reads.is_empty() => Wake::Read(read.ok()),
            () = changed(&mut self.topics) => Wake::Wanted,
            () = sleep(self.clock.until(due).max(TICK)) => Wake::Time,
        };
        link.now = self.clock.now();
        match wake {
            Wake::Message(message) => match link.receive(&received(message)?) {
                Some(signal) => self.say(signal).await,
                None => Ok(()),
            },
            Wake::Read(read) => self.say(link.answered(read)).await,
            Wake::Wanted => self.want(link),
            Wake::Time => link.pass().await,
        }
    }

    /// Whether the connection goes on until another one has taken over, or for as long as that may take.
    fn leaves_later<S, T>(&self, link: &mut OpenLink<'_, S, T>, end: LinkEnd) -> bool {
        let Some(leaving) = self
            .leaving
            .as_ref()
            .filter(|_| end == LinkEnd::ServiceRequest)
        else {
            return false;
        };
        let begins = || {
            leaving.notify_one();
            link.now.plus(LEAVE_WITHIN)
        };
        link.now < *link.leaves_by.get_or_insert_with(begins)
    }

    /// Begins the reads that the stream needs.
    fn read<S, T>(&self, link: &mut OpenLink<'_, S, T>)
    where
        S: Stream<Event = E>,
    {
        for StreamRead { subject, rest } in link.stream.reads(link.now) {
            let door = self.door.clone();
            link.reads.spawn(async move {
                let answer = door.read(rest).await;
                ReadEnd { subject, answer }
            });
        }
    }

    /// Says when the stream becomes live, and when it is late.
    async fn tell_state<S, T>(&self, link: &mut OpenLink<'_, S, T>) -> Result<(), Over>
    where
        S: Stream<Event = E>,
    {
        let is_live = link.stream.is_live() && link.watchdog.is_alive(link.now);
        match (std::mem::replace(&mut link.was_live, is_live), is_live) {
            (false, true) => self.say(Signal::Up).await,
            (true, false) => self.say(Signal::Down("it is late".to_owned())).await,
            (true, true) | (false, false) => Ok(()),
        }
    }

    /// Passes on what is wanted; a connection of which nothing is wanted is over.
    fn want<S, T>(&self, link: &mut OpenLink<'_, S, T>) -> Result<(), Over>
    where
        S: Stream<Event = E>,
    {
        if let Some(topics) = &self.topics {
            let topics = topics.borrow().clone();
            if topics.is_empty() {
                return Err(lost("nothing is wanted of it"));
            }
            link.stream.want(topics, link.now);
        }
        Ok(())
    }

    async fn say(&self, signal: Signal<E>) -> Result<(), Over> {
        let sent = self.signals.send(signal).await;
        sent.map_err(|_| Over::NobodyListens)
    }
}

impl<S, T> OpenLink<'_, S, T>
where
    S: Stream,
    T: AsyncRead + AsyncWrite + Unpin,
{
    /// When time alone brings something to do.
    fn due(&self) -> Timestamp {
        let own = [Some(self.watchdog.due(self.now)), self.leaves_by];
        let all = own.into_iter().flatten().chain(self.stream.due());
        all.min().unwrap_or(self.now)
    }

    /// A pong shows that the socket is open, not that whoever reports the events is there: it is no news.
    fn receive(&mut self, message: &Message) -> Option<Signal<S::Event>> {
        self.watchdog.received(self.now);
        self.stream.frame(message.as_text()?, self.now);
        Some(self.news())
    }

    fn answered(&mut self, read: Option<ReadEnd>) -> Signal<S::Event> {
        if let Some(ReadEnd { subject, answer }) = read {
            self.stream.answer(subject, answer.as_deref(), self.now);
        }
        self.news()
    }

    fn news(&mut self) -> Signal<S::Event> {
        let news = self.stream.events();
        if news.is_empty() {
            Signal::Alive
        } else {
            Signal::Events(news)
        }
    }

    async fn pass(&mut self) -> Result<(), Over> {
        self.stream.pass(self.now);
        let refused = self.stream.refused();
        if refused > 0 {
            tracing::warn!("{refused} messages of a stream were not believed, and left out");
        }
        match self.watchdog.check(self.now) {
            Pulse::Fine => Ok(()),
            Pulse::Dead => Err(lost("it is silent")),
            Pulse::Ping => {
                let ping = self.stream.ping().map(Message::text);
                self.write([ping.unwrap_or_else(|| Message::ping(""))])
                    .await
            }
        }
    }

    async fn write(&mut self, messages: impl IntoIterator<Item = Message>) -> Result<(), Over> {
        let writing = async {
            for message in messages {
                self.socket.feed(message).await?;
            }
            self.socket.flush().await
        };
        match timeout(WRITE_WITHIN, writing).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(why)) => Err(lost(&why.to_string())),
            Err(_) => Err(lost("the service does not read")),
        }
    }
}

/// The message, unless it is the end of the connection.
fn received(message: Option<Result<Message, tokio_websockets::Error>>) -> Result<Message, Over> {
    match message {
        Some(Ok(message)) if !message.is_close() => Ok(message),
        Some(Ok(_)) | None => Err(lost("the service closed it")),
        Some(Err(why)) => Err(lost(&why.to_string())),
    }
}

/// Returns when something else is wanted; never without a list.
async fn changed(topics: &mut Option<watch::Receiver<BTreeSet<Topic>>>) {
    let is_changed = match topics {
        Some(topics) => topics.changed().await.is_ok(),
        None => false,
    };
    if !is_changed {
        pending::<()>().await;
    }
}

#[cfg(test)]
mod tests;
