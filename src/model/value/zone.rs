//! Where the person is.

use crate::model::Timestamp;
use jiff::{Zoned, civil, tz::TimeZone};
use std::fmt;

/// Where the person is: local times are shown in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(TimeZone, Moments);

/// A day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ZoneDay(civil::Date);

/// `Fri 2026-11-20`.
impl fmt::Display for ZoneDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.strftime("%a %F").fmt(f)
    }
}

/// How moments are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moments {
    /// As short as the day allows.
    Short,
    /// In full, for machines.
    Stamps,
}

impl Zone {
    /// The system's zone, read once; UTC when the system does not say.
    pub fn local() -> Self {
        Self(TimeZone::system(), Moments::Short)
    }

    pub fn utc() -> Self {
        Self(TimeZone::UTC, Moments::Short)
    }

    /// UTC, every moment in full: `2026-11-20T14:03:22.000Z`.
    pub fn stamps() -> Self {
        Self(TimeZone::UTC, Moments::Stamps)
    }

    /// `14:03:22`.
    pub fn time_of_day(&self, at: Timestamp) -> String {
        self.formatted(at, "%H:%M:%S")
    }

    /// `14:03:22` today, `11-19 14:03` on another day of this year, else `2025-11-19`.
    pub fn moment(&self, at: Timestamp, now: Timestamp) -> String {
        if self.1 == Moments::Stamps {
            return self.formatted(at, "%FT%T%.3fZ");
        }
        let same = |format| self.formatted(at, format) == self.formatted(now, format);
        if same("%F") {
            self.time_of_day(at)
        } else if same("%Y") {
            self.formatted(at, "%m-%d %H:%M")
        } else {
            self.formatted(at, "%F")
        }
    }

    /// The day that calendars here show at this instant; `None` beyond the years they know.
    pub fn day(&self, at: Timestamp) -> Option<ZoneDay> {
        let at = jiff::Timestamp::from_millisecond(at.0).ok()?;
        Some(ZoneDay(self.0.to_datetime(at).date()))
    }

    /// `2026-01-05 18:00`.
    pub fn minute(&self, at: Timestamp) -> String {
        self.formatted(at, "%F %H:%M")
    }

    /// Local time with its offset, and UTC.
    pub fn exact(&self, at: Timestamp) -> String {
        let utc = Self::utc().formatted(at, "%F %T%.3f UTC");
        if self.formatted(at, "%:z") == "+00:00" {
            return utc;
        }
        format!("{} ({utc})", self.formatted(at, "%F %T%.3f %:z"))
    }

    /// The next instant after `now` at which clocks here show `time`.
    pub fn next(&self, time: civil::Time, now: Timestamp) -> Option<Timestamp> {
        let now = jiff::Timestamp::from_millisecond(now.0).ok()?;
        let now = now.to_zoned(self.0.clone());
        let today = self.0.to_zoned(now.date().to_datetime(time)).ok()?;
        if today > now {
            return Some(instant(&today));
        }
        let tomorrow = now.date().tomorrow().ok()?;
        let tomorrow = self.0.to_zoned(tomorrow.to_datetime(time)).ok()?;
        Some(instant(&tomorrow))
    }

    /// The instant at which clocks here show `civil`.
    pub fn at(&self, civil: civil::DateTime) -> Option<Timestamp> {
        self.0.to_zoned(civil).ok().as_ref().map(instant)
    }

    fn formatted(&self, at: Timestamp, format: &str) -> String {
        jiff::Timestamp::from_millisecond(at.0).map_or_else(
            |_| at.0.to_string(),
            |instant| {
                instant
                    .to_zoned(self.0.clone())
                    .strftime(format)
                    .to_string()
            },
        )
    }
}

fn instant(zoned: &Zoned) -> Timestamp {
    Timestamp(zoned.timestamp().as_millisecond())
}

impl From<TimeZone> for Zone {
    fn from(zone: TimeZone) -> Self {
        Self(zone, Moments::Short)
    }
}

impl Default for Zone {
    fn default() -> Self {
        Self::utc()
    }
}
