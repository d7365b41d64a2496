//! Positions, open and closed.

use super::{AccountId, MarketId, Num, PositionId, Side, Text, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A position. The documents do not say which fields are always present (`docs/service-api.md 2.2`); only the
/// indispensable ones are required here.
///
/// `size` is signed: negative is short (`Dialect::signed_sizes`). `realized_pnl` is gross, `fees` is a cost ≥ 0,
/// `funding` is positive when received; net = realized − fees + funding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Position {
    pub id: PositionId,
    #[serde(default)]
    pub account_id: AccountId,
    pub market_id: MarketId,
    #[serde(default, deserialize_with = "Text::read_name")]
    pub provider: Text,
    #[serde(default, deserialize_with = "Text::read_name")]
    pub symbol: Text,
    #[serde(default, deserialize_with = "Text::read_name")]
    pub coin: Text,
    pub size: Num,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leverage: Option<Num>,
    /// Extra margin on an isolated position, USD; absent on a cross position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolated_margin_extra: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub liquidation_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_decimals: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub realized_pnl: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub realized_margin_basis: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fees: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub funding: Option<Num>,
    /// Set by [`Position::with_side_by`] and by readers that cannot determine the side; never on the wire.
    #[serde(skip)]
    pub side_unknown: bool,
}

impl Position {
    /// Long or short by the sign of `size`; `None` if flat or unknown.
    pub fn side(&self) -> Option<Side> {
        match self.size {
            _ if self.side_unknown => None,
            size if size.is_positive() => Some(Side::Buy),
            size if size.is_negative() => Some(Side::Sell),
            _ => None,
        }
    }

    /// For a service with unsigned sizes: a long is liquidated below the mark and a short above it, whatever its entry.
    /// Without both prices the side stays unknown; it is never guessed.
    #[must_use]
    pub fn with_side_by(mut self, mark: Option<Num>) -> Self {
        if self.size.is_negative() {
            return self;
        }
        let pair = self.liquidation_price.zip(mark);
        match pair.map(|(liquidation, mark)| liquidation.cmp(&mark)) {
            Some(Ordering::Greater) => self.size = self.size.negated(),
            Some(Ordering::Less) => {}
            Some(Ordering::Equal) | None => self.side_unknown = true,
        }
        self
    }

    /// Size without its sign, in coin.
    pub fn quantity(&self) -> Num {
        self.size.abs()
    }

    /// Isolated positions are those that report extra margin (including zero): no field holds the margin mode
    /// (`docs/service-api.md 2.2`).
    pub fn is_isolated(&self) -> bool {
        self.isolated_margin_extra.is_some()
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

    fn signed_size(&self) -> Option<Num> {
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
    fn without_signs_the_side_comes_from_the_mark_and_the_liquidation_price_or_stays_unknown() {
        let row = |rest: &str, mark: Option<i64>| {
            position(&format!(
                r#"{{"id":"p","market_id":"x|BTC","size":1,"entry_price":100{rest}}}"#
            ))
            .with_side_by(mark.map(Num::from))
        };
        let liquidated = |rest, mark| row(rest, mark).side();
        let at_130 = r#","liquidation_price":130"#;
        assert_eq!(liquidated(at_130, Some(120)), Some(Side::Sell));
        // Far in profit beside losing positions: the liquidation price is above its entry, and it is a long.
        assert_eq!(liquidated(at_130, Some(160)), Some(Side::Buy));
        assert_eq!(liquidated(at_130, Some(130)), None);
        assert_eq!(liquidated(at_130, None), None);
        assert_eq!(liquidated("", Some(120)), None);
        assert_eq!(row("", Some(120)).unrealized_pnl(Num::from(120_i64)), None);
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
