//! A read that shows how the service responds, not what its rows mean.

use super::{Client, base, response::ServiceResponse};
use crate::{
    api::List,
    model::{Fallible, Text, Timestamp},
};
use std::time::Duration;
use tokio::time::Instant;

/// One `GET`, and everything its response shows about the service.
#[derive(Debug)]
pub struct Probe {
    /// The rows, undecoded.
    pub list: Fallible<List>,
    pub elapsed: Duration,
    /// How far the service's clock is ahead of ours, in seconds; accurate to one second, as the `Date` header is.
    pub ahead: Option<i64>,
    /// Headers that state a request budget.
    pub budgets: Vec<Text>,
}

impl Client {
    /// Reads the list at `target` (path and query) once.
    pub async fn probe(&self, target: &str) -> Probe {
        let (sent, start) = (self.now(), Instant::now());
        let answer = self.answer_at(target).await;
        let elapsed = start.elapsed();
        let answered = sent.plus(elapsed / 2);
        let head = answer.as_ref().ok();
        Probe {
            ahead: head
                .and_then(|answer| answer.date)
                .map(|date| ahead(date, answered)),
            budgets: head.map_or(vec![], |answer| {
                answer.budgets.iter().map(|b| b.as_str().into()).collect()
            }),
            list: answer.and_then(|answer| answer.decoded()),
            elapsed,
        }
    }

    async fn answer_at(&self, target: &str) -> Fallible<ServiceResponse> {
        self.fetch(base::endpoint(&self.0.base, target)?).await
    }
}

/// The header is truncated to whole seconds: equal clocks give 0.
fn ahead(date: Timestamp, answered: Timestamp) -> i64 {
    (date.0 + 999 - answered.0).div_euclid(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_cut_to_whole_seconds_does_not_make_a_clock_late() {
        let service = |now: i64| Timestamp(now / 1_000 * 1_000);
        for now in [5_000, 5_001, 5_500, 5_999] {
            assert_eq!(ahead(service(now), Timestamp(now)), 0, "{now}");
            assert_eq!(ahead(service(now + 7_000), Timestamp(now)), 7, "{now}");
            assert_eq!(ahead(service(now - 3_000), Timestamp(now)), -3, "{now}");
        }
    }
}
