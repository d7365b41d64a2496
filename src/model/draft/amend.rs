//! Changes to existing objects: attached exits and isolated margin. Both send the wanted final state, so that repeating
//! the request changes nothing.

use super::{
    super::{Command, Exits, Leg, Num, OrderId, PositionId},
    DraftFault, Faults, Field, Seen, Texts, number,
    number::{optional, positive},
    protect::is_none,
};

/// Both legs are always sent: the meaning of a missing one is not documented (`docs/service-api.md 4.4`).
#[derive(Debug, Clone, PartialEq)]
pub struct ExitsDraft {
    pub order_id: OrderId,
    /// An empty text removes the leg, and so does `none`.
    pub texts: Texts,
}

impl ExitsDraft {
    /// In form order.
    pub const FIELDS: &'static [Field] = &[Field::TakeProfit, Field::StopLoss];

    pub fn exits(&self, seen: &Seen) -> Result<Exits, Faults> {
        let mut faults = Faults::default();
        let mut leg = |field| {
            let price = self.leg(field);
            let price = price.and_then(|price| Seen::ticked(field, price, seen.market));
            faults.take(field, price)
        };
        let (take_profit, stop_loss) = (leg(Field::TakeProfit), leg(Field::StopLoss));
        let (Some(take_profit), Some(stop_loss)) = (take_profit, stop_loss) else {
            return Err(faults);
        };
        let take_profit = take_profit.map_or(Leg::Remove, Leg::Set);
        let stop_loss = stop_loss.map_or(Leg::Remove, Leg::Set);
        Ok(match seen.order {
            Some(order) => Exits::of(order, take_profit, stop_loss),
            None => Exits::unseen(self.order_id.clone(), take_profit, stop_loss),
        })
    }

    pub fn take_profit(&self) -> Result<Option<Num>, DraftFault> {
        self.leg(Field::TakeProfit)
    }

    pub fn stop_loss(&self) -> Result<Option<Num>, DraftFault> {
        self.leg(Field::StopLoss)
    }

    fn leg(&self, field: Field) -> Result<Option<Num>, DraftFault> {
        let text = self.texts.of(field).trim();
        optional(if is_none(text) { "" } else { text }, positive)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct MarginDraft {
    pub position_id: PositionId,
    /// `+50` and `-50` change the current total, `=200` and `200` set it; USD.
    pub texts: Texts,
}

impl MarginDraft {
    /// In form order.
    pub const FIELDS: &'static [Field] = &[Field::ExtraMargin];

    pub fn margin(&self, seen: &Seen) -> Result<Command, Faults> {
        let mut faults = Faults::default();
        let total = faults.take(Field::ExtraMargin, self.total(seen));
        let extra = total.ok_or(faults)?;
        let held = seen.position.and_then(|p| p.isolated_margin_extra);
        Ok(Command::margin(self.position_id.clone(), extra, held))
    }

    /// The total that would be sent.
    pub fn total(&self, seen: &Seen) -> Result<Num, DraftFault> {
        let text = self.texts.of(Field::ExtraMargin).trim();
        let now = seen.position.and_then(|p| p.isolated_margin_extra);
        let total = if let Some(more) = text.strip_prefix('+') {
            now.ok_or(DraftFault::UnknownPosition)?
                .plus(positive(more)?)
        } else if let Some(less) = text.strip_prefix('-') {
            now.ok_or(DraftFault::UnknownPosition)?
                .minus(positive(less)?)
        } else {
            Some(number(text.strip_prefix('=').unwrap_or(text))?)
        };
        let total = total.ok_or(DraftFault::TooManyDigits)?;
        if total.is_negative() {
            return Err(DraftFault::BelowZero(now.unwrap_or_default()));
        }
        Ok(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Position;

    fn total(typed: &str) -> Result<String, DraftFault> {
        let position: Position = serde_json::from_str(
            r#"{"id":"pos-1","market_id":"paper|SOL","size":10,"isolated_margin_extra":120.5}"#,
        )
        .unwrap();
        let seen = Seen {
            position: Some(&position),
            ..Seen::default()
        };
        let draft = MarginDraft {
            position_id: "pos-1".into(),
            texts: Texts::default().with(Field::ExtraMargin, typed),
        };
        draft.total(&seen).map(|total| total.to_string())
    }

    #[test]
    fn changes_and_totals_both_come_to_the_total_that_is_sent() {
        for (typed, sent) in [
            ("+50", "170.5"),
            ("-50", "70.5"),
            ("-120.5", "0.0"),
            ("=200", "200"),
            ("200", "200"),
            ("0", "0"),
        ] {
            assert_eq!(total(typed), Ok(sent.to_owned()), "{typed}");
        }
    }

    #[test]
    fn nothing_below_zero_and_no_nonsense_is_sent_as_margin() {
        for (typed, fault) in [
            ("", DraftFault::Missing),
            ("+", DraftFault::Missing),
            ("=", DraftFault::Missing),
            ("-121", DraftFault::BelowZero(Num::new(1205, 1))),
            ("=-5", DraftFault::BelowZero(Num::new(1205, 1))),
            ("+-5", DraftFault::NotPositive),
            ("\u{2212}50", DraftFault::ForeignMinus),
            ("+1,5", DraftFault::Comma),
            ("50%", DraftFault::NotANumber),
        ] {
            assert_eq!(total(typed), Err(fault), "{typed}");
        }
    }

    #[test]
    fn an_empty_leg_is_removed_and_a_kept_one_is_sent_again() {
        let draft = ExitsDraft {
            order_id: "ord-1".into(),
            texts: Texts::default()
                .with(Field::TakeProfit, "70000")
                .with(Field::StopLoss, " "),
        };
        let removed = Exits::unseen("ord-1".into(), Leg::Set(Num::from(70_000_u32)), Leg::Remove);
        assert_eq!(draft.exits(&Seen::default()), Ok(removed.clone()));
        let texts = draft.texts.with(Field::StopLoss, "none");
        let said = ExitsDraft {
            order_id: "ord-1".into(),
            texts,
        };
        assert_eq!(said.exits(&Seen::default()), Ok(removed));
    }
}
