//! A read for its own sake: not what the rows mean, but how the service speaks.

use super::{Client, base, response::ServiceResponse};
use crate::{
    api::List,
    model::{Failure, Text, Timestamp},
};
use std::time::Duration;
use tokio::time::Instant;

/// One `GET` and everything about its answer that tells something about the service.
#[derive(Debug)]
pub struct Probe {
    /// The rows as they came, unread.
    pub list: Result<List, Failure>,
    pub elapsed: Duration,
    /// By how much the service's clock is ahead of ours, seconds; as exact as the `Date` header, one second.
    pub ahead: Option<i64>,
    /// Headers that tell a request budget.
    pub budgets: Vec<Text>,
}

impl Client {
    /// Reads the list at `target` (path and query) once.
    pub async fn probe(&self, target: &str) -> Probe {
        let (sent, start) = (self.now(), Instant::now());
        let answer = self.list_at(target).await;
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

    async fn list_at(&self, target: &str) -> Result<ServiceResponse, Failure> {
        self.fetch(base::endpoint(&self.0.base, target)?).await
    }
}

/// The header cuts to whole seconds: equal clocks come out as 0.
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
