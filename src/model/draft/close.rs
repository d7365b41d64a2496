//! A close of a position before it is one.

use super::{
    super::{Bps, CloseKind, ClosePosition, Num, Position, PositionId, Side, estimate},
    Amount, Fault, Faults, Field, Seen, amount,
    number::{not_negative, optional, positive, whole_lots},
};

#[derive(Debug, Clone, PartialEq)]
pub struct CloseDraft {
    pub position_id: PositionId,
    pub kind: CloseKind,
    /// `100%` and the whole quantity close whatever there is when the request arrives.
    pub size: String,
    pub limit_price: String,
    pub slippage: String,
    pub acknowledged: bool,
}

impl CloseDraft {
    /// The types that can be written so far.
    pub const KINDS: &'static [CloseKind] = &[CloseKind::Market, CloseKind::Limit];

    pub fn fields(kind: CloseKind) -> &'static [Field] {
        match kind {
            CloseKind::Market | CloseKind::Conditional => {
                &[Field::Share, Field::Size, Field::Kind, Field::Slippage]
            }
            CloseKind::Limit => &[
                Field::Share,
                Field::Size,
                Field::Kind,
                Field::LimitPrice,
                Field::Acknowledged,
            ],
        }
    }

    pub fn close(&self, seen: &Seen) -> Result<ClosePosition, Faults> {
        let mut faults = Faults::default();
        let size = faults.take(Field::Size, self.resolved_size(seen));
        let limit_price = faults.take(Field::LimitPrice, self.limit_price());
        let slippage = faults.take(Field::Slippage, self.slippage());
        faults.take(Field::Acknowledged, self.acknowledged(seen));
        let (Some(size), Some(limit_price), Some(slippage), true) =
            (size, limit_price, slippage, faults.0.is_empty())
        else {
            return Err(faults);
        };
        Ok(ClosePosition {
            position_id: self.position_id.clone(),
            kind: self.kind,
            size,
            expected_price: seen.mid(),
            slippage_tolerance: slippage.map(Bps),
            limit_price,
            trigger: None,
            marketable_limit_acknowledged: self.is_limit() && self.acknowledged,
        })
    }

    /// The size in coin that would be sent; `None` leaves it out, which closes the whole position.
    pub fn resolved_size(&self, seen: &Seen) -> Result<Option<Num>, Fault> {
        let amount = amount(&self.size)?;
        if amount == Amount::Percent(Num::HUNDRED) {
            return Ok(None);
        }
        let position = seen.position.ok_or(Fault::UnknownPosition)?;
        let held = position.quantity();
        let wanted = match amount {
            Amount::Coin(size) => size,
            Amount::Percent(share) => part(held, share)?,
            Amount::Notional(usd) => {
                let price = self.exit(seen).ok_or(Fault::UnknownPrice)?;
                let decimals = seen.size_decimals().ok_or(Fault::UnknownLot)?;
                let size = usd.over(price).ok_or(Fault::TooManyDigits)?;
                size.truncated(decimals).normalized()
            }
            Amount::AtRisk(_) => return Err(Fault::RiskOnExit),
        };
        if wanted > held {
            return Err(Fault::AbovePosition(held));
        }
        let size = whole_lots(wanted, seen.size_decimals())?;
        Ok((size < held).then_some(size))
    }

    /// The price it is reckoned at.
    pub fn exit(&self, seen: &Seen) -> Option<Num> {
        if self.is_limit() {
            self.limit_price().ok()?
        } else {
            seen.mid()
        }
    }

    pub fn limit_price(&self) -> Result<Option<Num>, Fault> {
        if self.is_limit() {
            positive(&self.limit_price).map(Some)
        } else {
            Ok(None)
        }
    }

    fn slippage(&self) -> Result<Option<Num>, Fault> {
        if self.is_limit() {
            Ok(None)
        } else {
            optional(&self.slippage, not_negative)
        }
    }

    /// A limit known to cross needs the acknowledgement; where no book is known the service decides.
    fn acknowledged(&self, seen: &Seen) -> Result<(), Fault> {
        let limit = self.limit_price().ok().flatten();
        let side = seen.position.and_then(Position::side).map(Side::opposite);
        let crosses = limit
            .zip(side)
            .zip(seen.market)
            .and_then(|((limit, side), market)| estimate::crosses(market, side, limit));
        if crosses == Some(true) && !self.acknowledged {
            return Err(Fault::Crosses);
        }
        Ok(())
    }

    fn is_limit(&self) -> bool {
        self.kind == CloseKind::Limit
    }
}

/// `share` percent of what is held, never more.
fn part(held: Num, share: Num) -> Result<Num, Fault> {
    if share > Num::HUNDRED {
        return Err(Fault::AboveAll);
    }
    let part = held.times(share).and_then(|p| p.over(Num::HUNDRED));
    part.map(|part| part.normalized().min(held))
        .ok_or(Fault::TooManyDigits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Market;

    fn short(size: &str) -> Position {
        let json = format!(
            r#"{{"id":"pos-1","market_id":"paper|ETH","size":-{size},"entry_price":3000,"size_decimals":2}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    fn draft(size: &str) -> CloseDraft {
        CloseDraft {
            position_id: "pos-1".into(),
            kind: CloseKind::Market,
            size: size.to_owned(),
            limit_price: String::new(),
            slippage: String::new(),
            acknowledged: false,
        }
    }

    fn resolved(held: &str, typed: &str) -> Result<Option<String>, Fault> {
        let position = short(held);
        let seen = Seen {
            position: Some(&position),
            ..Seen::default()
        };
        let size = draft(typed).resolved_size(&seen)?;
        Ok(size.map(|size| size.to_string()))
    }

    #[test]
    fn a_part_of_a_position_is_cut_to_lots_and_never_more_than_there_is() {
        for (typed, size) in [
            ("25%", Some("2.33")),
            ("50%", Some("4.66")),
            ("33.3%", Some("3.10")),
            ("0.5", Some("0.5")),
            ("9.33", None),
            ("100%", None),
        ] {
            let size = size.map(str::to_owned);
            assert_eq!(resolved("9.33", typed), Ok(size), "{typed}");
        }
    }

    #[test]
    fn what_a_close_cannot_mean_is_refused() {
        for (typed, fault) in [
            ("101%", Fault::AboveAll),
            ("9.334", Fault::AbovePosition(Num::new(933, 2))),
            ("0.001", Fault::BelowLot(Num::new(1, 2))),
            ("0.01%", Fault::BelowLot(Num::new(1, 2))),
            ("r25", Fault::RiskOnExit),
            ("$100", Fault::UnknownPrice),
            ("", Fault::Missing),
            ("0%", Fault::NotPositive),
        ] {
            assert_eq!(resolved("9.33", typed), Err(fault), "{typed}");
        }
    }

    #[test]
    fn the_whole_of_a_position_can_be_closed_even_when_it_is_not_known_how_large_it_is() {
        assert_eq!(draft("100%").resolved_size(&Seen::default()), Ok(None));
        assert_eq!(
            draft("50%").resolved_size(&Seen::default()),
            Err(Fault::UnknownPosition)
        );
    }

    #[test]
    fn a_limit_that_crosses_the_market_asks_first() {
        let position = short("9.33");
        let market = Market {
            id: "paper|ETH".into(),
            mark: None,
            bid: Some(Num::from(2999_u32)),
            ask: Some(Num::from(3000_u32)),
            size_decimals: Some(2),
            max_leverage: None,
            funding_rate: None,
        };
        let seen = Seen {
            market: Some(&market),
            position: Some(&position),
            order: None,
        };
        let crossing = CloseDraft {
            kind: CloseKind::Limit,
            limit_price: "3000".to_owned(),
            ..draft("100%")
        };
        assert_eq!(
            crossing.close(&seen),
            Err(Faults(vec![(Field::Acknowledged, Fault::Crosses)]))
        );
        let acknowledged = CloseDraft {
            acknowledged: true,
            ..crossing.clone()
        };
        assert!(
            acknowledged
                .close(&seen)
                .unwrap()
                .marketable_limit_acknowledged
        );
        let resting = CloseDraft {
            limit_price: "2999.9".to_owned(),
            ..crossing
        };
        assert!(!resting.close(&seen).unwrap().marketable_limit_acknowledged);
    }
}
