//! Time zones, and the calendar in one.

use crate::model::Timestamp;
use jiff::{Zoned, civil, tz::TimeZone};
use std::fmt;

/// The time zone in which local times are shown.
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

impl ZoneDay {
    /// Of the month, from 1.
    pub fn number(self) -> i8 {
        self.0.day()
    }

    /// `November 2026`.
    pub fn month(self) -> String {
        self.0.strftime("%B %Y").to_string()
    }

    /// The days of its month in weeks that begin on Monday; `None` where a week reaches into another month.
    pub fn weeks(self) -> Vec<[Option<Self>; 7]> {
        let mut weeks = vec![];
        let mut day = Some(self.0.first_of_month());
        while let Some(date) = day.filter(|day| day.month() == self.0.month()) {
            let at = usize::try_from(date.weekday().to_monday_zero_offset()).unwrap_or(0);
            if weeks.is_empty() || at == 0 {
                weeks.push([None; 7]);
            }
            if let Some(place) = weeks.last_mut().and_then(|week| week.get_mut(at)) {
                *place = Some(Self(date));
            }
            day = date.tomorrow().ok();
        }
        weeks
    }

    /// The last day of the month before its own.
    pub fn month_before(self) -> Option<Self> {
        self.0.first_of_month().yesterday().ok().map(Self)
    }

    /// The first day of the month after its own.
    pub fn month_after(self) -> Option<Self> {
        self.0.last_of_month().tomorrow().ok().map(Self)
    }
}

/// How moments are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moments {
    /// As short as possible for the day.
    Short,
    /// In full, for machines.
    Stamps,
}

impl Zone {
    pub fn utc() -> Self {
        Self(TimeZone::UTC, Moments::Short)
    }

    /// The zone whose midnight begins the day of a loss limit: `America/New_York` (docs/service-api.md 2.5). Written as a
    /// rule, since a machine may lack the database of zones.
    pub fn of_loss_day() -> Self {
        let zone = TimeZone::posix("EST5EDT,M3.2.0,M11.1.0");
        Self(zone.unwrap_or(TimeZone::UTC), Moments::Short)
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

    /// The local calendar day of this instant; `None` outside the supported years.
    pub fn day(&self, at: Timestamp) -> Option<ZoneDay> {
        let at = jiff::Timestamp::from_millisecond(at.0).ok()?;
        Some(ZoneDay(self.0.to_datetime(at).date()))
    }

    /// The hour that clocks here show at this instant, 0 to 23.
    pub fn hour(&self, at: Timestamp) -> Option<usize> {
        let at = jiff::Timestamp::from_millisecond(at.0).ok()?;
        usize::try_from(self.0.to_datetime(at).hour()).ok()
    }

    /// What the zone is called: `UTC`, `Europe/Berlin`, or its offset at this instant.
    pub fn name(&self, at: Timestamp) -> String {
        let name = self.0.iana_name().map(str::to_owned);
        name.unwrap_or_else(|| self.formatted(at, "%:z"))
    }

    /// `14:03`.
    pub fn hour_minute(&self, at: Timestamp) -> String {
        self.formatted(at, "%H:%M")
    }

    /// `01-05`.
    pub fn month_day(&self, at: Timestamp) -> String {
        self.formatted(at, "%m-%d")
    }

    /// What its clocks are called then: `UTC`, `CET`, `+0530`.
    pub fn abbreviation(&self, at: Timestamp) -> String {
        self.formatted(at, "%Z")
    }

    /// How far its clocks are ahead of UTC then, milliseconds.
    pub fn offset(&self, at: Timestamp) -> i64 {
        let instant = jiff::Timestamp::from_millisecond(at.0);
        instant.map_or(0, |instant| {
            i64::from(self.0.to_offset(instant).seconds()) * 1_000
        })
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

    /// The next instant after `now` at which local clocks show `time`.
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

    /// The instant at which local clocks show `civil`.
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

#[cfg(test)]
mod tests {
    use crate::model::{Timestamp, Zone, ZoneDay};

    /// 2026-09-21 00:00 UTC, a Monday.
    const MIDNIGHT: i64 = 1_789_948_800_000;

    fn day(at: i64) -> ZoneDay {
        Zone::utc().day(Timestamp(at)).unwrap()
    }

    #[test]
    fn a_month_is_laid_out_in_weeks_that_begin_on_monday() {
        let weeks = day(MIDNIGHT).weeks();
        let numbers = |week: usize| weeks[week].map(|day| day.map_or(0, ZoneDay::number));
        assert_eq!(weeks.len(), 5);
        assert_eq!(numbers(0), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(numbers(4), [28, 29, 30, 0, 0, 0, 0]);
        assert_eq!(day(MIDNIGHT).month(), "September 2026");
    }

    #[test]
    fn months_follow_one_another() {
        let today = day(MIDNIGHT);
        let before = today.month_before().unwrap();
        assert_eq!(
            (before.month(), before.number()),
            ("August 2026".to_owned(), 31)
        );
        assert_eq!(today.month_after().unwrap().month(), "October 2026");
        assert_eq!(before.month_after().unwrap().month(), today.month());
    }

    #[test]
    fn the_last_millisecond_of_a_day_is_still_that_day_and_its_last_hour() {
        let zone = Zone::utc();
        let (last, first) = (Timestamp(MIDNIGHT - 1), Timestamp(MIDNIGHT));
        assert_eq!((zone.hour(last), zone.hour(first)), (Some(23), Some(0)));
        assert!(zone.day(last) < zone.day(first));
        assert_eq!(zone.name(first), "UTC");
    }
}
