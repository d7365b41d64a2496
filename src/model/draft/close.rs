//! The draft of a close.

use super::{
    super::{
        Bps, CloseKind, ClosePosition, Held, MarketId, Num, Position, PositionId, Side,
        TriggerDirection, estimate,
    },
    DraftFault, Faults, Field, Seen, Texts,
    number::{not_negative, optional, positive},
};

#[derive(Debug, Clone, PartialEq)]
pub struct CloseDraft {
    pub position_id: PositionId,
    pub kind: CloseKind,
    /// The market whose mark triggers it; `None` is the position's own.
    pub trigger_market: Option<MarketId>,
    pub trigger_direction: Option<TriggerDirection>,
    pub acknowledged: bool,
    /// The sizes `100%` and the whole quantity close whatever is open when the request arrives.
    pub texts: Texts,
    /// Fields sent in addition to those of its type.
    pub also: Vec<Field>,
}

/// The fields of each type besides its size, in form order.
const FIELDS: &[(CloseKind, &[Field])] = &[
    (
        CloseKind::Market,
        &[Field::Share, Field::Size, Field::Kind, Field::Slippage],
    ),
    (
        CloseKind::Limit,
        &[
            Field::Share,
            Field::Size,
            Field::Kind,
            Field::LimitPrice,
            Field::Acknowledged,
        ],
    ),
    (
        CloseKind::Conditional,
        &[
            Field::Share,
            Field::Size,
            Field::Kind,
            Field::TriggerMarket,
            Field::TriggerDirection,
            Field::TriggerPrice,
            Field::Slippage,
        ],
    ),
];

impl CloseDraft {
    /// The fields that some type has.
    pub fn fields_of_any_type() -> impl Iterator<Item = Field> {
        let fields = FIELDS.iter().flat_map(|(_, fields)| *fields).copied();
        fields.chain([Field::ExpectedPrice])
    }

    pub fn fields(&self) -> Vec<Field> {
        let mut rows = FIELDS.iter().filter(|(known, _)| *known == self.kind);
        let own = rows.next().map_or(&[] as &[Field], |(_, fields)| fields);
        let mut fields = own.to_vec();
        fields.push(Field::ExpectedPrice);
        let others = self.also.iter().filter(|field| !fields.contains(field));
        let others: Vec<_> = others.copied().collect();
        fields.extend(others);
        fields
    }

    pub fn has(&self, field: Field) -> bool {
        self.fields().contains(&field)
    }

    pub fn close(&self, seen: &Seen) -> Result<ClosePosition, Faults> {
        let mut faults = Faults::default();
        let size = faults.take(Field::Size, self.resolved_size(seen));
        let trigger_price = self.watched_price(seen, &mut faults);
        let limit_price = self
            .limit_price()
            .and_then(|price| Seen::ticked(Field::LimitPrice, price, seen.market));
        let limit_price = faults.take(Field::LimitPrice, limit_price);
        faults.take(Field::Acknowledged, self.acknowledged(seen));
        let slippage = self.optional(Field::Slippage, not_negative);
        let slippage = faults.take(Field::Slippage, slippage);
        let observed = self.optional(Field::ExpectedPrice, positive);
        let observed = faults.take(Field::ExpectedPrice, observed);
        let (Some(size), Some(limit_price), true) = (size, limit_price, faults.0.is_empty()) else {
            return Err(faults);
        };
        Ok(ClosePosition {
            position_id: self.position_id.clone(),
            held: seen.position.and_then(held),
            kind: self.kind,
            client_order_id: None,
            size,
            expected_price: observed.flatten().or_else(|| seen.mid()),
            slippage_tolerance: slippage.flatten().map(Bps),
            limit_price,
            trigger_price,
            trigger_market_id: (self.trigger_market.clone())
                .filter(|_| self.has(Field::TriggerMarket)),
            trigger_direction: (self.trigger_direction)
                .filter(|_| self.has(Field::TriggerDirection)),
            marketable_limit_acknowledged: self.has(Field::Acknowledged) && self.acknowledged,
        })
    }

    fn watched_price(&self, seen: &Seen, faults: &mut Faults) -> Option<Num> {
        if !self.has(Field::TriggerPrice) {
            return None;
        }
        let market = match self.watched(seen) {
            Some(_) => seen.watched,
            None => seen.market,
        };
        let price = self
            .trigger_price()
            .and_then(|price| Seen::ticked(Field::TriggerPrice, Some(price), market));
        let price = faults.take(Field::TriggerPrice, price).flatten();
        if self.has(Field::TriggerDirection) && self.trigger_direction.is_none() {
            faults
                .0
                .push((Field::TriggerDirection, DraftFault::Missing));
        }
        price
    }

    /// Whether it reaches the book at once, as far as it is written.
    pub fn is_sent_now(&self) -> bool {
        match self.kind {
            CloseKind::Market => true,
            CloseKind::Limit => self.limit_price().is_ok_and(|price| price.is_some()),
            CloseKind::Conditional => false,
        }
    }

    pub fn trigger_price(&self) -> Result<Num, DraftFault> {
        positive(self.texts.of(Field::TriggerPrice))
    }

    fn optional(
        &self,
        field: Field,
        read: impl Fn(&str) -> Result<Num, DraftFault>,
    ) -> Result<Option<Num>, DraftFault> {
        if self.has(field) {
            optional(self.texts.of(field), read)
        } else {
            Ok(None)
        }
    }

    /// The size in coin that would be sent; `None` leaves it out, which closes the whole position.
    pub fn resolved_size(&self, seen: &Seen) -> Result<Option<Num>, DraftFault> {
        let price = || self.exit(seen).ok_or_else(|| self.unpriced(seen));
        seen.part_of_position(self.texts.of(Field::Size), price)
    }

    /// The estimated price; `None` for a trigger on another market.
    pub fn exit(&self, seen: &Seen) -> Option<Num> {
        let side = seen.position.and_then(Position::side).map(Side::opposite);
        match self.kind {
            CloseKind::Limit => {
                let limit = self.limit_price().ok()??;
                Some(side.map_or(limit, |side| seen.limit_estimate(side, limit)))
            }
            CloseKind::Conditional if self.watched(seen).is_none() => self.trigger_price().ok(),
            CloseKind::Conditional | CloseKind::Market => match side {
                Some(side) => seen.taken(side),
                None => seen.mid(),
            },
        }
    }

    /// Why there is no such price.
    fn unpriced(&self, seen: &Seen) -> DraftFault {
        match self.kind {
            CloseKind::Limit => DraftFault::Needs(Field::LimitPrice),
            CloseKind::Conditional if self.watched(seen).is_none() => {
                DraftFault::Needs(Field::TriggerPrice)
            }
            CloseKind::Conditional | CloseKind::Market => DraftFault::UnknownPrice,
        }
    }

    /// The average price of closing `quantity`: by the book if it is sent now, else as [`Self::exit`].
    pub fn exit_of(&self, quantity: Num, seen: &Seen) -> Option<Num> {
        let side = seen.position.and_then(Position::side).map(Side::opposite);
        match (self.kind, side) {
            (CloseKind::Limit, Some(side)) => {
                seen.filled(side, quantity, Some(self.limit_price().ok()??))
            }
            (CloseKind::Market, Some(side)) => seen.filled(side, quantity, None),
            (CloseKind::Market | CloseKind::Limit, None) | (CloseKind::Conditional, _) => {
                self.exit(seen)
            }
        }
    }

    /// The other market whose mark triggers it.
    pub fn watched(&self, seen: &Seen) -> Option<&MarketId> {
        let own = seen.position.map(|position| &position.market_id);
        let other = self.trigger_market.as_ref();
        other.filter(|id| self.has(Field::TriggerMarket) && Some(*id) != own)
    }

    pub fn limit_price(&self) -> Result<Option<Num>, DraftFault> {
        if self.has(Field::LimitPrice) {
            positive(self.texts.of(Field::LimitPrice)).map(Some)
        } else {
            Ok(None)
        }
    }

    /// A limit known to cross needs the acknowledgement; without a known book the service decides.
    fn acknowledged(&self, seen: &Seen) -> Result<(), DraftFault> {
        let limit = self.limit_price().ok().flatten();
        let limit = limit.filter(|_| self.has(Field::Acknowledged));
        let side = seen.position.and_then(Position::side).map(Side::opposite);
        let crosses = limit
            .zip(side)
            .zip(seen.market)
            .and_then(|((limit, side), market)| estimate::crosses(market, side, limit));
        if crosses == Some(true) && !self.acknowledged {
            return Err(DraftFault::Crosses);
        }
        Ok(())
    }
}

fn held(position: &Position) -> Option<Held> {
    Some(Held {
        market_id: position.market_id.clone(),
        side: position.side()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Grid, Market};

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
            trigger_market: None,
            trigger_direction: None,
            acknowledged: false,
            texts: Texts::default().with(Field::Size, size),
            also: vec![],
        }
    }

    fn resolved(held: &str, typed: &str) -> Result<Option<String>, DraftFault> {
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
            ("101%", DraftFault::AboveAll),
            ("9.334", DraftFault::AbovePosition(Num::new(933, 2))),
            ("0.001", DraftFault::BelowLot(Num::new(1, 2))),
            ("0.01%", DraftFault::BelowLot(Num::new(1, 2))),
            ("r25", DraftFault::RiskOnExit),
            ("$100", DraftFault::UnknownPrice),
            ("", DraftFault::Missing),
            ("0%", DraftFault::NotPositive),
        ] {
            assert_eq!(resolved("9.33", typed), Err(fault), "{typed}");
        }
    }

    #[test]
    fn a_worth_in_usd_is_cut_to_lots_and_refused_below_one() {
        let position = short("9.33");
        let market = Market {
            mark: Some(Num::from(3000_u32)),
            size_decimals: Some(2),
            ..Market::new("paper|ETH".into())
        };
        let seen = Seen {
            market: Some(&market),
            position: Some(&position),
            ..Seen::default()
        };
        let below_lot = DraftFault::BelowLot(Num::new(1, 2));
        for (typed, expected) in [
            ("$1000", Ok(Some("0.33"))),
            ("$1500", Ok(Some("0.5"))),
            ("$29.99", Err(below_lot.clone())),
            ("$0.001", Err(below_lot.clone())),
            // A quotient that is zero in all available digits.
            ("$0.0000000000000000000000000001", Err(below_lot)),
        ] {
            let size = draft(typed).resolved_size(&seen);
            let size = size.map(|size| size.map(|size| size.to_string()));
            let expected = expected.map(|size| size.map(str::to_owned));
            assert_eq!(size, expected, "{typed}");
        }
    }

    #[test]
    fn a_price_off_the_tick_that_is_told_is_refused_by_the_market_it_is_written_in() {
        let position = short("9.33");
        let market = |coin: &str, step: &str| Market {
            size_decimals: Some(2),
            grid: Grid::Step(step.parse().unwrap()),
            ..Market::new(format!("paper|{coin}").into())
        };
        let (own, other) = (market("ETH", "0.5"), market("BTC", "25"));
        let seen = Seen {
            market: Some(&own),
            position: Some(&position),
            ..Seen::default()
        };
        let both = Seen {
            watched: Some(&other),
            ..seen
        };
        let close = |watched: &str, price: &str, seen: &Seen| {
            let stop = CloseDraft {
                kind: CloseKind::Conditional,
                trigger_market: Some(watched.into()),
                trigger_direction: Some(TriggerDirection::Above),
                texts: Texts::default()
                    .with(Field::Size, "100%")
                    .with(Field::TriggerPrice, price),
                ..draft("100%")
            };
            stop.close(seen).err().map(|faults| faults.to_string())
        };
        let off = |words: &str| Some(format!("trigger price: not on the tick of {words}"));
        assert_eq!(close("paper|ETH", "3000.5", &seen), None);
        let own = close("paper|ETH", "3000.7", &seen);
        assert_eq!(own, off("0.5: 3000.5 or 3001.0"));
        let other = close("paper|BTC", "3000.5", &both);
        assert_eq!(other, off("25: 3000 or 3025"));
        assert_eq!(close("paper|BTC", "12", &both), off("25: 25"));
        let unknown = close("paper|SOL", "3000.7", &seen);
        assert_eq!(unknown, None, "of that market nothing is known");
    }

    #[test]
    fn the_whole_of_a_position_can_be_closed_even_when_it_is_not_known_how_large_it_is() {
        assert_eq!(draft("100%").resolved_size(&Seen::default()), Ok(None));
        assert_eq!(
            draft("50%").resolved_size(&Seen::default()),
            Err(DraftFault::UnknownPosition)
        );
    }

    #[test]
    fn a_limit_that_crosses_the_market_asks_first() {
        let position = short("9.33");
        let market = Market {
            bid: Some(Num::from(2999_u32)),
            ask: Some(Num::from(3000_u32)),
            size_decimals: Some(2),
            ..Market::new("paper|ETH".into())
        };
        let seen = Seen {
            market: Some(&market),
            position: Some(&position),
            ..Seen::default()
        };
        let limit = |price| {
            Texts::default()
                .with(Field::Size, "100%")
                .with(Field::LimitPrice, price)
        };
        let crossing = CloseDraft {
            kind: CloseKind::Limit,
            texts: limit("3000"),
            ..draft("100%")
        };
        assert_eq!(
            crossing.close(&seen),
            Err(Faults(vec![(Field::Acknowledged, DraftFault::Crosses)]))
        );
        // A verb says it at its flag, which has no yes to choose.
        assert!(!DraftFault::Crosses.to_string().contains("choose"));
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
            texts: limit("2999.9"),
            ..crossing
        };
        assert!(!resting.close(&seen).unwrap().marketable_limit_acknowledged);
    }
}
