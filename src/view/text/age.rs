//! The age of a source's last answer in words, and how late it is.

use super::{Span, Tone, passing};
use crate::{
    app::{Model, Motion, Source, account::poll::LATE},
    model::Timestamp,
};
use std::time::Duration;

/// Data older than this many poll intervals is old.
const OLD: u32 = 10;

/// The age of a source in words; `None` before its first answer.
pub(crate) fn age_of(model: &Model, source: Source) -> Option<Span> {
    age_at(model, source, model.account.now)
}

/// The same at a given instant: another account's time may be ahead.
pub(crate) fn age_at(model: &Model, source: Source, now: Timestamp) -> Option<Span> {
    let (age, lateness) = aged(model, source, now)?;
    Some(age_words(age, lateness, model.account.options.motion))
}

/// How late a source is; `None` before its first answer.
pub(crate) fn lateness(model: &Model, source: Source) -> Option<Lateness> {
    aged(model, source, model.account.now).map(|(_, lateness)| lateness)
}

fn aged(model: &Model, source: Source, now: Timestamp) -> Option<(Duration, Lateness)> {
    let (age, interval) = model.account.age_of(source, now)?;
    // Ended scaled orders are rarely read, and cannot have changed.
    let is_settled = source == Source::Scaled && model.account.store.all_scaled_ended();
    let interval = interval.filter(|_| !is_settled);
    let lateness = interval.map_or(Lateness::Fresh, |interval| Lateness::of(age, interval));
    Some((age, lateness))
}

/// How late a polled source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lateness {
    Fresh,
    Late,
    Old,
}

impl Lateness {
    pub(crate) fn of(age: Duration, interval: Duration) -> Self {
        match age {
            _ if age > interval * OLD => Self::Old,
            _ if age > interval * LATE => Self::Late,
            _ => Self::Fresh,
        }
    }

    /// The tone of the words beside it.
    pub(crate) fn tone(self) -> Tone {
        match self {
            Self::Fresh => Tone::Plain,
            Self::Late | Self::Old => Tone::Warn,
        }
    }
}

/// `3s`, `late 14s`, `OLD 2m`.
pub(crate) fn age_words(age: Duration, lateness: Lateness, motion: Motion) -> Span {
    let text = passing::age(age, motion);
    match lateness {
        Lateness::Fresh => Span::muted(text),
        Lateness::Late => Span::warn(format!("late {text}")),
        Lateness::Old => Span::alert(format!("OLD {text}")),
    }
}

/// The tone of numbers that depend on late prices. Called for every cell, so it builds no words.
pub(crate) fn priced(model: &Model) -> Option<Tone> {
    let is_late = lateness(model, Source::Markets)? != Lateness::Fresh;
    is_late.then_some(Tone::Warn)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polled_every_two_seconds(secs: u64, motion: Motion) -> Span {
        let age = Duration::from_secs(secs);
        age_words(age, Lateness::of(age, Duration::from_secs(2)), motion)
    }

    #[test]
    fn an_age_becomes_late_past_three_intervals_and_old_past_ten() {
        let words = |secs| polled_every_two_seconds(secs, Motion::Full);
        assert_eq!(words(6), Span::muted("6s"));
        assert_eq!(words(7), Span::warn("late 7s"));
        assert_eq!(words(20), Span::warn("late 20s"));
        assert_eq!(words(120), Span::alert("OLD 2m"));
    }

    #[test]
    fn where_motion_is_reduced_late_is_said_as_soon_as_ever() {
        let words = polled_every_two_seconds(7, Motion::Reduced);
        assert_eq!(words, Span::warn("late <10s"));
    }
}
