//! Positions, open and closed.

use super::{
    AccountId, Lenient, MarginMode, MarketId, Num, PositionId, Side, Text, Timestamp,
    value::words::words,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};

words! {
    PositionSide { Long, Short }
    PositionStatus { Open, Closed }
}

/// A position. `side` decides where it is present; a row without one has a signed size, and negative is short
/// (docs/service-api.md 2.2).
///
/// `realized_pnl` is gross, `fees` is a cost ≥ 0, `funding` is positive when received; net = realized − fees + funding.
#[serde_with::apply(Text => #[serde(default, deserialize_with = "Text::read_name")])]
#[serde_with::apply(Num => #[serde(deserialize_with = "Num::read_row")])]
#[serde_with::apply(Option<Num> => #[serde(default, deserialize_with = "Num::read_row_any")])]
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Position {
    /// Its id.
    pub id: PositionId,
    #[serde(default)]
    pub account_id: AccountId,
    pub market_id: MarketId,
    /// The venue of the market.
    pub provider: Text,
    /// The market's short name.
    pub symbol: Text,
    /// The venue's name of the market.
    pub coin: Text,
    /// In coin, without a sign; `side` has the direction.
    pub size: Num,
    /// long or short.
    pub side: Option<Lenient<PositionSide>>,
    /// cross or isolated.
    pub margin_mode: Option<Lenient<MarginMode>>,
    /// open or closed.
    pub status: Option<Lenient<PositionStatus>>,
    /// The average price of what opened it, USD.
    pub entry_price: Option<Num>,
    /// Notional over margin.
    pub leverage: Option<Num>,
    /// Extra margin on an isolated position, USD.
    pub isolated_margin_extra: Option<Num>,
    /// When its first fill opened it.
    pub opened_at: Option<Timestamp>,
    /// The mark at which it is liquidated, USD.
    pub liquidation_price: Option<Num>,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
    /// Decimals of a size in coin.
    pub size_decimals: Option<u32>,
    /// The average price of what closed it, USD.
    pub exit_price: Option<Num>,
    /// USD, before fees and funding.
    pub realized_pnl: Option<Num>,
    /// The margin of what was closed, USD.
    pub realized_margin_basis: Option<Num>,
    /// Fees paid, USD.
    pub fees: Option<Num>,
    /// USD; above 0 was received.
    pub funding: Option<Num>,
}

impl PositionSide {
    pub fn side(self) -> Side {
        match self {
            Self::Long => Side::Buy,
            Self::Short => Side::Sell,
        }
    }
}

impl From<Side> for PositionSide {
    fn from(side: Side) -> Self {
        match side {
            Side::Buy => Self::Long,
            Side::Sell => Self::Short,
        }
    }
}

impl Position {
    /// `Buy` is long; `None` if flat, or if the service names a side that perpdeck does not know.
    pub fn side(&self) -> Option<Side> {
        match &self.side {
            _ if self.size.is_zero() => None,
            Some(side) => side.known().map(PositionSide::side),
            None if self.size.is_negative() => Some(Side::Sell),
            None => Some(Side::Buy),
        }
    }

    /// Whether the row is one of a closed position.
    pub fn is_closed(&self) -> bool {
        let status = self.status.as_ref();
        self.closed_at.is_some() || status.is_some_and(|word| word.is(&PositionStatus::Closed))
    }

    /// Size without its sign, in coin.
    pub fn quantity(&self) -> Num {
        self.size.abs()
    }

    pub fn used_margin_mode(&self) -> MarginMode {
        if self.is_isolated() {
            MarginMode::Isolated
        } else {
            MarginMode::Cross
        }
    }

    /// By its margin mode; a row without one is isolated if it reports extra margin.
    pub fn is_isolated(&self) -> bool {
        match &self.margin_mode {
            Some(mode) => mode.is(&MarginMode::Isolated),
            None => self.isolated_margin_extra.is_some(),
        }
    }

    /// Profit at `mark`, before fees and funding, USD.
    pub fn unrealized_pnl(&self, mark: Num) -> Option<Num> {
        mark.minus(self.entry_price?)?.times(self.signed_size()?)
    }

    /// Margin posted at entry: |size| × entry ÷ leverage, USD.
    pub fn entry_margin(&self) -> Option<Num> {
        self.quantity()
            .times(self.entry_price?)?
            .over(self.leverage?)
    }

    /// The profit or loss at the liquidation price, USD.
    pub fn pnl_at_liquidation(&self) -> Option<Num> {
        self.unrealized_pnl(self.liquidation_price?)
    }

    /// Realized − fees + funding, USD; `None` unless all three are known.
    pub fn net_pnl(&self) -> Option<Num> {
        self.realized_pnl?.minus(self.fees?)?.plus(self.funding?)
    }

    /// In coin, negative for a short; `None` if the side is not known.
    pub fn signed_size(&self) -> Option<Num> {
        Some(match self.side()? {
            Side::Buy => self.quantity(),
            Side::Sell => self.quantity().negated(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(json: &str) -> Position {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_short_earns_when_the_price_falls() {
        let short = position(r#"{"id":"p","market_id":"paper|ETH","size":-10,"entry_price":3000}"#);
        assert_eq!(short.side(), Some(Side::Sell));
        assert_eq!(
            short.unrealized_pnl(Num::from(2900_i64)),
            Some(Num::from(1000_i64))
        );
    }

    #[test]
    fn the_side_decides_where_it_is_present_and_the_sign_where_it_is_missing() {
        let side = |fields: &str| {
            let row = position(&format!(r#"{{"id":"p","market_id":"x|BTC",{fields}}}"#));
            (row.side(), row.quantity(), row.signed_size())
        };
        let (one, minus) = (Num::ONE, Num::ONE.negated());
        let (long, short) = (
            (Some(Side::Buy), one, Some(one)),
            (Some(Side::Sell), one, Some(minus)),
        );
        assert_eq!(side(r#""size":1,"side":"short""#), short);
        assert_eq!(side(r#""size":1,"side":"long""#), long);
        assert_eq!(side(r#""size":-1,"side":"short""#), short);
        assert_eq!(side(r#""size":1"#), long);
        assert_eq!(side(r#""size":-1"#), short);
        assert_eq!(side(r#""size":1,"side":"both""#), (None, one, None));
        assert_eq!(side(r#""size":0,"side":"long""#).0, None);
    }

    #[test]
    fn cross_is_cross_however_much_extra_margin_the_row_reports() {
        let is_isolated = |fields: &str| {
            position(&format!(
                r#"{{"id":"p","market_id":"x|BTC","size":1{fields}}}"#
            ))
            .is_isolated()
        };
        assert!(!is_isolated(
            r#","margin_mode":"cross","isolated_margin_extra":0"#
        ));
        assert!(is_isolated(r#","margin_mode":"isolated""#));
        assert!(is_isolated(r#","isolated_margin_extra":0"#));
        assert!(!is_isolated(""));
    }

    #[test]
    fn a_minimal_row_is_readable_and_invents_nothing() {
        let bare = position(r#"{"id":"p","market_id":"x|BTC","size":0.5}"#);
        assert_eq!(
            (bare.entry_price, bare.net_pnl(), bare.is_isolated()),
            (None, None, false)
        );
    }
}
