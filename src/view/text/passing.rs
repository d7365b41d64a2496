//! Passing time in words: by the second, or with reduced motion as rarely as possible.
//!
//! Contract: the words stay true until the next frame. A countdown that does not move shows the time of day at which it
//! ends; an age shows its lower bound.

use super::format;
use crate::{app::Motion, model::Num};
use std::time::Duration;

/// Seconds between two updates of a still age, until it counts minutes.
const STEP: u64 = 10;

/// An age: `3s`, or with reduced motion `<10s` and then `10s`, `20s` …
pub(crate) fn age(age: Duration, motion: Motion) -> String {
    match (motion, age.as_secs()) {
        (Motion::Reduced, 0..STEP) => format!("<{STEP}s"),
        (Motion::Reduced, s @ STEP..60) => format!("{}s", s / STEP * STEP),
        (Motion::Reduced | Motion::Full, _) => format::age(age),
    }
}

/// The rest of a strip's time: in tenths of a second, or whole seconds.
pub(crate) fn left(left: Duration, motion: Motion) -> String {
    match motion {
        Motion::Full => format::tenths(left),
        Motion::Reduced => format!("at most {} s", left.as_millis().div_ceil(1_000)),
    }
}

/// The share of something that progresses by itself: in whole percents with reduced motion.
pub(crate) fn share(share: Num, motion: Motion) -> Num {
    match motion {
        Motion::Full => share,
        Motion::Reduced => share.truncated(2),
    }
}

/// The words for the end of a wait; `{}` is the time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Until {
    /// With the time left: `in {}`.
    pub counted: &'static str,
    /// With the time of day: `at {}`.
    pub fixed: &'static str,
}

/// `in 12s`, or `at 14:03:22`.
pub(crate) const NEXT: Until = Until {
    counted: "in {}",
    fixed: "at {}",
};

/// `12s left`, or `until 14:03:22`.
pub(crate) const LEFT: Until = Until {
    counted: "{} left",
    fixed: "until {}",
};

/// `12s`, or `until 14:03:22`.
pub(crate) const FOR: Until = Until {
    counted: "{}",
    fixed: "until {}",
};

/// `12s`, or `14:03:22`: the words stand elsewhere.
pub(crate) const BARE: Until = Until {
    counted: "{}",
    fixed: "{}",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_that_stands_still_is_never_more_than_it_is() {
        let shown = [0, 9, 10, 59, 60, 3_600].map(|s| age(Duration::from_secs(s), Motion::Reduced));
        assert_eq!(shown, ["<10s", "<10s", "10s", "50s", "1m", "1h"]);
        assert_eq!(age(Duration::from_secs(9), Motion::Full), "9s");
    }

    #[test]
    fn a_strip_never_claims_more_time_than_there_is() {
        let shown =
            [1_500, 1_000, 999, 0].map(|ms| left(Duration::from_millis(ms), Motion::Reduced));
        assert_eq!(
            shown,
            ["at most 2 s", "at most 1 s", "at most 1 s", "at most 0 s"]
        );
        assert_eq!(left(Duration::from_millis(1_450), Motion::Full), "1.5 s");
    }
}
