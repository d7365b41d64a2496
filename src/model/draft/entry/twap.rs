//! The creation of a TWAP or VWAP order, from the form.

use super::{EntryDraft, within};
use crate::model::{
    Curve, Num, PlaceTwap,
    draft::{DraftFault, Faults, Field, Seen},
};

/// The least and the most seconds between two slices.
const LEAST_INTERVAL: u32 = 30;
const MOST_INTERVAL: u32 = 43_200;

impl EntryDraft {
    pub(super) fn twap(&self, curve: Curve, seen: &Seen) -> Result<PlaceTwap, Faults> {
        let mut faults = Faults::default();
        let terms = self.terms(seen, &mut faults);
        let minutes = faults.take(Field::Duration, self.minutes());
        let mut number = |field| faults.take(field, self.number_in(field, seen)).flatten();
        let interval = number(Field::SliceInterval);
        let trigger_price = number(Field::TriggerPrice);
        let min_price = number(Field::MinPrice);
        let max_price = number(Field::MaxPrice);
        let expected = number(Field::ExpectedPrice).or_else(|| seen.mid());
        let expected = faults.take(Field::ExpectedPrice, expected.ok_or(DraftFault::NoMid));
        let interval = Self::interval(interval, minutes);
        let slice_interval_seconds = faults.take(Field::SliceInterval, interval).flatten();
        let ((terms, duration_minutes), expected_price) =
            faults.none(terms.zip(minutes).zip(expected))?;
        Ok(PlaceTwap {
            account_id: self.account_id.clone(),
            market_id: terms.market_id,
            curve,
            side: self.side,
            size: terms.size,
            expected_price,
            leverage: terms.leverage,
            margin_mode: self.margin_mode,
            reduce_only: self.reduce_only,
            duration_minutes,
            slice_interval_seconds,
            randomize: self.randomize,
            trigger_price,
            max_price,
            min_price,
        })
    }

    /// At least 30 s, at most 12 hours and half of the duration (docs/service-api.md 4.2).
    fn interval(seconds: Option<Num>, minutes: Option<Num>) -> Result<Option<Num>, DraftFault> {
        let Some(seconds) = seconds else {
            return Ok(None);
        };
        let longest = Num::from(MOST_INTERVAL);
        let half = minutes.and_then(|minutes| minutes.times(Num::from(30_u32)));
        let most = half.map_or(longest, |half| half.min(longest));
        within(seconds, LEAST_INTERVAL.into()..=most).map(Some)
    }
}
