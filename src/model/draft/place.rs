//! A new order before it is one.

use super::{
    super::{AccountId, Bps, MarginMode, MarketId, Num, PlaceKind, PlaceOrder, Side, TimeInForce},
    Amount, Fault, Faults, Field, Seen, amount,
    number::{not_negative, optional, positive, whole_lots},
};

#[derive(Debug, Clone, PartialEq)]
pub struct PlaceDraft {
    pub account_id: AccountId,
    /// `None` while no market is known.
    pub market_id: Option<MarketId>,
    pub kind: PlaceKind,
    pub side: Side,
    pub size: String,
    pub limit_price: String,
    pub time_in_force: TimeInForce,
    pub leverage: String,
    pub margin_mode: MarginMode,
    pub reduce_only: bool,
    pub take_profit: String,
    pub stop_loss: String,
    pub slippage: String,
}

/// Which fields each type has, in the order they are asked for. What a type does not list is not sent.
const FIELDS: &[(PlaceKind, &[Field])] = &[
    (
        PlaceKind::Market,
        &[
            Field::Kind,
            Field::Market,
            Field::Side,
            Field::Size,
            Field::Slippage,
            Field::Leverage,
            Field::MarginMode,
            Field::ReduceOnly,
        ],
    ),
    (
        PlaceKind::Limit,
        &[
            Field::Kind,
            Field::Market,
            Field::Side,
            Field::Size,
            Field::LimitPrice,
            Field::TimeInForce,
            Field::TakeProfit,
            Field::StopLoss,
            Field::Leverage,
            Field::MarginMode,
            Field::ReduceOnly,
        ],
    ),
];

impl PlaceDraft {
    /// The types that can be written so far.
    pub const KINDS: &'static [PlaceKind] = &[PlaceKind::Market, PlaceKind::Limit];
    /// Good till date needs a date, which no field asks for yet.
    pub const TIMES_IN_FORCE: &'static [TimeInForce] =
        &[TimeInForce::Gtc, TimeInForce::Ioc, TimeInForce::Fok];

    pub fn fields(kind: PlaceKind) -> &'static [Field] {
        let mut rows = FIELDS.iter().filter(|(known, _)| *known == kind);
        rows.next().map_or(&[], |(_, fields)| fields)
    }

    fn has(&self, field: Field) -> bool {
        Self::fields(self.kind).contains(&field)
    }

    pub fn order(&self, seen: &Seen) -> Result<PlaceOrder, Faults> {
        let mut faults = Faults::default();
        let market_id = self.market_id.clone().ok_or(Fault::Missing);
        let market_id = faults.take(Field::Market, market_id);
        let size = faults.take(Field::Size, self.resolved_size(seen));
        let limit_price = faults.take(Field::LimitPrice, self.limit_price());
        let take_profit_price = faults.take(Field::TakeProfit, self.take_profit());
        let stop_loss_price = faults.take(Field::StopLoss, self.stop_loss());
        let slippage = faults.take(Field::Slippage, self.slippage());
        let leverage = faults.take(Field::Leverage, positive(&self.leverage));
        let (Some(market_id), Some(size), Some(leverage), true) =
            (market_id, size, leverage, faults.0.is_empty())
        else {
            return Err(faults);
        };
        let is_lasting = self.has(Field::TimeInForce);
        let time_in_force = is_lasting.then_some(self.time_in_force);
        Ok(PlaceOrder {
            account_id: self.account_id.clone(),
            market_id,
            kind: self.kind,
            side: self.side,
            size,
            expected_price: seen.mid(),
            leverage,
            margin_mode: self.margin_mode,
            reduce_only: self.reduce_only,
            time_in_force: time_in_force.filter(|tif| *tif != TimeInForce::Gtc),
            gtd_expires_at: None,
            limit_price: limit_price.flatten(),
            trigger: None,
            chase_offset: None,
            chase_cap_price: None,
            take_profit_price: take_profit_price.flatten(),
            stop_loss_price: stop_loss_price.flatten(),
            slippage_tolerance: slippage.flatten().map(Bps),
            target_position_id: None,
        })
    }

    /// The size in coin that would be sent, cut to whole lots.
    pub fn resolved_size(&self, seen: &Seen) -> Result<Num, Fault> {
        let exact = match amount(&self.size)? {
            Amount::Coin(size) => return whole_lots(size, seen.size_decimals()),
            Amount::Notional(usd) => usd.over(self.entry(seen).ok_or(Fault::UnknownPrice)?),
            Amount::AtRisk(usd) => usd.over(self.stop_distance()?),
            Amount::Percent(_) => return Err(Fault::PercentOfNothing),
        };
        let decimals = seen.size_decimals().ok_or(Fault::UnknownLot)?;
        let size = exact.ok_or(Fault::TooManyDigits)?;
        whole_lots(size, Some(decimals)).map(Num::normalized)
    }

    /// The price it is reckoned at: its limit, or the observed midpoint where it has none.
    pub fn entry(&self, seen: &Seen) -> Option<Num> {
        if self.has(Field::LimitPrice) {
            self.limit_price().ok()?
        } else {
            seen.mid()
        }
    }

    pub fn leverage(&self) -> Result<Num, Fault> {
        positive(&self.leverage)
    }

    /// Required where the type has one.
    pub fn limit_price(&self) -> Result<Option<Num>, Fault> {
        if self.has(Field::LimitPrice) {
            positive(&self.limit_price).map(Some)
        } else {
            Ok(None)
        }
    }

    pub fn take_profit(&self) -> Result<Option<Num>, Fault> {
        self.optional(Field::TakeProfit, &self.take_profit, positive)
    }

    pub fn stop_loss(&self) -> Result<Option<Num>, Fault> {
        self.optional(Field::StopLoss, &self.stop_loss, positive)
    }

    fn slippage(&self) -> Result<Option<Num>, Fault> {
        self.optional(Field::Slippage, &self.slippage, not_negative)
    }

    fn optional(
        &self,
        field: Field,
        text: &str,
        read: impl Fn(&str) -> Result<Num, Fault>,
    ) -> Result<Option<Num>, Fault> {
        if self.has(field) {
            optional(text, read)
        } else {
            Ok(None)
        }
    }

    /// What one coin loses between the limit price and the stop loss.
    fn stop_distance(&self) -> Result<Num, Fault> {
        let prices = self.limit_price().ok().flatten();
        let prices = prices.zip(self.stop_loss().ok().flatten());
        let (entry, stop) = prices.ok_or(Fault::RiskWithoutStop)?;
        let loss = match self.side {
            Side::Buy => entry.minus(stop),
            Side::Sell => stop.minus(entry),
        };
        loss.filter(|loss| loss.is_positive())
            .ok_or(Fault::StopOnWrongSide)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Market;

    fn btc() -> Market {
        Market {
            id: "paper|BTC".into(),
            mark: Some(Num::from(64_000_u32)),
            bid: Some(Num::from(63_999_u32)),
            ask: Some(Num::from(64_001_u32)),
            size_decimals: Some(5),
            max_leverage: Some(40),
            funding_rate: None,
        }
    }

    fn limit(size: &str) -> PlaceDraft {
        PlaceDraft {
            account_id: "chal-1".into(),
            market_id: Some("paper|BTC".into()),
            kind: PlaceKind::Limit,
            side: Side::Buy,
            size: size.to_owned(),
            limit_price: "60000".to_owned(),
            time_in_force: TimeInForce::Gtc,
            leverage: "5".to_owned(),
            margin_mode: MarginMode::Cross,
            reduce_only: false,
            take_profit: String::new(),
            stop_loss: "59000".to_owned(),
            slippage: "junk that a limit order does not have".to_owned(),
        }
    }

    fn resolved(draft: &PlaceDraft) -> Result<String, Fault> {
        let market = btc();
        let seen = Seen {
            market: Some(&market),
            ..Seen::default()
        };
        draft.resolved_size(&seen).map(|size| size.to_string())
    }

    #[test]
    fn every_way_to_write_a_size_comes_to_whole_lots_never_more_than_asked() {
        for (typed, size) in [
            ("0.5", "0.5"),
            ("0.123456789", "0.12345"),
            ("$1000", "0.01666"),
            ("r25", "0.025"),
        ] {
            assert_eq!(resolved(&limit(typed)), Ok(size.to_owned()), "{typed}");
        }
    }

    #[test]
    fn a_market_order_in_usd_is_reckoned_at_the_observed_midpoint() {
        let market = PlaceDraft {
            kind: PlaceKind::Market,
            ..limit("$640")
        };
        assert_eq!(resolved(&market), Ok("0.01".to_owned()));
        assert_eq!(
            market.resolved_size(&Seen::default()),
            Err(Fault::UnknownPrice)
        );
    }

    #[test]
    fn a_size_that_cannot_be_resolved_says_why() {
        for (typed, fault) in [
            ("0.000001", Fault::BelowLot(Num::new(1, 5))),
            ("50%", Fault::PercentOfNothing),
            ("lots", Fault::NotANumber),
        ] {
            assert_eq!(resolved(&limit(typed)), Err(fault), "{typed}");
        }
        let above = PlaceDraft {
            stop_loss: "61000".to_owned(),
            ..limit("r25")
        };
        assert_eq!(resolved(&above), Err(Fault::StopOnWrongSide));
        let bare = PlaceDraft {
            stop_loss: String::new(),
            ..limit("r25")
        };
        assert_eq!(resolved(&bare), Err(Fault::RiskWithoutStop));
        assert_eq!(
            limit("$1000").resolved_size(&Seen::default()),
            Err(Fault::UnknownLot)
        );
    }

    #[test]
    fn all_that_is_wrong_is_told_at_once_and_only_of_fields_the_type_has() {
        let draft = PlaceDraft {
            market_id: None,
            limit_price: "1,5".to_owned(),
            take_profit: "x".to_owned(),
            leverage: String::new(),
            ..limit("")
        };
        assert_eq!(
            draft.order(&Seen::default()),
            Err(Faults(vec![
                (Field::Market, Fault::Missing),
                (Field::Size, Fault::Missing),
                (Field::LimitPrice, Fault::Comma),
                (Field::TakeProfit, Fault::NotANumber),
                (Field::Leverage, Fault::Missing),
            ]))
        );
    }

    #[test]
    fn every_type_that_can_be_written_has_its_fields() {
        let listed: Vec<_> = FIELDS.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(listed, PlaceDraft::KINDS);
    }
}
