//! A desk and a service over hours of virtual time.

use super::*;

/// The service's rate limit.
enum Service {
    /// `limit` requests in every clock minute, then a 429 until the next.
    Window { limit: u32 },
    /// A bucket of `burst` that fills at `per_minute`.
    Bucket { burst: u32, per_minute: u32 },
}

struct Play {
    service: Service,
    budget: RequestBudget,
    start: Instant,
    now: Duration,
    /// The service's state: the current window and its count, or the bucket's thousandths and their time.
    window: (u64, u32),
    bucket: (u64, Duration),
    pause: Duration,
    taken: u32,
    refused: u32,
}

const POLL: Duration = Duration::from_millis(208);

impl Play {
    fn of(service: Service) -> Self {
        let burst = match service {
            Service::Window { .. } => 0,
            Service::Bucket { burst, .. } => u64::from(burst) * 1_000,
        };
        Self {
            service,
            budget: RequestBudget::default(),
            start: Instant::now(),
            now: Duration::ZERO,
            window: (0, 0),
            bucket: (burst, Duration::ZERO),
            pause: Duration::ZERO,
            taken: 0,
            refused: 0,
        }
    }

    /// `Retry-After`, if it refuses.
    fn serve(&mut self) -> Option<Duration> {
        match self.service {
            Service::Window { limit } => {
                let minute = self.now.as_secs() / 60;
                if self.window.0 != minute {
                    self.window = (minute, 0);
                }
                self.window.1 += 1;
                let left = 60 - self.now.as_secs() % 60;
                (self.window.1 > limit).then(|| Duration::from_secs(left))
            }
            Service::Bucket { burst, per_minute } => {
                let gained = self.now.saturating_sub(self.bucket.1).as_millis()
                    * u128::from(per_minute)
                    / 60;
                let level = u128::from(self.bucket.0) + gained;
                let level = u64::try_from(level).unwrap().min(u64::from(burst) * 1_000);
                self.bucket = (level.saturating_sub(1_000), self.now);
                (level < 1_000).then(|| Duration::from_secs(1))
            }
        }
    }

    /// One request if it may be sent now; whether it was.
    fn ask(&mut self, class: RequestClass) -> bool {
        let now = self.start + self.now;
        if self.now < self.pause || !self.budget.wait(class, now).is_zero() {
            return false;
        }
        self.budget.sent(now);
        match self.serve() {
            Some(wait) => {
                self.refused += 1;
                self.pause = self.now + wait;
                self.budget.refused(now, now, wait);
            }
            None => self.taken += 1,
        }
        true
    }

    /// Polls whenever allowed, 288 a minute at most, and closes now and then. Returns how many closes, outside of the
    /// service's pauses, did not leave at once, and how many requests were refused.
    fn run(&mut self, span: Duration, exit_every: Duration) -> (u32, u32) {
        let (mut held, refused) = (0, self.refused);
        let (end, mut next_exit) = (self.now + span, self.now + exit_every);
        while self.now < end {
            self.now += POLL;
            if self.now >= next_exit && self.now >= self.pause {
                held += u32::from(!self.ask(RequestClass::Exit));
                next_exit = self.now + exit_every;
            }
            self.ask(RequestClass::Poll);
        }
        (held, self.refused - refused)
    }
}

const HOUR: Duration = Duration::from_hours(1);
const SELDOM: Duration = Duration::from_secs(17);

#[test]
fn nothing_is_held_back_before_the_service_says_no() {
    let mut play = Play::of(Service::Window { limit: 10_000 });
    assert_eq!(play.run(HOUR, SELDOM), (0, 0));
    assert!(play.taken > 17_000, "{}", play.taken);
    assert_eq!(play.budget.per_minute(), None);
}

#[test]
fn a_budget_is_learned_within_minutes_and_then_kept_with_few_refusals_and_no_exit_held() {
    let services = [
        Service::Window { limit: 40 },
        Service::Window { limit: 120 },
        Service::Bucket {
            burst: 10,
            per_minute: 40,
        },
        Service::Bucket {
            burst: 60,
            per_minute: 60,
        },
        Service::Bucket {
            burst: 20,
            per_minute: 240,
        },
    ];
    for service in services {
        let limit = match service {
            Service::Window { limit } => limit,
            Service::Bucket { per_minute, .. } => per_minute,
        };
        let mut play = Play::of(service);
        let (_, learning) = play.run(HOUR / 6, SELDOM);
        assert!(learning <= 12, "{limit}: {learning} refusals to learn it");
        let learned = play.budget.per_minute().unwrap();
        assert!(
            (limit / 2..=limit * 3 / 2).contains(&learned),
            "{limit}: {learned}"
        );
        let taken = play.taken;
        let (held, refused) = play.run(4 * HOUR, SELDOM);
        assert_eq!(held, 0, "{limit}");
        assert!(refused <= 24, "{limit}: {refused} refusals in four hours");
        let a_minute = (play.taken - taken) / 240;
        assert!(
            a_minute >= limit / 2,
            "{limit}: only {a_minute} a minute were used"
        );
    }
}

#[test]
fn a_flood_of_exits_leaves_at_once_and_the_polls_make_room_for_it() {
    let mut play = Play::of(Service::Bucket {
        burst: 30,
        per_minute: 60,
    });
    play.run(HOUR, SELDOM);
    play.now = play.now.max(play.pause);
    let left = (0..20).filter(|_| play.ask(RequestClass::Exit)).count();
    assert!(left >= 10, "only {left} exits left at once");
    let at = play.start + play.now.max(play.pause);
    let (polls, entries) = (
        play.budget.wait(RequestClass::Poll, at),
        play.budget.wait(RequestClass::Entry, at),
    );
    assert!(
        polls > Duration::from_secs(5) && polls > entries,
        "{polls:?} {entries:?}"
    );
    assert_eq!(play.budget.wait(RequestClass::Exit, at), Duration::ZERO);
}

#[test]
fn one_refusal_out_of_the_blue_is_made_up_for_in_minutes() {
    let mut play = Play::of(Service::Window { limit: 10_000 });
    play.run(Duration::from_secs(2), SELDOM);
    let now = play.start + play.now;
    play.budget.sent(now);
    play.budget.refused(now, now, Duration::from_secs(1));
    let slow = play.budget.per_minute().unwrap();
    play.run(Duration::from_mins(10), SELDOM);
    assert!(play.budget.per_minute().unwrap_or(u32::MAX) > slow * 4);
}

#[test]
fn refusals_of_what_left_together_are_one_lesson() {
    let (mut budget, start) = (RequestBudget::default(), Instant::now());
    for _ in 0..8 {
        budget.sent(start);
    }
    let later = start + Duration::from_millis(30);
    budget.refused(start, later, Duration::from_secs(2));
    let first = budget.per_minute();
    for _ in 0..7 {
        budget.refused(start, later, Duration::from_secs(2));
    }
    assert_eq!(budget.per_minute(), first);
}

#[tokio::test(start_paused = true)]
async fn with_too_many_requests_in_a_minute_the_next_waits_until_one_is_older() {
    let mut budget = RequestBudget::default();
    let began = Instant::now();
    for second in 0..10 {
        budget.sent(began + Duration::from_secs(second));
    }
    let now = began + Duration::from_secs(10);
    assert_eq!(budget.room_in(11, now), Duration::ZERO);
    assert_eq!(budget.room_in(10, now), Duration::from_secs(50));
    assert_eq!(budget.room_in(8, now), Duration::from_secs(52));
    assert_eq!(
        budget.room_in(8, now + Duration::from_secs(52)),
        Duration::ZERO
    );
}
