//! The client of the venues' public market data.
//!
//! Contract: it is built without a key, and there is no way to give it one. It reads, and opens streams; answers are
//! read up to 4 MiB. Known limit: each account has a budget of its own, and only the one on the screen reads.

use super::{
    Client, StreamIo, Timeouts, base,
    lock::locked,
    pools::ConnectionPools,
    send::{BODY_LIMIT, cause},
    stream::upgraded,
};
use crate::{
    config::Venues,
    model::{Failure, FailureKind, StreamKind, Venue},
};
use reqwest::{
    Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER},
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::{Instant, sleep_until};

/// How long a venue is left alone that refuses reads and does not say for how long.
const PAUSE: Duration = Duration::from_mins(1);
/// The longest pause that a venue can request.
const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// Clones share connections and budgets.
#[derive(Debug, Clone)]
pub struct VenueClient(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    venues: Venues,
    pools: ConnectionPools,
    timeouts: Timeouts,
    budgets: Mutex<BTreeMap<Venue, VenueBudget>>,
}

impl Client {
    /// The venues that market data may come from; `None` if the settings use none. A service's own stream comes first.
    pub fn venues(&self) -> Option<VenueClient> {
        self.0.venues.clone()
    }

    /// The venues, where the settings name no stream of the service.
    pub(crate) fn venues_alone(&self) -> Option<VenueClient> {
        self.venues()
            .filter(|_| !self.has_stream(StreamKind::Market))
    }
}

impl VenueClient {
    pub(super) fn new(venues: Venues, pools: ConnectionPools, timeouts: Timeouts) -> Self {
        Self(Arc::new(Inner {
            venues,
            pools,
            timeouts,
            budgets: Mutex::default(),
        }))
    }

    /// Reads `target` (path and query), with a body by `POST`, as soon as the venue's budget has room for its weight.
    pub(crate) async fn read(
        &self,
        venue: Venue,
        target: &str,
        body: Option<String>,
        weight: u32,
    ) -> Result<Vec<u8>, Failure> {
        let turn = self.change(venue, |budget| budget.spend(weight, Instant::now()));
        let Some(turn) = turn else {
            let words = format!("{venue} is not asked so often: the next read is far away");
            return Err(Failure::new(FailureKind::Limited, words));
        };
        sleep_until(turn).await;
        let rest_url = &self.0.venues.of(venue).rest_url;
        let url = base::endpoint(&base::base(rest_url)?, target)?;
        let pool = self.0.pools.to(&url).await?;
        let request = match body {
            Some(body) => {
                let request = pool.post(url).header(CONTENT_TYPE, "application/json");
                request.body(body)
            }
            None => pool.get(url),
        };
        let request = request
            .header(ACCEPT, "application/json")
            .timeout(self.0.timeouts.read());
        let unanswered = |why| unanswered(venue, why);
        let mut response = request.send().await.map_err(unanswered)?;
        self.accepted(venue, &response)?;
        let mut whole = vec![];
        while let Some(chunk) = response.chunk().await.map_err(unanswered)? {
            if whole.len() + chunk.len() > BODY_LIMIT {
                let words = format!("the answer of {venue} is longer than 4 MiB");
                return Err(Failure::new(FailureKind::Unreadable, words));
            }
            whole.extend_from_slice(&chunk);
        }
        Ok(whole)
    }

    /// Opens the venue's stream, with this behind its address.
    pub(crate) async fn open(&self, venue: Venue, path: &str) -> Result<StreamIo, Failure> {
        let stream_url = self.0.venues.of(venue).stream_url.trim_end_matches('/');
        let url = base::stream(&format!("{stream_url}{path}"))?;
        upgraded(&self.0.pools, url, None, self.0.timeouts).await
    }

    /// A venue that is asked too often is left alone.
    fn accepted(&self, venue: Venue, response: &Response) -> Result<(), Failure> {
        let status = response.status();
        if status.is_success() {
            return Ok(());
        }
        let is_limit = matches!(status.as_u16(), 403 | 418 | 429 | 451);
        if is_limit {
            let seconds = response.headers().get(RETRY_AFTER);
            let seconds = seconds.and_then(|value| value.to_str().ok()?.parse().ok());
            let pause = seconds.map_or(PAUSE, Duration::from_secs);
            let pause = pause.min(LONGEST_PAUSE);
            self.change(venue, |budget| budget.pause(pause, Instant::now()));
        }
        let kind = if is_limit {
            FailureKind::Limited
        } else {
            FailureKind::Unavailable
        };
        Err(Failure::new(kind, refusal(venue, status)))
    }

    fn change<T>(&self, venue: Venue, change: impl FnOnce(&mut VenueBudget) -> T) -> T {
        change(locked(&self.0.budgets).entry(venue).or_default())
    }
}

fn refusal(venue: Venue, status: StatusCode) -> String {
    let status = status.as_u16();
    match status {
        403 | 451 => format!("{venue} refuses market data to this address ({status})"),
        418 | 429 => format!("{venue} is asked too often ({status})"),
        _ => format!("{venue} answered with status {status}"),
    }
}

fn unanswered(venue: Venue, why: reqwest::Error) -> Failure {
    let kind = if why.is_timeout() {
        FailureKind::TimedOut
    } else {
        FailureKind::Unreachable
    };
    let why = why.without_url();
    Failure::new(kind, format!("{venue} did not answer: {}", cause(&why)))
}

/// Weight of reads that may be spent at once: the first picture of a market with all of its panes.
const WHOLE_BUDGET: u32 = 240;
/// How long a unit of weight takes to come back: a quarter of the lowest limit of a venue, 1,200 a minute.
const WEIGHT_INTERVAL: Duration = Duration::from_millis(200);
/// A read whose turn is further away is refused: by then another market may be on the screen.
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// What may be read of a venue: far below its limit, since other programs may share the address.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct VenueBudget {
    /// When it is whole again.
    full_at: Option<Instant>,
    paused_until: Option<Instant>,
}

impl VenueBudget {
    /// Spends `weight`; returns when the read may leave. `None`, and nothing is spent, if that is too far away.
    pub(super) fn spend(&mut self, weight: u32, now: Instant) -> Option<Instant> {
        let full_at =
            self.full_at.map_or(now, |full_at| full_at.max(now)) + WEIGHT_INTERVAL * weight;
        let whole = WEIGHT_INTERVAL * WHOLE_BUDGET;
        let late = full_at.duration_since(now).saturating_sub(whole);
        let turn = self
            .paused_until
            .map_or(now, |until| until.max(now))
            .max(now + late);
        if turn > now + LONGEST_WAIT {
            return None;
        }
        self.full_at = Some(full_at);
        Some(turn)
    }

    /// The venue refused a read: none leaves for so long.
    pub(super) fn pause(&mut self, pause: Duration, now: Instant) {
        self.paused_until = self.paused_until.max(Some(now + pause));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_first_picture_leaves_at_once_and_what_follows_in_its_turn() {
        let (mut budget, now) = (VenueBudget::default(), Instant::now());
        for _ in 0..4 {
            assert_eq!(budget.spend(60, now), Some(now));
        }
        assert_eq!(budget.spend(25, now), Some(now + Duration::from_secs(5)));
        assert_eq!(budget.spend(25, now), Some(now + Duration::from_secs(10)));
        assert_eq!(budget.spend(60, now), None, "it is too far away");
        let later = now + Duration::from_mins(2);
        assert_eq!(budget.spend(60, later), Some(later));
    }

    #[tokio::test(start_paused = true)]
    async fn a_venue_that_refused_is_left_alone_for_as_long_as_it_says() {
        let (mut budget, now) = (VenueBudget::default(), Instant::now());
        budget.pause(Duration::from_secs(10), now);
        assert_eq!(budget.spend(2, now), Some(now + Duration::from_secs(10)));
        budget.pause(Duration::from_mins(1), now);
        assert_eq!(budget.spend(2, now), None);
        let after = now + Duration::from_mins(1);
        assert_eq!(budget.spend(2, after), Some(after));
    }
}
