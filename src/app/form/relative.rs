//! Prices said by another become digits: shown while they are written, put in their place before the form goes on.

use super::{Around, Form};
use crate::{
    app::line::Line,
    model::{
        Num,
        draft::{Draft, Entered, Fault, Field, RelativePrice, Seen},
    },
};

impl Form {
    /// What a price said by another comes to now; `None` where the field says none.
    pub fn meant(&self, field: Field, around: &Around) -> Option<Result<Num, Fault>> {
        let text = self.draft.text(field).filter(|_| field.is_price())?;
        let price = RelativePrice::read(text)?;
        let about = (self.entered_at(field, around), self.side(around));
        Some(price.resolve(field, &self.seen(around), about))
    }

    /// With the digits of such prices in their place.
    pub(super) fn in_digits(&self, around: &Around) -> Draft {
        let mut draft = self.draft.clone();
        for field in self.draft.fields() {
            if let Some(Ok(price)) = self.meant(field, around) {
                draft.write(field, &price.to_string());
            }
        }
        draft
    }

    /// As it would be sent: what follows from it is told of that.
    #[must_use]
    pub fn reckoned(&self, around: &Around) -> Self {
        Self {
            draft: self.in_digits(around),
            ..self.clone()
        }
    }

    /// Puts them there. Whether any were.
    pub(super) fn resolve_prices(&mut self, around: &Around) -> bool {
        let draft = self.in_digits(around);
        let has_changed = draft != self.draft;
        if has_changed {
            self.draft = draft;
            let text = self.draft.text(self.focus).unwrap_or_default();
            self.line = Line::new(text);
        }
        has_changed
    }

    /// Where what it is about is entered, or was; else `entry` is that of the open position of the market the price is
    /// of. A price to enter at is not said by itself.
    fn entered_at(&self, field: Field, around: &Around) -> Entered {
        let seen = self.seen(around);
        let usual = self.usual(field, &seen);
        let is_elsewhere = field == Field::TriggerPrice && self.watches_another(&seen);
        let open = seen.position.filter(|_| !is_elsewhere);
        Entered {
            usual,
            entry: usual.or_else(|| open?.entry_price),
        }
    }

    /// Whether its trigger is a price of another market.
    fn watches_another(&self, seen: &Seen) -> bool {
        match &self.draft {
            Draft::Entry(draft) => draft.watched().is_some(),
            Draft::Close(draft) => draft.watched(seen).is_some(),
            Draft::Exits(_) | Draft::Margin(_) => false,
        }
    }

    fn usual(&self, field: Field, seen: &Seen) -> Option<Num> {
        match &self.draft {
            Draft::Entry(draft) => {
                let is_exit = matches!(field, Field::TakeProfit | Field::StopLoss);
                draft.entry(seen).filter(|_| is_exit)
            }
            Draft::Close(draft) if draft.watched(seen).is_none() => seen.position?.entry_price,
            Draft::Exits(_) => seen.order?.limit_price,
            Draft::Close(_) | Draft::Margin(_) => None,
        }
    }
}
