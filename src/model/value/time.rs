//! Instants of the service and the desk.

use crate::model::Num;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::time::Duration;

/// Milliseconds since the Unix epoch, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

/// Each unit begins where the previous one would reach the year 5138; no real instant is ambiguous.
const SECONDS_END: i128 = 100_000_000_000;
const MILLIS_END: i128 = SECONDS_END * 1_000;
const MICROS_END: i128 = MILLIS_END * 1_000;

impl Timestamp {
    /// Reads a wire number whose unit follows from its magnitude.
    pub fn from_wire(number: Num) -> Option<Self> {
        let micro_steps: i128 = number.truncated(6).to_scaled(6)?;
        let millis = match micro_steps.abs() / 1_000_000 {
            n if n < SECONDS_END => micro_steps / 1_000,
            n if n < MILLIS_END => micro_steps / 1_000_000,
            n if n < MICROS_END => micro_steps / 1_000_000_000,
            _ => micro_steps / 1_000_000_000_000,
        };
        i64::try_from(millis).ok().map(Self)
    }

    /// Reads the date of an HTTP header (`Sun, 06 Nov 1994 08:49:37 GMT`).
    pub fn from_http_date(text: &str) -> Option<Self> {
        let zoned = jiff::fmt::rfc2822::parse(text).ok()?;
        Some(Self(zoned.timestamp().as_millisecond()))
    }

    /// The date of an HTTP header, in whole seconds; `None` beyond the years 1 to 9999.
    pub fn to_http_date(self) -> Option<String> {
        let instant = jiff::Timestamp::from_millisecond(self.0).ok()?;
        let printer = jiff::fmt::rfc2822::DateTimePrinter::new();
        printer.timestamp_to_rfc9110_string(&instant).ok()
    }

    /// Reads an instant with its zone (`2026-01-05T14:30:00Z`, `2026-01-05 14:30+02:00`).
    pub fn from_rfc3339(text: &str) -> Option<Self> {
        let instant = text.parse::<jiff::Timestamp>().ok()?;
        Some(Self(instant.as_millisecond()))
    }

    /// `2026-11-20 08:42:01`, UTC.
    pub fn to_utc(self) -> String {
        let instant = jiff::Timestamp::from_millisecond(self.0);
        instant.map_or_else(
            |_| self.0.to_string(),
            |instant| instant.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        )
    }

    /// `2026-11-20T08:42:01.250Z`.
    pub fn to_rfc3339(self) -> String {
        let instant = jiff::Timestamp::from_millisecond(self.0);
        instant.map_or_else(|_| self.0.to_string(), |instant| format!("{instant:.3}"))
    }

    /// The time since `earlier`; zero if that is later (clocks differ).
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// The time between both, whichever is earlier.
    pub fn gap_to(self, other: Self) -> Duration {
        Duration::from_millis(self.0.abs_diff(other.0))
    }

    #[must_use]
    pub fn plus(self, span: Duration) -> Self {
        Self(
            self.0
                .saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)),
        )
    }
}

/// Milliseconds by which the wall clock is ahead of the desk's own time: zero unless it was set while the desk was
/// open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Drift(i64);

impl Drift {
    /// Smaller differences come from reading the two clocks one after the other.
    const STEP: u64 = 2_000;

    pub fn between(own: Timestamp, wall: Timestamp) -> Self {
        Self(wall.0.saturating_sub(own.0))
    }

    /// Whether the wall clock was set since it was `before`.
    pub fn is_step(self, before: Self) -> bool {
        self.0.abs_diff(before.0) > Self::STEP
    }

    /// The wall clock at `own`, an instant of the desk's time.
    pub fn on_wall(self, own: Timestamp) -> Timestamp {
        Timestamp(own.0.saturating_add(self.0))
    }

    /// `+3600 s`: how far the wall clock was set since `before`.
    pub fn step_from(self, before: Self) -> String {
        let millis = self.0.saturating_sub(before.0);
        format!("{:+} s", millis.saturating_add(500).div_euclid(1_000))
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = Num::deserialize(deserializer)?;
        Self::from_wire(number)
            .ok_or_else(|| D::Error::custom(format_args!("not a time: {number}")))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.0)
    }
}

#[cfg(test)]
mod tests {
    use crate::model::value::time::*;

    #[test]
    fn the_same_instant_in_any_unit_reads_the_same() {
        let instant = Timestamp(1_790_000_000_123);
        for text in [
            "1790000000.123",
            "1790000000123",
            "1790000000123456",
            "1790000000123456789",
        ] {
            assert_eq!(serde_json::from_str::<Timestamp>(text).unwrap(), instant);
        }
    }

    #[test]
    fn the_date_of_a_header_is_an_instant() {
        let read = Timestamp::from_http_date("Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(read, Some(Timestamp(784_111_777_000)));
        assert_eq!(Timestamp::from_http_date("tomorrow"), None);
        let written = Timestamp(784_111_777_999).to_http_date();
        assert_eq!(written.as_deref(), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
    }

    #[test]
    fn a_server_clock_ahead_of_ours_makes_an_age_of_zero() {
        assert_eq!(Timestamp(5).since(Timestamp(9)), Duration::ZERO);
    }
}
