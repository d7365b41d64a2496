//! Resolves the size of an entry, however it is written.

use super::{
    super::{
        super::{Num, Side},
        Amount, DraftFault, DraftShape, Field, Seen, amount,
        number::{part, typed_lots, whole_lots},
    },
    EntryDraft,
};

/// The fields that set the price of an entry, unless it is a market order.
const PRICED_BY: &[Field] = &[
    Field::LimitPrice,
    Field::TriggerPrice,
    Field::StartPrice,
    Field::EndPrice,
    Field::Rungs,
];

/// Rounds down to whole lots.
fn cut(size: Option<Num>, seen: &Seen) -> Result<Num, DraftFault> {
    let decimals = seen.size_decimals().ok_or(DraftFault::UnknownLot)?;
    let size = size.ok_or(DraftFault::TooManyDigits)?;
    whole_lots(size, Some(decimals)).map(Num::normalized)
}

/// Rounds to the market's price step.
fn on_tick(price: Num, seen: &Seen) -> Num {
    let tick = seen.market.and_then(|market| market.tick(price));
    tick.map_or(price, |tick| tick.near(price))
}

impl EntryDraft {
    /// The size in coin that would be sent, rounded down to whole lots.
    pub fn resolved_size(&self, seen: &Seen) -> Result<Num, DraftFault> {
        let exact = match amount(self.texts.of(Field::Size))? {
            Amount::Coin(size) => return typed_lots(size, seen.size_decimals()),
            Amount::Percent(share) if self.only_reduces() => {
                return whole_lots(self.part(share, seen)?, seen.size_decimals());
            }
            Amount::Percent(share) => self.of_margin(share, seen)?,
            Amount::Notional(usd) => {
                let price = self.priced(seen)?;
                usd.over(self.deeper(price, usd.over(price), seen))
            }
            Amount::AtRisk(_) if !self.has(Field::StopLoss) => {
                return Err(DraftFault::RiskWithoutStopField);
            }
            Amount::AtRisk(_) if self.only_reduces() || self.is_against(seen) => {
                return Err(DraftFault::RiskOnExit);
            }
            Amount::AtRisk(usd) => return self.at_risk(usd, seen),
        };
        cut(exact, seen)
    }

    /// The size that loses this much at the stop. There is none if the position is liquidated before the stop: the stop
    /// would lose nothing, and a size by the liquidation price would grow as the protection shrinks.
    fn at_risk(&self, usd: Num, seen: &Seen) -> Result<Num, DraftFault> {
        let best = self.entry(seen).ok_or(DraftFault::RiskWithoutStop)?;
        let nearest = usd.over(self.risk_of_one(best, seen)?);
        let price = self.deeper(best, nearest, seen);
        let size = cut(usd.over(self.risk_of_one(price, seen)?), seen)?;
        let liquidation = self.opening(size, seen).and_then(|o| o.liquidation(seen));
        let stop = self.known(Field::StopLoss);
        let first = liquidation
            .zip(stop)
            .and_then(|(l, stop)| l.before(self.side, stop));
        match first {
            Some(price) => Err(DraftFault::StopPastLiquidation(on_tick(price, seen))),
            None => Ok(size),
        }
    }

    /// The size that takes this percentage of the free margin, including the fee if known. With an opposite position
    /// open, the percentage would be ambiguous.
    fn of_margin(&self, share: Num, seen: &Seen) -> Result<Option<Num>, DraftFault> {
        if share > Num::HUNDRED {
            return Err(DraftFault::AboveAll);
        }
        if !seen.is_held_known() {
            return Err(DraftFault::UnknownPosition);
        }
        if self.is_against(seen) {
            return Err(DraftFault::PercentAgainst);
        }
        let free = seen.free_margin.ok_or(DraftFault::UnknownMargin)?;
        if !free.is_positive() {
            return Err(DraftFault::NoMargin);
        }
        let leverage = self.leverage().map_err(|_| DraftFault::UnknownLeverage)?;
        let price = self.priced(seen)?;
        let rate = seen.charges.of(self.role(seen)).unwrap_or_default();
        let of_one = |price: Num| price.over(leverage)?.plus(price.times(rate)?);
        let part = free.times(share).and_then(|part| part.over(Num::HUNDRED));
        // The open position comes first: the first fill changes its leverage to the order's.
        let rest = part.zip(self.releveraging(seen));
        let rest = rest.and_then(|(part, taken)| part.minus(taken.max(Num::ZERO)));
        if rest.is_some_and(|rest| !rest.is_positive()) {
            return Err(DraftFault::MarginOfPosition);
        }
        let posted = |price| rest?.over(of_one(price)?);
        Ok(posted(self.deeper(price, posted(price), seen)))
    }

    /// A share of the position that this order reduces.
    fn part(&self, share: Num, seen: &Seen) -> Result<Num, DraftFault> {
        let held = seen.position.filter(|_| self.is_against(seen));
        part(held.ok_or(DraftFault::PercentOfNothing)?.quantity(), share)
    }

    /// The price for converting dollars; for a scaled order the rungs, which have values of their own.
    fn priced(&self, seen: &Seen) -> Result<Num, DraftFault> {
        let price = match self.shape {
            DraftShape::Scaled => self.rungs_of(seen).and_then(|rungs| rungs.average()),
            DraftShape::Order(_) | DraftShape::Sliced(_) => self.entry(seen),
        };
        price.ok_or_else(|| {
            self.unwritten()
                .map_or(DraftFault::UnknownPrice, DraftFault::Needs)
        })
    }

    /// The field that must be filled in before there is a price.
    fn unwritten(&self) -> Option<Field> {
        let by_trigger = self.watched().is_none() && !self.has(Field::LimitPrice);
        let mut missing = PRICED_BY.iter().copied().filter(|field| {
            self.has(*field) && self.is_required(*field) && self.known(*field).is_none()
        });
        missing.find(|field| *field != Field::TriggerPrice || by_trigger)
    }

    /// The fill price of a `size` estimated at `price`. By the book a buy pays more and a sell gets less, so a size
    /// computed from it never exceeds what was requested.
    fn deeper(&self, price: Num, size: Option<Num>, seen: &Seen) -> Num {
        match self.shape {
            DraftShape::Order(_) => size
                .and_then(|size| self.fills_at(size, seen))
                .unwrap_or(price),
            DraftShape::Sliced(_) | DraftShape::Scaled => price,
        }
    }

    /// The loss of one coin from `entry` to its stop loss, including known fees.
    fn risk_of_one(&self, entry: Num, seen: &Seen) -> Result<Num, DraftFault> {
        let stop = self
            .known(Field::StopLoss)
            .ok_or(DraftFault::RiskWithoutStop)?;
        let fees = seen.charges.in_and_out(self.role(seen), entry, stop);
        let distance = self.stop_distance(entry, stop)?;
        let fees = fees.unwrap_or_default();
        distance.plus(fees).ok_or(DraftFault::TooManyDigits)
    }

    /// The distance between entry and stop loss.
    fn stop_distance(&self, entry: Num, stop: Num) -> Result<Num, DraftFault> {
        let loss = match self.side {
            Side::Buy => entry.minus(stop),
            Side::Sell => stop.minus(entry),
        };
        loss.filter(|loss| loss.is_positive())
            .ok_or(DraftFault::StopOnWrongSide)
    }
}
