//! The stop loss and take profit of an open position, as one batch.

use super::{
    super::{
        Command, ExitBatch, Num, Order, Position, PositionId, Protection, WantedExit, WantedExits,
    },
    DraftFault, Faults, Field, Seen, Texts,
    number::positive,
};

/// Both exits of a position. A price that is left as it was shown stays, so what others change meanwhile is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct ProtectDraft {
    pub position_id: PositionId,
    /// The prices when the draft was opened.
    pub shown: Texts,
    /// An empty price removes the exit that was shown, and `none` removes whatever there is. Without a size an exit that
    /// is there keeps its own, and a new one is for the whole position.
    pub texts: Texts,
}

impl ProtectDraft {
    /// In form order.
    pub const FIELDS: &'static [Field] = &[Field::TakeProfit, Field::StopLoss, Field::Size];

    /// The exits of a position as they are, of each kind the only one.
    pub fn of(position: &Position, working: &[Order]) -> Self {
        let price = |purpose| {
            let exit = only_exit(purpose, position, working);
            let price = exit.and_then(|exit| exit.trigger_price);
            price.map(|price| price.to_string()).unwrap_or_default()
        };
        let texts = Texts::default()
            .with(Field::TakeProfit, price(Protection::Target))
            .with(Field::StopLoss, price(Protection::Stop));
        Self {
            position_id: position.id.clone(),
            shown: texts.clone(),
            texts,
        }
    }

    pub fn command(&self, seen: &Seen) -> Result<Command, Faults> {
        let batch = self.batch(seen)?;
        Ok(Command::ExitBatch(Box::new(batch)))
    }

    /// Without operations the exits are so already.
    pub fn batch(&self, seen: &Seen) -> Result<ExitBatch, Faults> {
        let wanted = self.wanted(seen)?;
        let fault = |field, fault| Faults(vec![(field, fault)]);
        let position = seen.position;
        let position =
            position.ok_or_else(|| fault(Field::StopLoss, DraftFault::UnknownPosition))?;
        wanted
            .batch(position, seen.working)
            .map_err(|(group, why)| fault(group.purpose().into(), DraftFault::Exits(why)))
    }

    /// What the exits are to be, however they are when it is sent.
    pub fn wanted(&self, seen: &Seen) -> Result<WantedExits, Faults> {
        let mut faults = Faults::default();
        let size = faults.take(Field::Size, self.size(seen));
        let mut exit = |field| {
            let wanted = self.exit(field, size.flatten(), seen);
            faults.take(field, wanted)
        };
        let exits = (exit(Field::TakeProfit), exit(Field::StopLoss));
        match exits {
            (Some(take_profit), Some(stop_loss)) if faults.0.is_empty() => Ok(WantedExits {
                take_profit,
                stop_loss,
            }),
            _ => Err(faults),
        }
    }

    /// The price that the field asks for, if any.
    pub fn price(&self, field: Field) -> Result<Option<Num>, DraftFault> {
        let text = self.text(field);
        if is_none(text) {
            return Ok(None);
        }
        positive(text).map(Some)
    }

    /// `None` if none is written.
    pub fn size(&self, seen: &Seen) -> Result<Option<Num>, DraftFault> {
        let text = self.text(Field::Size);
        if text.is_empty() {
            return Ok(None);
        }
        let mid = || seen.mid().ok_or(DraftFault::UnknownPrice);
        let part = seen.part_of_position(text, mid)?;
        Ok(part.or(seen.position.map(Position::quantity)))
    }

    fn exit(&self, field: Field, size: Option<Num>, seen: &Seen) -> Result<WantedExit, DraftFault> {
        let (text, is_as_shown) = (self.text(field), self.text(field) == self.shown.of(field));
        if is_as_shown && (text.is_empty() || size.is_none()) {
            return Ok(WantedExit::Keep);
        }
        let price = self.price(field)?;
        let price = Seen::ticked(field, price, seen.market)?;
        Ok(price.map_or(WantedExit::Remove, |price| WantedExit::At { price, size }))
    }

    fn text(&self, field: Field) -> &str {
        self.texts.of(field).trim()
    }
}

/// The stop or target of a position, if it has one and not several.
pub fn only_exit<'a>(
    purpose: Protection,
    position: &Position,
    working: &'a [Order],
) -> Option<&'a Order> {
    let is_of = |order: &&Order| order.protects(position) == Some(purpose);
    let mut exits = working.iter().filter(is_of);
    exits.next().filter(|_| exits.next().is_none())
}

/// That of the exit's price.
impl From<Protection> for Field {
    fn from(exit: Protection) -> Self {
        match exit {
            Protection::Stop => Self::StopLoss,
            Protection::Target => Self::TakeProfit,
        }
    }
}

/// Whether a price field asks for no exit.
pub(super) fn is_none(text: &str) -> bool {
    text.is_empty() || text.eq_ignore_ascii_case("none")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(shown: [&str; 2], texts: [&str; 3]) -> Result<WantedExits, Faults> {
        let position: Position = serde_json::from_str(
            r#"{"id":"pos-1","market_id":"paper|BTC","size":0.5,"side":"long","size_decimals":2}"#,
        )
        .unwrap();
        let seen = Seen {
            position: Some(&position),
            ..Seen::default()
        };
        let fields = [Field::TakeProfit, Field::StopLoss, Field::Size];
        let filled = |texts: &[&str]| {
            let texts = fields.iter().zip(texts);
            texts.fold(Texts::default(), |all, (field, text)| {
                all.with(*field, *text)
            })
        };
        let draft = ProtectDraft {
            position_id: "pos-1".into(),
            shown: filled(&shown),
            texts: filled(&texts),
        };
        draft.wanted(&seen)
    }

    fn at(price: u32, size: Option<Num>) -> WantedExit {
        let price = price.into();
        WantedExit::At { price, size }
    }

    fn both(take_profit: WantedExit, stop_loss: WantedExit) -> WantedExits {
        WantedExits {
            take_profit,
            stop_loss,
        }
    }

    #[test]
    fn what_was_not_touched_stays_and_what_was_emptied_is_removed() {
        use WantedExit::{Keep, Remove};
        let shown = ["68000", "58000"];
        assert_eq!(wanted(shown, ["68000", "58000", ""]), Ok(both(Keep, Keep)));
        assert_eq!(
            wanted(shown, ["", "59000", ""]),
            Ok(both(Remove, at(59_000, None)))
        );
        assert_eq!(wanted(["", ""], ["", "none", ""]), Ok(both(Keep, Remove)));
        assert_eq!(wanted(["", ""], ["", "", "0.1"]), Ok(both(Keep, Keep)));
    }

    #[test]
    fn a_size_is_a_part_of_the_position_and_goes_to_every_exit_with_a_price() {
        let half = Some(Num::new(25, 2));
        assert_eq!(
            wanted(["", "58000"], ["68000", "58000", "50%"]),
            Ok(both(at(68_000, half), at(58_000, half)))
        );
        let whole = Some(Num::new(5, 1));
        assert_eq!(
            wanted(["", ""], ["", "58000", "100%"]),
            Ok(both(WantedExit::Keep, at(58_000, whole)))
        );
        let larger = wanted(["", ""], ["", "58000", "0.6"]);
        assert_eq!(
            larger,
            Err(Faults(vec![(
                Field::Size,
                DraftFault::AbovePosition(Num::new(5, 1))
            )]))
        );
    }
}
