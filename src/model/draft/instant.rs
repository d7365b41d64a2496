//! The grammar of typed instants: time spans from now, and local dates.

use super::{
    super::{Timestamp, Zone},
    DraftFault,
};
use jiff::civil;
use std::time::Duration;

/// Nothing waits longer than a year.
const LONGEST: Duration = Duration::from_hours(366 * 24);
const UNITS: &[(char, u64)] = &[
    ('s', 1),
    ('m', 60),
    ('h', 3_600),
    ('d', 86_400),
    ('w', 604_800),
];

/// Reads `2h`, `1d12h`, `18:00` (the next one), `2026-01-05 18:00` or an instant with its zone; it must be after `now`.
pub fn instant(text: &str, now: Timestamp, zone: &Zone) -> Result<Timestamp, DraftFault> {
    let text = text.trim();
    if text.is_empty() {
        return Err(DraftFault::Missing);
    }
    let at = span(text)
        .map(|span| now.plus(span))
        .or_else(|| time(text).and_then(|time| zone.next(time, now)))
        .or_else(|| date(text, zone))
        .ok_or(DraftFault::NotAnInstant)?;
    if at <= now {
        return Err(DraftFault::Past);
    }
    Ok(at)
}

/// An instant in the past, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PastInstant {
    Ago(Duration),
    At(Timestamp),
}

impl PastInstant {
    pub fn before(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Ago(ago) => {
                let ago = i64::try_from(ago.as_millis()).unwrap_or(i64::MAX);
                Timestamp(now.0.saturating_sub(ago))
            }
            Self::At(at) => at,
        }
    }
}

/// What to write instead of what [`past`] does not read.
pub const NOT_PAST: &str =
    "write how long ago (90s, 2h, 7d), a date (2026-01-05) or an instant (2026-01-05T14:30:00Z)";

/// `2h` is two hours ago, `2026-01-05` or `2026-01-05T18:00` is by local clocks.
pub fn past(text: &str, zone: &Zone) -> Option<PastInstant> {
    let text = text.trim();
    let day = || format!("{text}T00:00");
    let at = || date(text, zone).or_else(|| date(&day(), zone));
    let ago = span(text).map(PastInstant::Ago);
    ago.or_else(|| at().map(PastInstant::At))
}

/// `90s`, `30m`, `2h`, `1d`, `1w`, or several of them: `1d12h`.
pub fn span(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut seconds: u64 = 0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (count, after) = rest.split_at_checked(digits)?;
        let unit = after.chars().next()?.to_ascii_lowercase();
        let (_, length) = UNITS.iter().find(|(name, _)| *name == unit)?;
        let part = count.parse::<u64>().ok()?.checked_mul(*length)?;
        seconds = seconds.checked_add(part)?;
        rest = after.get(1..)?;
    }
    let span = Duration::from_secs(seconds);
    (span <= LONGEST).then_some(span)
}

fn time(text: &str) -> Option<civil::Time> {
    let is_time = text.contains(':') && text.bytes().all(|b| b.is_ascii_digit() || b == b':');
    is_time.then(|| text.parse().ok()).flatten()
}

fn date(text: &str, zone: &Zone) -> Option<Timestamp> {
    if let Some(instant) = Timestamp::from_rfc3339(text) {
        return Some(instant);
    }
    // A date alone could mean its beginning or its end.
    let is_whole = text.contains(':');
    let civil = is_whole.then(|| text.parse::<civil::DateTime>().ok());
    zone.at(civil.flatten()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-09-21 14:13:20 UTC.
    const NOW: Timestamp = Timestamp(1_790_000_000_000);

    fn read(text: &str) -> Result<String, DraftFault> {
        instant(text, NOW, &Zone::utc()).map(Timestamp::to_utc)
    }

    #[test]
    fn what_is_past_is_counted_back_and_a_date_alone_is_its_beginning() {
        for (typed, meant) in [
            ("2h", "2026-09-21 12:13:20"),
            ("7d", "2026-09-14 14:13:20"),
            ("2026-09-20", "2026-09-20 00:00:00"),
            ("2026-09-20T08:30", "2026-09-20 08:30:00"),
            ("2026-09-20T08:30:00Z", "2026-09-20 08:30:00"),
        ] {
            let at = past(typed, &Zone::utc()).map(|past| past.before(NOW).to_utc());
            assert_eq!(at.as_deref(), Some(meant), "{typed}");
        }
        assert_eq!(past("yesterday", &Zone::utc()), None);
    }

    #[test]
    fn spans_times_and_dates_come_to_the_instant_they_mean() {
        for (typed, meant) in [
            ("90s", "2026-09-21 14:14:50"),
            ("30m", "2026-09-21 14:43:20"),
            ("2h", "2026-09-21 16:13:20"),
            ("1d", "2026-09-22 14:13:20"),
            ("1d12h", "2026-09-23 02:13:20"),
            ("1W", "2026-09-28 14:13:20"),
            ("18:00", "2026-09-21 18:00:00"),
            ("14:13", "2026-09-22 14:13:00"),
            ("2026-09-22 08:30", "2026-09-22 08:30:00"),
            ("2026-09-22T08:30:05", "2026-09-22 08:30:05"),
            ("2026-09-22T08:30:00+02:00", "2026-09-22 06:30:00"),
        ] {
            assert_eq!(read(typed).as_deref(), Ok(meant), "{typed}");
        }
    }

    #[test]
    fn what_means_no_instant_or_one_that_is_over_is_refused() {
        for (typed, fault) in [
            ("", DraftFault::Missing),
            ("2", DraftFault::NotAnInstant),
            ("h", DraftFault::NotAnInstant),
            ("2y", DraftFault::NotAnInstant),
            ("-2h", DraftFault::NotAnInstant),
            ("1.5h", DraftFault::NotAnInstant),
            ("99999999999999999999h", DraftFault::NotAnInstant),
            ("10000d", DraftFault::NotAnInstant),
            ("25:00", DraftFault::NotAnInstant),
            ("2026-09-22", DraftFault::NotAnInstant),
            ("tomorrow", DraftFault::NotAnInstant),
            ("0h", DraftFault::Past),
            ("2026-09-21 14:13", DraftFault::Past),
            ("2026-09-21T14:13:20Z", DraftFault::Past),
        ] {
            assert_eq!(read(typed), Err(fault), "{typed}");
        }
    }

    #[test]
    fn a_time_without_a_zone_is_that_of_the_clocks_around() {
        let Ok(zone) = jiff::tz::TimeZone::get("America/New_York") else {
            return;
        };
        let zone = Zone::from(zone);
        let at = instant("18:00", NOW, &zone).map(Timestamp::to_utc);
        assert_eq!(at.as_deref(), Ok("2026-09-21 22:00:00"));
    }
}
