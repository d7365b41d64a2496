//! The creation of a TWAP or VWAP order, from the form.

use super::EntryDraft;
use crate::model::{
    Curve, PlaceTwap,
    draft::{DraftFault, Faults, Field, Seen},
};

impl EntryDraft {
    pub(super) fn twap(&self, curve: Curve, seen: &Seen) -> Result<PlaceTwap, Faults> {
        let mut faults = Faults::default();
        let terms = self.terms(seen, &mut faults);
        let minutes = faults.take(Field::Duration, self.minutes());
        let mut number = |field| faults.take(field, self.number_in(field, seen)).flatten();
        let trigger_price = number(Field::TriggerPrice);
        let min_price = number(Field::MinPrice);
        let max_price = number(Field::MaxPrice);
        let expected = number(Field::ExpectedPrice).or_else(|| seen.mid());
        let expected = faults.take(Field::ExpectedPrice, expected.ok_or(DraftFault::Missing));
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
            slice_interval_seconds: None,
            randomize: self.randomize,
            trigger_price,
            max_price,
            min_price,
        })
    }
}
