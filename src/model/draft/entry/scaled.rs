//! The creation of a scaled order, from the form.

use super::EntryDraft;
use crate::model::{
    PlaceScaled,
    draft::{Faults, Field, Seen},
};

impl EntryDraft {
    pub(super) fn scaled(&self, seen: &Seen) -> Result<PlaceScaled, Faults> {
        let mut faults = Faults::default();
        let terms = self.terms(seen, &mut faults);
        let rungs = faults.take(Field::Rungs, self.rungs());
        let mut number = |field| faults.take(field, self.number_in(field, seen)).flatten();
        let prices = number(Field::StartPrice).zip(number(Field::EndPrice));
        let ((terms, rung_count), (start_price, end_price)) =
            faults.none(terms.zip(rungs).zip(prices))?;
        Ok(PlaceScaled {
            account_id: self.account_id.clone(),
            market_id: terms.market_id,
            side: self.side,
            size: terms.size,
            leverage: terms.leverage,
            margin_mode: self.margin_mode,
            reduce_only: self.reduce_only,
            start_price,
            end_price,
            rung_count,
            distribution: self.distribution,
            marketable_limit_acknowledged: None,
        })
    }
}
