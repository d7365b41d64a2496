//! Ten thousand waits that a service requests, in seconds and as dates, in virtual time: no command and no read cuts
//! one short, up to the longest pause of its class.

use super::{buy, pursue};
use crate::{
    client::{
        Attempt, Client, Mutation, ReconcileOutcome, RequestClass, Timeouts,
        policy::RetryState,
        testing::{
            rehearsal::Reply,
            responder::{ORDER, client, connection},
        },
    },
    model::{Command, Exits, Failure, Leg, Timestamp},
    runtime::base::jitter::Jitter,
};
use futures_util::future::join_all;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::{Instant, sleep};

const WAITS: u32 = 10_000;
/// 2026-11-20, 00:00 UTC; no run lasts longer than that day.
const MIDNIGHT: i64 = 1_795_132_800_000;

/// A service that nearly always answers with `Retry-After`.
struct Service {
    dice: Jitter,
    began: Instant,
    /// How far its clock is ahead of the desk's.
    skew: i64,
    quiet: Vec<Quiet>,
    waits: u32,
    early: Vec<String>,
    done: u32,
}

/// A 429: when it arrived, and until when requests of this class must not be sent.
struct Quiet {
    class: RequestClass,
    heard: Instant,
    until: Instant,
}

/// The form of a wait, and when it ends.
struct Asked {
    headers: Vec<(&'static str, String)>,
    until: Instant,
}

impl Service {
    fn new(seed: u64) -> Self {
        let mut dice = Jitter::seeded(seed);
        let skew = (i64::from(dice.per_mille()) - 500) * 600;
        Self {
            skew: if dice.per_mille() < 500 { 0 } else { skew },
            dice,
            began: Instant::now(),
            quiet: vec![],
            waits: 0,
            early: vec![],
            done: 0,
        }
    }

    /// Its own clock, in ms since 1970.
    fn clock(&self) -> i64 {
        desk_clock(self.began).0 + self.skew
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.dice.per_mille() * limit / 1001
    }

    /// A request sent at `sent` arrives; `own` is when the same request may come again. A request sent in the same
    /// instant as a 429 may have left before it.
    fn arrive(&mut self, class: RequestClass, sent: Instant, own: Option<Instant>) {
        let now = Instant::now();
        let of_class = self.quiet.iter().filter(|quiet| quiet.class == class);
        let heard = of_class.filter(|quiet| quiet.heard < sent);
        for until in heard.map(|quiet| quiet.until).chain(own) {
            if now < until {
                self.early
                    .push(format!("{class:?}, {:?} early", until - now));
            }
        }
    }

    /// The response, and the wait it requests.
    fn answer(&mut self, what: Mutation) -> (Reply, Option<Instant>) {
        let wait = if what == Mutation::CloseAll { 202 } else { 429 };
        let status = match self.below(10) {
            0..3 => wait,
            3..5 => 429,
            5..8 => 503,
            8 => 500,
            _ => 200,
        };
        let mut reply = Reply {
            status,
            headers: vec![],
            body: self.body(what, status),
        };
        if !matches!(status, 202 | 429 | 503) {
            return (reply, None);
        }
        self.waits += 1;
        let asked = self.wait();
        reply.headers = asked.headers;
        (reply, Some(asked.until))
    }

    /// The same, with the longest pause of the class.
    fn answer_bounded(&mut self, what: Mutation, class: RequestClass) -> (Reply, Option<Instant>) {
        let (reply, until) = self.answer(what);
        let longest = Instant::now() + class.longest_pause();
        (reply, until.map(|until| until.min(longest)))
    }

    /// A 429 has arrived.
    fn silences(&mut self, class: RequestClass, until: Instant) {
        let heard = Instant::now();
        self.quiet.push(Quiet {
            class,
            heard,
            until,
        });
    }

    fn wait(&mut self) -> Asked {
        // Some are longer than a command's time limit.
        let longest = if self.below(10) == 0 { 90 } else { 9 };
        let seconds = self.below(longest);
        let after = Duration::from_secs(u64::from(seconds));
        if self.below(2) == 0 {
            return Asked {
                headers: vec![("retry-after", seconds.to_string())],
                until: Instant::now() + after,
            };
        }
        let clock = self.clock();
        // A date has whole seconds: up to one second less than meant.
        let date = (clock + i64::from(seconds) * 1_000) / 1_000 * 1_000;
        let mut headers = vec![("retry-after", http_date(date))];
        if self.skew != 0 || self.below(2) == 0 {
            headers.push(("date", http_date(clock)));
        }
        let left = u64::try_from(date - clock).unwrap_or(0);
        Asked {
            headers,
            until: Instant::now() + Duration::from_millis(left),
        }
    }

    fn body(&mut self, what: Mutation, status: u16) -> String {
        match (status, what) {
            (202, _) => {
                self.done += 1;
                let done = self.done;
                format!(
                    r#"{{"data":{{"id":"op","operation":"close_all_positions","account_id":"chal-1","status":"running",
                    "total_count":100000,"succeeded_count":{done},"failed_count":0,"results":[],"created_at":0}}}}"#
                )
            }
            (200, Mutation::Place | Mutation::Exits) => {
                format!(r#"{{"data":{ORDER},"queued":false}}"#)
            }
            (200, Mutation::Cancel) => {
                r#"{"data":{"id":"o-1","canceled":true,"queued":false}}"#.to_owned()
            }
            // Any other body: the outcome is unknown, and the desk retries.
            _ => "{}".to_owned(),
        }
    }
}

fn desk_clock(began: Instant) -> Timestamp {
    let at_six = MIDNIGHT + 6 * 3_600_000;
    Timestamp(at_six + i64::try_from(began.elapsed().as_millis()).unwrap())
}

fn http_date(ms: i64) -> String {
    let seconds = (ms - MIDNIGHT) / 1_000;
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    assert!((0..24).contains(&hour), "the day is over");
    format!("Fri, 20 Nov 2026 {hour:02}:{minute:02}:{second:02} GMT")
}

type Shared = Arc<Mutex<Service>>;

/// One command, until it ends.
async fn command(service: Shared, context: Client, command: Command, seed: u64) {
    let mutation = command.facts().mutation;
    let class = RequestClass::from(command.risk());
    let reads = context.for_class(RequestClass::CommandRead);
    let context = context.with_class(class);
    let mut jitter = Jitter::seeded(seed);
    let own: Mutex<Option<Instant>> = Mutex::default();
    let travel = Mutex::new(Jitter::seeded(seed + 7_000_000));
    let away = || Duration::from_millis(u64::from(travel.lock().unwrap().per_mille() / 4));
    let ask = |what| {
        let (service, own, away) = (&service, &own, &away);
        async move {
            let sent = Instant::now();
            sleep(away()).await;
            let (reply, until) = {
                let mut service = service.lock().unwrap();
                let before = match what {
                    Asks::Command => *own.lock().unwrap(),
                    Asks::Read => None,
                };
                let class = what.class(class);
                service.arrive(class, sent, before);
                service.answer_bounded(mutation, class)
            };
            sleep(away()).await;
            if let (Asks::Command, Some(until)) = (what, until) {
                *own.lock().unwrap() = Some(until);
            }
            if let (429, Some(until)) = (reply.status, until) {
                service.lock().unwrap().silences(what.class(class), until);
            }
            (sent, reply)
        }
    };
    let began = service.lock().unwrap().began;
    let attempt = |_| async {
        if let Some(why) = context.silence() {
            return Attempt::NotSent(why);
        }
        let (sent, reply) = ask(Asks::Command).await;
        context.rehearse((sent, desk_clock(began)), &reply, mutation)
    };
    let reconcile = || async {
        if let Some(why) = reads.silence() {
            return Err(why);
        }
        let (sent, reply) = ask(Asks::Read).await;
        reads.rehearse_read((sent, desk_clock(began)), &reply)?;
        Ok(ReconcileOutcome::Inconclusive)
    };
    let tries = RetryState::new(&command, Timeouts::default());
    let _ended: Result<_, Failure> = pursue(
        tries,
        || jitter.per_mille(),
        attempt,
        reconcile,
        |_, _| std::future::ready(()),
    )
    .await;
}

#[derive(Debug, Clone, Copy)]
enum Asks {
    Command,
    Read,
}

impl Asks {
    fn class(self, of_command: RequestClass) -> RequestClass {
        match self {
            Self::Command => of_command,
            Self::Read => RequestClass::CommandRead,
        }
    }
}

fn commands() -> Vec<Command> {
    vec![
        buy(),
        Command::CloseAll("chal-1".into()),
        Command::Cancel("o-1".into()),
        Command::Exits(Exits::unseen("o-1".into(), Leg::Keep, Leg::Remove)),
    ]
}

#[tokio::test(start_paused = true)]
async fn of_ten_thousand_waits_none_is_cut_short() {
    let (mut waits, mut early) = (0, vec![]);
    for seed in 0.. {
        let service = Arc::new(Mutex::new(Service::new(seed)));
        let (context, _calls) = client(connection("http://127.0.0.1:9"));
        let all = commands().into_iter().zip(1..).map(|(wish, number)| {
            command(
                Arc::clone(&service),
                context.clone(),
                wish,
                seed * 10 + number,
            )
        });
        join_all(all).await;
        let service = service.lock().unwrap();
        waits += service.waits;
        early.extend(
            service
                .early
                .iter()
                .map(|why| format!("seed {seed}: {why}")),
        );
        if waits >= WAITS {
            break;
        }
    }
    assert_eq!(early, Vec::<String>::new());
}
