//! How long an outcome stays unknown, in virtual time, so that the speed of the machine does not matter.
//!
//! Once the service works again, no outcome is unknown for more than a minute, unless a person is asked.

use super::{buy, close, pursue};
use crate::{
    client::{
        Attempt, ReconcileOutcome, Timeouts,
        policy::{Interim, RetryState},
    },
    model::{Command, Exits, Failure, FailureKind, Leg, Receipt},
    runtime::base::jitter::Jitter,
};
use futures_util::future::join_all;
use std::{future::ready, sync::Mutex, time::Duration};
use tokio::time::{Instant, sleep};

const SEEDS: u64 = 400;
const A_MINUTE: Duration = Duration::from_mins(1);
/// The longest outage, past every budget of a command.
const LONGEST: Duration = Duration::from_mins(6);

fn commands() -> Vec<Command> {
    vec![
        buy(),
        close("p-1"),
        Command::CloseAll("chal-1".into()),
        Command::Cancel("o-1".into()),
        Command::StopTwap("t-1".into()),
        Command::CancelScaled("s-1".into()),
        Command::margin("p-1".into(), "5".parse().unwrap(), None),
        Command::Exits(Exits::unseen("o-1".into(), Leg::Keep, Leg::Remove)),
    ]
}

/// A service that fails in every way until the outage is over.
struct FailingService {
    dice: Jitter,
    /// When the outage ends.
    over: Instant,
    doubt_since: Option<Instant>,
}

impl FailingService {
    fn of(seed: u64) -> Self {
        let mut dice = Jitter::seeded(seed);
        Self {
            over: Instant::now() + LONGEST * dice.per_mille() / 1000,
            dice,
            doubt_since: None,
        }
    }

    fn is_well(&self) -> bool {
        Instant::now() >= self.over
    }

    /// The result of an attempt during the outage, and how long it takes.
    fn trouble(&mut self) -> (Duration, Attempt) {
        let failure = |kind| Failure::new(kind, "trouble");
        let at_once = Duration::ZERO;
        match self.dice.per_mille() % 6 {
            0 => (
                Duration::from_secs(15),
                Attempt::Doubtful(failure(FailureKind::TimedOut)),
            ),
            1 => (at_once, Attempt::Doubtful(failure(FailureKind::Broken))),
            2 => (at_once, Attempt::NotSent(failure(FailureKind::Unreachable))),
            3 => (at_once, Attempt::Refused(refusal(500, None))),
            status => {
                let wait = Duration::from_secs(1 + u64::from(self.dice.per_mille() % 60));
                let status = if status == 4 { 429 } else { 503 };
                (at_once, Attempt::Refused(refusal(status, Some(wait))))
            }
        }
    }

    /// The outage lasts at least until then.
    fn lasts(&mut self, until: Instant) {
        self.over = self.over.max(until);
    }
}

fn refusal(status: u16, retry_after: Option<Duration>) -> Failure {
    let kind = if status == 429 {
        FailureKind::Limited
    } else {
        FailureKind::Unavailable
    };
    Failure {
        status: Some(status),
        retry_after,
        ..Failure::new(kind, "trouble")
    }
}

/// How long the outcome was unknown after the outage, and what it was.
async fn play(command: Command, seed: u64) -> (Duration, Result<Receipt, Failure>) {
    let weather = Mutex::new(FailingService::of(seed));
    let mut jitter = Jitter::seeded(seed + 1_000_000);
    let attempt = |_| async {
        if weather.lock().unwrap().is_well() {
            return Attempt::Done(Receipt::AlreadySo("done".into()));
        }
        let (takes, attempt) = weather.lock().unwrap().trouble();
        sleep(takes).await;
        let mut weather = weather.lock().unwrap();
        weather.lasts(Instant::now());
        if let Attempt::Refused(why) = &attempt {
            weather.lasts(Instant::now() + why.retry_after.unwrap_or_default());
        }
        attempt
    };
    let reconcile = || async {
        let mut weather = weather.lock().unwrap();
        if !weather.is_well() {
            return Err(Failure::new(FailureKind::Unreachable, "trouble"));
        }
        Ok(match weather.dice.per_mille() % 3 {
            0 => ReconcileOutcome::Inconclusive,
            1 => ReconcileOutcome::NotDone,
            _ => ReconcileOutcome::Done(Receipt::AlreadySo("seen".into())),
        })
    };
    let tell = |pause: Interim, _| {
        if let Interim::Unknown(..) = pause {
            let since = &mut weather.lock().unwrap().doubt_since;
            since.get_or_insert_with(Instant::now);
        }
        ready(())
    };
    let tries = RetryState::new(&command, Timeouts::default());
    let end = pursue(tries, || jitter.per_mille(), attempt, reconcile, tell).await;
    let weather = weather.lock().unwrap();
    let doubted = weather.doubt_since.map(|since| since.max(weather.over));
    let doubt = doubted.map_or(Duration::ZERO, |since| since.elapsed());
    (doubt, end)
}

#[tokio::test(start_paused = true)]
async fn nothing_is_in_doubt_for_a_minute_after_the_last_trouble_unless_somebody_is_asked() {
    let runs = commands()
        .into_iter()
        .flat_map(|command| (0..SEEDS).map(move |seed| (command.clone(), seed)));
    let played = runs.map(|(command, seed)| async move {
        let name = format!("{command}, seed {seed}");
        (name, play(command, seed).await)
    });
    let (mut late, mut asked, mut settled) = (vec![], 0, 0);
    for (name, (doubt, end)) in join_all(played).await {
        if doubt > A_MINUTE {
            late.push(format!("{name}: {doubt:?}, {end:?}"));
        }
        let is_asked = end.is_err_and(|why| why.is_doubtful());
        asked += u32::from(is_asked);
        settled += u32::from(!is_asked);
    }
    assert_eq!(late, Vec::<String>::new());
    // The runs covered both: settled commands and questions to a person.
    assert!(asked > 0 && settled > 0, "{asked} {settled}");
}
