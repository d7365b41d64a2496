//! A size as part of the open position.

use super::{
    super::{Num, Position},
    Amount, DraftFault, Seen, amount,
    number::{part, typed_lots, whole_lots},
};

impl Seen<'_> {
    /// The size in coin that `text` means; `None` for all of the position. `price` converts an amount in USD.
    pub(super) fn part_of_position(
        &self,
        text: &str,
        price: impl FnOnce() -> Result<Num, DraftFault>,
    ) -> Result<Option<Num>, DraftFault> {
        let amount = amount(text)?;
        if amount == Amount::Percent(Num::HUNDRED) {
            return Ok(None);
        }
        let held = self.position.map(Position::quantity);
        let held = held.ok_or(DraftFault::UnknownPosition)?;
        let wanted = match amount {
            // The position itself may be of an odd size.
            Amount::Coin(size) if size >= held => size,
            Amount::Coin(size) => typed_lots(size, self.size_decimals())?,
            Amount::Percent(share) => part(held, share)?,
            Amount::Notional(usd) => {
                let price = price()?;
                let decimals = self.size_decimals().ok_or(DraftFault::UnknownLot)?;
                let size = usd.over(price).ok_or(DraftFault::TooManyDigits)?;
                whole_lots(size, Some(decimals))?.normalized()
            }
            Amount::AtRisk(_) => return Err(DraftFault::RiskOnExit),
        };
        if wanted > held {
            return Err(DraftFault::AbovePosition(held));
        }
        if wanted == held {
            return Ok(None);
        }
        let size = whole_lots(wanted, self.size_decimals())?;
        Ok((size < held).then_some(size))
    }
}
